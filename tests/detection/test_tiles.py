"""Pairs are found in tiles and matched in parts: the bits are the same, and the memory is bounded."""

import dataclasses
import tracemalloc

import numpy as np
import pytest

from omniou import detection
from omniou.detection import Detections, Targets
from omniou.detection.matching import _candidates as candidates
from omniou.detection.matching._matching import match
from tests.detection.tables import tied

pytestmark = pytest.mark.computes("values decide the shapes of an evaluation")

RULES = {
    "coco": detection.COCO,
    "voc2010": detection.VOC2010,
    "challenge": detection.OPEN_IMAGES_CHALLENGE,
    "agnostic": dataclasses.replace(detection.COCO, class_agnostic=True),
    "invariant": dataclasses.replace(detection.COCO, tie_policy="invariant"),
    "invariant-agnostic": dataclasses.replace(detection.COCO, tie_policy="invariant", class_agnostic=True),
    "invariant-voc": dataclasses.replace(detection.VOC2007, tie_policy="invariant"),
    "two-words": dataclasses.replace(detection.COCO, iou_thresholds=tuple(k / 100 for k in range(20, 100))),
    "threshold-0": dataclasses.replace(detection.COCO, iou_thresholds=(0.0, 0.5)),
}
STATE = ("scores", "labels", "outside", "rows", "rank", "matched", "ignored", "target_labels", "ranges")


def everything(targets, found, rules):
    result = detection.evaluate(targets, found, protocol=rules)
    matches = result.matches
    errors = result.errors(background=min(0.1, rules.iou_thresholds[0])) if rules.iou_thresholds[0] else None
    return [
        *(np.asarray(getattr(result.state, name)) for name in STATE),
        *(np.asarray(x) for x in (matches.objects, matches.overlaps, matches.counts, matches.detections)),
        *(() if errors is None else (errors.kinds, errors.objects, errors.missed, list(errors.cost.values()))),
        result.precision,
        result.confusion(score=0.0).counts if rules.iou_thresholds[0] else 0,
    ]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(("tile", "at_once"), [(60, 1), (100, 20), (2**18, 100), (150, 2**20)])
def test_matching_in_small_parts_gives_the_same_bits(monkeypatch, name, tile, at_once):
    targets, found = tied(0)
    whole = everything(targets, found, RULES[name])
    monkeypatch.setattr(candidates, "TILE", tile)
    monkeypatch.setattr(candidates, "AT_ONCE", at_once)

    for part, expected in zip(everything(targets, found, RULES[name]), whole, strict=True):
        np.testing.assert_array_equal(part, expected)


def test_matching_in_parts_is_in_parts(monkeypatch):
    # 300 detections are in the pools of 5 images and 3 classes: parts of 20 pairs end inside of most of them.
    monkeypatch.setattr(candidates, "TILE", 7)
    monkeypatch.setattr(candidates, "AT_ONCE", 20)
    parts, shared = [], []
    found = candidates._parts

    def counted(*given):
        for part in found(*given):
            parts.append(part.edges.overlap.shape[0])
            shared.append(len(part.shared))
            yield part

    monkeypatch.setattr(candidates, "_parts", counted)
    detection.evaluate(*tied(0))
    assert len(parts) == 10
    assert max(parts) < 40
    assert {1, 2} <= set(shared) <= {0, 1, 2}


@pytest.mark.parametrize("what", ["state", "matches", "errors"])
def test_memory_does_not_grow_with_the_pairs_that_overlap(monkeypatch, what):
    # 3,000 detections overlap 300 objects, each with each: 900,000 pairs, of which 24 bytes each were kept at least.
    monkeypatch.setattr(candidates, "TILE", 2**13)
    monkeypatch.setattr(candidates, "AT_ONCE", 2**13)
    rng = np.random.default_rng(0)

    def boxes(count):
        low = rng.uniform(0, 5, (count, 2))
        return np.concatenate([low, low + 100], axis=1)

    targets = Targets(boxes(300), np.zeros(300, int), np.zeros(300, int))
    found = Detections(boxes(3000), rng.random(3000), rng.integers(2, size=3000), np.zeros(3000, int))
    result = detection.evaluate(targets, found, protocol="voc2010")
    tracemalloc.start()
    try:
        if what == "state":
            detection.evaluate(targets, found, protocol="voc2010")
        else:
            _ = result.matches if what == "matches" else result.errors()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10e6, peak


def test_match_of_nothing(xp):
    if xp.__name__ == "jax.numpy":
        pytest.skip("JAX arrays are brought to the host first")
    nothing = detection.evaluate(Targets([], [], []), Detections([], [], [], []))
    assert match(nothing.compared.tables, nothing.compared.ids, detection.COCO)[2].rows.shape == (0,)
