"""Connected components of masks, matched by overlap: counts by hand."""

import math

import numpy as np
import pytest

from omniou import masks
from tests.helpers import array

pytest.importorskip("scipy", reason="components need SciPy")

# Three lesions: one is found whole, one half (IoU 1 / 2), one is missed; one prediction is false.
TARGET = [[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
PREDICTION = [[1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]]


@pytest.mark.proves("eager", "masks.components")
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
@pytest.mark.computes("components look at values")
def test_components_by_hand(xp, dtype):
    a, b = array(xp, PREDICTION, dtype), array(xp, TARGET, dtype)
    counts = masks.components(a, b, threshold=0.5)
    assert counts == masks.ComponentCounts(2, 1, 1, 1.5, 1 + 2 / 3)
    assert counts.summary == pytest.approx(
        {"PQ": 0.5, "SQ": 0.75, "RQ": 2 / 3, "precision": 2 / 3, "recall": 2 / 3, "dice": 5 / 6, "n": 3}
    )
    strict = masks.components(a, b, min_iou=0.6, threshold=0.5)
    assert (strict.true_positives, strict.false_positives, strict.false_negatives) == (1, 2, 2)
    both = masks.components(xp.stack([a, b]), b, threshold=0.5)
    assert (
        both
        == counts + masks.ComponentCounts(3, 0, 0, 3.0, 3.0)
        == sum([masks.components(b, b, threshold=0.5), counts])
    )


def test_components_in_blocks_of_pixels(monkeypatch):
    """Both blocks of three pixels have parts of one pair: 4 shared pixels of 5."""
    monkeypatch.setattr("omniou.masks._components._BLOCK", 3)
    counts = masks.components([[1, 1, 1, 1, 0, 1]], [[1, 1, 1, 1, 1, 0]])
    assert (counts.true_positives, counts.false_positives, counts.false_negatives, counts.iou) == (1, 1, 0, 0.8)


def test_connectivity_of_images_and_volumes():
    diagonal = np.eye(2, dtype=int)
    assert masks.components(diagonal, diagonal).true_positives == 2
    assert masks.components(diagonal, diagonal, connectivity=2).true_positives == 1
    volume = np.zeros((2, 2, 2), dtype=int)
    volume[0, 0, 0] = volume[1, 1, 1] = 1
    found = [masks.components(volume, volume, spatial_axes=3, connectivity=k).true_positives for k in (None, 1, 2, 3)]
    assert found == [1, 2, 2, 1]
    # Slices are images of their own.
    assert masks.components(volume, volume).true_positives == 2


def test_each_component_matches_once():
    """Two predictions in one lesion: the larger one, with IoU 3 / 6, takes it; the other one is false."""
    target = [[1, 1, 1, 1, 1, 1]]
    counts = masks.components([[1, 1, 0, 1, 1, 1]], target, min_iou=0.3)
    assert counts == masks.ComponentCounts(1, 1, 0, 0.5, 2 / 3)


def test_empty_masks():
    nothing, some = np.zeros((2, 3), dtype=int), np.ones((2, 3), dtype=int)
    assert all(math.isnan(x) for name, x in masks.components(nothing, nothing).summary.items() if name != "n")
    missed = masks.components(nothing, some).summary
    assert (missed["PQ"], missed["SQ"], missed["RQ"], missed["recall"], missed["n"]) == (0.0, 0.0, 0.0, 0.0, 1)
    assert math.isnan(missed["precision"])
    assert masks.components(np.zeros((0, 2, 3), dtype=int), np.zeros((0, 2, 3), dtype=int)) == masks.ComponentCounts()


def test_threshold_of_probabilities():
    assert masks.components([[0.6, 0.2, 0.7]], [[1, 1, 1]], threshold=0.5, min_iou=0.1).true_positives == 1
    assert masks.components([[0.6, 0.2, 0.7]], [[1, 1, 1]], threshold=0.1).true_positives == 1


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (PREDICTION[:2], {}, "masks must have one size"),
        (PREDICTION, {"min_iou": 1.5}, r"`min_iou` must lie in \(0, 1\], got 1.5"),
        (PREDICTION, {"connectivity": 3}, "`connectivity` must be one of 1, 2, got 3"),
        (PREDICTION, {"spatial_axes": 3}, r"must have shape \(..., depth, height, width\)"),
        (np.full((4, 6), math.nan), {}, "`prediction` must be numbers, got NaN"),
    ],
)
def test_invalid_arguments_raise(given, options, message):
    with pytest.raises(ValueError, match=message):
        masks.components(given, TARGET, **options)
