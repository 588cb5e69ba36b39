"""Bars of several models as SVG."""

from collections.abc import Sequence

from markupsafe import Markup

from omniou.report._charts.overlaid import GroupedBars
from omniou.report._charts.svg import Drawn, names_width, short, ticks
from omniou.report._comparison.charts import DifferenceBars

WIDTH = 480
# Height of a bar, and of what is between two groups; what is written at the end of a bar.
_BAR, _GAP, _TEXT = 15, 11, 92
_ROW = 22
# Room for names at least: short ones may have wide letters.
_LEFT = 90


def grouped_bars(chart: GroupedBars) -> Drawn:
    """A group for each row, a bar for each model."""
    left = max(_LEFT, names_width([name for name, _ in chart.rows]))
    values = [value or 0.0 for _, cells in chart.rows for value, _ in cells]
    high, low = max([*values, 1e-9]), min([*values, 0.0])
    scale = (WIDTH - left - _TEXT) / (high - low)
    zero, top, parts = left - low * scale, 4, [Markup()]
    for name, cells in chart.rows:
        middle = top + _BAR * len(cells) / 2 + 4
        parts.append(Markup('<text x="{}" y="{:g}" class="end">{}</text>').format(left - 8, middle, short(name)))
        for (style, _), (value, text) in zip(chart.models, cells, strict=False):
            length = (value or 0.0) * scale
            parts.append(
                Markup('<rect x="{:.1f}" y="{}" width="{:.1f}" height="{}" class="{}"/>').format(
                    zero + min(length, 0.0), top, abs(length), _BAR - 3, style
                )
                + Markup('<text x="{:.1f}" y="{}" class="small">{}</text>').format(
                    zero + max(length, 0.0) + 5, top + _BAR - 5, text
                )
            )
            top += _BAR
        top += _GAP
    parts.append(
        Markup('<path d="M{:.1f} 0V{}" class="axis"/><text x="{:.1f}" y="{}">{}</text>').format(
            zero, top, zero, top + 14, chart.x_label
        )
    )
    return (WIDTH, top + 22), Markup().join(parts)


def difference_bars(chart: DifferenceBars) -> Drawn:
    """A bar for each row, with its interval as a line; what is beyond the axis is cut off."""
    left = max(_LEFT, names_width([row.name for row in chart.rows]))
    right, bottom = WIDTH - 64, _ROW * len(chart.rows) + 6
    scale = (right - left) / (2 * chart.reach)

    def across(x: float) -> float:
        return round(left + (min(max(x, -chart.reach), chart.reach) + chart.reach) * scale, 1)

    zero, parts = across(0.0), _axis(chart, bottom, [(x, across(x)) for x in ticks(-chart.reach, chart.reach, 6)])
    for place, row in enumerate(chart.rows):
        y, end = place * _ROW + 4, across(row.difference)
        told = f"{row.name}: {row.difference:+.3f}"
        if row.low is not None and row.high is not None:
            told += f", interval {row.low:+.3f} to {row.high:+.3f}"
        parts.append(
            Markup('<g><title>{}</title><text x="{}" y="{}" class="end">{}</text>').format(
                told, left - 8, y + 13, short(row.name)
            )
            + Markup('<rect x="{}" y="{}" width="{:.1f}" height="{}" class="{}"/>').format(
                min(zero, end), y, abs(end - zero), _ROW - 6, row.style
            )
        )
        if row.low is not None and row.high is not None:
            parts.append(
                Markup('<path d="M{} {y}H{}" class="whisker"/>').format(across(row.low), across(row.high), y=y + 8)
            )
        parts.append(
            Markup('<text x="{}" y="{}" class="end small">{:+.3f}</text></g>').format(WIDTH - 4, y + 12, row.difference)
        )
    return (WIDTH, bottom + 36), Markup().join(parts)


def _axis(chart: DifferenceBars, bottom: int, at: Sequence[tuple[float, float]]) -> list[Markup]:
    parts = [
        Markup('<path d="M{x} 0V{b}" class="{}"/><text x="{x}" y="{}" class="middle">{}</text>').format(
            "grid" if value else "axis", bottom + 14, f"{value:+g}" if value else "0", x=x, b=bottom
        )
        for value, x in at
    ]
    middle = at[len(at) // 2][1]
    return [*parts, Markup('<text x="{}" y="{}" class="middle">{}</text>').format(middle, bottom + 31, chart.x_label)]
