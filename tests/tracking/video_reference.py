"""Slow reference of J and F: loops over pixels, by DAVIS's definitions."""

import itertools
import math


def region(truth, found):
    """J of two masks, nested lists of 0 and 1."""
    pixels = list(zip(itertools.chain(*truth), itertools.chain(*found), strict=True))
    union = sum(a or b for a, b in pixels)
    return sum(a and b for a, b in pixels) / union if union else 1.0


def outline(mask):
    """Pixels whose right, lower or lower right neighbour differs; the border of the image is none."""
    height, width = len(mask), len(mask[0])
    neighbours = ((0, 1), (1, 0), (1, 1))
    return {
        (y, x)
        for y in range(height)
        for x in range(width)
        # The neighbour below to the right lies outside in the last row and the last column, as one of the others.
        if any(mask[min(y + dy, height - 1)][min(x + dx, width - 1)] != mask[y][x] for dy, dx in neighbours)
    }


def contour(truth, found, radius):
    """F of two masks."""
    a, b = outline(truth), outline(found)
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    recall, precision = (
        sum(any(math.dist(x, y) <= radius for y in other) for x in own) / len(own) for own, other in ((a, b), (b, a))
    )
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def statistics(values):
    """Mean, recall and decay of the frames of an object."""
    last = len(values)
    # Frames counted from 1, of which parts begin and end at the nearest whole number, halves to the even one.
    edges = [round(1 + k * (last - 1) / 4 + 1e-10) - 1 for k in range(5)]
    first, final = values[edges[0] : edges[1] + 1], values[edges[3] : edges[4] + 1]
    return {
        "Mean": sum(values) / last,
        "Recall": sum(x > 0.5 for x in values) / last,
        "Decay": sum(first) / len(first) - sum(final) / len(final),
    }


def semi_supervised(truth, found, label, radius):
    """Numbers of an object, from label maps as nested lists."""
    frames = [
        [[[int(x == label) for x in row] for row in image] for image in (a, b)]
        for a, b in list(zip(truth, found, strict=True))[1:-1]
    ]
    values = {"J": [region(*x) for x in frames], "F": [contour(*x, radius) for x in frames]}
    return {f"{name}-{key}": y for name, x in values.items() for key, y in statistics(x).items()}
