"""Records that are JSON, and have every field, but do not fit themselves."""

import json
import re

import pytest

from omniou import detection, report

pytest.importorskip("msgspec", reason="the extra cli is not installed")

TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [1, 2]}] * 3
FOUND = [{"boxes": [[0, 0, 10, 9], [50, 50, 60, 60]], "labels": [1, 1], "scores": [0.5, 0.4]}] * 3


@pytest.fixture(scope="module")
def text():
    result = detection.evaluate(TRUTH, FOUND)
    return report.record(result, analyses=report.ANALYSES, intervals=["AP"], samples=3).to_json()


CHANGES = [
    (["summary"], {}, "no numbers - at `$.summary`"),
    (["summary", "AP"], "0.5", "Expected `int | float | null`, got `str`"),
    (["per_class", 0, "name"], None, "Expected `str`, got `null` - at `$.per_class[0].name`"),
    (["per_class", 1, "AP"], "x", "expected a number or null, got 'x' - at `$.per_class[1].AP`"),
    (["per_class", 1, "mAP"], 0.5, "expected the fields of the first row - at `$.per_class[1]`"),
    (["per_class", 0, "objects"], 1.5, "Expected `int`, got `float` - at `$.per_class[0].objects`"),
    (["summary", "AP"], 10**400, "a number is out of range - at `$.summary`"),
    (["per_class", 0, "AP"], -(2**63), "a number is out of range - at `$.per_class[0]`"),
    (["counts", "images"], 2**63, "a number is out of range - at `$.counts`"),
    (["areas"], [], "no area range - at `$.areas`"),
    (["areas", 1, "low"], 1e9, "expected low <= high - at `$.areas[1]`"),
    (["areas", 1, "AP"], [], "Expected `float | null`, got `array` - at `$.areas[1].AP`"),
    (["counts", "images"], -1, "expected no negative number - at `$.counts`"),
    (["protocol", "area_ranges"], None, "Expected `array`, got `null` - at `$.protocol.area_ranges`"),
    (["protocol", "iou_thresholds"], [0.9, 0.5], "must be rising numbers in [0, 1]"),
    (["protocol", "max_detections"], [], "at `$.protocol`"),
    (["intervals", "confidence"], 2, "expected a confidence between 0 and 1"),
    (["intervals", "samples"], 10**12, "expected 1000000000000 samples, got 3"),
    (["intervals", "numbers", "AP", "samples"], [0.5], "expected 3 samples, got 1"),
    (["analyses", "errors"], {}, "missing required field `iou_threshold` - at `$.analyses.errors`"),
    (
        ["analyses", "errors", "cost", "missed"],
        "much",
        "Expected `float | null`, got `str` - at `$.analyses.errors.cost[...]`",
    ),
    (["analyses", "confusion", "cells"], [[5, 0, 1]], "at `$.analyses.confusion`"),
    (["analyses", "calibration", "edges"], None, "Expected `array`, got `null` - at `$.analyses.calibration.edges`"),
    (["analyses", "pr", "iou_thresholds"], [], "at `$.analyses.pr`"),
    (["analyses", "f1", "scores"], ["a"], "Expected `float`, got `str` - at `$.analyses.f1.scores[0]`"),
    (
        ["analyses", "thresholds", "per_class", 0, "id"],
        [],
        "Expected `int`, got `array` - at `$.analyses.thresholds.per_class[0].id`",
    ),
    (["analyses", "froc", "rates"], [], "at `$.analyses.froc`"),
    (["analyses", "froc", "rates", 0], 0, "Expected `float` > 0.0 - at `$.analyses.froc.rates[0]`"),
    (["analyses", "froc", "per_class", 0, "recall"], [0.5], "expected 7 values in each list"),
    (["analyses", "miss_rate", "rates"], [2.0] * 8 + [1.0], "expected rising edges - at `$.analyses.miss_rate`"),
    (["analyses", "top_k", "numbers"], [], "no numbers - at `$.analyses.top_k`"),
    (["analyses", "empty_images", "f1"], [], "expected 101 values in each list"),
    (["analyses", "worst_images", "images", 0, "shapes"], {"missed": [[9, None, []]]}, "at `$.analyses.worst_images`"),
    (["analyses", "label_errors", "unfound", 0, "class"], 7, "at `$.analyses.label_errors`"),
]


@pytest.mark.parametrize(("place", "value", "message"), CHANGES, ids=[".".join(map(str, x[0])) for x in CHANGES])
def test_record_that_does_not_fit_itself_raises(text, place, value, message):
    record = json.loads(text)
    inner = record
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value

    with pytest.raises(ValueError, match="must be the JSON of a record: ") as caught:
        report.Record.from_json(json.dumps(record))
    # msgspec before 0.20 does not say which item of a list it is.
    assert re.sub(r"\[\d+\]", "[...]", message) in re.sub(r"\[\d+\]", "[...]", str(caught.value))
    assert "\n" not in str(caught.value)


def test_every_analysis_has_a_shape():
    from omniou.report._record.shapes import SHAPES

    assert list(SHAPES) == list(report.ANALYSES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": {"mAP": "x"}}, "'mAP' is not among the numbers of `summary` - at `$.words`"),
        ({"per_class": [{"name": "a"}, {"name": 1}]}, "Expected `str`, got `int` - at `$.per_class[1].name`"),
        ({"per_class": [{"name": "a", "IoU": []}]}, "got `array` - at `$.per_class[0][...]`"),
        ({"groups": [{"key": "summary", "title": "x"}]}, "expected a key of its own, got 'summary' - at `$.groups`"),
        ({"charts": {"a": {"type": "Plane", "title": 1}}}, "Expected `str`, got `int` - at `$.charts.a.title`"),
        ({"charts": {"a": {"type": "os"}}}, "expected one of Plane, RankedBars, HeatMap, SkeletonMap, Timeline - at"),
        (
            {"tables": [{"title": "", "headings": ["a"], "rows": [[1, 2]]}]},
            "rows of different lengths - at `$.tables[0]`",
        ),
        ({"analyses": {"pr": {}}}, "only detections have these - at `$.analyses`"),
    ],
)
def test_record_of_another_kind_that_does_not_fit_itself_raises(change, message):
    group = report.Group(key="per_class", title="Each class", rows=[{"name": "a", "IoU": 0.5}])
    record = report.Record(kind="semantic", summary={"mIoU": 0.5}, words={"mIoU": "mean"}, groups=[group])
    assert report.Record.from_json(record.to_json()) == record

    with pytest.raises(ValueError, match="must be the JSON of a record: ") as caught:
        report.Record.from_json(json.dumps(record.to_dict() | change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_record_whose_samples_are_left_out_is_read(text):
    record = json.loads(text)
    record["intervals"]["numbers"]["AP"]["samples"] = []

    assert report.Record.from_json(json.dumps(record)).intervals.samples == 3


def test_record_without_classes_is_shown(text):
    from omniou.report._record.sections import Shown
    from omniou.report._text.render import RENDERERS

    record = json.loads(text) | {"per_class": [], "analyses": {}}
    read = report.Record.from_json(json.dumps(record))

    for render in RENDERERS.values():
        assert render(read, Shown(per_class=True))
