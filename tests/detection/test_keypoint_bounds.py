"""OKS of pairs that cannot reach the threshold is left out by bounds."""

import numpy as np
import pytest

from omniou import keypoints
from omniou._inputs import keypoints as shapes
from omniou._inputs.shapes import Pairs
from omniou._kernels import keypoints as kernels
from omniou._lib.backends import numpy_namespace

SIGMAS = np.asarray(keypoints.COCO.sigmas)
READING = shapes.KeypointReading(keypoints.COCO, "xywh")
LEAST, XP = 0.5, numpy_namespace()


def columns(seed, scale=1.0, place=0.0, number=60):
    """Objects (N, 17, 3) with areas, and a detection of each whose distance from it varies."""
    rng = np.random.default_rng(seed)
    points = (rng.uniform(0, 60, (number, 17, 2)) + rng.uniform(0, 80, (number, 1, 2))) * scale + place
    seen = rng.integers(0, 3, (number, 17)) * (rng.random((number, 1)) < 0.9)
    found = points + rng.normal(0, 1, points.shape) * rng.uniform(0, 8, (number, 1, 1)) * scale
    found[rng.random((number, 17)) < 0.2] = 0  # as detectors give points that they do not find
    area = rng.uniform(500, 3600, number) * scale**2
    return np.concatenate([points, seen[..., None]], axis=2), area, found


def oks(objects, area, found):
    """The reference's formula, (detections, objects); NaN where an object has no point that counts."""
    apart = found[:, None] - np.where(objects[..., 2:] > 0, objects[..., :2], 0)
    e = (apart**2).sum(-1) / (2 * SIGMAS) ** 2 / (np.maximum(area, 0)[:, None] + np.spacing(1)) / 2
    seen = objects[..., 2] > 0
    with np.errstate(invalid="ignore"):
        return (np.exp(-e) * seen).sum(-1) / seen.sum(-1)


def overlaps(objects, area, found, least):
    boxes = np.tile([0.0, 0, 1, 1], (len(area), 1))
    rows = shapes.flat(keypoints.COCO, "targets.keypoints", objects, xp=XP)
    targets = shapes.read(READING, "targets.keypoints", rows, xp=XP, boxes=boxes, area=area)
    flat = shapes.flat(keypoints.COCO, "detections.keypoints", found, xp=XP)
    detections = shapes.read(READING, "detections.keypoints", flat, xp=XP)
    i, j = (x.reshape(-1) for x in np.indices((len(found), len(area))))
    return detections.overlap(targets, Pairs(i, j, None), least).reshape(len(found), len(area))


@pytest.mark.parametrize(
    ("scale", "place"), [(1.0, 0.0), (1e-3, 0.0), (1e-5, 0.0), (1e-9, 0.0), (1e5, 0.0), (1.0, 1e7), (1e30, 0.0)]
)
def test_overlaps_that_reach_the_threshold_are_exact(scale, place):
    objects, area, found = columns(1, scale, place)
    expected = oks(objects, area, found)
    seen = ~np.isnan(expected[0])

    out = overlaps(objects, area, found, LEAST)

    reach = (expected >= LEAST) & seen
    assert reach.sum() > 10
    np.testing.assert_allclose(out[reach], expected[reach], rtol=1e-9)
    assert (out[~reach & seen] < LEAST).all()


def test_odd_numbers_raise_no_warning():
    objects, area, found = columns(2)
    area[:4] = 0, 1e200, 1e-300, -5
    found[0], found[1, 0], found[2] = 1e150, np.inf, np.nan
    objects[5, :, :2] = 1e100

    with np.errstate(all="raise", under="ignore", invalid="ignore", over="ignore"):
        expected = oks(objects, area, found)
    out = overlaps(objects, area, found, LEAST)

    reach = expected >= LEAST
    np.testing.assert_allclose(out[reach], expected[reach], rtol=1e-9)
    assert not (out[~reach & ~np.isnan(expected)] >= LEAST).any()


def test_only_pairs_that_bounds_leave_are_compared(monkeypatch):
    objects, area, found = columns(3)
    objects[..., 2] = 2
    compared = []
    exact = kernels.similarities
    monkeypatch.setattr(
        kernels, "similarities", lambda a, *args, **rest: compared.append(len(a)) or exact(a, *args, **rest)
    )

    reach = overlaps(objects, area, found, LEAST) >= LEAST
    assert reach.sum() <= sum(compared) < 1.1 * reach.sum() + 5 < 300
    compared.clear()
    overlaps(objects, area, found, 0.0)
    assert sum(compared) == 3600
