"""What the doctor finds in damaged files, and in poor but honest ones: `python -m tests.benchmarks.doctor [DATA]`.

DATA holds the folders of the real sets; without them the example of the documentation serves. Each damage is done to
each set, and what `omniou.data.diagnose` says is set against what was done; then each set is made worse in ways that
are no fault of a file, and odd but whole sets are drawn at random (`tests.benchmarks.scenes`). docs/doctor.md has the
tables. It fails where a damage is missed, or a whole set accused.
"""

import argparse
import dataclasses
import importlib
import pkgutil
import re
import sys
import timeit
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from omniou import boxes, data, detection
from omniou.data import GroundTruth
from omniou.detection import Detections, doctor
from omniou.detection.doctor import _sample
from tests.benchmarks.scenes import SCENES, draw, random_scene

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"
DATA = Path(__file__).parents[3] / "shared" / "data"
SETS = {
    "COCO": (
        "coco-val2014-100/instances_val2014_100.json",
        "coco-val2014-100/instances_val2014_fakebbox100_results.json",
    ),
    "LVIS": ("lvis-val-100/lvis_val_100.json", "lvis-val-100/derived_dt_bbox.json"),
    "Cartucho": ("cartucho-voc/input/ground-truth", "cartucho-voc/input/detection-results"),
}
EXAMPLE = PAGE.parent / "examples" / "coco-val2014-100"
SEEDS = 20
MISSED = "**missed**"


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", data.InputWarning)  # detections of classes that have no objects
        truth = data.read_ground_truth(folder / SETS[name][0])
        return Pair(truth, data.read_detections(folder / SETS[name][1], truth))


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


def _repeat(pair: Pair, times: int) -> Pair:
    return pair.rows(np.tile(np.arange(len(pair.detections.scores)), times))


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
    "classes of another list": ({"classes-mixed"}, renamed),
    "one class for all": ({"classes-one"}, one_class),
    "images one too high": ({"images-shifted"}, lambda p, _: images(p, lambda at, n: np.minimum(at + 1, n - 1))),
    "images in the order of text": ({"images-shifted"}, as_text),
    "images permuted": ({"images-mixed", "unrelated"}, lambda p, rng: images(p, lambda at, n: rng.permutation(n)[at])),
    "detections written three times": ({"duplicates"}, lambda p, _: _repeat(p, 3)),
    "second half of images without": ({"images-without-detections"}, lambda p, rng: half(p, rng, last=True)),
    "random half of images without": ({"images-without-detections"}, lambda p, rng: half(p, rng, last=False)),
    "scores times 100": ({"scores-range"}, lambda p, _: p.with_detections(scores=p.detections.scores * 100)),
    "a tenth of boxes inverted": ({"boxes-inverted"}, inverted),
    "no crowd is marked": ({"crowds-absent"}, no_crowds),
}


def jittered(by: float) -> Damage:
    """Centres and sides of detections move by a normal share of the sides."""

    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        x = boxes.convert(pair.detections.boxes, pair.truth.format, "cxcywh")
        noise = rng.normal(0, by, x.shape)
        moved = np.concatenate([x[:, :2] + noise[:, :2] * x[:, 2:], x[:, 2:] * np.exp(noise[:, 2:])], axis=1)
        return pair.with_detections(boxes=boxes.convert(moved, "cxcywh", pair.truth.format))

    return worse


def fewer(share: float) -> Damage:
    return lambda pair, rng: pair.rows(rng.random(len(pair.detections.scores)) < share)


def confused(share: float) -> Damage:
    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        wrong = rng.random(len(pair.detections.labels)) < share
        other = rng.choice(list(pair.truth.categories), len(pair.detections.labels))
        return pair.with_detections(labels=np.where(wrong, other, pair.detections.labels))

    return worse


def more(times: int) -> Damage:
    """So many boxes for each detection, anywhere in any image, of any class and any score."""

    def worse(pair: Pair, rng: np.random.Generator) -> Pair:
        n = len(pair.detections.scores)
        every = _repeat(pair, times + 1)
        rows = rng.integers(n, size=n * times)
        wild = boxes.convert(pair.detections.boxes, pair.truth.format, "cxcywh")[rows]
        where = rng.choice(pair.truth.images, n * times)
        wild[:, :2] = rng.uniform(0, sides(pair, where)[:, :2])
        images = np.concatenate([pair.detections.images, where])
        scores = np.concatenate([pair.detections.scores, rng.random(n * times)])
        labels = np.concatenate([pair.detections.labels, pair.detections.labels[rng.permutation(rows)]])
        numbers = np.concatenate([pair.detections.boxes, boxes.convert(wild, "cxcywh", pair.truth.format)])
        return every.with_detections(boxes=numbers, scores=scores, images=images, labels=labels)

    return worse


def thresholded(pair: Pair, _: np.random.Generator) -> Pair:
    return pair.rows(pair.detections.scores >= np.quantile(pair.detections.scores, 0.7))


def both(*parts: Damage) -> Damage:
    def worse(pair: Pair, rng: np.random.Generator) -> Pair | None:
        for part in parts:
            pair = part(pair, rng) or pair
        return pair

    return worse


HARMLESS: dict[str, Damage] = {
    "as it is": lambda pair, _: pair,
    "jitter of 0.1 sides": jittered(0.1),
    "jitter of 0.2 sides": jittered(0.2),
    "jitter of 0.4 sides": jittered(0.4),
    "half of the detections": fewer(0.5),
    "a fifth of the detections": fewer(0.2),
    "a twentieth of the detections": fewer(0.05),
    "the best 30 % of scores": thresholded,
    "a third of classes wrong": confused(0.33),
    "two thirds of classes wrong": confused(0.67),
    "three random boxes for each": more(3),
    "ten random boxes for each": more(10),
    "random scores": lambda pair, rng: pair.with_detections(scores=rng.random(len(pair.detections.scores))),
    "jitter 0.2, half, a third of classes wrong, ten random": both(jittered(0.2), fewer(0.5), confused(0.33), more(10)),
    "a quarter of the images": lambda pair, rng: some_images(pair, rng, 0.25),
    "ten images": lambda pair, rng: some_images(pair, rng, 10 / len(pair.truth.images)),
}


def some_images(pair: Pair, rng: np.random.Generator, share: float) -> Pair:
    truth, targets = pair.truth, pair.truth.targets
    kept = np.sort(rng.permutation(len(truth.images))[: round(share * len(truth.images))])
    ids = truth.images[kept]
    rows = np.isin(targets.images, ids)
    columns = {
        f.name: getattr(targets, f.name)[rows]
        for f in dataclasses.fields(targets)
        if f.name in {"boxes", "labels", "images", "crowd", "area", "ignore"} and getattr(targets, f.name) is not None
    }
    sizes = None if truth.sizes is None else truth.sizes[kept]
    part = Pair(dataclasses.replace(truth, images=ids, sizes=sizes, flagged=truth.flagged[rows]), pair.detections)
    return part.with_truth(**columns).rows(np.isin(pair.detections.images, ids))


def codes_of(pair: Pair) -> list[str]:
    return [x.code for x in data.diagnose(*pair, path="detections")]


def table_of_damages(sets: dict[str, Pair]) -> list[str]:
    lines = [f"| damage | finding | {' | '.join(sets)} |", f"|---|---|{'---|' * len(sets)}"]
    for name, (codes, damage) in DAMAGES.items():
        cells = []
        for pair in sets.values():
            damaged = damage(pair, np.random.default_rng(0))
            if damaged is None:
                cells.append("-")
                continue
            said = codes_of(damaged)
            others = ", ".join(f"`{x}`" for x in said if x not in codes)
            cells.append(("found" if codes & set(said) else MISSED) + (f", and {others}" if others else ""))
        lines.append(f"| {name} | {', '.join(f'`{x}`' for x in sorted(codes))} | {' | '.join(cells)} |")
    return lines


def table_of_false_alarms(sets: dict[str, Pair], seeds: int) -> list[str]:
    lines = [f"| detections | {' | '.join(sets)} |", f"|---|{'---|' * len(sets)}"]
    for name, worse in HARMLESS.items():
        cells = []
        for pair in sets.values():
            said = [x for seed in range(seeds) for x in set(codes_of(worse(pair, np.random.default_rng(seed)) or pair))]
            cells.append(_counted(said))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def table_of_scenes(seeds: int) -> list[str]:
    """Of data sets that are drawn at random."""
    lines = ["| data set | findings |", "|---|---|"]
    for name, scene in SCENES.items():
        said = [x for seed in range(seeds) for x in set(codes_of(Pair(*draw(scene, seed))))]
        lines.append(f"| {name} | {_counted(said)} |")
    return lines


def random_sets(count: int) -> str:
    """Of data sets whose properties are drawn, too."""
    said = [x for seed in range(count) for x in set(codes_of(Pair(*draw(random_scene(seed), seed))))]
    return f"Of {count} data sets whose properties were drawn at random, too, these were accused: {_counted(said)}."


def _counted(said: list[str]) -> str:
    return ", ".join(f"`{x}` {said.count(x)}" for x in dict.fromkeys(said)) or "0"


class Threshold(NamedTuple):
    """A number at the top of a module of the doctor; `key` where it is a value of a dictionary."""

    module: ModuleType
    name: str
    key: str = ""

    @property
    def value(self) -> float:
        value = vars(self.module)[self.name]
        return value[self.key] if self.key else value

    def __str__(self) -> str:
        of = f" of {self.key}" if self.key else ""
        return f"{self.module.__name__.rpartition('.')[2]}.{self.name}{of}"

    @contextmanager
    def changed(self, by: float) -> Iterator[None]:
        """In all modules that have imported it; whole numbers stay whole."""
        whole = isinstance(self.value, int)
        value: Any = round(self.value * by) if whole else self.value * by
        new = vars(self.module)[self.name] | {self.key: value} if self.key else value
        where = [self.module] if self.name.startswith("_") else [x for x in parts() if self.name in vars(x)]
        with ExitStack() as stack:
            for module in where:
                stack.enter_context(mock.patch.object(module, self.name, new))
            yield


def parts() -> list[ModuleType]:
    """The modules of the doctor."""
    return [importlib.import_module(f"{doctor.__name__}.{x.name}") for x in pkgutil.iter_modules(doctor.__path__)]


def thresholds() -> list[Threshold]:
    """All of them, in the order of their modules."""
    each = [
        Threshold(module, name, key)
        for module in parts()
        for name, value in vars(module).items()
        if name.isupper() and (name.startswith("_") or module is _sample)
        for key in (value if isinstance(value, dict) else [""])
    ]
    return [x for x in each if isinstance(x.value, int | float)]


def outcome(sets: dict[str, Pair], scenes: int) -> tuple[int, int]:
    """Damages that are missed, and whole sets that are accused."""
    pairs = [
        (codes, damage(pair, np.random.default_rng(0))) for codes, damage in DAMAGES.values() for pair in sets.values()
    ]
    missed = sum(not codes & set(codes_of(pair)) for codes, pair in pairs if pair is not None)
    worse = [f(pair, np.random.default_rng(0)) or pair for f in HARMLESS.values() for pair in sets.values()]
    odd = [Pair(*draw(scene, seed)) for scene in SCENES.values() for seed in range(2)]
    random = [Pair(*draw(random_scene(seed), seed)) for seed in range(scenes)]
    return missed, sum(bool(codes_of(pair)) for pair in [*worse, *odd, *random])


def table_of_thresholds(sets: dict[str, Pair], scenes: int = 100) -> list[str]:
    """From where to where each can be moved by itself, before a damage is missed or one more set is accused."""
    factors = (2, 1.5, 1.25, 1.1)
    missed, accused = outcome(sets, scenes)
    lines = ["| threshold | value | lowest | highest | below | above |", "|---|---|---|---|---|---|"]
    for threshold in thresholds():
        ends, why = [], []
        for sign in (-1, 1):
            end, reason = threshold.value, ""
            for factor in factors:
                with threshold.changed(factor**sign):
                    value, (m, a) = threshold.value, outcome(sets, scenes)
                if (m, a) == (missed, accused):
                    end = value
                    break
                changes = {"missed": m - missed, "accused": a - accused}
                reason = f"at {value:g}: " + ", ".join(f"{n:+} {what}" for what, n in changes.items() if n)
            ends.append(f"{end:g}")
            why.append(reason)
        lines.append(f"| {threshold} | {threshold.value:g} | {' | '.join(ends + why)} |")
        print(lines[-1], flush=True)
    return lines


def seconds(rounds: int = 7) -> str:
    """Time of the doctor beside that of an evaluation, of a data set of the size of COCO's with 180,000 detections."""
    from tests.benchmarks.detections import data as coco_like

    tables = coco_like(180_000)
    images = np.arange(5000)
    truth = GroundTruth(
        path=Path("truth"),
        targets=tables.targets,
        images=images,
        categories={k: str(k) for k in range(1, 81)},
        flagged=np.zeros(len(tables.targets.labels), dtype=bool),
        image_names={k: str(k) for k in range(5000)},
        sizes=np.tile([480.0, 640.0], (5000, 1)),
    )
    calls = (
        lambda: data.diagnose(truth, tables.detections),
        lambda: detection.evaluate(truth, tables.detections).summary,
    )
    times = [min(timeit.repeat(call, number=1, repeat=rounds)) for call in calls]
    return f"{1e3 * times[0]:.0f} ms, where `evaluate` takes {1e3 * times[1]:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.doctor", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--write", action="store_true", help="into docs/doctor.md")
    parser.add_argument("--thresholds", action="store_true", help="how far each may be moved; takes ten minutes")
    arguments = parser.parse_args()
    sets = {name: load(name, arguments.data) for name in SETS if (arguments.data / SETS[name][0]).exists()}
    sets = sets or {"COCO": example()}
    if arguments.thresholds:
        table_of_thresholds(sets)
        return
    parts = {
        "damages": table_of_damages(sets),
        "poor": table_of_false_alarms(sets, arguments.seeds),
        "scenes": table_of_scenes(arguments.seeds),
        "random": [random_sets(25 * arguments.seeds)],
    }
    if arguments.write:  # it needs torch
        parts["time"] = [f"Of 180,000 detections in 5,000 images, `diagnose` takes {seconds()}."]
    page = PAGE.read_text("utf-8")
    for name, lines in parts.items():
        text = "\n".join(lines)
        print(text + "\n")
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", lambda x, text=text: x[1] + text + x[2], page, flags=re.DOTALL
        )
    if arguments.write:
        PAGE.write_text(page, "utf-8")
    # A finding stands between backticks. Of the random sets, some are accused: see the page.
    wrong = [x for x in parts["damages"] if MISSED in x] + [x for x in parts["poor"] + parts["scenes"] if "`" in x]
    if wrong:
        sys.exit("\n".join(["These damages were missed, or whole sets accused:", *wrong]))


if __name__ == "__main__":
    main()
