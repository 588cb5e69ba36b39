"""The order of the checks: a fault that is found first explains the others."""

import dataclasses
from typing import Any

from omniou._catalogue import shape_calls as calls
from omniou._doctor.columns import Column, np
from omniou._inputs.inputs import Detections
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.boxes import INTERVALS
from omniou.detection.doctor import (
    _boxes,
    _images,
    _labels,
    _mixed,
    _quality,
    _rows,
    _sample,
    _scores,
    _turned,
)
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._examined import FILES, Cures, Examined
from omniou.detection.doctor._readings import reading_of
from omniou.detection.doctor._sample import Located

Files = tuple[FileBoxes, FileBoxes]  # of the ground truth and of the detections

# How many times as many detections are looked at, before they are said to have nothing to do with the objects: what few
# good ones match among many bad ones is seen only so (5 to 20, as in `_readings`).
_LARGE = 10


def examine(
    truth: Examined,
    detections: Detections[Any] | None,
    formats: tuple[str | None, str | None] = (None, None),
    path: str = "",
    cures: Cures = FILES,
    *,
    scale: float | None = None,
    only_readings: bool = False,
) -> list[Finding]:
    """The findings; `formats` are the formats that both were read with, `path` is the path of the detections.

    `scale`: what the coordinates of the detections were said to count to.

    `only_readings`: of overlaps, only other readings of all boxes are tried; images and single boxes take most time.
    """
    if detections is not None and detections.scores is None:
        at_once = dataclasses.replace(detections, scores=np.ones(len(np.asarray(detections.labels))))
        found = examine(truth, at_once, formats, path, cures, scale=scale, only_readings=only_readings)
        # Boxes without scores are most often a language model's, which writes whole numbers.
        return [x for x in found if x.code not in {"scores-equal", "boxes-rounded"}]
    if truth.geometry is INTERVALS:
        from omniou.detection.doctor import _intervals

        return _intervals.examine(truth, detections, path, cures)
    located = Located.of(truth, detections)
    sides = located.sides_of(located.objects)
    target_boxes = _boxes_of("ground truth", truth, truth.targets, formats[0], str(truth.path), sides, cures)
    findings = [*_rows.classes(truth), *_rows.crowds(truth), *_duplicates(target_boxes, truth.targets, slice(None))]
    if detections is not None:
        sides = located.sides_of(located.detections)
        detected_boxes = _boxes_of("detections", truth, detections, formats[1], path, sides, cures)
        detected_boxes = dataclasses.replace(detected_boxes, scale=scale)
        files = target_boxes, detected_boxes
        findings += _of_rows(detections, located, files)
        if len(located.chosen) and len(detected_boxes.numbers):
            of_both = _of_both(truth, detections, located, files, only_readings=only_readings)
            return _without_copies(of_both + findings)
    if truth.geometry is not UPRIGHT:
        return findings
    of_boxes = _boxes.of_truth(target_boxes) or _of_single(truth, located, (target_boxes,))
    return _without_copies(of_boxes + findings)


def _without_copies(findings: list[Finding]) -> list[Finding]:
    """Exact duplicates are near copies, too: one finding is enough."""
    exact = {x.path for x in findings if x.code == "duplicates"}
    return [x for x in findings if x.code != "near-copies" or x.path not in exact]


def _of_rows(detections: Detections[Any], located: Located, files: Files) -> list[Finding]:
    """What rows and columns say of detections, without a look at overlaps."""
    _, detected_boxes = files
    rows = located.rows(located.detections)
    copies = _duplicates(detected_boxes, detections, rows)
    counts = located.detection_counts
    if copies:  # of a file that was written several times, once
        counts = counts * _rows.share_of_first(*_columns(detected_boxes, detections, rows))
    return [
        *_images.without_detections(located.object_counts, counts, detected_boxes.path),
        *_scores.check(detections, detected_boxes.path, detected_boxes.cures),
        *copies,
    ]


def _of_both(
    truth: Examined, detections: Detections[Any], located: Located, files: Files, *, only_readings: bool
) -> list[Finding]:
    """What overlaps say of boxes, images and classes; of the first that is wrong, the others follow."""
    target_boxes, detected_boxes = files
    tables = truth, detections, located, (target_boxes.numbers, detected_boxes.numbers)
    sample = _sample.take(*tables)
    if truth.geometry is UPRIGHT:
        sample = _boxes.as_written(sample, *files)
    readings = _boxes.Readings(sample, detected_boxes.given, target_boxes.given)
    if truth.geometry is UPRIGHT:
        fit, of_boxes = _of_upright(truth, located, files, readings)
    else:
        from omniou.detection.doctor import _shapes

        of_boxes = _shapes.findings(truth, detections, located, detected_boxes.path)
        if of_boxes:  # not boxes around misread shapes
            return of_boxes
        fit, of_boxes = readings.given_fit(), []
        if not _is_spatial(truth):
            fit, of_boxes = _boxes.other_scale(readings, *files)
    if fit is None or only_readings:
        return of_boxes
    of_images = _images.check(truth, sample, fit, detected_boxes.path)
    if fit.is_poor and not (of_boxes or of_images):
        large = _sample.take(*tables, times=_LARGE)
        given = _boxes.Readings(large, detected_boxes.given, target_boxes.given).given_fit()
        of_images = _images.unrelated(large, given, detected_boxes.path)
    # Metres are not rounded to whole ones, and the boxes around masks are whole pixels by nature.
    is_exact = _is_spatial(truth) or detections.masks is not None
    if not (of_boxes or of_images):
        of_boxes = [
            *_of_single(truth, located, files),
            *_quality.copies(detected_boxes, detections, located.rows(located.detections)),
            *([] if is_exact else _quality.rounded(target_boxes, detected_boxes)),
            *_scores.cut_off(detections, sample, fit, detected_boxes.path),
        ]
    labels = np.asarray(detections.labels)
    return [*of_boxes, *of_images, *_labels.check(truth, labels, sample, fit, detected_boxes.cures)]


def _of_upright(
    truth: Examined, located: Located, files: Files, readings: _boxes.Readings
) -> tuple[_boxes.Fit | None, list[Finding]]:
    """The fit of the reading of boxes that is meant, and what is found if that is not the given one."""
    sample, given = readings.sample, readings.given_fit()
    fit, found = _boxes.compare(sample, *files)
    relative = files[0].is_relative, files[1].is_relative
    if turned := _turned.by_matches(sample, given, relative):
        return given, [turned.finding(truth, located)]
    if fit is not None and found and found[0].code == "boxes-scale":
        found = _mixed.scales(readings, given, fit, files[1], found[0]) or found
    if fit is not None and not found:
        found = _mixed.orders(readings, fit, *files) or _boxes.in_both(readings, *files)
    return fit, found


def _of_single(truth: Examined, located: Located, files: tuple[FileBoxes, ...]) -> list[Finding]:
    """Single boxes that are doubtful while the rest are read right: boxes of the ground truth first."""
    copies = _quality.copies(files[0], truth.targets, slice(None))
    if _is_spatial(truth):  # metres, and volumes
        return copies
    found = [x for file in files for x in (*file.inverted(), *_mixed.units(file), *_quality.check(file))]
    found += copies + _quality.areas(files[0], truth.targets)
    if truth.geometry is not UPRIGHT:  # around a rotated box that is inside its image is one that leaves it
        return found
    if turned := _turned.by_boxes(files[0], located):
        return [*found, turned.finding(truth, located)]
    return found + [x for file in files for x in file.beyond()]


def _is_spatial(truth: Examined) -> bool:
    """Whether shapes are boxes in space, in metres."""
    if truth.geometry is UPRIGHT:
        return False
    from omniou.detection.doctor._shapes import SPATIAL

    return truth.geometry in SPATIAL


def _duplicates(file: FileBoxes, table: Any, rows: Any) -> list[Finding]:
    what = "objects" if file.what == "ground truth" else file.what
    return _rows.duplicates(what, file.path, *_columns(file, table, rows))


def _columns(file: FileBoxes, table: Any, rows: Any) -> list[Column]:
    """All columns that make a row of a file."""
    names = [name for name in ("labels", "images", "scores") if hasattr(table, name)]
    return [file.numbers[rows], *(np.asarray(getattr(table, name))[rows] for name in names)]


def _boxes_of(  # noqa: PLR0917
    what: str, truth: Examined, table: Any, format: str | None, path: str, sides: Column, cures: Cures
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
    return FileBoxes(
        what=what,
        path=path,
        option=option,
        format=format,
        given=reading_of(format),
        numbers=numbers,
        sides=sides,
        cures=cures,
    )
