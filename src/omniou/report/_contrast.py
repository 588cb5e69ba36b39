"""The record of a comparison of two models: plain values, tables, JSON."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from omniou.detection import Comparison, Result
from omniou.detection.analysis import _comparing as comparing
from omniou.detection.analysis._resampling import FEW_IMAGES, Track
from omniou.detection.curves._summary import numbers as numbers_of
from omniou.report._record import SCHEMA, Record
from omniou.report._scores import counted
from omniou.report._sections import headline_names
from omniou.report._tables import Table
from omniou.report._values import plain

# A difference whose p-value is below this is more than the choice of the images explains.
LEVEL = 0.05
# Classes that are shown unasked: those that differ most.
_SHOWN = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A number of both models.

    Attributes
    ----------
    name : str
        Of the number, or of the class.
    first, second, difference : float or None
        The difference is the second minus the first.
    low, high : float or None
        Its interval; None where there are no samples.
    p_value : float or None
        Of classes: adjusted for their number.
    objects : int, optional
        Of a class.
    """

    name: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    objects: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two models on the same images.

    Attributes
    ----------
    first, second : Record
    numbers : list of Delta
        Of the summary.
    per_class : list of Delta
        Of AP, in the order of ids.
    verdict : {"first", "second", "none", "too few images", "no samples"}
        Which model is better by AP; "none" where the difference is no more than the choice of the images explains.
    samples, seed, confidence
        Of the permutations; of records, of their bootstrap.
    """

    first: Record
    second: Record
    numbers: list[Delta]
    per_class: list[Delta]
    verdict: str
    samples: int
    seed: int
    confidence: float

    def to_json(self) -> str:
        """As JSON; the schema is that of the records in it."""
        head = {"schema": SCHEMA, "comparison": True}
        return json.dumps(head | dataclasses.asdict(self), indent=2, allow_nan=False)


def of_results(
    records: tuple[Record, Record],
    results: tuple[Result[Any], Result[Any]],
    *,
    samples: int,
    seed: int = 0,
    confidence: float = 0.95,
    track: Track = iter,
) -> Contrast:
    """Numbers and classes from the same permutations."""
    first, second = records
    # Numbers of groups of images are not tested.
    known = {x.name for x in numbers_of(results[0].protocol, results[0].groups)}
    head, names = next(iter(first.summary)), [name for name in headline_names(first) if name in known]
    comparing.check_alike(*results)
    comparing.check_classes(*results)
    gaps = comparing.exchanged(*results, names, samples=samples, seed=seed, track=track)
    classes = comparing.by_class(gaps[head], confidence)
    rows = [
        _delta(row["name"], row[head], second.per_class[k][head], low, high, p, objects=row["objects"])
        for k, (row, low, high, p) in enumerate(
            zip(first.per_class, classes.low, classes.high, classes.p_values, strict=True)
        )
    ]
    numbers = _numbers(first, second, {name: comparing.tested(gaps[name], confidence) for name in names})
    verdict = _verdict(first.counts.images, numbers[0])
    return Contrast(
        first=first,
        second=second,
        numbers=numbers,
        per_class=rows,
        verdict=verdict,
        samples=samples,
        seed=seed,
        confidence=confidence,
    )


def of_records(first: Record, second: Record, pairs: Mapping[str, Comparison]) -> Contrast:
    """Of saved records: `pairs` are the comparisons of numbers whose samples go together."""
    head = next(iter(first.summary))
    classes, others = ({row["name"]: row for row in record.per_class} for record in (first, second))
    nan = math.nan
    rows = [
        _delta(name, row[head], others[name].get(head), nan, nan, nan, objects=row["objects"])
        for name, row in classes.items()
        if name in others
    ]
    bounds = {name: (x.difference.low, x.difference.high, x.p_value) for name, x in pairs.items()}
    numbers = _numbers(first, second, bounds)
    known = first.intervals
    return Contrast(
        first=first,
        second=second,
        numbers=numbers,
        per_class=rows,
        verdict=_verdict(first.counts.images, numbers[0]),
        samples=known.samples if known and pairs else 0,
        seed=known.seed if known else 0,
        confidence=known.confidence if known else 0.95,
    )


def _numbers(first: Record, second: Record, bounds: Mapping[str, tuple[float, float, float]]) -> list[Delta]:
    """Of each number of the summary; `bounds` are ends of the interval and p-value of those that have them."""
    none = (math.nan,) * 3
    return [
        _delta(name, value, second.summary.get(name), *bounds.get(name, none)) for name, value in first.summary.items()
    ]


def _delta(name: str, first: float | None, second: float | None, *bounds: float, objects: int | None = None) -> Delta:
    difference = None if first is None or second is None else second - first
    low, high, p_value = plain(bounds)
    return Delta(
        name=name,
        first=first,
        second=second,
        difference=difference,
        low=low,
        high=high,
        p_value=p_value,
        objects=objects,
    )


def _verdict(images: int, head: Delta) -> str:
    if images < FEW_IMAGES or (head.p_value is None and head.low is not None):
        return "too few images"
    if head.p_value is None or head.difference is None:
        return "no samples"
    if head.p_value >= LEVEL:
        return "none"
    return "second" if head.difference > 0 else "first"


def words(contrast: Contrast, names: tuple[str, str]) -> str:
    """The verdict as a sentence."""
    head = contrast.numbers[0]
    images, holders = contrast.first.counts.images, contrast.first.words.holders
    if contrast.verdict == "too few images" and images < FEW_IMAGES:
        return f"No verdict: {images} {holders} are fewer than {FEW_IMAGES}."
    if contrast.verdict == "too few images":
        return (
            f"No verdict: objects of a class are in fewer than {FEW_IMAGES} {holders} (harmonic mean over the "
            "classes), too few for the samples of records. Compare the files of detections: their permutation test "
            "holds."
        )
    if contrast.verdict == "no samples":
        return f"No verdict: there are no samples of the same {holders} and seed in both."
    if contrast.verdict == "none":
        return f"No verdict: the difference of {head.name} is no more than the choice of the {holders} explains."
    better, other = names if contrast.verdict == "first" else names[::-1]
    return f"{better} is better than {other} by {head.name}."


def tables(contrast: Contrast, names: tuple[str, str], *, per_class: bool = False) -> list[Table]:
    """The numbers, and the classes that differ most."""
    share = f"{100 * contrast.confidence:g} % interval"
    first, second = names
    counts = contrast.first.counts
    title = (
        f"{second} against {first}: {counted(counts.images, contrast.first.words.holders)}, "
        f"{counted(counts.annotations - counts.crowds, 'objects')}"
    )
    shown = headline_names(contrast.first)
    rows = [_row(x, x.name) for x in contrast.numbers if per_class or x.name in shown]
    headings = ("", first, second, "difference", share, "p")
    out = [Table(title, headings, rows, words(contrast, names))]
    present = [x for x in contrast.per_class if x.difference is not None]
    chosen = present if per_class else sorted(present, key=_importance)[:_SHOWN]
    head = contrast.numbers[0].name
    tested = any(x.p_value is not None for x in present)
    by = "smallest p" if tested else "largest difference"  # records have no p of classes
    what = "all classes" if per_class else f"the {len(chosen)} classes of the {by}, of {len(present)}"
    note = "Intervals and p are adjusted for the number of classes." if tested else ""
    if len(present) > 1:
        body = [(x.name, x.objects, *_row(x, x.name)[1:]) for x in chosen]
        out.append(Table(f"{head} of {what}", ("class", "objects", *headings[1:]), body, note))
    return out


def _importance(x: Delta) -> tuple[float, float]:
    return (1.0 if x.p_value is None else x.p_value, -abs(x.difference or 0.0))


def _row(x: Delta, name: str) -> Sequence[Any]:
    bounds = None if x.low is None or x.high is None else f"{x.low:+.3f} to {x.high:+.3f}"
    difference = None if x.difference is None else f"{x.difference:+.3f}"
    return (name, x.first, x.second, difference, bounds, x.p_value)
