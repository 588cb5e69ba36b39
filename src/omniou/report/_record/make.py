"""Make the record of an evaluation."""

import contextlib
import dataclasses
import hashlib
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from omniou._inputs.kinds import words_of
from omniou._lib import checks
from omniou._results.base import EvaluationResult
from omniou.data import Finding, InputError
from omniou.detection import PRESETS, Protocol, Result
from omniou.detection._protocol import without_scores
from omniou.detection.curves._summary import numbers
from omniou.report._record.analyses import ANALYSES, Source, per_class
from omniou.report._record.detections import classes, number_words, protocol_of, title
from omniou.report._record.parts import Group, Input
from omniou.report._record.record import Record
from omniou.report._record.values import plain


def record(
    result: EvaluationResult,
    *,
    names: Mapping[int, str] | None = None,
    images: Mapping[int, str] | None = None,
    sizes: Mapping[int, tuple[float, float]] | None = None,
    counts: Mapping[str, int] | None = None,
    analyses: Iterable[str] = (),
    score: float | None = None,
    slices: Mapping[str, Mapping[str, Sequence[int]]] | None = None,
    intervals: Sequence[str] = (),
    samples: int = 200,
    seed: int = 0,
    inputs: Sequence[Input] = (),
    options: Mapping[str, Any] | None = None,
    warnings: Sequence[Finding] = (),
    assumptions: Sequence[str] = (),
    preset: str = "",
    track: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Record:
    """Make the record of an evaluation.

    Parameters
    ----------
    result : result
        Result of any evaluation, such as `detection.evaluate` or `tracking.evaluate`.
    names, images : mapping of int to str, optional
        Names of classes and of images. Default: the names that the result knows, else ids. For detections only, as
        are `sizes`, `counts`, `analyses`, `score`, `slices` and `preset`.
    sizes : mapping of int to pair of float, optional
        Height and width of images by id, if known, for drawing.
    counts : mapping of str to int, optional
        Counts of the input: "images", "categories", "annotations", "crowds" and "detections". Default: counts of the
        result.
    analyses : iterable of str
        Names of `ANALYSES`. Those that need the boxes need a result that keeps them, as `Result.errors` does.
    score : float, optional
        The score from which detections count in the confusion, the images and the label errors; all count in AP and
        in curves. Default: where the mean F1 is best, as `Result.least_score` says.
    slices : mapping of str to mapping of str to sequence of int, optional
        Ids of images by slice, for each way to slice, as `omniou.data.read_slices` returns them. The record has the
        numbers of each slice.
    intervals : sequence of str
        Numbers of the summary that get intervals, all from the same samples.
    samples : int
        How often the bootstrap draws the images, or the other units of the result.
    seed : int
        Seed of the bootstrap: results with the same images and seed have the same samples of images.
    inputs, options, warnings, assumptions
        As `Record` has them.
    preset : str
        Name of the protocol, if several presets are equal to it. Default: the first of these.
    track : callable
        Wraps the numbers of the samples, to show progress.

    Returns
    -------
    Record

    Raises
    ------
    TypeError, ValueError
        If an analysis or a number is unknown, the result does not allow it, or `score` is outside the scale of scores.
    """
    checks.mappings(names=names, images=images, sizes=sizes, counts=counts, slices=slices, options=options)
    checks.instance("preset", preset, str, "the name of a protocol")
    samples = checks.count("samples", samples)
    seed = checks.integer("seed", seed)
    listed = {"inputs": inputs, "assumptions": assumptions, "warnings": warnings, "analyses": analyses}
    told: dict[str, Any] = {name: list(checks.items(name, x, "a sequence")) for name, x in listed.items()}
    intervals = checks.items("intervals", intervals, "names of numbers")
    of_detections: dict[str, Any] = {"names": names, "images": images, "sizes": sizes, "counts": counts}
    of_detections |= {"analyses": tuple(told.pop("analyses")), "score": score, "slices": slices, "preset": preset}
    if isinstance(result, Result):
        made = _of_detections(result, **of_detections)
    else:
        checks.instance("result", result, EvaluationResult, "a result, such as `detection.evaluate` gives")
        if given := [name for name, x in of_detections.items() if x or isinstance(x, int | float)]:
            raise TypeError(f"`{given[0]}` is for results of `detection.evaluate`, got {type(result).__name__}")
        made = record_of(result)
    told["warnings"] += made.warnings
    made = dataclasses.replace(made, options=dict(options or {}), **told)
    if not intervals:
        return made
    if result.units is None:
        raise ValueError(f"`intervals` need units to draw, and this {type(result).__name__} does not know them")
    from omniou.report._record import intervals as bootstrap

    drawn = bootstrap.drawn(made, result, intervals, samples=samples, seed=seed, track=track)
    return dataclasses.replace(made, intervals=drawn)


def _of_detections(
    result: Result[Any],
    *,
    names: Mapping[int, str] | None,
    images: Mapping[int, str] | None,
    sizes: Mapping[int, tuple[float, float]] | None,
    counts: Mapping[str, int] | None,
    analyses: Sequence[str],
    score: float | None,
    slices: Mapping[str, Mapping[str, Sequence[int]]] | None,
    preset: str,
) -> Record:
    names, images = result.names if names is None else names, result.image_names if images is None else images
    if score is not None:
        score = result.least_score(score)
    source = Source(result, names, images, sizes or {}, slices or {}, score)
    values, doubts = _analysed(source, [*analyses, *(["slices"] if slices and "slices" not in analyses else [])])
    shapes, protocol = words_of(result.state.kind), _protocol(result, preset)
    counted_as = dict(counts or _counts(result))
    return Record(
        kind=result.state.kind,
        protocol=protocol,
        title=title(result.state.kind, protocol, counted_as),
        units=shapes.holders,
        images=fingerprint(result),
        summary=plain(result.summary),
        words=number_words(result.protocol, result.summary, shapes, rules=protocol["name"]),
        counts=counted_as,
        groups=[classes(per_class(source))],
        areas=_areas(result),
        versions=_versions(result),
        warnings=doubts,
        analyses=values,
    )


def record_of(result: EvaluationResult) -> Record:
    """Make a record of a result of any kind, with the result's names of its rows."""
    made = Record(
        kind=type(result).__module__.split(".")[1],
        summary=result.summary,
        words=dict.fromkeys(result.summary, ""),
        counts=result.counts,
        groups=[
            Group(
                key=key,
                title=f"Each {key.removeprefix('per_').replace('_', ' ')}",
                # Names are text, by which gates choose a row; lengths of windows and thresholds are numbers.
                rows=[{**row, "name": str(row["name"])} for row in rows],
            )
            for key, rows in result.rows.items()
        ],
        versions={"python": platform.python_version()},
        warnings=result.findings,
    )
    return identified(made, result)


def identified(record: Record, result: Any) -> Record:
    """Add the units of the result to a record, if known: what they are, and the SHA-256 of their names."""
    units = None if record.images else getattr(result, "units", None)
    if units is None:
        return record
    lines = "".join(f"{name}\n" for name in units.names)
    counts = {units.word: len(units.names), **record.counts}
    sha256 = hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
    return dataclasses.replace(record, units=units.word, images=sha256, counts=counts, title=record.title)


def files_of(path: Path) -> list[Path]:
    """Return the files of a directory or of a pattern, by name; or the file itself."""
    if path.is_dir():
        return sorted(x for x in path.iterdir() if x.is_file())
    if path.exists():
        return [path]
    import glob

    if not glob.has_magic(str(path)):
        return [path]
    return sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207  (a path may be absolute)


def digest(
    path: Path | str,
    role: str,
    format: str,
    known: Mapping[str, tuple[str, int]] = MappingProxyType({}),
    *,
    files: Sequence[Path] | None = None,
) -> Input:
    """Describe a file, or the files of a directory or a pattern, with their SHA-256.

    Parameters
    ----------
    path : path
    role : str
        "ground truth" or "detections".
    format : str
        Format of the file.
    known : mapping of str to (str, int)
        Known SHA-256 and sizes of files by absolute path.
    files : sequence of path, optional
        Files that were read below a directory, at any depth. Default: all files directly in it.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    path = Path(path)
    try:
        deep = files is not None and path.is_dir()
        chosen = sorted(files) if files is not None and deep else files_of(path)
        sums = {}
        for file in chosen:
            name = str(file.relative_to(path)) if deep else file.name
            sums[name] = known.get(str(file.absolute())) or (_sha256(file), file.stat().st_size)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None
    if chosen != [path]:
        lines = "".join(f"{sha}  {name}\n" for name, (sha, _) in sums.items())
        total = hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
    else:
        total = sums[path.name][0]
    size = sum(size for _, size in sums.values())
    return Input(role=role, path=str(path), format=format, sha256=total, files=len(chosen), bytes=size)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(result: Result[Any]) -> str:
    """A hash of the ids of the images."""
    lines = "".join(f"{int(id)}\n" for id in result.state.images)
    return hashlib.sha256(lines.encode()).hexdigest()


def _analysed(source: Source, names: Iterable[str]) -> tuple[dict[str, Any], list[Finding]]:
    """Compute analyses by name; return findings for analyses that the data does not allow."""
    result, values, doubts = source.result, {}, []
    for name in names:
        if name not in ANALYSES:
            raise ValueError(f"`analyses` must be among {', '.join(map(repr, ANALYSES))}, got {name!r}")
        analysis = ANALYSES[name]
        if not analysis.fits(result.state.kind) or not analysis.is_for(result.protocol):
            continue
        if analysis.needs and not getattr(source, analysis.needs):
            continue
        try:
            values[name] = analysis.compute(source)
        except ValueError as error:
            if analysis.needs:  # its input comes from the caller, who must correct it
                raise
            text = f"{analysis.heading(source.overlap)}: left out"
            doubts.append(Finding(code=f"no-{name}", text=text, evidence=str(error)))
    return values, doubts


def _areas(result: Result[Any]) -> list[dict[str, Any]]:
    last, rows = len(result.protocol.max_detections) - 1, []
    of_all = [x for x in numbers(result.protocol) if x.limit == last and x.threshold is None]
    known = {(number.kind, number.area): number.name for number in of_all}
    for place, area in enumerate(result.protocol.area_ranges):
        objects = sum(int(x) for x in result.objects[:, place])
        values = {kind: plain(result.summary[known[kind, place]]) for kind in ("AP", "AR")}
        rows.append({"name": area.name, "low": area.low, "high": plain(area.high), "objects": objects, **values})
    return rows


def _counts(result: Result[Any]) -> dict[str, int]:
    state = result.state
    sizes = {"images": state.images.shape[0], "categories": state.classes.shape[0]}
    with contextlib.suppress(ValueError):  # where boxes are not kept
        tables = result._boxes.tables  # noqa: SLF001  (one library)
        crowds = int(tables.xp.count_nonzero(tables.targets.crowd))
        rows = {"annotations": tables.targets.labels.shape[0], "detections": tables.detections.labels.shape[0]}
        return {**sizes, **rows, "crowds": crowds}
    rows = {"annotations": state.target_labels.shape[0], "detections": state.scores.shape[0] + state.surplus}
    return {**sizes, **rows, "crowds": 0}


def _protocol(result: Result[Any], preset: str) -> dict[str, Any]:
    protocol = result.protocol
    with_classes = dataclasses.replace(protocol, class_agnostic=False)

    def equals(known: Protocol | None) -> bool:
        return known is not None and with_classes == (without_scores(known) if protocol.missing_scores else known)

    name = next((name for name in (preset, *PRESETS) if equals(PRESETS.get(name))), None)
    return {"name": name, **plain(protocol)}


def _versions(result: Result[Any]) -> dict[str, str]:
    library = type(result.state.scores).__module__.partition(".")[0]
    # Every array library has `__version__`; a look-up in the metadata of packages takes 20 ms.
    return {"python": platform.python_version(), library: str(sys.modules[library].__version__)}


def without_areas(made: Record) -> Record:
    """Remove the numbers of area ranges: boxes that are shares of images of unknown size have no areas."""
    suffixes = [area.suffix for area in protocol_of(made).area_ranges[1:]]
    unknown = {f"{kind}{suffix}": None for kind in ("AP", "AR") for suffix in suffixes}
    rows = [row | {name: None for name in unknown if name in row} for row in made.per_class]
    blank: dict[str, float | None] = {name: None for name in unknown if name in made.summary}
    analyses = made.analyses
    if "slices" in analyses:
        analyses = analyses | {"slices": [x | {"summary": x["summary"] | blank} for x in analyses["slices"]]}
    return dataclasses.replace(
        made, summary={**made.summary, **blank}, groups=[classes(rows)], areas=made.areas[:1], analyses=analyses
    )
