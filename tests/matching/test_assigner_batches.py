"""The assigners in batches, within a limit of memory, and with bad arguments."""

from typing import Any

import numpy as np
import pytest

from omniou import matching
from omniou.boxes3d import GEOMETRY as BOXES3D
from omniou.rotated import GEOMETRY as ROTATED
from tests.helpers import array
from tests.matching.assigner_cases import ASSIGNERS, PER_IMAGE, U, assert_same, assign, batch, whole

pytestmark = pytest.mark.computes("see test_lazy_arrays_are_refused")


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
    with pytest.raises(ValueError, match=r"`objects\[0, 2\]` is not finite .*: `where` excludes padding"):
        matching.task_aligned(*(x[n] for n in names))
    padded = x | {"objects": xp.ones_like(x["objects"]), "labels": xp.full_like(x["labels"], -100)}
    with pytest.raises(ValueError, match=r"`labels\[0, 0\]` has no class from 0 to 2 in \[-100.0\]: `where` excludes"):
        matching.task_aligned(*(padded[n] for n in names))
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
