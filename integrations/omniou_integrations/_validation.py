"""Scores by name, their options, and what they say of a whole validation set, out of its batches and in NumPy."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import array_api_compat.numpy as xp
import numpy as np

from omniou import boxes, detection, pairwise
from omniou._lib.formats import BoxFormat, layout
from omniou_integrations._pairing import greedy

SCORES: dict[str, Callable[..., Any]] = {
    "iou": boxes.iou,
    "giou": boxes.giou,
    "diou": boxes.diou,
    "ciou": boxes.ciou,
}

_AP = {"map": "AP", "map_50": "AP50", "map_75": "AP75"}


def score_choice(name: str, value: Any) -> None:
    """Raise unless `value` names a score."""
    if value not in SCORES:
        msg = f"`{name}` must be one of {', '.join(map(repr, SCORES))}, got {value!r}"
        raise ValueError(msg)


def box_options(format: BoxFormat, offset: float, eps: float, image_size: Sequence[float] | None) -> dict[str, Any]:
    """Options of scores and losses, as they are saved."""
    size = None if image_size is None else tuple(image_size)
    return {"format": format, "offset": offset, "eps": eps, "image_size": size}


def attempt(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise for wrong options now, not in the first step of a training."""
    ndim = len(options["image_size"] or ()) or layout(options["format"])[1] or 2
    function(np.ones((1, 2 * ndim)), np.ones((1, 2 * ndim)), **options)


class Padded(NamedTuple):
    """Boxes of a batch of images, of which some rows are real."""

    boxes: Any  # (B, N, 2D), low and high corners
    labels: Any  # (B, N)
    scores: Any  # (B, N) or None
    real: Any  # (B, N)


class Summary:
    """Add batches, then ask for the results: means of scores, and AP where predictions have scores of their own."""

    def __init__(self, scores: Sequence[str], format: BoxFormat, image_size: Any) -> None:
        self._scores = {name: SCORES[name] for name in scores}
        self._format = format
        self._image_size = image_size
        self._total = dict.fromkeys(scores, 0.0)
        self._count = 0
        self._images = 0
        self._columns: list[tuple[detection.Targets[Any], detection.Detections[Any]]] = []

    def add(self, found: Any, truth: Any) -> None:
        """Predictions and targets of a batch, both arrays or both dicts: see `DetectionCallback`."""
        if isinstance(found, dict) and isinstance(truth, dict):
            self._add_padded(self._padded("predictions", found), self._padded("targets", truth))
        elif isinstance(found, np.ndarray) and isinstance(truth, np.ndarray):
            self._add_aligned(found, truth)
        else:
            kinds = f"{type(found).__name__} and {type(truth).__name__}"
            msg = f"predictions and targets must both be arrays, or both dicts with 'boxes' and 'labels', got {kinds}"
            raise TypeError(msg)

    def results(self) -> dict[str, float]:
        """Everything so far; NaN where there is nothing."""
        found = {name: total / self._count if self._count else math.nan for name, total in self._total.items()}
        return found | self._average_precision() if self._columns else found

    def _add_aligned(self, found: Any, truth: Any) -> None:
        if found.shape != truth.shape:
            msg = f"predictions and targets must have one shape, got {found.shape} and {truth.shape}"
            raise ValueError(msg)
        found, truth = self._corners(found), self._corners(truth)
        for name, score in self._scores.items():
            self._total[name] += float(score(found, truth).sum())
        self._count += math.prod(found.shape[:-1])

    def _add_padded(self, found: Padded, truth: Padded) -> None:
        allowed = (
            found.real[:, :, None] & truth.real[:, None, :] & (found.labels[:, :, None] == truth.labels[:, None, :])
        )
        pairs = allowed
        for name, score in self._scores.items():
            values = pairwise(score, found.boxes, truth.boxes)
            pairs = greedy(values, allowed, xp=xp)
            lost = int(found.real.sum() + truth.real.sum()) - 2 * int(pairs.sum())
            # What two boxes infinitely far apart score.
            self._total[name] += float(values[pairs].sum()) + lost * (0.0 if name == "iou" else -1.0)
        # Pairs are formed until one side runs out, so that their number does not depend on the score.
        self._count += int(found.real.sum() + truth.real.sum() - pairs.sum())
        self._add_columns(found, truth)

    def _add_columns(self, found: Padded, truth: Padded) -> None:
        image = self._images + np.arange(len(truth.real))[:, None]
        self._images += len(truth.real)
        if found.scores is None:
            return
        of_truth, of_found = (np.broadcast_to(image, x.real.shape)[x.real] for x in (truth, found))
        targets = detection.Targets(boxes=truth.boxes[truth.real], labels=truth.labels[truth.real], images=of_truth)
        detections = detection.Detections(
            boxes=found.boxes[found.real],
            scores=found.scores[found.real],
            labels=found.labels[found.real],
            images=of_found,
        )
        self._columns.append((targets, detections))

    def _average_precision(self) -> dict[str, float]:
        def column(side: int, name: str) -> Any:
            return np.concatenate([getattr(pair[side], name) for pair in self._columns])

        targets = detection.Targets(**{name: column(0, name) for name in ("boxes", "labels", "images")})
        detections = detection.Detections(**{name: column(1, name) for name in ("boxes", "scores", "labels", "images")})
        if not all(np.isfinite(np.asarray(x)).all() for x in (targets.boxes, detections.boxes, detections.scores)):
            # A training that has diverged, which is no reason to end it here.
            return dict.fromkeys(_AP, math.nan)
        summary = detection.evaluate(targets, detections).summary
        return {name: float(summary[key]) for name, key in _AP.items()}

    def _padded(self, side: str, batch: dict[str, Any]) -> Padded:
        found = _entry(side, batch, "boxes")
        labels = _entry(side, batch, "labels", "classes")
        scores = batch.get("scores", batch.get("confidence")) if side == "predictions" else None
        for name, x in (("labels", labels), ("scores", scores)):
            if x is not None and x.shape != found.shape[:2]:
                msg = f"{name} of {side} must have shape {found.shape[:2]} as there are boxes, got {x.shape}"
                raise ValueError(msg)
        if found.ndim != 3:
            msg = f"boxes of {side} must have shape (batch, boxes, 4), got {found.shape}"
            raise ValueError(msg)
        real = labels >= 0
        if batch.get("num_detections") is not None:
            real = real & (np.arange(labels.shape[1]) < np.reshape(batch["num_detections"], (-1, 1)))
        return Padded(self._corners(found), labels.astype(np.int64), scores, real)

    def _corners(self, x: Any) -> Any:
        return boxes.convert(x.astype(np.float64), self._format, "xyxy", image_size=self._image_size)


def _entry(side: str, batch: dict[str, Any], *names: str) -> Any:
    for name in names:
        if name in batch:
            return np.asarray(batch[name])
    msg = f"{side} must have the key {' or '.join(map(repr, names))}, got {sorted(map(str, batch))}"
    raise ValueError(msg)
