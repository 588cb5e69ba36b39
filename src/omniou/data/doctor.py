"""The doctor: find common mistakes in a ground truth and detections, by trying other ways to read them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._catalogue.shape_calls import converted
from omniou._lib import checks
from omniou._lib.findings import Finding
from omniou.data._truth import GroundTruth
from omniou.detection import Detections
from omniou.detection.doctor._examine import examine

if TYPE_CHECKING:
    from omniou.detection.doctor._keypoints import Points

__all__ = ["diagnose"]

# Findings of the doctor of boxes that also hold for detections of keypoints.
_OF_IMAGES = frozenset({"images-mixed", "images-shifted"})


def diagnose(
    truth: GroundTruth,
    detections: Detections[Any] | None = None,
    *,
    formats: tuple[str | None, str | None] = (None, None),
    path: Path | str = "",
    scale: float | None = None,
) -> list[Finding]:
    """Find common mistakes in a ground truth and detections.

    The doctor tries each plausible reading of the numbers: boxes in other orders, with swapped axes, as fractions, at
    another scale; classes and images with other numbers. It reports a reading in which far more detections match an
    object than in the given one. It does not report poor detectors, whose detections match less in other readings.
    The input stays unchanged.

    Parameters
    ----------
    truth : GroundTruth
        The result of `read_ground_truth`.
    detections : Detections, optional
        The result of `read_detections`. Default: check only the ground truth.
    formats : (str, str), optional
        The box formats that both files were read with, including ``rel_``: the hints use them. Default:
        ``truth.format`` for both.
    path : path
        The path of the detections, for the findings.
    scale : float, optional
        The `scale` of `Options` that the detections were read with.

    Returns
    -------
    list of Finding
        Empty if there is nothing to report. The documentation of the doctor lists the codes.

    Notes
    -----
    Readings are compared on at most 200 images and 1,000 detections. Doubtful boxes, doubtful scores and missing
    detections are searched in all images.

    Examples
    --------
    Detections whose boxes are corners, read as (x, y, width, height):

    >>> import dataclasses
    >>> from omniou import boxes, data
    >>> truth = data.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> detections = data.read_detections("docs/examples/coco-val2014-100/detections.json", truth)
    >>> data.diagnose(truth, detections)
    []
    >>> corners = boxes.convert(detections.boxes, "xywh", "xyxy")
    >>> for finding in data.diagnose(truth, dataclasses.replace(detections, boxes=corners)):
    ...     print(finding.code, "|", finding.hint)
    boxes-order | --dt-boxes xyxy
    """
    checks.instance("truth", truth, GroundTruth, "a GroundTruth")
    checks.instance("detections", detections, Detections | None, "Detections")
    if len(checks.items("formats", formats, "two names of formats")) != 2:
        raise ValueError(f"`formats` must be two names of formats, got {formats!r}")
    if scale is not None:
        scale = checks.number("scale", scale, above=0.0)
    if truth.skeleton is None:
        return examine(truth, detections, formats, str(path), scale=scale)
    objects = _points(truth, truth.targets, str(truth.path))
    found = None if detections is None else _points(truth, detections, str(path))
    from omniou.detection.doctor import _keypoints

    of_boxes = examine(truth, None, formats)
    if detections is not None:  # boxes around points are smaller than objects, but tell their images
        of_boxes += [x for x in examine(truth, detections, formats, str(path)) if x.code in _OF_IMAGES]
    return [*of_boxes, *_keypoints.check(truth.skeleton, objects, found)]


def _points(truth: GroundTruth, table: Any, path: str) -> "Points":
    boxes = converted(truth.geometry, np.asarray(table.boxes, dtype=np.float64), truth.format, "xywh")
    rows = np.asarray(table.keypoints, dtype=np.float64)
    points = rows.reshape(len(rows), rows.shape[1] // 3, 3)
    area, scores = getattr(table, "area", None), getattr(table, "scores", None)
    area = boxes[:, 2] * boxes[:, 3] if area is None else np.asarray(area)
    if isinstance(table, Detections):
        points = np.concatenate([points[:, :, :2], np.ones_like(points[:, :, :1])], axis=2)
    elif truth.skeleton is not None and truth.skeleton.box_area is not None:
        area = boxes[:, 2] * boxes[:, 3] * truth.skeleton.box_area
    from omniou.detection.doctor._keypoints import Points

    order = np.argsort(truth.images)
    at = order[np.searchsorted(truth.images, np.asarray(table.images), sorter=order)]
    return Points(
        points=points,
        boxes=boxes,
        area=area,
        images=np.asarray(table.images),
        path=path,
        scores=None if scores is None else np.asarray(scores),
        sides=None if truth.sizes is None else truth.sizes[at][:, ::-1],
    )
