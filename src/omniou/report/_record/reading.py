"""Read a record from JSON, and check it: an error names the first fault and its place in one line."""

import math
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from omniou.detection import AreaRange, Protocol
from omniou.report._record import charts, galleries, shapes
from omniou.report._record.parts import Group

_CHARTS: dict[Any, Any] = {x.__name__: x for x in get_args(charts.Drawable)}
_Number = float | None
_NOT_NUMBERS = {"id", "name", "objects"}
_LARGEST = 2**63 - 1


def read(text: str | bytes, type_: type[Any], schema: int, /) -> Any:
    """Read a record of a type and a schema version, see `Record.from_json`."""
    data = text.encode() if isinstance(text, str) else text
    try:
        value = msgspec.json.decode(data)
        head = msgspec.convert(value, _Head)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"`text` must be the JSON of a record: {error}") from None
    if head.comparison:
        raise ValueError(
            "`text` is a comparison that `omniou compare --format json` wrote: records are the elements in it"
        )
    if head.schema is None:
        raise ValueError("`text` is no record that `omniou eval --format json` wrote")
    if head.schema != schema:
        raise ValueError(f"`text` must be a record of schema {schema}, got one of schema {head.schema}")
    try:
        record = _made(value, type_)
        for place, words in _faults(record):
            raise ValueError(f"`text` must be the JSON of a record: {words} - at `$.{place}`")
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"`text` must be the JSON of a record: {error}") from None
    return record


class _Head(msgspec.Struct):
    """Fields that distinguish a record from other JSON."""

    schema: Any = None
    comparison: Any = None


class _Declared(msgspec.Struct):
    """The declaration of a group in JSON; its rows are elsewhere, under its key."""

    key: str
    title: str
    columns: tuple[str, ...] = ()
    heading: str = "name"
    printed: bool = True


class _Groups(msgspec.Struct):
    groups: list[_Declared] = msgspec.field(default_factory=list)
    charts: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)


def _made(value: dict[str, Any], type_: type[Any]) -> Any:
    """Make the record; JSON members that are neither fields nor rows of a group become details."""
    declared = msgspec.convert(value, _Groups)
    fields = set(type_.__dataclass_fields__)
    keys = [x.key for x in declared.groups]
    if clash := next((x for x in keys if x in fields or keys.count(x) > 1), None):
        raise msgspec.ValidationError(f"expected a key of its own, got {clash!r} - at `$.groups`")
    rows = {key: _within(key, value.get(key), _Rows) for key in keys}
    own = {name: x for name, x in value.items() if name in fields - {"groups", "charts"}}
    if isinstance(own.get("summary"), dict):  # earlier records have no words
        own.setdefault("words", dict.fromkeys(own["summary"], ""))
    details = {name: x for name, x in value.items() if name not in fields and name not in rows}
    record = msgspec.convert(own | {"details": details}, type_)
    groups = [Group(rows=rows[x.key], **msgspec.structs.asdict(x)) for x in declared.groups]
    for group in groups:
        _check_rows(group)
    drawn = {name: _chart(name, x) for name, x in declared.charts.items()}
    for name, x in (("groups", groups), ("charts", drawn)):
        object.__setattr__(record, name, x)
    return record


_Rows = list[dict[str, str | int | float | bool | None]]


def _within(place: str, value: Any, type_: Any) -> Any:
    """Convert a value to a type; errors name its place."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        told, _, where = str(error).partition(" - at `$")
        raise msgspec.ValidationError(f"{told} - at `$.{place}{where or '`'}") from None


def _check_rows(group: Group) -> None:
    first = list(group.rows[0]) if group.rows else []
    for k, row in enumerate(group.rows):
        if not isinstance(row.get("name"), str):
            got = "null" if row.get("name") is None else type(row["name"]).__name__
            raise msgspec.ValidationError(f"Expected `str`, got `{got}` - at `$.{group.key}[{k}].name`")
        if list(row) != first:
            raise msgspec.ValidationError(f"expected the fields of the first row - at `$.{group.key}[{k}]`")
    if group.rows and (unknown := [x for x in group.columns if x not in first]):
        raise msgspec.ValidationError(f"rows have no {unknown[0]!r} - at `$.groups`")


def _chart(name: str, value: dict[str, Any]) -> charts.Drawable:
    known = value.get("type")
    if not isinstance(known, str) or known not in _CHARTS:
        raise msgspec.ValidationError(f"expected one of {', '.join(_CHARTS)} - at `$.charts.{name}.type`")
    chart = _within(f"charts.{name}", value, _CHARTS[known])
    if fault := charts.fault_of(chart):
        raise msgspec.ValidationError(f"{fault} - at `$.charts.{name}`")
    return chart


class _ClassRow(msgspec.Struct):
    """A class of detections; `_faults_of_classes` checks its numbers by the names of the summary."""

    id: int
    name: str
    objects: int


class _Area(msgspec.Struct):
    name: str
    low: float
    objects: int
    high: _Number
    AP: _Number
    AR: _Number


class _Range(msgspec.Struct):
    """An area range of a protocol; JSON has no infinity."""

    name: str
    low: float
    suffix: str
    high: _Number


class _Rules(msgspec.Struct):
    name: str | None
    iou_thresholds: list[float]
    recall_points: list[float]
    area_ranges: list[_Range]
    max_detections: list[int | None]


class _OfDetections(msgspec.Struct):
    """Fields of detections whose types in `Record` are too general to check."""

    per_class: list[_ClassRow]
    areas: list[_Area]
    protocol: _Rules


def _faults(record: Any) -> Iterator[tuple[str, str]]:
    if not record.summary:
        yield "summary", "no numbers"
        return
    if unknown := [name for name in record.words if name not in record.summary]:
        yield "words", f"{unknown[0]!r} is not among the numbers of `summary`"
    if any(x < 0 for x in record.counts.values()):
        yield "counts", "expected no negative number"
    yield from _faults_of_size(record)
    for k, table in enumerate(record.tables):
        if any(len(row) != len(table.headings) for row in table.rows):
            yield f"tables[{k}]", "rows of different lengths"
    yield from (
        (f"galleries.{name}", fault) for name, x in record.galleries.items() if (fault := galleries.fault_of(x))
    )
    if record.intervals is not None:
        yield from _faults_of_intervals(record.intervals)
    if isinstance(record.protocol, dict):
        yield from _faults_of_detections(record)
    elif record.analyses or record.areas:
        yield "analyses" if record.analyses else "areas", "only detections have these"


def _faults_of_size(record: Any) -> Iterator[tuple[str, str]]:
    """Name where an integer is larger than any count: JSON has integers of any size, and floats end earlier."""
    rows = [(f"{group.key}[{k}]", row) for group in record.groups for k, row in enumerate(group.rows)]
    gates = {str(k): gate.value for k, gate in enumerate(record.gates)}
    for place, numbers in (("summary", record.summary), ("counts", record.counts), ("gates", gates), *rows):
        if any(isinstance(x, int) and abs(x) > _LARGEST for x in numbers.values()):
            yield place, "a number is out of range"


def _faults_of_detections(record: Any) -> Iterator[tuple[str, str]]:
    whole = {"per_class": record.per_class, "areas": record.areas, "protocol": record.protocol}
    plain = msgspec.convert(whole, _OfDetections)
    for name in ("images", "categories", "annotations", "crowds", "detections"):
        if name not in record.counts:
            yield "counts", f"missing {name!r}"
            return
    yield from _faults_of_classes(record)
    if not record.areas:
        yield "areas", "no area range"
    for k, area in enumerate(plain.areas):
        if area.high is not None and area.high < area.low:
            yield f"areas[{k}]", "expected low <= high"
    ranges = [
        AreaRange(x.name, x.low, math.inf if x.high is None else x.high, x.suffix) for x in plain.protocol.area_ranges
    ]
    given = {x: v for x, v in whole["protocol"].items() if x in Protocol.__slots__}
    try:
        Protocol(**given | {"area_ranges": ranges})
    except (TypeError, ValueError) as error:
        yield "protocol", str(error)
        return
    yield from shapes.faults_of(record.analyses, len(record.per_class), list(record.summary))


def _faults_of_intervals(drawn: Any) -> Iterator[tuple[str, str]]:
    if not (0 < drawn.confidence < 1 and drawn.seed >= 0):
        yield "intervals", "expected a confidence between 0 and 1, and a seed of at least 0"
    for name, number in drawn.numbers.items():
        if len(number.samples) not in {0, drawn.samples}:  # a page leaves them out
            yield f"intervals.numbers.{name}.samples", f"expected {drawn.samples} samples, got {len(number.samples)}"


def _faults_of_classes(record: Any) -> Iterator[tuple[str, str]]:
    for k, row in enumerate(record.per_class):
        if record.head not in row:
            yield f"per_class[{k}]", f"expected {record.head!r}"
        for name, value in row.items():
            if name in _NOT_NUMBERS:
                continue
            if name not in record.summary:
                yield f"per_class[{k}].{name}", "not among the numbers of `summary`"
            elif value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                yield f"per_class[{k}].{name}", f"expected a number or null, got {value!r}"
