"""What only pages of some kinds have: filled masks, skeletons, charts of centres, intervals, spotting and videos."""

import math
import re

import numpy as np
import pytest

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou import centres, detection, report, spotting
from omniou.keypoints import Skeleton
from omniou.report._charts import actions, over, svg
from omniou.report._charts.plots import CHARTS
from omniou.report._record.charts import ABOVE, BELOW, Curve, Plane
from omniou.tracking import video_objects
from tests.centres import scenes


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


def test_records_of_keypoints_with_all_analyses_are_read_as_they_were_written():
    made = report.record(of_pens(), analyses=report.ANALYSES)
    assert made.analyses["worst_images"]["edges"] == [[0, 1], [1, 2], [2, 3]]
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


def bars_of(page):
    """Tooltip, side and style of each bar of a timeline."""
    found = re.findall(r'<g><title>([^<]*)</title><rect x="[^"]*" y="([^"]*)"[^>]*class="(\w+)"/>', page)
    return {(text, "above" if float(y) % 20 < 12 else "below", style) for text, y, style in found}


def test_intervals_have_timelines_of_videos():
    truth = [{"boxes": [[0, 4], [10, 20]], "labels": [1, 2]}, {"boxes": [[0, 4]], "labels": [1]}]
    found = [
        {"boxes": [[0, 4], [30, 40]], "labels": [1, 2], "scores": [0.5, 0.9]},
        {"boxes": [[0, 4]], "labels": [1], "scores": [0.5]},
    ]
    result = detection.evaluate(truth, found, kind="intervals")
    names = {1: "<b>Golf</b>", 2: "Diving"}
    made = report.record(result, names=names, images={0: "v<0>", 1: "v1"}, analyses=report.ANALYSES)
    page = report.html(made)
    part = page[page.index('id="images"') : page.index('id="label_errors"')]
    # Video 1 has no error.
    assert part.count('class="long"') == 1
    assert "v&lt;0&gt;. 1 missed, 1 false, 1 right" in part
    assert bars_of(part) == {
        ("&lt;b&gt;Golf&lt;/b&gt;: found", "above", "a"),
        ("&lt;b&gt;Golf&lt;/b&gt; 0.50: hit", "below", "a"),
        ("Diving: missed", "above", "b"),
        ("Diving 0.90: false", "below", "b"),
    }


def spotted(times, labels, scores=None):
    return spotting.Events(times=times, labels=labels, videos=["game"] * len(times), scores=scores)


def test_spotting_has_a_timeline_of_right_and_wrong_moments():
    truth = spotted([10.0, 100.0, 50.0], ["Goal", "Goal", "Foul"])
    # The second goal is 4 s late, beyond 2.5 s; of two predictions of 0.1 none is needed for the best F1.
    found = spotted(
        [11.0, 104.0, 50.5, 70.0, 80.0], ["Goal", "Goal", "Foul", "Foul", "Foul"], [0.9, 0.8, 0.7, 0.1, 0.1]
    )
    chart = actions.timeline(spotting.evaluate(truth, found))
    assert [row.name for row in chart.rows] == ["Foul", "Goal"]
    assert set(chart.rows[0].moments) == {(50.0, "a", ABOVE), (50.5, "a", BELOW)}
    assert set(chart.rows[1].moments) == {
        *((10.0, "a", ABOVE), (100.0, "b", ABOVE)),
        *((11.0, "a", BELOW), (104.0, "b", BELOW)),
    }
    assert chart.note == "1 missed, 1 false, 2 right at a tolerance of 5 s, with scores of at least 0.70"
    assert chart.x == (0.0, 104.0)


def test_spotting_of_no_predictions_and_of_thousands_of_actions():
    nothing = actions.timeline(spotting.evaluate(spotted([1.0], ["Goal"]), spotted([], [], [])))
    assert nothing.rows[0].moments == [(1.0, "b", ABOVE)]
    assert "1 missed, 0 false, 0 right" in nothing.note
    labels = [f"class {k % 40} of a long <name>" for k in range(4000)]
    many = spotted(list(map(float, range(4000))), labels)
    charts = actions.timelines(spotting.evaluate(many, spotted([], [], [])))
    assert list(charts) == ["timeline-1"]
    assert len(charts["timeline-1"].rows) == 25
    assert "25 of 40 classes, those with most errors" in charts["timeline-1"].note
    assert len(svg.figure("t", charts["timeline-1"]).svg) < 60_000


@pytest.mark.parametrize(("task", "first", "values"), [("semi-supervised", 1, [0.5, 1.0]), ("unsupervised", 0, None)])
def test_video_objects_have_j_and_f_by_frame(task, first, values):
    pytest.importorskip("scipy", reason="assignment is SciPy's")
    truth = np.zeros((4, 30, 30), dtype=np.int64)
    truth[:, 5:15, 5:25] = 1
    found = truth.copy()
    found[1, :, 15:] = 0  # half of the object
    truth[2], found[2] = 0, 0  # the object is hidden, and nobody says otherwise: both numbers are 1
    result = video_objects.evaluate({"a": truth}, {"a": found}, task=task)
    chart = over.frames(result)
    assert [x for x, _ in chart.curves[0].points] == list(range(first, first + len(chart.curves[0].points)))
    assert dict(chart.curves[0].points)[1] == 0.5
    assert dict(chart.curves[0].points)[2] == 1.0
    assert values is None or [y for _, y in chart.curves[0].points] == values
    assert chart.title == "J and F of a by frame"


def test_long_videos_are_drawn_by_means_of_frames():
    # 1, 0, 1, 0, ...: of 402 frames, the 400 that count are drawn in pairs.
    track = video_objects.ObjectTracks(np.asarray([1]), np.asarray([1]), *[np.asarray([[1.0, 0.0] * 200])] * 2)
    chart = over.frames(video_objects.VideoObjectResult("semi-supervised", {"a": track}, {}))
    assert chart.curves[0].points[:2] == [(1.5, 0.5), (3.5, 0.5)]
    assert len(chart.curves[0].points) == 200
    assert "Each point is the mean of 2 frames." in chart.told


def test_centres_have_errors_by_distance():
    rows = scenes.tables(*scenes.scene(4, samples=5, names=["car"]))
    result = centres.evaluate(*rows)
    bands = {(0.0, 20.0): result.within(0, 20), (20.0, 50.0): result.within(20, 50)}
    charts = over.of_distance(bands)
    errors, ap = charts["errors_by_distance"], charts["ap_by_distance"]
    assert [x.label for x in errors.curves] == ["translation, m", "scale, 1 - IoU", "orientation, rad"]
    assert [x for x, _ in errors.curves[0].points] == [10.0, 35.0]
    assert errors.curves[2].points[0][1] == bands[0.0, 20.0].summary["mAOE"]
    assert ap.curves[0].points[1][1] == bands[20.0, 50.0].summary["mAP"]
    assert errors.x == (0.0, 50.0)


def test_a_curve_with_dots_shows_a_single_point():
    plane = Plane(title="t", curves=[Curve([(0.5, 0.5), (0.7, None)], "a", dots=True)])
    assert svg.figure("t", plane).svg.count("<circle") == 1


@pytest.mark.parametrize(("kind", "what"), [("boxes3d", "volume, in cubic metres"), ("bev", "area, in metres")])
def test_boxes_in_3d_are_drawn_from_above_wherever_they_are(kind, what):
    # Turned by 90 degrees: 4 along y and 2 along x, around (-10, -20).
    truth = [{"boxes": [[-10, -20, 0, 4, 2, 1, math.pi / 2]], "labels": [1]}]
    nothing = [{"boxes": np.zeros((0, 7)), "labels": [], "scores": []}]
    page = report.html(report.record(detection.evaluate(truth, nothing, kind=kind), analyses=report.ANALYSES))
    assert '<svg viewBox="-11 -22 2 4"' in page
    assert "Boxes are seen from above, x to the right and y downwards." in page
    assert f"By {what}" in page
    assert "pixels" not in page[page.index("<main") : page.index('<script type="application/json"')]


def test_ids_of_a_page_are_unique():
    rows = [{"name": f"sequence {k}", "HOTA": k / 5} for k in range(5)]
    groups = [
        report.Group(key=key, title=key, rows=rows) for key in ("per_class", "per_sequence", "per_class_and_sequence")
    ]
    page = report.html(report.Record(kind="tracks", summary={"HOTA": 0.5}, words={"HOTA": "accuracy"}, groups=groups))
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    # The filter of each table finds it: a script looks for the table by its id.
    assert set(re.findall(r'data-filters="([^"]*)"', page)) == set(
        re.findall(r'<table class="sortable" id="([^"]*)"', page)
    )
