"""What the ids of COCO's results mean: by the lists of a whole data set, by file names, or by the numbers in these.

Ultralytics writes the number in the name of a file as `image_id`.
"""

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
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
from omniou.data._formats.file_rows import Place
from omniou.data._names import Coded, Key, Listed, coded, compact, matched
from omniou.data._paths import stem
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


PlaceOf = Callable[[int, str], Place]


def of_files(path: Path, images: Coded, files: Sequence[str | None], truth: GroundTruth, place: PlaceOf) -> Coded:
    """Return the images of rows, by their `file_name`, or by the numbers of files if the ids are unknown.

    A `file_name` that the ground truth knows decides. It may contradict the id only if the id is the file's number.
    """
    if any(files):
        return _named(images, files, truth, place)
    listed = Listed(truth.image_names, truth.image_naming)
    if matched(images.keys, listed, paths=True).known.all():
        return images
    numbered, numbers = _by_number(truth), [key for key in images.keys if isinstance(key, int)]
    if not numbers or not all(map(numbered.get, numbers)):
        return images
    if truth.image_naming.own:
        text = "no ids of the ground truth's images, but the numbers in the names of their files: they are read so"
        finding = Finding(code="image-ids", text=f"image_id has {text}", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
    return images._replace(keys=[numbered.get(key) or key for key in images.keys])


def _named(images: Coded, files: Sequence[str | None], truth: GroundTruth, place: PlaceOf) -> Coded:
    """Images by file name where the ground truth knows the name, otherwise by id."""
    listed = Listed(truth.image_names, truth.image_naming)
    keys = [images.keys[code] for code in images.codes.tolist()]
    pairs = list(dict.fromkeys(zip(keys, files, strict=True)))
    by_id, id_known, _ = matched([key for key, _ in pairs], listed, paths=True)
    by_file, file_known, unclear = matched([file or "" for _, file in pairs], listed, paths=True)
    chosen: dict[tuple[Key, str | None], Key] = {}
    for k, (key, file) in enumerate(pairs):
        named = bool(file) and bool(file_known[k])
        if named and id_known[k] and by_id[k] != by_file[k] and not _is_number_of(key, file or ""):
            row = next(row for row, pair in enumerate(zip(keys, files, strict=True)) if pair == (key, file))
            at = place(row, "image_id")
            fault = f"{key} is the id of {truth.image_names[int(by_id[k])]!r}, and its file_name is {file!r}"
            raise InputError(at.path, f"{fault}: remove the one that is wrong", place=at.place)
        # A name of several images raises below, where the id is no image's either.
        chosen[key, file] = file if file and (named or (k in unclear and not id_known[k])) else key
    return coded(chosen[pair] for pair in zip(keys, files, strict=True))


def _is_number_of(key: Key, file: str) -> bool:
    """Whether an id is the name of the file, as a number where it is one."""
    name = stem(file)
    return str(key) == (str(int(name)) if name.isdecimal() and len(name) < 19 else name)


def _by_number(truth: GroundTruth) -> dict[Key, str]:
    """The number that the name of an image is -> the name; empty where two names are one number."""
    found: dict[Key, str] = {}
    for name in truth.image_names.values():
        word = stem(name)
        if word.isdecimal() and len(word) < 19:
            found[int(word)] = "" if int(word) in found else name
    return found
