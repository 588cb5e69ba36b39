"""The doctor: what is doubtful about a ground truth and detections, found by reading them in other ways."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data._findings import Finding
from omniou.data._truth import GroundTruth
from omniou.data.doctor import _boxes, _images, _labels, _rows, _sample
from omniou.data.doctor._boxes_of_file import Boxes
from omniou.data.doctor._readings import reading_of
from omniou.data.doctor._sample import Located
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
    theirs = _boxes_of(
        "ground truth", truth, truth.targets, formats[0], str(truth.path), located.sides_of(located.objects)
    )
    found = [*_rows.classes(truth), *_rows.crowds(truth)]
    if detections is None:
        found += _duplicates(theirs, truth.targets, slice(None))
    else:
        ours = _boxes_of("detections", truth, detections, formats[1], str(path), located.sides_of(located.detections))
        found += _of_rows(truth, detections, located, theirs, ours)
        if len(located.chosen) and len(ours.numbers):
            return _of_both(truth, detections, located, theirs, ours) + found
    return found + (_boxes.of_truth(theirs) if truth.geometry is UPRIGHT else [])


def _of_rows(
    truth: GroundTruth, detections: Detections[Any], located: Located, theirs: Boxes, ours: Boxes
) -> list[Finding]:
    """What rows and columns say, without a look at overlaps."""
    rows = [located.rows(x) for x in (located.objects, located.detections)]
    duplicates = _duplicates(ours, detections, rows[1])
    # Of a file that was written several times, once.
    once = (
        located.found if not duplicates else located.found * _rows.share_of_first(*_columns(ours, detections, rows[1]))
    )
    return [
        *_images.without_detections(located.counts, once, ours.path),
        *_rows.scores(detections, ours.path),
        *_duplicates(theirs, truth.targets, rows[0]),
        *duplicates,
    ]


def _of_both(
    truth: GroundTruth, detections: Detections[Any], located: Located, theirs: Boxes, ours: Boxes
) -> list[Finding]:
    """What overlaps say of boxes, images and classes; of the first that is wrong, the others follow."""
    tables = truth, detections, located, (theirs.numbers, ours.numbers)
    sample = _sample.take(*tables)
    fit, of_boxes = _boxes.compare(sample, theirs, ours)
    if fit is None:
        return of_boxes
    of_images = _images.check(truth, sample, fit, ours.path)
    files = theirs, ours
    if not (of_boxes or of_images):
        of_boxes = [x for file in files for x in file.inverted()]
    if fit.is_poor and not (of_boxes or of_images):
        large = _sample.take(*tables, times=_LARGE)
        of_images = _images.unrelated(large, _boxes.Readings(large, ours.given, theirs.given).given_fit(), ours.path)
    if not of_images and all(x.code == "boxes-inverted" for x in of_boxes):
        of_boxes += [x for file in files for x in file.beyond()]
    return [*of_boxes, *of_images, *_labels.check(truth, np.asarray(detections.labels), sample, fit)]


def _duplicates(file: Boxes, table: Any, rows: Any) -> list[Finding]:
    what = "objects" if file.what == "ground truth" else file.what
    return _rows.duplicates(what, file.path, *_columns(file, table, rows))


def _columns(file: Boxes, table: Any, rows: Any) -> list[Column]:
    """All columns that make a row of a file."""
    names = [name for name in ("labels", "images", "scores") if hasattr(table, name)]
    return [file.numbers[rows], *(np.asarray(getattr(table, name))[rows] for name in names)]


def _boxes_of(  # noqa: PLR0917
    what: str, truth: GroundTruth, table: Any, format: str | None, path: str, sides: Column
) -> Boxes:
    """The boxes of a table as they were read."""
    numbers = np.asarray(table.boxes, dtype=np.float64)
    if truth.geometry is UPRIGHT:
        format = format or truth.format
        absolute = format.removeprefix("rel_")
        numbers = calls.converted(UPRIGHT, numbers, truth.format, absolute)
    else:
        numbers, format = _sample.corners(truth.geometry, numbers, truth.format), "xyxy"
    option = "--gt-boxes" if what == "ground truth" else "--dt-boxes"
    return Boxes(what, path, option, format, reading_of(format), numbers, sides)
