"""Score x counting: every declared score of pixels, over everything that is counted."""

import inspect

import numpy as np
import pytest

from omniou import losses, masks, pairwise, pixel_scores, rle, segmentation
from tests.hand_worked_pixels import GENERALISED, PIXELS, A, B, test_every_score_of_pixels_has_hand_worked_values  # noqa: F401
from tests.helpers import array, assert_close

every = pytest.mark.parametrize("name", list(pixel_scores))
of_masks = pytest.mark.parametrize("name", [name for name, score in pixel_scores.items() if not score.joins])


@pytest.mark.proves("eager", "masks.{prefix}{name}")
@of_masks
@pytest.mark.parametrize("prefix", ["", "soft_"])
def test_score_of_masks_by_hand(xp, name, prefix):
    a, b = array(xp, A, "float64"), array(xp, B, "float64")
    score, options = getattr(masks, prefix + name), {} if prefix else {"threshold": 0.5}
    assert_close(score(a, b, **options), PIXELS[name], like=a)
    every = pairwise(score, a, b, **options)
    assert_close(xp.stack([every[k, k] for k in range(4)]), PIXELS[name], like=a)
    integers = getattr(masks, prefix + name)(xp.astype(a, xp.int32), xp.astype(b, xp.int32))
    assert_close(integers, PIXELS[name])


@of_masks
def test_score_of_booleans_equals_that_of_numbers(xp, name):
    a, b = (array(xp, x, "float64") for x in (A, B))
    assert_close(getattr(masks, name)(a != 0, b != 0), PIXELS[name])


@of_masks
def test_zero_division_of_masks_is_the_score_of_empty_masks(xp, name):
    none = array(xp, A[3:], "float64") != 0
    defined = name == "accuracy"
    for value in (0.25, 1.0, float("nan")):
        assert_close(getattr(masks, name)(none, none, zero_division=value), [1.0 if defined else value])


@of_masks
def test_score_of_run_lengths_by_hand(name):
    a, b = (rle.Masks.from_dense(np.asarray(x, dtype=bool)) for x in (A, B))
    score = getattr(rle, name)
    np.testing.assert_allclose(score(a, b), PIXELS[name], rtol=1e-15)
    np.testing.assert_allclose(np.diag(pairwise(score, a, b)), PIXELS[name], rtol=1e-15)
    np.testing.assert_array_equal(pairwise(lambda p, q: score(q, p), a, b), pairwise(score, b, a).T)
    if name != "accuracy":
        assert score(a, b, zero_division=0.25)[3] == 0.25


@pytest.mark.proves("eager", "segmentation.{name}")
@every
def test_score_of_confusion_counts_by_hand(xp, name):
    a, b = (array(xp, x, "int32") for x in (A, B))
    counts = segmentation.confusion(b, a, 2, per_image=True)
    out = getattr(segmentation, name)(counts)
    if name == "generalised_dice":
        assert_close(out, GENERALISED)
    elif name == "accuracy":
        assert_close(out, PIXELS[name])
    else:
        assert_close(out[:3, 1], PIXELS[name][:3])
        assert_close(out[3, 1], float("nan"))  # a class that is in neither map has no score
        assert_close(getattr(segmentation, name)(counts, present="all")[3, 1], 0.0)


def test_weights_of_tversky_are_those_of_false_positives_and_false_negatives(xp):
    """Of 6 predicted and 4 there, 3 are both: all weight on what is predicted alone gives 3 / 6."""
    a, b = (array(xp, x[:1], "int32") for x in (A, B))
    weights = {"alpha": 1.0, "beta": 0.0}
    assert_close(masks.tversky(a, b, **weights), [3 / 6])
    assert_close(segmentation.tversky(segmentation.confusion(b, a, 2), **weights)[1], 3 / 6)
    pred = array(xp, A[:1], "float64")[:, None, ...]
    assert_close(losses.masks.tversky(pred, b, **weights), 1 - 3 / 6)


def test_split_counts_score_as_counts_do():
    counts = np.asarray([[2**31 - 1, 5], [2**22 + 3, 2**25]])
    split = segmentation.SplitCounts.of(counts)
    assert int(split.high.max()) > 0
    for name in ("iou", "tversky"):
        np.testing.assert_array_equal(getattr(segmentation, name)(split), getattr(segmentation, name)(counts))
    both = segmentation.SplitCounts(np.stack([split.high] * 2), np.stack([split.low] * 2))
    np.testing.assert_array_equal(segmentation.iou(both, images="pool"), segmentation.iou(2 * counts))


@pytest.mark.proves("eager", "losses.masks.{loss}")
@pytest.mark.parametrize(("name", "loss"), [(name, score.loss_name) for name, score in pixel_scores.items()])
def test_loss_of_masks_by_hand(xp, name, loss):
    pred, target = array(xp, A, "float64")[:, None, ...], array(xp, B, "int32")
    loss = getattr(losses.masks, loss)
    reduction = "image" if pixel_scores[name].joins else "none"
    out = loss(pred, target, reduction=reduction)
    assert_close(xp.reshape(out, (4,)), [1 - x for x in PIXELS[name]], like=pred)
    if name != "accuracy":
        half = loss(pred, target, reduction=reduction, zero_division=0.5)
        assert_close(xp.reshape(half, (4,))[3], 0.5)


@every
def test_defaults_of_zero_division_are_one(name):
    functions = [getattr(segmentation, name), getattr(losses.masks, pixel_scores[name].loss_name)]
    if not pixel_scores[name].joins:
        functions += [getattr(masks, name), getattr(masks, f"soft_{name}"), getattr(rle, name)]
    assert {inspect.signature(function).parameters["zero_division"].default for function in functions} == {0.0}
