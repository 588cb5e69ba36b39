"""Compiled loops against arrays: the same state, and the same tables, to the last bit."""

import dataclasses
import importlib.util
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omniou import _loops, boxes, detection, rle
from omniou.detection import compiled, presets
from omniou.detection.compiled_curves import CompiledCurves
from tests.detection.tables import tied
from tests.detection.test_ordering import SCORES

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")

# Uncompiled, and under coverage, they take a while.
PATIENT = settings(deadline=None)
TABLES = ("precision", "recall", "scores")


@pytest.fixture(autouse=True, scope="module")
def always():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", 0)
        yield


def by_arrays(make, *args, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", float("inf"))
        result = make(*args, **options)
        assert not isinstance(result._curves, CompiledCurves)
        return contents(result)


def contents(result):
    """All that is told of a result, computed at once."""
    state = {f.name: getattr(result.state, f.name) for f in dataclasses.fields(result.state)}
    arrays = {name: (x.dtype, x) for name, x in state.items() if hasattr(x, "dtype")}
    words = {f"{name}{k}": (x.dtype, x) for name in ("matched", "ignored") for k, x in enumerate(state[name])}
    tables = {name: (x.dtype, x) for name in TABLES for x in [getattr(result, name)]}
    return arrays | words | tables | {"summary": (float, np.asarray(list(result.summary.values())))}


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    for name, (dtype, x) in found.items():
        assert dtype == wanted[name][0], name
        np.testing.assert_array_equal(x, wanted[name][1], err_msg=name)


def assert_both_ways(*args, **options):
    result = detection.evaluate(*args, **options)
    assert isinstance(result._curves, CompiledCurves)
    assert_same(contents(result), by_arrays(detection.evaluate, *args, **options))
    return result


CORNER, SIDE = st.sampled_from([0, 1, 2, 5, 40.5]), st.sampled_from([0, 1, 2, 3, 10, 32, 96, 0.1, 1e-155])
BOX = st.tuples(CORNER, CORNER, SIDE, SIDE)
SCORE = st.sampled_from([0.0, -0.0, 0.3, 0.5, 0.5000000001, 1.0, -2.0, math.inf, 1e300])
OBJECT = st.tuples(
    st.integers(0, 3), st.integers(0, 2), BOX, st.booleans(), st.booleans(), st.sampled_from([0, 1e3, 1e4])
)
FOUND = st.tuples(st.integers(0, 4), st.integers(0, 3), BOX, SCORE)
# One word of bits, several of thresholds, several of area ranges, all pairs, the only ones that are perfect.
PROTOCOLS = [
    detection.COCO,
    dataclasses.replace(detection.COCO, iou_thresholds=tuple(k / 100 for k in range(5, 95)), max_detections=(1, 2, 3)),
    dataclasses.replace(detection.COCO, area_ranges=tuple(
        detection.AreaRange(str(k), 100.0 * k, 1e4, str(k)) for k in range(9)
    )),
    dataclasses.replace(detection.COCO, iou_thresholds=(0.0, 1.0), max_detections=(2, None)),
    dataclasses.replace(detection.COCO, recall_points=(0.5,), limit_per="image", max_detections=(3,)),
]  # fmt: skip


@PATIENT
@given(st.lists(OBJECT, max_size=12), st.lists(FOUND, max_size=20), st.sampled_from(PROTOCOLS), st.integers(0, 2**32))
@example([], [], detection.COCO, 0)
@example([], [(0, 0, (0, 0, 1, 1), 0.5)], detection.COCO, 0)
@example([(0, 0, (0, 0, 1, 1), False, False, 1e3)], [], detection.COCO, 0)
@example([(0, 0, (0, 0, 1e-155, 1e-155), False, False, 0)], [], detection.COCO, 0)
def test_random_sets(objects, found, protocol, seed):
    # Copies of objects, moved a little or not at all: matches at the high thresholds.
    rng = np.random.default_rng(seed)
    for k in rng.integers(0, max(1, len(objects)), 8 if objects else 0):
        image, label, (x, y, w, h), *_ = objects[k]
        found = [*found, (image, label, (x + rng.choice([0, 0, 0.1]), y, w, h), rng.choice([0.3, 0.5]))]
    image, label, box, crowd, ignore, area = zip(*objects, strict=True) if objects else [()] * 6
    image_b, label_b, box_b, score = zip(*found, strict=True) if found else [()] * 4
    targets = detection.Targets(
        np.asarray(box).reshape(-1, 4), label, image, crowd=crowd, ignore=ignore, area=np.asarray(area, dtype=float)
    )
    detections = detection.Detections(np.asarray(box_b).reshape(-1, 4), np.asarray(score, float), label_b, image_b)

    assert_both_ways(targets, detections, protocol=protocol, format="xywh")


@pytest.mark.parametrize("columns", [2, 6])
def test_other_dimensions(columns):
    rng = np.random.default_rng(0)
    corners = np.sort(rng.integers(0, 9, (200, 2, columns // 2)), axis=1).reshape(200, columns).astype(float)
    labels, images = rng.integers(0, 3, 200), rng.integers(0, 5, 200)
    result = assert_both_ways(
        detection.Targets(corners[:80], labels[:80], images[:80]),
        detection.Detections(corners, rng.random(200), labels, images),
        format="xx" if columns == 2 else "xyzxyz",
    )
    assert result.summary["AP"] > 0


@pytest.mark.parametrize("name", presets.PRESETS)
def test_presets(name):
    assert_same_by_other_rules(presets.PRESETS[name])


@pytest.mark.parametrize("rule", [{"assignment": "best"}, {"crowds": "once"}, {"tie_policy": "invariant"}])
def test_other_rules(rule):
    """Those that the loops do not know are left to arrays."""
    assert_same_by_other_rules(dataclasses.replace(detection.COCO, **rule))


def assert_same_by_other_rules(protocol):
    result = detection.evaluate(*tied(0), protocol=protocol)
    assert_same(contents(result), by_arrays(detection.evaluate, *tied(0), protocol=protocol))
    assert isinstance(result._curves, CompiledCurves) == (protocol.tie_policy == "file")


def test_other_overlaps():
    targets, detections = tied(0)
    result = assert_both_ways(targets, detections, score=boxes.giou)
    assert result.summary != detection.evaluate(targets, detections).summary
    # Both halves of a square: their bounds are the same.
    halves = [rle.Masks.from_polygons([[[0, 0, 9, 9, *corner]]], [[9, 9]]) for corner in ((9, 0), (0, 9))]
    result = assert_both_ways(
        detection.Targets(None, [0], [0], masks=halves[0]),
        detection.Detections(None, [0.5], [0], [0], masks=halves[1]),
        kind="segm",
    )
    assert result.summary["AP"] == 0.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_recall_alone(protocol):
    """Counted without the curves, which know it too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", float("inf"))
        wanted = detection.evaluate(*tied(0), protocol=protocol).recall
    np.testing.assert_array_equal(detection.evaluate(*tied(0), protocol=protocol).recall, wanted)


def test_federated():
    targets, detections = tied(1)
    targets = dataclasses.replace(targets, negative=[[0, 0], [1, 2]], not_exhaustive=[[2, 1], [3, 0]])
    assert_both_ways(targets, detections, protocol="lvis")


@pytest.mark.parametrize("equal", [False, True])
def test_many_objects_of_one_detection(equal):
    """More than are put in order one by one; of equal ones the later is taken."""
    rng = np.random.default_rng(0)
    corners = np.asarray([0, 0, 100, 100]) + (0 if equal else rng.integers(0, 9, (90, 4)))
    corners = np.broadcast_to(corners, (90, 4)).astype(float)
    none = np.zeros(90, dtype=int)
    result = assert_both_ways(
        detection.Targets(corners, none, none), detection.Detections(corners[::3], rng.random(30), none[:30], none[:30])
    )
    if equal:
        assert sorted(result.matches.objects[0].tolist()) == list(range(60, 90))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("size", [6, 40, 300])
def test_scores_in_order(name, size):
    given_scores = np.resize(np.asarray(SCORES[name] or [0.5]), size)
    assert_falling(given_scores)


def test_scores_that_few_bits_do_not_tell_apart():
    """One by one, they would be put in order in the square of their number."""
    rng = np.random.default_rng(0)
    assert_falling(np.concatenate([[1e9], rng.permutation(20_000) * 1e-9, rng.permutation(500) / 2]))


def assert_falling(scores):
    none = np.zeros(scores.size, dtype=np.int64)
    rows, values, place, which = compiled.ranked(none, scores, np.asarray([0, scores.size]), none[:0], xp=np)
    expected = np.lexsort((np.arange(scores.size), -scores))
    assert rows.tolist() == expected.tolist()
    assert values.tolist() == scores[expected].tolist()
    assert place.size == which.size == 0


def test_many_jobs_change_nothing(monkeypatch):
    wanted = by_arrays(detection.evaluate, *tied(0))
    monkeypatch.setattr(compiled, "JOB", 10)
    monkeypatch.setattr(compiled.os, "cpu_count", lambda: 2)
    assert_same(contents(detection.evaluate(*tied(0))), wanted)


def test_parts_and_samples():
    """Those of a class that are limited, in each part and in each sample of the bootstrap."""
    protocol = dataclasses.replace(detection.COCO, max_detections=(1, 3, 100))

    def intervals():
        evaluator = detection.Evaluator(protocol)
        for seed in range(3):
            targets, detections = tied(seed)
            columns = (dataclasses.replace(x, images=x.images + 5 * seed) for x in (targets, detections))
            evaluator.update(*columns)
        result = evaluator.compute()
        names = ("AP", "AR3", "APm")
        return contents(result), [detection.bootstrap(result, name, samples=20) for name in names]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_loops, "_MANY", float("inf"))
        wanted, samples = intervals()
    found, again = intervals()
    assert_same(found, wanted)
    assert [x.samples for x in again] == [x.samples for x in samples]


def test_loops_are_taken_once_they_pay(monkeypatch):
    """Each detection is looked at twice: when it is matched, and when it is ranked."""
    targets, detections = tied(0)
    count = detections.scores.size
    monkeypatch.setattr(_loops, "_MANY", 5.5 * count / _loops._BOXES)
    monkeypatch.setattr(_loops._Met, "masks", 0)
    taken = [isinstance(detection.evaluate(targets, detections)._curves, CompiledCurves) for _ in range(4)]
    assert taken == [False, False, True, True]
