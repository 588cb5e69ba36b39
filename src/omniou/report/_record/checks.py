"""Whether a record fits itself: its rows have the numbers of its summary, and its analyses can be shown."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from omniou.detection import AreaRange, Protocol

_NOT_NUMBERS = {"id", "name", "objects"}


class _ClassRow(msgspec.Struct):
    """A class; its numbers are read with it, by the names of the summary."""

    id: int
    name: str
    objects: int


class _Area(msgspec.Struct):
    name: str
    low: float
    objects: int
    high: float | None
    AP: float | None
    AR: float | None


class _Range(msgspec.Struct):
    """An area range of a protocol; JSON has no infinity."""

    name: str
    low: float
    suffix: str
    high: float | None


class _Rules(msgspec.Struct):
    name: str | None
    iou_thresholds: list[float]
    recall_points: list[float]
    area_ranges: list[_Range]
    max_detections: list[int | None]


class _Best(msgspec.Struct):
    """The threshold of scores of a class."""

    id: int
    name: str
    f1: float | None
    score: float | None


class _Plain(msgspec.Struct):
    """What the types of a record leave open."""

    per_class: list[_ClassRow]
    areas: list[_Area]
    protocol: _Rules


def fault_of(record: Any) -> str:
    """Where a record does not fit, and what is wrong there; empty if nothing is."""
    try:
        whole = {"per_class": record.per_class, "areas": record.areas, "protocol": record.protocol}
        plain = msgspec.convert(whole, type=_Plain)
    except msgspec.ValidationError as error:
        return str(error)
    return next((f"{words} - at `$.{place}`" for place, words in _faults(record, plain)), "")


def _faults(record: Any, plain: _Plain) -> Iterator[tuple[str, str]]:
    if not record.summary:
        yield "summary", "no numbers"
        return
    yield from _faults_of_rows(record)
    if not record.areas:
        yield "areas", "no area range"
    for k, area in enumerate(plain.areas):
        if area.high is not None and area.high < area.low:
            yield f"areas[{k}]", "expected low <= high"
    if min(record.counts.images, record.counts.annotations, record.counts.detections, record.counts.categories) < 0:
        yield "counts", "expected no negative number"
    ranges = [
        AreaRange(x.name, x.low, math.inf if x.high is None else x.high, x.suffix) for x in plain.protocol.area_ranges
    ]
    try:
        Protocol(**{x: v for x, v in record.protocol.items() if x in Protocol.__slots__} | {"area_ranges": ranges})
    except (TypeError, ValueError) as error:
        yield "protocol", str(error)
        return
    if record.intervals is not None:
        yield from _faults_of_intervals(record.intervals)
    yield from _faults_of_analyses(record)


def _faults_of_intervals(drawn: Any) -> Iterator[tuple[str, str]]:
    if not (0 < drawn.confidence < 1 and drawn.seed >= 0):
        yield "intervals", "expected a confidence between 0 and 1, and a seed of at least 0"
    for name, number in drawn.numbers.items():
        if len(number.samples) not in {0, drawn.samples}:  # a page leaves them out
            yield f"intervals.numbers.{name}.samples", f"expected {drawn.samples} samples, got {len(number.samples)}"


def _faults_of_rows(record: Any) -> Iterator[tuple[str, str]]:
    head, first = next(iter(record.summary)), [*record.per_class[0]] if record.per_class else []
    for k, row in enumerate(record.per_class):
        numbers = {name: value for name, value in row.items() if name not in _NOT_NUMBERS}
        if [*row] != first or head not in row:
            yield f"per_class[{k}]", f"expected {head!r} and the fields of the first row"
        for name, value in numbers.items():
            if name not in record.summary:
                yield f"per_class[{k}].{name}", "not among the numbers of `summary`"
            elif not _is_number(value):
                yield f"per_class[{k}].{name}", f"expected a number or null, got {value!r}"


def _is_number(x: Any) -> bool:
    return x is None or (isinstance(x, int | float) and not isinstance(x, bool))


def _faults_of_analyses(record: Any) -> Iterator[tuple[str, str]]:
    """Each analysis shows itself: what its tables and its picture take needs no schema next to them."""
    from omniou.report._record.analyses import ANALYSES

    for name in ANALYSES:
        if name not in record.analyses:
            continue
        try:
            _show(name, record)
        except Exception as error:  # noqa: BLE001  (values of any kind, in functions that expect those of `compute`)
            yield f"analyses.{name}", f"not what omniou writes ({type(error).__name__}: {error})"


def _show(name: str, record: Any) -> None:
    from omniou.report._charts import svg
    from omniou.report._images import crops, frames
    from omniou.report._record.analyses import ANALYSES

    value, analysis = record.analyses[name], ANALYSES[name]
    for table in analysis.tables(value, record):
        msgspec.convert([list(row) for row in table.rows], type=list[list[str | int | float | None]])
        if any(len(row) != len(table.headings) for row in table.rows):
            raise ValueError("rows of different lengths")
    if analysis.chart is not None:
        svg.figure(name, analysis.chart(value))
    if name == "worst_images":
        frames.section(value, record, None)
    if name == "label_errors":
        crops.section(value, record, None)
    if name == "thresholds":
        msgspec.convert(value["per_class"], type=list[_Best])
    if name == "pr" and not value["iou_thresholds"]:
        raise ValueError("no thresholds")
