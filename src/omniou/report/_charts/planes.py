"""Draw curves and bars over two axes as SVG."""

import itertools
import math
from collections.abc import Sequence

from markupsafe import Markup

from omniou.report._record.charts import Bars, Curve, Plane, Point

WIDTH, HEIGHT = 480, 320
MARGINS = (52, 12, 14, 44)
"""Pixels between the edge of the picture and the axes: left, top, right, bottom."""


def drawn(chart: Plane) -> tuple[tuple[float, float], Markup]:
    """Return width and height of a picture, and what is in it."""
    marks = (x for x in chart.marks if not (isinstance(x, Curve) and x.extra))
    return (WIDTH, HEIGHT), _axes(chart) + Markup().join(_mark(chart, x) for x in marks)


def _across(chart: Plane, x: float) -> float:
    """Return the x of the picture, in pixels, for an x of the data."""
    low, high = chart.x
    if chart.ticks:
        low, high, x = map(math.log, (low, high, x))
    left, _, right, _ = MARGINS
    return round(left + (x - low) / ((high - low) or 1.0) * (WIDTH - left - right), 1)


def _down(chart: Plane, y: float) -> float:
    """Return the y of the picture, in pixels from the top, for a y of the data.

    On an axis from 0 to 1, 1 is at 12 (the margin) and 0 at 320 - 44 = 276.
    """
    low, high = chart.y
    _, top, _, bottom = MARGINS
    return round(HEIGHT - bottom - (y - low) / ((high - low) or 1.0) * (HEIGHT - top - bottom), 1)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between `low` and `high`, for the ticks of an axis."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low]
    # The smallest step of 1, 2 or 5 times a power of ten with at most so many intervals: 10 for 0 to 47 and 6.
    # The 1e-9 keeps a tick at the end of the axis, which rounding may put just beyond it.
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if span / (power * factor) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _axes(chart: Plane) -> Markup:
    left, top, right, bottom = MARGINS
    parts = []
    along = (
        zip(chart.ticks, chart.words_of_ticks, strict=True) if chart.ticks else [(x, f"{x:g}") for x in ticks(*chart.x)]
    )
    for x, word in along:
        at = _across(chart, x)
        parts.append(
            Markup('<path d="M{} {}V{}" class="grid"/><text x="{}" y="{}" class="middle">{}</text>').format(
                at, top, HEIGHT - bottom, at, HEIGHT - bottom + 16, word
            )
        )
    for y in ticks(*chart.y):
        at = _down(chart, y)
        parts.append(
            Markup('<path d="M{} {}H{}" class="grid"/><text x="{}" y="{}" class="end">{:g}</text>').format(
                left, at, WIDTH - right, left - 6, at + 4, y
            )
        )
    middle = (left + WIDTH - right) / 2, (top + HEIGHT - bottom) / 2
    parts.append(
        Markup(
            '<text x="{}" y="{}" class="middle">{}</text>'
            '<text transform="translate(13 {}) rotate(-90)" class="middle">{}</text>'
        ).format(middle[0], HEIGHT - 8, chart.x_label, middle[1], chart.y_label)
    )
    return Markup().join(parts)


def _mark(chart: Plane, what: Curve | Bars) -> Markup:
    if isinstance(what, Curve):
        line = Markup('<path d="{}" class="line {}"/>').format(_path(chart, what.points), what.style)
        at = [(x, y) for x, y in what.points if x is not None and y is not None] if what.dots else []
        return line + Markup().join(
            Markup('<circle cx="{}" cy="{}" r="3" class="dot {}"/>').format(
                _across(chart, x), _down(chart, y), what.style
            )
            for x, y in at
        )
    parts = []
    titles = what.titles or [""] * len(what.low)
    pairs = itertools.pairwise(what.edges)
    for (start, end), low, high, title in zip(pairs, what.low, what.high, titles, strict=True):
        if high == low:
            continue
        x, y = _across(chart, start), _down(chart, high)
        told = Markup("<title>{}</title>").format(title) if title else ""
        parts.append(
            Markup('<rect x="{}" y="{}" width="{:.1f}" height="{:.1f}" class="{}">{}</rect>').format(
                x, y, max(0.5, _across(chart, end) - x - 1), _down(chart, low) - y, what.style, told
            )
        )
    return Markup().join(parts)


def _path(chart: Plane, points: Sequence[Point]) -> str:
    """Return the data of a path through points, which breaks where a number is None.

    A point between two points of the same height is dropped: precision is constant along many of its 101 points.
    """
    parts: list[str] = []
    move, last = "M", len(points) - 1
    for place, (x, y) in enumerate(points):
        if x is None or y is None:
            move = "M"
            continue
        if move == "L" and 0 < place < last and points[place - 1][1] == y == points[place + 1][1]:
            continue
        parts.append(f"{move}{_across(chart, x):g} {_down(chart, y):g}")
        move = "L"
    return "".join(parts)
