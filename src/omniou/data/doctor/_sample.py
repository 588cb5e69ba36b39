"""Some images with their objects and their best detections: readings of the numbers are compared on them alone."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou import boxes
from omniou._geometry import Geometry
from omniou._lib import backends, indexing
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]

# Images that are looked at, and detections at the most: enough that chance plays no part, and a matter of milliseconds.
IMAGES, DETECTIONS = 300, 3000
# Detections of each image at the least, where it has so many: beyond those as many as it has objects.
LEAST = 3
# What counts as meeting an object.
THRESHOLD = 0.5


class Side(NamedTuple):
    """The objects, or the detections, of the sampled images."""

    boxes: Column  # (N, 4), in the order of numbers that they were read by
    labels: Column  # (N,)
    images: Column  # (N,) places in the rising ids of images; of objects never falling
    scores: Column  # (N,), zeros of objects


class Sample(NamedTuple):
    """What readings are compared on."""

    objects: Side
    detections: Side
    first: Column  # (I + 1,) offsets of the objects of each image, sampled or not
    places: Column  # (S,) the sampled images
    sides: Column  # (I, 2) width and height of each image, NaN where unknown

    def pairs(self, places: Column | None = None) -> tuple[Column, Column]:
        """Detection and object of all pairs in one image, or in the image given for each detection."""
        images = self.detections.images if places is None else places
        start = self.first[images]
        count = self.first[images + 1] - start
        theirs = indexing.concatenated_ranges(start, count, xp=backends.numpy_namespace())
        return np.repeat(np.arange(len(images)), count), theirs

    def overlaps(self, detected: Column, objects: Column, places: Column | None = None) -> "Overlaps":
        """IoU of those pairs, from the corners of both."""
        ours, theirs = self.pairs(places)
        return Overlaps(ours, theirs, boxes.iou(detected[ours], objects[theirs]))

    def best(self, detected: Column, objects: Column, places: Column | None = None) -> Column:
        """The highest IoU of each detection with an object of its image, or of the image given."""
        return self.overlaps(detected, objects, places).best(len(detected))

    def elsewhere(self) -> Column:
        """For each detection another sampled image: what is met there is met by chance."""
        at = np.searchsorted(self.places, self.detections.images)
        return self.places[(at + max(1, len(self.places) // 2)) % max(1, len(self.places))]


class Overlaps(NamedTuple):
    """Pairs of a detection and an object of one image, by detection, with their IoU."""

    detections: Column
    objects: Column
    iou: Column

    def best(self, size: int) -> Column:
        """The highest IoU of each detection (size,), 0 where it has no pair."""
        best = np.zeros(size)
        if len(self.iou):
            first = np.flatnonzero(np.diff(self.detections, prepend=-1))
            best[self.detections[first]] = np.maximum.reduceat(self.iou, first)
        return best


def take(
    truth: GroundTruth, detections: Detections[Any], numbers: tuple[Column, Column], *, times: int = 1
) -> Sample:
    """Evenly spaced images with objects and detections, so many times as many as objects.

    `numbers` are the boxes of both as they were read.
    """
    targets = truth.targets
    ids = np.sort(truth.images)
    of_objects, of_detections = (places(ids, np.asarray(x.images)) for x in (targets, detections))
    counts, found = (np.bincount(x[x >= 0], minlength=len(ids)) for x in (of_objects, of_detections))
    chosen = np.flatnonzero((counts > 0) & (found > 0))
    if len(chosen) > IMAGES:
        chosen = chosen[np.linspace(0, len(chosen) - 1, IMAGES).astype(np.int64)]
    order = np.argsort(of_objects, kind="stable")
    order = order[np.searchsorted(of_objects[order], 0) :]
    objects = Side(
        numbers[0][order], np.asarray(targets.labels)[order], of_objects[order], np.zeros(len(order))
    )
    rows = _best_rows(of_detections, np.asarray(detections.scores), times * counts, chosen, times * DETECTIONS)
    detected = Side(
        numbers[1][rows], np.asarray(detections.labels)[rows], of_detections[rows], np.asarray(detections.scores)[rows]
    )
    return Sample(objects, detected, np.concatenate([[0], np.cumsum(counts)]), chosen, sides_of(truth))


def _best_rows(images: Column, scores: Column, counts: Column, chosen: Column, most: int) -> Column:
    """Rows of the best detections of the chosen images, for each so many, and not more than `most`."""
    wanted = np.zeros(len(counts) + 1, dtype=bool)  # the last for images that are not listed, -1
    wanted[chosen] = True
    rows = np.flatnonzero(wanted[images])
    rows = rows[np.lexsort((-scores[rows], images[rows]))]
    starts = np.flatnonzero(np.diff(images[rows], prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    rows = rows[rank < np.maximum(counts[images[rows]], LEAST)]
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def places(ids: Column, given: Column) -> Column:
    """Rising ids (I,), ids (N,) -> the place of each, -1 where it is not listed."""
    if not len(ids):
        return np.full(len(given), -1)
    at, known = indexing.place(ids, given, xp=backends.numpy_namespace())
    return np.where(known, at, -1)


def sides_of(truth: GroundTruth) -> Column:
    """Width and height of each image by rising id (I, 2): 1 where boxes are relative, NaN where unknown."""
    if truth.relative:
        return np.ones((len(truth.images), 2))
    if truth.sizes is None:
        return np.full((len(truth.images), 2), np.nan)
    return truth.sizes[np.argsort(truth.images)][:, ::-1]


def corners(geometry: Geometry, numbers: Column, format: str) -> Column:
    """Shapes of a geometry (N, K) -> the corners of the upright boxes around them (N, 4)."""
    xp = backends.numpy_namespace()
    layout = geometry.layout({"format": format})
    around = geometry.bounds(geometry.canonical(numbers.T, None, layout=layout, xp=xp), xp=xp)
    return np.concatenate([around.low, around.high]).T




def rows_of(truth: GroundTruth, detections: Detections[Any], sample: Sample) -> Column:
    """Rows of all detections of the sampled images."""
    at = places(np.sort(truth.images), np.asarray(detections.images))
    wanted = np.zeros(len(truth.images) + 1, dtype=bool)
    wanted[sample.places] = True
    return np.flatnonzero(wanted[at])
