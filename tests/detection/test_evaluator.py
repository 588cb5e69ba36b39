"""Evaluation in parts: bitwise equal for any split, block size and order."""

import dataclasses
import os
import threading

import numpy as np
import pytest

from omniou import boxes, detection
from omniou.detection import Detections, Evaluator, Targets
from omniou.detection import _evaluator as module
from omniou.detection import _matcher as matcher
from omniou.matching import _coco_greedy as coco
from omniou.rle import Masks

IMAGES, CLASSES = 30, 4


def random_tables(seed=0, objects=150, detections=600):
    """Targets and detections with equal scores, crowds and empty images."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 40, (objects, 2)).astype(float)
    boxes = np.concatenate([low, low + rng.integers(1, 40, (objects, 2))], axis=1)
    sources = rng.integers(objects, size=detections)
    return (
        Targets(
            boxes,
            rng.integers(CLASSES, size=objects),
            rng.integers(IMAGES - 3, size=objects),
            crowd=rng.random(objects) < 0.1,
        ),
        Detections(
            boxes[sources] + rng.integers(-3, 4, (detections, 4)),
            rng.integers(0, 12, detections) / 12,
            rng.integers(CLASSES, size=detections),
            rng.integers(IMAGES - 2, size=detections),
        ),
    )


def of_images(table, images):
    rows = np.isin(table.images, images)
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    return type(table)(**{name: None if x is None else x[rows] for name, x in columns.items()})


def assert_same(a, b):
    assert a.summary.keys() == b.summary.keys()
    for name in ("precision", "recall", "scores", "objects", "classes"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_array_equal(list(a.summary.values()), list(b.summary.values()))


@pytest.mark.parametrize("crowds", ["ignored", "once"])
@pytest.mark.parametrize("assignment", ["free", "best"])
def test_contested_pairs_in_groups_equal_one_by_one(monkeypatch, assignment, crowds):
    """Matches of contested pairs are resolved for all groups at once or group by group."""
    protocol = dataclasses.replace(detection.PRESETS["coco"], assignment=assignment, crowds=crowds)
    results = []
    for alike in (0, 10**9):
        monkeypatch.setattr(coco, "ALIKE", alike)
        results.append(detection.evaluate(*random_tables(objects=400, detections=2000), protocol=protocol))

    assert_same(*results)
    for f in dataclasses.fields(results[0].matches):
        np.testing.assert_array_equal(*(getattr(x.matches, f.name) for x in results))


@pytest.mark.parametrize("parts", [1, 2, 7, IMAGES])
@pytest.mark.parametrize("together", [1, 10**9])
def test_update_in_parts_equals_evaluate(monkeypatch, parts, together):
    monkeypatch.setattr(module, "TOGETHER", together)
    targets, detections = random_tables()
    whole = detection.evaluate(targets, detections, images=range(IMAGES))
    evaluator = Evaluator()
    for images in np.array_split(np.random.default_rng(1).permutation(IMAGES), parts):
        evaluator.update(of_images(targets, images), of_images(detections, images), images=images)
    assert_same(evaluator.compute(), whole)


@pytest.mark.parametrize("at_once", [1, 50, 200, 2000, 3000])
@pytest.mark.parametrize("case", ["bbox", "segm", "federated", "invariant"])
def test_evaluate_does_not_depend_on_block_size(monkeypatch, case, at_once):
    targets, detections = random_tables()
    options = {"images": range(IMAGES), "protocol": "coco"}
    if case == "segm":
        targets, detections = (
            dataclasses.replace(x, boxes=None, masks=masks_of_boxes(x.boxes)) for x in (targets, detections)
        )
        options["kind"] = "segm"
    if case == "federated":
        pairs = np.random.default_rng(3).integers([0, 0], [IMAGES, CLASSES], (60, 2))
        targets = dataclasses.replace(targets, negative=pairs[:40], not_exhaustive=pairs[40:])
    if case == "invariant":
        options["protocol"] = dataclasses.replace(detection.COCO, tie_policy="invariant")
    whole, parts = detection.evaluate(targets, detections, **options), []
    build = matcher.build
    monkeypatch.setattr(matcher, "build", lambda *given: parts.append(given) or build(*given))
    monkeypatch.setattr(matcher, "AT_ONCE", at_once)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    assert_same(detection.evaluate(targets, detections, **options), whole)
    # Blocks are split over two threads for boxes; masks run on one.
    several = {1: IMAGES, 50: 12, 200: 4, 2000: 2, 3000: 1}
    assert len(parts) == (several | {200: 3, 2000: 1} if case == "segm" else several)[at_once]


@pytest.mark.computes("values decide the shapes of an evaluation")
@pytest.mark.parametrize("at_once", [1, 100, 10**9])
def test_evaluate_in_blocks_of_any_library(xp, monkeypatch, at_once):
    monkeypatch.setattr(matcher, "AT_ONCE", at_once)
    tables = random_tables()
    expected = detection.evaluate(*tables).summary
    there = (
        type(x)(**{f.name: xp.asarray(v) for f in dataclasses.fields(x) if (v := getattr(x, f.name)) is not None})
        for x in tables
    )
    assert detection.evaluate(*there).summary == pytest.approx(expected, rel=0, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("score", [None, boxes.giou])
def test_number_of_threads_with_and_without_score_function(monkeypatch, score):
    """Two threads work on many blocks; a score function of the user is called by the calling thread alone."""
    seen, work = set(), matcher.build
    monkeypatch.setattr(matcher, "AT_ONCE", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    together = threading.Barrier(2)

    def matched(*given):
        if score is None and threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            together.wait(timeout=60)  # both threads have a block
        seen.add(threading.get_ident())
        return work(*given)

    monkeypatch.setattr(matcher, "build", matched)
    detection.evaluate(*random_tables(), score=score)

    assert len(seen) == (2 if score is None else 1)


def masks_of_boxes(boxes):
    at = np.arange(80)
    low_x, low_y, high_x, high_y = boxes.T[:, :, None]
    return Masks.from_dense(
        ((low_y <= at) & (at < high_y))[:, :, None] & ((low_x <= at) & (at < high_x))[:, None, :],
    )


def test_twenty_area_ranges_equal_each_alone():
    """20 area ranges need more bits than one integer has."""
    edges = np.linspace(0, 2000, 21)
    ranges = tuple(detection.AreaRange(f"r{k}", *edges[[k, k + 1]].tolist(), f"_{k}") for k in range(20))
    limits = {"iou_thresholds": (0.3, 0.5), "max_detections": (2, 100)}
    targets, detections = random_tables(objects=300, detections=3000)
    whole = detection.evaluate(
        targets, detections, protocol=dataclasses.replace(detection.COCO, area_ranges=ranges, **limits)
    )
    for k, area in enumerate(ranges):
        alone = dataclasses.replace(detection.COCO, area_ranges=(area,), **limits)
        single = detection.evaluate(targets, detections, protocol=alone)
        np.testing.assert_array_equal(whole.precision[:, :, :, k], single.precision[:, :, :, 0])
        np.testing.assert_array_equal(whole.recall[:, :, k], single.recall[:, :, 0])
    assert 0 < np.nanmean(whole.precision) < 0.9


def test_merge_in_any_order_and_grouping():
    targets, detections = random_tables()
    whole = detection.evaluate(targets, detections, images=range(IMAGES))
    parts = np.array_split(np.random.default_rng(2).permutation(IMAGES), 4)

    def of(*numbers):
        evaluator = Evaluator()
        for k in numbers:
            evaluator.update(of_images(targets, parts[k]), of_images(detections, parts[k]), images=parts[k])
        return evaluator

    chain, tree, empty = of(2), of(3, 0), Evaluator()
    for k in (0, 3, 1):
        chain.merge(of(k))
    tree.merge(of(2, 1))
    empty.merge(tree)
    assert_same(chain.compute(), whole)
    assert_same(empty.compute(), whole)


def test_compute_between_updates_does_not_change_result():
    targets, detections = random_tables()
    evaluator = Evaluator()
    for image in range(IMAGES):
        evaluator.update(of_images(targets, [image]), of_images(detections, [image]), images=[image])
        evaluator.compute()
    assert_same(evaluator.compute(), detection.evaluate(targets, detections, images=range(IMAGES)))


def test_compute_of_empty_evaluator():
    result = Evaluator().compute()

    assert np.isnan(list(result.summary.values())).all()
    assert result.precision.shape == (10, 101, 0, 4, 3)


def test_image_in_two_updates_raises():
    targets, detections = random_tables()
    evaluator = Evaluator()
    evaluator.update(of_images(targets, [3, 4]), of_images(detections, [3, 4]))
    evaluator.compute()
    evaluator.update(of_images(targets, [4]), of_images(detections, [4]))
    with pytest.raises(ValueError, match="got 4 in two: give all rows of an image together"):
        evaluator.compute()


def test_invalid_update_leaves_state_unchanged():
    targets, detections = random_tables()
    evaluator = Evaluator()
    evaluator.update(targets, detections)
    before = evaluator.compute()
    with pytest.raises(ValueError, match="must have one length"):
        evaluator.update(targets, dataclasses.replace(detections, scores=detections.scores[:5]))
    with pytest.raises(ValueError, match="`protocol` must be one of 'coco'"):
        Evaluator("pascal")
    with pytest.raises(ValueError, match="must have the same protocol"):
        evaluator.merge(Evaluator("voc2010"))
    assert_same(evaluator.compute(), before)


def test_surplus_counts_detections_above_max_detections():
    boxes = np.tile([0.0, 0, 10, 10], (130, 1))
    zeros = np.zeros(130, dtype=int)
    result = detection.evaluate(
        Targets(boxes[:1], [0], [0]), Detections(boxes, np.linspace(0, 1, 130), zeros, zeros), protocol="coco"
    )
    assert result.surplus == 30


class TestDictionaries:
    """Lists of one dictionary for each image, as in torchvision."""

    def lists(self):
        targets, detections = random_tables()

        def rows(table, keys):
            return [{key: getattr(table, name)[table.images == i] for key, name in keys.items()} for i in range(IMAGES)]

        return (
            rows(targets, {"boxes": "boxes", "labels": "labels", "iscrowd": "crowd"}),
            rows(detections, {"boxes": "boxes", "scores": "scores", "labels": "labels"}),
        )

    def test_dictionaries_equal_columns(self):
        assert_same(detection.evaluate(*self.lists()), detection.evaluate(*random_tables(), images=range(IMAGES)))

    def test_dictionaries_in_merged_batches(self):
        targets, detections = self.lists()
        first, second = Evaluator(), Evaluator()
        for start in range(0, IMAGES, 7):
            evaluator = first if start < 14 else second
            evaluator.update(targets[start : start + 7], detections[start : start + 7])
        first.merge(second)
        assert_same(first.compute(), detection.evaluate(targets, detections))

    def test_dictionaries_of_torch(self):
        torch = pytest.importorskip("torch")
        lists = [[{k: torch.asarray(v) for k, v in row.items()} for row in rows] for rows in self.lists()]
        result = detection.evaluate(*lists)
        assert isinstance(result.precision, torch.Tensor)
        assert_same(result, detection.evaluate(*self.lists()))

    @pytest.mark.parametrize(
        ("targets", "detections", "message"),
        [
            ([{}], [], "one entry for each image, got 1 and 0"),
            ([{}], [{}], r"`targets\[0\]` must have the key 'boxes', got nothing"),
            ([{"boxes": []}], [{}], r"`targets\[0\]` must have the key 'labels' or 'classes', got 'boxes'"),
            (
                [{"boxes": [[0, 0, 1, 1]], "labels": []}],
                [{}],
                r"`targets\[0\]\['labels'\]` must have shape \(1,\) as there are boxes, got \(0,\)",
            ),
            (
                [{"boxes": [[0, 0, 1, 1]], "labels": [1], "iscrowd": [0]}, {"boxes": [[0, 0, 1, 1]], "labels": [1]}],
                [{}, {}],
                r"`targets\[1\]` must have the key 'iscrowd', as others have: give it for every image or none",
            ),
        ],
    )
    def test_invalid_dictionaries_raise(self, targets, detections, message):
        with pytest.raises(ValueError, match=message):
            detection.evaluate(targets, detections)

    def test_dictionaries_beside_columns_raise(self):
        with pytest.raises(TypeError, match="must both be tables or both be lists of dictionaries"):
            detection.evaluate(self.lists()[0], random_tables()[1])
        with pytest.raises(TypeError, match="`targets` must be a list of dictionaries, one for each image, got str"):
            detection.evaluate("ab", "ab")

    def test_dictionaries_without_boxes(self):
        empty = [{"boxes": np.zeros((0, 4)), "labels": np.zeros(0, dtype=int)}] * 2
        detections = [{"boxes": [], "labels": [], "scores": []}] * 2
        assert np.isnan(detection.evaluate(empty, detections).summary["AP"])


@pytest.mark.parametrize("keep_boxes", [False, True])
def test_update_copies_arrays(keep_boxes):
    """The caller may read the next part into the same memory."""
    targets, detections = random_tables(5)
    whole = detection.evaluate(targets, detections)
    evaluator = Evaluator(keep_boxes=keep_boxes)
    images = np.unique(np.concatenate([targets.images, detections.images]))
    for some in np.array_split(images, 3):
        part = [of_images(table, some) for table in (targets, detections)]
        evaluator.update(*part)
        for table in part:
            for f in dataclasses.fields(table):
                if (x := getattr(table, f.name)) is not None:
                    x[...] = 1
    assert_same(evaluator.compute(), whole)
    if keep_boxes:
        np.testing.assert_array_equal(evaluator.compute().mean_iou, whole.mean_iou)


def test_state_of_evaluate_keeps_groups():
    result = detection.evaluate(*random_tables(), groups={"even": [0, 2]})
    assert result.state.names.groups == {"even": [0, 2]}
    assert detection.compute([result.state]).summary["APeven"] == result.summary["APeven"]
