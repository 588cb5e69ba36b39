"""Figure of the nuScenes detection score."""

import dataclasses

import numpy as np
from matplotlib import pyplot as plt

from metric_figures.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, Panel, axes, write
from omniou import centres

CARS = dataclasses.replace(centres.NUSCENES, classes=(centres.CentreClass(name="car"),))


def _simulated(samples=200, objects=5):
    """A detector of cars: high scores mean near centres."""
    rng = np.random.default_rng(3)
    n = samples * objects
    truth = np.concatenate([rng.uniform(-40, 40, (n, 2)), np.ones((n, 1)), rng.uniform(1.5, 4.5, (n, 3))], axis=1)
    truth = np.concatenate([truth, rng.uniform(-3, 3, (n, 1))], axis=1)
    sample, speed = np.repeat(np.arange(samples), objects), rng.normal(0, 3, (n, 2))
    score, kept = rng.beta(3, 2, n), rng.random(n) < 0.9
    found = truth + rng.normal(size=(n, 7)) * [0.9, 0.9, 0, 0.2, 0.2, 0.2, 0.3] * (1.6 - score[:, None])
    found[:, 3:6] = np.abs(found[:, 3:6]) + 0.2
    false = np.concatenate([rng.uniform(-40, 40, (n, 2)), np.full((n, 5), 1.0)], axis=1)
    kinds = rng.integers(5, 8, n)
    right = np.where(rng.random(n) < 0.8, kinds, 5)
    return centres.evaluate(
        centres.CentreTargets(truth, np.zeros(n, int), sample, velocities=speed, attributes=kinds),
        centres.CentreDetections(
            boxes=np.concatenate([found[kept], false]),
            scores=np.concatenate([score[kept], rng.beta(1.5, 4, n)]),
            labels=np.zeros(int(kept.sum()) + n, int),
            samples=np.concatenate([sample[kept], rng.integers(0, samples, n)]),
            velocities=np.concatenate([(speed + rng.normal(0, 0.4, (n, 2)))[kept], np.zeros((n, 2))]),
            attributes=np.concatenate([right[kept], kinds]),
        ),
        rules=CARS,
    )


def nds():
    result = _simulated()
    return [_matching(), _curve(result), _terms(result)]


def _matching():
    ax = axes("Matching at 2 m, seen from above")
    ax.set(xlim=(-1, 15), ylim=(-4, 7), aspect="equal", xlabel="x, m", ylabel="y, m")
    ax.grid(visible=False)
    for x, y in ((3, 0), (9.2, 1), (12, 2.4)):
        ax.add_patch(plt.Circle((x, y), 2, fill=False, color=BLUE, lw=1, ls=":"))
        ax.add_patch(plt.Rectangle((x - 2, y - 0.9), 4, 1.8, fill=False, color=BLUE, lw=1.6))
    found = ((3.6, 1.3, "true positive", 3, 2.6), (5.6, -1.8, "too far", 5.6, -2.9))
    for x, y, text, at, above in (*found, (10.4, 2.2, "takes the nearer", 8.6, 4.2)):
        ax.plot([x], [y], "x", color=ORANGE, ms=7, mew=2)
        write(ax, at, above, text, ORANGE, fontsize=8)
    return Panel(ax, "Three boxes with circles of 2 m, and three detections: one in a circle, one in none, one in two.")


def _curve(result):
    ax, at = axes("The part of the curve that counts, 2 m"), result.recall
    precision = result.precision[0, 2]
    ax.plot(at, precision, color=BLUE, label="precision")
    ax.fill_between(at[11:], 0.1, np.maximum(precision[11:], 0.1), color=GREEN, alpha=0.25, lw=0)
    ax.axhline(0.1, color=MUTED, lw=1, ls="--")
    ax.axvline(0.1, color=MUTED, lw=1, ls="--")
    ap = float(result.ap[0, 2])
    write(ax, 0.5, 0.45, f"AP {ap:.3f}", INK)
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.05))
    return Panel(ax, f"Precision over recall with the area above 0.1 of both; AP is {ap:.3f}.")


def _terms(result):
    ax, summary = axes("What each term adds to NDS"), result.summary
    parts = {"mAP": 0.5 * summary["mAP"]}
    parts |= {name: 0.1 * max(0.0, 1 - summary[f"m{name}"]) for name in ("ATE", "ASE", "AOE", "AVE", "AAE")}
    most = {"mAP": 0.5} | dict.fromkeys(list(parts)[1:], 0.1)
    names = list(parts)[::-1]
    ax.barh(names, [most[x] for x in names], 0.65, fill=False, edgecolor=MUTED, lw=0.8)
    ax.barh(names, [parts[x] for x in names], 0.65, color=[PURPLE] * 5 + [BLUE], alpha=0.75)
    for k, name in enumerate(names):
        write(ax, most[name] + 0.01, k, f"{parts[name]:.3f}", ha="left")
    ax.set(xlabel=f"sum: NDS {summary['NDS']:.3f}", xlim=(0, 0.6))
    ax.grid(visible=False, axis="y")
    told = ", ".join(f"{name} {x:.3f}" for name, x in parts.items())
    return Panel(ax, f"Terms of NDS: {told}; their sum is {summary['NDS']:.3f}.")
