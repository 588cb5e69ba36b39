"""The assigners on inputs that users of the peers reported."""

from typing import Any

import pytest

from omniou import matching
from tests.helpers import array, numbers
from tests.matching.assigner_cases import U, whole

pytestmark = pytest.mark.computes("see test_lazy_arrays_are_refused")


def test_lazy_arrays_are_refused() -> None:
    dask = pytest.importorskip("dask.array", reason="Dask is not installed")
    with pytest.raises(TypeError, match="`anchors` must be an array that is computed at once"):
        matching.max_iou(dask.ones((1, 4)), [U])


MAX_IOU = [
    # An object that overlaps nothing takes no anchor.
    ([U, [20, 20, 30, 30]], [U, [100, 100, 110, 110]], {}, [0, -1], [1, 0]),
    # An anchor that is the best of two objects: torchvision and detectron2, then mmdet.
    ([U, [0, 0, 10, 2]], [[0, 0, 10, 9], [0, 0, 10, 8]], {"negative": 0.5}, [0, -1], [1, 0]),
    (
        [U, [0, 0, 10, 2]],
        [[0, 0, 10, 9], [0, 0, 10, 8]],
        {"negative": 0.5, "low_quality": "later"},
        [1, -1],
        [1, 0],
    ),
    # An anchor that overlaps nothing is negative also where no overlap is below the threshold.
    ([U], [[50, 50, 60, 60]], {"negative": 0.0}, [-1], [0]),
    # At thresholds that float32 rounds up, the overlap of .6 is positive, and one of .4 not negative.
    ([[0, 0, 10, 6], [0, 0, 10, 4]], [U], {"positive": 0.6, "negative": 0.4, "low_quality": None}, [0, -1], [1, -1]),
    # Two anchors share the highest overlap: both, or the first.
    ([[0, 0, 10, 3], [0, 7, 10, 10]], [U], {}, [0, 0], [1, 1]),
    ([[0, 0, 10, 3], [0, 7, 10, 10]], [U], {"every_best": False}, [0, -1], [1, 0]),
    # The best anchor of an object counts from the least overlap on.
    ([[0, 0, 10, 3]], [U], {"least": 0.3}, [0], [1]),
    ([[0, 0, 10, 3]], [U], {"least": 0.31}, [-1], [0]),
    # Equal overlaps: the first object.
    ([U], [[0, 0, 10, 8], [0, 2, 10, 10]], {}, [0], [1]),
]


@pytest.mark.parametrize(("anchors", "objects", "options", "expected", "states"), MAX_IOU)
def test_max_iou_of_reported_inputs(
    xp: Any, anchors: Any, objects: Any, options: Any, expected: Any, states: Any
) -> None:
    assigned = matching.max_iou(array(xp, anchors, "float32"), array(xp, objects, "float32"), **options)
    assert (whole(assigned.objects), whole(assigned.states)) == (expected, states)
    assert assigned.states.dtype == xp.int8
    assert assigned.scores.dtype == xp.float32


@pytest.mark.proves("eager", "matching.max_iou")
def test_max_iou_of_equal_overlaps_takes_the_first_object_in_every_tile(xp: Any) -> None:
    objects = array(xp, [[0, 0, 10, 8], [0, 2, 10, 10], [0, 1, 10, 9]])
    assert whole(matching.max_iou(array(xp, [U]), objects, memory=1).objects) == [0]


def test_max_iou_leaves_the_far_anchor_negative_beside_a_region_to_ignore(xp: Any) -> None:
    anchors, u = array(xp, [U, [20, 20, 30, 30]]), array(xp, [U])
    assigned = matching.max_iou(anchors, u, ignore=u)
    assert whole(assigned.states) == [-1, 0]
    assert whole(assigned.counts) == [0]
    # More than half of the area is ignored, half of it is not.
    half = matching.max_iou(anchors, u, ignore=array(xp, [[0, 0, 10, 5]]))
    assert whole(half.states) == [1, 0]


def test_max_iou_ignores_regions_of_images_without_objects(xp: Any) -> None:
    anchors = array(xp, [[U, [20, 20, 30, 30]]] * 2)
    regions = array(xp, [[U], [[20, 20, 30, 30]]])
    assigned = matching.max_iou(anchors, xp.zeros((2, 0, 4), dtype=anchors.dtype), ignore=regions)
    assert whole(assigned.states) == [[-1, 0], [0, -1]]
    real = {"ignore_where": xp.asarray([[True], [False]])}
    assigned = matching.max_iou(anchors, xp.zeros((2, 0, 4), dtype=anchors.dtype), ignore=regions, **real)
    assert whole(assigned.states) == [[-1, 0], [0, 0]]
    flat = {"groups": xp.asarray([0]), "ignore_groups": xp.asarray([1, 1])}
    two = array(xp, [[20, 20, 30, 30], [90, 90, 91, 91]])
    assigned = matching.max_iou(anchors, array(xp, [U]), ignore=two, **flat)
    assert whole(assigned.states) == [[1, 0], [0, -1]]


ATSS_ANCHORS = [[0, 0, 1, 10], [0, 0, 5, 10], [5, 0, 10, 10], [0, 5, 10, 10]]  # IoU .1, .5, .5 and .5 with U


@pytest.mark.proves("eager", "matching.atss")
def test_atss_divides_by_one_less_than_the_candidates(xp: Any) -> None:
    anchors, u = array(xp, ATSS_ANCHORS), array(xp, [U])
    assert whole(matching.atss(anchors, u).objects) == [-1, -1, -1, -1]
    assert whole(matching.atss(anchors, u, keep_best=True).objects) == [-1, 0, -1, -1]
    # Of .1, .4 and .6 the mean is .367 and the deviation .252; divided by 3 it would be .206, and .6 be enough.
    three = array(xp, [[0, 0, 1, 10], [0, 0, 4, 10], [0, 0, 10, 6]])
    assert whole(matching.atss(three, u).objects) == [-1, -1, -1]


def test_atss_of_one_candidate_has_no_deviation(xp: Any) -> None:
    anchors = array(xp, [[0, 0, 10, 6], [20, 20, 30, 30]])
    assert whole(matching.atss(anchors, array(xp, [U]), topk=1).objects) == [0, -1]


def test_atss_takes_all_anchors_of_a_level_with_fewer_than_it_may(xp: Any) -> None:
    anchors = array(xp, [[1, 1, 9, 9], [1, 1, 9, 9], [1, 1, 9, 9]])
    assert whole(matching.atss(anchors, array(xp, [U]), levels=(3,), topk=9).objects) == [0, 0, 0]


def test_atss_is_scale_free_but_for_a_margin(xp: Any) -> None:
    anchors = array(xp, [[0, 0, 0.009, 0.01], [0.5, 0.5, 0.51, 0.51]])
    u = array(xp, [[0, 0, 0.01, 0.01]])
    assert whole(matching.atss(anchors, u, topk=1).objects) == [0, -1]
    assert whole(matching.atss(anchors, u, topk=1, margin=0.01).objects) == [-1, -1]


@pytest.mark.proves("eager", "matching.simota")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_simota_counts_ten_overlaps_of_three_tenths_as_three(xp: Any, dtype: str) -> None:
    assigned = matching.simota(
        array(xp, [[0, 0, 10, 3]] * 10, dtype),
        array(xp, [[0.5]] * 10, dtype),
        array(xp, [[5, 5]] * 10, dtype),
        array(xp, [8] * 10, dtype),
        array(xp, [U], dtype),
        xp.asarray([0]),
    )
    # The cheapest three of ten equal ones are the first.
    assert whole(assigned.objects) == [0, 0, 0, -1, -1, -1, -1, -1, -1, -1]
    assert whole(assigned.counts) == [3]


def test_simota_of_scores_and_overlaps_of_zero(xp: Any) -> None:
    boxes, points, strides = array(xp, [[20, 20, 30, 30], U]), array(xp, [[5, 5]] * 2), array(xp, [8, 8])
    for score in ("iou", "giou"):
        assigned = matching.simota(
            boxes, array(xp, [[0.0], [1.0]]), points, strides, array(xp, [U]), xp.asarray([0]), eps=0.0, score=score
        )
        assert whole(assigned.objects) == [-1, 0]
        assert numbers(assigned.scores).tolist() == [0.0, 1.0]


def test_simota_without_candidates_has_no_positive(xp: Any) -> None:
    one = (array(xp, [U]), array(xp, [[0.5]]), array(xp, [[100, 100]]), array(xp, [8]), array(xp, [U]))
    assert whole(matching.simota(*one, xp.asarray([0])).objects) == [-1]


def test_simota_leaves_out_points_at_the_radius(xp: Any) -> None:
    # 1.5 strides of 2 from the centre of the object, (5, 5).
    points = array(xp, [[8, 5], [5, 2], [7.9, 5]])
    arrays = (array(xp, [U] * 3), array(xp, [[0.5]] * 3), points, array(xp, [2, 2, 2]), array(xp, [U]))
    assert whole(matching.simota(*arrays, xp.asarray([0])).objects) == [-1, -1, 0]
    # Inside the object they are candidates of mmdet's rule.
    two = matching.simota(*arrays, xp.asarray([0]), region="box_or_centre")
    assert whole(two.objects) == [0, 0, 0]


def test_simota_of_two_objects_and_one_anchor_counts_the_second_as_bare(xp: Any) -> None:
    one = (array(xp, [U]), array(xp, [[0.5]]), array(xp, [[5, 5]]), array(xp, [8]), array(xp, [U, U]))
    assigned = matching.simota(*one, xp.asarray([0, 0]))
    assert (whole(assigned.objects), whole(assigned.counts)) == ([0], [1, 0])


def test_an_anchor_that_three_objects_take_has_one_owner(xp: Any) -> None:
    objects = array(xp, [[0, 0, 10, 8], U, [0, 0, 10, 9]])
    assigned = matching.task_aligned(
        array(xp, [U]), array(xp, [[0.5]]), array(xp, [[5, 5]]), objects, xp.asarray([0, 0, 0])
    )
    assert (whole(assigned.objects), whole(assigned.counts)) == ([1], [0, 1, 0])


def test_task_aligned_gives_a_contested_anchor_only_to_an_object_that_took_it(xp: Any) -> None:
    assigned = matching.task_aligned(
        array(xp, [[0, 0, 40, 40], [0, 0, 40, 30], [0, 0, 40, 29]]),
        array(xp, [[0.9, 0.0001], [0.01, 0.9], [0.01, 0.9]]),
        array(xp, [[20, 20], [22, 20], [24, 20]]),
        array(xp, [[0, 0, 40, 36], [0, 0, 40, 35], [0, 0, 40, 39]]),
        xp.asarray([0, 0, 1]),
        topk=1,
    )
    assert whole(assigned.objects) == [0, 2, -1]


@pytest.mark.proves("eager", "matching.task_aligned")
def test_task_aligned_takes_the_first_of_equal_anchors(xp: Any) -> None:
    # torch.topk takes 6, 5, 4 and 7 of 8 equal numbers.
    assigned = matching.task_aligned(
        array(xp, [U] * 8), array(xp, [[0.5]] * 8), array(xp, [[5, 5]] * 8), array(xp, [U]), xp.asarray([0]), topk=4
    )
    assert whole(assigned.objects) == [0, 0, 0, 0, -1, -1, -1, -1]


def test_task_aligned_of_fewer_anchors_than_it_may_take(xp: Any) -> None:
    assigned = matching.task_aligned(
        array(xp, [U]), array(xp, [[0.5]]), array(xp, [[5, 5]]), array(xp, [U]), xp.asarray([0]), topk=10
    )
    assert whole(assigned.objects) == [0]


@pytest.mark.parametrize(("grow", "positives"), [(None, 0), ((8.0, 16.0), 4), ((4.0, 4.0), 0)])
def test_task_aligned_with_objects_smaller_than_the_grid(xp: Any, grow: Any, positives: int) -> None:
    # Predictions that overlap the object, around points of a grid of 8 pixels.
    points = array(xp, [[4, 4], [12, 4], [4, 12], [12, 12]])
    assigned = matching.task_aligned(
        array(xp, [[6, 6, 10, 10]] * 4),
        array(xp, [[0.5]] * 4),
        points,
        array(xp, [[7, 7, 9, 9]]),
        xp.asarray([0]),
        grow=grow,
    )
    assert int(xp.count_nonzero(assigned.states == 1)) == positives


def test_background_has_one_id_and_dtype_with_and_without_objects(xp: Any) -> None:
    anchors = array(xp, [U, [20, 20, 30, 30]], "float32")
    assigned = matching.max_iou(anchors, array(xp, [U], "float32"))
    labels = assigned.take(xp.asarray([3]), background=80)
    assert whole(labels) == [3, 80]
    none = matching.max_iou(anchors, xp.zeros((0, 4), dtype=xp.float32))
    assert (whole(none.objects), whole(none.states), whole(none.counts)) == ([-1, -1], [0, 0], [])
    assert none.objects.dtype == assigned.objects.dtype
    assert none.counts.dtype == assigned.counts.dtype
    bare = none.take(xp.zeros(0, dtype=labels.dtype), background=80)
    assert (whole(bare), bare.dtype) == ([80, 80], labels.dtype)


def test_no_anchors_give_empty_results(xp: Any) -> None:
    boxes, u, label = xp.zeros((0, 4)), array(xp, [U]), xp.asarray([0])
    scores, points, strides = xp.zeros((0, 2)), xp.zeros((0, 2)), xp.zeros(0)
    for assigned in (
        matching.max_iou(boxes, u),
        matching.atss(boxes, u),
        matching.simota(boxes, scores, points, strides, u, label),
        matching.task_aligned(boxes, scores, points, u, label),
    ):
        assert tuple(assigned.objects.shape) == (0,)
        assert whole(assigned.counts) == [0]
