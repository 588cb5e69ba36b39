"""The state of a detection evaluation as a file: shards that are evaluated apart are merged later.

An uncompressed ``.npz`` archive of plain arrays, never a pickle, with a version and a checksum. A detection takes about
8 bytes with scores of float32 precision, and 12 with those of float64.
"""

import dataclasses
import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data._errors import InputError
from omniou.detection._matching import words
from omniou.detection._protocol import AreaRange, Protocol
from omniou.detection._state import State

__all__ = ["load", "save"]

_KIND, _VERSION = "omniou detection state", 1

_INTEGERS = ("classes", "images", "objects_of", "detections_of", "target_labels", "labels", "rows", "rank")

Column = npt.NDArray[Any]


def save(state: State, path: Path | str) -> None:
    """Write a state, such as `Evaluator.state`, whole or not at all.

    Parameters
    ----------
    state : State
        Of any library; it is written from NumPy.
    path : path
        By custom ending in ``.npz``. A file of that name is replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from omniou import detection
    >>> from omniou.data import states
    >>> evaluator = detection.Evaluator()
    >>> evaluator.update([{"boxes": [[0, 0, 9, 9]], "labels": [1]}],
    ...                  [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.5]}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "shard.npz")
    ...     states.save(evaluator.state, path)
    ...     detection.compute([states.load(path)]).summary["AR1"]
    1.0
    """
    path = Path(path)
    arrays: dict[str, Any] = _packed(state)
    head = {
        "kind": _KIND,
        "version": _VERSION,
        "protocol": dataclasses.asdict(state.protocol),
        "surplus": state.surplus,
        "compared": state.kind,
        "checksum": _checksum(arrays),
    }
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    # Not by `tempfile`, whose files only the owner may read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            np.savez(file, **arrays)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(path: Path | str) -> State:
    """Read what `save` wrote.

    Raises
    ------
    InputError
        If the file cannot be read, is no state, is of a later version, or is damaged.
    """
    path = Path(path)
    try:
        # Opened here, for NumPy leaves a file open that is no archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        head = json.loads(arrays.pop("head").tobytes())
        kind, version, checksum = (head[key] for key in ("kind", "version", "checksum"))
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except Exception as error:  # noqa: BLE001  (an archive can be damaged in many ways, each with an error of its own)
        raise InputError(path, f"not the state of an evaluation, or damaged: {error}") from None
    if kind != _KIND:
        raise InputError(path, f"expected {_KIND!r}, got {kind!r}")
    if version != _VERSION:
        raise InputError(path, f"written by a later omniou: version {version} is not {_VERSION}")
    if _checksum(arrays) != checksum:
        raise InputError(path, "damaged: the checksum does not fit")
    return _unpacked(arrays, _protocol(head["protocol"]), head["surplus"], head["compared"])


def _packed(state: State) -> dict[str, Column]:
    arrays = {name: _narrowed(_on_host(getattr(state, name))) for name in _INTEGERS}
    scores = _on_host(state.scores)
    single = scores.astype(np.float32)
    arrays |= {
        "scores": single if (single == scores).all() else scores,
        "outside": _on_host(state.outside),
        "ranges": _on_host(state.ranges),
    }
    for number, word in enumerate(words(state.protocol)):
        bits = (word.thresholds.stop - word.thresholds.start) * (word.areas.stop - word.areas.start)
        for name in ("matched", "ignored"):
            arrays[f"{name}_{number}"] = _to_bytes(_on_host(getattr(state, name)[number]), -(-bits // 8))
    return arrays


def _unpacked(arrays: Mapping[str, Column], protocol: Protocol, surplus: int, kind: str) -> State:
    long = {name: arrays[name].astype(np.int64) for name in _INTEGERS}
    count = len(words(protocol))
    return State(
        protocol=protocol,
        **long,
        scores=arrays["scores"].astype(np.float64),
        outside=arrays["outside"],
        ranges=arrays["ranges"],
        matched=[_from_bytes(arrays[f"matched_{k}"]) for k in range(count)],
        ignored=[_from_bytes(arrays[f"ignored_{k}"]) for k in range(count)],
        surplus=surplus,
        kind=kind,
    )


def _protocol(fields: dict[str, Any]) -> Protocol:
    return Protocol(**fields | {"area_ranges": [AreaRange(**area) for area in fields["area_ranges"]]})


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


def _checksum(arrays: Mapping[str, Column]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        x = arrays[name]
        digest.update(f"{name} {x.dtype.str} {x.shape}".encode())
        digest.update(np.ascontiguousarray(x).data if x.size else b"")
    return digest.hexdigest()
