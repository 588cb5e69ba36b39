"""Some images with their objects and their best detections: readings of the numbers are compared on these."""

from typing import Any, NamedTuple

from omniou import boxes
from omniou._catalogue.geometry import Geometry
from omniou._doctor.columns import Column, np
from omniou._inputs.inputs import Detections
from omniou._lib import backends, indexing
from omniou.detection.doctor._examined import Examined

# Ranges in brackets as in `_doctor.engine`.

# Images (100 to 400), and detections at the most (500 to 2000), that are looked at. The time grows with both.
IMAGES, DETECTIONS = 200, 1000
# Detections of each image at the least, where it has so many (2 to 6); beyond those as many as it has objects.
LEAST = 3
# The IoU at which a detection matches an object, as in AP50 (0.45 to 0.55; at 0.4 a set is accused, at 0.625 2
# damages are missed).
THRESHOLD = 0.5


class SampledBoxes(NamedTuple):
    """The objects, or the detections, of the sampled images."""

    boxes: Column  # (N, K), in the order of numbers that they were read by
    labels: Column  # (N,)
    images: Column  # (N,) places in the rising ids of images; of objects never falling
    factor: Column | None = None  # (N, 2) what x and y are multiplied by, in any order of the numbers

    def some(self, rows: Column) -> "SampledBoxes":
        """Some of them."""
        factor = None if self.factor is None else self.factor[rows]
        return SampledBoxes(self.boxes[rows], self.labels[rows], self.images[rows], factor)


class Sample(NamedTuple):
    """What readings are compared on."""

    objects: SampledBoxes
    detections: SampledBoxes
    first: Column  # (I + 1,) offsets of the objects of each image, sampled or not
    places: Column  # (S,) the sampled images
    sides: Column  # (I, 2) width and height of each image, NaN where unknown
    scores: Column | None = None  # of the detections

    def pairs(self, places: Column | None = None) -> tuple[Column, Column]:
        """Detection and object of all pairs in one image, or in the image given for each detection."""
        images = self.detections.images if places is None else places
        start = self.first[images]
        count = self.first[images + 1] - start
        objects = indexing.concatenated_ranges(start, count, xp=backends.numpy_namespace())
        return np.repeat(np.arange(len(images)), count), objects

    def some(self, rows: Column) -> "Sample":
        """The sample with some of its detections."""
        return self._replace(detections=self.detections.some(rows), scores=None)

    def overlaps(self, detected: Column, objects: Column, places: Column | None = None) -> "SampledPairs":
        """IoU of those pairs, from the corners of both."""
        rows, targets = self.pairs(places)
        return SampledPairs(rows, targets, boxes.iou(detected[rows], objects[targets]))

    def best(self, detected: Column, objects: Column, places: Column | None = None) -> Column:
        """The highest IoU of each detection with an object of its image, or of the image given."""
        return self.overlaps(detected, objects, places).best(len(detected))

    def elsewhere(self, part: int = 2) -> Column:
        """Another sampled image for each detection, a part of all further on. Matches there are chance."""
        at = np.searchsorted(self.places, self.detections.images)
        return self.places[(at + max(1, len(self.places) // part)) % max(1, len(self.places))]


def matched(best: Column) -> int:
    """How many detections match an object, from the highest IoU of each."""
    return int((best >= THRESHOLD).sum())


class SampledPairs(NamedTuple):
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


class Located(NamedTuple):
    """The images by rising id, and the image of each row of both files: its place there, -1 where it is not listed."""

    ids: Column  # (I,)
    sides: Column  # (I, 2) width and height: 1 where boxes are relative, NaN where unknown
    objects: Column  # (N,)
    detections: Column  # (M,), none without detections

    object_counts: Column  # (I,)
    detection_counts: Column  # (I,)
    chosen: Column  # (S,) evenly spaced images with both

    @classmethod
    def of(cls, truth: Examined, detections: Detections[Any] | None) -> "Located":
        """The images of both files."""
        order = np.argsort(truth.images)
        if truth.relative:
            sides = np.ones((len(order), 2))
        else:
            sides = np.full((len(order), 2), np.nan) if truth.sizes is None else truth.sizes[order][:, ::-1]
        ids = truth.images[order]
        images = np.zeros(0, dtype=np.int64) if detections is None else np.asarray(detections.images)
        at = places(ids, np.asarray(truth.targets.images)), places(ids, images)
        # The first count is of rows whose image is not listed.
        object_counts, detection_counts = (np.bincount(x + 1, minlength=len(ids) + 1)[1:] for x in at)
        chosen = np.flatnonzero((object_counts > 0) & (detection_counts > 0))
        if len(chosen) > IMAGES:
            chosen = chosen[np.linspace(0, len(chosen) - 1, IMAGES).astype(np.int64)]
        return cls(ids, sides, *at, object_counts, detection_counts, chosen)

    def sides_of(self, at: Column) -> Column:
        """Sides of the images at these places, NaN where they are not listed."""
        return np.concatenate([self.sides, np.full((1, 2), np.nan)])[at]

    def rows(self, at: Column) -> Column:
        """Rows in the chosen images, `at` being the places of all."""
        is_chosen = np.zeros(len(self.ids) + 1, dtype=bool)  # the last for images that are not listed, -1
        is_chosen[self.chosen] = True
        return np.flatnonzero(is_chosen[at])


def take(
    truth: Examined,
    detections: Detections[Any],
    located: Located,
    numbers: tuple[Column, Column],
    *,
    times: int = 1,
) -> Sample:
    """Take evenly spaced images with their best detections: `times` as many as each has objects.

    `numbers` are the boxes of both as they were read.
    """
    order = np.argsort(located.objects, kind="stable")
    order = order[np.searchsorted(located.objects[order], 0) :]
    labels = np.asarray(truth.targets.labels)[order]
    objects = SampledBoxes(numbers[0][order], labels, located.objects[order])
    rows = located.rows(located.detections)
    rows = best_rows(rows, located.detections[rows], np.asarray(detections.scores)[rows], times * located.object_counts)
    if len(rows) > times * DETECTIONS:
        rows = rows[np.linspace(0, len(rows) - 1, times * DETECTIONS).astype(np.int64)]
    detected = SampledBoxes(numbers[1][rows], np.asarray(detections.labels)[rows], located.detections[rows])
    first = np.concatenate([[0], np.cumsum(located.object_counts)])
    return Sample(
        objects=objects,
        detections=detected,
        first=first,
        places=located.chosen,
        sides=located.sides,
        scores=np.asarray(detections.scores)[rows],
    )


def best_rows(rows: Column, images: Column, scores: Column, most: Column) -> Column:
    """Rows with the highest scores of each image: `most` (I,) rows of each.

    Sorted by image and falling score, the rank of a row is its distance from the first row of its image: of images
    3 3 3 7 7 the ranks are 0 1 2 0 1.
    """
    order = np.lexsort((-scores, images))
    rows, images = rows[order], images[order]
    starts = np.flatnonzero(np.diff(images, prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    return rows[rank < np.maximum(most[images], LEAST)]


def places(ids: Column, given: Column) -> Column:
    """Rising ids (I,), ids (N,) -> the place of each, -1 where it is not listed."""
    if not len(ids):
        return np.full(len(given), -1)
    at, known = indexing.place(ids, given, xp=backends.numpy_namespace())
    return at if known.all() else np.where(known, at, -1)


def corners(geometry: Geometry, numbers: Column, format: str) -> Column:
    """Shapes of a geometry (N, K) -> the corners of the upright boxes around them in the plane of x and y (N, 4)."""
    xp = backends.numpy_namespace()
    layout = geometry.layout({"format": format})
    around = geometry.bounds(geometry.canonical(numbers.T, None, layout=layout, xp=xp), xp=xp)
    return np.concatenate([around.low[:2], around.high[:2]]).T
