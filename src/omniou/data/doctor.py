"""The doctor: doubts about a ground truth and detections, told by reading them in other ways."""

from pathlib import Path
from typing import Any

from omniou._lib.findings import Finding
from omniou.data._truth import GroundTruth
from omniou.detection import Detections
from omniou.detection.doctor._examine import examine

__all__ = ["diagnose"]


def diagnose(
    truth: GroundTruth,
    detections: Detections[Any] | None = None,
    *,
    formats: tuple[str | None, str | None] = (None, None),
    path: Path | str = "",
) -> list[Finding]:
    """What is doubtful about a ground truth, and about detections in it.

    The numbers are read in each plausible way: boxes in other orders, with axes swapped, as fractions, at another
    scale; classes and images with other numbers. A finding is a reading in which far more detections match an object
    than in the given one. So poor detectors are not accused: in any other reading they match still less. Nothing is
    changed.

    Parameters
    ----------
    truth : GroundTruth
        As `read_ground_truth` returns it.
    detections : Detections, optional
        As `read_detections` returns them. Default: the ground truth is looked at alone.
    formats : (str, str), optional
        The orders of numbers that both files were read by, ``rel_`` included: the hints come from them. Default:
        ``truth.format`` of both.
    path : path
        Of the detections, for the findings.

    Returns
    -------
    list of Finding
        Empty where nothing is doubtful. The codes are listed in the documentation of the doctor.

    Notes
    -----
    Readings are compared on at most 200 images and 1,000 detections. Single boxes that are doubtful, images without
    detections and scores are looked for everywhere.

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
    return examine(truth, detections, formats, str(path))
