"""Slow references of single-object tracking: a loop over frames and thresholds, by the rules of the toolkits."""

import math


def overlap(a, b):
    wide = max(0.0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    high = max(0.0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    union = a[2] * a[3] + b[2] * b[3] - wide * high
    return min(wide * high / union, 1.0) if union else 0.0


def error(a, b, *, normalised=False):
    """Of centres at (size - 1) / 2."""
    dx, dy = ((b[k] + (b[k + 2] - 1) / 2) - (a[k] + (a[k + 2] - 1) / 2) for k in (0, 1))
    return math.hypot(dx / a[2], dy / a[3]) if normalised else math.hypot(dx, dy)


def mean(values):
    return sum(values) / len(values)


def otb(truth, found):
    """AUC, precision and normalised precision of one sequence, whose first frame is given."""
    found = [truth[0], *found[1:]]
    return curves(
        [overlap(a, b) for a, b in zip(truth, found, strict=True)],
        [error(a, b) for a, b in zip(truth, found, strict=True)],
        [error(a, b, normalised=True) for a, b in zip(truth, found, strict=True)],
        len(truth),
    )


def lasot(truth, found, absent):
    """Frames without the object are removed, and still counted; empty boxes take the last one."""
    found = list(found)
    for k in range(1, len(found)):
        if found[k][2] <= 0 or found[k][3] <= 0:
            found[k] = found[k - 1]
    found[0] = truth[0]
    kept = [(a, b) for a, b, gone in zip(truth, found, absent, strict=True) if not gone]
    return curves(
        [overlap(a, b) for a, b in kept],
        [error(a, b) for a, b in kept],
        [error(a, b, normalised=True) for a, b in kept],
        len(truth),
    )


def curves(overlaps, errors, normalised, frames):
    success = [sum(x > k / 20 for x in overlaps) / frames for k in range(21)]
    precision = [sum(x <= k for x in errors) / frames for k in range(51)]
    scaled = [sum(x <= k / 100 for x in normalised) / frames for k in range(51)]
    return {
        "AUC": mean(success),
        "precision": precision[20],
        "normalised_precision": scaled[20],
        "normalised_precision_auc": mean(scaled),
    }


def clipped(box, width, height):
    """As GOT-10k's toolkit: the side is cut at the far edge only."""
    x, y = min(max(box[0], 0), width), min(max(box[1], 0), height)
    return x, y, min(max(box[2], 0), width - x), min(max(box[3], 0), height - y)


def got10k(sequences):
    """AO and success rates; `sequences`: lists of ground truth, predictions, cover and image size."""
    overlaps = [
        overlap(clipped(a, *size), clipped(b, *size))
        for truth, found, cover, size in sequences
        for a, b, shown in zip(truth[1:], found[1:], cover[1:], strict=True)
        if shown > 0
    ]
    success = [mean([x > k / 100 for x in overlaps]) for k in range(101)]
    rates = {f"SR{k}": mean([x > k / 100 for x in overlaps]) for k in (50, 75)}
    return {"AO": mean(overlaps), "AUC": mean(success), **rates}
