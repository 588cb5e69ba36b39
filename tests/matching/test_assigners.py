"""The assigners on inputs that users of the peers reported, and in batches, traced, and within a limit of memory."""

from typing import Any

import numpy as np
import pytest

from omniou import matching
from omniou.boxes3d import GEOMETRY as BOXES3D
from omniou.rotated import GEOMETRY as ROTATED
from tests.helpers import array, numbers

U = [0, 0, 10, 10]


@pytest.fixture
def xp(xp: Any) -> Any:
    if "dask" in xp.__name__:
        pytest.skip("lazy arrays are refused: see test_lazy_arrays_are_refused")
    return xp


def test_lazy_arrays_are_refused() -> None:
    dask = pytest.importorskip("dask.array", reason="Dask is not installed")
    with pytest.raises(TypeError, match="`anchors` must be an array that is computed at once"):
        matching.max_iou(dask.ones((1, 4)), [U])


def whole(x: Any) -> Any:
    return numbers(x).astype(int).tolist()


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


def batch(xp: Any, dtype: str = "float32") -> dict[str, Any]:
    """Three images with 2, 0 and 4 objects, padded to 5 by NaN; 48 anchors of two levels."""
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 16, (3, 5, 2))
    objects = np.concatenate([low, low + rng.uniform(8, 16, (3, 5, 2))], axis=-1)
    where = np.arange(5)[None] < np.array([2, 0, 4])[:, None]
    objects[~where] = np.nan
    points = np.concatenate([rng.uniform(4, 24, (32, 2)), rng.uniform(4, 24, (16, 2))])
    strides = np.repeat([4.0, 8.0], [32, 16])
    near = np.where(np.isnan(objects), 0, objects)[np.arange(3)[:, None], rng.integers(0, 4, (3, 48))]
    numeric = {
        "objects": objects,
        "points": points,
        "strides": strides,
        "anchors": np.concatenate([points - 6, points + 6], axis=-1),
        "predictions": near + rng.normal(0, 1.5, (3, 48, 4)),
        "scores": rng.uniform(0.05, 0.95, (3, 48, 3)),
    }
    return {name: array(xp, x, dtype) for name, x in numeric.items()} | {
        "labels": xp.asarray(rng.integers(0, 3, (3, 5))),
        "where": xp.asarray(where),
    }


ASSIGNERS = {
    "max_iou": (("anchors", "objects"), {}),
    "atss": (("anchors", "objects"), {"levels": (32, 16), "topk": 5}),
    "simota": (("predictions", "scores", "points", "strides", "objects", "labels"), {}),
    "task_aligned": (("predictions", "scores", "points", "objects", "labels"), {"topk": 5}),
}


def assign(name: str, x: dict[str, Any], **options: Any) -> Any:
    names, fixed = ASSIGNERS[name]
    return getattr(matching, name)(*(x[n] for n in names), **(fixed | options))


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(numbers(a), numbers(b), rtol=1e-5, atol=1e-6)


PER_IMAGE = ("objects", "labels", "where", "predictions", "scores")


@pytest.mark.parametrize("name", ASSIGNERS)
def test_a_padded_batch_equals_its_images(xp: Any, name: str) -> None:
    x = batch(xp)
    assigned = assign(name, x, where=x["where"])
    assert int(xp.count_nonzero(assigned.states[1, :] == 1)) == 0
    assert int(xp.count_nonzero(assigned.states == 1)) > 5
    for k, size in enumerate((2, 0, 4)):
        one = {n: y[k, ...] if n in PER_IMAGE else y for n, y in x.items()}
        one |= {"objects": one["objects"][:size, ...], "labels": one["labels"][:size]}
        own = assign(name, one)
        assert_same([y[k, ...] for y in assigned[:3]], own[:3])
        assert whole(assigned.counts[k, ...])[:size] == whole(own.counts)
        assert whole(assigned.counts[k, ...])[size:] == [0] * (5 - size)


@pytest.mark.parametrize("name", ASSIGNERS)
def test_a_flat_list_equals_padded_rows(xp: Any, name: str) -> None:
    x = batch(xp)
    padded = assign(name, x, where=x["where"])
    # In any order: the third image first.
    flat = dict(x)
    flat["objects"] = xp.concat([x["objects"][2, :4, :], x["objects"][0, :2, :]])
    flat["labels"] = xp.concat([x["labels"][2, :4], x["labels"][0, :2]])
    images = {} if "predictions" in ASSIGNERS[name][0] else {"images": 3}
    assigned = assign(name, flat, groups=xp.asarray([2, 2, 2, 2, 0, 0]), **images)
    assert_same(assigned[1:3], padded[1:3])
    mine = [row if k == 2 else [y + 4 if y >= 0 else -1 for y in row] for k, row in enumerate(whole(padded.objects))]
    assert whole(assigned.objects) == mine
    assert whole(assigned.counts) == whole(padded.counts[2, :4]) + whole(padded.counts[0, :2])
    labels = padded.take(x["labels"], background=9)
    assert whole(assigned.take(flat["labels"], background=9)) == whole(labels)
    boxes = assigned.take(flat["objects"], background=0)
    assert tuple(boxes.shape) == (3, 48, 4)


@pytest.mark.parametrize("name", ASSIGNERS)
def test_results_do_not_depend_on_the_memory(xp: Any, name: str) -> None:
    x = batch(xp)
    assert_same(assign(name, x, where=x["where"]), assign(name, x, where=x["where"], memory=1))


@pytest.mark.parametrize("name", ASSIGNERS)
def test_narrow_dtypes_are_computed_in_float32(xp: Any, name: str) -> None:
    if not hasattr(xp, "float16"):
        pytest.skip("array-api-strict has no float16")
    x = batch(xp, "float16")
    wide = {n: xp.astype(y, xp.float32) if y.dtype == xp.float16 else y for n, y in x.items()}
    narrow = assign(name, x, where=x["where"])
    assert narrow.scores.dtype == xp.float16
    assert whole(narrow.objects) == whole(assign(name, wide, where=x["where"]).objects)


@pytest.mark.parametrize("name", ["atss", "simota", "task_aligned"])
def test_rotated_boxes_at_no_angle_equal_upright_ones(xp: Any, name: str) -> None:
    x = {
        n: y[0, :2, ...] if n in ("objects", "labels") else y[0, ...] if n in PER_IMAGE else y
        for n, y in batch(xp, "float64").items()
    }
    turned = dict(x)
    for n in ("objects", "anchors", "predictions"):
        low, high = x[n][..., :2], x[n][..., 2:]
        turned[n] = xp.concat([0.5 * (low + high), high - low, xp.zeros_like(low[..., :1])], axis=-1)
    assert_same(assign(name, turned, geometry=ROTATED, score="iou"), assign(name, x, score="iou"))


def test_points_inside_a_turned_rectangle(xp: Any) -> None:
    # A bar along the diagonal: the corner of its upright bounds is outside.
    bar = array(xp, [[10, 10, 20, 4, np.pi / 4]])
    points = array(xp, [[15, 15], [4, 16]])
    assigned = matching.task_aligned(
        array(xp, [[10, 10, 20, 4, np.pi / 4]] * 2),
        array(xp, [[0.5]] * 2),
        points,
        bar,
        xp.asarray([0]),
        geometry=ROTATED,
        score="probiou",
    )
    assert whole(assigned.objects) == [0, -1]


BAD = [
    ("max_iou", {}, {"positive": 1.5}, "`positive` must be in \\[0, 1\\], got 1.5"),
    ("max_iou", {}, {"positive": 0.3, "negative": 0.4}, "`negative` must not be above `positive`, got 0.4 and 0.3"),
    ("max_iou", {}, {"low_quality": "first"}, "`low_quality` must be one of 'best', 'later', got 'first'"),
    ("max_iou", {}, {"images": 3}, "`images` is the number of images of flat objects with `groups`, got 3"),
    ("max_iou", {}, {"score": "gwd"}, "`score` must be a score of which higher is better"),
    ("max_iou", {}, {"memory": 0}, "`memory` must be a positive integer, got 0"),
    ("max_iou", {}, {"format": "rel_xyxy"}, "`format` must state numbers of one unit"),
    ("atss", {}, {"levels": (32, 8)}, "`levels` must add up to the number of anchors, 48, got \\(32, 8\\)"),
    ("task_aligned", {}, {"topk": 0}, "`topk` must be a positive integer, got 0"),
    ("task_aligned", {}, {"picks": "none"}, "`picks` must be one of 'inside', 'all'"),
    ("simota", {}, {"region": "box"}, "`region` must be one of 'centre', 'box_or_centre'"),
    ("simota", {"strides": (slice(0, 3),)}, {}, "`strides` must have one row for each of the 48 `predictions`"),
    ("task_aligned", {"labels": (slice(None), slice(0, 2))}, {}, "`labels` must have one row for each of the 5"),
    ("task_aligned", {"scores": (slice(0, 2),)}, {}, "arguments must have one number of images"),
    ("task_aligned", {"points": (slice(None), slice(0, 1))}, {}, "`points` must have shape \\(..., A, 2\\)"),
    ("simota", {"strides": (None, slice(None))}, {}, "arguments must have one number of images"),
    ("task_aligned", {"objects": (0,)}, {}, "`labels` must have the axes"),
]


@pytest.mark.parametrize(("name", "cut", "options", "message"), BAD)
def test_bad_arguments_are_named(xp: Any, name: str, cut: Any, options: dict[str, Any], message: str) -> None:
    x = batch(xp)
    x |= {n: x[n][(*index, ...)] for n, index in cut.items()}
    with pytest.raises(ValueError, match=message):
        assign(name, x, where=x["where"], **options)


def test_values_out_of_range_are_named(xp: Any) -> None:
    x = batch(xp)
    names = ASSIGNERS["task_aligned"][0]
    real = {"where": x["where"]}
    for change, message in (
        ({"scores": 3.0 * x["scores"]}, r"`scores\[\d+, \d+\]` has numbers outside \[0, 1\], perhaps logits, in \["),
        ({"labels": x["labels"] + 2}, r"`labels\[\d+, \d+\]` has no class from 0 to 2 in \["),
        ({"points": x["points"] * float("inf")}, r"`points.*` is not finite"),
    ):
        wrong = x | change
        with pytest.raises(ValueError, match=message):
            matching.task_aligned(*(wrong[n] for n in names), **real)
    # What is padding may hold anything; without `where` it is an object.
    with pytest.raises(ValueError, match=r"`objects\[0, 2\]` is not finite"):
        matching.task_aligned(*(x[n] for n in names))
    anchors = x["anchors"]
    flat = x["objects"][0, :2, :]
    with pytest.raises(ValueError, match=r"`groups\[1\]` has no image from 0 to 2 in \[3.0\]"):
        matching.max_iou(anchors, flat, groups=xp.asarray([0, 3]), images=3)
    with pytest.raises(ValueError, match="`images` must be given with `groups`"):
        matching.max_iou(anchors, flat, groups=xp.asarray([0, 1]))
    with pytest.raises(TypeError, match="`groups` must hold integers"):
        matching.max_iou(anchors, flat, groups=xp.asarray([0.0, 1.0]), images=3)
    with pytest.raises(ValueError, match="with `groups` the list of objects has no padding"):
        matching.max_iou(anchors, flat, groups=xp.asarray([0, 1]), where=xp.asarray([True, True]), images=3)


def test_options_of_another_type_are_named(xp: Any) -> None:
    x = batch(xp)
    for name, options, message in (
        ("task_aligned", {"grow": 8.0}, "`grow` must be two numbers"),
        ("atss", {"levels": 48}, "`levels` must be a sequence of integers of at least 0, got 48"),
        ("max_iou", {"geometry": "boxes"}, "`geometry` must be a geometry"),
    ):
        with pytest.raises(TypeError, match=message):
            assign(name, x, where=x["where"], **options)


def test_empty_lists_are_no_objects(xp: Any) -> None:
    boxes, scores, points = array(xp, [U]), array(xp, [[0.5]]), array(xp, [[5, 5]])
    assert whole(matching.task_aligned(boxes, scores, points, [], []).objects) == [-1]
    assert whole(matching.max_iou(boxes, [], where=[]).objects) == [-1]


def test_take_refuses_values_of_other_objects(xp: Any) -> None:
    assigned = matching.max_iou(array(xp, [U]), array(xp, [U]))
    with pytest.raises(ValueError, match=r"`values` must have one row for each object, \(1,\), got shape \(2,\)"):
        assigned.take(xp.asarray([1, 2]))


def test_geometries_without_known_insides_are_refused(xp: Any) -> None:

    boxes = array(xp, [[0, 0, 0, 2, 2, 2, 0]])
    with pytest.raises(TypeError, match=r"`geometry` must be boxes.GEOMETRY or rotated.GEOMETRY"):
        matching.atss(boxes, boxes, geometry=BOXES3D)
    assert whole(matching.max_iou(boxes, boxes, geometry=BOXES3D).objects) == [0]
