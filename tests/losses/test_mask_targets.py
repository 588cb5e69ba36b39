"""Losses of masks: the axis of classes, any number of axes of pixels, several ignored labels, and invalid targets."""

import array_api_compat as compat
import numpy as np
import pytest

from omniou import losses
from tests.helpers import array, assert_close, numbers

m = losses.masks
# One image of two classes and four pixels. Dice losses: 1 - 2 * 1.5 / (2 + 2) and 1 - 2 * 1.5 / (2 + 2).
P = [[[1.0, 0.5, 0.5, 0.0], [0.0, 0.5, 0.5, 1.0]]]
LABELS = [[0, 0, 1, 1]]
MASKS = [[[1, 1, 0, 0], [0, 0, 1, 1]]]
# The same of one class: 1 - 2 * 1.5 / (2 + 2).
ONE, ON = [[[1.0, 0.5, 0.5, 0.0]]], [[1, 1, 0, 0]]


@pytest.mark.parametrize("shape", [(4,), (2, 2), (1, 4), (2, 1, 2), (1, 2, 2, 1)])
def test_any_number_of_axes_of_pixels(xp, shape):
    p, labels = array(xp, P), array(xp, LABELS, "int64")
    p, labels = xp.reshape(p, (1, 2, *shape)), xp.reshape(labels, (1, *shape))
    assert_close(m.dice(p, labels), 0.25, like=p)


@pytest.mark.parametrize(
    ("axis", "order"), [(-1, (0, 2, 3, 1)), (3, (0, 2, 3, 1)), (2, (0, 2, 1, 3)), (0, (1, 0, 2, 3))]
)
def test_classes_may_have_any_axis(xp, axis, order):
    p, masks = (xp.reshape(array(xp, x), (1, 2, 2, 2)) for x in (P, MASKS))
    p, masks = (xp.permute_dims(x, order) for x in (p, masks))
    labels = xp.reshape(array(xp, LABELS, "int64"), (1, 2, 2))
    where = array(xp, [[[True, True], [True, False]]], "bool")
    weight = array(xp, [1.0, 3.0])
    # Without the last pixel: 1 - 3 / (2 + 2) and 1 - 1 / (1 + 1).
    for target in (masks, labels):
        out = m.dice(p, target, class_axis=axis, where=where, class_weight=weight, reduction="none")
        assert_close(out, [[0.25, 3 * 0.5]], like=p)
    # Distances of 1 on class 0, and of -1 on class 1: (2 - 2) / 4 of probabilities.
    distance = xp.permute_dims(xp.reshape(array(xp, [[[1.0] * 4, [-1.0] * 4]]), (1, 2, 2, 2)), order)
    assert_close(m.boundary(p, distance, class_axis=axis, reduction="none"), [[0.5, -0.5]])


def test_several_labels_are_ignored(xp):
    p = array(xp, [[[1.0, 0.5, 0.5, 0.0, 0.7, 0.1], [0.0, 0.5, 0.5, 1.0, 0.3, 0.9]]])
    labels = array(xp, [[0, 0, 1, 1, 7, 255]], "int64")
    for ignored in ([7, 255], (255, 7), {7, 255}):
        assert_close(m.dice(p, labels, ignore_index=ignored), 0.25, like=p)
    one = array(xp, [[[1.0, 0.5, 0.5, 0.0, 1.0, 1.0]]])
    assert_close(m.dice(one, array(xp, [[1, 1, 0, 0, 7, 255]], "uint8"), ignore_index=[7, 255]), 0.25, like=one)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 8, 8, 1), "8 classes on axis 1 and few columns, 1, or classes on the last axis: say `class_axis=1` or"),
        ((2, 8, 8, 3), "8 classes on axis 1 and few columns, 3, or classes on the last axis"),
        (
            (2, 8, 8),
            r"images and classes first, .* got \(2, 8, 8\) as for `target`; if axis 1 has classes, say `class_axis",
        ),
        ((2, 8), r"must have shape \(B, C, height, width, ...\), .* got \(2, 8\)$"),
    ],
)
def test_shapes_that_can_be_read_in_two_ways_raise(shape, message):
    p = np.full(shape, 0.5)
    with pytest.raises(ValueError, match=message):
        m.dice(p, p)
    if len(shape) > 2:
        assert float(m.dice(p, p, class_axis=1)) == float(m.dice(p, p, class_axis=-1)) == 0.5


def test_labels_of_classes_on_the_last_axis_name_the_option():
    with pytest.raises(
        ValueError, match=r"got \(2, 8, 7\); for classes on the last axis of `pred` say `class_axis=-1`$"
    ):
        m.dice(np.full((2, 8, 7, 3), 0.5), np.zeros((2, 8, 7), int))
    with pytest.raises(ValueError, match=r"`class_axis` must be an axis of `pred`, whose shape is \(1, 2, 4\), got 3"):
        m.dice(np.asarray(P), np.asarray(LABELS), class_axis=3)


WRONG = [
    ("uint8", [[[255, 255, 0, 0]]], r"`target\[0, 0, 0\]` lies outside \[0, 1\] in \[255.0\]; .* pass `target > 0`"),
    ("float64", [[[1.0, 0.5, -0.5, 0.0]]], r"`target\[0, 0, 2\]` lies outside \[0, 1\] in \[-0.5\]"),
    ("uint8", [[255, 255, 0, 0]], r"`target\[0, 0\]` is neither 0, 1 nor ignored in \[255.0\]; .* `ignore_index`$"),
]


@pytest.mark.computes("its values are looked at")
@pytest.mark.parametrize(("dtype", "target", "message"), WRONG)
def test_targets_outside_of_0_and_1_raise(xp, dtype, target, message):
    for function in (m.dice, m.recall, m.lovasz_softmax):
        with pytest.raises(ValueError, match=message):
            function(array(xp, ONE), array(xp, target, dtype))


@pytest.mark.computes("its values are looked at")
def test_targets_that_do_not_count_may_hold_anything(xp):
    p, where = array(xp, [[[1.0, 0.5, 0.5, 0.0, 1.0]]]), array(xp, [[True] * 4 + [False]], "bool")
    for target in (array(xp, [[[1, 1, 0, 0, 255]]], "uint8"), array(xp, [[1, 1, 0, 0, 255]], "int64")):
        assert_close(m.dice(p, target, where=where), 0.25, like=p)
    # Interpolation leaves soft masks a little outside.
    soft = array(xp, [[[1.0 + 1e-6, 1.0, -1e-6, 0.0, 0.0]]])
    assert_close(m.dice(p, soft, where=where), 0.25, like=p, ulp=1e11)


@pytest.mark.computes("its values are looked at")
def test_hinge_takes_0_and_1(xp):
    logits = array(xp, [[2.0, -1.0, -3.0, 0.5]])
    with pytest.raises(ValueError, match=r"`target\[0, 0\]` is neither 0, 1 nor ignored in \[255.0\]"):
        m.lovasz_hinge(logits, array(xp, [[255, 255, 0, 0]], "uint8"))
    assert_close(m.lovasz_hinge(logits, array(xp, [[1, 1, 0, 0]], "uint8")), 1.25, like=logits)


@pytest.mark.parametrize(("dtype", "target"), [x[:2] for x in WRONG])
def test_targets_outside_of_0_and_1_give_nan_where_values_cannot_be_looked_at(dtype, target):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    p, wrong = np.asarray(ONE * 2), np.asarray(target * 2, dtype)
    right = np.asarray([MASKS[0][:1]] * 2 if wrong.ndim == 3 else ON * 2, dtype)
    right[0] = wrong[0]  # the other image is right
    assert np.isnan(float(jax.jit(m.dice)(p, wrong)))
    each = numbers(jax.jit(lambda x, y: m.dice(x, y, reduction="none"))(p, right))
    assert np.isnan(each[0, 0])
    assert each[1, 0] == pytest.approx(0.25, abs=1e-6)
    compiled = torch.compile(m.dice, fullgraph=True, backend="aot_eager")
    assert compiled(torch.asarray(p), torch.asarray(right)).isnan()
    x, y = torch.asarray(p)[:, None], torch.asarray(right)[:, None]
    mapped = torch.func.vmap(m.recall)(x, y)
    assert mapped.isnan().tolist() == [True, False]
    gradient = torch.func.vmap(torch.func.grad(m.dice))(x, y)
    assert gradient.isnan().all(dim=(1, 2, 3)).tolist() == [True, False]


def test_lazy_arrays_are_not_computed_for_a_check():
    dask = pytest.importorskip("dask.array")
    p, wrong = dask.from_array(np.asarray(ONE)), dask.from_array(np.asarray(WRONG[0][1]))
    out = m.dice(p, wrong)
    assert compat.is_dask_array(out)
    assert np.isnan(out.compute())


@pytest.mark.parametrize("ignored", ["255", True, 1.0, [1, "2"], {1: 2}])
def test_labels_are_integers(ignored):
    with pytest.raises(
        TypeError, match=r"`ignore_index` must be an integer, got .*; several labels are a list of integers"
    ):
        m.dice(np.asarray(P), np.asarray(LABELS), ignore_index=ignored)
