"""Instance AP of label images, in every library."""

import itertools
import math
import sys
import tracemalloc

import numpy as np
import pytest

from omniou import panoptic
from tests.helpers import array, numbers

pytestmark = pytest.mark.computes("segments are found by values")

# Instance 1 has 3 of 4 pixels found, 2 has 2 of 3, 5 is missed, and 9 is found where nothing is.
TARGET = [[1, 1, 1, 1, 0], [2, 2, 0, 5, 5], [0, 0, 0, 0, 0]]
PREDICTION = [[7, 7, 7, 0, 0], [3, 3, 3, 0, 0], [0, 9, 9, 9, 9]]


def count(xp, target, prediction, **options):
    return panoptic.count_instances(array(xp, target, "int64"), array(xp, prediction, "int64"), **options)


@pytest.mark.proves("eager", "panoptic.count_instances")
def test_counts_by_hand(xp):
    counts = count(xp, TARGET, PREDICTION, thresholds=(0.5, 0.7, 0.75, 0.8))

    assert type(counts.iou) is type(counts.true_positives) is type(xp.zeros(1))
    assert numbers(counts.true_positives).tolist() == [[2, 1, 1, 0]]
    assert numbers(counts.false_positives).tolist() == [[1, 2, 2, 3]]
    assert numbers(counts.false_negatives).tolist() == [[1, 2, 2, 3]]
    assert numbers(counts.ap).tolist() == [[2 / 4, 1 / 5, 1 / 5, 0]]
    assert counts.summary == {"AP": pytest.approx(0.9 / 4), "AP50": 0.5, "AP75": 0.2}
    assert counts.counts == {"images": 1, "objects": 3, "predictions": 3}
    scores = {"AP": 0.5, "precision": 2 / 3, "recall": 2 / 3, "F1": 2 / 3, "SQ": 17 / 24, "PQ": 17 / 36}
    scores |= {"mean_true_score": 17 / 36, "true_positives": 2, "false_positives": 1, "false_negatives": 1}
    assert counts.per_threshold[0.5] == pytest.approx(scores)
    assert counts.per_threshold[0.8] == dict.fromkeys(scores, 0) | {"false_positives": 3, "false_negatives": 3}


# Of seeds 0 to 3, images (9, 12), and what the peers gave for `label_image(seed)`: StarDist 0.9.2 `matching`, with the
# numbers of true positives that Cellpose 4.2.1 `average_precision` also has.
THRESHOLDS = (0.3, 0.5, 0.75)
STARDIST = {
    0: [
        [12, 3, 0, 0.8, 0.8888889, 0.6944444, 0.6944444, 0.6172839],
        [11, 4, 1, 0.6875, 0.8148148, 0.7171717, 0.6574074, 0.5843621],
        [5, 10, 7, 0.2272727, 0.3703704, 0.8222222, 0.3425926, 0.3045268],
    ],
    1: [
        [7, 7, 5, 0.3684211, 0.5384615, 0.3961039, 0.2310606, 0.2132867],
        [1, 13, 11, 0.04, 0.0769231, 0.5, 0.0416667, 0.0384615],
        [0, 14, 12, 0.0, 0.0, 0.0, 0.0, 0.0],
    ],
    2: [
        [12, 3, 0, 0.8, 0.8888889, 0.6018519, 0.6018519, 0.5349795],
        [10, 5, 2, 0.5882353, 0.7407407, 0.6333334, 0.5277779, 0.4691358],
        [1, 14, 11, 0.0384615, 0.0740741, 0.7777778, 0.0648148, 0.0576132],
    ],
    3: [
        [9, 5, 2, 0.5625, 0.72, 0.3681818, 0.3012397, 0.2650909],
        [1, 13, 10, 0.0416667, 0.08, 0.5, 0.0454545, 0.04],
        [0, 14, 11, 0.0, 0.0, 0.0, 0.0, 0.0],
    ],
}
NAMES = ("true_positives", "false_positives", "false_negatives", "AP", "F1", "SQ", "mean_true_score", "PQ")


def label_image(seed):
    """Cells of 3 x 3 pixels, in which some pixels are of another instance, or of none."""
    rng = np.random.default_rng(seed)
    target = np.kron(rng.permutation(24)[:12].reshape(3, 4), np.ones((3, 3), dtype=int))
    noise = rng.integers(0, 30, target.shape)
    prediction = np.where(rng.random(target.shape) < 0.4, noise // 8, np.roll(target, seed % 2, 1) * 3)
    return target, prediction


@pytest.mark.parametrize("seed", STARDIST)
def test_scores_equal_stardist_and_cellpose(seed):
    pytest.importorskip("scipy", reason="needs SciPy")
    counts = panoptic.count_instances(*label_image(seed), thresholds=THRESHOLDS)

    found = [[row[name] for name in NAMES] for row in counts.per_threshold.values()]
    np.testing.assert_allclose(found, STARDIST[seed], atol=1e-6)  # StarDist's IoU has 32 bits


def test_means_over_images_and_sums_equal_stardist():
    pytest.importorskip("scipy", reason="needs SciPy")
    targets, predictions = zip(*(label_image(seed) for seed in STARDIST), strict=True)
    counts = panoptic.count_instances(targets, predictions, thresholds=THRESHOLDS)

    row, mean = counts.per_threshold[0.3], counts.image_means[0.3]
    names = ("precision", "recall", "AP", "F1", "mean_true_score", "SQ", "PQ")
    assert [row[name] for name in names] == pytest.approx(
        [0.6896552, 0.8510638, 0.6153846, 0.7619048, 0.4604664, 0.541048, 0.412227], abs=1e-6
    )
    assert [mean[name] for name in names] == pytest.approx(
        [0.6857143, 0.8503788, 0.6327303, 0.7590598, 0.4571491, 0.5151455, 0.4076603], abs=1e-6
    )
    assert numbers(counts.ap)[:, 0].mean() == pytest.approx(mean["AP"])


def assignments(rows, columns):
    """Every way of giving each row at most one column."""
    for chosen in itertools.product([None, *range(columns)], repeat=rows):
        taken = [x for x in chosen if x is not None]
        if len(set(taken)) == len(taken):
            yield [(row, column) for row, column in enumerate(chosen) if column is not None]


@pytest.mark.parametrize("seed", range(40))
def test_matches_are_the_most_and_then_the_best(seed):
    pytest.importorskip("scipy", reason="needs SciPy")
    rng = np.random.default_rng(seed)
    target, prediction = rng.integers(0, 4, (2, 5, 4)) * 11
    if seed % 2:  # instances in two halves: an IoU of exactly one half, twice
        prediction = np.where(np.arange(4) % 2, target + 100 * (target > 0), target)
    labels = [[x for x in np.unique(side) if x] for side in (target, prediction)]
    masks = [[side == x for x in names] for side, names in zip((target, prediction), labels, strict=True)]
    iou = [[(a & b).sum() / (a | b).sum() for b in masks[1]] for a in masks[0]]
    for level in (0.2, 0.5, 0.6):
        counts = panoptic.count_instances(target, prediction, thresholds=level)
        found = [[iou[row][column] for row, column in x] for x in assignments(*map(len, labels))]
        ranks = [(sum(y >= level for y in x), round(sum(x), 9)) for x in found]
        best = [x for x, rank in zip(found, ranks, strict=True) if rank == max(ranks)]
        true = max(ranks)[0]
        numbers = [getattr(counts, name).item() for name in NAMES[:3]]
        assert numbers == [true, len(labels[1]) - true, len(labels[0]) - true]
        assert min(abs(counts.iou.item() - sum(y for y in x if y >= level)) for x in best) < 1e-9


def test_best_assignment_may_give_up_the_best_pair():
    pytest.importorskip("scipy", reason="needs SciPy")
    # IoU of instance 1 with 1 and 2: 4/10 and 3/9; of 2 with 1: 3/9. Both instances match only across.
    target = [[1] * 7 + [2] * 5]
    prediction = [[2] * 3 + [1] * 4 + [1] * 3 + [0] * 2]
    counts = panoptic.count_instances(target, prediction, thresholds=0.3)
    assert counts.true_positives.item() == 2
    assert counts.iou.item() == pytest.approx(3 / 7 + 3 / 9)


@pytest.mark.parametrize("images", [1, 130])
def test_linked_instances_are_assigned_in_groups(images):
    pytest.importorskip("scipy", reason="needs SciPy")
    # 130 times the case above, and a pair without a rival, in one image or many.
    target, prediction = [1] * 7 + [2] * 5 + [3] * 2, [2] * 3 + [1] * 4 + [1] * 3 + [0] * 2 + [3, 0]
    maps = [(np.asarray(x) + 5 * np.arange(130)[:, None]) * (np.asarray(x) > 0) for x in (target, prediction)]
    counts = panoptic.count_instances(*(x.reshape(images, 1, -1) for x in maps), thresholds=0.3, spatial_axes=2)
    assert (numbers(counts.true_positives) == 3 * 130 // images).all()
    assert not counts.false_positives.any()
    np.testing.assert_allclose(counts.iou, (3 / 7 + 3 / 9 + 1 / 2) * 130 / images)


def test_a_long_chain_of_linked_instances_takes_little_memory():
    pytest.importorskip("scipy", reason="needs SciPy")
    # IoU 6/14 with the one and 4/16 with the other neighbour; the last of 4000 ends with the image.
    target = np.repeat(np.arange(1, 4001), 10)[None]
    prediction = np.concatenate([np.zeros((1, 4), int), target[:, :-4]], axis=1)
    tracemalloc.start()
    counts = panoptic.count_instances(target, prediction, thresholds=0.2)
    assert tracemalloc.get_traced_memory()[1] < 4000 * 4000
    tracemalloc.stop()
    assert counts.true_positives.item() == 4000
    assert counts.iou.item() == pytest.approx(3999 * 6 / 14 + 6 / 10)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64"])
def test_integers_of_any_width(xp, dtype):
    narrow = panoptic.count_instances(*(array(xp, x, dtype) for x in (TARGET, PREDICTION)))
    assert narrow.summary == count(xp, TARGET, PREDICTION).summary


def test_labels_are_names_only():
    renamed = [np.asarray([0, 40_000, 3, 8, 0, 10**12, 0, 1, 0, 2])[np.asarray(x)] for x in (TARGET, PREDICTION)]
    assert panoptic.count_instances(*renamed).to_dict() == panoptic.count_instances(TARGET, PREDICTION).to_dict()


def test_images_of_an_array_a_list_and_batches_are_equal(xp):
    targets, predictions = [TARGET, PREDICTION, TARGET], [PREDICTION, TARGET, TARGET]
    stacked = count(xp, targets, predictions, spatial_axes=2)
    listed = panoptic.count_instances(*([array(xp, y, "int64") for y in x] for x in (targets, predictions)))
    added = sum(count(xp, *both) for both in zip(targets, predictions, strict=True))
    assert numbers(stacked.iou).shape == (3, 10)
    assert stacked.to_dict() == listed.to_dict() == added.to_dict()
    assert [row["AP50"] for row in stacked.per_image.values()] == [0.5, 0.5, 1]


def test_volume_is_one_image():
    volume = np.asarray([TARGET, TARGET]), np.asarray([PREDICTION, PREDICTION])
    assert panoptic.count_instances(*volume, spatial_axes=3).counts == {"images": 1, "objects": 3, "predictions": 3}
    assert panoptic.count_instances(*volume, spatial_axes=2).counts == {"images": 2, "objects": 6, "predictions": 6}
    # A leading axis of size 1 does not matter.
    assert panoptic.count_instances(*(x[:1] for x in volume)).counts["objects"] == 3


NOTHING = np.zeros((3, 5), dtype=int)


@pytest.mark.parametrize(
    ("target", "prediction", "ap", "counts"),
    [
        (NOTHING, NOTHING, math.nan, [0, 0, 0]),
        (TARGET, NOTHING, 0, [0, 0, 3]),
        (NOTHING, PREDICTION, 0, [0, 3, 0]),
        (NOTHING[:, :0], NOTHING[:, :0], math.nan, [0, 0, 0]),
        ([[1, 1]], [[4, 4]], 1, [1, 0, 0]),  # without any background
    ],
)
def test_empty_label_images(target, prediction, ap, counts):
    found = panoptic.count_instances(target, prediction)
    row = found.per_threshold[0.5]
    np.testing.assert_equal([found.summary["AP"], row["PQ"], row["precision"], found.image_means[0.5]["F1"]], [ap] * 4)
    assert [row[name] for name in ("true_positives", "false_positives", "false_negatives")] == counts


def test_image_means_exclude_images_without_instances():
    counts = panoptic.count_instances([NOTHING, np.asarray(TARGET)], [NOTHING, np.asarray(PREDICTION)])
    assert counts.image_means[0.5]["AP"] == counts.per_threshold[0.5]["AP"] == 0.5


def test_no_images():
    counts = panoptic.count_instances([], [])
    assert counts.counts == {"images": 0, "objects": 0, "predictions": 0}
    assert math.isnan(counts.summary["AP"])


@pytest.mark.parametrize("thresholds", [np.arange(0.5, 1.0, 0.05), np.linspace(0.5, 0.95, 10, dtype="float32")])
def test_thresholds_of_steps_and_of_32_bits_are_the_decimals(thresholds):
    # An IoU of 3/5 reaches 0.6, which `arange` has as 0.6000000000000001.
    counts = panoptic.count_instances([[1] * 4 + [0]], [[0] + [1] * 4], thresholds=thresholds)
    assert counts.thresholds == (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    assert counts.per_threshold[0.6]["true_positives"] == 1


ONE = np.ones((2, 3), dtype=int)


@pytest.mark.parametrize(
    ("target", "prediction", "options", "error", "message"),
    [
        (ONE, ONE * 1.0, {}, TypeError, "`prediction` must hold integers, got dtype float64: cast it to an int"),
        (ONE > 0, ONE, {}, TypeError, "`target` must hold integers, got dtype bool: label the mask"),
        (ONE, -ONE, {}, ValueError, "`prediction` must hold labels from 0, which is background, got -1"),
        (ONE, ONE.T, {}, ValueError, r"`prediction` must have the shape of `target`, \(2, 3\), got \(3, 2\)"),
        ([ONE, ONE], [ONE, ONE.T], {}, ValueError, r"`prediction\[1\]` must have the shape of `target\[1\]`"),
        ([ONE, ONE], [ONE], {}, ValueError, "`prediction` must have the 2 images of `target`, got 1"),
        ([ONE], ONE, {}, TypeError, "`prediction` must be a list of label images, as `target` is, got ndarray"),
        (ONE, (ONE,), {}, TypeError, "`target` must be a list of label images, as `prediction` is, got ndarray"),
        (
            *[np.ones((2, 3, 4), int)] * 2,
            {},
            ValueError,
            r"of shape \(2, 3, 4\) may be images or volumes: pass `spatial",
        ),
        ([np.ones((2, 3, 4), int)], [np.ones((2, 3, 4), int)], {}, ValueError, "`target.0.` of shape .* may be images"),
        (3, 3, {}, ValueError, "`target` must be a label image, such as .height, width., got one number"),
        ({"a": ONE}, {"a": ONE}, {}, TypeError, r"`target` must be an array .*, got {'a': array\(\[\[1, 1, 1\], "),
        (ONE, ONE, {"spatial_axes": 3}, ValueError, "`target` must have at least 3 axes, as `spatial_axes` says"),
        (ONE, ONE, {"spatial_axes": 4}, ValueError, "`spatial_axes` must be one of 1, 2, 3, got 4"),
        (ONE, ONE, {"thresholds": ()}, ValueError, r"`thresholds` must be different numbers in \(0, 1\], at least one"),
        (ONE, ONE, {"thresholds": (0.5, 0.5)}, ValueError, "`thresholds` must be different numbers"),
        (ONE, ONE, {"thresholds": 50}, ValueError, r"`thresholds` must be different numbers in \(0, 1\]"),
        (ONE, ONE, {"thresholds": (0.5, 0)}, ValueError, "`thresholds` must be above 0, got 0"),
        (ONE, ONE, {"thresholds": "0.5"}, TypeError, "`thresholds` must be a number, got str"),
    ],
)
def test_faults_are_named(target, prediction, options, error, message):
    with pytest.raises(error, match=message) as raised:
        panoptic.count_instances(target, prediction, **options)
    assert "\n" not in str(raised.value)


def test_labels_that_int64_lacks_are_named(xp):
    if (high := array(xp, np.asarray([[0, 2**63 + 7]], dtype="uint64"), "uint64")).dtype != xp.uint64:
        pytest.skip("JAX has integers of 64 bits under x64 only")
    with pytest.raises(ValueError, match=r"`target` must hold labels below 2\*\*63, got 9223372036854775815$"):
        panoptic.count_instances(high, high)
    with pytest.raises(ValueError, match=r"`target` must hold labels below 2\*\*63, got 9223372036854775815$"):
        panoptic.count_ids(high, high, target_segments=[], prediction_segments=[], things=[1], stuff=[])


def test_thresholds_below_one_half_name_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ModuleNotFoundError, match=r"`panoptic.count_instances` with a threshold below 0.5 needs SciPy"):
        panoptic.count_instances(ONE, ONE, thresholds=(0.3, 0.5))
    assert panoptic.count_instances(ONE, ONE).summary["AP"] == 1


def test_counts_of_other_thresholds_do_not_add():
    one, other = (panoptic.count_instances(ONE, ONE, thresholds=x) for x in (0.5, 0.75))
    with pytest.raises(ValueError, match=r"must have the same `thresholds`, got \(0.5,\) and \(0.75,\)"):
        one + other


def test_intervals_and_comparison_draw_images():
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    from omniou import report

    targets = [np.asarray(TARGET)] * 3 + [np.asarray(PREDICTION)] * 3
    counts = panoptic.count_instances(targets, [np.asarray(PREDICTION)] * 6)
    same = panoptic.count_instances(targets, targets)

    measured = report.record(counts, intervals=["AP50"], samples=50).intervals.numbers["AP50"]
    assert measured.value == counts.summary["AP50"]
    assert measured.low < measured.value < measured.high
    assert counts.units.names == (0, 1, 2, 3, 4, 5)
    weights = np.ones((6, 1))
    assert counts.units.numbers(weights).summary == pytest.approx(counts.summary)
    assert "AP50" in str(report.compare({"a": counts, "b": same}, samples=20))
