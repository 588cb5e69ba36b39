"""A state as plain arrays in their smallest types, with a head that says what they are; and back."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.detection._protocol import AreaRange, Protocol
from omniou.detection.curves._state import State
from omniou.detection.inputs._named import Names
from omniou.detection.matching._matching import words

KIND, VERSION = "omniou detection state", 2

_INTEGERS = ("classes", "images", "objects_of", "detections_of", "target_labels", "labels", "rows", "rank")

Column = npt.NDArray[Any]


class NoStateError(ValueError):
    """What is no state, or none that this version reads."""


def packed(state: State) -> tuple[dict[str, Any], dict[str, Column]]:
    """The head, with a checksum, and the columns by name."""
    columns = _columns(state)
    names = state.names
    head = {
        "kind": KIND,
        "version": VERSION,
        "protocol": dataclasses.asdict(state.protocol),
        "surplus": state.surplus,
        "compared": state.kind,
        "names": {
            "classes": {str(id): name for id, name in names.classes.items()},
            "images": {str(id): name for id, name in names.images.items()},
            "counted": names.counted,
            "groups": dict(names.groups),
        },
    }
    return head | {"checksum": _checksum(head, columns)}, columns


def unpacked(head: Mapping[str, Any], columns: Mapping[str, Column]) -> State:
    """The state of what `packed` returned.

    Raises
    ------
    NoStateError
        If it is something else, or is of a later version, or is damaged.
    """
    kind, version, checksum = (head[key] for key in ("kind", "version", "checksum"))
    if kind != KIND:
        msg = f"expected {KIND!r}, got {kind!r}"
        raise NoStateError(msg)
    if version not in range(1, VERSION + 1):
        msg = f"written by a later omniou: version {version} is not {VERSION} or lower"
        raise NoStateError(msg)
    # The first version had no names, and its checksum was that of the columns alone.
    protected = {} if version == 1 else {name: x for name, x in head.items() if name != "checksum"}
    if _checksum(protected, columns) != checksum:
        msg = "damaged: the checksum does not fit"
        raise NoStateError(msg)
    fields = head["protocol"]
    protocol = Protocol(**fields | {"area_ranges": [AreaRange(**area) for area in fields["area_ranges"]]})
    return _state(columns, protocol, head["surplus"], head["compared"], _names(head.get("names", {})))


def _columns(state: State) -> dict[str, Column]:
    columns = {name: _narrowed(_on_host(getattr(state, name))) for name in _INTEGERS}
    scores = _on_host(state.scores)
    single = scores.astype(np.float32)
    columns |= {
        "scores": single if (single == scores).all() else scores,
        "outside": _on_host(state.outside),
        "ranges": _on_host(state.ranges),
    }
    for number, word in enumerate(words(state.protocol)):
        bits = (word.thresholds.stop - word.thresholds.start) * (word.areas.stop - word.areas.start)
        for name in ("matched", "ignored"):
            columns[f"{name}_{number}"] = _to_bytes(_on_host(getattr(state, name)[number]), -(-bits // 8))
    return columns


def _state(columns: Mapping[str, Column], protocol: Protocol, surplus: int, kind: str, names: Names) -> State:
    long: dict[str, Any] = {name: columns[name].astype(np.int64) for name in _INTEGERS}
    count = len(words(protocol))
    return State(
        protocol=protocol,
        **long,
        scores=columns["scores"].astype(np.float64, copy=False),
        outside=columns["outside"],
        ranges=columns["ranges"],
        matched=[_from_bytes(columns[f"matched_{k}"]) for k in range(count)],
        ignored=[_from_bytes(columns[f"ignored_{k}"]) for k in range(count)],
        surplus=surplus,
        kind=kind,
        names=names,
    )


def _names(head: Mapping[str, Any]) -> Names:
    classes, images = ({int(id): name for id, name in head.get(what, {}).items()} for what in ("classes", "images"))
    return Names(classes, images, head.get("counted", False), head.get("groups", {}))


def _on_host(x: Any) -> Column:
    return np.asarray(x.cpu() if hasattr(x, "cpu") else x)


def _narrowed(x: Column) -> Column:
    """Integers in the smallest type that holds them."""
    if not x.size:
        return x.astype(np.uint8)
    low, high = int(x.min()), int(x.max())
    kinds = ("u1", "u2", "u4", "i8") if low >= 0 else ("i1", "i2", "i4", "i8")
    return x.astype(next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max))


def _to_bytes(x: Column, count: int) -> Column:
    """(E,) -> (E, count), the lowest first."""
    return np.ascontiguousarray(x.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :count])


def _from_bytes(x: Column) -> Column:
    wide = np.zeros((len(x), 8), dtype=np.uint8)
    wide[:, : x.shape[1]] = x
    return wide.view("<i8")[:, 0].astype(np.int64)


def _checksum(head: Mapping[str, Any], columns: Mapping[str, Column]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    if head:
        digest.update(json.dumps(head, sort_keys=True).encode())
    for name in sorted(columns):
        x = columns[name]
        digest.update(f"{name} {x.dtype.str} {x.shape}".encode())
        digest.update(np.ascontiguousarray(x).data if x.size else b"")
    return digest.hexdigest()
