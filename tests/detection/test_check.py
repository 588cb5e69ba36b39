"""`detection.check` and the findings of a result: mistakes in columns and dictionaries."""

import dataclasses

import numpy as np
import pytest

from omniou import boxes, data, detection
from omniou.detection import Detections, Targets
from tests.benchmarks import damages


@pytest.fixture(scope="module")
def tables():
    """The example of the documentation as corners."""
    truth, detections = damages.example()
    corners = [boxes.convert(x.boxes, "xywh", "xyxy") for x in (truth.targets, detections)]
    return (
        Targets(corners[0], truth.targets.labels, truth.targets.images, crowd=truth.targets.crowd),
        Detections(corners[1], detections.scores, detections.labels, detections.images),
    )


def codes(*given, **options):
    return [x.code for x in detection.check(*given, **options)]


def test_whole_columns_have_no_findings(tables):
    assert codes(*tables) == []


def test_sides_read_as_corners(tables):
    targets, detections = tables
    sides = dataclasses.replace(detections, boxes=boxes.convert(detections.boxes, "xyxy", "xywh"))
    (finding,) = detection.check(targets, sides)
    assert (finding.code, finding.path) == ("boxes-order", "")
    assert finding.hint == 'omniou.boxes.convert(x, "xywh", "xyxy") for the boxes of the detections'


def test_both_in_another_format_are_one_option(tables):
    both = [dataclasses.replace(x, boxes=boxes.convert(x.boxes, "xyxy", "cxcywh")) for x in tables]
    hints = [x.hint for x in detection.check(*both, format="xywh")]
    assert all("--" not in x for x in hints)
    assert codes(*both, format="cxcywh") == []


@pytest.mark.parametrize(("by", "hint"), [(-1, "add 1 to each"), (1, "subtract 1 from each")])
def test_shifted_labels(tables, by, hint):
    targets, detections = tables
    names = {label: k for k, label in enumerate(np.unique(targets.labels).tolist())}
    targets = dataclasses.replace(targets, labels=np.array([names[x] for x in targets.labels]))
    known = np.isin(detections.labels, list(names))
    columns = {f.name: getattr(detections, f.name) for f in dataclasses.fields(detections)} | {"masks": None}
    detections = Detections(**{name: x if x is None else x[known] for name, x in columns.items()})
    labels = np.array([names[x] for x in detections.labels]) + by
    (finding,) = detection.check(targets, dataclasses.replace(detections, labels=labels))
    assert finding.code == "classes-shifted"
    assert finding.hint.startswith(hint)


def test_logits_as_scores(tables):
    targets, detections = tables
    logits = np.log(detections.scores / (1.001 - detections.scores))
    (finding,) = detection.check(targets, dataclasses.replace(detections, scores=logits))
    assert (finding.code, finding.hint) == (
        "scores-range",
        "bring them into [0, 1]: if they are logits, by a sigmoid or a softmax",
    )


def test_classes_of_no_object():
    corners = [[0, 0, 10, 10], [20, 20, 40, 40], [50, 50, 90, 90]]
    targets = [{"boxes": [box], "labels": [k]} for k, box in enumerate(corners, start=1)]
    found = [{"boxes": [box], "labels": [k], "scores": [0.1 * k]} for k, box in enumerate(corners, start=7)]
    (finding,) = detection.check(targets, found)
    assert finding.code == "classes-apart"
    assert finding.evidence.startswith("3 detections have IoU >= 0.5 with an object; no object has the class")


def test_names_of_classes_are_told():
    corners = np.array([[10.0 * k, 5, 10 * k + 30, 40] for k in range(40)])
    images = np.arange(40)
    targets = Targets(corners, ["ape", "bee", "cat", "dog"] * 10, images)
    found = Detections(corners, np.linspace(0.01, 1, 40), ["cat", "dog", "ape", "bee"] * 10, images)
    (finding,) = detection.check(targets, found)
    assert finding.code == "classes-mixed"
    assert "' overlaps '" in finding.evidence


def test_ground_truth_is_taken_as_evaluate_takes_it():
    truth, detections = damages.example()
    assert codes(truth, detections) == []
    moved = dataclasses.replace(truth, sizes=truth.sizes[:, ::-1])
    assert codes(moved, detections) == ["sizes-swapped"]


@pytest.mark.parametrize(("kind", "format"), [("polygons", None), ("rotated", "xyxyxyxy")])
def test_corners_row_by_row(kind, format):
    around, by_row = [0, 0, 10, 0, 10, 10, 0, 10], [0, 0, 10, 0, 0, 10, 10, 10]
    targets = Targets([around], [1], [0])
    assert codes(targets, Detections([around], [0.5], [1], [0]), kind=kind, format=format) == []
    crossed = detection.check(targets, Detections([by_row], [0.5], [1], [0]), kind=kind, format=format)
    assert crossed[0].code == "doubtful-shapes"
    assert crossed[0].text.startswith("1 of 1 detections cross themselves")
    assert crossed[0].text.endswith("and not row by row?")


def test_intervals_and_boxes_in_space_are_no_fault():
    line = Targets([[0, 5], [7, 9]], [1, 1], [0, 1])
    assert codes(line, Detections([[0, 5], [7, 9]], [0.5, 0.6], [1, 1], [0, 1])) == []
    space = Targets([[0, 0, 0, 5, 5, 5]], [1], [0])
    assert codes(space, Detections([[0, 0, 0, 5, 5, 5]], [0.5], [1], [0])) == []


def test_errors_are_those_of_evaluate():
    with pytest.raises(ValueError, match=r"`detections\.scores\[0\]` must be a number"):
        detection.check(Targets([[0, 0, 1, 1]], [1], [0]), Detections([[0, 0, 1, 1]], [float("nan")], [1], [0]))


def test_result_has_the_findings_and_shows_them(tables):
    targets, detections = tables
    sides = dataclasses.replace(detections, boxes=boxes.convert(detections.boxes, "xyxy", "xywh"))
    result = detection.evaluate(targets, sides)
    assert [x.code for x in result.findings] == ["boxes-order"]
    assert repr(result).splitlines()[-1].startswith("  Warning: boxes of the detections seem to be xywh, not xyxy")
    assert "<p>Warning: boxes of the detections" in result._repr_html_()
    assert "Warning" not in repr(detection.evaluate(targets, detections))


def test_result_of_a_state_has_no_findings(tables):
    evaluator = detection.Evaluator()
    evaluator.update(*tables)
    assert evaluator.compute().findings == []


def test_findings_are_those_of_data():
    assert isinstance(detection.check([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}]), list)
    assert data.Finding is type(data.Finding(code="x", text="y"))


@pytest.mark.parametrize("policy", ["file", "invariant"])
def test_equal_scores_are_a_finding_of_ordered_ties(tables, policy):
    targets, detections = tables
    equal = dataclasses.replace(detections, scores=np.ones_like(detections.scores))
    result = detection.evaluate(targets, equal, protocol=dataclasses.replace(detection.COCO, tie_policy=policy))
    hints = [x.hint for x in result.findings if x.code == "scores-equal"]
    assert [x.startswith('`protocol` with tie_policy="invariant"') for x in hints] == [True] * (policy == "file")
