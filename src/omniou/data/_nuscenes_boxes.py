"""Boxes of nuScenes' JSON files as columns; a fault is named by file, sample, record and field."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib import near
from omniou._lib.brief import counted, shortened
from omniou.centres import CentreRules
from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._formats.coco_records import Id

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Triple = tuple[float, float, float]
# The devkit writes NaN for an unknown velocity, which JSON does not have.
_VELOCITY = re.compile(rb'"velocity"\s*:\s*\[[^\]]*\]')
# Positions of the ego vehicle that a file tells in two ways may differ by this, in metres.
_SAME_PLACE = 1e-3
_NO_POINTS = "missing, or num_lidar_pts and num_radar_pts, which ground truth has; are these the results of a detector?"


class SampleBox(msgspec.Struct, gc=False):
    """What every box has."""

    translation: Triple
    size: Triple
    rotation: tuple[float, float, float, float]


class _NamedBox(SampleBox, kw_only=True, gc=False):
    sample_token: str
    detection_name: str
    velocity: tuple[float | None, float | None]
    attribute_name: str
    ego_translation: Triple | None = None


class SampleAnnotation(_NamedBox, kw_only=True, gc=False):
    """An object."""

    num_pts: Id | None = None
    num_lidar_pts: int | None = None
    num_radar_pts: int | None = None


class SampleResult(_NamedBox, kw_only=True, gc=False):
    """A detection."""

    detection_score: float


class SampleFile(msgspec.Struct):
    """A file whose boxes are not decoded yet."""

    results: dict[str, msgspec.Raw]
    ego_poses: dict[str, Triple] | None = None
    bicycle_racks: dict[str, msgspec.Raw] | None = None
    written: int = 0  # boxes in the text of "results", also boxes of a token that occurs twice


class _Text(msgspec.Struct):
    """The boxes as text."""

    results: msgspec.Raw


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SampleRows:
    """Boxes of a field of a file, one sample after the other."""

    name: str  # of the field
    tokens: tuple[str, ...]
    samples: Integers  # (N,) places of tokens
    rows: Floats  # (N, 10)

    def place(self, row: int, field: str) -> str:
        """Where a row is in the file."""
        first = int(np.searchsorted(self.samples, self.samples[row]))
        return f"{self.name}.{self.tokens[self.samples[row]]}[{row - first}].{field}"


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SampleColumns(SampleRows):
    """All columns of objects or detections."""

    labels: Integers
    attributes: Integers
    velocities: Floats  # (N, 2)
    points: Integers  # -1 of detections
    scores: Floats  # 0 of objects
    relative: Floats  # (N, 2) to the ego vehicle, NaN where the file does not say


def outer(path: Path) -> SampleFile:
    """The outermost level of a file."""
    data = _json.read(path)
    if b"NaN" in data:
        data = _VELOCITY.sub(lambda x: x[0].replace(b"NaN", b"null"), data)
    try:
        out = msgspec.json.decode(data, type=SampleFile)
        out.written = bytes(msgspec.json.decode(data, type=_Text).results).count(b'"detection_name"')
    except msgspec.ValidationError as error:
        fault, place = _json.fault_of(error)
        if place == "results" and fault == "missing":
            fault = 'missing: a file has {"meta": ..., "results": {sample token: [box, ...]}}'
        raise InputError(path, fault, place=place.replace("[...]", "")) from None
    except (msgspec.DecodeError, RecursionError):
        # This reader names the place of what is no JSON, and of numbers that JSON does not have.
        return _json.decode(path, data, SampleFile)
    return out


def racks(path: Path, content: Mapping[str, msgspec.Raw]) -> SampleRows:
    """Boxes without a class, of each sample."""
    name = "bicycle_racks"
    parts = {token: _geometry(records) for token, records in _decoded(path, content, SampleBox, name)}
    out = SampleRows(name, tuple(content), _numbered(parts.values()), _joined(parts.values(), _GEOMETRY))
    _check_geometry(path, out)
    return out


def boxes(
    path: Path, of: SampleFile, kind: type[SampleAnnotation] | type[SampleResult], rules: CentreRules
) -> SampleColumns:
    """Objects or detections of each sample, numbered by the rules."""
    content, name, geometry, numbers = of.results, "results", [], _NameNumbers(path, rules)
    columns: list[dict[str, Any]] = []
    # Each sample becomes arrays at once: a file has millions of boxes, and Python's numbers take ten times the memory.
    for token, records in _decoded(path, content, kind, name):
        _check_number(path, token, len(records), rules if kind is SampleResult else None)
        rows = [numbers.row(x, token, f"{name}.{token}[{k}]") for k, x in enumerate(records)]
        geometry.append(_geometry(records))
        columns.append(dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True)) if rows else {})
        columns[-1] = {x: _array(columns[-1].get(x, ()), *_COLUMNS[x]) for x in _COLUMNS}
    arrays = {x: _joined([part[x] for part in columns], own) for x, own in _COLUMNS.items()}
    if not np.nan_to_num(arrays["relative"]).any():
        arrays["relative"][:] = np.nan  # the devkit writes 0 before it computes them
    out = SampleColumns(name, tuple(content), _numbered(geometry), _joined(geometry, _GEOMETRY), **arrays)
    if lost := of.written - len(out.rows):
        fault = f"{lost} of {of.written} boxes are of a sample that is listed twice: JSON keeps only the last list"
        raise InputError(path, fault, place=name)
    _check_geometry(path, out)
    bad = {
        "detection_score": (out.scores < 0, "must be at least 0, ground truth has -1", out.scores),
        "num_pts": (out.points < -1, "must be at least 0, or -1 where it is unknown", out.points),
    }
    _raise_first(path, out, bad)
    return out


def _decoded(path: Path, content: Mapping[str, msgspec.Raw], kind: type[T], name: str) -> Iterator[tuple[str, list[T]]]:
    """The records of each sample."""
    decoder = msgspec.json.Decoder(list[kind])  # type: ignore[valid-type]
    for token, raw in content.items():
        try:
            yield token, decoder.decode(raw)
        except msgspec.DecodeError as error:
            fault, inside = _json.fault_of(error)
            raise InputError(path, fault, place=f"{name}.{token}{inside}") from None


# Columns of `SampleColumns`: dtype and shape.
_GEOMETRY = (np.float64, (-1, 10))
_COLUMNS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "labels": (np.int64, (-1,)),
    "attributes": (np.int64, (-1,)),
    "velocities": (np.float64, (-1, 2)),
    "points": (np.int64, (-1,)),
    "scores": (np.float64, (-1,)),
    "relative": (np.float64, (-1, 2)),
}


def _array(values: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    return np.asarray(values, dtype=dtype).reshape(shape)


def _joined(parts: Iterable[Any], column: tuple[Any, tuple[int, ...]]) -> Any:
    """Concatenate the rows of all samples. There may be no sample."""
    return np.concatenate([_array((), *column), *parts])


def _numbered(parts: Iterable[Any]) -> Integers:
    """The place of the sample of each row."""
    lengths = [len(part) for part in parts]
    return np.repeat(np.arange(len(lengths)), lengths)


def _geometry(records: Sequence[SampleBox]) -> Floats:
    rows: Floats = _array([(*x.translation, *x.size, *x.rotation) for x in records], *_GEOMETRY)
    return rows


class _NameNumbers:
    """Numbers classes and attributes by the rules, and reads what only boxes of a class have."""

    def __init__(self, path: Path, rules: CentreRules) -> None:
        self._path = path
        self._classes = {x: k for k, x in enumerate(rules.names)}
        self._attributes = {"": -1} | {x: k for k, x in enumerate(rules.attributes)}

    def row(self, record: SampleAnnotation | SampleResult, token: str, place: str) -> tuple[Any, ...]:
        """The values of `_COLUMNS` of a record, whose names are checked."""
        if record.sample_token != token:
            fault = f"must be the sample that lists the box, {token!r}, got {record.sample_token!r}"
            raise InputError(self._path, fault, place=f"{place}.sample_token")
        return (
            self._number(self._classes, record.detection_name, place, "detection_name"),
            self._number(self._attributes, record.attribute_name, place, "attribute_name"),
            [np.nan if x is None else x for x in record.velocity],
            self._points(record, place) if isinstance(record, SampleAnnotation) else -1,
            record.detection_score if isinstance(record, SampleResult) else 0.0,
            (record.ego_translation or (np.nan, np.nan))[:2],
        )

    def _number(self, known: Mapping[str, int], name: str, place: str, field: str) -> int:
        if name not in known:
            raise InputError(self._path, f"unknown name {name!r}{near.hint(name, known)}", place=f"{place}.{field}")
        return known[name]

    def _points(self, record: SampleAnnotation, place: str) -> int:
        if record.num_pts is not None:
            return record.num_pts
        if record.num_lidar_pts is None or record.num_radar_pts is None:
            raise InputError(self._path, _NO_POINTS, place=f"{place}.num_pts")
        return record.num_lidar_pts + record.num_radar_pts


def _check_number(path: Path, token: str, many: int, rules: CentreRules | None) -> None:
    if rules is not None and rules.max_detections is not None and many > rules.max_detections:
        fault = f"at most {rules.max_detections} detections in a sample, got {many}: keep the best"
        raise InputError(path, fault, place=f"results.{token}")


def _check_geometry(path: Path, x: SampleRows) -> None:
    """Raise for the first box that cannot be meant."""
    sizes, rotations = x.rows[:, 3:6], x.rows[:, 6:]
    bad = {
        "size": (~(sizes > 0).all(axis=1), "sides must be above 0", sizes),
        "rotation": ((rotations == 0).all(axis=1), "a quaternion must not be 0", rotations),
    }
    _raise_first(path, x, bad)


def _raise_first(path: Path, x: SampleRows, faults: Mapping[str, tuple[Any, str, Any]]) -> None:
    """Raise for the first bad row of a field. `faults`: field -> (booleans (N,), what is wrong, values)."""
    for field, (bad, fault, values) in faults.items():
        if bad.any():
            row = int(bad.argmax())
            raise InputError(path, f"{fault}, got {values[row].tolist()}", place=x.place(row, field))


def check_samples(path: Path, name: str, given: Sequence[str], known: Sequence[str], *, all_of_them: bool) -> None:
    """Raise if the samples of a field differ from the ground truth's, and list both."""
    asked, there = {*known}, {*given}
    strange = [x for x in given if x not in asked]
    lacking = [x for x in known if x not in there] if all_of_them else []
    parts = []
    if lacking:
        parts.append(f"{counted(len(lacking), 'samples')} of the ground truth missing: {shortened(lacking)}")
    if strange:
        parts.append(f"{counted(len(strange), 'samples')} not in the ground truth: {shortened(strange)}")
    if parts:
        way = "; list every sample, those without detections with []" if lacking else ""
        raise InputError(path, "; ".join(parts) + way, place=name)


def ego_positions(path: Path, of: SampleFile, x: SampleColumns) -> Floats:
    """(S, 2) where the ego vehicle is in each sample: as "ego_poses" say, or a box of it; NaN where nothing does."""
    out = np.full((len(x.tokens), 2), np.nan)
    if of.ego_poses is not None:
        check_samples(path, "ego_poses", list(of.ego_poses), x.tokens, all_of_them=True)
        return np.asarray([of.ego_poses[token][:2] for token in x.tokens], dtype=np.float64).reshape(-1, 2)
    known = np.flatnonzero(~np.isnan(x.relative[:, 0]))[::-1]
    out[x.samples[known]] = x.rows[known, :2] - x.relative[known]
    return out


def from_ego(path: Path, x: SampleColumns, ego: Floats) -> Floats:
    """(N, 2) positions relative to the ego vehicle: as the boxes say, or from its position in the sample (S, 2)."""
    said = ~np.isnan(x.relative[:, 0])
    computed = x.rows[:, :2] - ego[x.samples]
    apart = said & (np.abs(computed - x.relative) > _SAME_PLACE).any(axis=1)
    if apart.any():
        row = int(apart.argmax())
        fault = f"contradicts the ego position of the sample, by which it is {computed[row].tolist()}"
        raise InputError(path, f"{x.relative[row].tolist()} {fault}", place=x.place(row, "ego_translation"))
    out = np.where(said[:, None], x.relative, computed)
    if (bad := np.isnan(out).any(axis=1)).any():
        fault = (
            "missing, or 0 in all boxes, and nothing else tells where the ego vehicle is: "
            'add "ego_poses" to the ground truth'
        )
        raise InputError(path, fault, place=x.place(int(bad.argmax()), "ego_translation"))
    return out
