"""Convert rows of files to the columns of a ground truth and of detections."""

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou._catalogue.geometry import Geometry
from omniou._lib import backends, indexing
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.boxes import INTERVALS
from omniou.data import _faults, _pictures
from omniou.data._errors import MISSING_SCORES, InputError, InputWarning, OptionError
from omniou.data._formats.known_rows import known_ids, known_or_left_out
from omniou.data._names import Coded, Listed, own_ids, renumbered
from omniou.data._options import Options
from omniou.data._rest import Source, Unread, note, nothing_unread
from omniou.data._truth import GroundTruth, UnknownTruth
from omniou.detection import Detections, Targets

if TYPE_CHECKING:
    from omniou.rle import Masks

Column = npt.NDArray[Any]

# Areas of larger boxes do not fit a float64.
_HUGE = 1e150
_SIZES = "--images or --image-size gives it"


class Place(NamedTuple):
    """Where a value is, for messages."""

    path: Path
    place: str
    record: str = ""  # the id of the record, if it has one


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class FileRows:
    """Shapes as they were read, and how to name the place of each value.

    Attributes
    ----------
    boxes : array, shape (N, K)
        In a format of the geometry.
    fields : sequence of str
        Names of the image, the label, and the K numbers of the shape.
    area : array, shape (N,), optional
        NaN stands for the area of the mask, or of the shape.
    heights : array, shape (N,), optional
        In pixels, where shapes are not in the plane of the image. Default: the heights of their bounds.
    points : array, shape (N, 3K), optional
        Keypoints as x, y and v, in pixels.
    segmentations : sequence, optional
        COCO's, or undecoded; polygons in the unit of the boxes.
    payload : list, optional
        What a function `similarity` is called with, an entry for each row.
    fractions : bool
        Whether vertices are fractions of the image's sides, in a format that has no relative one.
    scale : float, optional
        What coordinates count to in each image, where the format says so, such as 1000; `Options.scale` for others.
    categories : Listed, optional
        What numbers of classes count, where a file of names is given.
    source : Source, optional
        What reads the records again, with the fields that no table has.
    unread : callable
        Names of what is passed over, and which rows have it, in formats without a source.
    """

    images: Coded
    labels: Coded
    boxes: Column
    format: str
    place: Callable[[int, str], Place]
    fields: Sequence[str]
    geometry: Geometry = UPRIGHT
    scores: Column | None = None
    crowd: Column | None = None
    ignore: Column | None = None
    area: Column | None = None
    heights: Column | None = None
    points: Column | None = None
    segmentations: Sequence[Any] | None = None
    payload: list[Any] | None = None
    fractions: bool = False
    scale: float | None = None
    categories: Listed | None = None
    source: Source | None = None
    unread: Unread = nothing_unread

    @property
    def is_relative(self) -> bool:
        """Whether the numbers are fractions of the image's sides."""
        return self.fractions or self.geometry.is_relative(self.format)

    def fault(self, row: int, field: str, what: str) -> InputError:
        """An error in one value."""
        at = self.place(row, field)
        return InputError(at.path, what + at.record, place=at.place)


def truth(
    path: Path,
    rows: FileRows,
    images: Listed,
    categories: Listed,
    options: Options,
    *,
    sizes: Column | None = None,
    pictures: Mapping[str, Path] | None = None,
) -> GroundTruth:
    """The ground truth of objects in these images, of these categories.

    `sizes` has the sizes of images that the format states; `pictures` is where the others may be looked up.
    """
    _check_numbers(rows)
    ids, labels = (
        known_ids(rows, 0, images, path),
        known_ids(rows, 1, renumbered(categories, options.class_ids), path, side="gt"),
    )
    if options.class_ids is not None:
        labels = own_ids(labels, categories, options.class_ids)
    if options.image_size is not None or options.images is not None or rows.is_relative:
        looked_up = dict(_pictures.in_folder(options.images) if pictures is None else pictures)
        sizes = _pictures.sizes_of(list(images.names.values()), sizes, looked_up, options)
    if sizes is not None and np.isnan(sizes).all():
        sizes = None
    order = list(images.names)
    result = GroundTruth(
        path=path,
        targets=Targets(
            *(rows.boxes, labels, ids, rows.crowd, rows.area, rows.ignore),
            keypoints=rows.points,
            payload=rows.payload,
        ),
        images=np.array(order, dtype=np.int64),
        categories=dict(categories.names),
        flagged=np.zeros(len(ids), dtype=bool),
        format=rows.geometry.absolute(rows.format),
        geometry=rows.geometry,
        relative=rows.is_relative and sizes is None,
        image_names=dict(images.names),
        sizes=sizes,
        image_naming=images.naming,
        category_naming=categories.naming,
    )
    absolute = _in_units_of(result, rows, ids)
    masks = _masks_of(result, rows, ids, np.arange(len(ids)))
    _check_sizes(rows, masks, ids, np.arange(len(ids)))
    area = rows.area
    if area is not None and np.isnan(area).any():
        area = np.where(np.isnan(area), areas(absolute, result) if masks is None else masks.area(), area)
    _warn_doubtful(path, absolute, rows)
    note(rows.source, rows.unread, np.arange(len(ids)))
    targets = dataclasses.replace(result.targets, boxes=absolute, area=area, masks=masks, format=result.format)
    return dataclasses.replace(result, targets=targets)


def detections(path: Path, rows: FileRows, truth: GroundTruth, options: Options) -> Detections[Column]:
    """Detections in the objects' terms: ids, format and unit."""
    _check_numbers(rows)
    if options.scale is not None or rows.scale is not None:
        from omniou.data._formats import scale

        rows = scale.as_fractions(rows, options)
    if isinstance(truth, UnknownTruth):
        truth = truth.listed(rows)
    if rows.geometry is not truth.geometry:
        raise OptionError(
            f"detections and objects must be read as one kind, got {rows.geometry.name} and {truth.geometry.name}"
        )
    if truth.geometry is INTERVALS:
        from omniou.data import _video_names as video_names

        videos = video_names.as_in(truth, path, rows.images.keys)
        rows = dataclasses.replace(rows, images=rows.images._replace(keys=videos))
    listed = (
        Listed(truth.image_names, truth.image_naming),
        Listed(truth.categories, truth.category_naming),
    )
    (images, kept), (labels, also_kept) = (known_or_left_out(path, rows, k, x, truth) for k, x in enumerate(listed))
    kept &= also_kept
    absolute = _in_units_of(truth, rows, np.where(kept, images, truth.images[0] if len(truth.images) else 0))
    _warn_doubtful(path, absolute, rows)
    absolute = calls.converted(truth.geometry, absolute, rows.geometry.absolute(rows.format), truth.format)
    if truth.least_height and len(kept):
        heights = _heights(absolute, truth) if rows.heights is None else rows.heights
        _check_heights(path, heights, truth.least_height)
        kept &= heights >= truth.least_height
    masks = _masks_of(truth, rows, images, np.flatnonzero(kept))
    _check_sizes(rows, masks, images, np.flatnonzero(kept), truth.targets)
    note(rows.source, rows.unread, np.flatnonzero(kept))
    some = slice(None) if kept.all() else kept
    if masks is None:
        shapes = absolute[some]
    else:
        shapes = calls.converted(truth.geometry, masks.boxes("xywh"), "xywh", truth.format)
    points = None if rows.points is None else rows.points[some]
    return Detections(
        boxes=shapes,
        scores=None if rows.scores is None else rows.scores[some],
        labels=labels[some],
        images=images[some],
        masks=masks,
        keypoints=points,
        format=truth.format,
        area=None if rows.payload is None or rows.area is None else rows.area[some],
        payload=None if rows.payload is None else list(itertools.compress(rows.payload, kept)),
    )


def with_scores(rows: FileRows, scores: Column, missing: Column, options: Options, field: str = "score") -> FileRows:
    """Rows of detections with their scores (N,), which are missing in some rows: all must have one, or none."""
    count, lacking = len(missing), int(missing.sum())
    if options.missing_scores and count and not lacking:
        raise InputError(rows.place(0, "score").path, f"all {count} detections have a score: remove --missing-scores")
    if lacking == count:
        if not options.missing_scores and count:
            raise rows.fault(0, field, f"missing: {MISSING_SCORES}")
        return dataclasses.replace(rows, scores=None if options.missing_scores else scores)
    if lacking:
        fault = f"missing: {count - lacking} of {count} detections have one. All must, or none"
        raise rows.fault(int(missing.argmax()), field, fault)
    return dataclasses.replace(rows, scores=scores)


def _check_numbers(rows: FileRows) -> None:
    bad = ~(np.abs(rows.boxes) <= _HUGE)  # a comparison with NaN is false, so NaN is bad
    if bad.any():
        for row, k in np.argwhere(bad).tolist():
            value = rows.boxes[row, k]
            expected = f"number within {_HUGE:g}" if np.isfinite(value) else "finite number"
            _faults.keep(rows.fault(row, rows.fields[2 + k], f"expected {expected}, got {value:g}"))
        rows.boxes[bad] = 0
    _check_shapes(rows)
    if rows.scores is not None:
        for row in np.flatnonzero(~np.isfinite(rows.scores)).tolist():
            expected = "number" if np.isnan(rows.scores[row]) else "finite number"
            _faults.keep(rows.fault(row, "score", f"expected {expected}, got {rows.scores[row]:g}"))
    if rows.area is not None:
        for row in np.flatnonzero(np.isinf(rows.area)).tolist():
            _faults.keep(rows.fault(row, "area", "expected finite number, got inf"))


def _check_shapes(rows: FileRows) -> None:
    """What the geometry refuses, such as intervals that end before they begin."""
    if rows.geometry.faults is None:
        return
    layout = rows.geometry.layout({"format": rows.format})
    for words, bad in rows.geometry.faults(rows.boxes.T, layout=layout, xp=backends.numpy_namespace()).items():
        for row in np.flatnonzero(bad).tolist():
            values = ", ".join(f"{x:g}" for x in rows.boxes[row].tolist())
            _faults.keep(rows.fault(row, rows.fields[-1], f"{words}, got {values}"))


def _in_units_of(truth: GroundTruth, rows: FileRows, images: Column) -> Column:
    """Shapes of rows in the unit of the ground truth: pixels, or the sides of the image."""
    if rows.is_relative == truth.relative or not len(rows.boxes):
        return rows.boxes
    if truth.relative:
        fault = f"is in pixels, and the ground truth relative to images of unknown size: {_SIZES}; --dt-scale is for"
        raise rows.fault(0, "box", f"{fault} numbers that count to 1 or 1000 in each image")
    sides = _sizes_of(truth, images)
    unknown = np.flatnonzero(np.isnan(sides).any(axis=1))
    if unknown.size:
        row = int(unknown[0])
        name = truth.image_names[int(images[row])]
        raise rows.fault(row, "box", f"is relative, and the size of image {name!r} is not known: {_SIZES}")
    if rows.fractions:
        return cast("Column", rows.boxes * np.tile(sides[:, ::-1], rows.boxes.shape[1] // 2))
    absolute = rows.geometry.absolute(rows.format)
    return cast("Column", calls.converted(rows.geometry, rows.boxes, rows.format, absolute, image_size=sides))


def _sizes_of(truth: GroundTruth, images: Column) -> Column:
    """Height and width of the images of rows (N, 2), NaN where unknown."""
    if truth.sizes is None:
        return np.full((len(images), 2), np.nan)
    order = np.argsort(truth.images)
    return truth.sizes[order[np.searchsorted(truth.images, images, sorter=order)]]


def _masks_of(truth: GroundTruth, rows: FileRows, images: Column, kept: Column) -> "Masks | None":
    """The masks of some rows, if they were read."""
    if rows.segmentations is None:
        return None
    from omniou.data._formats import segmentations

    sizes = _sizes_of(truth, images[kept])
    chosen = segmentations.some(rows.segmentations, kept)

    def fault(row: int, field: str, what: str) -> InputError:
        return rows.fault(int(kept[row]), field, what)

    return segmentations.read(chosen, sizes, fault, relative=rows.is_relative)


def _check_sizes(
    rows: FileRows, masks: "Masks | None", images: Column, kept: Column, truth: Targets[Column] | None = None
) -> None:
    """Raise for masks of another size than the first of their image: files need not state the sizes of images."""
    if masks is None:
        return
    sizes, groups = masks.sizes, images[kept]
    if truth is not None and truth.masks is not None:
        sizes, groups = np.concatenate([truth.masks.sizes, sizes]), np.concatenate([truth.images, groups])
    before = len(groups) - len(kept)
    again, first = indexing.unlike_first(sizes, groups, xp=np)
    for row, other in zip(again.tolist(), first.tolist(), strict=True):
        if row >= before:
            whose = "the ground truth's masks of the image" if other < before else "another mask of the image"
            what = f"expected the height and width of {whose}, {sizes[other].tolist()}, got {sizes[row].tolist()}"
            _faults.keep(rows.fault(int(kept[row - before]), "segmentation.size", what))


def areas(shapes: Column, truth: GroundTruth) -> Column:
    """Areas (N,) of shapes in the format of a ground truth."""
    columns, layout = shapes.T, truth.geometry.layout({"format": truth.format})
    return cast("Column", truth.geometry.stated_area(columns, layout=layout, xp=backends.numpy_namespace()))


def _check_heights(path: Path, heights: Column, least: float) -> None:
    """Raise if no detection has a height in the image, by which KITTI's difficulty excludes them; warn of some."""
    without = int((heights <= 0).sum())
    if without == len(heights):
        fault = f"none of {without} detections has a 2-D box with a height, by which KITTI's difficulty excludes them"
        raise InputError(path, f"{fault}: write these boxes, or leave --kitti-difficulty out")
    if without:
        text = f"{without} of {len(heights)} detections have no 2-D box and are excluded by KITTI's difficulty"
        finding = Finding(code="boxes-without-height", text=text, hint="write these boxes", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)
    elif len(heights) and heights.max() < least:
        text = f"no detection of {len(heights)} has a height of {least:g} pixels, so KITTI's difficulty excludes all"
        evidence = f"the highest 2-D box has {heights.max():.3g}"
        hint = "write 2-D boxes in pixels, or leave --kitti-difficulty out"
        finding = Finding(code="boxes-without-height", text=text, evidence=evidence, hint=hint, path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=2)


def _heights(shapes: Column, truth: GroundTruth) -> Column:
    geometry, xp = truth.geometry, backends.numpy_namespace()
    layout = geometry.layout({"format": truth.format})
    around = geometry.bounds(geometry.canonical(shapes.T, None, layout=layout, xp=xp), xp=xp)
    return cast("Column", around.high[1] - around.low[1])


def _warn_doubtful(path: Path, shapes: Column, rows: FileRows) -> None:
    """Numbers that were meant otherwise, such as sides that are read as corners, go unnoticed without a warning."""
    if rows.geometry.doubts is None:
        return
    layout = rows.geometry.layout({"format": rows.format})
    for words, marked in rows.geometry.doubts(shapes.T, layout=layout, xp=backends.numpy_namespace()).items():
        if count := int(marked.sum()):
            what = f"{count} of {len(shapes)} {rows.geometry.name} {words.format(format=rows.format)}"
            finding = Finding(code="doubtful-shapes", text=what, path=str(path))
            warnings.warn(InputWarning(finding), stacklevel=2)


def in_radians(boxes: Column, format: Any, options: Options) -> Column:
    """Boxes with angles as all of omniou takes them: in radians, positive from x towards y."""
    if options.angle_unit == "radians" and options.clockwise:
        return boxes
    from omniou import rotated

    return rotated.convert(boxes, format, format, unit=options.angle_unit, clockwise=options.clockwise)
