"""Figures of scores of boxes, rotated rectangles and Gaussians."""

import numpy as np
from matplotlib import pyplot as plt

from metric_figures.style import BLUE, GREEN, GROUND, INK, MUTED, ORANGE, PURPLE, Panel, axes, box, plane, write
from omniou import boxes, rotated

A = (0.0, 0.0, 4.0, 4.0)
SHIFTS = np.linspace(0.0, 10.0, 201)


def _slid(b, shifts=SHIFTS):
    """Copies of a box, each moved along x."""
    return np.asarray(b, dtype=float) + shifts[:, None] * [1, 0, 1, 0]


def _curves(ax, x, named, *, legend=True, **limits):
    for (name, y), colour, dash in zip(
        named.items(),
        (BLUE, ORANGE, GREEN, PURPLE, INK, MUTED),
        ("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)), (0, (2, 2))),
        strict=False,
    ):
        ax.plot(x, y, color=colour, ls=dash, label=name)
    ax.margins(x=0)
    ax.set(**limits)
    if legend:
        ax.legend(handlelength=2.6)
    else:  # where the lines leave no room
        ax.figure.legend(ncols=min(3, len(named)), loc="outside lower center", handlelength=2.2, columnspacing=1.2)


def _two(ax, a, b, *, names=("a", "b")):
    """Two boxes with their names."""
    box(ax, a, color=BLUE)
    box(ax, b, color=ORANGE)
    write(ax, a[0] + 0.3, a[1] + 0.3, names[0], BLUE, ha="left", va="top", weight="bold")
    write(ax, b[2] - 0.3, b[3] - 0.3, names[1], ORANGE, ha="right", va="bottom", weight="bold")


def iou():
    a, b = A, (2.0, 1.0, 6.0, 5.0)
    inter, union, score = (float(f(a, b)) for f in (boxes.intersection, boxes.union, boxes.iou))
    first = plane("Intersection over union", x=(-0.3, 6.3), y=(-0.3, 6.4))
    for x in (a, b):
        box(first, x, fill=True, color=MUTED, alpha=0.16, lw=0)
    box(first, (2, 1, 4, 4), fill=True, color=GREEN, alpha=0.45, lw=0)
    _two(first, a, b)
    write(first, 3, 2.5, f"{inter:g}")
    write(first, 3, 5.9, f"IoU = {inter:g} / {union:g} = {score:.3f}")
    second = axes("A 2 x 4 box slides out of a 4 x 4 box")
    b = _slid((1.0, 0.0, 3.0, 4.0), shifts := np.linspace(0, 4, 161))
    scores = {"IoU": boxes.iou, "Dice": boxes.dice, "IoF": boxes.iof, "IoMin": boxes.iomin}
    curves = {name: score([A], b) for name, score in scores.items()}
    _curves(second, shifts, curves, xlabel="shift of the smaller box", ylabel="score", ylim=(-0.02, 1.05))
    return [
        Panel(first, f"Boxes a and b overlap in an area of {inter:g}; their union has {union:g}; IoU is {score:.3f}."),
        Panel(second, "IoU, Dice, IoF and IoMin over the shift: all fall to 0 at a shift of 3, where the boxes part."),
    ]


def giou():
    a, b = (0.0, 0.0, 3.0, 3.0), (4.0, 2.0, 7.0, 5.0)
    score, overlap = float(boxes.giou(a, b)), float(boxes.iou(a, b))
    hull = boxes.enclosing(a, b).tolist()
    area, union = float(boxes.area(hull)), float(boxes.union(a, b))
    first = plane("The empty part of the hull", x=(-0.3, 7.3), y=(-0.3, 6.4))
    box(first, hull, fill=True, facecolor=PURPLE, alpha=0.22, lw=0)
    for x in (a, b):
        box(first, x, fill=True, color=GROUND, lw=0)
    box(first, hull, color=PURPLE, ls="--", lw=1.2)
    _two(first, a, b)
    write(first, 5.1, 1.0, f"empty: {area - union:g} of {area:g}")
    write(first, 3.5, 5.9, f"GIoU = {overlap:g} \N{MINUS SIGN} {area - union:g} / {area:g} = {score:.3f}")
    second = axes("One 4 x 4 box slides off another")
    slid = _slid(A)
    curves = {"IoU": boxes.iou([A], slid), "GIoU": boxes.giou([A], slid)}
    _curves(second, SHIFTS, curves, xlabel="shift", ylabel="score", ylim=(-1.02, 1.05))
    second.axvline(4, color=MUTED, lw=0.8)
    write(second, 4.15, 0.55, "apart", ha="left")
    return [
        Panel(
            first, f"Two boxes apart in their hull of area {area:g}, {area - union:g} of it empty: GIoU {score:.3f}."
        ),
        Panel(second, "IoU stays at 0 once the boxes are apart; GIoU falls on, towards -1."),
    ]


def diou():
    a, b = (0.0, 0.0, 4.0, 4.0), (3.0, 2.0, 7.0, 5.0)
    score, overlap = float(boxes.diou(a, b)), float(boxes.iou(a, b))
    hull = boxes.enclosing(a, b).tolist()
    first = plane("Distance of the centres, and the diagonal", x=(-0.3, 7.3), y=(-0.3, 6.4))
    box(first, hull, color=MUTED, ls="--", lw=1.2)
    _two(first, a, b)
    first.plot([0, 7], [0, 5], color=MUTED, lw=1.2, ls=":")
    first.plot([2, 5], [2, 3.5], color=GREEN, marker="o", ms=5)
    write(first, 3.15, 3.35, "d", GREEN, weight="bold")
    write(first, 1.0, 1.15, "c", MUTED, weight="bold")
    distance, diagonal = 3.0**2 + 1.5**2, 7.0**2 + 5.0**2
    penalty = f"{distance:g} / {diagonal:g}"
    write(first, 3.5, 5.9, f"DIoU = {overlap:.3f} \N{MINUS SIGN} {penalty} = {score:.3f}")
    second = axes("A 2 x 2 box inside a 6 x 6 box slides")
    big, small = (0.0, 0.0, 6.0, 6.0), (2.0, 2.0, 4.0, 4.0)
    shifts = np.linspace(0, 6, 201)
    slid = _slid(small, shifts)
    curves = {x.upper().replace("OU", "oU"): getattr(boxes, x)([big], slid) for x in ("iou", "giou", "diou")}
    _curves(second, shifts, curves, xlabel="shift from the middle", ylabel="score")
    second.axvline(2, color=MUTED, lw=0.8)
    write(second, 1.9, -0.25, "inside", ha="right")
    return [
        Panel(
            first, f"Centres at a squared distance of {distance:g}; squared diagonal {diagonal:g}; DIoU {score:.3f}."
        ),
        Panel(second, "IoU and GIoU are flat while the small box is inside; DIoU falls as it leaves the middle."),
    ]


def ciou():
    a, b = (0.0, 0.0, 4.0, 4.0), (-2.0, 1.0, 6.0, 3.0)
    first = plane("Same centre, same area", x=(-2.4, 6.4), y=(-0.5, 5.6))
    box(first, (0, 1, 4, 3), fill=True, color=GREEN, alpha=0.45, lw=0)
    box(first, a, color=BLUE)
    box(first, b, color=ORANGE)
    write(first, 0.3, 0.3, "a", BLUE, ha="left", va="top", weight="bold")
    write(first, 5.7, 2.0, "b", ORANGE, ha="right", weight="bold")
    values = [float(score(a, b)) for score in (boxes.iou, boxes.diou, boxes.ciou)]
    write(first, 2, 5.1, "IoU = DIoU = {0:.3f}, CIoU = {2:.3f}".format(*values))
    ratios = np.linspace(-3, 3, 241)
    sides = 2.0 * np.stack([2 ** (ratios / 2), 2 ** (-ratios / 2)], axis=-1)
    others = np.concatenate([2 - sides, 2 + sides], axis=-1)
    second = axes("b is stretched, its area stays")
    curves = {name: getattr(boxes, name.lower())([a], others) for name in ("IoU", "DIoU", "CIoU")}
    _curves(second, ratios, curves, xlabel="width : height", ylabel="score", ylim=(0, 1.05))
    second.set_xticks(range(-3, 4), ["1:8", "1:4", "1:2", "1:1", "2:1", "4:1", "8:1"])
    return [
        Panel(first, f"A square and a 4 to 1 box on one centre: IoU and DIoU {values[0]:.3f}, CIoU {values[2]:.3f}."),
        Panel(second, "All fall as the ratio leaves 1; IoU and DIoU coincide, CIoU falls below both."),
    ]


def variants():
    first = axes("One 4 x 4 box slides off another")
    slid = _slid(A)
    scores = {
        "EIoU": boxes.eiou([A], slid),
        "SIoU": boxes.siou([A], slid),
        "MPDIoU": boxes.mpdiou([A], slid, image_size=(16, 16)),
        "Shape-IoU": boxes.shape_iou([A], slid),
        "Tracking IoU": boxes.tiou([A], slid),
        "Wise-IoU": boxes.wiou([A], slid),
    }
    _curves(first, SHIFTS, scores, legend=False, xlabel="shift", ylabel="score", ylim=(-0.75, 1.05))
    second = axes("IoU with inner= and power=")
    shifts = SHIFTS[SHIFTS <= 5]
    slid = _slid(A, shifts)
    curves = {
        "IoU": boxes.iou([A], slid),
        "inner=0.7": boxes.iou([A], slid, inner=0.7),
        "inner=1.3": boxes.iou([A], slid, inner=1.3),
        "power=3": boxes.iou([A], slid, power=3.0),
    }
    _curves(second, shifts, curves, xlabel="shift", ylabel="score", ylim=(-0.02, 1.05))
    return [
        Panel(
            first, "Six scores over the shift: all start at 1 and, unlike IoU, go on falling once the boxes part at 4."
        ),
        Panel(
            second, "Inner-IoU at ratio 0.7 falls faster and ends sooner, at 1.3 slower and later; a power of 3 bends."
        ),
    ]


def _outline(ax, x, colour):
    corners = rotated.corners(np.asarray(x, dtype=float))
    ax.add_patch(plt.Polygon(corners, fill=False, ec=colour, lw=1.8))


def _meet(a, b, step=0.01):
    """Points of a grid inside both rectangles, for shading."""
    x, y = np.meshgrid(np.arange(-3, 3, step), np.arange(-3, 3, step))
    both = np.ones(x.shape, dtype=bool)
    for cx, cy, w, h, r in (a, b):
        u = (x - cx) * np.cos(r) + (y - cy) * np.sin(r)
        v = (y - cy) * np.cos(r) - (x - cx) * np.sin(r)
        both &= (abs(u) <= w / 2) & (abs(v) <= h / 2)
    return x, y, both


def rotated_iou():
    a, b = (0.0, 0.0, 4.0, 2.0, 0.0), (0.5, 0.2, 4.0, 2.0, np.pi / 6)
    score = float(rotated.iou(a, b))
    first = plane("Two rectangles, 30\N{DEGREE SIGN} apart", x=(-2.6, 3.0), y=(-2.0, 2.7))
    x, y, both = _meet(a, b)
    first.contourf(x, y, both, levels=[0.5, 1.5], colors=[GREEN], alpha=0.45)
    _outline(first, a, BLUE)
    _outline(first, b, ORANGE)
    write(first, -1.8, -0.8, "a", BLUE, weight="bold")
    write(first, 1.9, 1.55, "b", ORANGE, weight="bold")
    write(first, 0.2, 2.5, f"IoU = {score:.3f}")
    second = axes("A copy turns about its centre")
    turns = np.linspace(0, 90, 181)
    curves = {}
    for ratio in (1, 2, 4, 8):
        of = np.asarray([0.0, 0.0, ratio, 1.0, 0.0])
        turned = np.tile(of, (len(turns), 1))
        turned[:, 4] = np.deg2rad(turns)
        curves[f"{ratio} : 1"] = rotated.iou(of[None], turned)
    _curves(second, turns, curves, legend=False, xlabel="angle between both, degrees", ylabel="IoU", ylim=(0, 1.05))
    second.set_xticks([0, 15, 30, 45, 60, 75, 90])
    at15 = [float(y[30]) for y in curves.values()]
    return [
        Panel(first, f"Two 4 x 2 rectangles, one turned by 30 degrees and moved: IoU {score:.3f}."),
        Panel(second, f"At 15 degrees IoU is {at15[0]:.2f} for a square and {at15[3]:.2f} for an 8 to 1 rectangle."),
    ]


def gaussians():
    a, b = (0.0, 0.0, 4.0, 2.0, 0.0), (2.2, 0.9, 3.0, 2.0, 0.6)
    first = plane("Rectangles and their Gaussians", x=(-2.5, 4.2), y=(-2.0, 3.4))
    turn = np.linspace(0, 2 * np.pi, 100)
    for x, colour in ((a, BLUE), (b, ORANGE)):
        _outline(first, x, colour)
        cos, sin = np.cos(x[4]), np.sin(x[4])
        for covariance, dash in ((1.0, "-"), (1 / np.sqrt(3), ":")):
            u, v = covariance * x[2] / 2 * np.cos(turn), covariance * x[3] / 2 * np.sin(turn)
            first.plot(x[0] + u * cos - v * sin, x[1] + u * sin + v * cos, color=colour, ls=dash, lw=1.1)
        first.plot(x[0], x[1], "o", color=colour, ms=4)
    write(
        first,
        0.85,
        3.0,
        "ProbIoU = {:.3f}, GWD = {:.3f}".format(*(float(f(a, b)) for f in (rotated.probiou, rotated.gwd))),
    )
    second = axes("Overlaps: one 4 x 4 box slides")
    slid = _slid(A)
    curves = {
        "IoU": boxes.iou([A], slid),
        "ProbIoU": boxes.probiou([A], slid),
        "NWD": boxes.nwd([A], slid),
        "KFIoU": boxes.kfiou([A], slid),
    }
    _curves(second, SHIFTS, curves, xlabel="shift", ylabel="score", ylim=(-0.02, 1.05))
    third = axes("Distances: the same boxes")
    curves = {
        "GWD": boxes.gwd([A], slid),
        "KLD": boxes.kld([A], slid),
        "Bhattacharyya": boxes.bhattacharyya([A], slid),
        "Hellinger": boxes.hellinger([A], slid),
    }
    _curves(third, SHIFTS, curves, xlabel="shift", ylabel="distance", ylim=(-0.2, 10))
    return [
        Panel(
            first, "Two rectangles with ellipses of one deviation: those that touch the sides, and smaller dotted ones."
        ),
        Panel(second, "IoU ends at a shift of 4, ProbIoU and NWD go on; KFIoU stays at a third, whatever the shift."),
        Panel(third, "GWD grows in proportion to the shift, KLD and Bhattacharyya with its square; Hellinger nears 1."),
    ]
