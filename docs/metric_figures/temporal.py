"""Figures of scores of intervals in time."""

import numpy as np

from metric_figures.style import BLUE, GREEN, INK, MUTED, ORANGE, Panel, axes, write
from omniou import detection

# What docs/metrics/temporal-ap.md works out.
OBJECTS = {"boxes": [[0, 10], [20, 30]], "labels": [0, 0]}
FOUND = {"boxes": [[0, 10], [1, 10], [20, 28]], "scores": [0.9, 0.8, 0.7], "labels": [0, 0, 0]}


def _simulated(videos=40, proposals=150):
    """Proposals, the nearer to an object the higher their score."""
    rng = np.random.default_rng(3)
    count = 3 * videos
    begin = rng.uniform(0, 80, count)
    truth = np.stack([begin, begin + rng.uniform(5, 25, count)], axis=1)
    near = rng.integers(count, size=videos * proposals)
    scores = rng.random(len(near))
    ends = truth[near] + rng.normal(size=(len(near), 2)) * (1 + 14 * (1 - scores[:, None]))
    kept = ends[:, 1] > ends[:, 0]
    of_video = np.repeat(np.arange(videos), 3)
    targets = detection.Targets(truth, np.zeros(count, dtype=int), of_video)
    found = detection.Detections(ends[kept], scores[kept], np.zeros(int(kept.sum()), dtype=int), of_video[near[kept]])
    return detection.evaluate(targets, found, kind="intervals").proposals()


def temporal_ap():
    result = detection.evaluate([OBJECTS], [FOUND], kind="intervals")
    first = axes("Objects and predictions")
    for begin, end in OBJECTS["boxes"]:
        first.barh(4, end - begin, 0.6, left=begin, color=BLUE, alpha=0.75)
    hits = np.asarray(result.matches.hits)[0]
    for row, ((begin, end), score, hit) in enumerate(zip(FOUND["boxes"], FOUND["scores"], hits, strict=True)):
        first.barh(3 - row, end - begin, 0.6, left=begin, color=GREEN if hit else ORANGE, alpha=0.75)
        write(first, (begin + end) / 2, 3 - row, f"{score:g}", INK)
    first.set(xlabel="seconds", yticks=[4, 3, 2, 1], yticklabels=["objects", "hit", "duplicate", "hit"], xlim=(-1, 32))
    first.grid(visible=False, axis="y")
    second = axes("Precision over recall at tIoU 0.5")
    recall, precision = np.cumsum(hits) / 2, np.cumsum(hits) / np.arange(1, 4)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    at, height = np.concatenate([[0], recall]), np.concatenate([best[:1], best])
    second.fill_between(at, height, step="pre", color=GREEN, alpha=0.2, lw=0)
    second.plot(at, height, color=GREEN, drawstyle="steps-pre")
    second.plot(recall, precision, "o", color=BLUE, ms=5)
    second.set(xlabel="recall", ylabel="precision", xlim=(-0.01, 1.01), ylim=(0, 1.05))
    ap = result.summary["AP50"]
    write(second, 0.45, 0.35, f"AP50 = {ap:.4f}", INK)
    found = _simulated()
    third = axes("Average recall by proposals")
    numbers, average = np.asarray(found.numbers), np.asarray(found.average_recall)
    third.fill_between(numbers, average, color=BLUE, alpha=0.2, lw=0)
    for row, style in ((0, "--"), (5, ":")):
        label = f"at tIoU {found.thresholds[row]:.2f}"
        third.plot(numbers, np.asarray(found.recall)[row], color=MUTED, ls=style, lw=1.2, label=label)
    third.plot(numbers, average, color=BLUE, label="mean (AR)")
    third.set(xlabel="mean number of proposals", ylabel="recall", xlim=(0, 100), ylim=(0, 1.02))
    third.legend(loc="lower right", handlelength=1.6)
    write(third, 35, 0.2, f"area {found.area:.3f}", INK)
    return [
        Panel(first, "Two objects and three predictions: a hit, a duplicate, and a hit."),
        Panel(second, f"Precision over recall and its falling envelope; the area below is {ap:.4f}."),
        Panel(third, f"Recall rises with the number of proposals; the area below the mean is {found.area:.3f}."),
    ]
