"""Figures of single-object tracking and of video object segmentation."""

import numpy as np

from metric_figures.pixels import _disc, _frame, _pixels
from metric_figures.style import BLUE, GREEN, MUTED, ORANGE, Panel, axes, plane, write
from omniou import masks
from omniou.tracking import single


def success():
    frames = np.arange(200)
    truth = np.stack([2.0 * frames, np.zeros(200), np.full(200, 60.0), np.full(200, 40.0)], axis=1)
    behind, lost = truth.copy(), truth.copy()
    behind[1:, 0] -= 20
    lost[1:, 0] -= 4
    lost[115:, 0] -= 500
    results = {
        name: single.evaluate({"a": truth}, {"a": found}) for name, found in (("behind", behind), ("lost", lost))
    }
    first, second = axes("Success"), axes("Precision")
    for (name, result), colour, dash in zip(results.items(), (BLUE, ORANGE), ("-", "--"), strict=True):
        curves, summary = result.curves, result.summary
        first.plot(
            curves.overlap_thresholds,
            curves.success,
            color=colour,
            ls=dash,
            label=f"{name}: AUC {summary['AUC']:.2f}, AO {summary['AO']:.2f}",
        )
        second.plot(
            curves.error_thresholds,
            curves.precision,
            color=colour,
            ls=dash,
            label=f"{name}: {summary['precision']:.2f} at 20",
        )
    second.axvline(20, color=MUTED, lw=1, ls=":")
    first.set(xlabel="IoU threshold", ylabel="share of frames above it", xlim=(0, 1), ylim=(0, 1.32))
    second.set(xlabel="error threshold, pixels", ylabel="share of frames within it", xlim=(0, 50), ylim=(0, 1.32))
    for ax in (first, second):
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.legend(loc="upper right")
    words = ", ".join(f"{name} {x.summary['AUC']:.2f}" for name, x in results.items())
    return [
        Panel(first, f"Success curves of two trackers, AUC: {words}. One falls steeply at an IoU, the other is flat."),
        Panel(
            second,
            "Precision curves: the tracker behind is precise from 20 pixels on, the other one in part of the frames.",
        ),
    ]


def j_and_f():
    truth, found = _disc(20, 6.2, -1, 0), _disc(20, 5.2, 1, 1)
    j = float(masks.iou(truth, found))
    f = float(masks.boundary_f(truth, found, tolerance=1))
    first = plane("Masks of one frame", x=(-0.2, 20.2), y=(-0.2, 22.2))
    for part, colour in ((truth & found, GREEN), (truth & ~found, BLUE), (found & ~truth, ORANGE)):
        _pixels(first, part, colour)
    _frame(first, truth.shape)
    write(first, 10, 21.5, f"J = {j:.3f}, F = {f:.3f} (tolerance 1)")
    second = axes("A disc that shrinks, 400 x 400 pixels")
    steps = np.arange(0, 21)
    whole = _disc(400, 100)
    shrunk = [_disc(400, 100 - step) for step in steps.tolist()]
    second.plot(steps, [float(masks.iou(whole, x)) for x in shrunk], color=BLUE, label="J")
    second.plot(steps, [float(masks.boundary_f(whole, x)) for x in shrunk], color=ORANGE, ls="--", label="F")
    second.axvline(5, color=MUTED, lw=1, ls=":")
    write(second, 4.7, 0.08, "tolerance", MUTED, ha="right")
    second.set(xlabel="radius lost, pixels", ylabel="score", ylim=(0, 1.05), xlim=(0, 20))
    second.legend(loc="center right")
    return [
        Panel(first, f"A disc and its prediction, pixel by pixel: J is {j:.3f}, F {f:.3f}."),
        Panel(second, "J falls slowly with the radius; F stays 1 up to the tolerance, and then falls to 0 at once."),
    ]
