"""`check`: find mistakes in columns and dictionaries, as the doctor does in files."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import array_api_compat as compat

from omniou._catalogue.geometry import Geometry
from omniou._doctor.columns import Column, distinct, np
from omniou._inputs import inputs
from omniou._inputs.dicts import are_dicts, check_unnamed, flatten
from omniou._inputs.ground_truth import GroundTruthLike, as_read, unpacked
from omniou._inputs.inputs import Detections, Targets
from omniou._inputs.keypoints import KeypointShapes
from omniou._inputs.kinds import KindName, settled
from omniou._inputs.names import numbered
from omniou._inputs.shapes import GeometricShapes
from omniou._inputs.tables import of_classes, of_its_images
from omniou._lib import host
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.boxes import INTERVALS
from omniou.detection.doctor import _keypoints as keypoints
from omniou.detection.doctor import _scores
from omniou.detection.doctor._examine import examine
from omniou.detection.doctor._examined import ARRAYS, ExaminedArrays

if TYPE_CHECKING:
    from omniou._inputs.tables import Tables
    from omniou._lib.formats import BoxFormat

# Numbers of a box in two dimensions, and in one.
_CORNERS, _INTERVAL = 4, 2


def check(
    targets: Targets[Any] | GroundTruthLike | Sequence[Mapping[str, Any]],
    detections: Detections[Any] | Sequence[Mapping[str, Any]],
    *,
    kind: KindName | Geometry | None = None,
    format: "BoxFormat | str | None" = None,
    classes: Any = None,
    images: Any = None,
) -> list[Finding]:
    """Look for common mistakes in targets and detections, such as boxes in another format or shifted labels.

    Takes what `evaluate` takes, and raises its errors. The boxes are read in each plausible way: a finding is a
    reading in which far more detections overlap an object than in the given one, so a poor detector has none.

    Parameters
    ----------
    targets : Targets, omniou.data.GroundTruth, or list of dict
        All objects, as `evaluate` takes them.
    detections : Detections, or list of dict
        All detections.
    kind : str, or a geometry
        What is compared, as `evaluate` takes it. Default: the kind that files were read as, else "bbox".
    format : str, optional
        Of both columns of boxes. Default: the first of the geometry, "xyxy".
    classes, images : sequence or array of integers, optional
        What would be evaluated. Default: all that occur.

    Returns
    -------
    list of omniou.data.Finding
        Empty where nothing is doubtful.

    Raises
    ------
    TypeError, ValueError
        The same as `evaluate`.
    ModuleNotFoundError
        Without NumPy, which all of this is computed by.

    Examples
    --------
    Boxes as (x, y, width, height), read as corners:

    >>> import numpy as np
    >>> from omniou import boxes, detection
    >>> corners = np.array([[10 * k, 5 * k, 10 * k + 40, 5 * k + 30] for k in range(1, 21)])
    >>> ones, images = np.ones(20, dtype=int), np.arange(20)
    >>> detections = detection.Detections(
    ...     boxes=boxes.convert(corners, "xyxy", "xywh"), scores=np.linspace(0, 1, 20), labels=ones, images=images
    ... )
    >>> (finding,) = detection.check(detection.Targets(corners, ones, images), detections)
    >>> finding.code, finding.hint
    ('boxes-order', 'omniou.boxes.convert(x, "xywh", "xyxy") for the boxes of the detections')
    """
    kind, format = as_read("kind", kind, targets, detections) or "bbox", as_read("format", format, targets, detections)
    given = unpacked(targets, kind=kind, format=format, classes=classes, images=images, groups=None)
    named = numbered(given.targets, detections, classes=given.classes, images=given.images, groups=None)
    compared = settled(given.kind, given.format, 0.0, None)
    tables = named.targets, named.detections, named.images
    if are_dicts(*tables[:2]):
        check_unnamed(images)
        tables = flatten(*tables[:2], 0, compared)
    names = dict(targets.categories) if isinstance(targets, GroundTruthLike) else dict(named.class_names)
    image_names = getattr(targets, "image_names", named.image_names)
    read = inputs.read(*tables, compared)
    labels = inputs.rising_ids(named.classes, read.targets.labels, read.detections.labels, name="classes", xp=read.xp)
    read = of_classes(of_its_images(read), labels)
    return of_tables(read, names, image_names, _sizes_in(targets, read))


def of_tables(
    tables: "Tables", names: Mapping[int, str], image_names: Mapping[int, str] = {}, sizes: Column | None = None
) -> list[Finding]:
    """What is doubtful about tables that were compared; names of classes and images as far as they are known."""
    of_targets, of_detections = tables.targets, tables.detections
    if isinstance(of_targets.shapes, KeypointShapes):
        scores = _on_host({"scores": of_detections.scores})["scores"]
        return keypoints.check(
            of_targets.shapes.skeleton, _points(of_targets), _points(of_detections)._replace(scores=scores)
        )
    if of_detections.shapes.similar_only:
        scores = _on_host({"scores": of_detections.scores})["scores"]
        return _scores.check(Detections(None, scores, of_detections.labels, of_detections.images), "")
    if _reading(of_targets)[0] is not INTERVALS and (_is_line(of_targets) or _is_line(of_detections)):
        return []
    columns = {"rows": _rows(of_targets), "detected": _rows(of_detections), "images": tables.images}
    columns |= {name: getattr(of_targets, name) for name in ("labels", "crowd", "area")}
    columns |= {"at": of_targets.images, "detected_at": of_detections.images}
    columns |= {"scores": of_detections.scores, "detected_labels": of_detections.labels}
    x = _on_host(columns)
    geometry, format = _reading(of_targets)
    labels = distinct(np.concatenate([x["labels"], x["detected_labels"]]))
    targets = Targets(x["rows"], x["labels"], x["at"], crowd=x["crowd"], area=x["area"])
    known = {int(k): names.get(int(k), str(k)) for k in labels}
    examined = ExaminedArrays(targets, x["images"], known, format, geometry, image_names=image_names, sizes=sizes)
    detections = Detections(x["detected"], x["scores"], x["detected_labels"], x["detected_at"])
    return _doubts(examined, detections) + examine(examined, detections, cures=ARRAYS)


def _points(table: Any) -> keypoints.Points:
    shapes = table.shapes
    columns = {"rows": shapes.rows, "boxes": shapes.boxes, "area": shapes.area, "images": table.images}
    x = _on_host(columns)
    points = x["rows"].reshape(len(x["rows"]), x["rows"].shape[1] // 3, 3)
    return keypoints.Points(points, x["boxes"], x["area"], x["images"])


def _doubts(examined: ExaminedArrays, detections: Detections[Any]) -> list[Finding]:
    """Shapes that a geometry itself doubts, such as polygons that cross themselves; of upright ones more is said."""
    geometry, found = examined.geometry, []
    if geometry is UPRIGHT or geometry.doubts is None:
        return []
    layout = geometry.layout({"format": examined.format})
    for what, table in (("targets", examined.targets), ("detections", detections)):
        rows = np.asarray(table.boxes)
        for words, marked in geometry.doubts(rows.T, layout=layout, xp=np).items():
            if count := int(marked.sum()):
                told = f"{count} of {len(rows)} {what} {words.format(format=examined.format)}"
                found.append(Finding(code="doubtful-shapes", text=told))
    return found


def _sizes_in(truth: Any, tables: "Tables") -> Column | None:
    """Sizes of the images of tables, if a ground truth knows them."""
    sizes = getattr(truth, "sizes", None)
    if sizes is None:
        return None
    ids = _on_host({"images": tables.images})["images"]
    order = np.argsort(truth.images)
    at = order[np.minimum(np.searchsorted(truth.images, ids, sorter=order), len(order) - 1)]
    return np.where((truth.images[at] == ids)[:, None], sizes[at], np.nan)


def _is_line(table: Any) -> bool:
    """Whether boxes have one dimension: their numbers then have only one order."""
    return isinstance(table.shapes, GeometricShapes) and table.shapes.rows.shape[1] == _INTERVAL


def _on_host(columns: Mapping[str, Any]) -> dict[str, Column]:
    return host.to_numpy(dict(columns))[1]


def _rows(table: Any) -> Any:
    """The numbers of shapes as they were given; of masks and of boxes in space the corners of their bounds."""
    shapes, xp = table.shapes, table.shapes.xp
    if _reading(table)[0] is not UPRIGHT or (isinstance(shapes, GeometricShapes) and shapes.rows.shape[1] == _CORNERS):
        return shapes.rows
    low, high, *_ = shapes.bounds(xp.arange(table.labels.shape[0], device=compat.device(table.labels)))
    plane = [low[:2, ...], high[:2, ...]]
    return xp.permute_dims(xp.concat(plane), (1, 0))


def _reading(table: Any) -> tuple[Geometry, str]:
    shapes = table.shapes
    if not isinstance(shapes, GeometricShapes):
        return UPRIGHT, "xyxy"
    geometry, format, *_ = shapes.reading
    return geometry, "xyxy" if geometry is UPRIGHT and shapes.rows.shape[1] != _CORNERS else format
