"""Small data of every kind of evaluation, unit by unit: the same ground truth, and models that differ."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from omniou import detection, tracking
from omniou.data import semantic


class Kind(NamedTuple):
    """How units of a kind are made and evaluated.

    `unit` makes the data of one unit from two generators, of the ground truth and of the model; `evaluate` takes units
    by name. `per_class` gives the numbers of a result by name, for each class.
    """

    unit: Callable[[np.random.Generator, np.random.Generator], Any]
    evaluate: Callable[[Mapping[str, Any]], Any]
    names: tuple[str, ...]
    per_class: Callable[[Any], Mapping[str, Any]]


def model(kind: Kind, count: int, which: int, seed: int = 0) -> dict[str, Any]:
    """Units of one model by name. Models of one seed have the same ground truth."""
    truth, own = np.random.default_rng(seed), np.random.default_rng((seed, which))
    return {f"{k:03}": kind.unit(truth, own) for k in range(count)}


def _boxes(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Boxes of two classes, found loosely, with false positives."""
    boxes = [[30 * k, 0, 30 * k + 20, 20] for k in range(3)]
    labels = truth.permutation([1, 2, 2]).tolist()
    found = [[x + own.integers(-3, 4) for x in box] for box in boxes]
    scores = own.random(3)  # no ties: between images, the ids of images break them
    return (boxes, labels), (found, labels, scores.tolist())


def _detected(units: Mapping[str, Any]) -> Any:
    truth = [{"boxes": boxes, "labels": labels} for (boxes, labels), _ in units.values()]
    found = [{"boxes": b, "labels": c, "scores": s} for _, (b, c, s) in units.values()]
    return detection.evaluate(truth, found, classes=[1, 2])


def _tracks(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Frames of a sequence: objects that move, and tracks that lose them, change their ids and drift."""
    size, frames = int(truth.integers(2, 5)), []
    for at in range(5):
        boxes = [[20 * k + at, 0, 20 * k + at + 10, 10] for k in range(size)]
        labels = ["car" if k else "bike" for k in range(size)]
        found = [k for k in range(size) if own.random() < 0.8]
        targets = {"ids": list(range(size)), "labels": labels, "boxes": boxes}
        tracks = {
            "ids": [k if own.random() < 0.7 else k + 9 for k in found],
            "labels": [labels[k] for k in found],
            "boxes": [[x + 2 * own.normal() for x in boxes[k]] for k in found],
        }
        frames.append((targets, tracks))
    return frames


def tracked(units: Mapping[str, Any], **options: Any) -> tracking.Result:
    """The result of sequences by name."""
    evaluator = tracking.Evaluator(**{"classes": ["bike", "car"], **options})
    for name, frames in units.items():
        for truth, tracks in frames:
            evaluator.update(truth, tracks, sequence=name)
    return evaluator.compute()


def _label_maps(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """A map of three classes and ignored pixels; a tenth of the predicted pixels is wrong."""
    target = truth.choice([0, 1, 2, 255], size=(8, 9), p=[0.5, 0.3, 0.1, 0.1])
    wrong = own.random(target.shape) < own.uniform(0, 0.4)
    return target, np.where(wrong, own.integers(0, 3, target.shape), np.where(target == 255, 0, target))


def _counted(units: Mapping[str, Any]) -> semantic.LabelCounts:
    with tempfile.TemporaryDirectory() as folder:
        sides = [Path(folder, side) for side in ("truth", "found")]
        for side in sides:
            side.mkdir()
        for name, maps in units.items():
            for side, labels in zip(sides, maps, strict=True):
                Image.fromarray(labels.astype(np.uint8)).save(side / f"{name}.png")
        return semantic.count(*sides, {0: "road", 1: "car", 2: "person"}, ignore_label=255)


def _of_columns(result: Any) -> Mapping[str, Any]:
    return result.per_class


def _of_maps(result: Any) -> Mapping[str, Any]:
    return {"mIoU": result.per_class["IoU"], "mDice": result.per_class["Dice"], "mAcc": result.per_class["recall"]}


def _of_rows(result: Any) -> Mapping[str, Any]:
    rows = list(result.per_class.values())
    return {name: [row[name] for row in rows] for name in rows[0]}


_OF_TRACKS = ("HOTA", "AssA", "LocA", "MOTA", "IDF1", "IDSW", "Frag", "FP_per_frame")
KINDS = {
    "boxes": Kind(_boxes, _detected, ("AP", "AP75", "AR100"), _of_columns),
    "tracks": Kind(_tracks, tracked, _OF_TRACKS, _of_rows),
    "tracks, pooled": Kind(_tracks, lambda x: tracked(x, average="detections"), _OF_TRACKS, _of_rows),
    "semantic": Kind(_label_maps, _counted, ("mIoU", "mDice", "mAcc", "aAcc", "fwIoU"), _of_maps),
}
