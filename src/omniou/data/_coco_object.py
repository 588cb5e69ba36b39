"""Detections as some tools export them: an object as of COCO's ground truth, whose annotations carry scores."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._names import Key
from omniou.data._records import Category
from omniou.data._truth import GroundTruth

Column = npt.NDArray[Any]

LIST = "annotations"
# Bytes in which the first record ends, or has named its score.
_NEAR = 2**16


def is_scored(data: bytes) -> bool:
    """Whether a list starts as one of detections does."""
    return b'"score"' in data[:_NEAR]


def annotations(path: Path, data: bytes) -> tuple[bytes, dict[int, str]]:
    """The list of detections in an object, undecoded, and the names of classes that it has."""
    if _json.are_lines(data):
        raise InputError(path, _json.LINES)
    outer = _json.shape_of(data)
    known = outer if isinstance(outer, dict) else {}
    records = bytes(known.get(LIST, b""))
    if not is_scored(records):
        raise InputError(path, f"expected a list of detections, got an object{_what(known)}")
    try:
        categories = msgspec.json.decode(known.get("categories", b"[]"), type=list[Category])
    except msgspec.DecodeError as error:
        fault, place = _json.fault_of(error)
        raise InputError(path, fault, place=f"categories{place}") from None
    return records, {x.id: x.name for x in categories if x.name is not None}


def named(labels: list[Key] | Column, names: dict[int, str], truth: GroundTruth) -> list[Key] | Column:
    """Classes by the names that their file has, where the ground truth has all of these; else as they are."""
    keys: list[Key] = labels.tolist() if isinstance(labels, np.ndarray) else labels
    by_key: dict[Key, Key] = {key: names[key] for key in dict.fromkeys(keys) if isinstance(key, int) and key in names}
    if not set(keys) <= set(by_key) or not set(by_key.values()) <= set(truth.categories.values()):
        return labels
    return [by_key[key] for key in keys]


def _what(outer: dict[str, Any]) -> str:
    if "images" in outer and LIST in outer:
        return " of ground truth: are the two files swapped?"
    return f" with {', '.join(map(repr, list(outer)[:5]))}" if outer else ""
