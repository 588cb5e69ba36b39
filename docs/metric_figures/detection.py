"""Figures of scores of detectors: of a few boxes, of a simulated detector, and of the example of COCO's API."""

import functools
from pathlib import Path

import numpy as np

from metric_figures.style import BLUE, GREEN, GROUND, INK, MUTED, ORANGE, PURPLE, Panel, axes, box, plane, write
from omniou import data, detection
from omniou.detection.analysis._breakdown import KINDS

EXAMPLE = Path(__file__).parents[1] / "examples" / "coco-val2014-100"


@functools.cache
def _example():
    truth = data.read_ground_truth(EXAMPLE / "ground_truth.json")
    return detection.evaluate(truth, data.read_detections(EXAMPLE / "detections.json", truth))


@functools.cache
def _simulated(images=300, objects=4):
    """An overconfident detector of one class: high scores mean tight boxes, but promise too much."""
    rng = np.random.default_rng(7)
    n = images * objects
    image = np.repeat(np.arange(images), objects)
    corner = np.stack([np.tile(np.arange(objects) * 100.0, images), np.zeros(n)], axis=-1)
    truth = np.concatenate([corner, corner + rng.uniform(30, 60, (n, 2))], axis=-1)
    kept = rng.random(n) < 0.85
    score = rng.beta(3, 1.6, n)
    loose = rng.normal(size=(n, 4)) * (0.8 + 4 * (1 - score[:, None]))
    false = int(0.8 * n)
    other = np.stack([rng.uniform(0, 400, false), np.full(false, 200.0)], axis=-1)
    wrong = np.concatenate([other, other + 40], axis=-1)
    return detection.evaluate(
        detection.Targets(boxes=truth, labels=np.ones(n, dtype=int), images=image),
        detection.Detections(
            boxes=np.concatenate([(truth + loose)[kept], wrong]),
            scores=np.concatenate([score[kept], rng.beta(1.7, 3, false)]) ** 0.6,
            labels=np.ones(int(kept.sum()) + false, dtype=int),
            images=np.concatenate([image[kept], rng.integers(0, images, false)]),
        ),
    )


# What docs/metrics/average-precision.md works out: five detections of three objects.
OBJECTS = {"boxes": [[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]], "labels": [1, 1, 1]}
FOUND = {
    "boxes": [[0, 0, 10, 10], [60, 0, 70, 10], [20, 0, 30, 10], [60, 20, 70, 30], [80, 0, 90, 10]],
    "scores": [0.9, 0.8, 0.7, 0.6, 0.5],
    "labels": [1] * 5,
}


def average_precision():
    result = detection.evaluate([OBJECTS], [FOUND])
    first = axes("Five detections of three objects")
    _precision(first, result, 0, raw=True)
    ap = float(result.summary["AP50"])
    first.legend(loc="lower left", handlelength=1.6)
    real = _simulated()
    table = np.asarray(real.precision)[:, :, 0, 0, -1]
    second = axes("A simulated detector")
    values = []
    for k, colour, dash in ((0, BLUE, "-"), (5, ORANGE, "--"), (8, GREEN, "-.")):
        values.append(float(table[k].mean()))
        label = f"IoU {real.protocol.iou_thresholds[k]:.2f}: AP {values[-1]:.2f}"
        second.plot(np.linspace(0, 1, 101), table[k], color=colour, ls=dash, label=label)
    second.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.05))
    second.legend(loc="lower left", handlelength=2.4)
    third = axes("AP is the mean over ten of them")
    thresholds, bars = np.asarray(real.protocol.iou_thresholds), table.mean(axis=1)
    third.bar(thresholds, bars, 0.036, color=BLUE, alpha=0.75)
    whole = float(real.summary["AP"])
    third.axhline(whole, color=INK, lw=1.2, ls="--")
    write(third, 0.975, whole + 0.03, f"AP {whole:.3f}", ha="right")
    third.set(xlabel="IoU threshold", ylabel="AP", xticks=thresholds[::2], ylim=(0, 1))
    third.grid(visible=False, axis="x")
    return [
        Panel(
            first, f"Precision over recall: points, their falling envelope and 101 samples; AP at IoU 0.5 is {ap:.4f}."
        ),
        Panel(second, "Three curves; AP is {:.2f} at IoU 0.5, {:.2f} at 0.75 and {:.2f} at 0.9.".format(*values)),
        Panel(third, f"AP falls from {bars[0]:.2f} at IoU 0.5 to {bars[-1]:.2f} at 0.95; the mean is {whole:.3f}."),
    ]


def _precision(ax, result, place, *, raw):
    """Raw points, the envelope and the 101 samples of one class at the first threshold."""
    matches = result.matches
    order = np.argsort(-np.asarray(matches.scores), kind="stable")
    hit = (np.asarray(matches.objects)[0] >= 0)[order]
    true = np.cumsum(hit)
    precision, recall = true / np.arange(1, len(hit) + 1), true / len(matches.target_labels)
    samples = np.asarray(result.precision)[0, :, place, 0, -1]
    at = np.linspace(0, 1, 101)
    ax.fill_between(at, samples, step="pre", color=GREEN, alpha=0.2, lw=0)
    ax.plot(at, samples, ".", color=GREEN, ms=4, label="101 samples")
    if raw:
        ax.plot(recall, precision, "o-", color=BLUE, lw=1.2, ms=5, label="measured")
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.01, 1.01), ylim=(0, 1.05))
    write(ax, 0.33, 0.45, f"AP50 = {float(result.summary['AP50']):.4f}", INK)


# Objects and detections of which each makes one kind of error: docs/metrics/tide.md has the same.
TIDE_OBJECTS = {"boxes": [[0, 0, 10, 10], [25, 0, 35, 10], [50, 0, 60, 10], [75, 0, 85, 10]], "labels": [1, 1, 2, 1]}
TIDE_FOUND = {
    "boxes": [
        *([0, 0, 10, 10], [0, 0, 10, 8], [25, 0, 35, 4], [50, 0, 60, 9], [50, 0, 60, 3]),
        [100, 0, 110, 10],
    ],
    "scores": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
    "labels": [1, 1, 1, 1, 1, 1],
}


def tide():
    result = detection.evaluate([TIDE_OBJECTS], [TIDE_FOUND])
    errors = result.errors()
    names = [*KINDS, "hit"]
    first = plane("Kinds of errors", x=(-7, 117), y=(-6, 22))
    first.set_aspect("auto")
    for k, (corners, label) in enumerate(zip(TIDE_OBJECTS["boxes"], TIDE_OBJECTS["labels"], strict=True)):
        box(first, corners, color=BLUE, lw=2.2)
        x = (corners[0] + corners[2]) / 2
        write(first, x, -2, "cat" if label == 1 else "dog", BLUE, fontsize=9)
        if bool(np.asarray(errors.missed)[k]):
            write(first, x, 11.5, "missed", BLUE, va="top", fontsize=8)
    below = {}
    for corners, kind in zip(TIDE_FOUND["boxes"], np.asarray(errors.kinds).tolist(), strict=True):
        box(first, corners, color=ORANGE, lw=1.4, ls="--")
        below.setdefault(corners[0], []).append(names[kind])
    for k, (left, kinds) in enumerate(below.items()):
        write(first, left + 5, 11.5 + 3.5 * (k == 1), "\n".join(kinds), ORANGE, va="top", fontsize=8, linespacing=1.35)
    real = _example().errors()
    second = axes("Cost of each kind, 100 images")
    kinds = [*KINDS, "missed"]
    costs = [100 * real.cost[kind] for kind in kinds]
    second.barh(kinds[::-1], costs[::-1], 0.65, color=[ORANGE] + [BLUE] * 5, alpha=0.75)
    for k, cost in enumerate(costs[::-1]):
        write(second, cost + max(costs) * 0.02, k, f"{cost:.1f}", ha="left")
    second.set(xlabel="gain in AP50 if mended, points", xlim=(0, max(costs) * 1.18))
    second.grid(visible=False, axis="y")
    told = ", ".join(f"{kind} {cost:.1f}" for kind, cost in zip(kinds, costs, strict=True))
    return [
        Panel(
            first,
            "Detections of each kind: hit, duplicate, localisation, classification, both, background; a missed object.",
        ),
        Panel(second, f"Gain in AP50 points: {told}."),
    ]


def lrp():
    real = _simulated()
    matches, table = real.matches, real.lrp()
    scores, hit = np.asarray(matches.scores), np.asarray(matches.objects)[0] >= 0
    loose = np.where(hit, 1 - np.asarray(matches.overlaps)[0], 0.0)
    objects = len(matches.target_labels)
    order = np.argsort(-scores, kind="stable")
    shown, hits = np.arange(1, len(order) + 1), np.cumsum(hit[order])
    total = shown + objects - hits
    parts = (np.cumsum(loose[order]) / 0.5, shown - hits, objects - hits)
    first = axes("LRP over the score threshold")
    best, at = float(np.asarray(table.optimal)[0, 0]), float(np.asarray(table.score)[0, 0])
    some = np.unique([*range(0, len(order), 12), len(order) - 1, int(np.flatnonzero(scores[order] == at)[-1])])
    x, layers = scores[order][some], [(part / total)[some] for part in parts]
    names = ("localisation", "false positives", "misses")
    first.stackplot(x, layers, labels=names, colors=[BLUE, ORANGE, PURPLE], alpha=0.6, lw=0)
    first.plot([at], [best], "o", color=INK, ms=6)
    first.annotate(
        f"oLRP {best:.3f}",
        (at, best),
        (0.35, 0.22),
        arrowprops={"arrowstyle": "-", "color": INK},
        bbox={"fc": GROUND, "ec": "none", "alpha": 0.8, "pad": 2},
    )
    first.set(xlabel="score threshold", ylabel="LRP", xlim=(float(x.min()), float(x.max())), ylim=(0, 1.02))
    first.legend(
        loc="lower right",
        handlelength=1.2,
        fontsize=8,
        framealpha=0.8,
        frameon=True,
        facecolor=GROUND,
        edgecolor="none",
    )
    second = axes("oLRP and its parts")
    summary = table.summary
    keys = {
        "oLRP": "oLRP",
        "oLRP_localisation": "1 \N{MINUS SIGN} IoU of hits",
        "oLRP_false_positives": "1 \N{MINUS SIGN} precision",
        "oLRP_false_negatives": "1 \N{MINUS SIGN} recall",
    }
    values = [summary[key] for key in keys]
    second.barh(list(keys.values())[::-1], values[::-1], 0.6, color=[PURPLE, ORANGE, BLUE, MUTED], alpha=0.75)
    for k, value in enumerate(values[::-1]):
        write(second, value + 0.015, k, f"{value:.3f}", ha="left")
    second.set(xlim=(0, 1), xlabel="error")
    second.grid(visible=False, axis="y")
    return [
        Panel(first, f"Three stacked errors; their sum is least, {best:.3f}, at a score of {at:.2f}."),
        Panel(second, "oLRP {:.3f}; of it localisation {:.3f}, false positives {:.3f}, misses {:.3f}.".format(*values)),
    ]


def calibration():
    found = _simulated().calibration(bins=10)
    edges, counts = np.asarray(found.edges), np.asarray(found.counts)
    confidence, precision = np.asarray(found.confidence), np.asarray(found.precision)
    some = counts > 0
    first = axes("Precision of each bin of scores")
    first.bar(edges[:-1][some] + 0.05, precision[some], 0.094, color=BLUE, alpha=0.7, label="precision")
    first.plot([0, 1], [0, 1], color=MUTED, lw=1.2, ls="--", label="calibrated")
    first.vlines(confidence[some], precision[some], confidence[some], color=ORANGE, lw=2, label="gap")
    first.plot(confidence[some], precision[some], "o", color=ORANGE, ms=4)
    first.set(xlabel="mean score of the bin", ylabel="share of true positives", xlim=(0, 1), ylim=(0, 1.05))
    first.legend(loc="upper left", handlelength=1.6)
    write(
        first,
        0.97,
        0.06,
        f"error {found.error:.3f}",
        ha="right",
        bbox={"fc": GROUND, "ec": "none", "alpha": 0.8, "pad": 2},
    )
    second = axes("Detections in each bin")
    second.bar(edges[:-1] + 0.05, counts, 0.094, color=GREEN, alpha=0.7)
    second.set(xlabel="score", ylabel="detections", xlim=(0, 1))
    second.grid(visible=False, axis="x")
    worst = int(np.nanargmax(np.abs(confidence - precision)))
    return [
        Panel(
            first,
            f"Expected calibration error {found.error:.3f}; "
            f"the largest gap: score {confidence[worst]:.2f}, precision {precision[worst]:.2f}.",
        ),
        Panel(
            second,
            f"Counts of {int(counts.sum())} detections in ten bins of scores; {int(counts.max())} in the fullest.",
        ),
    ]


def froc():
    result = _simulated()
    found, missed = result.froc(), result.miss_rate()
    panels = []
    for title, x, read, told in (
        ("FROC", found, found.recall, f"Recall at 1/8 to 8 false positives for each image: mean {found.mean:.3f}."),
        ("Miss rate", missed, missed.miss_rate, f"At nine points, the log-average is {missed.log_average:.3f}."),
    ):
        ax = axes(title)
        ax.plot(*np.asarray(x.curve).T, color=BLUE)
        ax.plot(x.rates, read, "o", color=ORANGE, ms=5)
        ticks = [rate for rate in x.rates if title == "FROC" or rate in {0.01, 0.1, 1}]
        ax.set_xscale("log")
        ax.set_xticks(ticks, [f"{rate:g}" for rate in ticks])
        ax.minorticks_off()
        ax.set(
            xlabel="false positives for each image", ylabel="recall" if title == "FROC" else title.lower(), ylim=(0, 1)
        )
        panels.append(Panel(ax, told))
    return panels
