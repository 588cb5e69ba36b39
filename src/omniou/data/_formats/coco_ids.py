"""Detections as a whole COCO data set, whose own lists say what its ids mean."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib.findings import Finding
from omniou.data import _json
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats.coco_records import CocoCategory, Image
from omniou.data._formats.coco_truth import key_of
from omniou.data._names import Key, Listed, compact, matched
from omniou.data._truth import GroundTruth

Column = npt.NDArray[Any]
Keys: TypeAlias = list[Key] | Column
# Id in the file -> id, or name, in the ground truth.
Meanings: TypeAlias = Mapping[Key, Key]

_WAYS = {"images": "file name", "categories": "name"}


class _Lists(msgspec.Struct):
    """What a data set says of its ids."""

    images: list[Image] | None = None
    categories: list[CocoCategory] | None = None


def meanings(path: Path, data: bytes, truth: GroundTruth) -> tuple[Meanings | None, Meanings | None]:
    """What ids of images and of categories mean by the lists of a file; None where they mean what the truth's do."""
    lists = _json.decode(path, data, _Lists)
    images = {key_of(x.id): x.file_name for x in lists.images or ()}
    categories = {key_of(x.id): x.name for x in lists.categories or ()}
    return (
        _meaning(path, "images", images, Listed(truth.image_names, truth.image_naming)),
        _meaning(path, "categories", categories, Listed(truth.categories, truth.category_naming)),
    )


def _meaning(path: Path, what: str, own: Mapping[Key, str | None], listed: Listed) -> Meanings | None:
    ids, names = list(own), list(own.values())
    if not ids or None in names:
        return None
    match = matched(list(map(str, names)), listed, paths=what == "images")
    if not match.known.any() and not match.unclear:
        return None  # names of another kind than the truth's: ids are all that is left
    found: dict[Key, Key] = {
        id: int(match.ids[k]) if match.known[k] and listed.naming.own else str(names[k]) for k, id in enumerate(ids)
    }
    same = [found[id] == id or (isinstance(id, int) and listed.names.get(id) == found[id]) for id in ids]
    if all(same):  # also where a name occurs twice, which only ids tell apart
        return None
    if all(itertools.compress(same, match.known)):
        return found
    text = f"ids of {what} are read by the file's own list of {what}, which differs from the ground truth's"
    finding = Finding(code=f"own-{what}", text=text, evidence=f"matched by {_WAYS[what]}", path=str(path))
    warnings.warn(InputWarning(finding), stacklevel=2)
    return found


def translated(path: Path, field: str, keys: Keys, meaning: Meanings | None) -> Keys:
    """Keys by what they mean."""
    if meaning is None:
        return keys
    values: Sequence[Key] = keys.tolist() if isinstance(keys, np.ndarray) else keys
    lacking = next((k for k, key in enumerate(values) if key_of(key) not in meaning), None)
    if lacking is not None:
        what = {"image_id": "images", "category_id": "categories"}[field]
        fault = f"{values[lacking]!r} is not among the {what} of this file"
        raise InputError(path, fault, place=f"annotations[{lacking}].{field}")
    return compact([meaning[key_of(key)] for key in values])
