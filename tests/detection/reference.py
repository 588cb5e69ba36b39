"""A reference implementation of matching and its analysis, one image, class and detection at a time."""

import math
from typing import Any, NamedTuple

import numpy as np


class Scene(NamedTuple):
    """A dictionary for each object and detection, boxes as xyxy."""

    truth: list[dict[str, Any]]
    detections: list[dict[str, Any]]


def random_scene(seed: int, *, classes: int = 3, images: int = 4) -> Scene:
    """Boxes on a coarse grid, so that scores and overlaps tie; crowds and ignored objects among them."""
    rng = np.random.default_rng(seed)

    def boxes(count: int) -> Any:
        low = rng.integers(0, 12, (count, 2))
        return np.concatenate([low, low + rng.integers(2, 9, (count, 2))], axis=1)

    objects, count = boxes(int(rng.integers(0, 14))), int(rng.integers(0, 40))
    sources = objects[rng.integers(len(objects), size=count)] if len(objects) else boxes(count)
    detections = sources + rng.integers(-1, 2, sources.shape) * (rng.random((count, 1)) < 0.7)
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
            for k, b, s in zip(places, detections, scores, strict=True)
        ],
    )


def iou(a: list[int], b: list[int], *, crowd: bool = False) -> float:
    width, height = (max(0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    first, second = (max(0, x[2] - x[0]) * max(0, x[3] - x[1]) for x in (a, b))
    inter = width * height
    union = first if crowd else first + second - inter
    return inter / union if union > 0 else 0.0


class Matching(NamedTuple):
    objects: list[int | None]  # index of the matched object of each detection
    overlaps: list[float]
    counts: list[bool]


def greedy_matching(scene: Scene, threshold: float) -> Matching:
    """COCO's greedy matching."""
    objects: list[int | None] = [None] * len(scene.detections)
    overlaps = [0.0] * len(scene.detections)
    taken: set[int] = set()
    for place in by_score(scene):
        det = scene.detections[place]
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
    return Matching(objects, overlaps, [k is None or not ignored(scene.truth[k]) for k in objects])


def by_score(scene: Scene) -> list[int]:
    return sorted(
        range(len(scene.detections)), key=lambda k: (-scene.detections[k]["score"], scene.detections[k]["image"], k)
    )


def ignored(obj: dict[str, Any]) -> bool:
    return bool(obj["crowd"] or obj["ignore"])


def count_objects(scene: Scene, label: int) -> int:
    return sum(obj["label"] == label and not ignored(obj) for obj in scene.truth)


def counts_above(scene: Scene, result: Matching, label: int, score: float) -> tuple[int, int, float]:
    """Numbers of counted detections of a class from a score on and of hits among them; sum of 1 - IoU of the hits."""
    rows = [
        k for k, d in enumerate(scene.detections) if d["label"] == label and d["score"] >= score and result.counts[k]
    ]
    hits = [k for k in rows if result.objects[k] is not None]
    return len(rows), len(hits), sum(1 - result.overlaps[k] for k in hits)


def best_f1(scene: Scene, result: Matching, label: int) -> tuple[float, float]:
    best = (math.nan, math.nan)
    for score in sorted({d["score"] for d in scene.detections}, reverse=True):
        count, hits, _ = counts_above(scene, result, label, score)
        if hits and not 2 * hits / (count + count_objects(scene, label)) <= best[0]:
            best = 2 * hits / (count + count_objects(scene, label)), score
    return best


def lowest_lrp(scene: Scene, result: Matching, label: int, threshold: float) -> tuple[float, float]:
    objects = count_objects(scene, label)
    if not objects:
        return math.nan, math.nan
    best = (1.0, math.nan)
    for score in sorted({d["score"] for d in scene.detections}, reverse=True):
        count, hits, localisation = counts_above(scene, result, label, score)
        value = (localisation / (1 - threshold) + count - hits + objects - hits) / (count + objects - hits)
        if value < best[0] - 1e-12:
            best = value, score
    return best


def confusion(scene: Scene, result: Matching, threshold: float, score: float, classes: list[int]) -> Any:
    table = np.zeros((len(classes) + 1,) * 2, dtype=int)
    place = {label: k for k, label in enumerate(classes)}
    detections = {k for k, d in enumerate(scene.detections) if result.counts[k] and d["score"] >= score}
    objects = {k for k, obj in enumerate(scene.truth) if not ignored(obj)}
    rank = {k: place for place, k in enumerate(by_score(scene))}
    pairs = []
    for k in detections:
        for number in objects:
            det, obj = scene.detections[k], scene.truth[number]
            value = iou(det["box"], obj["box"])
            if det["image"] == obj["image"] and value >= threshold:
                pairs.append((det["label"] != obj["label"], -value, rank[k], number, k))
    for *_, number, k in sorted(pairs):
        if k in detections and number in objects:
            table[place[scene.truth[number]["label"]], place[scene.detections[k]["label"]]] += 1
            detections.remove(k)
            objects.remove(number)
    for k in detections:
        table[-1, place[scene.detections[k]["label"]]] += 1
    for number in objects:
        table[place[scene.truth[number]["label"]], -1] += 1
    return table


def average_precision(rows: list[tuple[float, bool]], objects: int) -> float:
    """(score, hit) of each detection -> mean precision at 101 recalls. Equal scores keep their order."""
    curve, hits = [], 0
    for number, (_, hit) in enumerate(sorted(rows, key=lambda row: -row[0]), 1):
        hits += hit
        curve.append((hits / objects, hits / number))
    points = np.linspace(0, 1, 101)
    return float(np.mean([max((p for r, p in curve if r >= point), default=0.0) for point in points]))


def mean_average_precision(rows: list[tuple[int, float, bool]], objects: dict[int, int], classes: list[int]) -> float:
    """(label, score, hit) of each detection, number of objects of each class, classes to average over."""
    values = []
    for label in classes:
        of_class = [(s, h) for at, s, h in rows if at == label]
        if objects[label]:
            values.append(average_precision(of_class, objects[label]))
        elif of_class:
            values.append(0.0)  # as TIDE: a class with neither objects nor detections leaves the mean
    return float(np.mean(values)) if values else 1.0 if classes else math.nan


def error_kinds(scene: Scene, result: Matching, threshold: float, background: float) -> list[tuple[str, int | None]]:
    """Kind of error of each detection, "" if it is none, and the object concerned."""
    kinds: list[tuple[str, int | None]] = []
    for k, det in enumerate(scene.detections):
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


def error_costs(scene: Scene, result: Matching, kinds: list[tuple[str, int | None]]) -> dict[str, float]:
    """Gain in AP when the errors of one kind are corrected."""
    labels = sorted({obj["label"] for obj in scene.truth if not ignored(obj)})
    objects = {label: count_objects(scene, label) for label in {d["label"] for d in scene.detections} | set(labels)}
    order = sorted(range(len(scene.detections)), key=lambda k: (scene.detections[k]["image"], k))
    counted = [k for k in order if result.counts[k]]
    hit = {k: result.objects[k] is not None for k in counted}
    used = set(result.objects)
    misses = [n for n, obj in enumerate(scene.truth) if not ignored(obj) and n not in used]
    best: dict[int, int] = {}
    for k in by_rows_of_score(scene):
        kind, target = kinds[k]
        if kind in {"localisation", "classification"} and target in misses:
            best.setdefault(target, k)
    lowest = min((d["score"] for d in scene.detections), default=0.0) - 1

    def value(change: Any, fewer: list[int]) -> float:
        rows = [row for k in counted if (row := change(k)) is not None]
        left = {label: n - sum(scene.truth[m]["label"] == label for m in fewer) for label, n in objects.items()}
        return mean_average_precision(rows, left, labels)

    def unchanged(k: int) -> tuple[int, float, bool]:
        return scene.detections[k]["label"], scene.detections[k]["score"], hit[k]

    def corrected(kind: str) -> Any:
        def change(k: int) -> Any:
            if kinds[k][0] != kind:
                return unchanged(k)
            target = kinds[k][1]
            if kind in {"localisation", "classification"} and best.get(target, -1) == k:
                return scene.truth[target]["label"], scene.detections[k]["score"], True
            return None

        return change

    baseline = value(unchanged, [])
    names = ("classification", "localisation", "both", "duplicate", "background")
    out = {kind: value(corrected(kind), []) - baseline for kind in names}
    out["missed"] = value(unchanged, [m for m in misses if m not in best]) - baseline
    last = {k: k in hit and not hit[k] for k in counted}
    out["false_positives"] = (
        value(lambda k: (scene.detections[k]["label"], lowest if last[k] else scene.detections[k]["score"], hit[k]), [])
        - baseline
    )
    out["false_negatives"] = value(unchanged, misses) - baseline
    return out


def by_rows_of_score(scene: Scene) -> list[int]:
    return sorted(range(len(scene.detections)), key=lambda k: (-scene.detections[k]["score"], k))
