"""COCO's greedy rule on matrices and on shapes, against the rule written out."""

from typing import NamedTuple

import array_api_compat.numpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import boxes, detection, matching, rotated
from omniou.matching import _coco_greedy
from omniou.matching._coco_greedy import CocoRules, Edges
from tests.helpers import array, integers, numbers

pytestmark = pytest.mark.computes("which pairs overlap decides shapes")


def by_the_rule(overlap, scores, threshold, crowd, ignored):
    """Reference: object of each detection, -1 for none; detections by falling score."""
    matched, taken = [-1] * len(scores), set()
    for row in sorted(range(len(scores)), key=lambda k: -scores[k]):
        free = [k for k in range(len(crowd)) if k not in taken and overlap[row, k] >= min(threshold, 1 - 1e-10)]
        if free:
            best = max(free, key=lambda k: (not ignored[k], overlap[row, k], k))
            matched[row] = best
            if not crowd[best]:
                taken.add(best)
    return matched


def check(matched, overlap, scores, thresholds, crowd, ignore):
    """Compare with the rule, image by image."""
    objects, flags, takers = (numbers(x).astype(int) for x in matched)
    ignored = crowd | ignore
    for image in np.ndindex(overlap.shape[:-2]):
        for t, threshold in enumerate(thresholds):
            expected = by_the_rule(overlap[image], scores[image], threshold, crowd[image], ignored[image])
            assert objects[image][t].tolist() == expected
            assert flags[image][t].tolist() == [k >= 0 and ignored[image][k] for k in expected]
            owner = [
                expected.index(k) if k in expected and not crowd[image][k] else -1 for k in range(len(crowd[image]))
            ]
            assert takers[image][t].tolist() == owner


def scene(seed, shape):
    rng = np.random.default_rng(seed)
    n, m = shape[-2:]
    overlap = np.where(rng.random(shape) < 0.6, 0, rng.integers(0, 21, shape) / 20)  # many ties
    crowd, ignore = (rng.random((*shape[:-2], m)) < share for share in (0.2, 0.2))
    return overlap, rng.integers(0, 4, (*shape[:-2], n)) / 4, crowd, ignore


@pytest.mark.proves("eager", "matching.coco")
@pytest.mark.parametrize("shape", [(7, 5), (2, 3, 12, 6)])
def test_coco_of_matrix_equals_the_rule(xp, shape):
    overlap, scores, crowd, ignore = scene(len(shape), shape)
    thresholds = detection.COCO.iou_thresholds

    matched = matching.coco(
        array(xp, overlap), scores=array(xp, scores), crowd=xp.asarray(crowd), ignore=xp.asarray(ignore)
    )

    assert tuple(matched.objects.shape) == (*shape[:-2], 10, shape[-2])
    assert matched.ignored.dtype == xp.bool
    check(matched, overlap, scores, thresholds, crowd, ignore)


@given(st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 6), st.integers(0, 3))
def test_coco_of_any_matrix_equals_the_rule(seed, n, m, images):
    overlap, scores, crowd, ignore = scene(seed, (images, n, m))
    thresholds = [0.0, 0.25, 0.5, 1.0]

    matched = matching.coco(overlap, scores=scores, thresholds=thresholds, crowd=crowd, ignore=ignore)

    check(matched, overlap, scores, thresholds, crowd, ignore)


def test_coco_of_many_contested_images_equals_the_rule():
    overlap, scores, crowd, ignore = scene(5, (300, 6, 4))

    matched = matching.coco(overlap, scores=scores, thresholds=(0.1, 0.5), crowd=crowd, ignore=ignore)

    check(matched, overlap, scores, (0.1, 0.5), crowd, ignore)


def test_coco_at_100_thresholds_equals_the_rule():
    overlap, scores, crowd, ignore = scene(6, (2, 6, 4))
    thresholds = [k / 100 for k in range(100)]

    check(
        matching.coco(overlap, scores=scores, thresholds=thresholds, crowd=crowd, ignore=ignore),
        *(overlap, scores, thresholds, crowd, ignore),
    )


def test_later_object_wins_among_equals_and_counted_before_ignored():
    overlap = [[0.7, 0.7, 0.9]]

    assert matching.coco(overlap, thresholds=0.5, ignore=[False, False, True]).objects.tolist() == [[1]]
    assert matching.coco(overlap, thresholds=0.8, ignore=[False, False, True]).objects.tolist() == [[2]]


def test_earlier_detection_wins_among_17_equal_scores(xp):
    matched = matching.coco(xp.ones((17, 1), dtype=xp.float32), scores=xp.ones(17, dtype=xp.float32), thresholds=0.5)

    assert integers(matched.objects) == [[0] + [-1] * 16]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("height", [6, 7])
def test_overlap_that_equals_threshold_matches(xp, dtype, height):
    # In float32, 0.6 is rounded up, and 0.7 down.
    threshold = height / 10
    overlap = array(xp, [[10.0 * height]], dtype) / array(xp, [[100.0]], dtype)
    a, b = array(xp, [[0, 0, 10, 10]], dtype), array(xp, [[0, 0, 10, height]], dtype)

    assert integers(matching.coco(overlap, thresholds=[threshold, threshold + 0.01]).objects) == [[0], [-1]]
    assert integers(matching.coco(a, b, thresholds=[threshold, threshold + 0.01]).objects) == [[0], [-1]]


def test_perfect_overlap_less_a_rounding_meets_one(xp):
    assert integers(matching.coco(array(xp, [[1 - 1e-11, 1 - 1e-9]]), thresholds=1.0).objects) == [[0]]


def random_boxes(rng, count):
    low = rng.integers(0, 12, (count, 2))
    return np.concatenate([low, low + rng.integers(1, 9, (count, 2))], axis=1).astype(float)


@pytest.mark.parametrize("tile", [5, 2**18])
def test_coco_of_shapes_in_groups_equals_one_group_after_the_other(xp, monkeypatch, tile):
    monkeypatch.setattr("omniou.matching._coco_pairs.TILE", tile)
    rng = np.random.default_rng(0)
    a, b = random_boxes(rng, 60), random_boxes(rng, 30)
    scores, crowd, ignore = rng.integers(0, 5, 60) / 5, rng.random(30) < 0.2, rng.random(30) < 0.2
    group_a, group_b = rng.integers(0, 7, 60) * 10**12, rng.integers(1, 8, 30) * 10**12

    matched = matching.coco(
        array(xp, a),
        array(xp, b),
        scores=array(xp, scores),
        thresholds=(0.2, 0.5),
        crowd=xp.asarray(crowd),
        ignore=xp.asarray(ignore),
        groups_a=xp.asarray(group_a),
        groups_b=xp.asarray(group_b),
    )

    objects = numbers(matched.objects).astype(int)
    for group in range(8):
        rows, columns = np.flatnonzero(group_a == group * 10**12), np.flatnonzero(group_b == group * 10**12)
        overlap = np.where(
            crowd[columns], *(boxes.iof(a[rows][:, None], b[columns]), boxes.iou(a[rows][:, None], b[columns]))
        )
        for t, threshold in enumerate((0.2, 0.5)):
            place = by_the_rule(overlap, scores[rows], threshold, crowd[columns], (crowd | ignore)[columns])
            assert objects[t][rows].tolist() == [-1 if k < 0 else columns[k] for k in place]


def test_coco_of_matrix_in_groups_and_where():
    overlap = np.ones((3, 2))

    assert matching.coco(overlap, groups_a=[5, 6, 7], groups_b=[6, 5], thresholds=0.5).objects.tolist() == [[1, 0, -1]]
    assert matching.coco(overlap, where=[[True, False]], thresholds=0.5).objects.tolist() == [[0, -1, -1]]


def test_coco_of_rotated_boxes_with_crowd():
    a = [[5, 5, 10, 10, 0.0], [5, 5, 4, 4, 0.5]]
    b = [[5, 5, 10, 10, 0.0]]

    matched = matching.coco(a, b, score=rotated.iou, crowd_score=rotated.iof, crowd=[True], thresholds=0.9)

    assert matched.objects.tolist() == [[0, 0]]
    assert matched.ignored.tolist() == [[True, True]]
    assert matched.detections.tolist() == [[-1]]


def test_coco_equals_evaluator():
    rng = np.random.default_rng(3)
    a, b = random_boxes(rng, 200), random_boxes(rng, 80)
    scores, crowd, ignore = rng.integers(0, 9, 200) / 9, rng.random(80) < 0.1, rng.random(80) < 0.1
    label_a, label_b = rng.integers(0, 3, 200), rng.integers(0, 3, 80)
    image_a, image_b = np.sort(rng.integers(0, 2, 200)), np.sort(rng.integers(0, 2, 80))
    targets = detection.Targets(boxes=b, labels=label_b, images=image_b, crowd=crowd, ignore=ignore)
    detections = detection.Detections(boxes=a, labels=label_a, images=image_a, scores=scores)

    matches = detection.evaluate(targets, detections).matches
    matched = matching.coco(
        *(a, b),
        scores=scores,
        crowd=crowd,
        ignore=ignore,
        groups_a=image_a * 3 + label_a,
        groups_b=image_b * 3 + label_b,
    )

    assert np.array_equal(matched.objects, matches.objects)
    assert (matched.objects >= 0).sum() > 100


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0), (0, 2, 2)])
def test_coco_of_empty_is_empty(xp, shape):
    matched = matching.coco(xp.zeros(shape, dtype=xp.float32), thresholds=(0.5, 0.6))

    assert tuple(matched.objects.shape) == (*shape[:-2], 2, shape[-2])
    assert tuple(matched.detections.shape) == (*shape[:-2], 2, shape[-1])
    assert bool(xp.all(matched.objects == -1))


def test_coco_of_no_shapes_is_empty(xp):
    matched = matching.coco(xp.zeros((0, 4)), xp.zeros((3, 4)), thresholds=0.5)

    assert (tuple(matched.objects.shape), integers(matched.detections)) == ((1, 0), [[-1, -1, -1]])


ONES, BOXES = np.ones((2, 2)), np.array([[0.0, 0, 1, 1], [0, 0, 2, 2]])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([ONES], {"thresholds": 50}, "`thresholds` must be one or several rising numbers from 0 to 1, got 50"),
        ([ONES], {"thresholds": (0.6, 0.5)}, r"`thresholds` must be one or several rising numbers.*\(0.6, 0.5\)"),
        ([ONES], {"thresholds": ()}, "`thresholds` must be one or several"),
        ([ONES], {"thresholds": "half"}, "`thresholds` must be a number, got str"),
        ([ONES], {"scores": [0.5]}, r"`scores` must have shape \(2,\), got \(1,\)"),
        ([ONES], {"scores": [0.5, np.nan]}, r"`scores\[1\]` must be a number, got nan"),
        ([ONES], {"crowd": [0, 1]}, "`crowd` must hold booleans"),
        ([ONES], {"crowd": [True]}, r"`crowd` must have shape \(2,\), got \(1,\)"),
        ([ONES], {"groups_a": [0, 1]}, "`groups_a` and `groups_b` must be given together, got only `groups_a`"),
        ([BOXES, BOXES], {"groups_a": [0.0, 1.0], "groups_b": [0, 1]}, "`groups_a` must hold integers"),
        ([BOXES, BOXES], {"groups_a": [0, 1], "groups_b": [0]}, r"`groups_b` must have shape \(2,\), got \(1,\)"),
        ([BOXES, BOXES], {"where": ONES == 1}, "`where` is for a matrix"),
        ([ONES], {"format": "xywh"}, "`format` is for shapes, and a matrix of overlaps was given"),
        ([ONES], {"score": boxes.giou}, "`score` is for shapes"),
        ([BOXES, BOXES], {"score": boxes.giou, "crowd": [True, False]}, "`crowd_score` must be given"),
        ([np.array([[0.5, np.nan]])], {}, r"`overlap\[0, 1\]` must be a number, got nan"),
        ([BOXES, BOXES * np.nan], {}, "`score` must give numbers, got nan for detection 0 and object 0"),
        ([np.ones(3)], {}, r"`overlap` must have shape \(..., D, G\), got \(3,\)"),
    ],
)
def test_coco_of_bad_argument_raises(arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        matching.coco(*arguments, **options)


def test_coco_of_traced_array_raises():
    jax = pytest.importorskip("jax", reason="jax is not installed")

    with pytest.raises(TypeError, match="`overlap` is traced"):
        jax.jit(lambda x: matching.coco(x).objects)(np.ones((2, 2)))


class Limits(NamedTuple):
    low: float
    high: float


class Objects(NamedTuple):
    pools: object
    crowd: object
    ignore: object
    area: object


@pytest.mark.parametrize("count", [1, 2])
def test_a_match_is_ignored_in_the_area_ranges_that_its_object_is_not_in(count):
    # An object of 500 pixels counts in "all" and in "small", not in "medium"; with one or two candidates.
    objects = Objects(np.zeros(1, int), np.zeros(1, bool), np.zeros(1, bool), np.asarray([500.0]))
    edges = Edges(np.arange(count), np.zeros(count, int), np.full(count, 0.6))
    rules = CocoRules((0.5, 0.75), [Limits(0, 1e10), Limits(0, 1024), Limits(1024, 9216)])
    [(_, entries)] = _coco_greedy.matched(edges, objects, rules, xp=array_api_compat.numpy)
    assert entries.detections.tolist() == [0, 0]
    assert dict(zip(entries.ignored.tolist(), entries.bits.tolist(), strict=True)) == {False: 0b000101, True: 0b010000}
