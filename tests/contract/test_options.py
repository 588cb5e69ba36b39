"""One rule for numbers as options: what counts as a number, an integer or a bool, and what the refusal says."""

import dataclasses
import decimal
import fractions

import numpy as np
import pytest

from omniou import boxes, detection, losses, matching, nms, segmentation
from omniou._catalogue import calls
from omniou._lib import checks

NUMBERS = [2, 2.0, np.int8(2), np.float16(2), np.asarray(2, ">i4"), np.asarray(2.0, ">f8"), fractions.Fraction(2)]
INTEGERS = [2, np.int64(2), np.uint8(2), np.asarray(2, ">u2")]
NEITHER = [None, "2", np.str_("2"), b"2", True, np.True_, np.asarray(True), [2], np.asarray([2]), 2j, np.complex64(2)]
NEITHER += [np.timedelta64(2, "s"), np.asarray(None), np.asarray("2")]


@pytest.mark.parametrize("x", [*NUMBERS, decimal.Decimal(2)])
def test_numbers_become_floats(x):
    assert repr(checks.number("x", x)) == "2.0"


@pytest.mark.parametrize("x", INTEGERS)
def test_integers_become_python_integers(x):
    assert repr((checks.integer("x", x), checks.count("x", x), checks.labels("x", x))) == "(2, 2, (2,))"


@pytest.mark.parametrize("x", NEITHER)
def test_neither_is_a_number(x):
    with pytest.raises(TypeError, match="`x` must be a number, got "):
        checks.number("x", x)
    with pytest.raises(TypeError, match="`x` must be an integer, got "):
        checks.integer("x", x)


@pytest.mark.parametrize("x", [2.0, np.float64(2), np.asarray(2.0), fractions.Fraction(2)])
def test_fraction_without_remainder_is_no_integer(x):
    with pytest.raises(TypeError, match="`x` must be an integer, got "):
        checks.integer("x", x)


@pytest.mark.parametrize("x", [np.nan, np.inf, np.float32("-inf"), np.asarray(np.nan), 10**400])
def test_number_that_is_not_finite_is_refused(x):
    with pytest.raises(ValueError, match="`x` must be finite"):
        checks.number("x", x)


def test_number_of_classes_that_wraps_or_is_an_array():
    with pytest.raises(ValueError, match=r"`x` must be a positive integer, got .*0.*, and uint8 starts anew"):
        checks.count("x", np.asarray(0, "uint8"))
    with pytest.raises(ValueError, match=r"got 0$"):
        checks.count("x", 0)
    torch = pytest.importorskip("torch")
    for f in (segmentation.confusion, segmentation.check):
        with pytest.raises(ValueError, match=r"from 0 to 1, got 255 .*pass `ignore_index=255`"):
            f(np.asarray([0, 255]), np.asarray([0, 1]), torch.asarray(2))


def test_bools():
    assert [checks.flag("x", x) for x in (True, np.True_, np.asarray(False))] == [True, True, False]
    for x in (1, np.int64(1), "yes", None):
        with pytest.raises(TypeError, match="`x` must be True or False, got "):
            checks.flag("x", x)


def test_labels_of_an_array():
    assert checks.labels("x", np.asarray([255, 0, 255], "uint8")) == (0, 255)
    with pytest.raises(TypeError, match=r"`x` must be an integer, got .*; several labels are a list of integers"):
        checks.labels("x", np.asarray([0.5]))


def test_number_of_numpy_has_the_plan_of_the_number_of_python(monkeypatch):
    plans = {}
    monkeypatch.setattr(calls, "_SETTLED", plans)
    a = np.asarray([[0.0, 0.0, 2.0, 2.0]])
    for eps, offset in ((0.25, 1.0), (np.float64(0.25), np.asarray(1.0)), (np.float32(0.25), np.float16(1))):
        assert boxes.iou(a, a, eps=eps, offset=offset) == 9 / 9.25
    assert len(plans) == 1


def test_tensor_as_an_option():
    torch = pytest.importorskip("torch")
    x = torch.asarray([[0.0, 0.0, 2.0, 2.0]])
    assert boxes.iou(x, x + 1, offset=torch.asarray(1)) == boxes.iou(x, x + 1, offset=1.0)
    # A scalar that changes in place must not find the plan of its old value.
    eps = torch.asarray(1.0)
    assert boxes.iou(x, x + 1, eps=eps) == 1 / 8
    eps += 1
    assert boxes.iou(x, x + 1, eps=eps) == torch.asarray(1 / 9)
    with pytest.raises(TypeError, match=r"`eps` must be a number, got a tensor that requires a gradient.*`x.item\(\)`"):
        boxes.iou(x, x, eps=torch.asarray(1.0, requires_grad=True))
    with pytest.raises(TypeError, match=r"`eps` must be a number, got .*not known"):
        boxes.iou(x, x, eps=torch.asarray(1.0, device="meta"))


def test_traced_number_is_refused_by_name():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray([[0.0, 0.0, 2.0, 2.0]])
    for traced in (jax.jit, jax.grad):
        with pytest.raises(TypeError, match=r"`eps` must be a number, got .*not known while a function is traced"):
            traced(lambda eps: boxes.iou(x, x, eps=eps)[0])(0.5)


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_arrays_of_numpy_as_options_join_the_library_of_the_arrays(library):
    xp = pytest.importorskip(library)
    x, y = (xp.asarray([[0.0, 0, 2, 2], [0, 0, 2, k]], dtype=xp.float32) for k in (2, 1))
    kept, weight = np.asarray([False, True]), np.asarray([1.0, 3.0], ">f8")
    out = losses.iou(x, y, where=kept, weight=weight)
    assert type(out) is type(x)
    assert out.dtype == x.dtype
    assert out.tolist() == [0.0, 1.5]
    mean = losses.running_mean(np.float32(1), x, y, momentum=np.float32(0.5), where=kept)
    assert type(mean) is type(x)
    assert mean.tolist() == 0.75
    groups = np.asarray([0, 1])
    assert nms.hard(x, xp.asarray([0.5, 0.25]), np.float32(0.5), groups=groups).tolist() == [0, 1]
    fused = nms.weighted_fusion(x, xp.asarray([0.5, 0.25]), 0.5, models=groups, weights=np.asarray([1, 1]))
    assert fused.scores.tolist() == [0.375]
    cost = xp.asarray([[np.nan, 1.0], [2.0, 5.0]])
    assert matching.hungarian(cost, where=~np.isnan(np.asarray(cost)), partial=True).tolist() == [1, 0]
    labels = xp.asarray([0, 1])
    assert segmentation.confusion(labels, labels, np.int64(2), where=kept).tolist() == [[0, 0], [0, 1]]
    with pytest.raises(TypeError, match=r"must be arrays of one library, got .* for `a`, numpy for `b`"):
        boxes.iou(x, np.asarray(y))


@pytest.mark.parametrize("sizes", [np.asarray([1, 1]), (np.int64(1), np.uint8(1)), range(1, 2)])
def test_sizes_of_images_of_numpy(sizes):
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    logits, given = np.ones((len(sizes), 2, 2)), np.full((len(sizes), 2, 4), 0.5)
    labels, targets = np.zeros(len(sizes), int), np.full((len(sizes), 4), 0.5)
    expected = matching.detr_cost(logits, given, labels, targets, sizes=[1] * len(sizes))
    cost = matching.detr_cost(logits, given, labels, targets, sizes=sizes)
    assert np.array_equal(cost, expected)
    assert matching.hungarian(cost, sizes=sizes).shape == (len(sizes), 2)
    with pytest.raises(TypeError, match="`sizes` must be a list of integers of at least 0, got "):
        matching.hungarian(cost, sizes=np.asarray(sizes, float))


@pytest.mark.parametrize("loss", ["iomin", "recall"])
def test_gradients_of_empty_masks_are_finite_also_inside(loss):
    jax = pytest.importorskip("jax")
    empty = jax.numpy.zeros((1, 1, 2, 2))
    with jax.debug_infs(True), jax.debug_nans(True):
        gradient = jax.grad(lambda x: getattr(losses.masks, loss)(x, empty))(empty)
    assert not gradient.any()


def test_gradient_of_masked_siou_is_finite_also_inside():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray([[0.0, 0.0, 2.0, 2.0], [jax.numpy.nan] * 4])
    target = jax.numpy.asarray([[0.0, 0.0, 2.0, 1.0]])
    kept, weight = jax.numpy.asarray([True, False]), jax.numpy.asarray([2.0, 1.0])
    with jax.debug_infs(True):
        gradient = jax.grad(lambda x: losses.siou(x, target, where=kept, weight=weight).sum())(x)
    assert gradient[1].tolist() == [0.0] * 4


def test_thresholds_of_arange_include_the_ones_of_ap50_and_ap75():
    protocol = dataclasses.replace(detection.COCO, iou_thresholds=np.arange(0.5, 1, 0.05), crowds=np.str_("once"))
    assert protocol.iou_thresholds[5] != 0.75
    assert type(protocol.crowds) is str
    object_ = {"boxes": [[0, 0, 10, 10]], "labels": [0]}
    result = detection.evaluate([object_], [object_ | {"scores": [0.5]}], protocol=protocol)
    summaries = result.summary, detection.sketch(result.state).summary
    assert [round(summary[name], 9) for summary in summaries for name in ("AP50", "AP75")] == [1.0] * 4
    assert result.operating_points(np.float32(0.55)).iou_threshold == protocol.iou_thresholds[1]
    with pytest.raises(ValueError, match="`iou_threshold` must be one of the protocol's"):
        result.operating_points(0.551)
