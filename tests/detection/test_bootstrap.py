"""Bootstrap over images: each sample equals an evaluation of the resampled data; compared models share samples."""

import dataclasses
import math
import random
import statistics

import array_api_compat as compat
import numpy as np
import pytest

from omniou import detection
from omniou._lib import indexing
from omniou._results import comparing, resampling
from omniou.detection import COCO, Detections, Targets
from omniou.detection._result import Result
from omniou.detection.analysis._units import side_by_side
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from tests.detection.tables import tied
from tests.detection.test_evaluator import IMAGES


def sampled(table, draw):
    """Rows of the drawn images; an image that is drawn twice becomes two images."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    rows = [np.flatnonzero(np.asarray(table.images) == image) for image in draw]
    picked = {name: x[np.concatenate(rows)] for name, x in columns.items() if x is not None}
    picked["images"] = np.repeat(np.arange(len(draw)), [len(x) for x in rows])
    return type(table)(**picked)


@pytest.mark.parametrize("name", ["AP", "AP75", "APs", "AR1", "AR100"])
def test_bootstrap_samples_equal_evaluation_of_resampled_images(name):
    targets, detections = tied(0)
    result = detection.evaluate(targets, detections, images=range(6), classes=range(4))
    interval = detection.bootstrap(result, name, samples=5, seed=3)
    generator = random.Random(3)  # noqa: S311
    expected = []
    for _ in range(5):
        draw = sorted(generator.choices(range(6), k=6))
        resampled = detection.evaluate(
            sampled(targets, draw), sampled(detections, draw), images=range(6), classes=range(4)
        )
        # A class that the sample lacks has its value of the whole set.
        values, own = resampled.per_class[name], result.per_class[name]
        expected.append(np.nanmean(np.where(np.isnan(values), own, values)))
    assert list(interval.samples) == pytest.approx(expected, abs=1e-15)
    assert interval.value == result.summary[name]


@pytest.mark.parametrize("seed", range(3))
def test_sampled_curves_equal_evaluation_of_resampled_images(seed):
    targets, detections = tied(seed)
    draw = sorted(random.Random(seed).choices(range(6), k=6))  # noqa: S311
    options = {"images": range(6), "classes": range(4), "protocol": dataclasses.replace(COCO, max_detections=(1, 3, 9))}
    state = detection.evaluate(targets, detections, **options).state
    times, xp = np.bincount(draw, minlength=6), compat.array_namespace(state.scores)
    resampled = detection.evaluate(sampled(targets, draw), sampled(detections, draw), **options)

    actual = Result(Curves(Ranking(state, xp=xp).sampled(times)), lambda x: x, {})

    for name in ("precision", "recall", "scores"):
        np.testing.assert_allclose(getattr(actual, name), getattr(resampled, name), rtol=0, atol=1e-15)


@pytest.mark.parametrize("times", [[1, 0, 0, 1, 1, 0], [2, 0, 1, 0, 0, 3]])
def test_sample_counts_objects_of_all_areas_at_once(monkeypatch, times):
    state = detection.evaluate(*tied(0), images=range(6), classes=range(4)).state
    ranking, counts, calls = Ranking(state, xp=np), indexing.counts, []
    ranking.sampled(np.ones(6, dtype=np.int64))
    monkeypatch.setattr(indexing, "counts", lambda *args, **kwargs: calls.append(args) or counts(*args, **kwargs))
    objects = ranking.sampled(np.asarray(times)).objects
    assert len(calls) == 1
    repeats = np.repeat(times, state.objects_of)
    labels, ranges = (np.repeat(x, repeats) for x in (state.target_labels, state.ranges))
    for area in range(4):
        expected = np.bincount(labels[ranges >> area & 1 == 1], minlength=4)
        np.testing.assert_array_equal(objects[:, area], expected)


def test_bootstrap_interval_from_sorted_samples():
    result = detection.evaluate(*tied(1))
    interval = detection.bootstrap(result, samples=41, confidence=0.9)
    ordered = sorted(interval.samples)
    assert interval.bias == pytest.approx(statistics.fmean(ordered) - interval.value)
    assert interval.corrected == pytest.approx(2 * interval.value - statistics.fmean(ordered))
    bounds = (2 * interval.value - ordered[38], 2 * interval.value - ordered[2])
    assert (interval.low, interval.high) == pytest.approx(bounds)
    assert interval.low < interval.corrected < interval.high
    assert interval.error == pytest.approx(statistics.stdev(interval.samples))
    assert detection.bootstrap(result, samples=41).samples == interval.samples
    assert detection.bootstrap(result, samples=41, seed=1).samples != interval.samples


@pytest.mark.parametrize(("bias", "doubtful"), [(0.029, False), (0.031, True), (-0.2, False)])
def test_interval_is_doubtful_where_the_bias_is_three_tenths_of_the_error(bias, doubtful):
    interval = detection.Interval(value=0.5, low=0.4, high=0.6, error=0.1, bias=bias, confidence=0.95, samples=())
    assert interval.doubtful == doubtful


def one_of_each(images, found):
    """An object of class 1 in each image, of class 2 in the last one too; which are found, as (image, label)."""
    boxes = [[0, 0, 10, 10]] * images + [[20, 0, 30, 10]]
    truth = Targets(boxes, [1] * images + [2], [*range(images), images - 1])
    listed = [([0, 0, 10, 10] if label == 1 else [20, 0, 30, 10], label, image) for image, label in found]
    boxes, labels, of = (list(x) for x in zip(*listed, strict=True))
    return detection.evaluate(truth, Detections(boxes, [0.9] * len(boxes), labels, of))


def test_class_that_a_sample_lacks_keeps_its_value():
    # Class 1 is always found and class 2 never: AP 0.5, which no choice of images changes. Samples without the last
    # image do not drop class 2, which would give an AP of 1.
    interval = detection.bootstrap(one_of_each(8, [(k, 1) for k in range(8)]), samples=50)
    assert interval.samples == pytest.approx([0.5] * 50)
    assert (interval.low, interval.high, interval.bias) == pytest.approx((0.5, 0.5, 0))


def test_interval_ends_inside_of_unit_interval():
    # Of 20 images two are missed, or all but two: twice the value minus a percentile passes 1, or 0.
    for found, end in ((range(18), "high"), (range(2), "low")):
        interval = detection.bootstrap(one_of_each(20, [(k, 1) for k in found] + [(19, 2)]), "AR100", samples=200)
        assert 0 <= interval.low < interval.value < interval.high <= 1
        assert getattr(interval, end) == {"high": 1, "low": 0}[end] or 2 * interval.value - max(interval.samples) > 0
    by_hand = resampling.interval(0.9, [0.7, 0.8, 0.9, 1.0], 0.95)
    assert (by_hand.low, by_hand.high) == (pytest.approx(0.8075), 1)
    assert resampling.interval(0.1, [0.0, 0.3], 0.95).low == 0


@pytest.mark.parametrize(("images", "expected"), [(29, 29), (30, 30)])
def test_interval_of_few_images_is_doubtful(images, expected):
    truth = [{"boxes": [[0, 0, 10, 10]] * 3, "labels": [1] * 3}] * images
    found = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.5 + k / 100]} for k in range(images)]
    interval = detection.bootstrap(detection.evaluate(truth, found), samples=20)
    assert interval.units_per_class == expected  # three objects of one image are one image
    assert interval.doubtful == (images < 30)


def test_interval_of_rare_class_is_doubtful():
    # Class 1 is in 40 images, class 2 in one: 2 / (1 / 40 + 1 / 1).
    interval = detection.bootstrap(one_of_each(40, [(k, 1) for k in range(40)]), samples=20)
    assert interval.units_per_class == pytest.approx(80 / 41)
    assert interval.doubtful


def test_bootstrap_of_group_and_of_state():
    result = detection.evaluate(*tied(1), groups={"x": [1]})
    by_group = detection.bootstrap(result, "APx", samples=3)
    assert by_group.value == pytest.approx(result.per_class["AP"][1], abs=1e-12)
    state = detection.compute([result.state])
    assert detection.bootstrap(state, samples=3).samples == detection.bootstrap(result, samples=3).samples


def test_bootstrap_interval_coverage():
    # 40 images with one object each, detected with probability 0.6: AR is the mean of 40 draws.
    rng, covered = np.random.default_rng(0), 0
    for _ in range(40):
        detected = np.flatnonzero(rng.random(40) < 0.6)
        targets = Targets(np.tile([0.0, 0, 9, 9], (40, 1)), np.ones(40, int), np.arange(40))
        detections = Detections(targets.boxes[detected], np.ones(len(detected)), np.ones(len(detected), int), detected)
        result = detection.evaluate(targets, detections, protocol="voc2010")
        interval = detection.bootstrap(result, "AR", samples=200, confidence=0.8)
        covered += interval.low <= 0.6 <= interval.high
    assert 25 <= covered <= 39  # 32 are to be expected


def test_compare_two_models():
    targets, detections = tied(2)
    worse = dataclasses.replace(detections, scores=np.random.default_rng(0).random(300))
    a, b = (detection.evaluate(targets, x) for x in (worse, detections))
    forward, backward = detection.compare_number(a, b, samples=50), detection.compare_number(b, a, samples=50)
    assert forward.difference.value == b.summary["AP"] - a.summary["AP"]
    assert forward.difference.samples == tuple(
        y - x for x, y in zip(forward.first.samples, forward.second.samples, strict=True)
    )
    assert forward.first.samples == detection.bootstrap(a, samples=50).samples
    assert backward.difference.samples == tuple(-x for x in forward.difference.samples)
    assert backward.p_value == forward.p_value
    same = detection.compare_number(a, a, samples=20)
    assert (same.p_value, same.difference.low, same.difference.high) == (1, 0, 0)
    perfect = Detections(targets.boxes, np.ones(80), targets.labels, targets.images)
    # Five images have 32 permutations: of these the observed one and its opposite are the largest.
    outcome = detection.compare_number(a, detection.evaluate(targets, perfect), samples=50)
    assert outcome.p_value == 2 / 32


def test_p_value_of_records_by_hand():
    # The difference is 1, and twice it minus that of each sample: 1.5, 0.5, -0.5 and 1.25. One is at most 0.
    some = comparing.paired((0.0, [0.0] * 4), (1.0, [0.5, 1.5, 2.5, 0.75]), 0.95)
    assert some.p_value == 2 * (1 + 1) / (1 + 4)
    # None of 9 is.
    assert comparing.paired((0.0, [0.0] * 9), (1.0, [1.0] * 9), 0.95).p_value == 2 * (1 + 0) / (1 + 9)
    # 0 counts on both sides: all of 3, which is at most 1.
    assert comparing.paired((0.0, [0.0] * 3), (1.0, [2.0] * 3), 0.95).p_value == 1
    # With few images of a class, samples vary too little.
    assert math.isnan(comparing.paired((0.0, [0.0] * 9), (1.0, [1.0] * 9), 0.95, 29.9).p_value)


@pytest.mark.parametrize(("images", "p_value"), [(1, 1.0), (2, 0.5), (3, 0.25), (6, 2 / 64)])
def test_p_value_of_few_images_is_exact(images, p_value):
    # The second model finds the object of each image, the first finds none: of all 2**n permutations only the observed
    # one and its opposite are as far apart.
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * images
    none, good = (
        detection.evaluate(truth, [{"boxes": [box], "labels": [1], "scores": [0.5]} for _ in range(images)])
        for box in ([50, 50, 60, 60], [0, 0, 10, 10])
    )
    outcome = detection.compare_number(none, good, samples=63)
    assert outcome.difference.value == pytest.approx(1)
    assert outcome.p_value == p_value
    assert (outcome.difference.low > 0) == (p_value < 0.05)
    assert outcome.difference.high == 1
    assert outcome.difference.low == -1 or images == 6
    assert outcome.difference.doubtful


def test_p_values_of_alike_models():
    # Both models find each object with probability 0.6: p is below 0.2 in about a fifth of the sets.
    rng, below = np.random.default_rng(0), 0
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 12
    for _ in range(40):
        models = [
            [{"boxes": [[0, 0, 10, 10 if x < 0.6 else 2]], "labels": [1], "scores": [0.5]} for x in rng.random(12)]
            for _ in range(2)
        ]
        a, b = (detection.evaluate(truth, x, protocol="voc2010") for x in models)
        below += detection.compare_number(a, b, "AR", samples=40).p_value < 0.2
    assert 1 <= below <= 16


def test_compare_of_other_images_or_protocol_raises():
    targets, detections = tied(2)
    result = detection.evaluate(targets, detections)
    with pytest.raises(ValueError, match="`first` and `second` must be of the same images, got 5 and 30"):
        detection.compare_number(result, detection.evaluate(targets, detections, images=range(IMAGES)))
    with pytest.raises(ValueError, match="`first` and `second` must be evaluated by the same protocol"):
        detection.compare_number(result, detection.evaluate(targets, detections, protocol="voc2010"))


def test_compare_classes_of_equal_and_other_models():
    targets, detections = tied(2)
    changed = np.where(detections.labels == 1, 1 - detections.scores, detections.scores)
    other = dataclasses.replace(detections, scores=changed)
    a, b = (detection.evaluate(targets, x, classes=range(5)) for x in (detections, other))

    same = detection.compare_classes(a, a, samples=20)
    outcome = detection.compare_classes(a, b, samples=50)

    assert same.classes == tuple(range(5))
    assert same.differences[:3] == (0, 0, 0)
    assert same.p_values[:3] == (1, 1, 1)
    assert all(math.isnan(x) for x in (*same.p_values[3:], *same.differences[3:]))  # classes without objects
    assert outcome.differences[:3] == pytest.approx((b.per_class["AP"] - a.per_class["AP"])[:3])
    assert outcome.p_values[0] == outcome.p_values[2] == 1
    assert outcome.low[1] < outcome.differences[1] < outcome.high[1]


@pytest.mark.parametrize("reach", [2**62, 2**63 - 1])
def test_comparison_does_not_depend_on_the_size_of_ids(reach):
    targets, detections = tied(2)
    worse = dataclasses.replace(detections, scores=np.random.default_rng(0).random(300))
    ids = np.asarray([-reach - 1, -reach, -1, 0, reach - 1, reach])  # rising as 0, 1, ..., 5
    moved = [dataclasses.replace(x, images=ids[np.asarray(x.images)]) for x in (targets, detections, worse)]
    small, large = (
        detection.compare_number(*(detection.evaluate(truth, x) for x in models), samples=50)
        for truth, *models in ((targets, detections, worse), moved)
    )
    assert (large.difference, large.p_value) == (small.difference, small.p_value)


def test_permutation_that_keeps_places_gives_both_models():
    targets, detections = tied(2)
    worse = dataclasses.replace(detections, scores=np.random.default_rng(0).random(300))
    results = [detection.evaluate(targets, x, images=range(6), classes=range(4)) for x in (detections, worse)]
    xp = compat.array_namespace(results[0].state.scores)
    both = Ranking(side_by_side(*(x.state for x in results), xp=xp), xp=xp)

    for times, result in zip(([1, 0] * 6, [0, 1] * 6), results, strict=True):  # images of both models in turns
        actual = Result(Curves(both.sampled(np.asarray(times))), lambda x: x, {}).per_class["AP"]
        np.testing.assert_allclose(actual, result.per_class["AP"], rtol=0, atol=1e-12)


# Two of eight images differ, so of the four ways to exchange them two have the observed difference: p is 1/2.
def test_ties_between_images_keep_their_order_in_permutations():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 8
    right = {"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.5]}
    wrong = right | {"boxes": [[50, 0, 60, 10]]}
    first = [right, wrong, wrong, right, right, right, wrong, wrong]
    second = [right, wrong, wrong, wrong, right, wrong, wrong, wrong]
    one, other = (detection.evaluate(truth, x) for x in (first, second))
    both = (detection.compare_number(a, b, "AP50") for a, b in ((one, other), (other, one)))
    assert [x.p_value for x in both] == [0.5, 0.5]
    assert detection.compare_number(one, one, "AP50").difference.high == 0


def test_p_values_of_classes_by_hand():
    # Four permutations of two classes, whose errors are 0.2 and 0.02: the largest deviations are 1, 1, 1 and 1.
    rows = [[0.2, 0.02], [-0.2, 0.02], [0.2, -0.02], [0.2, 0.02]]
    (outcome,) = comparing.by_class([comparing.Exchanged([1, 2], [0.6, -0.02], rows, 0.58, [])], 0.5)

    assert outcome.p_values == (1 / 5, 1.0)
    assert (outcome.low, outcome.high) == (pytest.approx((0.4, -0.04)), pytest.approx((0.8, 0.0), abs=1e-9))
    nan = float("nan")
    unknown = comparing.Exchanged([1], [nan], [[nan], [nan]], nan, [nan, nan])
    assert math.isnan(comparing.by_class([unknown], 0.95)[0].p_values[0])


def test_p_values_of_two_models_by_hand():
    # Differences of two models from a third: 0.6 with the error 0.2, and 0.02 with the error 0.02. Of four permutations
    # none deviates by three errors, and all of them deviate by one.
    numbers = [
        comparing.Exchanged([1], [0.6], [[0.2], [-0.2], [0.2], [0.2]], 0.6, [0.2, -0.2, 0.2, 0.2]),
        comparing.Exchanged([1], [0.02], [[0.02], [0.02], [-0.02], [0.02]], 0.02, [0.02, 0.02, -0.02, 0.02]),
    ]
    (low, high, p_value), other = comparing.tested(numbers, 0.5)

    assert (low, high, p_value) == (pytest.approx(0.4), pytest.approx(0.8), 1 / 5)
    assert other == (pytest.approx(0, abs=1e-9), pytest.approx(0.04), 1)
    # The classes of both are adjusted together, as the numbers are.
    assert [x.p_values for x in comparing.by_class(numbers, 0.5)] == [(1 / 5,), (1,)]


def test_compare_classes_finds_the_class_that_differs():
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}] * 40
    boxes = [[[0, 0, 10, 9 - k % 3], [20, 0, 30, 8 - k % 3]] for k in range(40)]
    better = [[x[0], [20, 0, 30, 10]] for x in boxes]
    results = [
        detection.evaluate(truth, [{"boxes": x, "labels": [1, 2], "scores": [0.5, 0.5]} for x in model])
        for model in (boxes, better)
    ]
    outcome = detection.compare_classes(*results, samples=100)

    assert outcome.p_values == (1, 1 / 101)
    assert outcome.low[1] > 0


def test_compare_classes_of_other_classes_raises():
    targets, detections = tied(2)
    results = [detection.evaluate(targets, detections, classes=classes) for classes in (range(3), range(4))]
    with pytest.raises(ValueError, match="`first` and `second` must be of the same classes"):
        detection.compare_classes(*results)
    with pytest.raises(ValueError, match="`name` must be one of"):
        detection.compare_classes(results[0], results[0], "AP51")
