"""Images whose width and height are swapped: pictures that a camera turned, which EXIF says and a size does not."""

from typing import NamedTuple

from omniou._doctor.columns import Column, np
from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.detection.doctor._boxes import Fit
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._examined import Examined
from omniou.detection.doctor._sample import THRESHOLD, Located, Sample

# Ranges in brackets as in `_doctor.engine`.

# How far a box may exceed its image: a share of the side, and pixels, as in `_readings`.
_SLACK, _SLACK_PIXELS = 0.02, 2
# Of the images that boxes leave, the share that holds its boxes once turned (0.4 to 1).
_FIT = 0.8
# Images that match better once turned: so many at the least (2 to 6), a share of all (0.03 to 0.1), and how many times
# as many detections in them match (2 to 4).
_GAIN, _SHARE, _TIMES = 3, 0.05, 2
# The share of the detections of an image that match once it is turned (0.2 to 0.5).
_MATCHED = 0.4
# Images that a finding names.
_EXAMPLES = 3


class Turned(NamedTuple):
    """Places of images that are turned, and whether all seem to be."""

    places: Column
    every: bool
    evidence: str

    def finding(self, truth: Examined, located: Located) -> Finding:
        """The finding, with the names of some of the images."""
        ids = [int(x) for x in located.ids[self.places[:_EXAMPLES]]]
        names = ", ".join(truth.image_names.get(x, str(x)) for x in ids)
        more = ", ..." if len(self.places) > _EXAMPLES else ""
        total = len(located.ids)
        which = "of all images" if self.every else f"of {len(self.places)} of {total} images, and perhaps more,"
        text = f"width and height {which} seem to be swapped: {names}{more}"
        hint = "swap them in the ground truth: for pictures with an EXIF rotation, write the sizes after the rotation"
        return Finding(code="sizes-swapped", text=text, evidence=self.evidence, hint=hint, path=str(truth.path))


def by_boxes(file: FileBoxes, located: Located) -> Turned | None:
    """Images whose objects leave them, and fit once width and height are swapped."""
    if file.is_relative or not file.has_sizes or not len(file.numbers):
        return None
    corners, sides = file.given.corners(file.numbers), file.sides
    given, turned = (_leave(corners, x) for x in (sides, sides[:, ::-1]))
    size = len(located.ids)
    at = np.maximum(located.objects, 0)
    leave, leave_turned = (np.bincount(at, x & (located.objects >= 0), size) > 0 for x in (given, turned))
    fit = np.flatnonzero(leave & ~leave_turned)
    count = int(leave.sum())
    if not count or len(fit) < _FIT * count:
        return None
    evidence = (
        f"boxes leave {counted(count, 'images')}, and are inside {len(fit)} of them with width and height swapped"
    )
    # If no image is wrong once turned, all are turned: right images with boxes on the far side would be wrong then.
    every = not (leave_turned & ~leave).any() and len(fit) >= _GAIN
    return Turned(fit, every, evidence)


def _leave(corners: Column, sides: Column) -> Column:
    beyond = corners[:, 2:] > sides + np.maximum(_SLACK * sides, _SLACK_PIXELS)
    return beyond.any(axis=1) & (sides[:, 0] != sides[:, 1])


def by_matches(sample: Sample, fit: Fit, relative: tuple[bool, bool]) -> Turned | None:
    """Images in which more detections match once fractions are multiplied by the swapped sides.

    `relative`: whether objects, and detections, were fractions. Where both were, the overlaps are the same either way.
    """
    if relative[0] == relative[1]:
        return None
    images = sample.detections.images if relative[1] else sample.objects.images
    sides = sample.sides[images]
    factor = np.tile(sides[:, ::-1] / sides, 2)
    detections = fit.detections * factor if relative[1] else fit.detections
    objects = fit.objects * factor if relative[0] else fit.objects
    own = sample.best(fit.detections, fit.objects) >= THRESHOLD
    turned = sample.best(detections, objects) >= THRESHOLD
    at = np.searchsorted(sample.places, sample.detections.images)
    before, after, every = (np.bincount(at, x, len(sample.places)) for x in (own, turned, np.ones(len(at))))
    better = np.flatnonzero((after > _TIMES * before) & (after >= _MATCHED * every))
    if len(better) < max(_GAIN, _SHARE * len(sample.places)):
        return None
    evidence = f"detections of {len(better)} of {len(sample.places)} images match objects only after the swap"
    return Turned(sample.places[better], not (before > after).any(), evidence)
