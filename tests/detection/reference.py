"""Slow reference implementation of matching and analysis: one image, class and detection at a time."""

import math
from typing import Any, NamedTuple

import numpy as np


class Scene(NamedTuple):
    """Plain lists: boxes as xyxy, one entry for each box."""

    truth: list[dict[str, Any]]
    found: list[dict[str, Any]]


def random_scene(seed: int, *, classes: int = 3, images: int = 4) -> Scene:
    """Boxes on a coarse grid, with ties of score and overlap, crowds and ignored objects."""
    rng = np.random.default_rng(seed)

    def boxes(count: int) -> Any:
        low = rng.integers(0, 12, (count, 2))
        return np.concatenate([low, low + rng.integers(2, 9, (count, 2))], axis=1)

    objects, count = boxes(int(rng.integers(0, 14))), int(rng.integers(0, 40))
    near = objects[rng.integers(len(objects), size=count)] if len(objects) else boxes(count)
    found = near + rng.integers(-1, 2, near.shape) * (rng.random((count, 1)) < 0.7)
    label = rng.integers(1, classes + 1, len(objects) + count)
    image = rng.integers(images, size=len(objects) + count)
    flags = rng.random((len(objects), 2)) < 0.12
    truth = [
        {"box": list(map(int, b)), "label": int(label[k]), "image": int(image[k]), "crowd": bool(c), "ignore": bool(i)}
        for k, (b, (c, i)) in enumerate(zip(objects, flags, strict=True))
    ]
    places = range(len(objects), len(objects) + count)
    scores = rng.integers(0, 8, count) / 8
    return Scene(
        truth,
        [
            {"box": list(map(int, b)), "label": int(label[k]), "image": int(image[k]), "score": float(s)}
            for k, b, s in zip(places, found, scores, strict=True)
        ],
    )


def iou(a: list[int], b: list[int], *, crowd: bool = False) -> float:
    width, height = (max(0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    first, second = (max(0, x[2] - x[0]) * max(0, x[3] - x[1]) for x in (a, b))
    inter = width * height
    union = first if crowd else first + second - inter
    return inter / union if union > 0 else 0.0


class Outcome(NamedTuple):
    objects: list[int | None]  # of each detection
    overlaps: list[float]
    counts: list[bool]


def match(scene: Scene, threshold: float) -> Outcome:
    """COCO's greedy matching."""
    objects: list[int | None] = [None] * len(scene.found)
    overlaps = [0.0] * len(scene.found)
    taken: set[int] = set()
    for place in by_score(scene):
        det = scene.found[place]
        best: tuple[bool, float, int] | None = None
        for number, obj in enumerate(scene.truth):
            if (obj["image"], obj["label"]) != (det["image"], det["label"]) or number in taken:
                continue
            value = iou(det["box"], obj["box"], crowd=obj["crowd"])
            key = (not ignored(obj), value, number)
            if value >= min(threshold, 1 - 1e-10) and (best is None or key > best):
                best = key
        if best is not None:
            objects[place], overlaps[place] = best[2], best[1]
            if not scene.truth[best[2]]["crowd"]:
                taken.add(best[2])
    return Outcome(objects, overlaps, [k is None or not ignored(scene.truth[k]) for k in objects])


def by_score(scene: Scene) -> list[int]:
    return sorted(range(len(scene.found)), key=lambda k: (-scene.found[k]["score"], scene.found[k]["image"], k))


def ignored(obj: dict[str, Any]) -> bool:
    return bool(obj["crowd"] or obj["ignore"])


def object_count(scene: Scene, label: int) -> int:
    return sum(obj["label"] == label and not ignored(obj) for obj in scene.truth)


def counts_above(scene: Scene, result: Outcome, label: int, score: float) -> tuple[int, int, float]:
    """Of a class: counted detections that score at least `score`, true positives, and their sum of 1 - IoU."""
    rows = [k for k, d in enumerate(scene.found) if d["label"] == label and d["score"] >= score and result.counts[k]]
    hits = [k for k in rows if result.objects[k] is not None]
    return len(rows), len(hits), sum(1 - result.overlaps[k] for k in hits)


def best_f1(scene: Scene, result: Outcome, label: int) -> tuple[float, float]:
    best = (math.nan, math.nan)
    for score in sorted({d["score"] for d in scene.found}, reverse=True):
        count, hits, _ = counts_above(scene, result, label, score)
        if hits and not 2 * hits / (count + object_count(scene, label)) <= best[0]:
            best = 2 * hits / (count + object_count(scene, label)), score
    return best


def lowest_lrp(scene: Scene, result: Outcome, label: int, threshold: float) -> tuple[float, float]:
    objects = object_count(scene, label)
    if not objects:
        return math.nan, math.nan
    best = (1.0, math.nan)
    for score in sorted({d["score"] for d in scene.found}, reverse=True):
        count, hits, loose = counts_above(scene, result, label, score)
        value = (loose / (1 - threshold) + count - hits + objects - hits) / (count + objects - hits)
        if value < best[0] - 1e-12:
            best = value, score
    return best


def confusion(scene: Scene, result: Outcome, threshold: float, score: float, classes: list[int]) -> Any:
    table = np.zeros((len(classes) + 1,) * 2, dtype=int)
    place = {label: k for k, label in enumerate(classes)}
    found = {k for k, d in enumerate(scene.found) if result.counts[k] and d["score"] >= score}
    objects = {k for k, obj in enumerate(scene.truth) if not ignored(obj)}
    rank = {k: place for place, k in enumerate(by_score(scene))}
    pairs = []
    for k in found:
        for number in objects:
            det, obj = scene.found[k], scene.truth[number]
            value = iou(det["box"], obj["box"])
            if det["image"] == obj["image"] and value >= threshold:
                pairs.append((det["label"] != obj["label"], -value, rank[k], number, k))
    for *_, number, k in sorted(pairs):
        if k in found and number in objects:
            table[place[scene.truth[number]["label"]], place[scene.found[k]["label"]]] += 1
            found.remove(k)
            objects.remove(number)
    for k in found:
        table[-1, place[scene.found[k]["label"]]] += 1
    for number in objects:
        table[place[scene.truth[number]["label"]], -1] += 1
    return table


def average_precision(rows: list[tuple[float, bool]], objects: int) -> float:
    """(score, is a hit), ties in order -> AP over 101 recall points."""
    curve, hits = [], 0
    for number, (_, hit) in enumerate(sorted(rows, key=lambda row: -row[0]), 1):
        hits += hit
        curve.append((hits / objects, hits / number))
    points = np.linspace(0, 1, 101)
    return float(np.mean([max((p for r, p in curve if r >= point), default=0.0) for point in points]))


def mean_average_precision(rows: list[tuple[int, float, bool]], objects: dict[int, int], classes: list[int]) -> float:
    """(label, score, is a hit), ties in order; objects of each class; classes to average over -> mAP."""
    values = [
        average_precision([(s, h) for at, s, h in rows if at == label], objects[label]) if objects[label] else 0.0
        for label in classes
    ]
    return float(np.mean(values)) if values else math.nan


def error_kinds(scene: Scene, result: Outcome, threshold: float, background: float) -> list[tuple[str, int | None]]:
    """Kind of error of each detection, "" if it is none, and the object concerned."""
    kinds: list[tuple[str, int | None]] = []
    for k, det in enumerate(scene.found):
        if not result.counts[k] or result.objects[k] is not None:
            kinds.append(("", None))
            continue
        own, other = (
            max(
                (
                    (value, -number)
                    for number, obj in enumerate(scene.truth)
                    if not ignored(obj) and obj["image"] == det["image"] and (obj["label"] == det["label"]) is same
                    if (value := iou(det["box"], obj["box"])) >= background
                ),
                default=(0.0, 1),
            )
            for same in (True, False)
        )
        if background <= own[0] < threshold:
            kinds.append(("localisation", -own[1]))
        elif other[0] >= threshold:
            kinds.append(("classification", -other[1]))
        elif own[0] >= threshold:
            kinds.append(("duplicate", -own[1]))
        else:
            kinds.append(("both" if other[0] >= background else "background", None))
    return kinds


def costs(scene: Scene, result: Outcome, kinds: list[tuple[str, int | None]]) -> dict[str, float]:
    """Gain in AP if only one kind of error is fixed, for each kind."""
    labels = sorted({obj["label"] for obj in scene.truth if not ignored(obj)})
    objects = {label: object_count(scene, label) for label in {d["label"] for d in scene.found} | set(labels)}
    order = sorted(range(len(scene.found)), key=lambda k: (scene.found[k]["image"], k))
    counted = [k for k in order if result.counts[k]]
    hit = {k: result.objects[k] is not None for k in counted}
    used = set(result.objects)
    misses = [n for n, obj in enumerate(scene.truth) if not ignored(obj) and n not in used]
    best: dict[int, int] = {}
    for k in by_rows_of_score(scene):
        kind, about = kinds[k]
        if kind in {"localisation", "classification"} and about in misses:
            best.setdefault(about, k)
    least = min((d["score"] for d in scene.found), default=0.0) - 1

    def value(change: Any, fewer: list[int]) -> float:
        rows = [row for k in counted if (row := change(k)) is not None]
        left = {label: n - sum(scene.truth[m]["label"] == label for m in fewer) for label, n in objects.items()}
        return mean_average_precision(rows, left, labels)

    def plain(k: int) -> tuple[int, float, bool]:
        return scene.found[k]["label"], scene.found[k]["score"], hit[k]

    def fixed(kind: str) -> Any:
        def change(k: int) -> Any:
            if kinds[k][0] != kind:
                return plain(k)
            about = kinds[k][1]
            if kind in {"localisation", "classification"} and best.get(about, -1) == k:
                return scene.truth[about]["label"], scene.found[k]["score"], True
            return None

        return change

    whole = value(plain, [])
    names = ("classification", "localisation", "both", "duplicate", "background")
    out = {kind: value(fixed(kind), []) - whole for kind in names}
    out["missed"] = value(plain, [m for m in misses if m not in best]) - whole
    last = {k: k in hit and not hit[k] for k in counted}
    out["false_positives"] = (
        value(lambda k: (scene.found[k]["label"], least if last[k] else scene.found[k]["score"], hit[k]), []) - whole
    )
    out["false_negatives"] = value(plain, misses) - whole
    return out


def by_rows_of_score(scene: Scene) -> list[int]:
    return sorted(range(len(scene.found)), key=lambda k: (-scene.found[k]["score"], k))
