"""The doctor: doubts about a ground truth and detections, told by reading them in other ways."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data._findings import Finding
from omniou.data._truth import GroundTruth
from omniou.data.doctor import _boxes, _images, _labels, _rows, _sample
from omniou.data.doctor._boxes_of_file import FileBoxes
from omniou.data.doctor._readings import reading_of
from omniou.data.doctor._sample import Located
from omniou.detection import Detections

__all__ = ["diagnose"]

Column = npt.NDArray[Any]
Files = tuple[FileBoxes, FileBoxes]  # of the ground truth and of the detections

# How many times as many detections are looked at, before they are said to have nothing to do with the objects: what few
# good ones match among many bad ones is seen only so (5 to 20, as in `_readings`).
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
    Readings are compared on at most 200 images and 1,000 detections, so that the time does not grow with the files;
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
    located = _sample.Located.of(truth, detections)
    target_boxes = _boxes_of(
        "ground truth", truth, truth.targets, formats[0], str(truth.path), located.sides_of(located.objects)
    )
    findings = [*_rows.classes(truth), *_rows.crowds(truth)]
    if detections is None:
        findings += _duplicates(target_boxes, truth.targets, slice(None))
    else:
        sides = located.sides_of(located.detections)
        detected_boxes = _boxes_of("detections", truth, detections, formats[1], str(path), sides)
        files = target_boxes, detected_boxes
        findings += _of_rows(truth, detections, located, files)
        if len(located.chosen) and len(detected_boxes.numbers):
            return _of_both(truth, detections, located, files) + findings
    return findings + (_boxes.of_truth(target_boxes) if truth.geometry is UPRIGHT else [])


def _of_rows(truth: GroundTruth, detections: Detections[Any], located: Located, files: Files) -> list[Finding]:
    """What rows and columns say, without a look at overlaps."""
    target_boxes, detected_boxes = files
    rows = [located.rows(x) for x in (located.objects, located.detections)]
    duplicates = _duplicates(detected_boxes, detections, rows[1])
    counts = located.detection_counts
    if duplicates:  # of a file that was written several times, once
        counts = counts * _rows.share_of_first(*_columns(detected_boxes, detections, rows[1]))
    return [
        *_images.without_detections(located.object_counts, counts, detected_boxes.path),
        *_rows.scores(detections, detected_boxes.path),
        *_duplicates(target_boxes, truth.targets, rows[0]),
        *duplicates,
    ]


def _of_both(truth: GroundTruth, detections: Detections[Any], located: Located, files: Files) -> list[Finding]:
    """What overlaps say of boxes, images and classes; of the first that is wrong, the others follow."""
    target_boxes, detected_boxes = files
    tables = truth, detections, located, (target_boxes.numbers, detected_boxes.numbers)
    sample = _sample.take(*tables)
    fit, of_boxes = _boxes.compare(sample, target_boxes, detected_boxes)
    if fit is None:
        return of_boxes
    of_images = _images.check(truth, sample, fit, detected_boxes.path)
    if not (of_boxes or of_images):
        of_boxes = [x for file in files for x in file.inverted()]
    if fit.is_poor and not (of_boxes or of_images):
        large = _sample.take(*tables, times=_LARGE)
        given = _boxes.Readings(large, detected_boxes.given, target_boxes.given).given_fit()
        of_images = _images.unrelated(large, given, detected_boxes.path)
    if not of_images and all(x.code == "boxes-inverted" for x in of_boxes):
        of_boxes += [x for file in files for x in file.beyond()]
    return [*of_boxes, *of_images, *_labels.check(truth, np.asarray(detections.labels), sample, fit)]


def _duplicates(file: FileBoxes, table: Any, rows: Any) -> list[Finding]:
    what = "objects" if file.what == "ground truth" else file.what
    return _rows.duplicates(what, file.path, *_columns(file, table, rows))


def _columns(file: FileBoxes, table: Any, rows: Any) -> list[Column]:
    """All columns that make a row of a file."""
    names = [name for name in ("labels", "images", "scores") if hasattr(table, name)]
    return [file.numbers[rows], *(np.asarray(getattr(table, name))[rows] for name in names)]


def _boxes_of(  # noqa: PLR0917
    what: str, truth: GroundTruth, table: Any, format: str | None, path: str, sides: Column
) -> FileBoxes:
    """The boxes of a table as they were read."""
    numbers = np.asarray(table.boxes, dtype=np.float64)
    if truth.geometry is UPRIGHT:
        format = format or truth.format
        absolute = format.removeprefix("rel_")
        numbers = calls.converted(UPRIGHT, numbers, truth.format, absolute)
    else:
        numbers, format = _sample.corners(truth.geometry, numbers, truth.format), "xyxy"
    option = "--gt-boxes" if what == "ground truth" else "--dt-boxes"
    return FileBoxes(what, path, option, format, reading_of(format), numbers, sides)
