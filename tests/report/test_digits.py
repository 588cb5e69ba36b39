"""Thresholds and numbers keep the digits that tell them from 0 and from each other."""

import dataclasses
from types import SimpleNamespace

import pytest

from omniou import detection
from omniou._lib.brief import decimal, threshold

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import report
from omniou.report._charts import overlaid
from omniou.report._record import analysis_charts, series
from omniou.report._record.sections import Shown
from omniou.report._text.render import RENDERERS


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *(
            (0.5, "0.50"),
            (0.0, "0.00"),
            (0.009345, "0.00934"),
            (0.00012, "0.00012"),
            (0.777, "0.777"),
            (0.125, "0.125"),
        ),
        *((0.125, "0.125"), (12.5, "12.50"), (1234.5, "1234.5"), (-3.14159, "-3.14"), (123.456, "123.456")),
    ],
)
def test_threshold_has_the_digits_it_needs(value, text):
    assert threshold(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5046, "0.505"),
        (0.0, "0.000"),
        (0.00034, "0.00034"),
        (-0.00034, "-0.00034"),
        (1e-17, "0.000"),
    ],
)
def test_decimal_is_not_0_if_the_number_is_not(value, text):
    assert decimal(value) == text


@pytest.fixture(scope="module")
def low():
    """A class whose best threshold of scores is 0.00042: three decimals would say 0."""
    truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
    found = [{"boxes": [[0, 0, 10, 9], [20, 0, 30, 9]], "labels": [1, 2], "scores": [0.00042, 0.9]}]
    return detection.evaluate(truth, found)


@pytest.mark.parametrize("format", ["table", "md", "page"])
def test_low_thresholds_are_shown_in_every_output(low, format):
    record = report.record(low, analyses=report.ANALYSES, score=0.0042)
    if format == "page":
        shown = report.html(record).partition("<script")[0]
    else:
        shown = RENDERERS[format](record, Shown(analyses=("thresholds", "confusion")))
    assert "0.00042" in shown
    assert "score at least 0.0042" in shown


def test_low_threshold_is_shown_in_charts_and_reprs(low):
    points = dataclasses.replace(low.operating_points(), common_score=0.0042)
    value = series.f1(points)
    assert "at a score of 0.0042" in analysis_charts.f1(value, "IoU").description
    assert overlaid.f1([overlaid.Model("a", value, "", "IoU")]).legend == [("line m1", "a (best F1 1.000 at 0.0042)")]
    assert "at score 0.0042" in repr(points)
    assert "score ≥ 0.0042" in repr(low.confusion(0.0042))


def test_iou_thresholds_are_told_apart():
    curves = {"iou_thresholds": [0.125, 0.1275], "recall": [0.0, 1.0], "mean": [[1.0, 0.5], [1.0, 0.5]]}
    assert [label for _, label in analysis_charts.precision_recall(curves, "IoU").legend][:1] == ["IoU 0.125"]
    (table,) = series.precision_recall_tables(curves, SimpleNamespace(shapes=SimpleNamespace(overlap="IoU")))
    assert table.headings[1] == "IoU 0.125"
