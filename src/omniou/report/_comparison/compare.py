"""Compare models, from results or from saved records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from omniou._lib import checks
from omniou._lib.brief import shortened
from omniou._lib.near import hint
from omniou._results.base import EvaluationResult
from omniou._results.resampling import FEW_UNITS, Track, check_confidence
from omniou._results.units import check_alike, check_classes
from omniou.detection import Result
from omniou.report._comparison.bounds import AllBounds, DifferenceBounds, few_samples, pairs_of_best
from omniou.report._comparison.bounds import of_records as bounds_of_records
from omniou.report._comparison.bounds import of_results as bounds_of_results
from omniou.report._comparison.contrast import Contrast, Delta
from omniou.report._comparison.images import differing, differing_of_records
from omniou.report._record.analyses import ANALYSES
from omniou.report._record.make import record, record_of
from omniou.report._record.record import Record
from omniou.report._record.sections import headline_names
from omniou.report._record.values import plain

ANALYSES_OF_PAGE = ("errors", "confusion", "calibration", "lrp", "pr", "f1")
"""Analyses that the page of a comparison shows, next to images."""


def compare(
    models: Mapping[str, EvaluationResult] | Mapping[str, Record],
    /,
    *,
    against: str | None = None,
    sizes: Mapping[int, tuple[float, float]] | None = None,
    analyses: Iterable[str] = ANALYSES_OF_PAGE,
    score: float | None = None,
    samples: int = 400,
    seed: int = 0,
    confidence: float = 0.95,
) -> Contrast:
    """Compare two or more models on the same data: the differences from the first one, with intervals and p-values.

    `print` of it shows tables, `html` makes a page.

    Parameters
    ----------
    models : mapping of str to result or to Record
        Models by name: results of one kind, such as `detection.evaluate` or `tracking.evaluate` returns; or records of
        such results. Records need intervals for p-values.
    against : str, optional
        The model that the others are compared with. Default: the first one.
    sizes : mapping of int to pair of float, optional
        Height and width of images by id, as `record` takes them. For detections only, as are `analyses` and `score`.
    analyses : iterable of str
        Names of `ANALYSES` to compute for the page. Records keep the analyses that they were made with.
    score : float, optional
        The score from which detections count in the confusion and the images, as `record` takes it. Default: for each
        model, the score with its best mean F1.
    samples, seed, confidence
        Settings of the permutations, as `detection.compare_number` takes them. Records use their own samples.

    Returns
    -------
    Contrast

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two models, their images, classes, kinds or protocols differ, or results of their kind
        do not know their units.

    Notes
    -----
    p-values and intervals are adjusted for the number of models, by the distribution of the largest difference over all
    models; for records, by Bonferroni's factor. If the best model is not the reference, the same images choose and test
    it, and p-values against it are multiplied by the number of all pairs of models.

    Examples
    --------
    >>> from omniou import detection, report
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 40
    >>> def found(height):
    ...     return [{"boxes": [[0, 0, 10, height - k % 3]], "labels": [1], "scores": [0.5]} for k in range(40)]
    >>> results = {name: detection.evaluate(truth, found(height)) for name, height in zip("ABC", (8, 9, 10))}
    >>> contrast = report.compare(results, samples=100)
    >>> contrast.best, contrast.verdict, [row.model for row in contrast.numbers[:2]]
    ('C', 'best', ['B', 'C'])
    >>> page = report.html(contrast)
    """
    checks.instance("models", models, Mapping, "a mapping of names to results or to records")
    given = {str(name): x for name, x in models.items()}
    if len(given) < 2:
        raise ValueError(f"`models` must name at least two models, got {len(given)}")
    if against is not None:
        checks.instance("against", against, str, "the name of a model")
        if against not in given:
            raise ValueError(
                f"`against` must be one of {', '.join(map(repr, given))}, got {against!r}{hint(against, given)}"
            )
        given = {against: given[against]} | given
    checks.mappings(sizes=sizes)
    analyses = checks.items("analyses", analyses, "names of analyses")
    samples = checks.count("samples", samples)
    seed = checks.integer("seed", seed)
    confidence = check_confidence(confidence)
    kinds = {type(x) for x in given.values()}
    own = {"sizes": sizes, "analyses": analyses, "score": score}
    drawn: dict[str, Any] = {"samples": samples, "seed": seed, "confidence": confidence}
    if kinds == {Record}:
        _check_default(own | drawn, "is for results: records keep what they were made with")
        return of_records(given)  # type: ignore[arg-type]
    if len(kinds) > 1 or not issubclass(next(iter(kinds)), EvaluationResult):
        told = ", ".join(sorted(x.__name__ for x in kinds))
        raise TypeError(f"`models` must be records, or results of one kind, got {told}")
    results: Sequence[Any] = list(given.values())
    if results[0].units is None:
        raise ValueError(f"`models` are results of {next(iter(kinds)).__name__}, which do not know their units")
    if kinds == {Result}:
        return _of_detections(given, sizes, analyses, score, **drawn)
    _check_default(own, "is for results of detections")
    records = {name: record_of(result) for name, result in given.items()}  # type: ignore[arg-type]
    return of_results(records, results, **drawn)


def _check_default(given: Mapping[str, Any], why: str) -> None:
    """Raise for an option of `compare` that would do nothing."""
    for name, value in given.items():
        if value != (compare.__kwdefaults__ or {})[name]:
            raise ValueError(f"`{name}` {why}, got {value!r}")


def _of_detections(
    given: Mapping[str, Any],
    sizes: Mapping[int, tuple[float, float]] | None,
    analyses: Iterable[str],
    score: float | None,
    **drawn: Any,
) -> Contrast:
    # A result that was read from a state has no boxes.
    has_boxes = all(result.has_boxes for result in given.values())
    wanted = [name for name in analyses if has_boxes or name not in ANALYSES or not ANALYSES[name].boxes]
    records = {name: record(x, sizes=sizes, analyses=wanted, score=score) for name, x in given.items()}
    pictured = has_boxes and bool(wanted)
    return of_results(records, list(given.values()), sizes=sizes, pictured=pictured, score=score, **drawn)


def of_results(
    records: Mapping[str, Record],
    results: Sequence[Any],
    *,
    images: Mapping[int, str] | None = None,
    sizes: Mapping[int, tuple[float, float]] | None = None,
    pictured: bool = False,
    score: float | None = None,
    samples: int,
    seed: int = 0,
    confidence: float = 0.95,
    track: Track = iter,
) -> Contrast:
    """Compare results by permutations; the first model is the reference.

    `images` and `sizes` are names and sizes of images by id. With `pictured`, the images that differ most are drawn.
    """
    first = next(iter(records.values()))
    # Numbers of groups of classes are not tested: units do not know them.
    known = results[0].units.known
    names = [name for name in headline_names(first) if name in known]
    for name, result in list(zip(records, results, strict=True))[1:]:
        _check_alike(results[0], result, f"{next(iter(records))!r} and {name!r}")
    tested = bounds_of_results(results, names, samples=samples, seed=seed, confidence=confidence, track=track)
    drawn = []
    if pictured:
        called = results[0].image_names if images is None else images
        drawn = differing(dict(zip(records, results, strict=True)), called, sizes or {}, score)
    return _made(records, tested, drawn, samples=samples, seed=seed, confidence=confidence)


def _check_alike(first: Any, second: Any, which: str) -> None:
    """Raise unless both results have the same units, such as images, and the same classes."""
    try:
        check_alike(first.units, second.units)
        check_classes(first.units, second.units)
    except ValueError as error:
        raise ValueError(str(error).replace("`first` and `second`", f"the models {which}")) from None


def of_records(records: Mapping[str, Record]) -> Contrast:
    """Compare saved records by their samples.

    Raises
    ------
    ValueError
        If their images, protocols, kinds or ignored labels differ.
    """
    first, *others = records.items()
    for name, other in others:
        for what in ("kind", "images", "protocol"):
            if getattr(first[1], what) != getattr(other, what):
                which = f"other {first[1].units}" if what == "images" else f"another {what}"
                raise ValueError(f"{name}: has {which} than {first[0]}")
        if first[1].details.get("ignore_label") != other.details.get("ignore_label"):
            raise ValueError(f"{name}: ignores other labels than {first[0]} (--ignore-label)")
    tested, known = bounds_of_records(list(records.values())), first[1].intervals
    return _made(
        records,
        tested,
        differing_of_records(records),
        samples=known.samples if known and tested.numbers else 0,
        seed=known.seed if known else 0,
        confidence=known.confidence if known else 0.95,
        saved=True,
    )


def _made(
    records: Mapping[str, Record], tested: AllBounds, images: list[dict[str, Any]], *, saved: bool = False, **drawn: Any
) -> Contrast:
    names = list(records)
    first, *others = records.values()
    numbers = [
        _delta(number, name, value, other.summary.get(number), bounds)
        for number, value in first.summary.items()
        for name, other, bounds in zip(
            names[1:], others, tested.numbers.get(number, [DifferenceBounds()] * len(others)), strict=True
        )
    ]
    best = names[tested.best]
    against = [
        _delta(
            first.head, names[k], records[best].summary[first.head], records[names[k]].summary.get(first.head), bounds
        )
        for k, bounds in sorted(tested.against_best.items())
    ]
    few = few_samples(drawn["samples"], pairs_of_best(len(names), is_reference=tested.best == 0)) if saved else 0
    return Contrast(
        records=dict(records),
        numbers=numbers,
        per_class=_classes(records, first.class_number, tested.classes),
        best=best,
        against_best=against,
        verdict=_verdict(records, best, numbers[: len(others)], against, few),
        remarks=_remarks(records) if saved else [],
        images=images,
        **drawn,
    )


def _classes(
    records: Mapping[str, Record], number: str, bounds: Sequence[Mapping[str, DifferenceBounds]]
) -> list[Delta]:
    """Return rows of all classes: matched by place if all records have the same classes, by name otherwise."""
    by_name = {name: {row["name"]: row for row in x.per_class} for name, x in records.items()}
    called = [[row["name"] for row in x.per_class] for x in records.values()]
    if bounds or all(names == called[0] for names in called):
        # Two classes may have one name.
        rows: list[tuple[dict[str, Any] | None, ...]] = list(zip(*(x.per_class for x in records.values()), strict=True))
    else:
        classes = dict.fromkeys(name for rows in by_name.values() for name in rows)
        rows = [tuple(known.get(name) for known in by_name.values()) for name in classes]
    out, none = [], DifferenceBounds()
    for one, *others in rows:
        known = next(row for row in (one, *others) if row is not None)
        for k, (name, other) in enumerate(zip(list(records)[1:], others, strict=True)):
            ends = bounds[k].get(str(known.get("id", known["name"])), none) if bounds else none
            first, second = (_number_of(row, number) for row in (one, other))
            out.append(_delta(known["name"], name, first, second, ends, objects=known.get("objects")))
    return out


def _number_of(row: Mapping[str, Any] | None, name: str) -> float | None:
    """Return a number of a row; None if the row does not have it, or has words there."""
    value = None if row is None else row.get(name)
    return value if isinstance(value, int | float) else None


def _delta(
    name: str,
    model: str,
    first: float | None,
    second: float | None,
    bounds: DifferenceBounds,
    *,
    objects: int | None = None,
) -> Delta:
    difference = None if first is None or second is None else second - first
    low, high, p_value = plain(tuple(bounds))
    return Delta(
        name=name,
        model=model,
        first=first,
        second=second,
        difference=difference,
        low=low,
        high=high,
        p_value=p_value,
        objects=objects,
    )


def _verdict(
    records: Mapping[str, Record], best: str, heads: Sequence[Delta], against: Sequence[Delta], few: int
) -> str:
    every = [*heads, *against]
    if next(iter(records.values())).size < FEW_UNITS or any(x.p_value is None and x.low is not None for x in every):
        return "too few images"
    if any(x.p_value is None or x.difference is None for x in every):
        return "no samples"
    worse = [x for x in against if x.is_certain]
    if few and len(worse) < len(against):
        return "too few samples"
    if not worse:
        return "none"
    if len(records) == 2:
        return "first" if best == next(iter(records)) else "second"
    return "best" if len(worse) == len(against) else "some"


def _remarks(records: Mapping[str, Record]) -> list[str]:
    """Return what differs between records of the same images: classes, and numbers of objects."""
    every = list(dict.fromkeys(row["name"] for x in records.values() for row in x.per_class))
    out = []
    for name, x in records.items():
        missing = sorted(set(every) - {row["name"] for row in x.per_class}, key=every.index)
        if missing:
            out.append(f"{name} has no class {shortened(missing)}: its {x.head} is a mean over other classes.")
    objects = {name: x.counts.get("annotations", 0) for name, x in records.items()}
    if len(set(objects.values())) > 1 and not out:
        listed = ", ".join(f"{many} in {name}" for name, many in objects.items())
        out.append(f"The records are of different ground truths: numbers of objects are {listed}.")
    return out
