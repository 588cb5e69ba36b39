"""Figures of scores of trackers, of one object and of a simulated video."""

import functools

import numpy as np

from metric_figures.style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, Panel, axes, write
from omniou import tracking

FRAMES = 100


def _followed(lengths):
    """One object, followed exactly by one track after the other, each for so many frames."""
    ids = np.repeat(np.arange(len(lengths)), lengths)
    boxes = np.tile([0.0, 0, 10, 10], (ids.size, 1))
    truth = tracking.Tracks(boxes=boxes, frames=np.arange(ids.size), ids=np.zeros(ids.size, dtype=int))
    return tracking.evaluate(truth, tracking.Tracks(boxes=boxes, frames=np.arange(ids.size), ids=ids)).summary


@functools.cache
def _simulated(*, missed=0.15, false=0.1, switched=0.01, noise=0.06, objects=20, frames=200):
    """Objects that move on their own ways, and a tracker with errors of each kind."""
    rng = np.random.default_rng(3)
    frame, id = (x.ravel() for x in np.meshgrid(np.arange(frames), np.arange(objects), indexing="ij"))
    start, speed = rng.uniform(0, 900, (objects, 2)), rng.normal(0, 1.5, (objects, 2))
    corner = start[id] + speed[id] * frame[:, None]
    boxes = np.concatenate([corner, np.broadcast_to([40.0, 90.0], corner.shape)], axis=1)
    changes = (rng.random((frames, objects)) < switched).cumsum(axis=0)
    found = np.where(rng.random(id.size) >= missed)[0]
    moved = boxes + rng.normal(0, noise, boxes.shape) * [40, 90, 40, 90]
    other = np.where(rng.random(id.size) < false)[0]
    wrong = np.concatenate([rng.uniform(2000, 3000, (other.size, 2)), boxes[other, 2:]], axis=1)
    return tracking.evaluate(
        tracking.Tracks(boxes=boxes, frames=frame, ids=id),
        tracking.Tracks(
            boxes=np.concatenate([moved[found], wrong]),
            frames=np.concatenate([frame[found], frame[other]]),
            ids=np.concatenate([id[found] + objects * changes.ravel()[found], 10**6 + np.arange(other.size)]),
        ),
        format="xywh",
        keep=False,
    )


def hota():
    curves = _simulated().hota
    first = axes("HOTA over the localisation threshold")
    for name, colour in (("DetA", BLUE), ("AssA", ORANGE), ("HOTA", INK)):
        first.plot(curves["alpha"], curves[name], color=colour, label=f"{name} {np.mean(curves[name]):.2f}")
    first.plot(curves["alpha"], curves["LocA"], "--", color=MUTED, label=f"LocA {np.mean(curves['LocA']):.2f}")
    first.set(xlabel="threshold \N{GREEK SMALL LETTER ALPHA}", xlim=(0.05, 0.95), ylim=(0, 1.02))
    first.legend(loc="lower left")
    second = axes("One switch in 100 frames")
    at = [1, 2, *range(5, 100, 5), 98, 99]
    rows = [_followed([n, FRAMES - n]) for n in at]
    for name, colour in (("MOTA", GREEN), ("IDF1", PURPLE), ("HOTA", INK)):
        second.plot(at, [row[name] for row in rows], color=colour, label=name)
    second.set(xlabel="frames before the switch", xlim=(0, 100), ylim=(0, 1.02))
    second.legend(loc="lower left")
    half = _followed([50, 50])
    return [
        Panel(first, "HOTA, DetA, AssA and LocA over 19 thresholds: all but LocA fall where boxes are loose."),
        Panel(
            second,
            f"A switch in the middle: HOTA {half['HOTA']:.2f}, IDF1 {half['IDF1']:.2f}, MOTA {half['MOTA']:.2f}.",
        ),
    ]


def mota():
    shares = np.linspace(0, 0.4, 9)
    first = axes("MOTA over the rate of one error")
    kinds = (("missed", "misses", BLUE), ("false", "false positives", ORANGE), ("switched", "switches", PURPLE))
    clean = {"missed": 0.0, "false": 0.0, "switched": 0.0}
    for key, label, colour in kinds:
        rows = [_simulated(**clean | {key: float(x)}).summary for x in shares]
        first.plot(shares, [row["MOTA"] for row in rows], color=colour, label=label)
        first.plot(shares, [row["HOTA"] for row in rows], "--", color=colour, lw=1.2)
    first.set(xlabel="errors for each object and frame", xlim=(0, 0.4), ylim=(0, 1.02))
    first.legend(loc="lower left")
    second = axes("Parts of 1 \N{MINUS SIGN} MOTA")
    numbers = _simulated().summary
    parts = {"misses": "CLR_FN", "false positives": "CLR_FP", "switches": "IDSW"}
    values = [numbers[key] / numbers["GT_Dets"] for key in parts.values()]
    second.barh(list(parts)[::-1], values[::-1], 0.6, color=[PURPLE, ORANGE, BLUE], alpha=0.75)
    for k, value in enumerate(values[::-1]):
        write(second, value + 0.004, k, f"{value:.3f}", ha="left")
    second.set(xlabel="share of all objects", xlim=(0, 1.25 * max(values)))
    return [
        Panel(first, "Misses, false positives and switches lower MOTA by the same amount each; dashed: HOTA."),
        Panel(second, f"1 minus MOTA of {numbers['MOTA']:.2f} is the sum of misses, false positives and switches."),
    ]


def idf1():
    first = axes("Tracks of one object")
    lengths, names = (50, 30, 20), ("track 1", "track 2", "track 3")
    start = 0
    for k, (length, name) in enumerate(zip(lengths, names, strict=True)):
        first.barh(0, length, 0.5, left=start, color=(BLUE, ORANGE, PURPLE)[k], alpha=0.9 if k == 0 else 0.3)
        write(first, start + length / 2, 0, name)
        start += length
    score = _followed(lengths)
    write(first, 50, 0.55, f"IDF1 {score['IDF1']:.2f}: the longest track counts")
    first.set(xlabel="frame", xlim=(0, 100), ylim=(-0.6, 0.9), yticks=[])
    first.grid(visible=False)
    second = axes("One object in n tracks of equal length")
    counts = range(1, 11)
    rows = [_followed(np.diff(np.linspace(0, FRAMES, n + 1).round().astype(int))) for n in counts]
    for name, colour in (("MOTA", GREEN), ("HOTA", INK), ("IDF1", PURPLE)):
        second.plot(counts, [row[name] for row in rows], "o-", ms=3, color=colour, label=name)
    second.set(xlabel="tracks", xlim=(1, 10), ylim=(0, 1.02))
    second.legend(loc="lower left")
    return [
        Panel(first, f"Three tracks of 50, 30 and 20 frames follow one object: IDF1 is {score['IDF1']:.2f}."),
        Panel(second, "With n equal tracks IDF1 is 1 / n, HOTA the square root of 1 / n, and MOTA hardly falls."),
    ]
