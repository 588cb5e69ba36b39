"""A call of every function of arrays, with a few small shapes: what each library and mode is tested with."""

import importlib
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes, pairwise, pairwise_count, pairwise_max, pairwise_sparse, pairwise_topk, rotated
from tests import functions
from tests.hand_worked import NEEDED

rng = np.random.default_rng(7)


class Call(NamedTuple):
    """A function of arrays, which come by name or by position, and what else it needs."""

    function: Any
    arrays: tuple[Any, ...]
    named: dict[str, Any] = {}  # noqa: RUF012  (never changed)


def _of(path: str, *arrays: Any, named: Any = None, **options: Any) -> tuple[str, Call]:
    module, _, name = path.rpartition(".")
    function = getattr(importlib.import_module(f"omniou.{module}"), name)
    last = [x for key, x in options.items() if key.startswith("_")]  # by position, after the arrays
    options = {key: x for key, x in options.items() if not key.startswith("_")}
    return path, Call(lambda *given, **more: function(*given, *last, **options, **more), arrays, named or {})


BOXES, TURNED, CUBOIDS = (functions.shapes(kind, 1, 4) for kind in ("boxes", "rotated", "boxes3d"))
# Moved by less than their sides, each by another distance: each overlaps its own.
STEPS = np.asarray([[1.0], [0.75], [0.5], [0.25]])
OTHERS, TURNED_OTHERS, CUBOID_OTHERS = BOXES + STEPS * np.asarray([0.5, 0.5, 1, 1.5]), TURNED + 0.25, CUBOIDS + 0.25
OUTLINES, OUTLINE_OTHERS = rotated.corners(TURNED), rotated.corners(TURNED_OTHERS)
SHAPES = {
    "boxes": (BOXES, OTHERS),
    "rotated": (TURNED, TURNED_OTHERS),
    "gaussian": (TURNED, TURNED_OTHERS),
    "boxes3d": (CUBOIDS, CUBOID_OTHERS),
    "polygons": (OUTLINES, OUTLINE_OTHERS),
}
# Squares that overlap; and probabilities, of which those above one half are the squares.
SQUARES = np.zeros((2, 2, 8, 8), dtype=bool)
SQUARES[:, 0, 1:5, 1:6], SQUARES[0, 1, 2:7, 2:6], SQUARES[1, 1, 1:6, 2:7] = True, True, True
MASKS = np.where(SQUARES, 0.75, 0.25)
PREDICTED, TARGETS = rng.uniform(0.1, 0.9, (2, 3, 4, 4)), rng.integers(0, 3, (2, 4, 4))
PREDICTED /= PREDICTED.sum(axis=1, keepdims=True)
LABELS = rng.integers(0, 3, (2, 2, 5, 5))
COUNTS = np.asarray([[5, 1, 0], [2, 7, 1], [0, 3, 4]])
POINTS = rng.uniform(0, 20, (4, 5, 2))
MOVED = POINTS + rng.normal(0, 1, POINTS.shape)
AREA, SCORES, CLASSES = np.asarray([40.0, 60, 20, 30]), np.asarray([0.75, 0.5, 0.25, 0.875]), np.asarray([0, 1, 1, 0])
CLOSE = np.asarray([[0.0, 0, 10, 10], [0, 0, 10, 8], [20, 20, 30, 30], [0, 0, 10, 9]])
OVERLAP = np.asarray([[0.75, 0.5, 0.0], [0.625, 0.875, 0.25], [0.0, 0.25, 0.5]])
SEGMENTS = np.stack([rng.integers(0, 3, (2, 5, 5)), rng.integers(1, 3, (2, 5, 5))], axis=-1)
FOUND = SEGMENTS.copy()
FOUND[:, :2] = FOUND[:, 3:]
# Six instances of 4 x 4 pixels, and the same moved by one column.
CELLS = np.kron(np.arange(1, 7).reshape(2, 3), np.ones((4, 4), dtype=np.int64))
COLOURS = rng.integers(0, 256, (2, 3, 3)).astype(np.uint8)
LOGITS = rng.normal(size=(2, 4, 3))
SIGMAS = [0.1, 0.05, 0.08, 0.1, 0.07]


def _scores() -> list[tuple[str, Call]]:
    """Scores and losses of shapes, and of probabilities of classes."""
    found = []
    for path, case in functions.cases().items():
        module, _, name = path.rpartition(".")
        if module not in {"masks", "losses.masks"}:
            given = NEEDED.get(name, {}) and {"image_size": (40, 40)}
            key = "losses." + module.removeprefix("losses.") if case.loss else module
            key = "losses" if key == "losses.boxes" else key
            found.append(_of(f"{key}.{name}", *SHAPES[module.removeprefix("losses.")], **given))
        elif module == "losses.masks":
            pred, target = (PREDICTED, TARGETS)
            if name == "lovasz_hinge":
                pred, target = PREDICTED[:, 0] * 4 - 2, (TARGETS == 0).astype(np.int64)
            if name == "boundary":
                target = rng.normal(size=PREDICTED.shape)
            found.append(_of(path, pred, target))
    return found


def _masks() -> list[tuple[str, Call]]:
    from omniou import masks

    a, b = MASKS
    takes = {name: getattr(masks, name) for name in masks.__all__}
    counted = [x for x in functions.named(masks, "a", "b") if not x.startswith("soft_")]
    found = [_of(f"masks.{name}", a, b, threshold=0.5) for name in counted]
    found += [_of(f"masks.{name}", a, b) for name in takes if name.startswith("soft_")]
    return [
        *found,
        _of("masks.pairwise_iou", a, b, threshold=0.5),
        _of("masks.area", a, threshold=0.5),
        _of("masks.boundary", a, threshold=0.5),
        _of("masks.signed_distance", a, threshold=0.5),
        _of("masks.components", a, b, threshold=0.5),
        _of("masks.mean", SCORES),
        _of("masks.from_boxes", BOXES, _size=(26, 24)),
        _of("masks.from_polygons", OUTLINES, _size=(26, 24)),
        _of("masks.from_rotated", TURNED, _size=(26, 24)),
        _of("boxes.from_masks", SQUARES[0]),
    ]


def _segmentation() -> list[tuple[str, Call]]:
    from omniou import segmentation

    of_counts = [x for x in segmentation.__all__ if x.islower() and x not in {"check", "confusion"}]
    things = {"things": {1}, "stuff": {0, 2}}
    return [
        _of("segmentation.confusion", *LABELS, num_classes=3),
        *(_of(f"segmentation.{name}", COUNTS) for name in of_counts),
        _of("panoptic.count", SEGMENTS, FOUND, **things),
        _of("panoptic.count_instances", CELLS, np.roll(CELLS, 1, axis=1)),
        _of("panoptic.count_tracks", SEGMENTS, FOUND, **things),
        _of("panoptic.count_video", SEGMENTS, FOUND, windows=(2,), **things),
        _of("panoptic.from_rgb", COLOURS),
        _of("panoptic.to_rgb", COLOURS[..., 0].astype(np.int64)),
    ]


def _points() -> list[tuple[str, Call]]:
    area, box = {"area": AREA}, {"head": BOXES}
    return [
        _of("keypoints.oks", POINTS, MOVED, named=area, sigmas=SIGMAS),
        _of("losses.keypoints.oks", POINTS, MOVED, named=area, sigmas=SIGMAS),
        _of("keypoints.pck", POINTS, MOVED, named={"norm": AREA / 20}),
        _of("keypoints.pckh", POINTS, MOVED, named=box),
        _of("keypoints.nme", POINTS, MOVED, named={"norm": AREA}),
        _of("keypoints.box_size", BOXES, measure="root_area"),
        _of("keypoints.estimate_sigmas", np.stack([POINTS, MOVED], axis=1), named={"area": AREA}),
        _of("keypoints.point_distance", POINTS, _first=0, _second=2),
    ]


def _measures() -> list[tuple[str, Call]]:
    named = {"boxes": (BOXES, OTHERS), "rotated": (TURNED, TURNED_OTHERS), "boxes3d": (CUBOIDS, CUBOID_OTHERS)}
    found = []
    for module, (a, b) in named.items():
        found += [_of(f"{module}.pairwise_iou", a, b), _of(f"{module}.enclosing", a, b)]
    return [
        *found,
        _of("polygons.pairwise_iou", OUTLINES, OUTLINE_OTHERS),
        _of("boxes.area", BOXES),
        _of("rotated.area", TURNED),
        _of("polygons.area", OUTLINES),
        _of("boxes3d.volume", CUBOIDS),
        _of("boxes3d.bev_iou", CUBOIDS, CUBOID_OTHERS),
        _of("rotated.corners", TURNED),
        _of("boxes3d.corners", CUBOIDS),
        _of("boxes.convert", BOXES, _from="xyxy", _to="cxcywh"),
        _of("rotated.convert", OUTLINES.reshape(4, 8), _from="xyxyxyxy", _to="xywhr"),
        _of("boxes3d.convert", CUBOIDS, _from="xyzlwhr", _to="kitti"),
        *(_of(f"losses.{name}", BOXES, OTHERS) for name in ("l1", "smooth_l1", "balanced_l1")),
        _of("losses.running_mean", np.asarray(1.0), BOXES, OTHERS),
    ]


def _assigned() -> list[tuple[str, Call]]:
    anchors, objects = np.concatenate([CLOSE, CLOSE + 1.5]), CLOSE[[0, 2]]
    points, probabilities = (anchors[:, :2] + anchors[:, 2:]) / 2, rng.uniform(0.1, 0.9, (8, 2))
    return [
        _of("matching.greedy", OVERLAP),
        _of("matching.hungarian", OVERLAP),
        _of("matching.coco", OVERLAP, thresholds=[0.5], named={"scores": SCORES[:3]}),
        _of("matching.max_iou", anchors, objects),
        _of("matching.atss", anchors, objects),
        _of("matching.task_aligned", anchors, probabilities, points, objects, np.asarray([0, 1])),
        _of("matching.simota", anchors, probabilities, points, np.full(8, 8.0), objects, np.asarray([0, 1])),
        _of("matching.detr_cost", LOGITS, np.stack([CLOSE / 40] * 2), np.asarray([0, 1]), objects / 40, sizes=[1, 1]),
        *(_of(f"nms.{name}", CLOSE, SCORES, threshold=0.5) for name in ("merge", "weighted_fusion")),
        _of("nms.hard", CLOSE, SCORES, threshold=0.5, size=4),
        *(_of(f"nms.{name}", CLOSE, SCORES, size=4) for name in ("soft", "matrix")),
    ]


def _ranked() -> list[tuple[str, Call]]:
    hits = np.asarray([True, False, True, True])
    return [_of(f"detection.{name}", SCORES, hits, num_objects=4) for name in ("average_precision", "pr_curve")]


def calls() -> dict[str, Call]:
    """Name of a function without `omniou.` -> its call."""
    pairs = {
        "pairwise": lambda a, b: pairwise(boxes.giou, a, b),
        "pairwise_count": lambda a, b: pairwise_count(boxes.iou, a, b, 0.1),
        "pairwise_max": lambda a, b: pairwise_max(boxes.iou, a, b),
        "pairwise_sparse": lambda a, b: pairwise_sparse(boxes.iou, a, b, 0.1, size=16),
        "pairwise_topk": lambda a, b: pairwise_topk(boxes.iou, a, b, 2),
    }
    every = {name: Call(function, (CLOSE, CLOSE + 1)) for name, function in pairs.items()}
    for group in (_scores, _masks, _segmentation, _points, _measures, _assigned, _ranked):
        every |= dict(group())
    return every
