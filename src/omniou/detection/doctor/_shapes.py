"""Readings of shapes other than upright boxes, compared by their own IoU: 3-D boxes, rotated boxes, polygons."""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

from omniou import geometry as geometries
from omniou._catalogue.geometry import Geometry
from omniou._doctor import boxes3d
from omniou._doctor.columns import Column, np
from omniou._doctor.engine import Reading, Trial, combined
from omniou._inputs.inputs import Detections
from omniou._lib.findings import Finding
from omniou.boxes3d import BEV
from omniou.boxes3d import GEOMETRY as BOXES3D
from omniou.detection.doctor import _sample
from omniou.detection.doctor._boxes import MATCHED
from omniou.detection.doctor._examined import Examined
from omniou.detection.doctor._sample import THRESHOLD, Located, Sample
from omniou.polygons import GEOMETRY as POLYGONS
from omniou.rotated import GEOMETRY as ROTATED

# Geometries in metres.
SPATIAL = (BOXES3D, BEV)
# Detections that readings are tried on, and the share of them that must match in another one.
_MOST, _LEAST = 300, 0.1
# The column of the angle of a rotated box.
_ANGLE = 4


def findings(truth: Examined, detections: Detections[Any], located: Located, path: str) -> list[Finding]:
    """The reading of the detections, rows (D, K), in which far more of them overlap an object than as they are."""
    if truth.geometry not in (*SPATIAL, ROTATED, POLYGONS):
        return []
    numbers = (np.asarray(truth.targets.boxes, np.float64), np.asarray(detections.boxes, np.float64))
    sample = _sample.take(truth, detections, located, numbers)
    rows = np.arange(len(sample.detections.boxes))
    sample = sample.some(rows[:: -(-len(rows) // _MOST) or 1])
    overlaps = _Overlaps(truth.geometry, truth.format, sample)
    elsewhere = overlaps.matched(sample.pairs(sample.elsewhere()))
    trial = Trial(
        given=sample.detections.boxes,
        total=len(sample.detections.boxes),
        matches=overlaps.matched(sample.pairs()),
        by_chance=lambda rows: int(elsewhere(rows).sum()),
        measure=MATCHED,
        least=_LEAST,
        improper=functools.partial(boxes3d.improper, truth.format),
    )
    return trial.findings(*_stages(truth.geometry, truth.format, sample.detections.boxes, path))


class _Overlaps:
    """IoU of the detections of a sample, in any reading, and its objects."""

    def __init__(self, geometry: Geometry, format: str, sample: Sample) -> None:
        self._objects = sample.objects.boxes
        self._bounds = functools.partial(_sample.corners, geometry, format=format)
        self._iou = functools.partial(geometries.functions(geometry)["iou"], format=format)

    def matched(self, pairs: tuple[Column, Column]) -> Callable[[Column], Column]:
        """A function of rows of detections (D, K): which of them match the object of one of the pairs, (D,)."""
        rows, objects = pairs
        object_bounds = self._bounds(self._objects)[objects]

        def which(detections: Column) -> Column:
            # Most pairs have disjoint bounds, and IoU 0.
            bounds = self._bounds(detections)[rows]
            near = ((bounds[:, :2] < object_bounds[:, 2:]) & (object_bounds[:, :2] < bounds[:, 2:])).all(axis=1)
            overlaps = self._iou(detections[rows[near]], self._objects[objects[near]])
            matched = np.zeros(len(detections), dtype=bool)
            matched[rows[near][overlaps >= THRESHOLD]] = True
            return matched

        return which


def _stages(geometry: Geometry, format: str, rows: Column, path: str) -> list[Iterator[Reading]]:
    if geometry in SPATIAL:
        return boxes3d.stages(format, rows, path)
    if geometry is ROTATED and format != "xyxyxyxy":
        return combined([[_axes(path, lambda x: x[:, [1, 0, 3, 2, 4]])], _angles(rows, path)])
    return combined([[_axes(path, lambda x: x.reshape(len(x), -1, 2)[:, :, ::-1].reshape(x.shape))]])


def _axes(path: str, read: Callable[[Column], Column]) -> Reading:
    text = "x and y of the detections seem to be swapped"
    return Reading("boxes-axes", text, "write x first", read, "once swapped", path)


def _angles(rows: Column, path: str) -> list[Reading]:
    def reading(words: str, hint: str, turned: Callable[[Column], Column]) -> Reading:
        def read(rows: Column) -> Column:
            rows = rows.copy()
            rows[:, _ANGLE] = turned(rows[:, _ANGLE])
            return rows

        text = f"angles of the detections and of the ground truth seem to {words}"
        return Reading("boxes-angle", text, hint, read, "with other angles", path)

    readings = [
        reading(
            "have opposite senses",
            "omniou.rotated.convert(x, ..., clockwise=False) for one of them",
            lambda angle: -angle,
        ),
        reading(
            "differ by a quarter turn, or their widths and heights are exchanged",
            "exchange width and height in one of them",
            lambda angle: angle + math.pi / 2,
        ),
    ]
    if boxes3d.are_degrees(rows[:, _ANGLE]):
        hint = 'omniou.rotated.convert(x, ..., unit="degrees", to_unit="radians")'
        readings.append(reading("be in different units: degrees and radians", hint, np.deg2rad))
    return readings
