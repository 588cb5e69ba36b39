"""Figures of scores of keypoints."""

import numpy as np

from metric_figures.style import BLUE, GREEN, INK, MUTED, ORANGE, Panel, axes, plane, write
from omniou import keypoints

# A figure of 40 x 100 whose mask has an area of 2,000.
POSE = {
    "nose": (50, 12),
    "left_shoulder": (60, 30),
    "left_wrist": (90, 50),
    "left_hip": (52, 58),
    "left_ankle": (56, 88),
}
AREA = 2000.0


def oks():
    sigmas = {name: keypoints.COCO.sigmas[keypoints.COCO.points.index(name)] for name in POSE}
    truth = np.array([*POSE.values()], dtype=float)
    found = truth - np.array([4.0, 0.0])
    value = float(keypoints.oks(found, truth, area=AREA, sigmas=[*sigmas.values()]))
    first = plane("The same error of 4 at each point", x=(30, 110), y=(5, 107))
    for (name, (x, y)), point in zip(POSE.items(), found, strict=True):
        radius = 2 * sigmas[name] * AREA**0.5  # where the similarity is exp(-1/2)
        turn = np.linspace(0, 2 * np.pi, 61)
        first.plot(x + radius * np.cos(turn), y + radius * np.sin(turn), color=GREEN, lw=1.2)
        first.plot(x, y, marker="o", ms=3, color=BLUE)
        first.plot(*point, marker="x", ms=5, color=ORANGE)
        one = float(keypoints.oks(point[None], [(x, y)], area=AREA, sigmas=[sigmas[name]]))
        write(first, x + radius + 3, y, f"{one:.2f}", INK, ha="left")
    write(first, 60, 104, f"OKS = {value:.2f}")
    second = axes("A point moves away from its place")
    apart = np.linspace(0, 30, 151)
    for (name, label), colour, dash in zip(
        (("nose", "nose"), ("left_wrist", "wrist"), ("left_hip", "hip")),
        (BLUE, ORANGE, GREEN),
        ("-", "--", "-."),
        strict=True,
    ):
        points = np.stack([apart, np.zeros_like(apart)], axis=-1)[:, None, :]
        second.plot(
            apart,
            keypoints.oks(points, np.zeros((1, 2)), area=AREA, sigmas=[sigmas[name]]),
            color=colour,
            ls=dash,
            label=label,
        )
    second.axhline(0.5, color=MUTED, lw=0.8)
    second.margins(x=0)
    second.set(xlabel="distance, for an area of 2,000", ylabel="similarity of the point", ylim=(-0.02, 1.05))
    second.legend(handlelength=2.6)
    words = f"Five points, each off by 4, with circles: small at the nose, large at the hip. OKS is {value:.2f}."
    return [
        Panel(first, words),
        Panel(
            second,
            "Similarity over the distance for nose, wrist and hip: the nose falls to one half at 3, the hip at 11.",
        ),
    ]
