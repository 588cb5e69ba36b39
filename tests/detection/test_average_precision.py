"""Average precision and curves as functions of scores and hits."""

import dataclasses
import itertools
import math
from fractions import Fraction

import pytest

from omniou import detection
from omniou._lib import values
from omniou.detection import average_precision, pr_curve
from tests.helpers import numbers

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.computes("ranks need all scores")
INTERPOLATIONS = ("points", "area", "trapezoids", "trapezoids_tail")
POLICIES = ("file", "last", "invariant")
RULES = pytest.mark.parametrize(("interpolation", "policy"), [*itertools.product(INTERPOLATIONS, POLICIES)])


def arrays(seed, size=24, rows=3):
    """Scores with ties, hits at several thresholds, what counts, and the number of objects."""
    rng = np.random.default_rng(seed)
    scores, hits = rng.integers(0, 9, size) / 8, rng.random((rows, size)) < 0.4
    counts = rng.random(size) < 0.8
    return scores, hits, counts, int(hits.sum(axis=1).max(initial=0)) + int(rng.integers(0, 4))


def by_fractions(scores, hits, counts, objects, interpolation, policy, points):
    """The rules of `Protocol`, detection by detection, in fractions."""
    rows = [(s, h, k) for k, (s, h, c) in enumerate(zip(scores, hits, counts, strict=True)) if c]
    rows.sort(key=lambda row: (-row[0], -row[2] if policy == "last" else row[2]))
    if objects == 0:
        return math.nan
    seen = [sum(bool(r[0] >= row[0]) for r in rows) if policy == "invariant" else k + 1 for k, row in enumerate(rows)]
    of_hits = [int(n) for n, row in zip(seen, rows, strict=True) if row[1]]
    precision = [Fraction(k + 1, n) for k, n in enumerate(of_hits)]
    best = [max(precision[k:]) for k in range(len(precision))]
    if interpolation == "area":
        return float(sum(best, Fraction(0)) / objects)
    if interpolation == "points":
        values = [next((b for k, b in enumerate(best, 1) if k / objects >= p), Fraction(0)) for p in points]
        return float(sum(values) / len(points))
    end = Fraction(len(best), max(1, len(rows))) if interpolation == "trapezoids_tail" else Fraction(0)
    values = []
    for p in points:
        k = sum(j / objects <= p for j in range(1, objects + 1))
        falling = lambda p: end * (1 - Fraction(p)) * objects / max(1, objects - len(best))  # noqa: E731
        values.append(best[k] if k < len(best) else falling(p))
    steps = itertools.pairwise(zip(points, values, strict=True))
    return float(sum((Fraction(q) - Fraction(p)) * (b + a) / 2 for (p, a), (q, b) in steps))


@RULES
def test_average_precision_equals_fractions(interpolation, policy):
    for seed, points in enumerate((detection.COCO.recall_points, 11, (0.0, 0.07, 0.5, 0.93), (0.25, 1.0))):
        scores, hits, counts, objects = arrays(seed, size=(24, 1, 40, 0)[seed])
        listed = detection.VOC2007.recall_points if points == 11 else points
        more = {} if interpolation == "area" else {"recall_points": points}
        out = average_precision(
            scores, hits, objects, where=counts, interpolation=interpolation, tie_policy=policy, **more
        )
        expected = [by_fractions(scores, x, counts, objects, interpolation, policy, listed) for x in hits]
        np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("interpolation", ["points", "trapezoids", "trapezoids_tail"])
def test_recall_points_next_to_a_recall_are_compared_in_float64(interpolation):
    # 1 - 0.9 is below 1 / 10, and 3 * 0.1 above 3 / 10.
    points = (0.0, 1 - 0.9, 3 * 0.1, 0.5, 1.0)
    scores, hits = np.arange(12) / -16, np.asarray([1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]) == 1
    out = average_precision(scores, hits, 10, interpolation=interpolation, recall_points=points)
    expected = by_fractions(scores, hits, np.ones(12, bool), 10, interpolation, "file", points)
    assert float(out) == pytest.approx(expected, rel=1e-14)


@pytest.mark.proves("eager", "detection.average_precision")
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_average_precision_of_any_library_equals_fractions(xp, interpolation):
    scores, hits, counts, objects = arrays(4, size=16)
    given = [xp.asarray(x) for x in (scores, hits)]
    options = {"interpolation": interpolation, "tie_policy": "invariant"}
    out = average_precision(*given, objects, where=xp.asarray(counts), **options)
    points = detection.COCO.recall_points
    expected = [by_fractions(scores, x, counts, objects, interpolation, "invariant", points) for x in hits]
    tolerance = 8 * float(xp.finfo(out.dtype).eps)
    np.testing.assert_allclose(numbers(out), expected, rtol=tolerance, atol=tolerance)


def evaluated(seed, protocol):
    """A result of one image and class, and its detections as rows: scores, hits and what counts at each threshold."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 12)), int(rng.integers(0, 40))
    boxes = np.arange(n)[:, None] * [20.0, 0, 20, 0] + [0.0, 0, 10, 10]
    found = boxes[rng.integers(0, n, m)] + rng.normal(0, 1, (m, 4)) if n else np.tile([0.0, 0, 1, 1], (m, 1))
    found[rng.random(m) < 0.3] += 1000
    crowd, scores = rng.random(n) < 0.2, rng.integers(0, 12, m) / 16
    result = detection.evaluate(
        detection.Targets(boxes=boxes, labels=np.zeros(n, int), images=np.zeros(n, int), crowd=crowd),
        detection.Detections(boxes=found, scores=scores, labels=np.zeros(m, int), images=np.zeros(m, int)),
        protocol=protocol,
        classes=[0],
        images=[0],
    )
    matches = result.matches
    return result, scores, matches.hits, matches.counts, int((~crowd).sum())


@RULES
def test_average_precision_equals_numbers_of_evaluator_to_the_last_bit(interpolation, policy):
    for seed, threshold in itertools.product(range(3), (0.5, 0.75)):
        protocol = dataclasses.replace(
            detection.COCO,
            iou_thresholds=(threshold,),
            area_ranges=detection.COCO.area_ranges[:1],
            max_detections=(1000,),
            interpolation=interpolation,
            tie_policy=policy,
        )
        result, scores, hits, counts, objects = evaluated(seed, protocol)
        out = average_precision(scores, hits, objects, where=counts, interpolation=interpolation, tie_policy=policy)
        np.testing.assert_array_equal(out, [result.summary["AP"]])


@pytest.mark.proves("eager", "detection.pr_curve")
@pytest.mark.parametrize("policy", POLICIES)
def test_curve_by_hand(xp, policy):
    # Ranks: 0.9 hit; 0.5 missed and 0.5 hit, as the file has them; 0.25 hit; what does not count scores most.
    scores, hits = [0.5, 1.0, 0.5, 0.25, 0.9], [[False, True, True, True, True], [False, False, False, False, True]]
    where = [True, False, True, True, True]
    scores = xp.asarray(scores)
    dtype = scores.dtype
    curve = pr_curve(scores, xp.asarray(hits), xp.asarray([4, 0]) + 1, where=xp.asarray(where), tie_policy=policy)
    nan = math.nan
    until = {"file": [1, 1, 2, 3, nan], "last": [1, 2, 2, 3, nan], "invariant": [1, 2, 2, 3, nan]}[policy]
    seen = {"file": [1, 2, 3, 4, 5], "last": [1, 2, 3, 4, 5], "invariant": [1, 3, 3, 4, 5]}[policy]
    expected = [
        [np.divide(until, seen), np.divide([1, 1, 1, 1, nan], seen)],
        [np.divide(until, 5), [1, 1, 1, 1, nan]],
        [[0.9, 0.5, 0.5, 0.25, nan]] * 2,
    ]
    for column, wanted in zip(curve, expected, strict=True):
        assert column.dtype == dtype
        np.testing.assert_allclose(numbers(column), wanted, rtol=float(xp.finfo(dtype).eps))


@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_shuffled_rows_give_the_same_bits_without_an_order_of_ties(xp, interpolation):
    scores, hits, counts, objects = arrays(5, size=50)
    scores = np.where(np.arange(50) < 40, scores, np.nan)
    counts &= np.arange(50) < 40  # what does not count may be NaN
    outs = []
    for order in (np.arange(50), np.random.default_rng(0).permutation(50)):
        given = [xp.asarray(x[..., order]) for x in (scores, hits, counts)]
        options = {"where": given[2], "tie_policy": "invariant"}
        ap = average_precision(*given[:2], objects, interpolation=interpolation, **options)
        outs.append([numbers(x) for x in (ap, *pr_curve(*given[:2], objects, **options))])
    for one, other in zip(*outs, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("scores", "matched", "objects", "expected"),
    [
        ([], [], 3, 0.0),
        ([], [], 0, math.nan),
        ([0.5], [False], 0, math.nan),
        ([0.5], [True], 2, 0.5),
        ([0.0, -0.0], [False, True], 1, 0.5),  # one score, whatever its sign
        ([math.inf, -math.inf], [False, True], 1, 0.5),
        ([3, 250], [True, False], 1, 0.5),
        ([2**24, 2**24 + 1], [True, False], 1, 0.5),  # one number in float32
    ],
)
def test_edges_by_hand(scores, matched, objects, expected):
    out = average_precision(scores, matched, objects, interpolation="area")
    np.testing.assert_array_equal(out, expected)
    assert all(x.shape == (len(scores),) for x in pr_curve(scores, matched, objects))


def test_leading_axes_of_all_arguments_broadcast():
    scores, hits, counts, _ = arrays(2, size=6, rows=4)
    objects = np.asarray([[6], [7], [9]])
    out = average_precision(np.stack([scores, scores[::-1]])[:, None, None], hits, objects, where=counts)
    assert out.shape == (2, 3, 4)
    alone = average_precision(scores[::-1], hits[2], 9, where=counts)
    np.testing.assert_array_equal(out[1, 2, 2], alone)
    curve = pr_curve(scores, hits[0], objects[:, 0])
    assert {x.shape for x in curve} == {(3, 6)}


def test_dtype_follows_scores():
    floats = [(x, np.dtype(x).name) for x in ("float16", "float32", "longdouble")]
    for dtype, result in (*floats, ("uint8", "float64"), ("int64", "float64")):
        scores = np.asarray([3, 2, 1]).astype(dtype)
        assert average_precision(scores, [True, False, True], 3).dtype == result
        assert {x.dtype.name for x in pr_curve(scores, [True, False, True], 3)} == {result}


def test_what_is_refused_gives_nan_where_values_are_not_known(monkeypatch):
    monkeypatch.setattr(values, "visible", lambda *_: False)
    scores, hits = np.asarray([[0.5, math.nan]] * 2 + [[0.5, 0.25]] * 3), np.asarray([True, True])
    objects = np.asarray([2, 1, 1, 1, 2])
    where = np.asarray([[True, True], [True, False], [True, True], [True, False], [True, True]])
    known = [False, True, False, True, True]
    for interpolation in INTERPOLATIONS:
        out = average_precision(scores, hits, objects, where=where, interpolation=interpolation)
        np.testing.assert_array_equal(~np.isnan(out), known)
    for column in pr_curve(scores, hits, objects, where=where)[:2]:
        np.testing.assert_array_equal(~np.isnan(column), where & np.asarray(known)[:, None])
    assert math.isnan(average_precision([0.5], [False], -1))


def test_recall_without_objects_is_nan():
    curve = pr_curve([0.5, 0.25], [[False, False]] * 2, [0, 1])
    np.testing.assert_array_equal(curve.recall, [[math.nan] * 2, [0, 0]])
    np.testing.assert_array_equal(curve.precision, [[0, 0]] * 2)


def test_area_under_curve_equals_scikit_learn():
    scores, hits = [0.1, 0.4, 0.35, 0.8, 0.4, 0.35], [False, False, True, True, True, True]
    curve = pr_curve(scores, hits, 4, tie_policy="invariant")
    area = (np.diff(curve.recall, prepend=0) * curve.precision).sum()
    assert area == pytest.approx(0.8166666666666667, rel=1e-14)  # average_precision_score(hits, scores) of 1.9.1


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (([0.5, math.nan], [True, False], 1), {}, r"`scores` must be numbers, got nan at \[1\]"),
        (([0.5, 0.4], [True, True], 1), {}, "`num_objects` must be at least the number of true positives, 2, got 1"),
        (([0.5], [[True], [True]], [1, 0]), {}, r"`num_objects\[1\]` must be at least .* 1, got 0"),
        (([0.5], [False], -1), {}, "`num_objects` must be at least"),
        (([0.5], [1], 1), {}, "`matched` must hold booleans"),
        (([0.5], [True], 1.0), {}, "`num_objects` must hold integers"),
        (([0.5], [True], None), {}, "`num_objects` must be given, got None"),
        (([0.5, 0.4], [True], 1), {}, r"`matched` must have shape \(..., 2\)"),
        ((0.5, True, 1), {}, r"`scores` must have shape \(..., M\)"),
        (([0.5], [[True]] * 3, [1, 1]), {}, "leading axes must broadcast"),
        (([0.5], [True], 1), {"where": [1]}, "`where` must hold booleans"),
        (([0.5], [True], 1), {"recall_points": 1}, "`recall_points` must be at least 2"),
        (([0.5], [True], 1), {"recall_points": [0.5, 0.5]}, "`recall_points` must be rising numbers"),
        (([0.5], [True], 1), {"recall_points": 11, "interpolation": "area"}, "`recall_points` are for"),
        (([0.5], [True], 1), {"recall_points": [0.5], "interpolation": "trapezoids"}, "at least two for trapezoids"),
        (([0.5], [True], 1), {"tie_policy": "first"}, "`tie_policy` must be one of"),
    ],
)
def test_wrong_arguments_are_named(given, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        average_precision(*given, **options)
