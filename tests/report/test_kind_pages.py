"""What only pages of some kinds have: filled masks, skeletons, charts of centres, intervals, spotting and videos."""

import math
import re

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import detection, report
from omniou.keypoints import Skeleton
from omniou.report._charts.plots import CHARTS


def square(left, top):
    mask = np.zeros((40, 60), dtype=bool)
    mask[top : top + 10, left : left + 10] = True
    return mask


def shapes_in(page):
    """Classes of the groups of shapes in the worst images, and the names that are written there by class."""
    part = page[page.index('id="images"') : page.index('id="label_errors"')]
    named = re.findall(r'<g class="(hit|missed|false)"><text[^>]*>([^<]*)', part)
    return re.findall(r'<g class="shape ([^"]*)">', part), named


@pytest.mark.parametrize("kind", ["segm", "boundary"])
def test_masks_are_filled_and_only_errors_are_named(kind):
    truth = [{"masks": np.stack([square(2, 2), square(40, 20)]), "labels": [1, 1]}]
    found = [{"masks": np.stack([square(2, 2), square(20, 20)]), "labels": [1, 1], "scores": [0.8, 0.9]}]
    result = detection.evaluate(truth, found, kind=kind)
    drawn, named = shapes_in(report.html(report.record(result, names={1: "cat"}, analyses=report.ANALYSES)))
    # The object of a true positive is a line, so that its detection's colour is not mixed with another.
    assert drawn == ["found", "hit filled", "missed filled", "false filled"]
    assert named == [("missed", "cat"), ("false", "cat 0.90")]


def test_boxes_are_outlines_with_all_names():
    truth = [{"boxes": [[2, 2, 12, 12], [40, 20, 50, 30]], "labels": [1, 1]}]
    found = [{"boxes": [[2, 2, 12, 12], [20, 20, 30, 30]], "labels": [1, 1], "scores": [0.8, 0.9]}]
    result = detection.evaluate(truth, found)
    drawn, named = shapes_in(report.html(report.record(result, names={1: "cat"}, analyses=report.ANALYSES)))
    assert drawn == ["found", "hit", "missed", "false"]
    assert named == [("missed", "cat"), ("false", "cat 0.90"), ("hit", "cat 0.80")]


PEN = Skeleton(name="pen", sigmas=(0.1, 0.1, 0.1, 0.1), edges=((0, 1), (1, 2), (2, 3)))


def of_pens(detections=1):
    """Two pens of area 100 in boxes of side 10: the fourth point is never labelled, the third of the second neither.

    Detections are off by 0, 2 and 4 pixels: similarities are 1, exp(-4/8) = 0.6065 and exp(-16/8) = 0.1353.
    """
    at = np.asarray([[0, 0, 2], [5, 0, 2], [10, 10, 1], [0, 0, 0]], dtype=float)
    objects = np.stack([at, at])
    objects[1, 2] = [3, 3, 0]
    found = np.stack([at, at])
    found[:, 1, 0] += 2
    found[:, 2, 1] += 4
    boxes = [[0, 0, 10, 10]] * 2
    truth = [{"keypoints": x[None], "labels": [1], "area": [100.0], "boxes": [boxes[0]]} for x in objects]
    rows = [{"keypoints": x[None, :, :2], "labels": [1], "scores": [0.9]} for x in found]
    nothing = {"keypoints": np.zeros((0, 4, 2)), "labels": [], "scores": []}
    return detection.evaluate(truth, rows if detections else [nothing] * 2, kind=PEN)


def test_error_of_each_point_counts_labelled_points_of_true_positives():
    made = report.record(of_pens(), analyses=["points"])
    value = made.analyses["points"]
    assert value["labelled"] == [2, 2, 1, 0]
    assert value["similarity"] == pytest.approx([1, math.exp(-0.5), math.exp(-2), None])
    assert value["distance"] == [0, 2, 4, None]
    assert value["far"] == [0, 0, 1, 0]
    assert value["pose"] == [[0, 0], [0.5, 0], [1, 1], None]
    assert value["names"] == ["point 1", "point 2", "point 3", "point 4"]
    assert report.Record.from_json(made.to_json()) == made
    chart = CHARTS["points"].chart(value, "OKS")
    assert [row[0::2] for row in chart.rows] == [
        ("point 3", "0.865 (1)"),
        ("point 2", "0.393 (2)"),
        ("point 1", "0.000 (2)"),
    ]
    drawn = CHARTS["skeleton"].chart(value, "OKS")
    assert [x[0] for x in drawn.points] == ["point 1", "point 2", "point 3"]
    assert drawn.edges == [(0, 1), (1, 2)]
    page = report.html(made)
    assert page.count("<circle") == 3
    assert "Error on the skeleton" in page


def test_points_of_no_detections_are_rings():
    made = report.record(of_pens(detections=0), analyses=["points"])
    assert made.analyses["points"]["similarity"] == [None] * 4
    page = report.html(made)
    assert page.count('class="ring"') == 3
    assert report.Record.from_json(made.to_json()) == made


def test_boxes_have_no_points():
    boxes = [{"boxes": [[0, 0, 9, 9]], "labels": [1]}]
    made = report.record(detection.evaluate(boxes, [boxes[0] | {"scores": [0.5]}]), analyses=report.ANALYSES)
    assert "points" not in made.analyses
    assert "no-points" not in [x.code for x in made.warnings]


def test_records_with_points_that_do_not_fit_are_refused():
    text = report.record(of_pens(), analyses=["points"]).to_json(None)
    with pytest.raises(ValueError, match="an edge of no point"):
        report.Record.from_json(text.replace("[2, 3]", "[2, 9]"))
    with pytest.raises(ValueError, match="expected 4 values"):
        report.Record.from_json(text.replace('"labelled": [2, 2, 1, 0]', '"labelled": [2]'))


def test_points_are_drawn_by_matplotlib():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    result = of_pens()
    assert [x.get_text() for x in report.plot(result, "skeleton").texts] == ["point 1", "point 2", "point 3"]
    assert report.plot(report.record(result, analyses=["points"]), "points").get_xlabel().startswith("Mean error")
    assert {"points", "skeleton"} <= set(report.figures(result))
