"""The options of `MeanAveragePrecision`, checked."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import torch

from omniou import detection
from omniou._catalogue.geometry import Geometry
from omniou._inputs.kinds import KINDS, SHAPE_KINDS, with_keypoints
from omniou._lib import checks
from omniou.boxes import GEOMETRY
from omniou.detection import Protocol

# torchmetrics' choices of `iou_type`, which have files of COCO.
Coco: TypeAlias = Literal["bbox", "segm"]


def kinds(iou_type: Any, known: Iterable[str] = SHAPE_KINDS) -> tuple[Any, ...]:
    """What is compared, in the order given."""
    kinds = (iou_type,) if isinstance(iou_type, str) else tuple(dict.fromkeys(iou_type))
    for kind in kinds:
        if with_keypoints(kind):
            listed = ", ".join(map(repr, known))
            raise ValueError(
                f"`iou_type` must be one of {listed}, got {kind!r}: its metric is KeypointAveragePrecision"
            )
        checks.choice("iou_type", kind, known)
    if not kinds:
        raise ValueError(f"`iou_type` must name at least one kind, got {iou_type!r}")
    if len({tuple(x.formats.items()) for x in map(KINDS.get, kinds) if isinstance(x, Geometry)}) > 1:
        raise ValueError(f"`iou_type` must name kinds whose 'boxes' are the same rows of numbers, got {iou_type!r}")
    return kinds


def geometry_of(kinds: Iterable[str]) -> Geometry:
    """What the rows of 'boxes' are."""
    return next((x for x in map(KINDS.get, kinds) if isinstance(x, Geometry)), GEOMETRY)


def shares(name: str, given: Any, otherwise: Sequence[float]) -> list[float]:
    """Thresholds in the order they were given."""
    values = _listed(name, given, otherwise)
    if not values or len(set(values)) < len(values) or not all(0 <= x <= 1 for x in values):
        raise ValueError(f"`{name}` must be different numbers in [0, 1], got {given!r}")
    return values


def limits(given: Any, *, compat: bool) -> list[int]:
    """Limits, rising."""
    values = _listed("max_detection_thresholds", given, detection.COCO.max_detections)
    if not values or not all(isinstance(x, int) and x > 0 for x in values):
        raise ValueError(f"`max_detection_thresholds` must be positive integers, got {given!r}")
    if compat and len(values) != 3:  # in the words of torchmetrics, which callers may match
        raise ValueError(
            f"When providing a list of max detection thresholds it should have length 3 with `compat`, got {given!r}"
        )
    return sorted(set(values))


def _listed(name: str, given: Any, otherwise: Sequence[Any]) -> list[Any]:
    values = otherwise if given is None else given
    if isinstance(values, str) or not (
        isinstance(values, Sequence) and all(isinstance(x, int | float) for x in values)
    ):
        raise TypeError(f"`{name}` must be a list of numbers, got {given!r}")
    return list(values)


def rounded(protocol: Protocol) -> Protocol:
    """With the thresholds that torchmetrics takes, which float32 has rounded."""
    iou, recall = (torch.linspace(a, b, n).tolist() for a, b, n in ((0.5, 0.95, 10), (0.0, 1.0, 101)))
    return dataclasses.replace(protocol, iou_thresholds=tuple(iou), recall_points=tuple(recall))
