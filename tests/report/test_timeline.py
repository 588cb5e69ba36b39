"""The picture of tracks over time, and the curves of single-object tracking."""

import dataclasses

import pytest

pytest.importorskip("scipy", reason="assignment is SciPy's")
pytest.importorskip("markupsafe", reason="the extra cli is not installed")

from omniou import report, tracking
from omniou.report._charts import svg
from omniou.report._charts import tracking_charts as charts
from omniou.tracking import single

BOX = {1: [0, 0, 9, 9], 2: [20, 0, 29, 9]}
# Track of each object in each frame; None: nobody tracks it; absent: the object is not there.
WALK = {1: {1: 7, 2: 7, 3: None, 4: 7, 5: 8, 6: 8}, 2: {2: 9, 3: 9, 5: 9}}
CALM = {1: {1: 5, 2: 5}}


def add(evaluator, tracks, sequence):
    for frame in sorted({x for seen in tracks.values() for x in seen}):
        there = {k: seen[frame] for k, seen in tracks.items() if frame in seen}
        found = {track: BOX[k] for k, track in there.items() if track is not None}
        evaluator.update(
            {"ids": list(there), "boxes": [BOX[k] for k in there]},
            {"ids": list(found), "boxes": list(found.values())},
            sequence=sequence,
            frame=frame,
        )


@pytest.fixture
def result():
    evaluator = tracking.Evaluator()
    add(evaluator, CALM, "calm")
    add(evaluator, WALK, "walk")
    return evaluator.compute()


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    yield plt
    plt.close("all")


def test_timeline_of_the_sequence_with_most_switches(result):
    chart = charts.timeline(result)
    assert chart.title == "Objects and their tracks in walk"
    assert chart.note == "2 objects, 1 identity switch, 2 fragments"
    assert chart.x == (0.5, 6.5)
    first, second = chart.rows
    assert first.name == "1"
    assert first.present == [(0.5, 6.5)]
    assert [dataclasses.astuple(x) for x in first.spans] == [
        (0.5, 2.5, "a", "7", 0),
        (3.5, 4.5, "a", "7", 0),
        (4.5, 6.5, "b", "8", 0),
    ]
    assert first.switches == [4.5]
    # The object is not there in frame 4: the bar ends, and no line goes on.
    assert second.present == [(1.5, 3.5), (4.5, 5.5)]
    assert [dataclasses.astuple(x) for x in second.spans] == [(1.5, 3.5, "a", "9", 0), (4.5, 5.5, "a", "9", 0)]
    assert second.switches == []


def test_no_bar_after_a_switch_has_the_style_of_the_first_track():
    evaluator = tracking.Evaluator()
    add(evaluator, {1: {1: 4, 2: 5, 3: 6, 4: 4, 5: 7}}, "walk")
    chart = charts.timeline(evaluator.compute())
    assert [(x.style, x.label) for x in chart.rows[0].spans] == [
        ("a", "4"),
        ("b", "5"),
        ("c", "6"),
        ("b", "4"),
        ("c", "7"),
    ]
    assert chart.rows[0].switches == [1.5, 2.5, 3.5, 4.5]
    assert [style for style, _ in chart.legend] == ["a", "b", "c", "axis", "switch"]


def test_legend_of_a_sequence_without_switches_has_none(result):
    assert [style for style, _ in charts.timeline(result, "calm").legend] == ["a", "axis"]


def test_hota_by_threshold():
    # One object of two frames: IoU 1 and 1/2, so the second frame matches up to a threshold of 0.5. Up to there all
    # numbers are 1. Above, 1 of 3 (a match, a miss, a false positive) is found, and its association is 1 of 3.
    boxes = [{"ids": [1], "boxes": [[0, 0, 2, 2]]}] * 2, [{"ids": [1], "boxes": [[0, 0, 2, y]]} for y in (2, 1)]
    chart = charts.hota(tracking.evaluate(*boxes))
    assert [curve.label for curve in chart.curves] == ["HOTA", "DetA", "AssA"]
    values = [y for _, y in chart.curves[0].points]
    assert values[:10] == [1.0] * 10
    assert values[10:] == pytest.approx([1 / 3] * 9)
    # 10 thresholds of 1 and 9 of 1/3: 13 of 19.
    assert chart.note == "HOTA is the mean over the thresholds: 0.684"
    assert chart.told == "It falls from 1.000 at 0.05 to 0.333 at 0.95."
    assert charts.hota(tracking.evaluate([], [])).told == ""


def test_plot_of_hota(pyplot, result):  # noqa: ARG001
    ax = result.plot("hota")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["HOTA", "DetA", "AssA"]
    assert len(ax.lines[0].get_xdata()) == 19
    assert tracking.compute([result.state]).plot("hota").get_title() == ax.get_title()  # a state has it, too


def test_long_picture_scrolls_on_a_phone(result):
    assert 'class="long"' in svg.figure("timeline", charts.timeline(result)).svg
    assert 'class="long"' not in svg.figure("hota", charts.hota(result)).svg


def test_timeline_of_chosen_sequence_and_number_of_objects(result):
    assert charts.timeline(result, "calm").title == "Objects and their tracks in calm"
    chart = charts.timeline(result, "walk", objects=1)
    assert [row.name for row in chart.rows] == ["1"]
    assert chart.note.startswith("1 of 2 objects, ")
    assert "lost most often" in chart.told


def test_timeline_of_frames_in_larger_steps_and_of_classes():
    evaluator = tracking.Evaluator()
    for frame in (0, 5, 10, 20):
        rows = {"ids": [1], "boxes": [BOX[1]], "labels": [frame // 20]}
        evaluator.update(rows, rows, frame=frame)
    chart = charts.timeline(evaluator.compute())
    assert chart.title == "Objects and their tracks"
    assert [(row.name, row.present) for row in chart.rows] == [("0 1", [(-2.5, 12.5)]), ("1 1", [(17.5, 22.5)])]


def test_timelines_of_the_sequences_with_most_switches(result):
    titles = {name: chart.title for name, chart in charts.timelines(result).items()}
    words = "Objects and their tracks in"
    assert titles == {"timeline-1": f"{words} walk", "timeline-2": f"{words} calm"}
    assert list(charts.timelines(result, 1)) == ["timeline-1"]


def test_timeline_without_objects():
    chart = charts.timeline(tracking.evaluate([{"ids": [], "boxes": []}], [{"ids": [1], "boxes": [BOX[1]]}]))
    assert (chart.rows, chart.note) == ([], "0 objects, 0 identity switches, 0 fragments")
    assert charts.timelines(tracking.evaluate([], [])) == {}
    assert "<svg" in svg.figure("timeline", chart).svg


def test_timeline_as_svg_has_a_bar_for_each_span(result):
    text = str(svg.figure("timeline", charts.timeline(result)).svg)
    assert text.count('class="a"') == 4
    assert text.count('class="b"') == 1
    assert text.count('class="switch"') == 1
    assert "<title>8</title>" in text
    shown = {"summary": {"HOTA": 0.5}, "words": {"HOTA": "accuracy"}, "charts": {"timeline": charts.timeline(result)}}
    page = report.html(report.Record(kind="tracks", **shown))
    assert "identity switch</li>" in page
    assert 'class="wide"' in page


def test_plot_draws_bars_and_switches(pyplot, result):
    ax = result.plot("timeline")
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1", "2"]
    assert sorted((x.get_x(), x.get_x() + x.get_width()) for x in ax.patches) == [
        *((0.5, 2.5), (1.5, 3.5), (3.5, 4.5), (4.5, 5.5), (4.5, 6.5)),
    ]
    assert [text.get_text() for text in ax.texts] == ["7", "7", "8", "9", "9"]
    _, other = pyplot.subplots()
    assert result.plot("timeline", sequence="calm", ax=other) is other


def test_plot_of_unknown_kind_sequence_or_state_raises(pyplot, result):  # noqa: ARG001
    with pytest.raises(ValueError, match="`kind` must be one of 'timeline'"):
        result.plot("pr")
    with pytest.raises(ValueError, match="`sequence` must be one of 'calm', 'walk', got 'wal'"):
        result.plot("timeline", sequence="wal")
    with pytest.raises(ValueError, match="`objects` must be a positive integer"):
        result.plot("timeline", objects=0)
    with pytest.raises(ValueError, match="not in a state, which keeps sums only"):
        tracking.compute([result.state]).plot("timeline")


@pytest.mark.parametrize(("kind", "points"), [("success", 21), ("precision", 51), ("normalised_precision", 51)])
def test_plot_of_single_object_tracking(pyplot, kind, points):  # noqa: ARG001
    truth, found = {"a": [[0, 0, 9, 9]] * 2}, {"a": [[0, 0, 9, 9], [1, 0, 9, 9]]}
    result = single.evaluate(truth, found)
    ax = result.plot(kind)
    x, y = ax.lines[0].get_data()
    assert len(x) == points
    assert y[-1] == result.curves.success[-1] if kind == "success" else y[-1] == 1
    assert "1 sequence, 2 frames" in ax.get_title()
    assert single.evaluate({}, {}).plot(kind).get_title().endswith("No frames")
    with pytest.raises(ValueError, match="`kind` must be one of 'success', 'precision'"):
        result.plot("pr")
