"""Boxes of nuScenes' JSON files as columns; a fault is named by file, sample, record and field."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib import near
from omniou.centres import CentreRules
from omniou.centres._tables import shortened
from omniou.data import _json
from omniou.data._errors import InputError

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

    num_pts: int | None = None
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


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SampleColumns:
    """Columns of all boxes of a file, one sample after the other."""

    name: str  # of the field that has them
    tokens: tuple[str, ...]
    samples: Integers  # (N,) places of tokens
    rows: Floats  # (N, 10)
    labels: Integers
    attributes: Integers
    velocities: Floats  # (N, 2)
    points: Integers
    scores: Floats
    relative: Floats  # (N, 2) to the ego vehicle, NaN where the file does not say

    def place(self, row: int, field: str) -> str:
        """Where a row is in the file."""
        first = int(np.searchsorted(self.samples, self.samples[row]))
        return f"{self.name}.{self.tokens[self.samples[row]]}[{row - first}].{field}"


def outer(path: Path) -> SampleFile:
    """The outermost level of a file."""
    data = _json.read(path)
    if b"NaN" in data:
        data = _VELOCITY.sub(lambda x: x[0].replace(b"NaN", b"null"), data)
    try:
        return msgspec.json.decode(data, type=SampleFile)
    except msgspec.ValidationError as error:
        fault, place = _json.fault_of(error)
        if place == "results" and fault == "missing":
            fault = 'missing: a file has {"meta": ..., "results": {sample token: [box, ...]}}'
        raise InputError(path, fault, place=place.replace("[...]", "")) from None
    except (msgspec.DecodeError, RecursionError):
        # This reader names the place of what is no JSON, and of numbers that JSON does not have.
        return _json.decode(path, data, SampleFile)


def boxes(
    path: Path,
    content: Mapping[str, msgspec.Raw],
    kind: type[SampleBox],
    rules: CentreRules | None,
    *,
    name: str = "results",
) -> SampleColumns:
    """Decode the boxes of each sample and check their values; those of racks have no class, and no `rules`."""
    decoder = msgspec.json.Decoder(list[kind])  # type: ignore[valid-type]
    numbers = _NameNumbers(path, rules)
    columns: dict[str, list[Any]] = {x: [] for x in _COLUMNS}
    for number, (token, raw) in enumerate(content.items()):
        try:
            records: list[Any] = decoder.decode(raw)
        except msgspec.ValidationError as error:
            fault, inside = _json.fault_of(error)
            raise InputError(path, fault, place=f"{name}.{token}{inside}") from None
        for k, record in enumerate(records):
            columns["samples"].append(number)
            columns["rows"].append((*record.translation, *record.size, *record.rotation))
            if rules is not None:
                numbers.add(columns, record, token, f"{name}.{token}[{k}]")
        _check_number(path, token, len(records), rules if kind is SampleResult else None)
    arrays = {x: np.asarray(columns[x], dtype=dtype).reshape(shape) for x, (dtype, shape) in _COLUMNS.items()}
    if rules is None:
        size = len(columns["rows"])
        arrays |= {x: np.zeros((size, *shape[1:]), dtype) for x, (dtype, shape) in _COLUMNS.items() if not columns[x]}
    if not np.nan_to_num(arrays["relative"]).any():
        arrays["relative"][:] = np.nan  # the devkit writes 0 before it computes them
    out = SampleColumns(name=name, tokens=tuple(content), **arrays)
    _check_values(path, out)
    return out


# Columns of `SampleColumns`: dtype and shape.
_COLUMNS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "samples": (np.int64, (-1,)),
    "rows": (np.float64, (-1, 10)),
    "labels": (np.int64, (-1,)),
    "attributes": (np.int64, (-1,)),
    "velocities": (np.float64, (-1, 2)),
    "points": (np.int64, (-1,)),
    "scores": (np.float64, (-1,)),
    "relative": (np.float64, (-1, 2)),
}


class _NameNumbers:
    """Numbers classes and attributes by the rules, and reads what only boxes of a class have."""

    def __init__(self, path: Path, rules: CentreRules | None) -> None:
        self._path = path
        self._classes = {} if rules is None else {x: k for k, x in enumerate(rules.names)}
        self._attributes = {"": -1} if rules is None else {"": -1} | {x: k for k, x in enumerate(rules.attributes)}

    def add(self, columns: dict[str, list[Any]], record: Any, token: str, place: str) -> None:
        """Append a record, whose fields of names are checked."""
        if record.sample_token != token:
            fault = f"must be the sample that lists the box, {token!r}, got {record.sample_token!r}"
            raise InputError(self._path, fault, place=f"{place}.sample_token")
        columns["labels"].append(self._number(self._classes, record.detection_name, f"{place}.detection_name"))
        columns["attributes"].append(self._number(self._attributes, record.attribute_name, f"{place}.attribute_name"))
        columns["velocities"].append([np.nan if x is None else x for x in record.velocity])
        columns["relative"].append((record.ego_translation or (np.nan, np.nan))[:2])
        columns["scores"].append(getattr(record, "detection_score", 0.0))
        columns["points"].append(self._points(record, place) if isinstance(record, SampleAnnotation) else -1)

    def _number(self, known: Mapping[str, int], name: str, place: str) -> int:
        if name not in known:
            raise InputError(self._path, f"unknown name {name!r}{near.hint(name, known)}", place=place)
        return known[name]

    def _points(self, record: SampleAnnotation, place: str) -> int:
        if record.num_pts is not None:
            return record.num_pts
        if record.num_lidar_pts is None or record.num_radar_pts is None:
            raise InputError(self._path, _NO_POINTS, place=f"{place}.num_pts")
        return record.num_lidar_pts + record.num_radar_pts


def _check_number(path: Path, token: str, many: int, rules: CentreRules | None) -> None:
    if rules is not None and rules.max_detections is not None and many > rules.max_detections:
        fault = f"at most {rules.max_detections} detections in a sample, got {many}: keep those of the highest scores"
        raise InputError(path, fault, place=f"results.{token}")


def _check_values(path: Path, x: SampleColumns) -> None:
    """Raise for the first number that cannot be meant."""
    faults: dict[str, tuple[Any, str, Any]] = {
        "size": (~(x.rows[:, 3:6] > 0).all(axis=1), "sides must be above 0", x.rows[:, 3:6]),
        "rotation": ((x.rows[:, 6:] == 0).all(axis=1), "a quaternion must not be 0", x.rows[:, 6:]),
        "detection_score": (x.scores < 0, "must be at least 0, ground truth has -1", x.scores),
        "num_pts": (x.points < -1, "must be at least 0, or -1 where it is unknown", x.points),
    }
    for field, (bad, fault, values) in faults.items():
        if bad.any():
            row = int(bad.argmax())
            raise InputError(path, f"{fault}, got {values[row].tolist()}", place=x.place(row, field))


def check_samples(path: Path, name: str, given: Sequence[str], known: Sequence[str], *, all_of_them: bool) -> None:
    """Raise where the samples of a field are not those of the ground truth, and list both sides."""
    asked, there = {*known}, {*given}
    strange = [x for x in given if x not in asked]
    lacking = [x for x in known if x not in there] if all_of_them else []
    parts = []
    if lacking:
        parts.append(f"{len(lacking)} samples of the ground truth are missing: {shortened(lacking)}")
    if strange:
        parts.append(f"{len(strange)} samples are not in the ground truth: {shortened(strange)}")
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
