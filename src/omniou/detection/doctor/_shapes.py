"""Readings of shapes other than upright boxes, compared by their own IoU: 3-D boxes, rotated boxes, polygons."""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

from omniou._catalogue.geometry import Geometry
from omniou._doctor import boxes3d
from omniou._doctor.columns import Column, np
from omniou._doctor.engine import MATCH, Reading, Trial, combined
from omniou._inputs.inputs import Detections
from omniou._inputs.kinds import settled
from omniou._inputs.shapes import Pairs
from omniou._lib.findings import Finding
from omniou.boxes3d import BEV
from omniou.boxes3d import GEOMETRY as BOXES3D
from omniou.detection.doctor import _sample
from omniou.detection.doctor._boxes import MATCHED
from omniou.detection.doctor._examined import Examined
from omniou.detection.doctor._sample import Located, Sample, matched
from omniou.polygons import GEOMETRY as POLYGONS
from omniou.rotated import GEOMETRY as ROTATED
from omniou.rotated import convert

# Geometries in metres.
SPATIAL = (BOXES3D, BEV)
# Detections that readings are tried on, and the share of them that must match in another one.
_MOST, _LEAST = 300, 0.1
# The column of the angle of a rotated box, and the numbers of four corners.
_ANGLE, _CORNERS = 4, 8
# What to do about corners, whose angles are not written.
_TURN = "turn the corners of one of them about the centre of each box"


def findings(truth: Examined, detections: Detections[Any], located: Located, path: str) -> list[Finding]:
    """The reading of the detections, rows (D, K), in which far more of them overlap an object than as they are."""
    if truth.geometry not in (*SPATIAL, ROTATED, POLYGONS):
        return []
    given, found = (np.asarray(x.boxes, dtype=np.float64) for x in (truth.targets, detections))
    if fault := boxes3d.misordered(truth.format, given, "ground truth", str(truth.path)):
        return fault
    sample = _sample.take(truth, detections, located, (given, found))
    rows = np.arange(len(sample.detections.boxes))
    sample = sample.some(rows[:: -(-len(rows) // _MOST) or 1])
    overlaps = _Overlaps(truth, sample)
    elsewhere = overlaps.best(sample.pairs(sample.elsewhere()))
    trial = Trial(
        given=sample.detections.boxes,
        total=len(sample.detections.boxes),
        matches=overlaps.best(sample.pairs()),
        by_chance=lambda rows: matched(elsewhere(rows)),
        measure=MATCHED,
        least=_LEAST,
        by_gain=True,
        improper=functools.partial(boxes3d.improper, truth.format),
    )
    return trial.findings(*_stages(truth.geometry, truth.format, sample.detections.boxes, path))


class _Overlaps:
    """IoU of the detections of a sample, in any reading, and its objects."""

    def __init__(self, truth: Examined, sample: Sample) -> None:
        self._kind = settled(truth.geometry, truth.format, 0.0, None)
        self._objects = self._kind.read("targets", sample.objects.boxes, xp=np)

    def best(self, pairs: tuple[Column, Column]) -> Callable[[Column], Column]:
        """A function of rows of detections (D, K): the highest IoU of each with the objects of its pairs, (D,)."""
        rows, objects = pairs
        low, high = (x[:, objects] for x in self._objects.bounds(np.arange(len(self._objects.area)))[:2])

        def best(detections: Column) -> Column:
            read = self._kind.read("detections", detections, xp=np)
            starts, ends = (x[:, rows] for x in read.bounds(np.arange(len(detections)))[:2])
            # Most pairs have disjoint bounds, and IoU 0.
            near = np.flatnonzero(((low < ends) & (starts < high)).all(axis=0))
            pairs = Pairs(rows[near], objects[near], np.zeros(len(near), dtype=bool))
            out = np.zeros(len(detections))
            np.maximum.at(out, rows[near], read.overlap(self._objects, pairs, MATCH))
            return out

        return best


def _stages(geometry: Geometry, format: str, rows: Column, path: str) -> list[Iterator[Reading]]:
    if geometry in SPATIAL:
        return boxes3d.stages(format, rows, path)
    if geometry is ROTATED and format != "xyxyxyxy":
        return combined([[_axes(path, lambda x: x[:, [1, 0, 3, 2, 4]])], _angles(rows, path)])
    swapped = _axes(path, lambda x: x.reshape(len(x), -1, 2)[:, :, ::-1].reshape(x.shape))
    if rows.shape[1] != _CORNERS:
        return combined([[swapped]])
    radians = _angles(np.zeros((0, _ANGLE + 1)), path)
    angles = [x._replace(read=functools.partial(_as_boxes, x.read), hint=_TURN) for x in radians]
    return combined([[*_orders(path), swapped], angles])


def _as_boxes(read: Callable[[Column], Column], corners: Column) -> Column:
    """A reading of rotated boxes, done to their corners (N, 8)."""
    return np.asarray(convert(read(convert(corners, "xyxyxyxy", "cxcywhr")), "cxcywhr", "xyxyxyxy"))


def _orders(path: str) -> Iterator[Reading]:
    """Corners that do not go around: line by line, or column by column."""
    for order in ((0, 1, 3, 2), (0, 2, 1, 3)):
        read = functools.partial(_corners, order)
        text = "corners of the detections do not seem to go around the box"
        hint = f"write them in the order {', '.join(str(k + 1) for k in order)}"
        yield Reading("boxes-order", text, hint, read, "in that order", path)


def _corners(order: tuple[int, ...], rows: Column) -> Column:
    return rows.reshape(len(rows), 4, 2)[:, order].reshape(rows.shape)


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
