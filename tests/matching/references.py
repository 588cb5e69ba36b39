"""The published rules of the assigners, written as plain loops over numbers: slow, and of no library."""

import math
from collections.abc import Callable, Sequence
from typing import Any

Box = Sequence[float]
Overlap = Callable[[Box, Box], float]


def iou(a: Box, b: Box) -> float:
    w, h = (max(0.0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    area = sum(max(0.0, x[2] - x[0]) * max(0.0, x[3] - x[1]) for x in (a, b))
    return w * h / (area - w * h) if area > w * h else 0.0


def iof(a: Box, b: Box) -> float:
    w, h = (max(0.0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    area = (a[2] - a[0]) * (a[3] - a[1])
    return w * h / area if area else 0.0


def ciou(a: Box, b: Box) -> float:
    """IoU less the distance of the centres and the difference of the aspect ratios: Zheng et al., 2020."""
    overlap = iou(a, b)
    far = sum((a[k] + a[k + 2] - b[k] - b[k + 2]) ** 2 / 4 for k in (0, 1))
    hull = sum((max(a[k + 2], b[k + 2]) - min(a[k], b[k])) ** 2 for k in (0, 1))
    angles = [math.atan2(x[2] - x[0], x[3] - x[1]) for x in (a, b)]
    v = 4 / math.pi**2 * (angles[0] - angles[1]) ** 2
    alpha = v / (1 - overlap + v) if v else 0.0
    return overlap - far / hull - alpha * v


def inside(point: Sequence[float], box: Box, margin: float = 0.0) -> bool:
    return min(*(point[k] - box[k] for k in (0, 1)), *(box[k + 2] - point[k] for k in (0, 1))) > margin


def _owner(wanting: dict[int, float]) -> int:
    """Objects and their priorities: the first of the highest."""
    return max(wanting, key=lambda m: (wanting[m], -m))


def max_iou(
    anchors: Sequence[Box],
    objects: Sequence[Box],
    *,
    positive: float,
    negative: float,
    low_quality: str | None,
    ignore: Sequence[Box] = (),
) -> tuple[list[int], list[int]]:
    owners, states = [], []
    left_out = [any(iof(a, r) > 0.5 for r in ignore) for a in anchors]
    table = [[-1.0 if left_out[k] else iou(a, o) for o in objects] for k, a in enumerate(anchors)]
    best = [max((row[m] for row in table), default=-1.0) for m in range(len(objects))]
    for k, row in enumerate(table):
        top = max(row, default=0.0)
        owner = row.index(top) if row else -1
        state = 1 if top >= positive and top > 0 else 0 if top < negative or top == 0 else -1
        mine = [m for m in range(len(objects)) if row[m] == best[m] and best[m] > 0]
        if low_quality and mine:
            state, owner = 1, owner if low_quality == "best" else mine[-1]
        state = -1 if left_out[k] else state
        states.append(state)
        owners.append(owner if state == 1 else -1)
    return owners, states


def atss(anchors: Sequence[Box], objects: Sequence[Box], *, levels: Sequence[int], topk: int) -> list[int]:
    wanting: list[dict[int, float]] = [{} for _ in anchors]
    middles = [((a[0] + a[2]) / 2, (a[1] + a[3]) / 2) for a in anchors]
    for m, o in enumerate(objects):
        middle = ((o[0] + o[2]) / 2, (o[1] + o[3]) / 2)
        candidates, start = [], 0
        for size in levels:
            level = range(start, start + size)
            candidates += sorted(level, key=lambda k: math.dist(middles[k], middle))[:topk]
            start += size
        overlaps = [iou(anchors[k], o) for k in candidates]
        mean = sum(overlaps) / len(overlaps)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in overlaps) / max(1, len(overlaps) - 1))
        for k, overlap in zip(candidates, overlaps, strict=True):
            # Rounding of the mean decides nothing: the inputs of the tests leave room.
            if overlap >= mean + deviation - 1e-9 and inside(middles[k], o):
                wanting[k][m] = overlap
    return [_owner(x) if x else -1 for x in wanting]


def simota(
    predictions: Sequence[Box],
    scores: Sequence[Sequence[float]],
    points: Sequence[Sequence[float]],
    strides: Sequence[float],
    objects: Sequence[Box],
    labels: Sequence[int],
    *,
    region: str,
    radius: float,
) -> list[int]:
    def near(k: int, o: Box) -> tuple[bool, bool]:
        far = max(abs(points[k][d] - (o[d] + o[d + 2]) / 2) for d in (0, 1))
        close, within = far < radius * strides[k], inside(points[k], o)
        return (close, close) if region == "centre" else (close or within, close and within)

    candidates = [k for k in range(len(points)) if any(near(k, o)[0] for o in objects)]
    wanting: list[dict[int, float]] = [{} for _ in points]
    for m, (o, label) in enumerate(zip(objects, labels, strict=True)):
        overlaps = {k: iou(predictions[k], o) for k in candidates}

        def cost(k: int) -> float:
            p = scores[k]
            entropy = -sum(math.log(x if c == label else 1 - x) for c, x in enumerate(p))  # noqa: B023
            return entropy - 3 * math.log(overlaps[k] + 1e-8) + (0 if near(k, o)[1] else 1e6)  # noqa: B023

        number = max(1, math.floor(sum(sorted(overlaps.values())[-10:]) + 1e-4))
        for k in sorted(candidates, key=cost)[:number]:
            wanting[k][m] = -cost(k)
    return [_owner(x) if x else -1 for x in wanting]


def task_aligned(
    predictions: Sequence[Box],
    scores: Sequence[Sequence[float]],
    points: Sequence[Sequence[float]],
    objects: Sequence[Box],
    labels: Sequence[int],
    *,
    topk: int = 10,
    alpha: float = 0.5,
    beta: float = 6.0,
    overlap: Overlap = ciou,
    every: bool = False,
) -> tuple[list[int], list[float]]:
    wanting: list[dict[int, float]] = [{} for _ in points]
    aligned: dict[tuple[int, int], float] = {}
    for m, (o, label) in enumerate(zip(objects, labels, strict=True)):
        overlaps = [max(0.0, overlap(x, o)) for x in predictions]
        metric = [s[label] ** alpha * u**beta for s, u in zip(scores, overlaps, strict=True)]
        ranked = [k for k in range(len(points)) if metric[k] > 0 and (every or inside(points[k], o))]
        for k in sorted(ranked, key=lambda k: -metric[k])[:topk]:
            if inside(points[k], o):
                wanting[k][m] = overlaps[k]
                aligned[k, m] = metric[k]
    owners = [_owner(x) if x else -1 for x in wanting]
    targets: list[Any] = [0.0] * len(points)
    for m in range(len(objects)):
        mine = [k for k, owner in enumerate(owners) if owner == m]
        for k in mine:
            best = max(aligned[i, m] for i in mine)
            targets[k] = aligned[k, m] / best * max(wanting[i][m] for i in mine)
    return owners, targets
