"""Draw charts as SVG without a library: lines, bars and heat maps, in the colours of the page's style sheet.

Text goes through `Markup.format`, which escapes it. A chart has a title and a description for screen readers; its
numbers are in a table next to it.
"""

import math
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup

from omniou.report._charts import planes
from omniou.report._charts.planes import MARGINS, WIDTH, ticks
from omniou.report._record.charts import (
    ABOVE,
    BELOW,
    WHOLE,
    Chart,
    Drawable,
    HeatMap,
    Plane,
    RankedBars,
    SkeletonMap,
    Span,
    Timeline,
)

# The most characters of a name next to a chart, and a letter's mean width in its font.
_LONGEST, _CHARACTER = 26, 6.6
# Widths of letters in DejaVu Sans, the widest of the usual fonts, for names that must not be cut.
_NARROW, _SMALL, _CAPITAL, _BROAD = 4.9, 7.7, 9.4, 12.0
_NARROW_LETTERS, _BROAD_LETTERS = frozenset("fijlrtI.,:;'|!()[]-/ "), frozenset("mwMW@%<>=+~#&_…")
# Half the width of a keypoint's mark, as a share of the longer side of all keypoints.
_MARK = 0.015
# The most classes of a heat map; the others are summed up.
_MOST_CLASSES = 15
_NOTHING = ""

# Width and height of a picture, and what is in it.
Drawn: TypeAlias = tuple[tuple[float, float], Markup]


class Figure(NamedTuple):
    """A chart and its picture, for the template."""

    id: str
    svg: Markup
    chart: Chart


def figure(identity: str, chart: Drawable, keys: Collection[str] = ()) -> Figure:
    """Draw a chart; `identity` is unique in the page.

    Bars and cells whose key is among `keys` become links to their images.
    """
    area = Markup()
    if isinstance(chart, Plane):
        (width, height), body = planes.drawn(chart)
        left, top, right, bottom = MARGINS  # in this area, a script draws the curve of a class
        area = Markup(' data-area="{} {} {} {}"').format(left, top, width - left - right, height - top - bottom)
    elif isinstance(chart, Timeline):
        (width, height), body = _timeline(chart)
    elif isinstance(chart, SkeletonMap):
        (width, height), body = _skeleton_map(chart)
    else:
        (width, height), body = _ranking(chart, keys) if isinstance(chart, RankedBars) else _heat_map(chart, keys)
    return framed(identity, chart, ((width, height), body), area)


def framed(identity: str, chart: Chart, drawn: Drawn, area: Markup = Markup()) -> Figure:  # noqa: B008  (it is a str)
    """Wrap a picture in an SVG element, with title and description for screen readers."""
    (width, height), body = drawn
    # Screen readers do not look for links inside the role "img".
    role = "group" if "<a " in body else "img"
    # A phone scrolls a long picture: made as narrow as the screen, its text would be 4 pixels high.
    long = Markup(' class="long"') if width >= _LONG else Markup(' class="broad"') if width > WIDTH else Markup()
    picture = Markup(
        '<svg viewBox="0 0 {w:g} {h:g}"{long} role="{role}" aria-labelledby="{id}-t {id}-d"{area}>'
        '<title id="{id}-t">{x.title}</title><desc id="{id}-d">{x.description}</desc>{body}</svg>'
    ).format(w=width, h=height, long=long, role=role, id=identity, x=chart, body=body, area=area)
    return Figure(f"{identity}-f", picture, chart)


def _linked(body: Markup, key: str, keys: Collection[str]) -> Markup:
    """Link a part of a picture to its images, if the page shows any."""
    return Markup('<a href="#images/{}">{}</a>').format(key, body) if key in keys else body


def _ranking(chart: RankedBars, keys: Collection[str]) -> Drawn:
    rows = chart.rows
    step, gap, left = (
        (17, 5, max(24, names_width([row[0] for row in rows]) - 2))
        if chart.dense
        else (34, 12, names_width([row[0] for row in rows]))
    )
    most = 1.0 if chart.bounded else max([row[1] or 0.0 for row in rows] + [1e-9])
    least = min([row[1] or 0.0 for row in rows] + [0.0])
    scale = (WIDTH - left - 110) / (most - least)
    zero, height, parts = left - least * scale, step * len(rows) + 34, [Markup()]
    # A row is `step` pixels high, its bar is `step - gap`. Negative bars start left of the line at 0: of values from
    # -1 to 3 and 400 pixels, the scale is 100 pixels a unit, and the line at 0 is 100 pixels right of the names.
    for place, (name, value, text) in enumerate(rows):
        y, length = place * step + gap / 2, (value or 0.0) * scale
        line = y + (step - gap) / 2 + 4
        bar = (
            Markup('<text x="{}" y="{:g}" class="end">{}</text>').format(left - 8, line, short(name))
            + Markup('<rect x="{:.4g}" y="{:g}" width="{:.4g}" height="{}" class="a"/>').format(
                zero + min(length, 0.0), y, abs(length), step - gap
            )
            + Markup('<text x="{:.4g}" y="{:g}">{}</text>').format(zero + max(length, 0.0) + 6, line, text)
        )
        parts.append(_linked(bar, chart.keys[place] if chart.keys else "", keys))
    parts.append(
        Markup('<path d="M{:.1f} 0V{}" class="axis"/><text x="{:.1f}" y="{}">{}</text>').format(
            zero, step * len(rows), zero, height - 10, chart.x_label
        )
    )
    return (WIDTH, height), Markup().join(parts)


# Sides of the picture of a skeleton, its margin, and the radii of its smallest and its largest disc, in pixels.
_BODY, _AROUND, _RADII = 320, 34, (3.0, 15.0)
# The most points that are named: the points with the largest error.
_NAMED = 6


def _skeleton_map(chart: SkeletonMap) -> Drawn:
    """Draw lines, a disc for each point whose area grows with its number, and the names of the largest."""
    xs, ys = [x for _, x, *_ in chart.points] or [0.0], [y for _, _, y, *_ in chart.points] or [0.0]
    scale = _BODY / (max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0)
    left = (WIDTH - (max(xs) - min(xs)) * scale) / 2
    at = [(left + (x - min(xs)) * scale, _AROUND + (y - min(ys)) * scale) for _, x, y, *_ in chart.points]
    height = 2 * _AROUND + (max(ys) - min(ys)) * scale
    lines = "".join(f"M{at[i][0]:.1f} {at[i][1]:.1f}L{at[j][0]:.1f} {at[j][1]:.1f}" for i, j in chart.edges)
    parts = [Markup('<path d="{}" class="axis" fill="none"/>').format(lines)] if lines else []
    numbers = [point[3] for point in chart.points]
    largest, (least, most) = max([x for x in numbers if x is not None], default=0.0) or 1.0, _RADII
    order = sorted((k for k, x in enumerate(numbers) if x is not None), key=lambda k: -(numbers[k] or 0.0))
    for k, (_, _, _, value, told) in enumerate(chart.points):
        radius = least if value is None else least + (most - least) * math.sqrt(max(value, 0.0) / largest)
        parts.append(
            Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="{}"><title>{}</title></circle>').format(
                *at[k], radius, "ring" if value is None else "b", told
            )
        )
    for k in order[:_NAMED]:
        end = at[k][0] > WIDTH / 2
        x = at[k][0] + (-1 if end else 1) * (most + 3)
        parts.append(
            Markup('<text x="{:.1f}" y="{:.1f}"{}>{}</text>').format(
                x, at[k][1] + 4, Markup(' class="end"') if end else Markup(), short(chart.points[k][0])
            )
        )
    return (WIDTH, height), Markup().join(parts)


def _heat_map(chart: HeatMap, keys: Collection[str]) -> Drawn:
    """Draw counts as cells: the larger the share in the row, the stronger the colour.

    The last row, background, has no shares.
    """
    *names, table = chart.folded(_MOST_CLASSES)
    kept = chart.kept(_MOST_CLASSES)
    cell, left = 26, names_width(names[0]) + 14
    top = names_width(names[1]) + 8
    # Cells have the same size for few and for many classes.
    width, height = max(WIDTH, left + cell * len(names[1]) + 4), top + cell * len(names[0]) + 4
    parts = [
        Markup('<text x="{}" y="{}" class="end">{}</text>').format(left - 6, top + k * cell + 17, short(name))
        for k, name in enumerate(names[0])
    ]
    parts += [
        Markup('<text transform="translate({} {}) rotate(-90)">{}</text>').format(
            left + k * cell + 17, top - 6, short(name)
        )
        for k, name in enumerate(names[1])
    ]
    for row, counts in enumerate(table):
        whole = sum(counts)
        for column, count in enumerate(counts):
            if not count:
                continue
            share = chart.share(table, row, column)
            of_row = f" of {whole:,}{chart.unit and f' {chart.unit}'} ({share:.1%})" if share else ""
            cell_of = Markup(
                '<g><title>{}</title><rect x="{}" y="{}" width="{c}" height="{c}" class="{}" fill-opacity="{:.2f}"/>'
            ).format(
                f"{names[0][row]} → {names[1][column]}: {count:,}{of_row}",
                left + column * cell,
                top + row * cell,
                "a" if row == column else "b",
                0.08 + 0.85 * share,
                c=cell - 1,
            ) + Markup('<text x="{}" y="{}" class="cell{}">{}</text></g>').format(
                left + column * cell + 12.5,
                top + row * cell + 17,
                " strong" if share > 0.85 else " mid" if share > 0.5 else "",
                chart.text(count, share),
            )
            key = _key(row, column, kept, len(table)) if keys else ""
            parts.append(_linked(cell_of, key, keys))
    parts.append(
        Markup('<path d="M{l} {t}H{r}V{b}H{l}Z" class="axis" fill="none"/>').format(
            l=left - 1, t=top - 1, r=left + cell * len(names[1]), b=top + cell * len(names[0])
        )
    )
    return (width, height), Markup().join(parts)


def _key(row: int, column: int, kept: Sequence[int], size: int) -> str:
    """Return the key of a cell's images; empty on the diagonal and for classes that are summed up."""
    last = size - 1
    if row == column or any(len(kept) <= x < last for x in (row, column)):
        return ""
    true, detected = (None if x == last else kept[x] for x in (row, column))
    return cell_key(true, detected)


def cell_key(true: int | None, detected: int | None) -> str:
    """Return the key of a cell of the confusion matrix, by places of classes; None is background, or nothing.

    "p2-0" is class 2 detected as class 0, "p2-" is a missed object of class 2, "p-0" is a detection on background.
    """
    return f"p{_NOTHING if true is None else true}-{_NOTHING if detected is None else detected}"


# Width of a picture over time, height of a row, and of the bars in it.
_LONG, _ROW, _BAR = 960, 20, 14


def _timeline(chart: Timeline) -> Drawn:
    """Draw a thin line while an object is visible, a bar for each track, an upright line where the track changes."""
    left, top, (low, high) = names_width([row.name for row in chart.rows]), 4, chart.x
    bottom = top + _ROW * len(chart.rows)
    scale = (_LONG - left - 12) / ((high - low) or 1.0)

    def across(x: float) -> float:
        return round(left + (x - low) * scale, 1)

    parts = [
        Markup('<path d="M{x} {}V{}" class="grid"/><text x="{x}" y="{}" class="middle">{:g}</text>').format(
            top, bottom, bottom + 16, x, x=across(x)
        )
        for x in ticks(low, high, 12)
    ]
    for number, row in enumerate(chart.rows):
        middle = top + _ROW * number + _ROW / 2
        parts.append(
            Markup('<text x="{}" y="{:g}" class="end">{}</text>').format(left - 8, middle + 4, short(row.name))
        )
        parts += [
            Markup('<path d="M{} {y:g}H{}" class="axis"/>').format(across(start), across(stop), y=middle)
            for start, stop in row.present
        ]
        parts += [_span(x, across(x.start), across(x.stop), middle) for x in row.spans]
        parts += _moments([(across(x), style, side) for x, style, side in row.moments], middle)
        parts += [
            Markup('<path d="M{} {:g}V{:g}" class="switch"/>').format(
                across(x), middle - _ROW / 2 + 1, middle + _ROW / 2 - 1
            )
            for x in row.switches
        ]
    parts.append(
        Markup('<text x="{}" y="{}" class="middle">{}</text>').format((left + _LONG) / 2, bottom + 34, chart.x_label)
    )
    return (_LONG, bottom + 40), Markup().join(parts)


# Top and height of what stands on a side of a row, from its middle.
_SIDES = {WHOLE: (-_BAR / 2, _BAR), ABOVE: (-9, 8), BELOW: (1, 8)}


def _span(x: Span, start: float, stop: float, middle: float) -> Markup:
    width, (top, height) = max(1.0, stop - start), _SIDES[x.side]
    bar = Markup('<g><title>{}</title><rect x="{}" y="{:g}" width="{:.1f}" height="{:g}" class="{}"/>').format(
        x.label, start, middle + top, width, height, x.style
    )
    fits = x.side == WHOLE and _CHARACTER * len(x.label) + 6 < width
    text = Markup('<text x="{:.1f}" y="{:g}" class="cell strong">{}</text>').format(
        start + width / 2, middle + 3.5, x.label
    )
    return bar + (text if fits else Markup()) + Markup("</g>")


def _moments(moments: Sequence[tuple[float, str, int]], middle: float) -> list[Markup]:
    """Return a path of upright lines for each style and side: there may be thousands."""
    drawn: dict[tuple[str, int], str] = {}
    for x, style, side in moments:
        top, height = _SIDES[side]
        drawn[style, side] = f"{drawn.get((style, side), '')}M{x:g} {middle + top:g}v{height:g}"
    return [Markup('<path d="{}" class="moment {}"/>').format(path, style) for (style, _), path in drawn.items()]


def outline(points: Sequence[float | None], digits: str = "g") -> str:
    """Return the data of an SVG path: of two corners of a box, or of polygons with two None between them.

    (1, 2, 5, 8) gives "M1 2H5V8H1Z"; (0, 0, 4, 0, 4, 3, None, None, 6, 6, 9, 6, 9, 8) gives two triangles,
    "M0 0l4 0 0 3zM6 6l3 0 0 2z".
    """
    if None in points:
        cut = points.index(None)
        return outline(points[:cut], digits) + outline(points[cut + 2 :], digits)
    if len(points) < 4:
        return ""
    if len(points) == 4:
        x, y, right, bottom = (format(x, digits) for x in points)
        return f"M{x} {y}H{right}V{bottom}H{x}Z"
    xs, ys = (_steps(points[axis::2], digits) for axis in (0, 1))
    return f"M{xs[0]} {ys[0]}l{' '.join(f'{x} {y}' for x, y in zip(xs[1:], ys[1:], strict=True))}z".replace(" -", "-")


def _steps(numbers: Sequence[Any], digits: str) -> list[str]:
    """Return the first number, and the step to each other one: (0.5, 4.5, 3) gives 0.5, 4, -1.5.

    A step starts where the rounded steps before it lead, so that roundings do not add up.
    """
    out, at = [], 0.0
    for x in numbers:
        step = format(x - at, digits)
        out.append("0" if step == "-0" else step)
        at += float(step)
    return out


def skeleton(points: Sequence[float | None], edges: Sequence[Sequence[int]]) -> str:
    """Return the data of an SVG path: lines between the known keypoints, and a mark at each."""
    known = {k: (points[2 * k], points[2 * k + 1]) for k in range(len(points) // 2)}
    at = {k: (x, y) for k, (x, y) in known.items() if x is not None and y is not None}
    if not at:
        return ""
    sides = [max(p[axis] for p in at.values()) - min(p[axis] for p in at.values()) for axis in (0, 1)]
    half = max(*sides, 1.0) * _MARK
    lines = "".join(f"M{at[i][0]:g} {at[i][1]:g}L{at[j][0]:g} {at[j][1]:g}" for i, j in edges if i in at and j in at)
    marks = "".join(
        f"M{x - half:g} {y:g}L{x:g} {y - half:g}L{x + half:g} {y:g}L{x:g} {y + half:g}Z" for x, y in at.values()
    )
    return lines + marks


def names_width(names: Sequence[str]) -> int:
    return int(max((sum(map(_wide, short(name))) for name in names), default=0)) + 12


def _wide(letter: str) -> float:
    if letter in _NARROW_LETTERS:
        return _NARROW
    if letter in _BROAD_LETTERS or unicodedata.east_asian_width(letter) in {"W", "F"}:
        return _BROAD
    return _CAPITAL if letter.isupper() else _SMALL


def short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
