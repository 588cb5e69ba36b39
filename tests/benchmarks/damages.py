"""Damages that are done to detection files, each with the codes of the doctor that say so."""

import dataclasses
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from omniou import boxes, data
from omniou.data import GroundTruth
from omniou.detection import Detections

DATA = Path(__file__).parents[3] / "shared" / "data"
SETS = {
    "COCO": (
        "coco-val2014-100/instances_val2014_100.json",
        "coco-val2014-100/instances_val2014_fakebbox100_results.json",
    ),
    "LVIS": ("lvis-val-100/lvis_val_100.json", "lvis-val-100/derived_dt_bbox.json"),
    "Cartucho": ("cartucho-voc/input/ground-truth", "cartucho-voc/input/detection-results"),
}
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "coco-val2014-100"


class Pair(NamedTuple):
    """A set as it was read."""

    truth: GroundTruth
    detections: Detections[Any]

    def with_truth(self, **columns: Any) -> "Pair":
        targets = dataclasses.replace(self.truth.targets, **columns)
        return self._replace(truth=dataclasses.replace(self.truth, targets=targets))

    def with_detections(self, **columns: Any) -> "Pair":
        return self._replace(detections=dataclasses.replace(self.detections, **columns))

    def rows(self, rows: Any) -> "Pair":
        x = self.detections
        return Pair(self.truth, Detections(x.boxes[rows], x.scores[rows], x.labels[rows], x.images[rows]))


Damage = Callable[[Pair, np.random.Generator], Pair | None]


def load(name: str, folder: Path = DATA) -> Pair:
    truth, detections = SETS[name]
    return read(folder / truth, folder / detections)


def read(truth: Path, detections: Path) -> Pair:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", data.InputWarning)  # detections of classes that have no objects
        known = data.read_ground_truth(truth)
        return Pair(known, data.read_detections(detections, known))


def example() -> Pair:
    """COCO's set as the documentation has it, where the real sets are not at hand."""
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    return Pair(truth, data.read_detections(EXAMPLE / "detections.json", truth))


def sides(pair: Pair, images: Any) -> Any:
    """Width and height of the image of each row, (N, 4), twice; where unknown, what the boxes reach."""
    truth = pair.truth
    order = np.argsort(truth.images)
    at = order[np.searchsorted(truth.images, images, sorter=order)]
    known = np.full((len(truth.images), 2), [500.0, 640.0]) if truth.sizes is None else truth.sizes
    return np.tile(known[at][:, ::-1], 2)


def order(of: str) -> Callable[[Pair, str], Pair | None]:
    """Write the numbers of one file, or of both, in another order than the one that they are read by."""

    def damage(pair: Pair, written: str) -> Pair | None:
        read = pair.truth.format
        if written == read:
            return None
        if of in {"truth", "both"}:
            pair = pair.with_truth(boxes=boxes.convert(pair.truth.targets.boxes, read, written))
        if of in {"detections", "both"}:
            pair = pair.with_detections(boxes=boxes.convert(pair.detections.boxes, read, written))
        return pair

    return damage


def other_order(of: str, written: str) -> Damage:
    return lambda pair, _: order(of)(pair, written)


SWAP = [1, 0, 3, 2]


def shifted(pair: Pair, by: int) -> Pair:
    ids = np.sort(list(pair.truth.categories))
    return pair.with_detections(labels=ids[(np.searchsorted(ids, pair.detections.labels) + by) % len(ids)])


def counted(pair: Pair, _: np.random.Generator) -> Pair | None:
    """Classes are numbered from 0 in the order of ids, and those stay whose number is also an id."""
    ids = np.sort(list(pair.truth.categories))
    numbers = np.searchsorted(ids, pair.detections.labels)
    return None if (ids == np.arange(len(ids))).all() else pair.with_detections(labels=numbers)


def renamed(pair: Pair, rng: np.random.Generator) -> Pair:
    ids = np.sort(list(pair.truth.categories))
    return pair.with_detections(labels=rng.permutation(ids)[np.searchsorted(ids, pair.detections.labels)])


def one_class(pair: Pair, _: np.random.Generator) -> Pair:
    labels, counts = np.unique(pair.truth.targets.labels, return_counts=True)
    return pair.with_detections(labels=np.full_like(pair.detections.labels, labels[counts.argmax()]))


def images(pair: Pair, to: Any) -> Pair:
    ids = np.sort(pair.truth.images)
    return pair.with_detections(images=ids[to(np.searchsorted(ids, pair.detections.images), len(ids))])


def as_text(pair: Pair, _: np.random.Generator) -> Pair | None:
    """Images were counted in the order of their ids as text, 1, 10, 100, 2, and are read in that of numbers."""
    ids = np.sort(pair.truth.images)
    text = sorted(range(len(ids)), key=lambda k: str(ids[k]))
    return None if text == list(range(len(ids))) else images(pair, lambda at, _: np.argsort(text)[at])


def half(pair: Pair, rng: np.random.Generator, *, last: bool) -> Pair:
    ids = np.sort(pair.truth.images)
    gone = ids[len(ids) // 2 :] if last else rng.permutation(ids)[: len(ids) // 2]
    return pair.rows(~np.isin(pair.detections.images, gone))


def inverted(pair: Pair, rng: np.random.Generator) -> Pair:
    corners = boxes.convert(pair.detections.boxes, pair.truth.format, "xyxy")
    some = rng.random(len(corners)) < 0.1
    corners[some] = corners[some][:, [2, 3, 0, 1]]
    return pair.with_detections(boxes=boxes.convert(corners, "xyxy", pair.truth.format))


def fractions_of_pixels(pair: Pair, _: np.random.Generator) -> Pair | None:
    if pair.truth.sizes is None:
        return None
    pixels = pair.truth.targets.boxes * sides(pair, pair.truth.targets.images)
    return pair.with_truth(boxes=pixels).with_detections(
        boxes=pair.detections.boxes * sides(pair, pair.detections.images)
    )


def no_crowds(pair: Pair, _: np.random.Generator) -> Pair | None:
    crowd = pair.truth.targets.crowd
    return None if crowd is None or not crowd.any() else pair.with_truth(crowd=np.zeros_like(crowd))


def repeat(pair: Pair, times: int) -> Pair:
    return pair.rows(np.tile(np.arange(len(pair.detections.scores)), times))


def _other(read: str) -> str:
    return "xywh" if read == "xyxy" else "xyxy"


def partly(of: str, share: float) -> Damage:
    """Write some boxes of a file in another order."""

    def damage(pair: Pair, rng: np.random.Generator) -> Pair:
        table = pair.truth.targets if of == "truth" else pair.detections
        numbers, some = table.boxes.copy(), rng.random(len(table.labels)) < share
        numbers[some] = boxes.convert(numbers[some], pair.truth.format, _other(pair.truth.format))
        return pair.with_truth(boxes=numbers) if of == "truth" else pair.with_detections(boxes=numbers)

    return damage


def some_fractions(pair: Pair, rng: np.random.Generator) -> Pair:
    numbers, some = pair.detections.boxes.copy(), rng.random(len(pair.detections.labels)) < 0.3
    numbers[some] /= sides(pair, pair.detections.images)[some]
    return pair.with_detections(boxes=numbers)


def turned(share: float) -> Damage:
    """Swap width and height of some images."""

    def damage(pair: Pair, rng: np.random.Generator) -> Pair | None:
        sizes = pair.truth.sizes
        if sizes is None:
            return None
        some = rng.random(len(sizes)) < share
        return pair._replace(
            truth=dataclasses.replace(pair.truth, sizes=np.where(some[:, None], sizes[:, ::-1], sizes))
        )

    return damage


def one_object(change: Callable[[Any, Any], Any], *, needs_sizes: bool = False) -> Damage:
    """Change the corners of one object, whose image has the given sides."""

    def damage(pair: Pair, _: np.random.Generator) -> Pair | None:
        if needs_sizes and pair.truth.sizes is None:
            return None
        corners = boxes.convert(pair.truth.targets.boxes, pair.truth.format, "xyxy")
        corners[0] = change(corners[0], sides(pair, pair.truth.targets.images)[0])
        return pair.with_truth(boxes=boxes.convert(corners, "xyxy", pair.truth.format))

    return damage


def annotated_twice(pair: Pair, _: np.random.Generator) -> Pair:
    """Three objects stand there again, a hundredth larger."""
    targets = pair.truth.targets
    largest = np.argsort(-np.asarray(boxes.area(targets.boxes, format=pair.truth.format)))[:3]
    again = boxes.convert(targets.boxes[largest], pair.truth.format, "cxcywh")
    again[:, 2:] *= 1.01
    columns = {"labels": targets.labels[largest], "images": targets.images[largest]}
    columns |= {"boxes": boxes.convert(again, "cxcywh", pair.truth.format)}
    for name in ("crowd", "area", "ignore"):
        if getattr(targets, name) is not None:
            columns[name] = getattr(targets, name)[largest]
    joined = {name: np.concatenate([getattr(targets, name), more]) for name, more in columns.items()}
    flagged = np.concatenate([pair.truth.flagged, pair.truth.flagged[largest]])
    return pair._replace(truth=dataclasses.replace(pair.truth, flagged=flagged)).with_truth(**joined)


def equal_areas(pair: Pair, _: np.random.Generator) -> Pair | None:
    area = pair.truth.targets.area
    return None if area is None else pair.with_truth(area=np.ones_like(area))


def cut_off(pair: Pair, _: np.random.Generator) -> Pair | None:
    scores = pair.detections.scores
    return None if scores.min() > 0.2 else pair.rows(scores >= 0.25)


def in_whole_pixels(pair: Pair, _: np.random.Generator) -> Pair | None:
    whole = (pair.truth.targets.boxes == np.round(pair.truth.targets.boxes)).all()
    return None if whole else pair.with_detections(boxes=np.round(pair.detections.boxes))


def in_two_decimals(pair: Pair, _: np.random.Generator) -> Pair | None:
    if pair.truth.sizes is None:
        return None
    units = sides(pair, pair.detections.images)
    return pair.with_detections(boxes=np.round(pair.detections.boxes / units, 2) * units)


# What is done -> (codes that say so, how).
DAMAGES: dict[str, tuple[set[str], Damage]] = {
    **{f"detections written {x}": ({"boxes-order"}, other_order("detections", x)) for x in ("xyxy", "xywh", "cxcywh")},
    **{f"ground truth written {x}": ({"boxes-order"}, other_order("truth", x)) for x in ("xyxy", "xywh", "cxcywh")},
    **{f"both written {x}": ({"boxes-order"}, other_order("both", x)) for x in ("xyxy", "xywh", "cxcywh")},
    "detections: x and y swapped": ({"boxes-axes"}, lambda p, _: p.with_detections(boxes=p.detections.boxes[:, SWAP])),
    "ground truth: x and y swapped": (
        {"boxes-axes"},
        lambda p, _: p.with_truth(boxes=p.truth.targets.boxes[:, SWAP]),
    ),
    "detections are fractions": (
        {"boxes-unit"},
        lambda p, _: p.with_detections(boxes=p.detections.boxes / sides(p, p.detections.images)),
    ),
    "detections are fractions, cxcywh": (
        {"boxes-unit"},
        lambda p, _: p.with_detections(
            boxes=boxes.convert(p.detections.boxes, p.truth.format, "cxcywh") / sides(p, p.detections.images)
        ),
    ),
    "ground truth is fractions": (
        {"boxes-unit"},
        lambda p, _: p.with_truth(boxes=p.truth.targets.boxes / sides(p, p.truth.targets.images)),
    ),
    "pixels read as rel_ in both": ({"boxes-unit"}, fractions_of_pixels),
    "detections times 0.5": ({"boxes-scale"}, lambda p, _: p.with_detections(boxes=p.detections.boxes * 0.5)),
    "detections times 1.6": ({"boxes-scale"}, lambda p, _: p.with_detections(boxes=p.detections.boxes * 1.6)),
    "ground truth times 2": ({"boxes-scale"}, lambda p, _: p.with_truth(boxes=p.truth.targets.boxes * 2)),
    "detections of images of 640 x 640": (
        {"boxes-scale"},
        lambda p, _: (
            None
            if p.truth.sizes is None
            else p.with_detections(boxes=p.detections.boxes / sides(p, p.detections.images) * 640)
        ),
    ),
    "classes one too high": ({"classes-shifted"}, lambda p, _: shifted(p, 1)),
    "classes one too low": ({"classes-shifted"}, lambda p, _: shifted(p, -1)),
    "classes counted from 0": ({"classes-counted", "classes-shifted"}, counted),
    "classes of another list": ({"classes-mixed"}, renamed),
    "one class for all": ({"classes-one"}, one_class),
    "images one too high": ({"images-shifted"}, lambda p, _: images(p, lambda at, n: np.minimum(at + 1, n - 1))),
    "images in the order of text": ({"images-shifted"}, as_text),
    "images permuted": ({"images-mixed", "unrelated"}, lambda p, rng: images(p, lambda at, n: rng.permutation(n)[at])),
    "detections written three times": ({"duplicates"}, lambda p, _: repeat(p, 3)),
    "second half of images without": ({"images-without-detections"}, lambda p, rng: half(p, rng, last=True)),
    "random half of images without": ({"images-without-detections"}, lambda p, rng: half(p, rng, last=False)),
    "scores times 100": ({"scores-range"}, lambda p, _: p.with_detections(scores=p.detections.scores * 100)),
    "a tenth of boxes inverted": ({"boxes-inverted"}, inverted),
    "no crowd is marked": ({"crowds-absent"}, no_crowds),
    "two fifths of detections in another order": ({"boxes-mixed"}, partly("detections", 0.4)),
    "two fifths of objects in another order": ({"boxes-mixed"}, partly("truth", 0.4)),
    "three tenths of detections are fractions": ({"boxes-mixed"}, some_fractions),
    "a quarter of images: width and height swapped": ({"sizes-swapped"}, turned(0.25)),
    "all images: width and height swapped": ({"sizes-swapped"}, turned(1.0)),
    "one object without a width": ({"boxes-flat"}, one_object(lambda x, _: x[[0, 1, 0, 3]])),
    "one object beyond its image": (
        {"boxes-beyond"},
        one_object(lambda x, side: np.array([x[0], x[1], 1.2 * side[0], x[3]]), needs_sizes=True),
    ),
    "three objects annotated twice": ({"near-copies"}, annotated_twice),
    "areas are all 1": ({"areas-equal"}, equal_areas),
    "detections cut off at 0.25": ({"scores-cut"}, cut_off),
    "detections in whole pixels": ({"boxes-rounded"}, in_whole_pixels),
    "detections in hundredths of the sides": ({"boxes-rounded"}, in_two_decimals),
}
