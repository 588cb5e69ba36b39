"""What curves are made of, beside what is meant."""

import numpy as np
import pytest

from omniou.detection import _precision as curves
from tests.helpers import numbers

pytestmark = pytest.mark.computes("shapes depend on values")


@pytest.fixture(autouse=True)
def _skip_jax(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")


@pytest.mark.parametrize("size", [0, 1, 2**14, 40_000])  # less than a part, one of them, several
@pytest.mark.parametrize("ranges", [1, 4, 9])
@pytest.mark.parametrize("limited", [False, True])
def test_inside(xp, size, ranges, limited):
    rng = np.random.default_rng(0)
    outside = rng.integers(0, 2**ranges, size).astype("uint8" if ranges <= 8 else "int64")
    listed = rng.random(size) < 0.7 if limited else np.ones(size, dtype=bool)
    edges = [x for x in (0, 2**14 - 1, 2**14, 2**14 + 1, 2**15) if x <= size]
    queries = [np.sort(np.concatenate([rng.integers(0, size + 1, 300), edges, [size, size]])), np.asarray([size])]
    before = np.concatenate([np.zeros((1, ranges)), np.cumsum(held(outside, ranges) & listed[:, None], axis=0)])

    out = curves.inside(
        xp.asarray(outside), xp.asarray(listed) if limited else None, [xp.asarray(x) for x in queries], ranges, xp=xp
    )

    for found, places in zip(out, queries, strict=True):
        assert np.array_equal(numbers(found), before[places].T)


@pytest.fixture
def drawn():
    """Bits of 12 thresholds in words of 7 and 5, of detections in classes of which two have none."""
    rng = np.random.default_rng(0)
    sizes = [0, 40, 3, 0, 150]
    matched, ignored = rng.random((12, sum(sizes))) < 0.4, rng.random((12, sum(sizes))) < 0.2
    first = np.concatenate([[0], np.cumsum(sizes)])
    return matched & ~ignored, ignored & ~matched, first, len(sizes)


def test_hits(xp, drawn):
    hit, _, first, classes = drawn
    expected = [
        (t, e, hit[t, first[k] : e + 1].sum())
        for t in range(12)
        for k in range(classes)
        for e in range(first[k], first[k + 1])
        if hit[t, e]
    ]

    out = curves.hits(words(hit, xp=xp), xp.asarray(first), (12, classes), xp=xp)

    assert np.stack(
        [numbers(x) for x in (curves.by_threshold(out, 1, xp=xp), out.touched, out.ordinal)], axis=1
    ).tolist() == [list(x) for x in expected]
    in_curve = [hit[t, first[k] : first[k + 1]].sum() for t in range(12) for k in range(classes)]
    assert numbers(out.in_curve).tolist() == in_curve


def test_surplus(xp, drawn):
    hit, lost, first, classes = drawn
    gained = hit & (np.arange(hit.shape[1]) % 3 == 0)
    owner = np.repeat(np.arange(classes), np.diff(first))
    found = curves.hits(words(hit, xp=xp), xp.asarray(first), (12, classes), xp=xp)
    more = gained.astype(int) - lost

    moved = curves.moved(words(gained, xp=xp), words(lost, xp=xp), xp=xp)
    out = curves.surplus(moved, found, xp.asarray(first), xp=xp)

    places = zip(whole(curves.by_threshold(found, 1, xp=xp)), whole(found.touched), strict=True)
    assert numbers(out).tolist() == [more[t, first[owner[e]] : e + 1].sum() for t, e in places]


def test_precision_and_scores(xp, drawn):
    hit, _, first, classes = drawn
    rng = np.random.default_rng(1)
    objects, points = np.asarray([5, 60, 7, 0, 90]), np.asarray([0.0, 0.1, 0.25, 0.9, 1.0])
    score, best = rng.random(hit.shape[1]), rng.random(classes)
    found = curves.hits(words(hit, xp=xp), xp.asarray(first), (12, classes), xp=xp)
    place = numbers(found.ordinal) + np.concatenate([[0], np.cumsum(rng.integers(0, 3, found.ordinal.shape[0] - 1))])
    scale = curves.scale(xp.asarray(objects), xp.asarray(points), xp=xp)

    recalls = curves.reached(found, scale, xp=xp)
    precision = curves.precision(found, xp.asarray(place), recalls, scale, xp=xp)
    scores = curves.scores(found, xp.asarray(score), xp.asarray(best), recalls, scale, xp=xp)

    ordinals, touched, ends = whole(found.ordinal), whole(found.touched), whole(found.first)
    for curve, (t, k) in enumerate(np.ndindex(12, classes)):
        rows = slice(ends[curve], ends[curve + 1])
        recall = ordinals[rows] / objects[k] if objects[k] else []
        for r, point in enumerate(points):
            reached = np.flatnonzero(recall >= point) if objects[k] else []
            highest = (ordinals[rows] / (place[rows] + 2**-52))[reached].max() if len(reached) else 0.0
            here = best[k] if point == 0 else score[touched[rows][reached[0]]] if len(reached) else 0.0
            expected = (highest, here) if objects[k] else (np.nan, np.nan)
            assert np.array_equal((float(precision[t, k, r]), float(scores[t, k, r])), expected, equal_nan=True)


def words(bits, *, xp):
    """Booleans (12, E) -> what the kernels take."""
    return [
        (xp.asarray((bits[part] << np.arange(bits[part].shape[0])[:, None]).sum(axis=0)), bits[part].shape[0])
        for part in (slice(0, 7), slice(7, 12))
    ]


def whole(x):
    return numbers(x).astype(int)


def held(outside, ranges):
    return (outside[:, None] >> np.arange(ranges)) & 1 == 0
