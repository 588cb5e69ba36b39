"""Other readings of the labels of two folders of label maps, from their confusion counts alone."""

from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib.findings import Finding

Column = npt.NDArray[Any]

# Another reading has at least so many times the mean IoU of the given one, and so much more; and agrees beyond chance:
# Cohen's kappa of a model that predicts one class only is 0 in every reading.
_TIMES, _MORE, _KAPPA = 2.0, 0.1, 0.4
# The IoU of two classes that are exchanged, at least, and of each with itself, at most; and pixels of each.
_EXCHANGED, _ITSELF, _PIXELS = 0.5, 0.1, 100


def findings(labels: Column, counts: Column) -> list[Finding]:
    """Labels (C,) and pixels of the target by the prediction (C, C) -> what the predictions seem to mean."""
    if not counts.any():
        return []
    given = _mean_iou(counts)
    shifts = {by: _shifted(labels, counts, by) for by in (1, -1)}
    by, best = max(shifts.items(), key=lambda item: _mean_iou(item[1]))
    alternative = _mean_iou(best)
    if alternative >= _TIMES * given + _MORE and _kappa(best) >= _KAPPA:
        sides = ("ground truth", "predictions") if by > 0 else ("predictions", "ground truth")
        text = f"labels of the {sides[0]} seem to be 1 larger than the labels of the {sides[1]}"
        evidence = f"the mean IoU is {given:.3f} as read, and {alternative:.3f} with {by:+d} added to the predictions"
        hint = f"subtract 1 from the {sides[0]}, or give --label-shift {by} (`label_shift={by}`)"
        return [Finding(code="labels-shifted", text=text, evidence=evidence, hint=hint)]
    return _exchanged(labels, counts)


def _exchanged(labels: Column, counts: Column) -> list[Finding]:
    """Classes that the predictions call by the labels of each other."""
    iou = _ious(counts)
    best = iou.argmax(axis=1)
    # Class k of the target is called best[k], which is the best in both directions.
    moved = [
        k
        for k, other in enumerate(best.tolist())
        if other != k
        and iou[:, other].argmax() == k
        and iou[k, other] >= _EXCHANGED
        and iou[k, k] <= _ITSELF
        and counts[k].sum() >= _PIXELS
    ]
    if len(moved) < 2 or {int(best[k]) for k in moved} != set(moved):
        return []
    named = ", ".join(f"{labels[k]} is predicted as {labels[best[k]]}" for k in moved)
    evidence = f"with IoUs of {', '.join(f'{iou[k, best[k]]:.3f}' for k in moved)}"
    hint = "write the labels of the ground truth"
    text = f"classes of the predictions seem to be exchanged: {named}"
    return [Finding(code="labels-exchanged", text=text, evidence=evidence, hint=hint)]


def _shifted(labels: Column, counts: Column, by: int) -> Column:
    """The counts of all labels of either reading, with `by` added to the predicted ones."""
    every = {int(x): k for k, x in enumerate(sorted({*labels.tolist(), *(labels + by).tolist()}))}
    out = np.zeros((len(every), len(every)), dtype=counts.dtype)
    rows, columns = ([every[x] for x in side.tolist()] for side in (labels, labels + by))
    out[np.ix_(rows, columns)] = counts
    return out


def _ious(counts: Column) -> Column:
    union = counts.sum(axis=1)[:, None] + counts.sum(axis=0)[None, :] - counts
    return counts / np.maximum(union, 1)


def _mean_iou(counts: Column) -> float:
    there = counts.sum(axis=1) + counts.sum(axis=0) > 0
    return float(_ious(counts).diagonal()[there].mean()) if there.any() else 0.0


def _kappa(counts: Column) -> float:
    """Agreement of pixels beyond chance."""
    total = float(counts.sum())
    chance = float((counts.sum(axis=1) / total * (counts.sum(axis=0) / total)).sum())
    return (float(counts.trace()) / total - chance) / (1 - chance) if chance < 1 else 0.0
