"""COCO's panoptic format: a JSON file with the segments of each image, and a folder of PNG files with their pixels.

The colour of a pixel is the id of its segment, ``red + 256 * green + 65536 * blue``; black is void.
"""

import dataclasses
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib import threads
from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.data import _files, _json, _png, _segment_pixels
from omniou.data._errors import InputError, InputWarning
from omniou.panoptic import PanopticCounts, count_ids

__all__ = ["Annotation", "Category", "Panoptic", "count", "read"]

Key: TypeAlias = int | str
_VOID = 0


class _Segment(msgspec.Struct):
    id: int
    category_id: int
    iscrowd: int | bool = 0


class _Annotation(msgspec.Struct):
    image_id: int | str
    file_name: str
    segments_info: list[_Segment]


class _Category(msgspec.Struct):
    id: int
    isthing: int | bool
    name: str = ""


class _File(msgspec.Struct):
    annotations: list[_Annotation]
    categories: list[_Category] | None = None


class Category(msgspec.Struct, frozen=True):
    """A category: its name, and whether it is a thing that can be counted."""

    name: str
    is_thing: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """The segments of an image.

    Attributes
    ----------
    picture : Path
        The PNG file.
    segments : list of dict
        ``id``, ``category_id`` and ``iscrowd`` of each, as `omniou.panoptic.count_ids` takes them.
    """

    picture: Path
    segments: list[dict[str, int]]

    def ids(self) -> npt.NDArray[np.int32]:
        """The id of the segment of each pixel, shape (height, width); 0 is void."""
        return _png.ids(self.picture)


@dataclasses.dataclass(frozen=True, slots=True)
class Panoptic:
    """A file of COCO's panoptic format.

    Attributes
    ----------
    path : Path
        The JSON file.
    annotations : dict
        Image id -> segments.
    categories : dict or None
        Category id -> name and kind, in the file's order; None where the file has none, as that of predictions may.
    """

    path: Path
    annotations: Mapping[Key, Annotation]
    categories: Mapping[int, Category] | None


def read(path: Path | str, folder: Path | str | None = None) -> Panoptic:
    """Read a file of segments, without the pictures.

    Parameters
    ----------
    path : path
        JSON with "annotations", and "categories" unless it is of predictions.
    folder : path, optional
        Where the PNG files are; by default the path without its ending, as panopticapi has it.

    Returns
    -------
    Panoptic

    Raises
    ------
    InputError
        If the file cannot be read, a field is missing or of the wrong type, or an id occurs twice.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from omniou.data import panoptic
    >>> image = {"image_id": 7, "file_name": "7.png", "segments_info": [{"id": 1, "category_id": 3}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "predictions.json")
    ...     _ = path.write_text(json.dumps({"annotations": [image]}))
    ...     predictions = panoptic.read(path)
    >>> predictions.annotations[7].segments, predictions.annotations[7].picture.parts[-2:]
    ([{'id': 1, 'category_id': 3, 'iscrowd': 0}], ('predictions', '7.png'))
    """
    path = Path(path)
    records = _json.decode(path, _json.read(path), _File)
    pictures = path.with_suffix("") if folder is None else Path(folder)
    annotations: dict[Key, Annotation] = {}
    for number, record in enumerate(records.annotations):
        if record.image_id in annotations:
            raise InputError(path, f"{record.image_id!r} occurs twice", place=f"annotations[{number}].image_id")
        segments = [msgspec.structs.asdict(x) for x in record.segments_info]
        annotations[record.image_id] = Annotation(pictures / record.file_name, segments)
    return Panoptic(path, annotations, _categories(path, records.categories))


def _categories(path: Path, records: list[_Category] | None) -> dict[int, Category] | None:
    if records is None:
        return None
    categories: dict[int, Category] = {}
    for number, record in enumerate(records):
        if record.id in categories:
            raise InputError(path, f"{record.id} occurs twice", place=f"categories[{number}].id")
        categories[record.id] = Category(record.name or str(record.id), bool(record.isthing))
    return categories


def count(
    ground_truth: Panoptic, predictions: Panoptic, *, max_unpacked: int | None = None, **options: Any
) -> PanopticCounts[Any]:
    """Count true positives, false positives and missed segments in all images of the ground truth.

    Parameters
    ----------
    ground_truth, predictions : Panoptic
        The results of `read`. Categories come from the ground truth.
    max_unpacked : int, optional
        Most bytes that a picture may unpack to. Default: 100 times the size of its file, and at least 64 MiB.
    **options
        `unlabelled`, `unpredicted` and `modified` of `omniou.panoptic.count`.

    Returns
    -------
    PanopticCounts
        With the counts of each image as `by_image`.

    Raises
    ------
    InputError
        If an image has no prediction; a picture is missing, no picture of colours, or of another size; or a picture
        and its record do not have the same segments.

    Warns
    -----
    InputWarning
        If there are predictions for images that the ground truth does not have: they are excluded.
    """
    categories = ground_truth.categories
    if not categories:
        raise InputError(ground_truth.path, "missing, or empty", place="categories")
    lacking = [key for key in ground_truth.annotations if key not in predictions.annotations]
    if lacking:
        many = f", and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise InputError(predictions.path, f"no prediction for image {lacking[0]!r}{many}", place="annotations")
    if surplus := len(predictions.annotations) - len(ground_truth.annotations):
        text = f"{counted(surplus, 'images')} excluded: not in {ground_truth.path}"
        finding = Finding(code="unknown-images", text=text, path=str(predictions.path))
        warnings.warn(InputWarning(finding), stacklevel=2)
    kinds: dict[str, Any] = {
        name: [k for k, x in categories.items() if x.is_thing is thing]
        for name, thing in (("things", True), ("stuff", False))
    }

    def one(key: Key) -> PanopticCounts[Any]:
        return _of_image(ground_truth, predictions, key, kinds | options)

    if not ground_truth.annotations:
        none = np.zeros((0, 0), dtype=np.int32)
        return count_ids(none, none, [], [], **kinds, **options)
    jobs = [(key,) for key in ground_truth.annotations]
    # Pillow decodes without holding Python's lock.
    with _files.unpacking(max_unpacked):
        each = threads.mapped(one, jobs, threads=threads.most())
    return dataclasses.replace(sum(each), by_image=dict(zip(ground_truth.annotations, each, strict=True)))


def _of_image(truth: Panoptic, predictions: Panoptic, key: Key, options: dict[str, Any]) -> PanopticCounts[Any]:
    maps: list[npt.NDArray[np.int32]] = []
    files = (truth, predictions)
    for file in files:
        annotation = file.annotations[key]
        ids = annotation.ids()
        if maps:
            _png.same_size(annotation.picture, ids, truth.annotations[key].picture, maps[0])
        maps.append(ids)
    records = [file.annotations[key].segments for file in files]
    try:
        return count_ids(*maps, *records, **options)
    except ValueError:
        for file, ids in zip(files, maps, strict=True):
            _check(file, key, ids, options)
        raise


def outcomes(ground_truth: Panoptic, predictions: Panoptic, key: Key) -> _segment_pixels.PixelOutcomes:
    """Read the two pictures of an image again, and return the outcome of the segments of each pixel."""
    files = [file.annotations[key] for file in (ground_truth, predictions)]
    known = ground_truth.categories or {}
    kinds = {
        name: [k for k, x in known.items() if x.is_thing is thing]
        for name, thing in (("things", True), ("stuff", False))
    }
    return _segment_pixels.outcomes(*(x.ids() for x in files), *(x.segments for x in files), **kinds)


def _check(file: Panoptic, key: Key, ids: npt.NDArray[np.int32], options: dict[str, Any]) -> None:
    """Raise for what does not fit in an image: its record, or the picture."""
    annotation = file.annotations[key]
    known, place = {*options["things"], *options["stuff"]}, f"image {key!r}, segments_info"
    seen = set()
    for segment in annotation.segments:
        if segment["category_id"] not in known:
            raise InputError(file.path, f"unknown category {segment['category_id']} (id {segment['id']})", place=place)
        if segment["id"] in seen or segment["id"] == _VOID:
            fault = "means void" if segment["id"] == _VOID else "occurs twice"
            raise InputError(file.path, f"id {segment['id']} {fault}", place=place)
        seen.add(segment["id"])
    pixels = set(np.unique(ids).tolist()) - {_VOID}
    if lost := sorted(seen - pixels):
        raise InputError(file.path, f"segment {lost[0]} has no pixel in {annotation.picture}", place=place)
    if stray := sorted(pixels - seen):
        raise InputError(annotation.picture, f"segment {stray[0]} is not in {file.path}, {place}")
