"""The parts of precision-recall curves against their definitions."""

import numpy as np
import pytest

from omniou.detection.curves import _precision as curves
from tests.helpers import numbers

pytestmark = pytest.mark.computes("shapes depend on values")


@pytest.fixture(autouse=True)
def _skip_jax(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")


@pytest.mark.parametrize("size", [0, 1, 2**14, 40_000])  # none, less than one block, one block, several
@pytest.mark.parametrize("ranges", [1, 4, 9])
@pytest.mark.parametrize("limited", [False, True])
def test_inside_equals_cumulative_count(xp, size, ranges, limited):
    rng = np.random.default_rng(0)
    outside = rng.integers(0, 2**ranges, size).astype("uint8" if ranges <= 8 else "int64")
    eligible = rng.random(size) < 0.7 if limited else np.ones(size, dtype=bool)
    edges = [x for x in (0, 2**14 - 1, 2**14, 2**14 + 1, 2**15) if x <= size]
    queries = [np.sort(np.concatenate([rng.integers(0, size + 1, 300), edges, [size, size]])), np.asarray([size])]
    before = np.concatenate([np.zeros((1, ranges)), np.cumsum(in_range(outside, ranges) & eligible[:, None], axis=0)])

    out = curves.inside(
        xp.asarray(outside), xp.asarray(eligible) if limited else None, [xp.asarray(x) for x in queries], ranges, xp=xp
    )

    for actual, places in zip(out, queries, strict=True):
        assert np.array_equal(numbers(actual), before[places].T)


@pytest.fixture
def drawn():
    """Hits and ignored detections at 12 thresholds, in 5 classes of which two have no detections."""
    rng = np.random.default_rng(0)
    sizes = [0, 40, 3, 0, 150]
    matched, ignored = rng.random((12, sum(sizes))) < 0.4, rng.random((12, sum(sizes))) < 0.2
    first = np.concatenate([[0], np.cumsum(sizes)])
    return matched & ~ignored, ignored & ~matched, first, len(sizes)


def test_hits_of_each_threshold_and_class(xp, drawn):
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


def test_surplus_at_each_hit(xp, drawn):
    hit, lost, first, classes = drawn
    gained = hit & (np.arange(hit.shape[1]) % 3 == 0)
    class_of = np.repeat(np.arange(classes), np.diff(first))
    hits = curves.hits(words(hit, xp=xp), xp.asarray(first), (12, classes), xp=xp)
    more = gained.astype(int) - lost

    moved = curves.moved(words(gained, xp=xp), words(lost, xp=xp), xp=xp)
    out = curves.surplus(moved, hits, xp.asarray(first), xp=xp)

    places = zip(integers(curves.by_threshold(hits, 1, xp=xp)), integers(hits.touched), strict=True)
    assert numbers(out).tolist() == [more[t, first[class_of[e]] : e + 1].sum() for t, e in places]


def test_precision_and_scores_equal_definition(xp, drawn):
    hit, _, first, classes = drawn
    rng = np.random.default_rng(1)
    objects, points = np.asarray([5, 60, 7, 0, 90]), np.asarray([0.0, 0.1, 0.25, 0.9, 1.0])
    score, best = rng.random(hit.shape[1]), rng.random(classes)
    hits = curves.hits(words(hit, xp=xp), xp.asarray(first), (12, classes), xp=xp)
    place = numbers(hits.ordinal) + np.concatenate([[0], np.cumsum(rng.integers(0, 3, hits.ordinal.shape[0] - 1))])
    scale = curves.scale(xp.asarray(objects), xp.asarray(points), xp=xp)

    recalls = curves.reached(hits, scale, xp=xp)
    precision = curves.precision(hits, xp.asarray(place), recalls, scale, xp=xp)
    scores = curves.scores(hits, xp.asarray(score), xp.asarray(best), recalls, scale, xp=xp)

    ordinals, touched, ends = integers(hits.ordinal), integers(hits.touched), integers(hits.first)
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
    """Booleans (12, E) -> words of 7 and 5 bits, as the kernels take them."""
    return [
        (xp.asarray((bits[part] << np.arange(bits[part].shape[0])[:, None]).sum(axis=0)), bits[part].shape[0])
        for part in (slice(0, 7), slice(7, 12))
    ]


def integers(x):
    return numbers(x).astype(int)


def in_range(outside, ranges):
    return (outside[:, None] >> np.arange(ranges)) & 1 == 0
