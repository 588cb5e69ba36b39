"""Match the images of COCO's results by file: Ultralytics writes the number in the file's name as `image_id`."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from omniou._lib.findings import Finding
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats.file_rows import Place
from omniou.data._names import Coded, Key, Listed, coded, matched
from omniou.data._paths import stem
from omniou.data._truth import GroundTruth

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
    """By file names, where the ground truth knows them; else by ids."""
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
