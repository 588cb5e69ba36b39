"""Ground truths and detections of odd but honest data sets, drawn at random: for false alarms of the doctor."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes
from omniou.data import GroundTruth
from omniou.detection import Detections, Targets


class Scene(NamedTuple):
    """How images look, and how good the detector is."""

    images: int = 100
    objects: tuple[int, int] = (1, 8)  # of an image, from here to there
    size: tuple[float, float] = (640.0, 480.0)
    side: tuple[float, float] = (0.05, 0.5)  # of objects, as shares of the sides of the image
    centred: bool = False
    classes: int = 10
    jitter: float = 0.1
    recall: float = 0.8
    false: float = 0.5  # detections of nothing for each object
    format: str = "xywh"
    known: bool = True  # sizes of images
    relative: bool = False
    unclipped: bool = False


SCENES: dict[str, Scene] = {
    "plain": Scene(),
    "one large object in the middle": Scene(objects=(1, 2), side=(0.6, 0.95), centred=True, classes=5),
    "the same, xyxy, sizes unknown": Scene(
        objects=(1, 2), side=(0.6, 0.95), centred=True, classes=5, format="xyxy", known=False
    ),
    "the same, xywh, sizes unknown": Scene(objects=(1, 2), side=(0.6, 0.95), centred=True, classes=5, known=False),
    "tiny objects from above": Scene(images=30, objects=(50, 200), size=(4000.0, 4000.0), side=(0.002, 0.02)),
    "the same, sizes unknown": Scene(
        images=30, objects=(50, 200), size=(4000.0, 4000.0), side=(0.002, 0.02), known=False
    ),
    "images of 28 x 28": Scene(size=(28.0, 28.0), side=(0.3, 0.8), objects=(1, 3)),
    "fractions in both, sizes unknown": Scene(size=(1.0, 1.0), format="cxcywh", relative=True, known=False),
    "one class": Scene(classes=1),
    "a thousand classes": Scene(classes=1000),
    "boxes are not clipped": Scene(unclipped=True, side=(0.3, 0.9), jitter=0.15),
    "three images": Scene(images=3),
    "one image": Scene(images=1, objects=(20, 21)),
    "a bad detector": Scene(jitter=0.3, recall=0.3, false=5),
    "a very bad detector": Scene(jitter=0.5, recall=0.1, false=20),
    "many detections of everything": Scene(false=50),
    "few objects are found": Scene(recall=0.05, false=0.02, images=300),
    "crowded, xyxy": Scene(objects=(30, 60), format="xyxy"),
}


def random_scene(seed: int) -> Scene:
    """Images, objects and detectors of any properties, also unlikely ones: recall 0.02, 20 false boxes for each."""
    rng = np.random.default_rng(seed)
    least = float(np.exp(rng.uniform(np.log(0.005), np.log(0.5))))
    few = int(np.exp(rng.uniform(0, 3)))
    return Scene(
        images=int(np.exp(rng.uniform(0, 6))),
        objects=(few, few + 1 + int(np.exp(rng.uniform(0, 3.5)))),
        size=(float(rng.choice([28, 64, 320, 640, 1024, 4000])), float(rng.choice([28, 64, 300, 480, 768, 4000]))),
        side=(least, float(min(0.98, least * np.exp(rng.uniform(0.1, 2.5))))),
        centred=bool(rng.random() < 0.15),
        classes=int(rng.choice([1, 2, 3, 10, 80, 300])),
        jitter=float(rng.uniform(0.01, 0.4)),
        recall=float(rng.uniform(0.02, 1)),
        false=float(np.exp(rng.uniform(-3, 3))),
        format=str(rng.choice(["xyxy", "xywh", "cxcywh"])),
        known=bool(rng.random() < 0.6),
        unclipped=bool(rng.random() < 0.4),
    )


def draw(scene: Scene, seed: int) -> tuple[GroundTruth, Detections[Any]]:
    """Objects, and detections of some of them."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(*scene.objects, size=scene.images)
    images = np.repeat(np.arange(scene.images), counts)
    truth = _some(scene, rng, len(images))
    labels = np.minimum(rng.geometric(min(1.0, 3 / scene.classes), len(images)) - 1, scene.classes - 1)
    rows = np.flatnonzero(rng.random(len(images)) < scene.recall)
    noise = rng.normal(0, scene.jitter, (len(rows), 4))
    near = truth[rows]
    near = np.concatenate([near[:, :2] + noise[:, :2] * near[:, 2:], near[:, 2:] * np.exp(noise[:, 2:])], axis=1)
    wild = round(scene.false * len(images))
    detected = np.concatenate([near, _some(scene, rng, wild)])
    confused = np.where(rng.random(len(rows)) < 0.85, labels[rows], rng.integers(scene.classes, size=len(rows)))
    size = np.array(scene.size)
    return (
        GroundTruth(
            path=Path("truth"),
            targets=Targets(_written(truth, scene, size), labels, images),
            images=np.arange(scene.images),
            categories={k: f"class {k}" for k in range(scene.classes)},
            flagged=np.zeros(len(images), dtype=bool),
            format=scene.format,
            relative=scene.relative,
            image_names={k: f"{k}.jpg" for k in range(scene.images)},
            sizes=np.tile(size[::-1], (scene.images, 1)) if scene.known else None,
        ),
        Detections(
            _written(detected, scene, size),
            np.concatenate([rng.beta(4, 2, len(rows)), rng.beta(1, 3, wild)]),
            np.concatenate([confused, rng.integers(scene.classes, size=wild)]),
            np.concatenate([images[rows], rng.integers(scene.images, size=wild)]),
        ),
    )


def _some(scene: Scene, rng: np.random.Generator, count: int) -> Any:
    """Boxes in fractions, (cx, cy, w, h)."""
    sides = np.exp(rng.uniform(*np.log(scene.side), (count, 2)))
    low = (0.5 + rng.normal(0, 0.03, (count, 2)) - sides / 2) if scene.centred else rng.random((count, 2)) * (1 - sides)
    return np.concatenate([np.clip(low, 0, 1 - sides) + sides / 2, sides], axis=1)


def _written(x: Any, scene: Scene, size: Any) -> Any:
    corners = boxes.convert(x, "cxcywh", "xyxy")
    if not scene.unclipped:
        corners = np.clip(corners, 0, 1)
    return boxes.convert(corners * np.tile(size, 2), "xyxy", scene.format)
