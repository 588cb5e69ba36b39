"""Data in parts: the same bits whatever the parts, their size and their order."""

import dataclasses
import threading

import numpy as np
import pytest

from omniou import boxes, detection
from omniou.detection import Detections, Evaluator, Targets
from omniou.detection import _evaluator as module
from omniou.detection import _matching as matching
from omniou.rle import Masks

IMAGES, CLASSES = 30, 4


def made(seed=0, objects=150, found=600):
    """Columns with ties of score, crowds, and images without anything."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 40, (objects, 2)).astype(float)
    boxes = np.concatenate([low, low + rng.integers(1, 40, (objects, 2))], axis=1)
    near = rng.integers(objects, size=found)
    return (
        Targets(
            boxes,
            rng.integers(CLASSES, size=objects),
            rng.integers(IMAGES - 3, size=objects),
            crowd=rng.random(objects) < 0.1,
        ),
        Detections(
            boxes[near] + rng.integers(-3, 4, (found, 4)),
            rng.integers(0, 12, found) / 12,
            rng.integers(CLASSES, size=found),
            rng.integers(IMAGES - 2, size=found),
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
def test_turns(monkeypatch, assignment, crowds):
    """Pairs that are contested, in turns for all groups or one by one, and which of them match."""
    protocol = dataclasses.replace(detection.PRESETS["coco"], assignment=assignment, crowds=crowds)
    found = []
    for alike in (0, 10**9):
        monkeypatch.setattr(matching, "ALIKE", alike)
        found.append(detection.evaluate(*made(objects=400, found=2000), protocol=protocol))

    assert_same(*found)
    for f in dataclasses.fields(found[0].matches):
        np.testing.assert_array_equal(*(getattr(x.matches, f.name) for x in found))


@pytest.mark.parametrize("parts", [1, 2, 7, IMAGES])
@pytest.mark.parametrize("together", [1, 10**9])
def test_parts_do_not_show(monkeypatch, parts, together):
    monkeypatch.setattr(module, "TOGETHER", together)
    targets, detections = made()
    whole = detection.evaluate(targets, detections, images=range(IMAGES))
    evaluator = Evaluator()
    for images in np.array_split(np.random.default_rng(1).permutation(IMAGES), parts):
        evaluator.update(of_images(targets, images), of_images(detections, images), images=images)
    assert_same(evaluator.compute(), whole)


@pytest.mark.parametrize("at_once", [1, 50, 200, 2000, 3000])
@pytest.mark.parametrize("case", ["bbox", "segm", "federated", "invariant"])
def test_blocks_of_images_do_not_show(monkeypatch, case, at_once):
    targets, detections = made()
    options = {"images": range(IMAGES), "protocol": "coco"}
    if case == "segm":
        targets, detections = (dataclasses.replace(x, boxes=None, masks=drawn(x.boxes)) for x in (targets, detections))
        options["kind"] = "segm"
    if case == "federated":
        pairs = np.random.default_rng(3).integers([0, 0], [IMAGES, CLASSES], (60, 2))
        targets = dataclasses.replace(targets, negative=pairs[:40], not_exhaustive=pairs[40:])
    if case == "invariant":
        options["protocol"] = dataclasses.replace(detection.COCO, tie_policy="invariant")
    whole, parts = detection.evaluate(targets, detections, **options), []
    matched = module._matched
    monkeypatch.setattr(module, "_matched", lambda *given: parts.append(given) or matched(*given))
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)

    assert_same(detection.evaluate(targets, detections, **options), whole)
    # As many for each thread; one thread compares masks.
    several = {1: IMAGES, 50: 12, 200: 4, 2000: 2, 3000: 1}
    assert len(parts) == (several | {200: 3, 2000: 1} if case == "segm" else several)[at_once]


@pytest.mark.computes("values decide the shapes of an evaluation")
@pytest.mark.parametrize("at_once", [1, 100, 10**9])
def test_blocks_in_any_library(xp, monkeypatch, at_once):
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    tables = made()
    expected = detection.evaluate(*tables).summary
    there = (
        type(x)(**{f.name: xp.asarray(v) for f in dataclasses.fields(x) if (v := getattr(x, f.name)) is not None})
        for x in tables
    )
    assert detection.evaluate(*there).summary == pytest.approx(expected, rel=0, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("score", [None, boxes.giou])
def test_threads(monkeypatch, score):
    """Two of them for many blocks; but what users write is called by theirs alone."""
    seen, work = set(), module._matched
    monkeypatch.setattr(module, "AT_ONCE", 1)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    together = threading.Barrier(2)

    def matched(*given):
        if score is None and threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            together.wait(timeout=60)  # each has a block
        seen.add(threading.get_ident())
        return work(*given)

    monkeypatch.setattr(module, "_matched", matched)
    detection.evaluate(*made(), score=score)

    assert len(seen) == (2 if score is None else 1)


def drawn(boxes):
    at = np.arange(80)
    low_x, low_y, high_x, high_y = boxes.T[:, :, None]
    return Masks.from_dense(
        ((low_y <= at) & (at < high_y))[:, :, None] & ((low_x <= at) & (at < high_x))[:, None, :],
    )


def test_many_area_ranges():
    """More than fit one integer: each as if it were alone."""
    edges = np.linspace(0, 2000, 21)
    ranges = tuple(detection.AreaRange(f"r{k}", *edges[[k, k + 1]].tolist(), f"_{k}") for k in range(20))
    limits = {"iou_thresholds": (0.3, 0.5), "max_detections": (2, 100)}
    targets, detections = made(objects=300, found=3000)
    whole = detection.evaluate(
        targets, detections, protocol=dataclasses.replace(detection.COCO, area_ranges=ranges, **limits)
    )
    for k, area in enumerate(ranges):
        alone = dataclasses.replace(detection.COCO, area_ranges=(area,), **limits)
        found = detection.evaluate(targets, detections, protocol=alone)
        np.testing.assert_array_equal(whole.precision[:, :, :, k], found.precision[:, :, :, 0])
        np.testing.assert_array_equal(whole.recall[:, :, k], found.recall[:, :, 0])
    assert 0 < np.nanmean(whole.precision) < 0.9


def test_merging_in_any_order_and_grouping():
    targets, detections = made()
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


def test_computing_on_the_way_changes_nothing():
    targets, detections = made()
    evaluator = Evaluator()
    for image in range(IMAGES):
        evaluator.update(of_images(targets, [image]), of_images(detections, [image]), images=[image])
        evaluator.compute()
    assert_same(evaluator.compute(), detection.evaluate(targets, detections, images=range(IMAGES)))


def test_nothing_seen():
    result = Evaluator().compute()

    assert np.isnan(list(result.summary.values())).all()
    assert result.precision.shape == (10, 101, 0, 4, 3)


def test_an_image_comes_whole():
    targets, detections = made()
    evaluator = Evaluator()
    evaluator.update(of_images(targets, [3, 4]), of_images(detections, [3, 4]))
    evaluator.compute()
    evaluator.update(of_images(targets, [4]), of_images(detections, [4]))
    with pytest.raises(ValueError, match="got 4 in two: give all rows of an image together"):
        evaluator.compute()


def test_a_bad_update_changes_nothing():
    targets, detections = made()
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


def test_detections_above_the_limit_are_counted():
    boxes = np.tile([0.0, 0, 10, 10], (130, 1))
    zeros = np.zeros(130, dtype=int)
    result = detection.evaluate(
        Targets(boxes[:1], [0], [0]), Detections(boxes, np.linspace(0, 1, 130), zeros, zeros), protocol="coco"
    )
    assert result.surplus == 30


class TestDictionaries:
    """One for each image, as torchvision has them."""

    def lists(self):
        targets, detections = made()

        def rows(table, keys):
            return [{key: getattr(table, name)[table.images == i] for key, name in keys.items()} for i in range(IMAGES)]

        return (
            rows(targets, {"boxes": "boxes", "labels": "labels", "iscrowd": "crowd"}),
            rows(detections, {"boxes": "boxes", "scores": "scores", "labels": "labels"}),
        )

    def test_are_the_same_as_columns(self):
        assert_same(detection.evaluate(*self.lists()), detection.evaluate(*made(), images=range(IMAGES)))

    def test_in_batches_and_merged(self):
        targets, detections = self.lists()
        first, second = Evaluator(), Evaluator()
        for start in range(0, IMAGES, 7):
            evaluator = first if start < 14 else second
            evaluator.update(targets[start : start + 7], detections[start : start + 7])
        first.merge(second)
        assert_same(first.compute(), detection.evaluate(targets, detections))

    def test_of_torch(self):
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
    def test_that_are_bad(self, targets, detections, message):
        with pytest.raises(ValueError, match=message):
            detection.evaluate(targets, detections)

    def test_beside_columns(self):
        with pytest.raises(TypeError, match="must both be tables or both be lists of dictionaries"):
            detection.evaluate(self.lists()[0], made()[1])
        with pytest.raises(TypeError, match="`targets` must be a list of dictionaries, one for each image, got str"):
            detection.evaluate("ab", "ab")

    def test_without_anything(self):
        empty = [{"boxes": np.zeros((0, 4)), "labels": np.zeros(0, dtype=int)}] * 2
        found = [{"boxes": [], "labels": [], "scores": []}] * 2
        assert np.isnan(detection.evaluate(empty, found).summary["AP"])


@pytest.mark.parametrize("keep_boxes", [False, True])
def test_arrays_may_be_filled_anew(keep_boxes):
    """As by a loop that reads each part into the same memory."""
    targets, detections = made(5)
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
