"""The doctor: damaged files are recognised, whole ones are not accused."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from omniou import boxes, data, rotated
from omniou.data import GroundTruth
from omniou.detection import Detections, Targets
from tests.benchmarks import damages
from tests.benchmarks.damages import DAMAGES, SETS, Pair, sides
from tests.benchmarks.poor import HARMLESS
from tests.benchmarks.scenes import SCENES, Scene, draw
from tests.places import shared


@pytest.fixture(scope="module")
def example():
    return damages.example()


def damaged(pair, name):
    return DAMAGES[name][1](pair, np.random.default_rng(0))


def real(which):
    return damages.read(*(shared(*path.split("/")) for path in SETS[which]))


def codes(pair, **options):
    return {x.code for x in data.diagnose(*pair, path="detections", **options)}


# What mends each damage of the example, whose boxes are read as xywh.
HINTS = {
    "detections written xyxy": "--dt-boxes xyxy",
    "detections written cxcywh": "--dt-boxes cxcywh",
    "ground truth written xyxy": "--gt-boxes xyxy",
    "ground truth written cxcywh": "--gt-boxes cxcywh",
    "both written xyxy": "--boxes xyxy",
    "both written cxcywh": "--boxes cxcywh",
    "detections: x and y swapped": "swap x with y, and width with height, in the detections",
    "ground truth: x and y swapped": "swap x with y, and width with height, in the ground truth",
    "detections are fractions": "--dt-scale 1",
    "detections are fractions, cxcywh": "--dt-scale 1 --dt-boxes cxcywh",
    "ground truth is fractions": "--gt-boxes rel_xywh",
    "pixels read as rel_ in both": "--gt-boxes xywh",
    "detections times 0.5": "multiply the boxes of the detections by 2",
    "detections times 1.6": "multiply the boxes of the detections by 0.625",
    "ground truth times 2": "multiply the boxes of the ground truth by 0.5",
    "classes one too high": "--dt-classes FILE",
    "classes one too low": "--dt-classes FILE",
    "classes of another list": "--dt-classes FILE",
    "one class for all": "write the class of each detection",
    "images one too high": "write the ids",
    "scores times 100": "divide them by 100",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_of_the_example_is_found_and_nothing_else(example, name):
    pair = damaged(example, name)
    if pair is None:
        pytest.skip("the example is written so")
    findings = data.diagnose(*pair, path="detections")
    assert {x.code for x in findings} <= DAMAGES[name][0]
    assert findings
    assert findings[0].hint.startswith(HINTS.get(name, ""))


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("which", SETS)
def test_damage_of_real_sets_is_found(which, name):
    pair = damaged(real(which), name)
    if pair is None:
        pytest.skip("does not apply to this set")
    assert codes(pair) & DAMAGES[name][0]


@pytest.mark.parametrize("name", HARMLESS)
def test_poor_detections_of_the_example_are_not_accused(example, name):
    assert codes(HARMLESS[name](example, np.random.default_rng(1))) == set()


@pytest.mark.parametrize("which", SETS)
def test_real_sets_are_not_accused(which):
    pair = real(which)
    assert codes(pair) == set()
    assert data.diagnose(pair.truth) == []


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", [0, 1])
def test_odd_sets_are_not_accused(name, seed):
    pair = Pair(*draw(SCENES[name], seed))
    assert codes(pair) == set()
    assert data.diagnose(pair.truth) == []


def test_swapped_axes_are_those_of_the_file_that_does_not_fit_the_images(example):
    (finding,) = data.diagnose(*damaged(example, "ground truth: x and y swapped"), path="detections")
    assert finding.path == str(example.truth.path)


def test_yxyx_is_named_where_corners_are_swapped():
    pair = damaged(Pair(*draw(SCENES["crowded, xyxy"], 0)), "detections: x and y swapped")
    (finding,) = data.diagnose(*pair)
    assert (finding.code, finding.hint) == ("boxes-axes", "--dt-boxes yxyx")


def test_order_is_told_in_the_terms_that_detections_were_read_in(example):
    """Detections read as corners, for a ground truth of sides: the hint is what was written."""
    as_read = boxes.convert(example.detections.boxes, "xyxy", "xywh")
    (finding,) = data.diagnose(
        example.truth, dataclasses.replace(example.detections, boxes=as_read), formats=("xywh", "xyxy")
    )
    assert finding.code == "boxes-order"
    assert finding.hint == "--dt-boxes xywh"


def test_relative_formats_stay_relative_in_the_hint(example):
    pair = damaged(example, "detections written xyxy")
    (finding,) = data.diagnose(*pair, formats=("rel_xywh", "rel_xywh"))
    assert finding.hint == "--dt-boxes rel_xyxy"


@pytest.mark.parametrize(("written", "read"), [("xyxy", "xywh"), ("xywh", "xyxy")])
def test_both_in_another_order_without_sizes_of_images(written, read):
    truth, found = draw(Scene(format=written, known=False), 3)
    assert codes(Pair(dataclasses.replace(truth, format=read), found)) == {"boxes-order"}


def test_order_of_few_boxes_one_of_which_is_inverted():
    """Twelve detections in xywh, read as corners: five at the origin meet their objects all the same."""
    low = np.array([*[[2.0, 2.0]] * 5, *[[50.0, 60.0]] * 6, [90.0, 90.0]])
    side = np.array([*[[200.0, 200.0]] * 5, *[[100.0, 100.0]] * 6, [80.0, 80.0]])
    where, cats = np.arange(12), np.zeros(12, np.int64)
    objects = Targets(np.concatenate([low, low + side], axis=1), cats, where)
    truth = dataclasses.replace(
        empty("xyxy"), targets=objects, images=where, categories={0: "cat"}, flagged=np.zeros(12, bool)
    )
    written = np.concatenate([low, side], axis=1)
    (finding,) = data.diagnose(truth, Detections(written, 1 - where / 100, cats, where))
    assert (finding.code, finding.hint) == ("boxes-order", "--dt-boxes xywh")
    without = Detections(written[:-1], 1 - where[:-1] / 100, cats[:-1], where[:-1])
    assert data.diagnose(truth, without) == []


def test_fractions_without_sizes_of_images_ask_for_sizes():
    pair = Pair(*draw(Scene(known=False), 3))
    small = pair.detections.boxes / sides(pair, pair.detections.images)
    (finding,) = data.diagnose(*pair.with_detections(boxes=small))
    assert finding.code == "boxes-unit"
    assert finding.hint == "--dt-scale 1, with --images or --image-size"


def test_scale_of_a_thousandth_of_the_sides(example):
    pair = example.with_detections(boxes=1000 * example.detections.boxes / sides(example, example.detections.images))
    (finding,) = data.diagnose(*pair)
    assert finding.code == "boxes-scale"
    assert finding.hint == "--dt-scale 1000"


def test_ground_truth_alone(example):
    pair = damaged(example, "ground truth written xyxy")
    (finding,) = data.diagnose(pair.truth)
    assert (finding.code, finding.hint) == ("boxes-order", "--gt-boxes xyxy")
    assert "100.0% as xyxy" in finding.evidence


def test_objects_written_twice(example):
    targets = example.truth.targets
    twice = np.tile(np.arange(len(targets.labels)), 2)
    truth = dataclasses.replace(
        example.truth,
        targets=dataclasses.replace(
            targets,
            **{name: getattr(targets, name)[twice] for name in ("boxes", "labels", "images", "crowd", "area")},
        ),
        flagged=example.truth.flagged[twice],
    )
    (finding,) = data.diagnose(truth)
    assert (finding.code, finding.text) == ("duplicates", "839 of 1678 objects are exact duplicates of another one")


def test_equal_scores(example):
    (finding,) = data.diagnose(*example.with_detections(scores=np.ones(734)))
    assert finding.code == "scores-equal"
    assert finding.hint.startswith("--tie-policy invariant ")


def test_negative_scores_are_told_with_their_range(example):
    (finding,) = data.diagnose(
        *example.with_detections(scores=np.log(example.detections.scores / (1.001 - example.detections.scores)))
    )
    assert finding.code == "scores-range"
    assert finding.evidence.startswith("from -")


def test_names_that_differ_by_capitals_alone(example):
    names = {1: "Person", 2: "person", 3: "traffic light", 4: "traffic_light", 5: "dog"}
    (finding,) = data.diagnose(dataclasses.replace(example.truth, categories=names))
    assert finding.code == "classes-alike"
    assert "'Person' and 'person'; 'traffic light' and 'traffic_light'" in finding.text


def test_images_whose_sizes_are_swapped(example):
    turned = dataclasses.replace(example.truth, sizes=example.truth.sizes[:, ::-1])
    findings = data.diagnose(turned)
    assert [x.code for x in findings] == ["sizes-swapped"]
    assert findings[0].text.startswith("width and height of all images seem to be swapped: COCO_val2014_")


def test_last_images_without_detections_are_said_to_be_the_last(example):
    (finding,) = data.diagnose(*damaged(example, "second half of images without"))
    assert finding.evidence.startswith("they are the last ones by id")


def test_detections_of_another_data_set(example):
    _, other = draw(Scene(false=5, recall=0), 0)
    where = np.sort(example.truth.images)[other.images]
    labels = np.full(len(where), 1)
    labels[::2] = 2
    found = dataclasses.replace(other, images=where, labels=labels)
    assert codes(Pair(example.truth, found)) == {"unrelated"}


def empty(format="xywh"):
    return GroundTruth(
        path=Path("truth"),
        targets=Targets(np.zeros((0, 4)), np.zeros(0, np.int64), np.zeros(0, np.int64)),
        images=np.zeros(0, np.int64),
        categories={},
        flagged=np.zeros(0, bool),
        format=format,
    )


NOTHING = Detections(np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))


def test_nothing_is_said_of_nothing(example):
    assert data.diagnose(empty()) == []
    assert data.diagnose(empty(), NOTHING) == []
    assert data.diagnose(example.truth, NOTHING) == []


def test_one_object_and_one_detection():
    one = np.zeros(1, np.int64)
    truth = dataclasses.replace(
        empty(),
        targets=Targets(np.array([[1.0, 2, 3, 4]]), one, one),
        images=one,
        categories={0: "dog"},
        flagged=np.zeros(1, bool),
    )
    assert data.diagnose(truth, Detections(np.array([[50.0, 2, 3, 4]]), np.array([0.5]), one, one)) == []


def test_rotated_boxes_are_compared_by_the_boxes_around_them():
    truth, found = draw(SCENES["plain"], 0)
    turned = {"format": "cxcywhr", "geometry": rotated.GEOMETRY}

    def with_angle(x):
        return np.concatenate([boxes.convert(x, "xywh", "cxcywh"), np.zeros((len(x), 1))], axis=1)

    objects = dataclasses.replace(truth.targets, boxes=with_angle(truth.targets.boxes))
    truth = dataclasses.replace(truth, targets=objects, **turned)
    found = dataclasses.replace(found, boxes=with_angle(found.boxes))
    assert codes(Pair(truth, found)) == set()
    assert codes(damaged(Pair(truth, found), "classes one too high")) == {"classes-shifted"}


def test_nothing_is_changed(example):
    before = [x.copy() for x in (example.detections.boxes, example.detections.scores, example.truth.targets.boxes)]
    data.diagnose(*example)
    after = (example.detections.boxes, example.detections.scores, example.truth.targets.boxes)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_most_detections_of_a_large_set_are_not_looked_at(monkeypatch):
    """Detections of 2,000 images: readings are compared on few of them."""
    from omniou.detection.doctor import _sample

    sizes = []
    take = _sample.take
    monkeypatch.setattr(_sample, "take", lambda *args, **how: sizes.append(take(*args, **how)) or sizes[-1])
    assert codes(Pair(*draw(Scene(images=2000, jitter=0.05), 0))) == set()
    assert [len(x.places) for x in sizes] == [_sample.IMAGES]
    assert len(sizes[0].detections.labels) <= _sample.DETECTIONS
