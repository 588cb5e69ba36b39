"""Geometry of the page's own charts."""

import math
import re

import pytest

pytest.importorskip("markupsafe", reason="the extra cli is not installed")

from omniou.report._charts import planes, svg
from omniou.report._record import charts


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 47.2, [0, 10, 20, 30, 40]),
        (0.5, 1, [0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        (0, 7, [0, 2, 4, 6]),
        (3, 3, [3]),
        (0, math.inf, [0]),
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_ticks_are_round(low, high, expected):
    assert planes.ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(("points", "path"), [([1, 2, 3, 4.5], "M1 2H3V4.5H1Z"), ([0, 0, 4, 0, 2, 3], "M0 0l4 0-2 3z")])
def test_outline_of_box_and_polygon(points, path):
    assert svg.outline(points) == path


def test_roundings_of_an_outline_do_not_add_up():
    assert svg.outline([0.4, 0, 0.8, 10.4, 1.2, 9.8, 1.6, -0.4], ".0f") == "M0 0l1 10 0 0 1-10z"
    assert svg.outline([3, 4]) == ""


# Widths in DejaVu Sans at 12 pixels; a letter of Chinese is as wide as it is high. Dense bars leave 10 pixels less.
@pytest.mark.parametrize(
    ("name", "width"),
    [("two-dogs <b>", 86.8), ("mmmm", 46.8), ("QOGNDHU", 64.2), ("0123456789", 76.3), ("猫" * 8, 96)],
)
def test_names_next_to_bars_are_not_cut(name, width):
    assert 10 + width <= svg.names_width([name]) <= 30 + width


def placed(marks):
    """The fields of a chart for each kind of mark."""
    return {
        name: [x for x in marks if isinstance(x, type_)]
        for name, type_ in (("curves", charts.Curve), ("bars", charts.Bars))
    }


def drawn(*marks):
    chart = charts.Plane(title="<title>", told="<desc>", x_label="x", y_label="y", **placed(marks))
    return str(svg.figure("id", chart).svg)


def test_chart_escapes_title_and_fills_its_area():
    text = drawn(charts.Curve([(0, 0), (1, 1)], "a"))
    assert "&lt;title&gt;" in text
    assert "<title>&lt;" in text.replace('<title id="id-t">', "<title>")
    left, top, width, height = map(float, re.search(r'data-area="([^"]*)"', text)[1].split())
    assert f'd="M{left:g} {top + height:g}L{left + width:g} {top:g}"' in text


def test_line_breaks_where_nothing_is_known_and_leaves_out_level_points():
    text = drawn(charts.Curve([(0, 1), (0.25, 1), (0.5, 1), (0.75, None), (1, 0)], "a"))
    path = re.search(r'<path d="(M[^"]*)" class="line a"', text)[1]
    assert path.count("M") == 2
    assert path.count("L") == 1


def test_bars_without_height_are_left_out():
    text = drawn(charts.Bars([0, 0.5, 1], [0, 0], [0.5, 0], "a", ["one", "two"]))
    assert text.count("<rect") == 1
    assert "<title>one</title>" in text


def test_curves_that_are_extra_are_left_out_of_picture_and_legend():
    marks = charts.Curve([(0, 0), (1, 1)], "a", "one"), charts.Curve([(0, 1), (1, 0)], "c", "two", extra=True)
    chart = charts.Plane(title="t", **placed(marks))
    assert chart.legend == [("line a", "one")]
    assert str(svg.figure("id", chart).svg).count('class="line') == 1


def test_heat_map_shows_counts_with_shares_but_for_the_last_row():
    chart = charts.HeatMap(title="t", classes=["<b>"], cells=[[0, 0, 3], [0, 1, 1], [1, 1, 12000]])
    text = str(svg.figure("id", chart).svg)
    assert "&lt;b&gt;" in text
    assert re.findall(r'fill-opacity="([^"]*)"', text) == ["0.72", "0.29", "0.08"]
    assert ">12k<" in text


def test_bars_across_of_negative_and_unknown_numbers_stay_inside():
    rows = [("x" * 40, 0.2, "0.200"), ("b", -0.1, "-0.100"), ("c", None, "unknown")]
    text = str(svg.figure("id", charts.RankedBars(title="t", rows=rows)).svg)
    boxes = [tuple(map(float, x)) for x in re.findall(r'<rect x="([^"]*)" y="[^"]*" width="([^"]*)"', text)]
    assert len(boxes) == 3
    assert all(0 <= x <= x + width <= planes.WIDTH for x, width in boxes)
    assert "…" in text
