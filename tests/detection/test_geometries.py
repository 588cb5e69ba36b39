"""The evaluator on discs, rotated rectangles and polygons."""

import math

import pytest

from omniou import boxes3d, detection, polygons, rotated, scores
from omniou._catalogue.sources.shapes import score_function
from tests.discs import DISCS
from tests.helpers import array

IOU = score_function(scores["iou"], DISCS)


@pytest.mark.computes("detection looks at values")
@pytest.mark.parametrize("score", [None, "iof", IOU])
def test_evaluate_discs(xp, score):
    # The first detection overlaps its target, the second none, the third lies in a disc of twice its radius.
    targets = {"boxes": array(xp, [[0, 0, 1], [9, 9, 2]]), "labels": xp.asarray([0, 0])}
    detections = {"boxes": array(xp, [[0.1, 0, 1], [30, 9, 1], [9, 9, 1]]), "scores": array(xp, [0.9, 0.8, 0.7])}
    result = detection.evaluate([targets], [detections | {"labels": xp.asarray([0, 0, 0])}], kind=DISCS, score=score)
    inside = score == "iof"  # the smaller disc lies inside its target
    assert result.summary["AP50"] == pytest.approx((51 + 50 * 2 / 3) / 101 if inside else 51 / 101)
    overlap = 2 * math.acos(0.05) - 0.05 * math.sqrt(3.99)
    first = overlap / math.pi if inside else overlap / (2 * math.pi - overlap)
    assert [float(x) for x in result.matches.overlaps[0, :]] == pytest.approx([first, 0, float(inside)], rel=1e-5)


def test_evaluate_discs_with_invalid_shape_score_or_format_raises():
    rows = detection.Targets([[0, 0, 1, 1]], [0], [0]), detection.Detections([[0, 0, 1, 1]], [0.5], [0], [0])
    with pytest.raises(ValueError, match=r"`targets.boxes` must have shape \(N, 3\), got \(1, 4\)"):
        detection.evaluate(*rows, kind=DISCS)
    with pytest.raises(TypeError, match="score 'giou' needs the term 'hull', which discs do not have"):
        detection.evaluate(*rows, kind=DISCS, score="giou")
    with pytest.raises(ValueError, match="`format` must be one of 'xyr', got 'xyxy'"):
        detection.evaluate(*rows, kind=DISCS, format="xyxy")


@pytest.mark.computes("detection looks at values")
def test_evaluate_rectangles(xp):
    # Turned by a quarter and with its sides exchanged, the first is its target; the second crosses its own.
    targets = {"boxes": array(xp, [[5, 5, 8, 2, 0.4], [50, 50, 9, 3, 1.0]]), "labels": xp.asarray([0, 0])}
    detections = array(xp, [[5, 5, 2, 8, 0.4 + math.pi / 2], [50, 50, 9, 3, 1.0 + math.pi / 2]])
    detections = {"boxes": detections, "scores": array(xp, [0.9, 0.8]), "labels": xp.asarray([0, 0])}
    result = detection.evaluate([targets], [detections], kind=rotated.GEOMETRY)
    assert result.summary["AP50"] == pytest.approx(51 / 101)
    corners = [{**x, "boxes": rotated.convert(x["boxes"], "cxcywhr", "xyxyxyxy")} for x in (targets, detections)]
    again = detection.evaluate(corners[:1], corners[1:], kind=rotated.GEOMETRY, format="xyxyxyxy", score="giou")
    assert again.summary["AP50"] == pytest.approx(51 / 101)
    flat = detection.evaluate(corners[:1], corners[1:], kind=polygons.GEOMETRY)
    assert flat.summary["AP50"] == pytest.approx(51 / 101)


@pytest.mark.computes("detection looks at values")
def test_evaluate_boxes3d(xp):
    # The first is turned by half and lifted by a tenth of its height; the second stands above its own target.
    targets = {"boxes": array(xp, [[5, 5, 1, 4, 2, 2, 0.4], [50, 50, 1, 4, 2, 2, 1.0]]), "labels": xp.asarray([0, 0])}
    rows = array(xp, [[5, 5, 1.2, 4, 2, 2, 0.4 + math.pi], [50, 50, 4, 4, 2, 2, 1.0]])
    guesses = {"boxes": rows, "scores": array(xp, [0.9, 0.8]), "labels": xp.asarray([0, 0])}
    result = detection.evaluate([targets], [guesses], kind=boxes3d.GEOMETRY)
    assert result.summary["AP50"] == pytest.approx(51 / 101)
    assert [float(x) for x in result.matches.overlaps[0, :]] == pytest.approx([1.8 / 2.2, 0], rel=1e-6)
    above = detection.evaluate([targets], [guesses], kind=boxes3d.BEV)
    assert above.summary["AP50"] == pytest.approx(1)
    # A score of the caller's gets rows in the default format.
    both = [{**x, "boxes": boxes3d.convert(x["boxes"], "xyzlwhr", "kitti")} for x in (targets, guesses)]
    for score in ("giou", boxes3d.giou):
        again = detection.evaluate(both[:1], both[1:], kind=boxes3d.GEOMETRY, format="kitti", score=score)
        assert [float(x) for x in again.matches.overlaps[0, :]] == pytest.approx([1.8 / 2.2, 0], abs=1e-6)
    with pytest.raises(TypeError, match="score 'ciou' needs the term 'aspect_difference', which 3-D boxes do not have"):
        detection.evaluate([targets], [guesses], kind=boxes3d.GEOMETRY, score="ciou")


@pytest.mark.computes("detection looks at values")
@pytest.mark.parametrize(("name", "geometry"), [("rotated", rotated.GEOMETRY), ("polygons", polygons.GEOMETRY)])
def test_kind_by_name_is_its_geometry(xp, name, geometry):
    rows = [[5, 5, 8, 2, 0.4], [50, 50, 9, 3, 1.0]] if name == "rotated" else [[0, 0, 4, 0, 4, 2], [9, 9, 9, 12, 8, 8]]
    target = {"boxes": array(xp, rows), "labels": xp.asarray([0, 0])}
    guess = {"boxes": array(xp, rows[:1]), "labels": xp.asarray([0]), "scores": array(xp, [0.5])}
    results = [detection.evaluate([target], [guess], kind=kind) for kind in (name, geometry)]
    assert results[0].summary == pytest.approx(results[1].summary, nan_ok=True)
    assert results[0].summary["AP"] == pytest.approx(51 / 101)


def test_states_of_a_kind_by_name_and_as_geometry_merge():
    target, guess = {"boxes": [[5, 5, 8, 2, 0.4]], "labels": [0]}, {"boxes": [[5, 5, 8, 2, 0.4]], "labels": [0]}
    evaluators = [detection.Evaluator(kind=kind) for kind in ("rotated", rotated.GEOMETRY)]
    for evaluator in evaluators:
        evaluator.update([target], [guess | {"scores": [0.5]}])
    evaluators[0].merge(evaluators[1])
    assert evaluators[0].compute().summary["AP"] == pytest.approx(1)


def test_evaluate_rectangles_of_four_numbers_raises():
    detections = [{"boxes": [[0, 0, 1, 1]], "labels": [0], "scores": [0.5]}]
    with pytest.raises(ValueError, match=r"`targets.boxes` must have shape \(N, 5\), got \(1, 4\)"):
        detection.evaluate([{"boxes": [[0, 0, 1, 1]], "labels": [0]}], detections, kind="rotated")


def test_evaluate_rectangles_with_offset_raises():
    detections = [{"boxes": [[0, 0, 1, 1, 0]], "labels": [0], "scores": [0.5]}]
    with pytest.raises(ValueError, match="`offset` is for upright boxes, rotated rectangles have none: got 1"):
        detection.evaluate([{"boxes": [[0, 0, 1, 1, 0]], "labels": [0]}], detections, kind="rotated", offset=1)


@pytest.mark.computes("detection looks at values")
def test_polygons_as_vertices_equal_rows(xp):
    square, half = [[0, 0], [4, 0], [4, 4], [0, 4]], [[0, 0], [4, 0], [4, 2.5], [0, 2.5]]
    summaries = []
    for shape in ((1, 4, 2), (1, 8)):
        rows = [xp.reshape(xp.asarray([x], dtype=xp.float64), shape) for x in (square, half)]
        targets = detection.Targets(rows[0], xp.asarray([1]), xp.asarray([1]))
        found = detection.Detections(rows[1], xp.asarray([0.5]), xp.asarray([1]), xp.asarray([1]))
        summaries.append(detection.evaluate(targets, found, kind="polygons").summary)
    squares, halves = ({"boxes": xp.asarray([x], dtype=xp.float64), "labels": xp.asarray([1])} for x in (square, half))
    summaries.append(detection.evaluate([squares], [halves | {"scores": array(xp, [0.5])}], kind="polygons").summary)
    assert summaries[2] == pytest.approx(summaries[0], nan_ok=True)
    # An IoU of 5 / 8 meets three of ten thresholds.
    assert summaries[0]["AP"] == summaries[1]["AP"] == pytest.approx(3 / 10)


@pytest.mark.computes("detection looks at values")
def test_images_may_have_polygons_of_different_lengths(xp):
    """A triangle is half of its square."""
    triangle, square = array(xp, [[[0, 0], [4, 0], [4, 4]]]), array(xp, [[[0, 0], [4, 0], [4, 4], [0, 4]]])
    label, score = xp.asarray([0]), array(xp, [0.5])
    targets = [{"boxes": x, "labels": label} for x in (square, triangle)]
    found = [{"boxes": x, "labels": label, "scores": score} for x in (triangle, triangle)]
    result = detection.evaluate(targets, found, kind="polygons")
    assert [float(result.matches.overlaps[0, k]) for k in range(2)] == [0.5, 1.0]
