"""Losses of masks: values, options and gradients, on every array library."""

from functools import partial

import array_api_compat as compat
import numpy as np
import pytest

from omniou import losses
from omniou import masks as scores
from tests.helpers import array, assert_close, numbers

m = losses.masks
ON_CLASSES = {
    "jaccard": m.jaccard,
    "smooth jaccard": partial(m.jaccard, smooth=1.0),
    "dice": m.dice,
    "squared dice": partial(m.dice, squared=True, smooth=0.5),
    "generalised dice": m.generalised_dice,
    "simple generalised dice": partial(m.generalised_dice, weighting="simple", smooth=0.1),
    "uniform generalised dice": partial(m.generalised_dice, weighting="uniform"),
    "tversky": partial(m.tversky, alpha=0.3, beta=0.7),
    "focal tversky": m.focal_tversky,
    "lovasz softmax": m.lovasz_softmax,
    "all lovasz softmax": partial(m.lovasz_softmax, classes="all"),
}
sorts = pytest.mark.computes("sorts pixels")


def lazy(xp, name):
    """Dask has neither a sort nor a choice along an axis."""
    if "lovasz" in name and compat.is_dask_namespace(xp):
        pytest.skip("Dask cannot sort along an axis")


# ---- references: the formulas of the papers, for one row of pixels of each class


def of_row(name, p, t):
    """(K,), (K,) -> the loss of a class."""
    if "lovasz" in name:
        return lovasz(np.abs(t - p), t)
    inter, fp, fn = (p * t).sum(), (p * (1 - t)).sum(), ((1 - p) * t).sum()
    return {
        "jaccard": 1 - inter / (inter + fp + fn),
        "smooth jaccard": 1 - (inter + 1) / (inter + fp + fn + 1),
        "dice": 1 - 2 * inter / (p.sum() + t.sum()),
        "squared dice": 1 - (2 * inter + 0.5) / ((p**2).sum() + (t**2).sum() + 0.5),
        "tversky": 1 - inter / (inter + 0.3 * fp + 0.7 * fn),
        "focal tversky": (1 - inter / (inter + 0.3 * fp + 0.7 * fn)) ** 0.75,
    }[name]


def lovasz(errors, t):
    """The Lovasz extension of 1 - IoU by its definition: the sum of errors times what each adds, largest first."""
    order = np.argsort(-errors, kind="stable")
    total, wrong, before = 0.0, np.zeros(t.size, dtype=bool), 0.0
    for k in order:
        wrong[k] = True
        found = np.where(wrong, 1 - t, t) > 0.5
        union = (found | (t > 0.5)).sum()
        now = 1 - (found & (t > 0.5)).sum() / union if union else 0.0
        total, before = total + errors[k] * (now - before), now
    return total


def generalised(name, p, t):
    """(C, K), (C, K) -> the loss of all classes."""
    kind = name.split()[0]
    areas = t.sum(1)
    power = {"generalised": 2, "simple": 1, "uniform": 0}[kind]
    weights = np.asarray([1.0 / a**power if a else 0.0 for a in areas])
    weights[areas == 0] = weights.max() or 1.0
    weights /= weights.max()
    smooth = 0.1 if kind == "simple" else 0.0
    both = (weights * (p.sum(1) + t.sum(1))).sum()
    return 1 - (2 * (weights * (p * t).sum(1)).sum() + smooth) / (both + smooth)


def expected_of(name, p, t, kept, *, weight=None, per="image"):
    """(B, C, K), (B, C, K), (B, K) -> the mean loss."""
    if per == "batch":
        p, t = (np.concatenate(list(x), axis=-1)[None] for x in (p, t))
        kept = kept.reshape(1, -1)
    weight = np.ones(p.shape[1]) if weight is None else weight
    images = []
    for all_p, all_t, own in zip(p, t, kept, strict=True):
        if not own.any():
            continue
        own_p, own_t = all_p[:, own], all_t[:, own]
        if "generalised" in name:
            images.append(generalised(name, own_p, own_t))
            continue
        pairs = [(of_row(name, x, y), w) for x, y, w in zip(own_p, own_t, weight, strict=True)]
        if name == "lovasz softmax":
            pairs = [pair for pair, y in zip(pairs, own_t, strict=True) if y.any()]
        images.append(sum(v * w for v, w in pairs) / sum(w for _, w in pairs))
    return np.mean(images)


def sample(classes=3, seed=0, size=(4, 5)):
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 2, (3, classes, *size))
    labels = rng.integers(0, max(classes, 2), (3, *size))
    labels[0][labels[0] == 0] = 1  # an absent class
    labels[1, :2] = 7
    labels[2] = 7  # nothing counts
    return logits, labels


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def flat(x):
    return x.reshape(*x.shape[:2], -1)


def one_hot(labels, classes):
    return (labels[:, None] == np.arange(classes)[:, None, None]).astype(float)


@pytest.mark.compiles("dice", "generalised dice", "focal tversky", "lovasz softmax")
@pytest.mark.parametrize("name", ON_CLASSES)
@pytest.mark.parametrize("per", ["image", "batch"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_losses_equal_the_formulas_of_the_papers(xp, name, per, dtype):
    lazy(xp, name)
    logits, labels = sample()
    p, t, kept = flat(softmax(logits)), flat(one_hot(labels, 3)), (labels != 7).reshape(3, -1)
    expected = expected_of(name, p, t, kept, per=per)
    given = array(xp, logits, dtype)
    out = ON_CLASSES[name](given, xp.asarray(labels), activation="softmax", ignore_index=7, per=per)
    assert_close(out, expected, like=given, ulp=32)


@pytest.mark.compiles("dice", "generalised dice", "focal tversky", "lovasz softmax")
@pytest.mark.parametrize("name", ON_CLASSES)
def test_masks_of_classes_and_where_equal_labels(xp, name):
    lazy(xp, name)
    logits, labels = sample()
    logits[2] = np.nan  # what is left out may hold anything
    given = array(xp, logits)
    options = {"activation": "softmax", "where": xp.asarray(labels != 7)}
    expected = numbers(ON_CLASSES[name](given, xp.asarray(labels), ignore_index=7, activation="softmax"))
    assert np.isfinite(expected)
    for dtype in ("bool", "int64", "float64"):
        assert_close(ON_CLASSES[name](given, array(xp, one_hot(labels, 3), dtype), **options), expected, ulp=16)


@pytest.mark.compiles("dice", "generalised dice", "focal tversky", "lovasz softmax")
@pytest.mark.parametrize("name", [x for x in ON_CLASSES if "generalised" not in x])
def test_class_weights_and_reductions(xp, name):
    lazy(xp, name)
    logits, labels = sample()
    p, weight = softmax(logits), np.asarray([1.0, 0.0, 3.0])
    kept = (labels != 7).reshape(3, -1)
    expected = expected_of(name, flat(p), flat(one_hot(labels, 3)), kept, weight=weight)
    call = partial(ON_CLASSES[name], array(xp, p), xp.asarray(labels), ignore_index=7, class_weight=array(xp, weight))
    assert_close(call(), expected, ulp=32)
    each = numbers(call(reduction="none"))
    assert each.shape == (3, 3)
    assert (each[2] == 0).all()
    assert (each[:, 1] == 0).all()
    assert_close(call(reduction="sum"), each.sum(), ulp=16)
    assert numbers(call(reduction="none", per="batch")).shape == (3,)
    assert_close(xp.sum(call(reduction="image")) / 2, call(reduction="mean"), ulp=16)  # of the third no pixel counts
    assert_close(call(reduction="image", per="batch"), call(reduction="mean", per="batch"), ulp=16)


def test_generalised_dice_takes_class_weights(xp):
    # Areas 1 and 3, so squared weights 1 and 1 / 9; class weights make them 2 and 1 / 3.
    p = array(xp, [[[[1.0, 0.5, 0.0, 0.0]], [[0.0, 0.5, 1.0, 1.0]]]])
    out = m.generalised_dice(p, [[[0, 1, 1, 1]]], class_weight=[2.0, 3.0], reduction="none")
    assert_close(out, [1 - 2 * (2 * 1 + 2.5 / 3) / (2 * 2.5 + 5.5 / 3)])
    assert_close(m.generalised_dice(p, [[[0, 1, 1, 1]]]), 1 - 2 * (1 + 2.5 / 9) / (2.5 + 5.5 / 9))


def test_losses_of_one_class(xp):
    rng = np.random.default_rng(0)
    logits, t = rng.normal(size=(2, 1, 3, 4)), rng.integers(0, 2, (2, 3, 4))
    p = 1 / (1 + np.exp(-logits))
    soft = numbers(scores.soft_iou(p[:, 0], t))
    for target in (xp.asarray(t), xp.asarray(t[:, None]), xp.asarray(t == 1)):
        assert_close(m.jaccard(array(xp, logits), target, activation="sigmoid"), (1 - soft).mean(), ulp=16)
    assert_close(m.dice(array(xp, p), xp.asarray(t), smooth=1.0), 1 - scores.soft_dice(p[:, 0], t, smooth=1.0).mean())


def test_losses_of_absent_classes(xp):
    """Class 1 is nowhere, and predicted a little: its loss is 1, less with smoothing, and left out if asked for."""
    p = array(xp, [[[[0.5, 1.0]], [[0.5, 0.0]]]])
    labels = xp.asarray([[[0, 0]]])
    assert_close(m.jaccard(p, labels, reduction="none"), [[0.25, 1.0]])
    assert_close(m.jaccard(p, labels, reduction="none", smooth=1.0), [[1 - 2.5 / 3, 1 - 1 / 1.5]])
    assert_close(m.jaccard(p, labels, classes="present"), 0.25)


def test_an_ignored_label_that_is_a_class_leaves_its_predictions_to_cost(xp):
    p = array(xp, [[[[1.0, 0.5, 0.0]], [[0.0, 0.5, 1.0]]]])
    # Pixel 2 is ignored: class 1 has no pixel, and 0.5 of it is predicted.
    assert_close(m.jaccard(p, xp.asarray([[[0, 0, 1]]]), ignore_index=1, reduction="none"), [[0.25, 1.0]])


@pytest.mark.proves("eager", "losses.masks.lovasz_softmax", "losses.masks.lovasz_hinge")
@sorts
def test_lovasz_of_hard_masks_is_one_minus_iou(xp):
    rng = np.random.default_rng(0)
    p, t = rng.random((2, 4, 1, 6, 7)) < 0.6
    iou = scores.iou(p[:, 0], t[:, 0])
    assert_close(m.lovasz_softmax(array(xp, p), xp.asarray(t), reduction="none"), (1 - iou)[:, None], ulp=16)
    # Logits of -1 and 1 have hinge losses of 2 where they are wrong.
    assert_close(
        m.lovasz_hinge(array(xp, 2.0 * p[:, 0] - 1), xp.asarray(t[:, 0]), reduction="none"), 2 * (1 - iou), ulp=16
    )


@sorts
@pytest.mark.parametrize("per", ["image", "batch"])
@pytest.mark.parametrize("shape", [(3, 11), (3, 4, 5), (3, 2, 3, 4)])
def test_lovasz_hinge_equals_its_definition(xp, per, shape):
    rng = np.random.default_rng(1)
    logits, t = rng.normal(0, 2, shape), rng.integers(0, 2, shape)
    t[0], t[1].flat[:4] = 0, 255
    rows = [(x[y != 255], y[y != 255]) for x, y in zip(logits.reshape(3, -1), t.reshape(3, -1), strict=True)]
    if per == "batch":
        rows = [tuple(np.concatenate(x) for x in zip(*rows, strict=True))]
    expected = [lovasz(np.maximum(1 - x * (2 * y - 1), 0), y.astype(float)) for x, y in rows]
    call = partial(m.lovasz_hinge, array(xp, logits), xp.asarray(t), ignore_index=255, per=per)
    assert_close(call(), np.mean(expected), ulp=32)
    assert_close(call(reduction="sum"), sum(expected), ulp=32)
    assert_close(
        m.lovasz_hinge(array(xp, logits), xp.asarray(t == 1), where=xp.asarray(t != 255), per=per),
        np.mean(expected),
        ulp=32,
    )


@sorts
def test_lovasz_weights_keep_their_digits_in_float32():
    """Differences of 1 - IoU would be wrong by some percent here."""
    rng = np.random.default_rng(0)
    p, t = rng.random((1, 1, 1500, 1000)), rng.random((1, 1500, 1000)) < 0.5
    exact = m.lovasz_softmax(p, t.astype(int))
    assert float(m.lovasz_softmax(p.astype("float32"), t.astype(int))) == pytest.approx(float(exact), rel=2e-6)


@pytest.mark.proves("eager", "losses.masks.boundary")
def test_boundary_loss_by_hand(xp):
    p = array(xp, [[[[0.0, 0.5, 1.0, 1.0]], [[1.0, 0.5, 0.0, 0.0]]]] * 2)
    distance = array(xp, [[[[2.0, 1.0, 0.0, -1.0]], [[-1.0, 0.0, 1.0, 2.0]]]] * 2)
    assert_close(m.boundary(p, distance, reduction="none"), [[-0.5 / 4, -1 / 4]] * 2, like=p)
    assert_close(m.boundary(p, distance, class_weight=[3.0, 1.0]), (3 * -0.125 - 0.25) / 4)
    where = xp.asarray([[[False, True, True, True]], [[False] * 4]])
    assert_close(m.boundary(p, distance, where=where), (-0.5 / 3 + 0) / 2)
    assert_close(m.boundary(p, distance, where=where, per="batch", reduction="none"), [-0.5 / 3, 0.0])
    with pytest.raises(ValueError, match="`ignore_index` is a label, and distances have none"):
        m.boundary(p, distance, ignore_index=1)


@pytest.mark.parametrize("name", ON_CLASSES)
@pytest.mark.parametrize("shape", [(0, 2, 3, 4), (2, 2, 0, 4)])
def test_losses_of_nothing_are_zero(xp, name, shape):
    lazy(xp, name)
    pred, labels = xp.zeros(shape, dtype=xp.float32), xp.zeros((shape[0], *shape[2:]), dtype=xp.int64)
    assert_close(ON_CLASSES[name](pred, labels), 0.0, like=pred)
    assert_close(ON_CLASSES[name](pred, labels, per="batch"), 0.0, like=pred)


@pytest.mark.parametrize("name", ["jaccard", "dice", "lovasz softmax"])
def test_narrow_dtypes_are_summed_wide(xp, name):
    lazy(xp, name)
    if not hasattr(xp, "float16"):
        pytest.skip("no float16 in this library")
    pred = xp.full((1, 1, 300, 300), 0.5, dtype=xp.float16)
    target = xp.ones((1, 300, 300), dtype=xp.uint8)
    loss = ON_CLASSES[name](pred, target)
    assert loss.dtype == xp.float32
    # The 90,000 steps of the Lovasz extension are rounded in float32.
    assert float(loss) == pytest.approx({"dice": 1 / 3}.get(name, 0.5), rel=5e-4 if "lovasz" in name else 1e-6)
    assert ON_CLASSES[name](pred, target, reduction="none").dtype == xp.float16


def test_unsigned_labels_with_a_negative_ignore_index(xp):
    p = array(xp, [[[[0.5]], [[0.5]]]])
    assert_close(m.jaccard(p, array(xp, [[[156]]], "uint8"), ignore_index=-100, smooth=1.0), 1 - 1 / 1.5)


# ---- invalid input

P = np.full((2, 3, 4, 5), 0.5)
T = np.zeros((2, 4, 5), dtype=int)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: m.dice(P[:, 0], T),
            ValueError,
            r"`pred` must have shape \(B, C, height, width, ...\), .* got \(2, 4, 5\)",
        ),
        (lambda: m.dice(P, T[:, :3]), ValueError, r"`target` must have shape \(2, 4, 5\) for labels or \(2, 3, 4, 5\)"),
        (
            lambda: m.dice(P.astype(int), T),
            TypeError,
            "`pred` must have a floating dtype to have a gradient, got int64",
        ),
        (lambda: m.dice(P, T * 1.0), TypeError, r"`target` of shape \(B, ...\) must hold labels, integers, got dtype"),
        (lambda: m.dice(P, T, activation="relu"), ValueError, "`activation` must be one of 'none', .* got 'relu'"),
        (lambda: m.dice(P, T, per="pixel"), ValueError, "`per` must be one of 'image', 'batch', got 'pixel'"),
        (lambda: m.dice(P, T, classes="some"), ValueError, "`classes` must be one of 'all', 'present', got 'some'"),
        (lambda: m.dice(P, T, reduction="max"), ValueError, "`reduction` must be one of"),
        (lambda: m.dice(P[:, :1], T, activation="softmax"), ValueError, "'softmax' needs two classes or more"),
        (lambda: m.dice(P, T, smooth=-1.0), ValueError, "`smooth` must be finite and at least 0"),
        (lambda: m.dice(P, T, class_weight=[1.0]), ValueError, r"`class_weight` must have shape \(3,\), got \(1,\)"),
        (lambda: m.dice(P, T, where=np.ones((2, 1, 4, 5), bool)), ValueError, r"`where` must broadcast to the pixels"),
        (lambda: m.dice(P, T, where=T), TypeError, "`where` must hold booleans"),
        (lambda: m.dice(P, T, ignore_index=1.0), TypeError, "`ignore_index` must be an integer, got 1.0"),
        (lambda: m.dice(P, P, ignore_index=1), ValueError, "`ignore_index` is a label: `target` must have shape"),
        (lambda: m.generalised_dice(P, T, weighting="cube"), ValueError, "`weighting` must be one of 'square'"),
        (lambda: m.generalised_dice(P, T, classes="present"), TypeError, "unexpected keyword argument 'classes'"),
        (lambda: m.tversky(P, T, alpha=-1), ValueError, "`alpha` must be finite and at least 0"),
        (lambda: m.focal_tversky(P, T, gamma=0), ValueError, "`gamma` must be above 0"),
        (lambda: m.lovasz_hinge(P, T), ValueError, r"`logits` and `target` must have one shape \(B, ...\), got"),
        (lambda: m.lovasz_hinge(P, P), TypeError, "`target` must hold booleans or integers, got dtype float64"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.computes("its values are looked at")
def test_check_names_the_first_wrong_value(xp):
    p, t = array(xp, P), xp.asarray(T)
    m.check(p, t)
    m.check(10 * p, t, activation="softmax")
    with pytest.raises(ValueError, match=r"`pred\[0, 0, 0, 0\]` is no probability in \[5.0\]"):
        m.check(10 * p, t)
    labels = T.copy()
    labels[1, 2, 3] = 3
    with pytest.raises(ValueError, match=r"`target\[1, 2, 3\]` is none of the 3 classes, nor ignored in \[3.0\]"):
        m.check(p, xp.asarray(labels), ignore_index=255)
    m.check(p, xp.asarray(labels), ignore_index=3)
    with pytest.raises(ValueError, match=r"`target\[0, 0, 0, 0\]` lies outside \[0, 1\] in \[-0.5\]"):
        m.check(p, p - 1)


@pytest.mark.parametrize(("classes", "activation"), [(1, "sigmoid"), (3, "softmax")])
def test_check_names_the_activation_of_logits(classes, activation):
    with pytest.raises(ValueError, match=rf'is no probability in \[-2.0\]: `activation="{activation}"` is for logits$'):
        losses.masks.check(np.full((1, classes, 1, 2), -2.0), np.zeros((1, 1, 2), dtype=int))
