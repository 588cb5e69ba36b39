"""Confusion counts of label maps, and the scores from them, in every library."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omniou import segmentation
from omniou._kernels import segmentation as kernels
from tests.helpers import array, assert_close, numbers
from tests.places import shared, vectors

# Four pixels of class 0, three of class 1, none of class 2, and two that are ignored.
TARGET = [[0, 0, 0], [0, 1, 1], [1, 255, 255]]
PREDICTION = [[0, 0, 1], [2, 1, 1], [255, 0, 255]]
DTYPES = ["uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
SCORES = ["iou", "dice", "precision", "recall"]


def by_loops(target, prediction, count, ignored, *, column):
    """Pixel by pixel."""
    out = [[0] * (count + column) for _ in range(count)]
    for t, p in zip(np.ravel(target).tolist(), np.ravel(prediction).tolist(), strict=True):
        if t == ignored or not 0 <= t < count:
            continue
        if 0 <= p < count:
            out[t][p] += 1
        elif column:
            out[t][count] += 1
    return out


def assert_counts(counts, expected, xp):
    assert_same_library(counts, xp)
    assert numbers(counts).tolist() == expected


def assert_same_library(counts, xp):
    assert counts.dtype == xp.int64
    assert type(counts) is type(xp.zeros(1))


@pytest.mark.proves("eager", "segmentation.confusion")
@pytest.mark.parametrize("dtype", DTYPES)
def test_confusion_by_hand(xp, dtype):
    target, prediction = (array(xp, x, dtype) for x in (TARGET, PREDICTION))
    dropped = segmentation.confusion(target, prediction, 3, ignore_index=255)
    assert_counts(dropped, [[2, 1, 1], [0, 2, 0], [0, 0, 0]], xp)
    missed = segmentation.confusion(target, prediction, 3, ignore_index=255, outside="column")
    assert_counts(missed, [[2, 1, 1, 0], [0, 2, 0, 1], [0, 0, 0, 0]], xp)


def test_confusion_of_booleans_counts_two_classes(xp):
    target, prediction = (array(xp, x, "bool") for x in ([0, 1, 1], [1, 1, 0]))
    assert_counts(segmentation.confusion(target, prediction, 2), [[0, 1], [1, 1]], xp)


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_confusion_leaves_out_negative_labels(xp, dtype):
    target, prediction = (array(xp, x, dtype) for x in ([-1, 0, -100, 1], [0, -1, 0, 1]))
    assert_counts(segmentation.confusion(target, prediction, 2, ignore_index=[-1, -100]), [[0, 0], [0, 1]], xp)


@pytest.mark.parametrize("label", [2**32, 2**32 + 1, 2**63 - 1, -(2**63)])
def test_confusion_leaves_out_labels_that_are_classes_in_32_bits_alone(xp, label):
    target, prediction = (array(xp, x, "int64") for x in ([label, 1], [1, 1]))
    counts = segmentation.confusion(target, prediction, 3, ignore_index=label)
    assert_counts(counts, [[0, 0, 0], [0, 1, 0], [0, 0, 0]], xp)
    assert_counts(segmentation.confusion(prediction, target, 2, outside="column"), [[0, 0, 0], [0, 1, 1]], xp)


def test_confusion_of_large_unsigned_labels(xp):
    target, prediction = array(xp, [2**64 - 1, 0], "uint64"), array(xp, [0, 0], "uint64")
    where = array(xp, [0, 1], "bool")
    assert_counts(segmentation.confusion(target, prediction, 1, where=where), [[1]], xp)


@pytest.mark.computes("values are checked where they are known")
@pytest.mark.parametrize("weight", [None, [1.0, 1.0, 1.0, 1.0]])
def test_confusion_refuses_labels_that_are_no_classes(xp, weight):
    """Labels 1 to 3 of three classes: without an error class 3 is dropped, and the mean IoU is 1."""
    one, zero = array(xp, [1, 2, 3, 3], "int64"), array(xp, [1, 2, 2, 1], "int64")
    options = {"weight": None if weight is None else array(xp, weight)}
    with pytest.raises(
        ValueError, match=r"`target\[2\]` must be a class .* got 3 \(as are 2 of 4 .* count from 1, so sub"
    ):
        segmentation.confusion(one, one, 3, **options)
    with pytest.raises(ValueError, match=r"`prediction\[2\]` must be a class from 0 to 2, got 3 \(as are 2 of 4"):
        segmentation.confusion(zero, one, 3, **options)
    with pytest.raises(ValueError, match=r"`target\[2\]` .* or 255, which is ignored, got 3"):
        segmentation.confusion(one, zero, 3, ignore_index=255, **options)
    # Of pixels that do not count, any label will do, and "column" counts what is predicted.
    void, ways = array(xp, [1, 1, 0, 0], "bool"), {"ignore_index": 3}
    for way in (ways, {"where": void}):
        counts = segmentation.confusion(one, one, 3, **way, **options)
        assert_counts(xp.astype(counts, xp.int64), [[0, 0, 0], [0, 1, 0], [0, 0, 1]], xp)
    counts = segmentation.confusion(zero, one, 3, outside="column", **options)
    assert_counts(xp.astype(counts, xp.int64), [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]], xp)


def test_ignored_label_that_is_a_class_empties_its_row_alone(xp):
    target, prediction = array(xp, [0, 0, 1, 1], "int64"), array(xp, [0, 1, 0, 1], "int64")
    counts = segmentation.confusion(target, prediction, 2, ignore_index=0)
    assert_counts(counts, [[0, 0], [1, 1]], xp)
    # Background left out: the IoU of the other class is its recall.
    assert_close(segmentation.iou(counts), [0.0, 0.5])
    assert_close(segmentation.iou(counts, average="macro"), 0.25)
    assert_close(segmentation.iou(counts, average="macro", present="target"), 0.5)
    assert_close(segmentation.iou(counts, average="macro", classes=[1]), 0.5)


@pytest.mark.parametrize("classes", [[2, 0], [0, 2], [2, 0, 1], [1, 2], [0, 1, 2]], ids=str)
def test_chosen_classes_keep_their_order(xp, classes):
    counts = array(xp, [[3, 1, 0], [0, 2, 2], [1, 0, 4]], "int64")
    each = [3 / 5, 2 / 5, 4 / 7]  # 3 of 4 + 4 - 3, 2 of 4 + 3 - 2, 4 of 5 + 6 - 4
    assert_close(segmentation.iou(counts, classes=classes), [each[k] for k in classes])
    with_column = array(xp, [[3, 0, 0, 1], [0, 2, 2, 0], [0, 0, 4, 1]], "int64")
    assert_close(segmentation.recall(with_column, classes=classes), [[3 / 4, 2 / 4, 4 / 5][k] for k in classes])


def test_confusion_per_image(xp):
    target, prediction = array(xp, [[0, 1], [1, 1]], "int64"), array(xp, [[0, 0], [1, 0]], "int64")
    counts = segmentation.confusion(target, prediction, 2, per_image=True)
    assert_counts(counts, [[[1, 0], [1, 0]], [[0, 0], [1, 1]]], xp)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), ()])
def test_confusion_of_no_pixels_or_one(xp, shape):
    target = xp.zeros(shape, dtype=xp.int64)
    pixels = math.prod(shape)
    assert_counts(segmentation.confusion(target, target, 2), [[pixels, 0], [0, 0]], xp)
    if shape:
        counts = segmentation.confusion(target, target, 2, per_image=True)
        assert counts.shape == (shape[0], 2, 2)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_confusion_takes_the_class_of_the_highest_score(xp, axis):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (2, 5, 3)).astype(np.float32)  # with ties, of which the first wins
    scores[0, 0] = 1, np.nan, np.nan  # and the first NaN wins over all numbers
    target = rng.integers(0, 3, (2, 5))
    counts = segmentation.confusion(
        xp.asarray(target), xp.asarray(np.moveaxis(scores, -1, axis)), 3, class_axis=axis, outside="column"
    )
    assert_counts(counts, by_loops(target, scores.argmax(-1), 3, None, column=True), xp)


@pytest.mark.parametrize("per_image", [False, True])
@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("pixels", [7, 45])  # parts of an image, and two images at once
def test_confusion_in_parts_equals_loops(xp, monkeypatch, pixels, per_image, column):
    monkeypatch.setattr(kernels, "PIXELS", pixels)
    rng = np.random.default_rng(1)
    target, prediction = rng.integers(-1, 7, (2, 3, 4, 5))  # labels that are no classes: -1, 5 and 6
    counts = segmentation.confusion(
        *(xp.asarray(x) for x in (target, prediction)),
        5,
        ignore_index=(2, -1, 5, 6),
        per_image=per_image,
        outside="column" if column else "drop",
    )
    pairs = zip(target, prediction, strict=True)
    each = [by_loops(*pair, 5, 2, column=column) for pair in pairs]
    assert_counts(counts, each if per_image else np.sum(each, axis=0).tolist(), xp)


def test_confusion_with_more_cells_than_32_bits_number(xp, monkeypatch):
    monkeypatch.setattr(kernels, "NARROW", 10)
    target, prediction = array(xp, [0, 1, 9], "int32"), array(xp, [1, 1, 0], "int32")
    assert_counts(segmentation.confusion(target, prediction, 2, ignore_index=9), [[0, 1], [0, 1]], xp)


def test_where_leaves_pixels_out_whatever_they_weigh(xp):
    target, prediction = array(xp, [[0, 0], [1, 1]], "int64"), array(xp, [[0, 1], [1, 1]], "int64")
    where = array(xp, [True, False], "bool")
    assert_counts(segmentation.confusion(target, prediction, 2, where=where), [[1, 0], [0, 1]], xp)
    weight = array(xp, [[0.5, math.nan], [2.0, math.inf]])
    counts = segmentation.confusion(target, prediction, 2, where=where, weight=weight)
    assert_close(counts, [[0.5, 0], [0, 2]], like=weight)


def test_weights_of_ignored_pixels_play_no_part(xp):
    target, prediction = array(xp, [0, 1, 255, 7], "int64"), array(xp, [0, 0, 0, 1], "int64")
    weight = array(xp, [0.25, 3, math.nan, math.nan], "float32")
    counts = segmentation.confusion(target, prediction, 2, ignore_index=(7, 255), weight=weight)
    assert_close(counts, [[0.25, 0], [3, 0]], like=array(xp, [0.0]))


def test_counts_add_to_those_of_all(xp):
    rng = np.random.default_rng(2)
    target, prediction = (xp.asarray(x) for x in rng.integers(0, 4, (2, 6, 5)))
    parts = [segmentation.confusion(target[k : k + 2, :], prediction[k : k + 2, :], 4) for k in (0, 2, 4)]
    each = segmentation.confusion(target, prediction, 4, per_image=True)
    whole = segmentation.confusion(target, prediction, 4)
    assert numbers(sum(parts)).tolist() == numbers(whole).tolist() == numbers(xp.sum(each, axis=0)).tolist()


@pytest.mark.proves("eager", "segmentation.frequency_weighted_iou")
def test_scores_by_hand(xp):
    counts = array(xp, [[6, 2, 0], [1, 3, 0], [0, 0, 0]], "int64")
    like = array(xp, [0.0])
    assert_close(segmentation.iou(counts), [6 / 9, 3 / 6, math.nan], like=like)
    assert_close(segmentation.dice(counts), [12 / 15, 6 / 9, math.nan], like=like)
    assert_close(segmentation.precision(counts), [6 / 7, 3 / 5, math.nan], like=like)
    assert_close(segmentation.recall(counts), [6 / 8, 3 / 4, math.nan], like=like)
    assert_close(segmentation.accuracy(counts), 9 / 12, like=like)
    assert_close(segmentation.frequency_weighted_iou(counts), (8 * 6 / 9 + 4 * 3 / 6) / 12, like=like)
    assert_close(segmentation.iou(counts, average="macro"), (6 / 9 + 3 / 6) / 2, like=like)
    assert_close(segmentation.iou(counts, average="micro"), 9 / 15, like=like)


def test_predictions_that_are_no_class_are_missed_and_false_for_none(xp):
    counts = array(xp, [[1, 0, 3], [0, 2, 0]], "int64")
    assert_close(segmentation.iou(counts), [1 / 4, 1.0])
    assert_close(segmentation.recall(counts), [1 / 4, 1.0])
    assert_close(segmentation.precision(counts), [1.0, 1.0])
    assert_close(segmentation.accuracy(counts), 3 / 6)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_nothing_are_nan(xp, name):
    none = xp.zeros((2, 2), dtype=xp.int64)
    score = getattr(segmentation, name)
    assert_close(score(none), [math.nan] * 2)
    for average in ("macro", "micro", "weighted"):
        assert_close(score(none, average=average), math.nan)
    assert_close(segmentation.accuracy(none), math.nan)
    assert_close(segmentation.iou(xp.zeros((0, 2, 2), dtype=xp.int64), average="macro", images="mean"), math.nan)


# Class 0 is in the target alone, class 1 in the prediction alone, class 2 in neither, class 3 in both.
ONE_EACH = [[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]]


@pytest.mark.parametrize(
    ("name", "present", "zero_division", "expected"),
    [
        ("iou", "either", math.nan, 1 / 3),  # torchmetrics' JaccardIndex, Keras, mmsegmentation
        ("iou", "either", 1.0, 1 / 3),
        ("iou", "target", math.nan, 1 / 2),  # MONAI
        ("iou", "all", math.nan, 1 / 3),
        ("iou", "all", 0.0, 1 / 4),  # metrax
        ("iou", "all", 1.0, 2 / 4),  # segmentation_models_pytorch
        ("precision", "either", math.nan, 1 / 2),
        ("precision", "either", 0.0, 1 / 3),  # scikit-learn
        ("recall", "either", math.nan, 1 / 2),
        ("recall", "either", 0.0, 1 / 3),
    ],
)
def test_mean_takes_classes_that_are_present(xp, name, present, zero_division, expected):
    counts = array(xp, ONE_EACH, "int64")
    options = {"present": present, "zero_division": zero_division}
    assert_close(getattr(segmentation, name)(counts, average="macro", **options), expected)


def test_mean_over_images_takes_those_where_the_class_is_present(xp):
    # The second image has class 0 in its prediction alone; the third has nothing at all.
    counts = array(xp, [[[4, 0], [0, 0]], [[0, 0], [2, 2]], [[0, 0], [0, 0]]], "int64")
    assert_close(segmentation.iou(counts), [[1, math.nan], [0, 0.5], [math.nan, math.nan]])
    assert_close(segmentation.iou(counts, images="mean"), [0.5, 0.5])
    assert_close(segmentation.iou(counts, images="mean", present="target"), [1, 0.5])
    assert_close(segmentation.iou(counts, average="macro"), [1, 0.25, math.nan])
    assert_close(segmentation.iou(counts, average="macro", images="mean"), 0.625)
    assert_close(segmentation.iou(counts, average="macro", images="pool"), (4 / 6 + 2 / 4) / 2)
    assert_close(segmentation.accuracy(counts, images="mean"), (1 + 0.5) / 2)
    assert_close(segmentation.accuracy(counts, images="pool"), 6 / 8)
    assert_close(segmentation.frequency_weighted_iou(counts, images="pool"), (4 * 4 / 6 + 4 * 2 / 4) / 8)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_have_the_dtype_of_weighted_counts(xp, dtype):
    counts = array(xp, [[0.5, 0.25], [0.25, 1]], dtype)
    assert_close(segmentation.iou(counts), [0.5, 1 / 1.5], like=counts)


def test_counts_beyond_2_to_31_are_exact(xp):
    cell = 2**31 - 1
    counts = array(xp, [[cell, 0], [1, 2**53 // 4]], "int64")
    more = counts + counts
    assert int(more[0, 0]) == 2 * cell
    assert_close(segmentation.precision(more), [cell / (cell + 1), 1.0])


@given(
    st.lists(st.tuples(st.integers(-2, 4), st.integers(-2, 4)), max_size=30),
    st.sampled_from([None, -1, 0, 3]),
    st.booleans(),
)
def test_confusion_equals_loops_for_any_labels(pairs, ignored, column):
    target, prediction = np.reshape(np.asarray(pairs, dtype=np.int64), (-1, 2)).T
    void = [-2, -1, 3, 4, *([] if ignored is None else [ignored])]
    counts = segmentation.confusion(target, prediction, 3, ignore_index=void, outside="column" if column else "drop")
    assert counts.tolist() == by_loops(target, prediction, 3, ignored, column=column)


@given(st.lists(st.integers(0, 50), min_size=9, max_size=9))
def test_scores_are_in_bounds_and_ordered(cells):
    counts = np.reshape(np.asarray(cells), (3, 3))
    iou, dice, precision, recall = (
        getattr(segmentation, name)(counts, zero_division=1.0, present="all") for name in SCORES
    )
    for x in (iou, dice, precision, recall):
        assert ((x >= 0) & (x <= 1)).all()
    assert (iou <= np.minimum(precision, recall) + 1e-12).all()
    np.testing.assert_allclose(dice, 2 * iou / (1 + iou), rtol=1e-12)
    order = [2, 0, 1]
    np.testing.assert_array_equal(
        segmentation.iou(counts[order][:, order], zero_division=1.0, present="all"), iou[order]
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: segmentation.confusion(t, t[0], 2), ValueError, r"shape of `target`, \(2, 2\), got \(2,\)"),
        (
            lambda t: segmentation.confusion(t * 1.0, t, 2),
            TypeError,
            "`target` must hold labels, .* got dtype float",
        ),
        (
            lambda t: segmentation.confusion(t, np.zeros((2, 3, 2)), 3),
            TypeError,
            r"`prediction` must hold labels, .* shape \(2, 3, 2\); for scores of classes, say `class_axis=1`",
        ),
        (
            lambda t: segmentation.confusion(t, np.zeros((2, 3, 2)), 2, class_axis=1),
            ValueError,
            r"must have 2 scores along axis 1, got shape \(2, 3, 2\)",
        ),
        (lambda t: segmentation.confusion(t, t, 2, class_axis=5), ValueError, "`class_axis` must be an axis"),
        (
            lambda t: segmentation.confusion(t, np.zeros((2, 5, 2)), 2, class_axis=2),
            ValueError,
            r"shape of `target`, \(2, 2\), got \(2, 5, 2\) with classes along axis 2",
        ),
        (lambda t: segmentation.confusion(t, t, 0), ValueError, "`num_classes` must be a positive integer, got 0"),
        (lambda t: segmentation.confusion(t, t, 2, outside="keep"), ValueError, "`outside` must be one of 'drop'"),
        (lambda t: segmentation.confusion(t, t, 2, ignore_index=1.5), TypeError, "`ignore_index` must be an int"),
        (lambda t: segmentation.confusion(t, t, 2, per_image=1), TypeError, "`per_image` must be True or False"),
        (lambda t: segmentation.confusion(t[0, 0], t[0, 0], 2, per_image=True), ValueError, "an axis of images"),
        (lambda t: segmentation.confusion(t, t, 2, where=t), TypeError, "`where` must hold booleans"),
        (
            lambda t: segmentation.confusion(t, t, 2, weight=np.zeros(3)),
            ValueError,
            "leading axes must broadcast",
        ),
        (
            lambda t: segmentation.confusion(t, t, 2, weight=np.zeros((2, 2, 2))),
            ValueError,
            r"`weight` must broadcast to the shape of `target`, \(2, 2\), got \(2, 2, 2\)",
        ),
        (lambda t: segmentation.iou(t[0]), ValueError, r"`counts` must have shape .* got \(2,\)"),
        (
            lambda t: segmentation.iou(np.concat([t, t], axis=1)),
            ValueError,
            r"`counts` must have shape .* got \(2, 4\)",
        ),
        (lambda t: segmentation.iou(t == 0), TypeError, "`counts` must hold numbers, got dtype bool"),
        (lambda t: segmentation.iou(t, average="mean"), ValueError, "`average` must be one of 'none', 'macro'"),
        (lambda t: segmentation.iou(t, images="all"), ValueError, "`images` must be one of 'keep'"),
        (lambda t: segmentation.iou(t, present="both"), ValueError, "`present` must be one of 'either'"),
        (lambda t: segmentation.iou(t, zero_division="warn"), TypeError, "`zero_division` must be a number"),
        (lambda t: segmentation.iou(t, classes=[2]), ValueError, "`classes` must be integers from 0 to 1, got 2"),
        (lambda t: segmentation.iou(t, classes=[]), ValueError, "`classes` must be different integers, at least"),
        (lambda t: segmentation.accuracy(t, average="macro"), TypeError, "unexpected keyword argument 'average'"),
    ],
)
def test_bad_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(np.zeros((2, 2), dtype=np.int64))


@pytest.mark.computes("labels are looked at")
def test_check_names_the_first_label_outside_the_classes(xp):
    target, prediction = array(xp, [[0, 1], [255, 1]], "uint8"), array(xp, [[0, 1], [9, 7]], "uint8")
    with pytest.raises(ValueError, match=r"`target\[1, 0\]` must be a class from 0 to 1, got 255 \(as are 1 of 4 pix"):
        segmentation.check(target, prediction, 2)
    # The prediction where the target is ignored plays no part.
    with pytest.raises(ValueError, match=r"`prediction\[1, 1\]` must be a class from 0 to 1, got 7 \(as are 1 of 4"):
        segmentation.check(target, prediction, 2, ignore_index=255)
    with pytest.raises(ValueError, match=r"`target.* or 3, which is ignored, got 255"):
        segmentation.check(target, prediction, 2, ignore_index=3)
    segmentation.check(target, prediction, 8, ignore_index=255)


@pytest.mark.parametrize("case", vectors("keras_semantic_iou"))
def test_mean_iou_equals_published_value(xp, case):
    inputs = case["inputs"]
    found = inputs.get("pred", [int(x >= inputs.get("threshold", 0)) for x in inputs.get("prob", [])])
    target, prediction = (array(xp, x, "int64") for x in (inputs["gt"], found))
    weight = array(xp, inputs["weight"]) if "weight" in inputs else None
    # Keras drops labels that are no classes unasked.
    ignored = 2 if case["id"] == "out_of_range_ignored" else None
    counts = segmentation.confusion(
        target, prediction, inputs.get("num_classes", 2), weight=weight, ignore_index=ignored
    )
    out = numbers(segmentation.iou(counts, average="macro"))
    if case["id"] == "empty":  # Keras' word for no data is 0
        assert math.isnan(out)
        return
    np.testing.assert_allclose(out, case["published"], rtol=0, atol=case["tol"])
    if "reference" in case:
        np.testing.assert_allclose(out, case["reference"], rtol=1e-12)


def test_mean_iou_of_bdd100k():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    folder = shared("bdd100k-eval")
    maps = [np.asarray(image.open(folder / "tests/eval/testcases/seg" / side / "a.png")) for side in ("gt", "pred")]
    counts = segmentation.confusion(*maps, 2)
    assert counts.tolist() == [[93, 1], [4, 2]]
    assert float(segmentation.iou(counts, average="macro")) == pytest.approx(0.6173469387755102, abs=1e-15)


def test_label_without_weight_does_not_count():
    target = np.array([0, 1, 255])
    assert segmentation.confusion(target, [0, 1, 1], 2, weight=1.0 * (target != 255)).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("target", "prediction", "ignored", "way"),
    [
        ([0, 255], [0, 1], None, "if it marks pixels that do not count, pass `ignore_index=255`"),
        ([0, 255, -1], [0, 1, 1], [-1], r"pass `ignore_index=\[-1, 255\]`"),
        ([1, 2, 0], [1, 2, 1], 0, "pass `num_classes=3`, since the ignored 0 is one of them"),
        ([0, 1], [0, 7], None, 'pass `outside="column"` to count them as wrong'),
    ],
)
def test_label_that_is_no_class_names_the_way_out(target, prediction, ignored, way):
    with pytest.raises(ValueError, match=way):
        segmentation.confusion(np.array(target), np.array(prediction), 2, ignore_index=ignored)
