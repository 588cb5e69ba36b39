"""The columns of a state with a head that says what they are, and a checksum; and back.

A checksum also fits columns that no evaluation makes: `fault_of_columns` and `fault_of_values` find these.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._inputs.names import Names
from omniou.detection._protocol import Protocol
from omniou.detection.curves._plain import from_columns, to_columns
from omniou.detection.curves._state import State
from omniou.detection.matching._matching import words

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
        If it is something else, or is of another version, is damaged, or does not fit together.
    """
    kind, version, checksum = (head[key] for key in ("kind", "version", "checksum"))
    if kind != KIND:
        raise NoStateError(f"expected {KIND!r}, got {kind!r}")
    if version != VERSION:
        raise NoStateError(f"written by another omniou: version {version} is not {VERSION}")
    if _checksum({name: x for name, x in head.items() if name != "checksum"}, columns) != checksum:
        raise NoStateError("damaged: the checksum does not fit")
    try:
        known = msgspec.convert(head, type=_StateHead, str_keys=True)
    except msgspec.ValidationError as error:
        raise NoStateError(_UNFIT.format(error)) from None
    if fault := fault_of_columns(columns, known.protocol):
        raise NoStateError(_UNFIT.format(fault))
    names = Names(**msgspec.structs.asdict(known.names))
    state = from_columns(columns, protocol=known.protocol, surplus=known.surplus, kind=known.compared, names=names)
    if fault := fault_of_values(state):
        raise NoStateError(_UNFIT.format(fault))
    return state


_UNFIT = "damaged: {}"


class _Names(msgspec.Struct):
    classes: dict[int, str]
    images: dict[int, str]
    counted: bool
    groups: dict[str, list[int]]
    image_groups: dict[str, list[int]] = {}


class _StateHead(msgspec.Struct):
    """What a head must have in addition to its kind, version and checksum."""

    protocol: Protocol
    surplus: int
    compared: str
    names: _Names


def _checksum(head: Mapping[str, Any], columns: Mapping[str, Column]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(head, sort_keys=True).encode())
    for name in sorted(columns):
        x = columns[name]
        digest.update(f"{name} {x.dtype.str} {x.shape}".encode())
        digest.update(np.ascontiguousarray(x).data if x.size else b"")
    return digest.hexdigest()


_PER_IMAGE = ("images", "objects_of", "detections_of")
_PER_OBJECT = ("target_labels", "ranges")
_PER_DETECTION = ("scores", "labels", "outside")
_PER_MATCH = ("rows", "rank")


def fault_of_columns(columns: Mapping[str, Column], protocol: Protocol) -> str:
    """What is wrong with the names, types and shapes of the columns; empty if nothing."""
    flat = ("classes", *_PER_IMAGE, *_PER_OBJECT, *_PER_DETECTION, *_PER_MATCH)
    wide = [f"{name}_{number}" for name in ("matched", "ignored") for number in range(len(words(protocol)))]
    for name in (*flat, *wide):
        if name not in columns:
            return f"the column {name!r} is missing"
        x, (kinds, dimensions) = (
            columns[name],
            ("f", 1) if name == "scores" else ("iu", 1) if name in flat else ("u", 2),
        )
        if x.dtype.kind not in kinds or x.ndim != dimensions or (dimensions == 2 and not 1 <= x.shape[1] <= 8):
            return f"the column {name!r} has {x.dtype} of shape {x.shape}"
        if name in {"outside", "ranges"} and x.dtype == np.int8:  # bytes of bits, which are never signed
            return f"the column {name!r} has {x.dtype}"
    for names in (_PER_IMAGE, _PER_OBJECT, _PER_DETECTION, (*_PER_MATCH, *wide)):
        sizes = {name: len(columns[name]) for name in names}
        if len(set(sizes.values())) > 1:
            return f"the columns {', '.join(names)} have {', '.join(map(str, sizes.values()))} rows"
    return ""


def fault_of_values(state: State) -> str:
    """What is wrong with the values; empty if nothing."""
    return next((words for words, wrong in _checks(state) if wrong), "")


def _checks(state: State) -> Iterator[tuple[str, bool]]:
    classes, images, matches = len(state.classes), len(state.images), len(state.rows)
    every = (1 << len(state.protocol.area_ranges)) - 1
    yield "`classes` or `images` do not rise", _falls(state.classes) or _falls(state.images)
    for name, rows in (("objects_of", state.target_labels), ("detections_of", state.scores)):
        counts = getattr(state, name)
        yield f"`{name}` does not add up to {len(rows)}", bool((counts < 0).any()) or int(counts.sum()) != len(rows)
    for name, most in (("target_labels", classes - 1), ("labels", classes - 1), ("ranges", every), ("outside", every)):
        yield f"`{name}` is out of its range", _leaves(getattr(state, name), most)
    yield "`scores` are not numbers", bool(np.isnan(state.scores).any())
    yield (
        "`rows` do not rise, or are out of their range",
        _falls(state.rows) or _leaves(state.rows, len(state.scores) - 1),
    )
    most_in_image = state.detections_of[np.repeat(np.arange(images), state.detections_of)[state.rows]]
    yield "`rank` is out of its range", matches > 0 and bool(((state.rank < 0) | (state.rank >= most_in_image)).any())
    yield "`surplus` is negative", state.surplus < 0
    yield from _checks_of_bits(state)


def _checks_of_bits(state: State) -> Iterator[tuple[str, bool]]:
    objects, labels = np.asarray(state.objects), state.labels[state.rows]
    for word, matched, ignored in zip(words(state.protocol), state.matched, state.ignored, strict=True):
        thresholds = word.thresholds.stop - word.thresholds.start
        bits = thresholds * (word.areas.stop - word.areas.start)
        yield "`matched` has bits of no threshold", _leaves(matched, (1 << bits) - 1)
        yield "`ignored` has bits that `matched` has not", bool((ignored & ~matched).any())
        for area in range(word.areas.start, word.areas.stop):
            hit = ((matched & ~ignored) >> ((area - word.areas.start) * thresholds)) & 1
            hits = np.bincount(labels[hit != 0], minlength=len(state.classes))
            yield "more detections match than there are objects", bool((hits > objects[:, area]).any())


def _falls(x: Column) -> bool:
    return bool((x[1:] <= x[:-1]).any())


def _leaves(x: Column, most: int) -> bool:
    """Whether some are below 0 or above `most`."""
    return x.size > 0 and (int(x.min()) < 0 or int(x.max()) > most)
