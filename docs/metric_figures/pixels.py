"""Figures of scores of masks, of their outlines, and of semantic and panoptic segmentation."""

import numpy as np
from matplotlib import pyplot as plt

from metric_figures.style import BLUE, GREEN, GROUND, INK, MUTED, ORANGE, PURPLE, Panel, axes, plane, write
from omniou import masks, panoptic, segmentation


def _pixels(ax, mask, colour, *, alpha=0.5, hatch=None):
    """The pixels of a mask, each a square."""
    for y, x in np.argwhere(mask):
        ax.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=colour, alpha=alpha, edgecolor=GROUND, lw=0.8))
        if hatch:
            ax.add_patch(plt.Rectangle((x, y), 1, 1, fill=False, edgecolor=MUTED, lw=0, hatch=hatch))


def _frame(ax, shape):
    ax.add_patch(plt.Rectangle((0, 0), shape[1], shape[0], fill=False, edgecolor=MUTED, lw=0.8))


def _disc(size, radius, x=0.0, y=0.0):
    rows, columns = np.mgrid[:size, :size] + 0.5 - size / 2
    return (rows - y) ** 2 + (columns - x) ** 2 <= radius**2


def mask_iou():
    truth, found = _disc(12, 4.2, -1, 0), _disc(12, 4.2, 1, 1)
    parts = {"both": truth & found, "missed": truth & ~found, "too many": found & ~truth}
    counts = {name: int(part.sum()) for name, part in parts.items()}
    score = float(masks.iou(truth, found))
    first = plane("Pixels of both masks", x=(-0.2, 12.2), y=(-0.2, 13.6))
    for part, colour in zip(parts.values(), (GREEN, BLUE, ORANGE), strict=True):
        _pixels(first, part, colour)
    _frame(first, truth.shape)
    write(first, 6.5, 6.5, f"{counts['both']} both")
    write(first, 0.3, 10.9, f"{counts['missed']} missed", BLUE, ha="left")
    write(first, 11.8, 1.0, f"{counts['too many']} too many", ORANGE, ha="right")
    write(first, 6, 13.0, f"IoU = {counts['both']} / {sum(counts.values())} = {score:.3f}")
    second = axes("A square mask, moved by 2 pixels")
    sides = np.arange(8, 161, 8)
    overlap, outline = [], []
    for side in sides.tolist():
        a, b = np.zeros((2, 200, 200), dtype=bool)
        a[20 : 20 + side, 20 : 20 + side] = b[20 : 20 + side, 22 : 22 + side] = True
        overlap.append(float(masks.iou(a, b)))
        outline.append(float(masks.boundary_iou(a, b, width=4)))
    second.plot(sides, overlap, color=BLUE, label="mask IoU")
    second.plot(sides, outline, color=ORANGE, ls="--", label="boundary IoU, width 4")
    second.set(xlabel="side of the square, pixels", ylabel="score", ylim=(0, 1.05), xlim=(0, 165))
    second.legend(loc="lower right")
    return [
        Panel(first, f"Two discs of pixels: {counts['both']} in both, {counts['missed']} missed; IoU {score:.3f}."),
        Panel(
            second,
            f"At a side of {sides[-1]} pixels IoU is {overlap[-1]:.2f} and boundary IoU {outline[-1]:.2f}: "
            "the one rises with the size, the other does not.",
        ),
    ]


def hausdorff():
    truth = _disc(16, 5)
    spur = truth.copy()
    spur[7:9, 13:16] = True
    distance, average = float(masks.hausdorff(truth, spur)), float(masks.average_surface_distance(truth, spur))
    first = plane("A spur of three pixels", x=(-0.2, 16.2), y=(-0.2, 17.8))
    _pixels(first, truth, BLUE, alpha=0.45)
    _pixels(first, spur & ~truth, ORANGE, alpha=0.7)
    _frame(first, truth.shape)
    nearest = np.flatnonzero(truth[7])[-1] + 0.5
    first.annotate("", (15.5, 8), (nearest, 8), arrowprops={"arrowstyle": "<->", "color": INK, "lw": 1.4})
    write(first, 14, 6.2, f"{distance:g}")
    write(first, 8, 17.1, f"Hausdorff = {distance:g}, average = {average:.3f}")
    second = axes("The spur grows by one pixel at a time")
    lengths = np.arange(0, 21)
    curves = {"Hausdorff": [], "HD95": [], "average": []}
    whole = _disc(64, 16)
    for length in lengths.tolist():
        longer = whole.copy()
        longer[31:33, 48 : 48 + min(length, 15)] = True
        curves["Hausdorff"].append(float(masks.hausdorff(whole, longer)))
        curves["HD95"].append(float(masks.hausdorff(whole, longer, percentile=95)))
        curves["average"].append(float(masks.average_surface_distance(whole, longer)))
    for (name, y), colour, dash in zip(curves.items(), (BLUE, ORANGE, GREEN), ("-", "--", "-."), strict=True):
        second.plot(lengths[:16], y[:16], color=colour, ls=dash, label=name)
    second.set(xlabel="length of the spur, pixels", ylabel="distance, pixels")
    second.margins(x=0)
    second.legend(loc="upper left")
    return [
        Panel(
            first, f"A disc and the same with a spur: Hausdorff distance {distance:g}, average {average:.3f} pixels."
        ),
        Panel(second, "The Hausdorff distance is the spur's length; HD95 follows later, the average hardly at all."),
    ]


def mean_iou():
    target = np.zeros((6, 8), dtype=int)
    target[3:, :] = 1
    target[2:5, 5:8] = 2
    prediction = np.zeros_like(target)
    prediction[4:, :] = 1
    prediction[2:4, 5:8] = 2
    names, palette = ("sky", "road", "car"), (BLUE, GREEN, ORANGE)
    counts = segmentation.confusion(target, prediction, 3)
    panels = []
    for title, labels in (("Ground truth", target), ("Prediction", prediction)):
        ax = plane(title, x=(-0.1, 8.1), y=(-0.1, 6.1), height=2.4)
        for label, colour in enumerate(palette):
            _pixels(ax, labels == label, colour)
        for y, x in np.argwhere(labels != target):
            write(ax, x + 0.5, y + 0.5, "\N{MULTIPLICATION SIGN}")
        for name, (x, y) in zip(names, ((2.5, 1.5), (1.5, 5.5), (6.5, 3.0)), strict=True):
            write(ax, x, y, name, weight="bold")
        wrong = int((labels != target).sum())
        panels.append(Panel(ax, f"{title}: a map of sky, road and a car, {wrong} of 48 pixels wrong."))
    ax = axes("Scores of each class")
    iou, dice = (f(counts).tolist() for f in (segmentation.iou, segmentation.dice))
    mean = float(segmentation.iou(counts, average="macro"))
    place = np.arange(3)
    for values, shift, colour, name in ((iou, -0.2, BLUE, "IoU"), (dice, 0.2, ORANGE, "Dice")):
        ax.bar(place + shift, values, 0.38, color=colour, alpha=0.75, label=name)
        for x, value in zip(place + shift, values, strict=True):
            plate = {"fc": GROUND, "ec": "none", "alpha": 0.8, "pad": 0.8}
            write(ax, x, value + 0.04, f"{value:.2f}", fontsize=8.5, bbox=plate)
    ax.axhline(mean, color=INK, lw=1.2, ls="--", label=f"mean IoU {mean:.3f}", zorder=1.5)
    ax.set(xticks=place, xticklabels=names, ylim=(0, 1.3), yticks=np.linspace(0, 1, 6))
    ax.grid(visible=False, axis="x")
    ax.legend(ncols=3, loc="upper center", columnspacing=1, handlelength=1.4)
    told = ", ".join(f"{name} {value:.2f}" for name, value in zip(names, iou, strict=True))
    panels.append(Panel(ax, f"IoU: {told}; their mean is {mean:.3f}. Dice is higher in each class."))
    return panels


def panoptic_quality():
    target = np.zeros((8, 12, 2), dtype=int)
    target[..., 0] = 7  # stuff
    for number, (rows, columns) in enumerate(((slice(1, 4), slice(1, 5)), (slice(4, 7), slice(7, 11))), 1):
        target[rows, columns] = (1, number)
    found = np.zeros_like(target)
    found[..., 0] = 7
    for number, (rows, columns) in enumerate(((slice(1, 4), slice(2, 5)), (slice(0, 3), slice(8, 11))), 1):
        found[rows, columns] = (1, number)
    counts = panoptic.count(target[None], found[None], things={1}, stuff={7})
    car = counts.per_class[1]
    panels = []
    for title, x, marks in (
        ("Ground truth", target, (("1", 3.0, 2.5), ("missed", 9.0, 5.5))),
        ("Prediction", found, ((f"IoU {car['SQ']:.2f}", 3.5, 2.5), ("false", 9.5, 1.5))),
    ):
        ax = plane(title, x=(-0.1, 12.1), y=(-0.1, 8.1), height=2.4)
        _pixels(ax, x[..., 0] == 7, MUTED, alpha=0.18)
        for number, colour in ((1, BLUE), (2, ORANGE)):
            _pixels(ax, x[..., 1] == number, colour)
        for text, left, top in marks:
            write(ax, left, top, text, weight="bold", fontsize=9)
        panels.append(Panel(ax, f"{title}: two things on a ground of stuff."))
    ax = axes("Quality of the class of things")
    names = ("SQ", "RQ", "PQ")
    values = [car[name] for name in names]
    ax.bar(names, values, 0.6, color=[GREEN, PURPLE, BLUE], alpha=0.75)
    for x, value in enumerate(values):
        write(ax, x, value + 0.05, f"{value:.3f}")
    ax.set(ylim=(0, 1.1), ylabel="score")
    ax.grid(visible=False, axis="x")
    panels.append(Panel(ax, "SQ {:.3f} times RQ {:.3f} is PQ {:.3f}.".format(*values)))
    return panels
