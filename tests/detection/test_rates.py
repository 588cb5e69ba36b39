"""FROC and the log-average miss rate, against hand-worked values and short versions of the published scripts."""

import dataclasses

import numpy as np
import pytest

from omniou import detection
from omniou.detection import COCO
from tests.helpers import numbers

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

CALTECH = [10 ** (-2 + k / 4) for k in range(9)]
LUNA16 = [0.125, 0.25, 0.5, 1, 2, 4, 8]


def box(k):
    return [20 * k, 0, 20 * k + 10, 10]


def image(xp, *rows, scores=True):
    """Make columns of (place of a box, class, score)."""
    float64 = xp.float64
    columns = {
        "boxes": xp.reshape(xp.asarray([x for row in rows for x in box(row[0])], dtype=float64), (len(rows), 4)),
        "labels": xp.asarray([row[1] for row in rows], dtype=xp.int64),
    }
    return columns | ({"scores": xp.asarray([row[2] for row in rows], dtype=float64)} if scores else {})


def scene(xp):
    """Four images, the last two without objects. Class 1 has three objects, class 2 has one."""
    truth = [[(0, 1), (1, 1)], [(0, 1), (2, 2)], [], []]
    found = [
        [(0, 1, 0.9), (5, 1, 0.8), (0, 1, 0.4)],  # a hit, a false positive, a duplicate
        [(0, 1, 0.7), (2, 2, 0.5)],  # two hits
        [(3, 1, 0.7)],  # a false positive of the score of a hit
        [(4, 2, 0.6)],
    ]
    targets = [image(xp, *rows, scores=False) for rows in truth]
    return detection.evaluate(targets, [image(xp, *rows) for rows in found])


def close(actual, expected):
    np.testing.assert_allclose(numbers(actual), expected, rtol=0, atol=1e-6)


def test_froc_by_hand(xp):
    # All classes: (false positives for each image, recall) of the thresholds 0.9, 0.8, 0.7, 0.6, 0.5, 0.4 are
    # (0, 1/4), (1/4, 1/4), (2/4, 2/4), (3/4, 2/4), (3/4, 3/4), (1, 3/4).
    found = scene(xp).froc(rates=[0.125, 0.25, 0.375, 0.5, 0.75, 4])
    close(found.recall, [1 / 4, 1 / 4, 3 / 8, 2 / 4, 3 / 4, 3 / 4])
    close(found.scores, [0.9, 0.8, 0.8, 0.7, 0.5, 0.4])
    assert found.mean == pytest.approx((1 / 4 + 1 / 4 + 3 / 8 + 1 / 2 + 3 / 4 + 3 / 4) / 6)
    # Class 1: (0, 1/3), (1/4, 1/3), (2/4, 2/3), (3/4, 2/3); class 2: (1/4, 0), (1/4, 1).
    close(found.per_class[0, :], [1 / 3, 1 / 3, 1 / 2, 2 / 3, 2 / 3, 2 / 3])
    close(found.per_class[1, :], [0, 1, 1, 1, 1, 1])
    close(found.curve[0, :], [0.125, 1 / 4])
    close(found.curve[-1, :], [4, 3 / 4])


def test_froc_without_duplicates_by_hand(xp):
    found = scene(xp).froc(rates=[0.5, 0.75], ignore_duplicates=True)
    close(found.recall, [2 / 4, 3 / 4])
    # Class 1 has two false positives in four images then.
    close(found.scores, [0.7, 0.5])
    assert found.per_class.shape == (2, 2)


def test_miss_rate_by_hand(xp):
    found = scene(xp).miss_rate(rates=[0.01, 0.3, 0.6, 0.75])
    # The last threshold with at most so many: no interpolation.
    close(found.miss_rate, [3 / 4, 3 / 4, 2 / 4, 1 / 4])
    close(found.curve[0, :], [0.01, 3 / 4])
    close(found.curve[-1, :], [0.75, 1 / 4])
    assert found.log_average == pytest.approx((3 / 4 * 3 / 4 * 2 / 4 * 1 / 4) ** (1 / 4))
    # Class 2 has its false positive first: no threshold reaches 0.01. Then nothing is missed, which counts as 1e-10.
    close(found.per_class[1, :], [1, 0, 0, 0])
    assert float(found.per_class_log_average[1]) == pytest.approx(1e-10 ** (3 / 4))
    assert len(scene(xp).miss_rate().rates) == 9


def random_rows(rng, images):
    """Make objects and candidates of images, in places that do not overlap, with many ties."""
    truth = [[(int(k), 1) for k in rng.permutation(6)[: rng.integers(0, 4)]] for _ in range(images)]
    found = [
        [(int(k), 1, float(s)) for k, s in zip(rng.integers(0, 9, n), rng.integers(1, 12, n) / 12, strict=True)]
        for n in rng.integers(0, 9, images)
    ]
    return truth, found


def luna16(truth, found, excluded):
    """Return false positives a scan and sensitivity, as the description of LUNA16's evaluation says.

    Each nodule takes the candidate of the highest probability on it; others on it are ignored, and so are candidates on
    excluded findings. All other candidates are false positives.
    """
    positive, negative, missed = [], [], 0
    for objects, left_out, candidates in zip(truth, excluded, found, strict=True):
        for place, _ in objects:
            on_it = [score for at, _, score in candidates if at == place]
            positive += [max(on_it)] if on_it else []
            missed += not on_it
        taken = {place for place, _ in (*objects, *left_out)}
        negative += [score for place, _, score in candidates if place not in taken]
    steps = sorted({*positive, *negative}, reverse=True)
    false = [0.0] + [sum(x >= s for x in negative) / len(truth) for s in steps]
    return false, [0.0] + [sum(x >= s for x in positive) / (len(positive) + missed) for s in steps]


@pytest.mark.parametrize("seed", range(20))
def test_froc_equals_luna16(seed):
    rng = np.random.default_rng(seed)
    truth, found = random_rows(rng, 12)
    excluded = [[(k, 1) for k in (6, 7) if rng.random() < 0.3] for _ in truth]
    targets = [
        image(np, *objects, *more, scores=False) | {"iscrowd": np.array([0] * len(objects) + [1] * len(more))}
        for objects, more in zip(truth, excluded, strict=True)
    ]
    result = detection.evaluate(targets, [image(np, *rows) for rows in found])
    expected = np.interp(LUNA16, *luna16(truth, found, excluded))
    np.testing.assert_allclose(result.froc(ignore_duplicates=True).recall, expected, rtol=0, atol=1e-12)
    assert result.froc(ignore_duplicates=True).mean == pytest.approx(expected.mean())


def caltech(result, images):
    """Return miss rates as Dollár's toolbox reads them: detections one by one, without ties."""
    rows = sorted(zip(*map(numbers, (result.matches.scores, result.matches.hits[0])), strict=True), reverse=True)
    hits = np.cumsum([hit for _, hit in rows])
    false = np.concatenate([[-np.inf], np.cumsum([not hit for _, hit in rows]) / images])
    recall = np.concatenate([[0], hits / numbers(result.objects)[0, 0]])
    missed = np.array([1 - recall[np.flatnonzero(false <= x)[-1]] for x in CALTECH])
    return missed, np.exp(np.log(np.maximum(1e-10, missed)).mean())


@pytest.mark.parametrize("seed", range(10))
def test_miss_rate_equals_caltech(seed):
    rng = np.random.default_rng(seed)
    truth, found = random_rows(rng, 40)
    scores = iter(rng.permutation(sum(map(len, found))) + 1.0)
    found = [[(place, label, next(scores) / 1000) for place, label, _ in rows] for rows in found]
    result = detection.evaluate([image(np, *x, scores=False) for x in truth], [image(np, *rows) for rows in found])
    missed, average = caltech(result, len(truth))
    np.testing.assert_allclose(result.miss_rate().miss_rate, missed, rtol=0, atol=1e-12)
    assert result.miss_rate().log_average == pytest.approx(average)


def columns(rows, places, order, scores):
    """Make a table of some images, with the rows of each in an order."""
    listed = [(k, rows[k][j]) for k in places for j in order(len(rows[k]))]
    made = {
        "boxes": np.reshape([box(row[0]) for _, row in listed], (len(listed), 4)).astype(float),
        "labels": np.array([row[1] for _, row in listed], dtype=int),
        "images": np.array([k for k, _ in listed], dtype=int),
    }
    return made | ({"scores": np.array([row[2] for _, row in listed])} if scores else {})


def test_merged_states_and_shuffled_rows_have_the_same_bits():
    rng = np.random.default_rng(7)
    truth, found = random_rows(rng, 30)
    rules = dataclasses.replace(COCO, tie_policy="invariant")

    def computed(order, *parts):
        states = [
            detection.evaluate(
                detection.Targets(**columns(truth, part, range, scores=False)),
                detection.Detections(**columns(found, part, order, scores=True)),
                protocol=rules,
                images=list(part),
            ).state
            for part in parts
        ]
        result = detection.compute(states)
        froc, miss, top, empty = result.froc(), result.miss_rate(), result.top_k(), result.empty_images()
        return np.concatenate([froc.recall, miss.miss_rate, top.precision, top.recall, empty.image_f1, empty.f1])

    whole = computed(range, range(30))
    assert whole.tobytes() == computed(rng.permutation, range(17, 30), range(17)).tobytes()


def test_invalid_rates_raise():
    result = scene(np)
    for rates in ([], [1, 1], [2, 1]):
        with pytest.raises(ValueError, match="`rates` must be rising numbers"):
            result.froc(rates=rates)
    with pytest.raises(ValueError, match="`rates` must be positive"):
        result.miss_rate(rates=[0, 1])
    with pytest.raises(TypeError, match="`rates` must be rising numbers"):
        result.froc(rates="1")
    with pytest.raises(ValueError, match="`iou_threshold` must be one of the protocol's"):
        result.froc(0.42)
    without = detection.Evaluator()
    without.update([image(np, (0, 1), scores=False)], [image(np, (0, 1, 0.5))])
    assert without.compute().froc().mean == 1
    with pytest.raises(ValueError, match="boxes are not kept"):
        without.compute().froc(ignore_duplicates=True)


def test_extreme_rates():
    with np.errstate(all="raise", under="ignore"):
        found = scene(np).froc(rates=[1e-300, 1e300])
    close(found.recall, [1 / 4, 3 / 4])
    assert "at 2 false positives for each image" in str(scene(np).froc(rates=[2]))


def test_rates_of_no_images_are_nan():
    result = detection.Evaluator().compute()
    assert np.isnan([result.froc().mean, result.miss_rate().log_average]).all()
    # Objects without detections are missed.
    result = detection.evaluate([image(np, (0, 1), scores=False)], [image(np)])
    assert (result.froc().mean, result.miss_rate().log_average) == (0, 1)
    assert np.isnan(result.froc().scores).all()
