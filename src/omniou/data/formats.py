"""All formats by name, and the two functions that read any of them."""

import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy.typing as npt

from omniou.data import _darknet, _extras, _files, _recognise
from omniou.data._errors import OptionError
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

__all__ = [
    "DETECTIONS",
    "GROUND_TRUTHS",
    "Reader",
    "check",
    "detections_format",
    "ground_truth_format",
    "read_detections",
    "read_ground_truth",
]

Column = npt.NDArray[Any]
ReadT = TypeVar("ReadT", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True, slots=True)
class Reader(Generic[ReadT]):
    """What reads a format.

    Attributes
    ----------
    read : callable
        Of a path, of the ground truth if it reads detections, and of options.
    ordered : bool
        Whether a box is four numbers without names, so that a file may have another order.
    library : str, optional
        What it needs beside the extra `omniou[cli]`.
    kinds : tuple of str
        What it has, of the kinds that `omniou.detection.evaluate` compares.
    per_image : bool
        Whether it has a file for each image, so that some of them may be chosen.
    levels : bool
        Whether it has levels of difficulty.
    numbered : bool
        Whether a file of names may say what its numbers of classes, or the ids of its names, are.
    """

    read: ReadT
    ordered: bool = False
    library: str | None = None
    kinds: tuple[str, ...] = ("bbox",)
    per_image: bool = False
    levels: bool = False
    numbered: bool = False


def _late(module: str, function: str) -> Callable[..., Any]:
    """A function of a reader, whose module is imported when it is called: a command needs two of them."""

    def read(*args: Any) -> Any:
        return getattr(importlib.import_module(f"omniou.data.{module}"), function)(*args)

    return read


def _truth(module: str) -> Callable[[Path, Options], GroundTruth]:
    return _late(module, "read_ground_truth")


def _detections_reader(module: str) -> Callable[[Path, GroundTruth, Options], Detections[Column]]:
    return _late(module, "read_detections")


_MASKS = ("segm", "boundary")

GROUND_TRUTHS: dict[str, Reader[Callable[[Path, Options], GroundTruth]]] = {
    "coco": Reader(_truth("coco"), ordered=True, kinds=("bbox", *_MASKS, "rotated")),
    "lvis": Reader(_truth("lvis"), ordered=True, kinds=("bbox", *_MASKS, "rotated")),
    "voc": Reader(_truth("voc"), library="defusedxml", per_image=True, numbered=True),
    "text": Reader(_truth("text"), ordered=True, per_image=True, numbered=True),
    "yolo": Reader(_truth("yolo"), ordered=True, kinds=("bbox", *_MASKS), per_image=True, numbered=True),
    "kitti": Reader(_truth("kitti"), per_image=True, levels=True, numbered=True),
    "dota": Reader(_truth("dota"), kinds=("bbox", "rotated", "polygons"), per_image=True, numbered=True),
    "open-images": Reader(_truth("open_images"), numbered=True),
    "parquet": Reader(_truth("parquet"), kinds=("bbox", "rotated", "polygons"), library="pyarrow", numbered=True),
}
"""Readers of ground truth by the names of formats."""

DETECTIONS: dict[str, Reader[Callable[[Path, GroundTruth, Options], Detections[Column]]]] = {
    "coco": Reader(_detections_reader("coco"), ordered=True, kinds=("bbox", *_MASKS, "rotated")),
    "voc": Reader(_detections_reader("voc"), ordered=True),
    "text": Reader(_detections_reader("text"), ordered=True, numbered=True),
    "yolo": Reader(_detections_reader("yolo"), ordered=True, kinds=("bbox", *_MASKS), numbered=True),
    "kitti": Reader(_detections_reader("kitti")),
    "dota": Reader(_detections_reader("dota"), kinds=("bbox", "rotated", "polygons")),
    "open-images": Reader(_detections_reader("open_images")),
    "parquet": Reader(_detections_reader("parquet"), kinds=("bbox", "rotated", "polygons"), library="pyarrow"),
}
"""Readers of detections by the names of formats."""


def read_ground_truth(path: Path | str, format: str | None = None, options: Options = DEFAULT) -> GroundTruth:
    """Read a ground truth of any format.

    Parameters
    ----------
    path : path
        A file or a directory.
    format : str, optional
        One of `GROUND_TRUTHS`. Default: as the content tells.
    options : Options
        What the file does not say itself.

    Returns
    -------
    GroundTruth

    Raises
    ------
    InputError
        Naming the file, the record or line, and the field.
    OptionError
        If the format is unknown, or an option does not fit it.
    MissingLibraryError
        With the install line of what the format needs.

    Examples
    --------
    >>> from omniou import data
    >>> truth = data.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> detections = data.read_detections("docs/examples/coco-val2014-100/detections.json", truth)
    >>> truth.format, truth.targets.boxes.shape, detections.boxes.shape
    ('xywh', (839, 4), (734, 4))
    """
    path = _darknet.labels(_files.checked(path))
    with _files.unpacking(options.max_unpacked):
        return _read_ground_truth(path, format, options)


def _read_ground_truth(path: Path, format: str | None, options: Options) -> GroundTruth:
    recognised = format or _recognise.ground_truth(path)
    # COCO's and LVIS's files take the same options; one is read once, whichever of both it is.
    name = "coco" if recognised == "json" and format is None else recognised
    reader = _ready(GROUND_TRUTHS, name, options)
    for option, fits, why in (
        ("classes", reader.numbered, "do not list their classes themselves"),
        ("difficulty", reader.levels, "have levels of it, 'kitti'"),
    ):
        if getattr(options, option) is not None and not fits:
            msg = f"`{option}` is for ground truth of formats that {why}: {name!r} has not"
            raise OptionError(msg)
    read = reader.read if name == recognised else _late("lvis", "read_coco_or_lvis")
    truth = read(path, options)
    if options.image_set is None or reader.per_image:
        return truth
    from omniou.data import _image_set

    return _image_set.of_images(truth, options)


def read_detections(
    path: Path | str, truth: GroundTruth, format: str | None = None, options: Options = DEFAULT
) -> Detections[Column]:
    """Read detections of any format, in the terms of a ground truth: its ids, and its format and unit of boxes.

    Parameters
    ----------
    path : path
        A file or a directory.
    truth : GroundTruth
        What was detected in. It may have another format.
    format : str, optional
        One of `DETECTIONS`. Default: as the content tells.
    options : Options
        What the file does not say itself.

    Returns
    -------
    Detections
        For ``omniou.detection.evaluate(truth, detections)``.

    Raises
    ------
    InputError, OptionError, MissingLibraryError
        As `read_ground_truth`.
    """
    path = _darknet.labels(_files.checked(path))
    with _files.unpacking(options.max_unpacked):
        name = format or _recognise.detections(path, truth)
        return _ready(DETECTIONS, name, options).read(path, truth, options)


def ground_truth_format(truth: GroundTruth) -> str:
    """The name of the format that a ground truth was recognised as, by its content."""
    name = _recognise.ground_truth(truth.path)
    if name != "json":
        return name
    return "coco" if truth.targets.negative is None else "lvis"


def detections_format(path: Path, truth: GroundTruth) -> str:
    """The name of the format that detections are recognised as, by their content."""
    return _recognise.detections(_darknet.labels(path), truth)


def check(truth: Path, found: Path, names: tuple[str | None, str | None] = (None, None)) -> None:
    """Raise MissingLibraryError before any work starts, if what the formats of two paths need is not there."""
    for path, name, readers in ((truth, names[0], GROUND_TRUTHS), (found, names[1], DETECTIONS)):
        reader = readers.get(name or _recognise.kind(_darknet.labels(_files.checked(path))))
        if reader is not None and reader.library is not None:
            _extras.check(reader.library, f"{path}:")


def _ready(readers: dict[str, Reader[ReadT]], name: str, options: Options) -> Reader[ReadT]:
    """The reader of a format, if nothing stands in its way."""
    if name not in readers:
        msg = f"`format` must be one of {', '.join(map(repr, readers))}, got {name!r}"
        raise OptionError(msg)
    reader = readers[name]
    if options.kind not in reader.kinds:
        having = ", ".join(repr(each) for each, x in readers.items() if options.kind in x.kinds)
        msg = f"`kind` {options.kind!r} is for formats that have it, {having or 'none'}: {name!r} has not"
        raise OptionError(msg)
    if options.kind != "rotated" and (options.angle_unit != "radians" or not options.clockwise):
        msg = f"`angle_unit` and `clockwise` are for kind 'rotated', got kind {options.kind!r}"
        raise OptionError(msg)
    if options.boxes is not None and not reader.ordered:
        msg = f"`boxes` is for formats whose coordinates have no names: {name!r} names them, or has them in one order"
        raise OptionError(msg)
    if options.boxes is not None and options.boxes not in options.geometry.formats:
        known = ", ".join(map(repr, options.geometry.formats))
        msg = f"`boxes` must be one of {known} for kind {options.kind!r}, got {options.boxes!r}"
        raise OptionError(msg)
    if reader.library is not None:
        _extras.check(reader.library, f"the format {name!r}")
    if options.images is not None:
        _extras.check("PIL", "looking up sizes of images")
    return reader
