"""The two functions that read files of any format."""

import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from omniou._lib import checks, extras, near
from omniou.data import _files, _folders, _formats, _pictures, _recognise
from omniou.data._errors import OptionError
from omniou.data._formats import FORMATS, Reader
from omniou.data._names import Listed, own_ids, renumbered
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, UnknownTruth
from omniou.detection import Detections

if TYPE_CHECKING:
    from omniou._inputs.class_ids import ClassIds

Column = npt.NDArray[Any]


def read_ground_truth(path: Path | str, format: str | None = None, options: Options = DEFAULT) -> GroundTruth:
    """Read a ground truth of any format.

    Parameters
    ----------
    path : path
        A file or a directory.
    format : str, optional
        One of `FORMATS`, such as "coco" or "yolo". Default: as the content tells.
    options : Options
        For what the file itself does not state.

    Returns
    -------
    GroundTruth

    Raises
    ------
    InputError
        The message names the file, the record or line, and the field.
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
    checks.instance("options", options, Options, "Options")
    path = _folders.annotations(_files.checked(path))
    with _files.unpacking(options.max_unpacked):
        return _read_ground_truth(path, format, options)


def _read_ground_truth(path: Path, format: str | None, options: Options) -> GroundTruth:
    _check_format(format)
    name = format or _recognise.ground_truth(path, options.read_kind)
    if options.kind is None:
        options = dataclasses.replace(options, kind=next(iter(_formats.declared(name).made_for), "bbox"))
    _check_choices(options)
    if options.synonyms is not None:
        raise OptionError("`synonyms` is for detections, whose names it maps to the classes of a ground truth")
    if options.scale is not None:
        raise OptionError("`scale` is for detections: read a ground truth of fractions with `boxes` 'rel_xyxy'")
    reader = _formats.declared(name).truth
    _check_fit("truth", name, reader, options)
    for option, fits, why in (
        ("classes", reader.numbered, "do not list their classes themselves"),
        ("class_ids", reader.class_ids, "have ids of categories, 'coco' and 'lvis'"),
        ("difficulty", reader.levels, "have levels of it, 'kitti'"),
        ("subset", reader.subsets, "have subsets, 'activitynet'"),
        ("blocked", reader.subsets, "name videos, 'activitynet'"),
    ):
        if getattr(options, option) is not None and not fits:
            raise OptionError(f"`{option}` is for ground truth of formats that {why}: {name!r} has not")
    read = reader.read if format or reader.recognised is None else reader.recognised
    truth = read(path, options)
    if options.images is not None:
        _pictures.check(options.images, list(truth.image_names.values()))
    own = _formats.OWN_RULES.get("lvis" if format is None and _is_federated(name, truth) else name)
    targets = dataclasses.replace(truth.targets, kind=options.kind, protocol=own)
    truth = dataclasses.replace(truth, kind=options.kind, protocol=own, targets=targets)
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
        The ground truth. It may have another format.
    format : str, optional
        One of `FORMATS`, such as "coco" or "yolo". Default: as the content tells.
    options : Options
        For what the file itself does not state.

    Returns
    -------
    Detections
        For ``omniou.detection.evaluate(truth, detections)``. It keeps its kind, and the format of its boxes.

    Raises
    ------
    InputError, OptionError, MissingLibraryError
        The same as `read_ground_truth`.
    """
    checks.instance("truth", truth, GroundTruth, "a GroundTruth, such as `read_ground_truth` returns it")
    checks.instance("options", options, Options, "Options")
    path = _folders.annotations(_files.checked(path))
    with _files.unpacking(options.max_unpacked):
        _check_format(format)
        of_truth = options.kind is None
        options = dataclasses.replace(options, kind=options.kind or truth.kind or "bbox")
        _check_choices(options)
        name = format or detections_format(path, truth, options.read_kind, missing_scores=options.missing_scores)
        reader = _formats.declared(name).detections
        if of_truth and options.kind not in reader.kinds:
            raise OptionError(
                f"`truth` was read as {options.kind!r}, which {name!r} has not: read it with "
                f"Options(kind={reader.kinds[0]!r})"
            )
        _check_fit("detections", name, reader, options)
        if options.synonyms is not None and not reader.synonyms:
            raise OptionError(f"`synonyms` is for free names of classes, 'language-model': {name!r} has not")
        read = reader.read if options.class_ids is None else functools.partial(_with_class_ids, name)
        return dataclasses.replace(read(path, truth, options), kind=options.kind)


def _with_class_ids(name: str, path: Path, truth: GroundTruth, options: Options) -> Detections[Column]:
    """Read detections whose classes count the categories of the ground truth, in the order of their ids."""
    reader, way = _formats.declared(name).detections, cast("ClassIds", options.class_ids)
    if not reader.class_ids:
        raise OptionError(f"`class_ids` is for detections whose classes may be numbers: {name!r} has names")
    if isinstance(truth, UnknownTruth):
        raise OptionError("`class_ids` needs a ground truth, whose categories the numbers count")
    own = Listed(truth.categories, truth.category_naming)
    counted = renumbered(own, way)
    found = reader.read(
        path, dataclasses.replace(truth, categories=counted.names, category_naming=counted.naming), options
    )
    return dataclasses.replace(found, labels=own_ids(np.asarray(found.labels), own, way))


def ground_truth_format(truth: GroundTruth, kind: str = "bbox") -> str:
    """The name of the format that a ground truth was recognised as, by its content."""
    name = _recognise.ground_truth(truth.path, kind)
    return "lvis" if _is_federated(name, truth) else name


def _is_federated(name: str, truth: GroundTruth) -> bool:
    """Whether a file of COCO's JSON is LVIS's: only the whole file tells."""
    return name == "coco" and truth.targets.negative is not None


def detections_format(path: Path, truth: GroundTruth, kind: str = "bbox", *, missing_scores: bool = False) -> str:
    """The name of the format that detections are recognised as, by their content."""
    return _recognise.detections(_folders.annotations(path), truth, kind, missing_scores=missing_scores)


def check(truth: Path, detections: Path, names: tuple[str | None, str | None] = (None, None)) -> None:
    """Raise MissingLibraryError before any work starts, if what the formats of two paths need is not there."""
    for path, name, which in ((truth, names[0], "truth"), (detections, names[1], "detections")):
        known = name or _recognise.by_start(_folders.annotations(_files.checked(path)))
        library = None if known is None else getattr(_formats.declared(known), which).library
        if library is not None:
            extras.check(library, f"{path}:")


def _check_format(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise OptionError(
            f"`format` must be one of {', '.join(map(repr, FORMATS))}, got {format!r}{near.hint(format, FORMATS)}"
        )


def _check_choices(options: Options) -> None:
    kind = options.read_kind
    if kind != "rotated" and (options.angle_unit != "radians" or not options.clockwise):
        raise OptionError(f"`angle_unit` and `clockwise` are for kind 'rotated', got kind {kind!r}")
    if options.class_ids is not None and options.classes is not None:
        raise OptionError("`class_ids` and `classes` both say what numbers of classes mean: give one of them")
    if options.image_size is not None and (kind == "intervals" or kind in {"boxes3d", "bev"}):
        raise OptionError(f"`image_size` is for shapes in the plane of an image, got kind {kind!r}")
    if options.scale is not None and kind not in {"bbox", "polygons"}:
        raise OptionError(f"`scale` is for kind 'bbox' and 'polygons', got kind {kind!r}")
    if options.scale not in {None, 1} and (order := options.boxes or "").startswith("rel_"):
        way = f"give `boxes` {order.removeprefix('rel_')!r}"
        raise OptionError(f"`boxes` {order!r} reads fractions, and `scale` is {options.scale:g}: {way}")
    for name in ("sigmas", "only_classes", "except_classes"):
        if getattr(options, name) is not None and kind != "keypoints":
            raise OptionError(f"`{name}` is for kind 'keypoints', got kind {kind!r}")
    if options.boxes is not None and options.boxes not in (orders := options.geometry.formats):
        listed = ", ".join(map(repr, orders))
        guess = near.hint(options.boxes, orders)
        raise OptionError(f"`boxes` must be one of {listed} for kind {kind!r}, got {options.boxes!r}{guess}")


def _check_fit(which: Literal["truth", "detections"], name: str, reader: Reader[Any], options: Options) -> None:
    """Raise unless nothing stands in the way of a reader."""
    kind = options.read_kind
    if kind not in reader.kinds:
        having = ", ".join(repr(x.name) for x in _formats.every() if kind in getattr(x, which).kinds)
        raise OptionError(f"`kind` {kind!r} is for formats that have it, {having or 'none'}: {name!r} has not")
    if options.boxes is not None and reader.order is None and not reader.lists:
        raise OptionError(
            f"`boxes` is for formats whose coordinates have no names: {name!r} names them, or has them in one order"
        )
    if reader.library is not None:
        extras.check(reader.library, f"the format {name!r}")
    if options.images is not None:
        extras.check("PIL", "looking up sizes of images")
