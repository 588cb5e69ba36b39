"""Suppression and fusion of tables: what `omniou nms` and `omniou fuse` do to files."""

import dataclasses

import numpy as np
import pytest

from omniou import detection, rle
from omniou.detection import Detections

ROWS = {"boxes": [[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 9]], "scores": [0.8, 0.9, 0.7], "labels": [1, 1, 2]}


def table(xp, images=(5, 5, 5), **columns):
    rows = ROWS | {"images": list(images)} | columns
    kinds = {"boxes": xp.float32, "scores": xp.float32}
    return Detections(**{name: xp.asarray(x, dtype=kinds.get(name, xp.int64)) for name, x in rows.items()})


def listed(x):
    return np.asarray(x, dtype=np.float64).round(4).tolist()


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, [1, 2]),
        ({"class_agnostic": True}, [1]),
        ({"threshold": 0.95}, [0, 1, 2]),
        ({"limit": 1}, [1]),
        ({"score_threshold": 0.75}, [1]),
        ({"images": (5, 6, 5)}, [0, 1, 2]),
        ({"images": (5, 6, 5), "limit": 1}, [0, 1]),
    ],
)
def test_rows_that_hard_nms_keeps(xp, options, kept):
    images = options.get("images", (5, 5, 5))
    given = table(xp, images)
    out = detection.nms(given, **{name: x for name, x in options.items() if name != "images"})
    for name in ("boxes", "scores", "labels", "images"):
        x = getattr(out, name)
        assert type(x) is type(getattr(given, name))
        assert x.dtype == getattr(given, name).dtype
        assert listed(x) == [listed(getattr(given, name))[k] for k in kept]


def test_scores_that_soft_nms_lowers_stay_in_the_order_of_the_input():
    # IoU .9 with the best, of another class not: .8 * (1 - .9) where it is above .3.
    out = detection.nms(table(np), method="soft", decay="linear")
    assert listed(out.scores) == [0.08, 0.9, 0.7]
    assert listed(detection.nms(table(np), method="matrix", decay="linear").scores) == [0.08, 0.9, 0.7]


def test_greedy_rule_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(1, 30))
        corner = rng.integers(0, 20, (size, 2))
        boxes = np.concatenate([corner, corner + rng.integers(1, 15, (size, 2))], axis=1)
        scores, labels, images = rng.random(size), rng.integers(0, 2, size), rng.integers(-3, 0, size)

        kept = []
        for k in np.argsort(-scores):
            rivals = [j for j in kept if (labels[j], images[j]) == (labels[k], images[k])]
            sides = [np.minimum(boxes[j][2:], boxes[k][2:]) - np.maximum(boxes[j][:2], boxes[k][:2]) for j in rivals]
            shared = [np.prod(np.maximum(x, 0)) for x in sides]
            areas = [np.prod(boxes[j][2:] - boxes[j][:2]) for j in (k, *rivals)]
            if all(2 * s <= areas[0] + area - s for s, area in zip(shared, areas[1:], strict=True)):
                kept.append(k)
        found = Detections(boxes=boxes, scores=scores, labels=labels, images=images)
        assert listed(detection.nms(found).boxes) == listed(boxes[sorted(kept)])


def test_other_shapes_and_boxes_beside_them():
    square = [0, 0, 10, 0, 10, 10, 0, 10]
    found = Detections(boxes=[square] * 2, scores=[0.1, 0.2], labels=[0, 0], images=[0, 0], kind="polygons")
    assert listed(detection.nms(found).boxes) == [square]
    turned = [[5, 5, 10, 10, 0.0], [5, 5, 10, 10, np.pi / 4]]  # a square and it by 45 degrees: IoU 1 / sqrt(2)
    found = Detections(boxes=turned, scores=[0.1, 0.2], labels=[0, 0], images=[0, 0])
    assert len(detection.nms(found, 0.70, kind="rotated").scores) == 1
    assert len(detection.nms(found, 0.71, kind="rotated").scores) == 2
    masks = rle.Masks.from_dense(np.array([[[1, 1]], [[1, 1]], [[1, 0]]], dtype=bool))
    columns = {"scores": [0.5, 0.6, 0.7], "labels": [1, 1, 1], "images": [1, 1, 1]}
    kept = detection.nms(Detections(boxes=None, masks=masks, **columns))
    assert (listed(kept.scores), kept.masks.area().tolist()) == ([0.6, 0.7], [2, 1])
    both = Detections(boxes=[[0, 0, 1, 1], [5, 5, 6, 6], [8, 8, 9, 9]], masks=masks, **columns)
    assert len(detection.nms(both).scores) == 3
    assert listed(detection.nms(both, kind="segm").boxes) == [[5, 5, 6, 6], [8, 8, 9, 9]]


def test_fusion_of_three_models():
    models = [table(np, boxes=[[0, 0, 10, h]] * 3, scores=[0.6, 0.6, 0.3], images=(9, 2, 9)) for h in (10, 8, 9)]
    out = detection.fuse(models, weights=[2, 1, 1])
    # (2 * 10 + 8 + 9) / 4 in height, and all models agree.
    assert listed(out.images) == [2, 9, 9]
    assert listed(out.labels) == [1, 1, 2]
    assert listed(out.scores) == [0.6, 0.6, 0.3]
    assert listed(out.boxes) == [[0, 0, 10, 9.25]] * 3
    assert listed(detection.fuse([models[0], table(np, boxes=[[50, 50, 60, 60]] * 3)]).scores)[0] == 0.3
    assert listed(detection.fuse({"a": models[0]}, limit=1).images) == [2, 9]


def test_empty_tables(xp):
    none = Detections(boxes=[], scores=[], labels=[], images=[])
    assert listed(detection.nms(none).boxes) == []
    assert detection.fuse([none]).boxes.shape == (0, 4)
    some = table(xp)
    empty = table(xp, images=[], boxes=np.zeros((0, 4)), scores=[], labels=[])
    assert listed(detection.fuse([empty, some], 0.95).scores) == listed([0.45, 0.4, 0.35])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda d: detection.nms([d]), "`detections` must be Detections"),
        (lambda d: detection.nms(d, kind="keypoints"), "`kind` must be of boxes, .* got 'keypoints"),
        (
            lambda d: detection.nms(dataclasses.replace(d, kind="keypoints")),
            r"`detections.kind` must be of boxes, .* got 'keypoints': read the file with Options\(kind='bbox'\)",
        ),
        (lambda d: detection.nms(d, kind="segm"), "`detections.masks` must be given"),
        (lambda d: detection.nms(d, score="iuo"), "`score` must be one of .* did you mean 'iou'"),
        (lambda d: detection.nms(d, 0.5, method="soft"), "`threshold` is for `method` 'hard', or 'soft' with `decay`"),
        (lambda d: detection.nms(d, sigma=1.0), "`sigma` is for `method` 'soft' or 'matrix'"),
        (detection.fuse, "`models` must be a list of Detections"),
        (lambda _: detection.fuse([]), "`models` must hold at least one"),
        (lambda d: detection.fuse([d, d], weights=[1]), "`weights` must have one number for each of the 2 models"),
        (lambda d: detection.fuse([d, None]), r"`models\[1\]` must be Detections"),
    ],
)
def test_what_does_not_fit_is_named(call, told):
    with pytest.raises((TypeError, ValueError), match=told):
        call(table(np))


def test_table_of_another_format_is_refused():
    other = Detections(**ROWS, images=[5, 5, 5], format="xywh")
    with pytest.raises(ValueError, match=r"`models\[1\].format` must be 'xyxy' as in the first model, got 'xywh'"):
        detection.fuse([table(np), other])
    with pytest.raises(ValueError, match="`format` must be 'xywh', as `detections` was read"):
        detection.nms(other, format="xyxy")


@pytest.mark.parametrize("method", ["hard", "soft", "matrix"])
def test_16_bit_scores_keep_their_dtype(xp, method):
    if not hasattr(xp, "bfloat16"):
        pytest.skip("NumPy and array-api-strict have no bfloat16")
    given = table(xp)
    narrow = {name: xp.asarray(getattr(given, name), dtype=xp.bfloat16) for name in ("boxes", "scores")}
    given = dataclasses.replace(given, **narrow)
    for out in (detection.nms(given, method=method), detection.fuse([given, given])):
        assert out.boxes.dtype == out.scores.dtype == xp.bfloat16
