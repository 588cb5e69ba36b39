"""Each threshold of the doctor, by a case on either side of it that is worked out by hand.

Numbers that only bound the time (`_PAIRS`, `_SORTED` and so on) have none.
"""

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from omniou.data import GroundTruth, diagnose
from omniou.detection import Detections, Targets
from omniou.detection.doctor import _boxes, _images, _labels, _readings, _rows, _sample, _scale, _scores
from omniou.detection.doctor._boxes_of_file import FileBoxes
from omniou.detection.doctor._readings import BoxReading
from tests.benchmarks.scenes import Scene, draw

XYXY, XYWH = BoxReading("xyxy"), BoxReading("xywh")


def boxes_of(numbers, reading=XYXY, side=100.0, what="ground truth"):
    """A file in images of side x side, NaN where their size is not known."""
    numbers = np.asarray(numbers, dtype=np.float64)
    option = "--gt-boxes" if what == "ground truth" else "--dt-boxes"
    return FileBoxes(what, "file", option, str(reading), reading, numbers, np.full((len(numbers), 2), side))


def mixed(*parts):
    """Boxes, each so many times: (box, count), ..."""
    return np.concatenate([np.tile(np.array([box], dtype=np.float64), (count, 1)) for box, count in parts])


def ground_truth(numbers, categories=None):
    count = len(numbers)
    return GroundTruth(
        path=Path("truth"),
        targets=Targets(
            np.asarray(numbers, dtype=np.float64),
            np.zeros(count, np.int64),
            np.arange(count),
        ),
        images=np.arange(count),
        categories=categories or {0: "cat"},
        flagged=np.zeros(count, bool),
        format="xyxy",
    )


@pytest.mark.parametrize(("beyond", "side", "inside"), [(1.9, 100, True), (2.1, 100, False), (0.9, 50, True)])
def test_inside_allows_two_hundredths_of_the_side(beyond, side, inside):
    corners = np.array([[10, 10, side + beyond, 20]])
    assert _readings.inside(corners, np.full((1, 2), side)).tolist() == [inside]


@pytest.mark.parametrize(("low", "inside"), [(-1.9, True), (-2.1, False)])
def test_inside_allows_two_pixels_where_sizes_are_unknown(low, inside):
    assert _readings.inside(np.array([[low, 10, 20, 20]]), np.full((1, 2), np.nan)).tolist() == [inside]


@pytest.mark.parametrize(("matched", "poor"), [(4, True), (5, False)])
def test_fit_of_less_than_half_is_poor(matched, poor):
    assert _boxes.Fit(np.zeros((10, 4)), np.zeros((10, 4)), matched).is_poor == poor


@pytest.mark.parametrize(("matching", "others", "said"), [(1, 2, True), (1, 1, False), (10, 4, True), (10, 3, False)])
def test_order_that_leaves_no_box_inverted_needs_three_or_half_as_many_more(matching, others, said):
    """Detections in xywh are read as corners: some at the origin match, some do not, and the last is inverted."""
    low = mixed(((2, 2), matching), ((50, 60), others), ((90, 90), 1))
    side = mixed(((200, 200), matching), ((100, 100), others), ((80, 80), 1))
    truth = ground_truth(np.concatenate([low, low + side], axis=1))
    count = len(low)
    written = np.concatenate([low, side], axis=1)
    findings = diagnose(truth, Detections(written, 1 - np.arange(count) / 100, np.zeros(count, int), np.arange(count)))
    assert [x.code for x in findings if x.code == "boxes-order"] == ["boxes-order"] * said


@pytest.mark.parametrize(("better", "said"), [(6, True), (5, False)])
def test_axes_of_the_file_of_which_more_boxes_fit_the_images_are_swapped(better, said):
    file = boxes_of(mixed(((20, 10, 30, 90), better), ((10, 10, 40, 40), 100 - better)))
    file.sides[:] = 100, 50
    # The tall boxes are beyond the lower edge unless x is swapped with y.
    assert _boxes._swapped_in(file) == said


@pytest.mark.parametrize(("inside", "file"), [(88, "ground truth"), (92, "detections")])
def test_scale_is_that_of_the_ground_truth_where_a_tenth_leaves_its_images(inside, file):
    truth = boxes_of(mixed(((10, 10, 40, 40), inside), ((90, 90, 140, 140), 100 - inside)))
    detections = boxes_of(mixed(((5, 5, 20, 20), 100)), what="detections")
    fit = _boxes.Fit(detections.numbers, truth.numbers, 90)
    reading = _boxes._scaled(truth, detections, _scale.BoxScale("pixels", 2.0), XYXY, lambda: fit)
    assert reading.text.startswith(f"boxes of the {file}")


def test_sample_of_boxes_has_two_thousand():
    assert len(boxes_of(mixed(((0, 0, 1, 1), 4000))).sample[0]) == 2000


@pytest.mark.parametrize(("count", "enough"), [(10, True), (9, False)])
def test_ten_boxes_are_enough(count, enough):
    assert boxes_of(mixed(((0, 0, 1, 1), count))).enough == enough


@pytest.mark.parametrize(
    ("corners", "beyond", "said"),
    # Of 100 boxes: those that are inside as corners only, and those that are inside in no order.
    [(10, 0, True), (9, 0, False), (18, 2, True), (17, 3, False)],
)
def test_order_by_images_needs_a_tenth_outside_and_98_percent_inside(corners, beyond, said):
    parts = ((60, 60, 90, 90), corners), ((20, 20, 30, 30), 100 - corners - beyond), ((150, 150, 160, 160), beyond)
    other = boxes_of(mixed(*parts), XYWH).other_order()
    assert (other is not None and other[0] == XYXY) == said


@pytest.mark.parametrize(("inverted", "said"), [(11, True), (10, False)])
def test_sides_read_as_corners_invert_more_than_a_tenth(inverted, said):
    numbers = mixed(((50, 50, 20, 20), inverted), ((10, 10, 20, 20), 100 - inverted))
    assert (boxes_of(numbers, XYXY, np.nan).other_order() is not None) == said


@pytest.mark.parametrize(("before", "said"), [(11, True), (10, False)])
def test_boxes_around_centres_that_begin_before_the_image_are_more_than_a_tenth(before, said):
    numbers = mixed(((5, 5, 20, 20), before), ((50, 50, 20, 20), 100 - before))
    assert (boxes_of(numbers, BoxReading("cxcywh"), np.nan).other_order() is not None) == said


@pytest.mark.parametrize(("count", "reversed_", "said"), [(30, 12, True), (29, 12, False), (30, 21, False)])
def test_corners_are_told_by_the_rank_correlation_of_thirty_boxes(count, reversed_, said):
    """The last b of n sides are in falling order: the rank correlation is 1 - 2 (b^3 - b) / (n^3 - n)."""
    first = np.arange(count, dtype=np.float64)
    third = first.copy()
    third[count - reversed_ :] = third[count - reversed_ :][::-1]
    numbers = np.stack([first, first, 100 + third, 100 + third], axis=1)
    assert (boxes_of(numbers, XYWH, np.nan).other_order() is not None) == said


@pytest.mark.parametrize(
    ("high", "small", "extent", "fractions"),
    [(1.4, 95, 9, True), (1.4, 94, 9, False), (1.6, 100, 9, False), (1.4, 95, 8, False)],
)
def test_fractions_are_95_percent_up_to_one_and_a_half_in_images_of_more_than_eight(high, small, extent, fractions):
    numbers = mixed(((0, 0, high, high), small), ((0, 0, 50, 50), 100 - small))
    assert boxes_of(numbers).are_fractions(extent) == fractions


@pytest.mark.parametrize(
    ("reach", "inside", "pixels"), [(3.1, 10, True), (2.9, 10, False), (5.0, 10, True), (5.0, 11, False)]
)
def test_pixels_read_as_fractions_of_unknown_images(reach, inside, pixels):
    numbers = mixed(((0.1, 0.1, 0.2, 0.2), inside), ((1, 1, reach, reach), 100 - inside))
    assert boxes_of(numbers, side=1.0).are_pixels() == pixels


@pytest.mark.parametrize(("reach", "far", "pixels"), [(31, 6, True), (31, 4, False), (29, 6, False)])
def test_pixels_read_as_fractions_reach_into_their_images(reach, far, pixels):
    """Numbers were multiplied by the sides, 100, of their images."""
    numbers = 100 * mixed(((5, 5, reach, reach), far), ((5, 5, 10, 10), 100 - far))
    assert boxes_of(numbers).are_pixels() == pixels


@pytest.mark.parametrize(
    ("what", "reach", "far", "count", "said"),
    [
        ("ground truth", 102.1, 1, 100, True),  # of an object not even one
        ("ground truth", 101.9, 9, 10, False),
        ("detections", 155, 2, 4, False),
        ("detections", 155, 3, 4, True),
        ("detections", 155, 21, 100, True),
        ("detections", 145, 21, 100, False),
        ("detections", 155, 20, 100, False),
    ],
)
def test_boxes_beyond_their_images(what, reach, far, count, said):
    numbers = mixed(((5, 5, reach, 50), far), ((5, 5, 50, 50), count - far))
    assert bool(boxes_of(numbers, what=what).beyond()) == said


def sampled(own, others, count):
    """A sample of so many images, by the IoU of each detection with objects of its image and of others."""
    return SimpleNamespace(
        places=np.arange(count),
        elsewhere=lambda part=2: part,
        best=lambda _detected, _objects, places=None: own if places is None else others,
    )


@pytest.mark.parametrize(
    ("count", "images", "chance", "deviations", "said"),
    [
        (100, 20, 0.0, 1.5, True),
        (98, 20, 0.0, 1.5, False),
        (100, 19, 0.0, 1.5, False),
        (100, 20, 0.24, 1.5, True),
        (100, 20, 0.26, 1.5, False),
        (100, 20, 0.0, 2.5, False),
    ],
)
def test_unrelated_at_its_thresholds(count, images, chance, deviations, said):
    # Gains of 0.1 and -0.1, and on top so many standard errors of their mean.
    gain = np.where(np.arange(count) % 2, 0.1, -0.1)
    others = np.where(np.arange(count) < chance * count, 0.6, 0.2)
    own = others + gain + deviations * gain.std() / np.sqrt(count)
    fit = _boxes.Fit(np.zeros((count, 4)), np.zeros((0, 4)), 0)
    assert bool(_images.unrelated(sampled(own, others, images), fit, "")) == said


def test_unrelated_looks_at_ten_times_as_many_detections(monkeypatch):
    truth, detections = draw(Scene(images=40, false=50, recall=0), 0)
    times, take = [], _sample.take
    monkeypatch.setattr(_sample, "take", lambda *args, **how: times.append(how.get("times", 1)) or take(*args, **how))
    diagnose(truth, detections)
    assert times == [1, 10]


@pytest.mark.parametrize(
    ("tried", "elsewhere", "by_chance", "said"),
    [(3, 3, 0, True), (3, 2, 0, False), (10, 6, 0, True), (10, 5, 0, False), (10, 9, 3, True), (10, 8, 3, False)],
)
def test_images_are_mixed_if_most_of_three_or_more_fit_elsewhere(monkeypatch, tried, elsewhere, by_chance, said):
    monkeypatch.setattr(_images, "_better_elsewhere", lambda *_: (tried, elsewhere, by_chance))
    zeros = np.zeros(20)
    sample = sampled(zeros, zeros, 20)
    sample.detections = SimpleNamespace(images=np.arange(20))
    fit = _boxes.Fit(np.zeros((20, 4)), np.zeros((20, 4)), 0)
    assert bool(_images.check(ground_truth(np.zeros((20, 4))), sample, fit, "")) == said


@pytest.mark.parametrize(("there", "better"), [(3, 1), (2, 0)])
def test_other_image_fits_far_better_by_half_of_the_detections(there, better):
    """Of four detections one matches in its own image, and so many in another one."""
    grid = np.array([[20 * k, 0, 20 * k + 10, 10] for k in range(4)], dtype=np.float64)
    objects = _sample.SampledBoxes(
        np.concatenate([grid[:1], grid[:there]]), np.zeros(1 + there, int), np.array([0] + [1] * there)
    )
    detections = _sample.SampledBoxes(grid, np.zeros(4, int), np.zeros(4, int))
    first = np.array([0, 1, 1 + there])
    sample = _sample.Sample(objects, detections, first, np.array([0, 1]), np.full((2, 2), np.nan))
    fit = _boxes.Fit(grid, objects.boxes, 1)
    assert _images._better_elsewhere(sample, fit, sample.best(*fit[:2]))[:2] == (1, better)


@pytest.mark.parametrize(
    ("images", "better", "worse", "each", "said"),
    [
        (10, 5, 0, 1, True),
        (10, 4, 0, 2, False),
        (30, 6, 0, 1, True),
        (30, 5, 0, 1, False),
        (20, 9, 2, 9, True),
        (20, 8, 2, 9, False),
    ],
)
def test_order_of_images_is_another_one_if_five_and_a_fifth_of_them_gain(images, better, worse, each, said):
    at = np.repeat(np.arange(images), each)
    sample = SimpleNamespace(places=np.arange(images), detections=SimpleNamespace(images=at))
    moved = (at < better) * 1.0
    own = np.zeros(len(at))
    own[(at >= images - worse) & (np.arange(len(at)) % each == 0)] = 1.0
    assert _images._in_many(sample, own, moved) == said


@pytest.mark.parametrize(
    ("first", "count", "total", "said"),
    [
        (True, 5, 30, True),
        (True, 4, 30, False),
        (True, 11, 100, True),
        (True, 10, 100, False),
        # The others have 2 detections of an object: the rate is 1.594, and exp(-1.594) = 20 % are empty by chance.
        (False, 51, 100, True),
        (False, 50, 100, False),
    ],
)
def test_images_without_detections_at_their_thresholds(first, count, total, said):
    order = np.arange(total) if first else np.argsort(np.arange(total) * 37 % total, kind="stable")
    detections = np.full(total, 2)
    detections[order[:count]] = 0
    assert bool(_images.without_detections(np.ones(total), detections, "")) == said


@pytest.mark.parametrize(("together", "said"), [(18, True), (17, False)])
def test_missing_images_are_the_first_ones_if_nine_tenths_of_them_are(together, said):
    missing = np.zeros(100, bool)
    missing[:together] = True
    missing[50 : 70 - together] = True
    assert _images._stretch(missing).startswith("they are the first") == said


def paired(labels, true):
    """Detections that are equal to their objects, one in each image, with their labels."""
    count = len(labels)
    numbers = np.tile([[0.0, 0, 10, 10]], (count, 1))
    at = np.arange(count)
    sides = np.full((count, 2), np.nan)
    both = [_sample.SampledBoxes(numbers, np.asarray(x), at) for x in (true, labels)]
    return _sample.Sample(*both, np.arange(count + 1), at, sides), _boxes.Fit(numbers, numbers, count)


@pytest.mark.parametrize(("shifted", "code"), [(8, "classes-shifted"), (7, "classes-mixed")])
def test_classes_are_shifted_if_that_explains_four_fifths(shifted, code):
    labels, true = np.repeat([1, 3], [shifted, 10 - shifted]), np.repeat([0, 5], [shifted, 10 - shifted])
    truth = ground_truth(np.zeros((0, 4)), categories={k: str(k) for k in range(6)})
    assert [x.code for x in _labels.check(truth, labels, *paired(labels, true))] == [code]


@pytest.mark.parametrize(
    ("count", "matches", "others", "said"),
    [(10, 10, 3, True), (9, 9, 3, False), (10, 4, 2, False), (100, 100, 25, True), (100, 100, 24, False)],
)
def test_one_class_at_its_thresholds(count, matches, others, said):
    found = SimpleNamespace(count=matches, share=str)
    assert bool(_labels._one_class(ground_truth(np.zeros((0, 4))), count, 0, found, matches - others)) == said


@pytest.mark.parametrize(
    ("repeated", "total", "said"), [(2, 10, True), (1, 10, False), (2, 100, True), (2, 101, False)]
)
def test_duplicates_are_two_and_a_fiftieth_of_the_rows(repeated, total, said):
    rows = np.minimum(np.arange(total), total - repeated - 1)
    assert bool(_rows.duplicates("detections", "", rows)) == said


@pytest.mark.parametrize(
    ("count", "score", "codes"),
    [(20, 0.5, ["scores-equal"]), (19, 0.5, []), (5, 1.0, ["scores-equal"]), (5, 0.0, ["scores-equal"]), (4, 1.0, [])],
)
def test_twenty_scores_are_equal_or_five_that_are_sure(count, score, codes):
    detections = Detections(np.zeros((count, 4)), np.full(count, score), np.zeros(count, int), np.zeros(count, int))
    assert [x.code for x in _scores.check(detections, "")] == codes


@pytest.mark.parametrize(("high", "hint"), [(100, "divide them by 100"), (101, "bring them into [0, 1]")])
def test_scores_up_to_a_hundred_are_percentages(high, hint):
    (finding,) = _scores.check(
        Detections(np.zeros((2, 4)), np.array([3, high]), np.zeros(2, int), np.zeros(2, int)), ""
    )
    assert finding.hint == hint


@pytest.mark.parametrize(("count", "said"), [(500, True), (499, False)])
def test_five_hundred_objects_of_coco_have_a_crowd(count, said):
    names = [*_rows._COCO, *map(str, range(80 - len(_rows._COCO)))]
    truth = ground_truth(np.zeros((count, 4)), categories=dict(enumerate(names)))
    assert bool(_rows.crowds(truth)) == said


def test_sample_has_three_detections_of_an_image_with_one_object_and_two_hundred_images():
    truth = ground_truth(np.tile([[0.0, 0, 10, 10]], (500, 1)))
    images = np.repeat(np.arange(500), 5)
    detections = Detections(np.zeros((2500, 4)), np.ones(2500), np.zeros(2500, int), images)
    located = _sample.Located.of(truth, detections)
    sample = _sample.take(truth, detections, located, (truth.targets.boxes, detections.boxes))
    assert len(sample.places) == 200
    assert np.bincount(sample.detections.images)[sample.places].tolist() == [3] * 200


def test_sample_has_a_thousand_detections():
    truth = ground_truth(np.tile([[0.0, 0, 10, 10]], (1500, 1)))
    targets = Targets(truth.targets.boxes, truth.targets.labels, np.repeat(np.arange(150), 10))
    truth = dataclasses.replace(truth, targets=targets)
    detections = Detections(np.zeros((1500, 4)), np.ones(1500), np.zeros(1500, int), targets.images)
    located = _sample.Located.of(truth, detections)
    sample = _sample.take(truth, detections, located, (targets.boxes, detections.boxes))
    assert len(sample.detections.labels) == 1000


def test_detections_match_from_an_iou_of_a_half_on():
    assert _sample.matched(np.array([0.49, 0.5, 0.9])) == 2


@pytest.mark.parametrize(("spread", "factor"), [(0.24, 1.0), (0.26, None)])
def test_scale_of_a_pair_whose_ratios_agree(spread, factor):
    ratios = np.array([[0.0, 0.0, -spread / 2, spread / 2]])  # of sides
    got = _scale.agreed(np.ones((1, 4)), np.exp(ratios))
    assert got == (factor if factor is None else pytest.approx((factor, 0)))


def test_scale_is_the_median_of_the_fullest_bin_and_two_on_either_side():
    # Three in the bin at 0, two or one in those at 0.1 and 0.15: within 0.1 of 0 are six, of which exp(0) and exp(0.08)
    # are in the middle.
    ratios = np.array([0, 0, 0, 0.08, 0.09, 0.099, 0.13, 0.14, 0.19])
    factor, _ = _scale.agreed(np.ones((9, 4)), np.exp(np.tile(ratios[:, None], 4)))
    assert factor == pytest.approx((1 + np.exp(0.08)) / 2)


def test_error_of_a_scale_is_that_of_the_median_of_its_ratios():
    centres = np.array([[0.98, 1.0], [1.0, 1.02], [0.98, 1.02]])  # median 1, its deviations 0, 0, and four of 0.02
    measured = _scale.agreed(np.ones((3, 4)), np.concatenate([centres, np.ones((3, 2))], axis=1))
    assert measured == pytest.approx((1, 1.25 * 1.48 * 0.02 / math.sqrt(6)))
