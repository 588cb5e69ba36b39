"""Convert a state to NumPy columns of the smallest types and back, for files and for exchange between processes.

A column of the state is a column here. Words of bits are cut into bytes, of which COCO's 40 bits take five, not eight.
"""

from collections.abc import Mapping
from typing import Any

from omniou._inputs.names import NONE, Names
from omniou._lib import backends, host
from omniou.detection._protocol import Protocol
from omniou.detection.curves._state import State
from omniou.detection.matching._matching import words

_INTEGERS = ("classes", "images", "objects_of", "detections_of", "target_labels", "labels", "rows", "rank")


def to_columns(state: State, /) -> dict[str, Any]:
    """Return the arrays of a state by name. The caller keeps protocol, surplus, kind and names."""
    columns = {name: narrowed(_on_host(getattr(state, name))) for name in (*_INTEGERS, "scores")}
    columns |= {name: _on_host(getattr(state, name)) for name in ("outside", "ranges")}
    for number, word in enumerate(words(state.protocol)):
        bits = (word.thresholds.stop - word.thresholds.start) * (word.areas.stop - word.areas.start)
        for name in ("matched", "ignored"):
            columns[f"{name}_{number}"] = _to_bytes(_on_host(getattr(state, name)[number]), -(-bits // 8))
    return columns


def from_columns(
    columns: Mapping[str, Any], /, *, protocol: Protocol, surplus: int, kind: str, names: Names = NONE
) -> State:
    """Return the state that `to_columns` was given, in NumPy. Scores of 64 bits stay a view."""
    np = backends.numpy_namespace()
    long: dict[str, Any] = {name: columns[name].astype(np.int64) for name in _INTEGERS}
    matched, ignored = (
        [_from_bytes(columns[f"{name}_{number}"]) for number in range(len(words(protocol)))]
        for name in ("matched", "ignored")
    )
    return State(
        protocol=protocol,
        **long,
        scores=columns["scores"].astype(np.float64, copy=False),
        outside=columns["outside"],
        ranges=columns["ranges"],
        matched=matched,
        ignored=ignored,
        surplus=surplus,
        kind=kind,
        names=names,
    )


def narrowed(x: Any, /) -> Any:
    """Return a NumPy array in the smallest type that holds its integers, or in float32 if that holds its floats."""
    np = backends.numpy_namespace()
    if x.dtype == np.float64:
        single = x.astype(np.float32)
        return single if (single == x).all() else x
    if x.dtype.kind in "bf":
        return x
    low, high = (int(x.min()), int(x.max())) if x.size else (0, 0)
    kinds = ("u1", "u2", "u4", "i8") if low >= 0 else ("i1", "i2", "i4", "i8")
    return x.astype(next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max))


def _on_host(x: Any) -> Any:
    return host.to_numpy({"x": x})[1]["x"]


def _to_bytes(x: Any, count: int) -> Any:
    """Words (E,) -> their bytes (E, count), the lowest first."""
    np = backends.numpy_namespace()
    return np.ascontiguousarray(x.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :count])


def _from_bytes(x: Any) -> Any:
    """Bytes (E, count) -> words (E,)."""
    np = backends.numpy_namespace()
    wide = np.zeros((len(x), 8), dtype=np.uint8)
    wide[:, : x.shape[1]] = x
    return wide.view("<i8")[:, 0].astype(np.int64)
