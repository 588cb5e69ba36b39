"""Detections as some tools export them: an object as of COCO's ground truth, whose annotations carry scores."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._names import Key, stem
from omniou.data._records import Category, Image

Column = npt.NDArray[Any]
T = TypeVar("T")

LIST = "annotations"
# Bytes in which the first record ends, or has named its score.
_NEAR = 2**16


def is_scored(data: bytes) -> bool:
    """Whether a list starts as one of detections does."""
    return b'"score"' in data[:_NEAR]


class Names(NamedTuple):
    """Names of images and of classes by the ids that a file gives them."""

    images: dict[Key, str]
    categories: dict[Key, str]


NO_NAMES = Names({}, {})


def annotations(path: Path, data: bytes) -> tuple[bytes, Names]:
    """The list of detections in an object, undecoded, and the names that it has."""
    if _json.are_lines(data):
        raise InputError(path, _json.LINES)
    outer = _json.shape_of(data)
    known = outer if isinstance(outer, dict) else {}
    records = bytes(known.get(LIST, b""))
    if not is_scored(records):
        raise InputError(path, f"expected a list of detections, got an object{_what(known)}")
    images, categories = _listed(path, known, "images", Image), _listed(path, known, "categories", Category)
    return records, Names(
        {x.id: x.file_name for x in images if x.file_name is not None},
        {x.id: x.name for x in categories if x.name is not None},
    )


def _listed(path: Path, outer: dict[str, Any], name: str, kind: type[T]) -> list[T]:
    try:
        return msgspec.json.decode(outer.get(name, b"[]"), type=list[kind])  # type: ignore[valid-type]
    except msgspec.DecodeError as error:
        fault, place = _json.fault_of(error)
        raise InputError(path, fault, place=f"{name}{place}") from None


def named(ids: list[Key] | Column, names: dict[Key, str], known: Iterable[str]) -> list[Key] | Column:
    """A column by the names that its file has, where the ground truth has all of these; else as it is."""
    keys: list[Key] = ids.tolist() if isinstance(ids, np.ndarray) else ids
    occurring = set(keys)
    if not occurring <= set(names) or not {stem(names[key]) for key in occurring} <= {stem(name) for name in known}:
        return ids
    return [names[key] for key in keys]


def _what(outer: dict[str, Any]) -> str:
    if "images" in outer and LIST in outer:
        return " of ground truth: are the two files swapped?"
    return f" with {', '.join(map(repr, list(outer)[:5]))}" if outer else ""
