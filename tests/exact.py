"""Scores of boxes in exact rational arithmetic: an oracle that shares nothing with the library."""

from collections.abc import Callable, Sequence
from fractions import Fraction

Box = Sequence[float]


def _terms(a: Box, b: Box) -> dict[str, Fraction]:
    dims = len(a) // 2
    a, b = [Fraction(x) for x in a], [Fraction(x) for x in b]
    terms = {"inter": Fraction(1), "area_a": Fraction(1), "area_b": Fraction(1), "hull": Fraction(1)}
    terms["diagonal"] = terms["distance"] = Fraction(0)
    for low, high in ((k, k + dims) for k in range(dims)):
        # An inverted box is empty, and lies at its low corner.
        a_high, b_high = max(a[low], a[high]), max(b[low], b[high])
        hull = max(a_high, b_high) - min(a[low], b[low])
        terms["inter"] *= max(min(a_high, b_high) - max(a[low], b[low]), 0)
        terms["area_a"] *= a_high - a[low]
        terms["area_b"] *= b_high - b[low]
        terms["hull"] *= hull
        terms["diagonal"] += hull**2
        terms["distance"] += ((a[low] + a_high - b[low] - b_high) / 2) ** 2
    terms["union"] = terms["area_a"] + terms["area_b"] - terms["inter"]
    return terms


def _share(n: Fraction, d: Fraction) -> Fraction:
    return n / d if d else Fraction(0)


SCORES: dict[str, Callable[[dict[str, Fraction]], Fraction]] = {
    "iou": lambda t: _share(t["inter"], t["union"]),
    "iof": lambda t: _share(t["inter"], t["area_a"]),
    "dice": lambda t: _share(2 * t["inter"], t["area_a"] + t["area_b"]),
    "giou": lambda t: _share(t["inter"], t["union"]) - _share(t["hull"] - t["union"], t["hull"]),
    "diou": lambda t: _share(t["inter"], t["union"]) - _share(t["distance"], t["diagonal"]),
}


def score(name: str, a: Box, b: Box) -> Fraction:
    """The exact score of two boxes of corners, given as the floats that they are."""
    return SCORES[name](_terms(a, b))


Point = tuple[Fraction, Fraction]


def area_of_polygon(points: Sequence[Point]) -> Fraction:
    """By the shoelace formula."""
    return abs(sum(_cross(points[k - 1], points[k]) for k in range(len(points)))) / 2


def _cross(p: Point, q: Point) -> Fraction:
    return p[0] * q[1] - p[1] * q[0]


def intersection_of_convex(first: Sequence[Point], second: Sequence[Point]) -> Fraction:
    """Area that two convex polygons share, the second counterclockwise: Sutherland and Hodgman's clipping."""
    left = list(first)
    for k in range(len(second)):
        (x0, y0), (x1, y1) = second[k - 1], second[k]
        side = [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for x, y in left]
        clipped: list[Point] = []
        for i, here in enumerate(left):
            before, s, t = left[i - 1], side[i - 1], side[i]
            if s * t < 0:
                share = s / (s - t)
                clipped.append((before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1])))
            if t >= 0:
                clipped.append(here)
        left = clipped
    return area_of_polygon(left) if left else Fraction(0)


def direction(angle: float) -> Point:
    """Cosine and sine to 38 digits, by their series, for an angle of a few turns."""
    digits = 10**45
    term, series = digits, [0, 0, 0, 0]
    for k in range(200):
        series[k % 4] += term
        term = round(Fraction(term) * Fraction(angle) / (k + 1))
    return Fraction(series[0] - series[2], digits), Fraction(series[1] - series[3], digits)
