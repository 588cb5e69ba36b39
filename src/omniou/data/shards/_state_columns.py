"""The columns of a state with a head that says what they are, and a checksum; and back."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._inputs.named import Names
from omniou.data.shards import _state_checks as checks
from omniou.detection._protocol import Protocol
from omniou.detection.curves._plain import from_columns, to_columns
from omniou.detection.curves._state import State

KIND, VERSION = "omniou detection state", 2

Column = npt.NDArray[Any]


class NoStateError(ValueError):
    """What is not a state, or none that this version reads."""


def packed(state: State) -> tuple[dict[str, Any], dict[str, Column]]:
    """The head, with a checksum, and the columns by name."""
    columns = to_columns(state)
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
            **({"image_groups": dict(names.image_groups)} if names.image_groups else {}),
        },
    }
    return head | {"checksum": _checksum(head, columns)}, columns


def unpacked(head: Mapping[str, Any], columns: Mapping[str, Column]) -> State:
    """The state of what `packed` returned.

    Raises
    ------
    NoStateError
        If it is something else, or is of a later version, is damaged, or does not fit together.
    """
    kind, version, checksum = (head[key] for key in ("kind", "version", "checksum"))
    if kind != KIND:
        raise NoStateError(f"expected {KIND!r}, got {kind!r}")
    if version not in range(1, VERSION + 1):
        raise NoStateError(f"written by a later omniou: version {version} is not {VERSION} or lower")
    # The first version had no names, and its checksum was that of the columns alone.
    protected = {} if version == 1 else {name: x for name, x in head.items() if name != "checksum"}
    if _checksum(protected, columns) != checksum:
        raise NoStateError("damaged: the checksum does not fit")
    try:
        known = msgspec.convert(head, type=_StateHead, str_keys=True)
    except msgspec.ValidationError as error:
        raise NoStateError(_UNFIT.format(error)) from None
    if fault := checks.fault_of_columns(columns, known.protocol):
        raise NoStateError(_UNFIT.format(fault))
    names = Names(**msgspec.structs.asdict(known.names))
    state = from_columns(columns, protocol=known.protocol, surplus=known.surplus, kind=known.compared, names=names)
    if fault := checks.fault_of_values(state):
        raise NoStateError(_UNFIT.format(fault))
    return state


_UNFIT = "damaged: {}"


class _Names(msgspec.Struct):
    classes: dict[int, str] = {}
    images: dict[int, str] = {}
    counted: bool = False
    groups: dict[str, list[int]] = {}
    image_groups: dict[str, list[int]] = {}


class _StateHead(msgspec.Struct):
    """What a head must have in addition to its kind, version and checksum."""

    protocol: Protocol
    surplus: int
    compared: str
    names: _Names = msgspec.field(default_factory=_Names)


def _checksum(head: Mapping[str, Any], columns: Mapping[str, Column]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    if head:
        digest.update(json.dumps(head, sort_keys=True).encode())
    for name in sorted(columns):
        x = columns[name]
        digest.update(f"{name} {x.dtype.str} {x.shape}".encode())
        digest.update(np.ascontiguousarray(x).data if x.size else b"")
    return digest.hexdigest()
