"""Small data of every kind of evaluation, unit by unit: the same ground truth, and models that differ."""

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from omniou import centres, detection, panoptic, spotting, tracking
from omniou.data import panoptic as panoptic_files
from omniou.data import semantic
from omniou.tracking import single, video_objects


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
        return semantic.count(*_written(folder, units), {0: "road", 1: "car", 2: "person"}, ignore_label=255)


def _segments(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Ids of five segments in a picture, and predicted ones with other borders, some of another category."""
    edges = np.cumsum(truth.integers(2, 6, size=5))
    moved = edges + own.integers(-1, 2, size=5)
    labels = truth.permutation([1, 1, 2, 7, 7]).tolist()
    predicted = [own.choice([1, 2, 7]) if own.random() < 0.2 else x for x in labels]
    return [
        (np.searchsorted(x, np.arange(edges[-1] + 2))[None] % 6 + 1, {k + 1: int(c) for k, c in enumerate([*of, 7])})
        for x, of in ((edges, labels), (moved, predicted))
    ]


def _panoptic(units: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for side, name in enumerate(("truth", "found")):
            Path(folder, name).mkdir()
            annotations = []
            for image, maps in units.items():
                ids, categories = maps[side]
                Image.fromarray(panoptic.to_rgb(ids)).save(Path(folder, name, f"{image}.png"))
                records = [{"id": int(k), "category_id": categories[int(k)]} for k in np.unique(ids)]
                annotations.append({"image_id": image, "file_name": f"{image}.png", "segments_info": records})
            categories = [{"id": k, "isthing": int(k < 7)} for k in (1, 2, 7)]
            content = {"annotations": annotations, "categories": categories}
            Path(folder, f"{name}.json").write_text(json.dumps(content))
            sides.append(panoptic_files.read(Path(folder, f"{name}.json")))
        return panoptic_files.count(*sides)


def _masks(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """A mask with lesions, or an empty one; a predicted one without some of the pixels, and with some more."""
    target = truth.random((12, 12)) < truth.choice([0.0, 0.2, 0.2, 0.2])
    return target, (target & (own.random(target.shape) < 0.9)) | (own.random(target.shape) < 0.02)


def _of_masks(units: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return semantic.count_components(*_written(folder, units))


def _centres(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Objects of two classes on the ground, found some metres away, with false positives."""
    size = int(truth.integers(2, 6))
    places = truth.uniform(0, 40, (size, 2))
    boxes = np.column_stack([places, np.ones(size), np.full((size, 3), 2.0), np.zeros(size)])
    labels = ["car" if x else "barrier" for x in truth.integers(0, 2, size)]
    found = np.concatenate([boxes, boxes[:2]])
    found[size:, :2] += 20  # false positives
    found[:, :2] += own.normal(scale=1.5, size=(len(found), 2))
    found[:, 3:6] *= own.uniform(0.7, 1.3, size=(len(found), 3))
    found[:, 6] += own.normal(scale=0.3, size=len(found))
    kept = own.random(len(found)) < 0.9
    of_found = [x for x, there in zip([*labels, *labels[:2]], kept, strict=True) if there]
    return (boxes, labels), (found[kept], of_found, own.random(kept.sum()))


def _of_centres(units: Mapping[str, Any]) -> Any:
    (boxes, labels), (found, of_found, scores) = (
        [np.concatenate(x) for x in zip(*side, strict=True)] for side in zip(*units.values(), strict=True)
    )
    samples, others = ([name for name, unit in units.items() for _ in unit[side][0]] for side in range(2))
    known = [x for x in centres.NUSCENES.classes if x.name in {"car", "barrier"}]
    rules = dataclasses.replace(centres.NUSCENES, classes=tuple(dataclasses.replace(x, range=None) for x in known))
    truth = centres.CentreTargets(boxes, labels.tolist(), samples)
    detections = centres.CentreDetections(found, scores, of_found.tolist(), others)
    return centres.evaluate(truth, detections, rules=rules, samples=list(units))


def _errors(result: Any) -> Mapping[str, Any]:
    own = result.per_class
    return {"mAP": own["AP"], "mATE": own["ATE"], "mAOE": own["AOE"], "AP@1m": own["AP@1m"]}


def _spots(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Moments of two classes, shown or not, and predictions some seconds away."""
    size = int(truth.integers(3, 7))
    times, labels = truth.uniform(0, 300, size), truth.choice(["goal", "foul"], size)
    late = np.concatenate([times, truth.uniform(0, 300, 2)])
    return (
        (times, labels, truth.random(size) < 0.7),
        (np.maximum(late + own.normal(scale=4, size=size + 2), 0), [*labels, "goal", "foul"], own.random(size + 2)),
    )


def _spotted(units: Mapping[str, Any]) -> Any:
    truth, found = ([np.concatenate(x) for x in zip(*side, strict=True)] for side in zip(*units.values(), strict=True))
    videos, others = ([name for name, unit in units.items() for _ in unit[side][0]] for side in range(2))
    return spotting.evaluate(
        spotting.Events(truth[0], truth[1], videos, shown=truth[2]),
        spotting.Events(found[0], found[1], others, scores=found[2]),
        classes=["goal", "foul"],
    )


def _objects(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Label maps of six frames with one or two objects, and predictions that are shifted."""
    maps = np.zeros((6, 24, 24), dtype=int)
    maps[:, 2:10, 2:10] = 1
    if truth.random() < 0.5:
        maps[:, 14:20, 12:20] = 2
    return maps, np.stack([np.roll(x, own.integers(0, 5), axis=1) for x in maps])


def _of_videos(units: Mapping[str, Any]) -> Any:
    return video_objects.evaluate(*({name: unit[side] for name, unit in units.items()} for side in range(2)))


def _single(truth: np.random.Generator, own: np.random.Generator) -> Any:
    """Boxes of one object, and of a track that drifts."""
    frames = int(truth.integers(4, 9))
    boxes = np.tile([10.0, 10, 50, 50], (frames, 1)) + np.arange(frames)[:, None]
    return boxes, boxes + np.cumsum(own.normal(scale=3, size=(frames, 1)), axis=0)


def _of_singles(units: Mapping[str, Any], protocol: str = "otb") -> Any:
    sides = ({name: unit[side] for name, unit in units.items()} for side in range(2))
    return single.evaluate(*sides, protocol=protocol, image_sizes=(100, 100))


def _written(folder: str, units: Mapping[str, Any]) -> list[Path]:
    """Folders of label maps of the ground truth and of the predictions."""
    sides = [Path(folder, side) for side in ("truth", "found")]
    for side in sides:
        side.mkdir()
    for name, maps in units.items():
        for side, labels in zip(sides, maps, strict=True):
            Image.fromarray(labels.astype(np.uint8)).save(side / f"{name}.png")
    return sides


def _of_columns(result: Any) -> Mapping[str, Any]:
    return result.per_class


def _of_maps(result: Any) -> Mapping[str, Any]:
    return {"mIoU": result.per_class["IoU"], "mDice": result.per_class["Dice"], "mAcc": result.per_class["recall"]}


def _of_segments(result: Any) -> Mapping[str, Any]:
    return {name: [x[name] for x in result.per_class.values()] for name in ("PQ", "SQ", "RQ")}


def _of_rows(result: Any) -> Mapping[str, Any]:
    rows = list(result.per_class.values())
    return {name: [row[name] for row in rows] for name in rows[0]}


_OF_TRACKS = ("HOTA", "AssA", "LocA", "MOTA", "IDF1", "IDSW", "Frag", "FP_per_frame")
KINDS = {
    "boxes": Kind(_boxes, _detected, ("AP", "AP75", "AR100"), _of_columns),
    "tracks": Kind(_tracks, tracked, _OF_TRACKS, _of_rows),
    "tracks, pooled": Kind(_tracks, lambda x: tracked(x, average="detections"), _OF_TRACKS, _of_rows),
    "semantic": Kind(_label_maps, _counted, ("mIoU", "mDice", "mAcc", "aAcc", "fwIoU"), _of_maps),
    "panoptic": Kind(_segments, _panoptic, ("PQ", "SQ", "RQ", "PQ_th", "RQ_st"), _of_segments),
    "centres": Kind(_centres, _of_centres, ("NDS", "mAP", "mATE", "mASE", "mAOE", "AP@1m"), _errors),
    "spotting": Kind(_spots, _spotted, ("tight", "loose", "loose_visible", "tight_unshown"), lambda _: {}),
    "videos": Kind(_objects, _of_videos, ("J&F", "J-Mean", "F-Mean", "J-Recall", "F-Decay"), lambda _: {}),
    "single": Kind(_single, _of_singles, ("AUC", "AO", "SR50", "precision"), lambda _: {}),
    "single, by frames": Kind(_single, lambda x: _of_singles(x, "got10k"), ("AO", "SR50", "SR75"), lambda _: {}),
    "components": Kind(_masks, _of_masks, ("PQ", "SQ", "RQ", "precision", "recall", "dice"), lambda _: {}),
}
