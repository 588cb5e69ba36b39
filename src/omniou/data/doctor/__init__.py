"""The doctor: what is doubtful about a ground truth and detections that can be read, found by reading them otherwise."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.boxes import convert
from omniou.data._findings import Finding
from omniou.data._truth import GroundTruth
from omniou.data.doctor import _boxes, _images, _labels, _rows, _sample
from omniou.data.doctor._boxes_of_file import Boxes
from omniou.data.doctor._readings import reading_of
from omniou.detection import Detections

__all__ = ["diagnose"]

Column = npt.NDArray[Any]

# How many times as many detections are looked at, before they are said to have nothing to do with the objects.
_LARGE = 10


def diagnose(
    truth: GroundTruth,
    detections: Detections[Any] | None = None,
    *,
    formats: tuple[str | None, str | None] = (None, None),
    path: Path | str = "",
) -> list[Finding]:
    """What is doubtful about a ground truth, and about detections in it.

    The numbers are read in each plausible way: boxes in other orders, with axes swapped, as fractions, at another
    scale; classes and images with other numbers. A finding is a reading in which far more detections meet an object
    than in the given one. So poor detectors are not accused: in any other reading they meet still less. Nothing is
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
    Readings are compared on at most 300 images and 3,000 detections, so that the time does not grow with the files;
    negative sides, images without detections and scores are looked for everywhere.

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
    theirs = _file("ground truth", truth, truth.targets, formats[0], str(truth.path))
    found = [*_rows.classes(truth), *_rows.crowds(truth)]
    found += _rows.duplicates("objects", theirs.path, theirs.numbers, truth.targets.labels, truth.targets.images)
    upright = truth.geometry is UPRIGHT
    if detections is None:
        return found + (_of_truth(theirs) if upright else [])
    ours = _file("detections", truth, detections, formats[1], str(path))
    found += [*_rows.scores(detections, ours.path), *_images.without_detections(truth, detections, ours.path)]
    sample = _sample.take(truth, detections, (theirs.numbers, ours.numbers))
    rows = _sample.rows_of(truth, detections, sample)
    found += _rows.duplicates(
        "detections", ours.path, ours.numbers[rows], *(np.asarray(x)[rows] for x in (detections.labels, detections.images, detections.scores))
    )
    if not len(sample.detections.labels):
        return found + (_of_truth(theirs) if upright else [])
    fit, of_boxes = _boxes.compare(sample, theirs, ours)
    if fit is None:
        return of_boxes + found
    of_images = _images.check(truth, sample, fit, ours.path)
    if fit.is_poor and not (of_boxes or of_images):
        large = _sample.take(truth, detections, (theirs.numbers, ours.numbers), times=_LARGE)
        of_images = _images.unrelated(large, _boxes.Readings(large, ours.given, theirs.given).given_fit(), ours.path)
    if not (of_boxes or of_images):
        of_boxes = [x for file in (theirs, ours) for x in file.doubts()]
    return [*of_boxes, *of_images, *_labels.check(truth, np.asarray(detections.labels), sample, fit), *found]


def _of_truth(file: Boxes) -> list[Finding]:
    """What its boxes say by themselves."""
    if units := _boxes.of_one(file, None):
        return [x.finding() for x in units]
    if other := file.other_order():
        text = f"boxes of the {file.what} seem to be {other[0]}, not {file.given}"
        return [Finding(code="boxes-order", text=text, evidence=other[1], hint=file.hint(other[0]), path=file.path)]
    return file.doubts()


def _file(what: str, truth: GroundTruth, table: Any, format: str | None, path: str) -> Boxes:
    """The boxes of a table as they were read."""
    numbers = np.asarray(table.boxes, dtype=np.float64)
    if truth.geometry is UPRIGHT:
        format = format or truth.format
        absolute = format.removeprefix("rel_")
        numbers = numbers if absolute == truth.format else convert(numbers, truth.format, absolute)
    else:
        numbers, format = _sample.corners(truth.geometry, numbers, truth.format), "xyxy"
    ids = np.sort(truth.images)
    sides = np.concatenate([_sample.sides_of(truth), np.full((1, 2), np.nan)])[_sample.places(ids, np.asarray(table.images))]
    option = "--gt-boxes" if what == "ground truth" else "--dt-boxes"
    return Boxes(what, path, option, format, reading_of(format), numbers, sides)
