"""Images of the answers of language models: fields of a record that name one, and whether the ground truth has it."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.data import _names
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats import phrases
from omniou.data._names import Key, Listed
from omniou.data._truth import GroundTruth, UnknownTruth

FIELDS = ("image", "file_name", "filename", "image_path", "img", "image_id", "images")
"""Fields of a record that may name its image; ms-swift writes a list."""


def field_of(record: Any) -> str:
    """Return the field of a record that names its image; empty if there is none."""
    return next((x for x in FIELDS if x in record), "") if isinstance(record, dict) else ""


def named_in(record: Mapping[str, Any], field: str) -> Any:
    """Return what a field has as the image: of a list, its only entry, which may be an object with a path."""
    value = record.get(field)
    if field == "images" and isinstance(value, list) and len(value) == 1:
        (value,) = value
        return value.get("path") if isinstance(value, dict) else value
    return value


def check_once(answers: Sequence[Any], images: Sequence[Key]) -> None:
    """Raise for the second answer of an image, or of its phrase; boxes with an image of their own may share it."""
    first: dict[tuple[Key, str], Any] = {}
    for answer, image in zip(answers, images, strict=True):
        before = first.setdefault((image, answer.phrase), answer)
        if before is not answer and not (before.is_detection and answer.is_detection):
            where = before.place.strip(",. ") or before.file.name
            way = f"keep one answer, or name the phrase of each in the field {phrases.FIELDS[0]}"
            raise answer.fault(f"{answer.image!r} is already the image of {where}: {way}")


def check(path: Path, answers: Sequence[Any], truth: GroundTruth) -> None:
    """Raise for a record that names two images, and for an image that has an answer by its name and one by its id.

    Warn of images without an answer: a run of the model that ended early has lower numbers, and no error. Warn of
    answers to other images.
    """
    if isinstance(truth, UnknownTruth):
        return
    named = _names.coded(x.image for x in answers)
    listed = Listed(truth.image_names, truth.image_naming)
    match = _names.matched(named.keys, listed, paths=True)
    ids, known = match.ids[named.codes].tolist(), match.known[named.codes]
    _check_other_names([x for x in zip(answers, ids, known.tolist(), strict=True) if x[2]], truth, listed)
    if all(x.is_detection for x in answers):
        return
    rows = np.flatnonzero(known).tolist()
    check_once([answers[row] for row in rows], [ids[row] for row in rows])
    texts = {}
    if count := len(truth.images) - len({ids[row] for row in rows}):
        text = f"{count} of {len(truth.images)} images have no answer, and count as images without detections"
        texts["images-without-answer"] = text
    if (count := len(answers) - len(rows)) and listed.naming.complete:
        which = shortened([key for key, has_image in zip(named.keys, match.known, strict=True) if not has_image])
        texts["unknown-images"] = f"{count} of {len(answers)} answers excluded: {which} not among the images of "
        texts["unknown-images"] += str(truth.path)
    for code, text in texts.items():
        warnings.warn(InputWarning(Finding(code=code, text=text, path=str(path))), stacklevel=3)


def _check_other_names(rows: Sequence[tuple[Any, int, bool]], truth: GroundTruth, listed: Listed) -> None:
    """Raise for a record whose other names, or whose id, stand for another image than its first name."""
    others = [(answer, id, field, name) for answer, id, _ in rows for field, name in answer.others.items()]
    column = _names.coded(name for *_, name in others)
    match = _names.matched(column.keys, listed, paths=True)
    for (answer, id, field, name), code in zip(others, column.codes.tolist(), strict=True):
        if not match.known[code] or match.ids[code] == id or (isinstance(name, int) and not listed.naming.own):
            continue
        both = f"names {answer.image!r} and has {field} {name!r}"
        fault = f"{both}, which are two images of {truth.path}: remove one of the fields"
        raise InputError(answer.file, fault, place=answer.named)
