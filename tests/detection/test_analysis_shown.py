"""Analyses as a line of text, in notebooks, as pictures and as frames."""

import copy
import math
import pickle

import pytest

from omniou import detection

# Class 1: found with IoU 0.8 at 0.9, another one missed, a false positive at 0.6; class 2: found as 1 at 0.4.
TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]], "labels": [1, 1, 2]}]
FOUND = [
    {
        "boxes": [[0, 0, 10, 8], [80, 80, 90, 90], [40, 0, 50, 10]],
        "scores": [0.9, 0.6, 0.4],
        "labels": [1, 1, 1],
    }
]
LINES = {
    "errors": "Breakdown: AP 0.252 at IoU 0.50, errors cost classification 0.500, missed 0.248",
    "confusion": "Confusion: 1 right class, 0 another class, 0 background, 2 missed (score ≥ 0.90, IoU ≥ 0.50)",
    "calibration": "Calibration: expected calibration error 0.367, 0.380 by chance, of 3 detections at IoU 0.50",
    "lrp": "LRP: oLRP 0.850 (localisation 0.200, false positives 0.000, false negatives 0.750) at IoU 0.50",
    "proposals": "Proposals: average recall 0.567 with 100 proposals, area 0.556",
    "froc": "FROC: mean recall 0.333 at 0.125 to 8 false positives for each image, at IoU 0.50",
    "miss_rate": "MissRate: log-average miss rate 0.667 at 0.01 to 1 false positives for each image, at IoU 0.50",
    "top_k": "TopK: precision 0.333, recall 0.333 of the 100 best detections for each image at IoU 0.50",
    "empty_images": "EmptyImages: 0 of 1 images are empty; best F1 over images 1.000 at score 0.90",
    "operating_points": "OperatingPoints: best F1 0.333 at score 0.90, mean of the classes at IoU 0.50",
}


@pytest.fixture
def result():
    made = detection.evaluate(TRUTH, FOUND)
    made.names = {1: "cat"}
    return made


@pytest.fixture
def axes():
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("agg")
    from matplotlib import pyplot as plt

    yield lambda: plt.subplots()[1]
    plt.close("all")


@pytest.mark.parametrize("name", list(LINES))
def test_str_of_an_analysis_is_one_line(result, name):
    assert str(getattr(result, name)()) == LINES[name]


def test_str_of_heading_is_one_line():
    box = {"boxes": [[0, 0, 0, 4, 2, 1, 0]], "labels": [1]}
    turned = {"boxes": [[0, 0, 0, 4, 2, 1, math.pi]], "labels": [1], "scores": [0.5]}
    heading = detection.evaluate([box], [turned], kind="boxes3d").heading()
    assert str(heading) == "HeadingAP: AP 1.000, APH 0.000, heading error 3.142 radians at IoU 0.50"


@pytest.mark.parametrize("name", list(LINES))
def test_notebooks_show_line_and_picture(result, name):
    pytest.importorskip("markupsafe", reason="the extra cli is not installed")
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    html = getattr(result, name)()._repr_html_()
    assert f"<p>{LINES[name]}</p>" in html
    assert html.count("<svg ") == 1
    assert html.count("<") - html.count("</") > 5
    # Two of them in one notebook have different ids.
    assert html.partition('id="')[2][:12] != getattr(result, name)()._repr_html_().partition('id="')[2][:12]


def test_names_of_classes_are_escaped_in_notebooks(result):
    pytest.importorskip("markupsafe", reason="the extra cli is not installed")
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    result.names = {1: "<b>"}
    html = result.confusion()._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


@pytest.mark.parametrize("name", list(LINES))
def test_plot_of_an_analysis_is_that_of_the_result(result, axes, name):
    ax = axes()
    assert getattr(result, name)().plot(ax=ax) is ax
    kinds = {"operating_points": "f1"}
    if name != "lrp":
        assert ax.get_title() == result.plot(kinds.get(name, name), ax=axes()).get_title()
    assert ax.get_title()


def test_labels_draw_analyses_over_each_other(result, axes):
    ax = axes()
    for label in ("A", "B"):
        result.operating_points().plot(ax=ax, label=label)
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["A (best F1 0.333 at 0.90)", "B (best F1 0.333 at 0.90)"]
    with pytest.raises(ValueError, match="`kind` 'lrp' draws one model"):
        result.lrp().plot(label="A")


def test_frames_of_analyses(result):
    pytest.importorskip("pandas", reason="needs pandas")
    errors = result.errors().to_pandas()
    assert errors.loc["missed", "count"] == 1
    assert errors.index.name == "error"
    confusion = result.confusion().to_pandas()
    assert confusion.to_numpy().tolist() == result.confusion().counts.tolist()
    assert (list(confusion.index), list(confusion)) == (["cat", "2", "background"], ["cat", "2", "nothing"])
    lrp = result.lrp().to_pandas()
    assert len(lrp) == 20
    assert lrp.loc["cat", "oLRP"].iloc[0] == pytest.approx(0.7)
    assert list(result.operating_points().to_pandas().loc["cat"]) == pytest.approx([2 / 3, 0.9])
    assert list(result.calibration(bins=2).to_pandas()["counts"]) == [1, 2]
    assert result.proposals().to_pandas().iloc[-1]["recall at IoU 0.50"] == pytest.approx(2 / 3)


def test_confusion_of_classes_of_one_name_keeps_their_columns(result):
    pytest.importorskip("pandas", reason="needs pandas")
    result.names = {1: "same", 2: "same"}
    assert list(result.confusion().to_pandas()) == ["same (0)", "same (1)", "nothing"]


@pytest.mark.parametrize("name", list(LINES))
def test_analyses_are_copied_and_pickled_whole(result, name):
    made = getattr(result, name)()
    for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301  (our own)
        assert str(again) == str(made)
        assert again.class_names == ("cat", "2")


def test_analyses_of_nothing_have_a_line():
    empty = detection.evaluate([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}])
    for name in LINES:
        assert "\n" not in str(getattr(empty, name)())


def test_str_of_interval_and_comparison():
    interval = detection.Interval(0.412, 0.391, 0.4334, 0.01, 0.0, 0.95, (), name="AP")
    assert str(interval) == "AP 0.412 [0.391, 0.433]"
    assert str(detection.Interval(0.4, 0.3, 0.5, 0.1, 0.05, 0.95, ())) == "0.400 [0.300, 0.500] (unreliable)"
    nothing = detection.Interval(math.nan, math.nan, math.nan, math.nan, math.nan, 0.95, (), name="APl")
    assert str(nothing) == "APl - [-, -]"
    gap = detection.Interval(0.021, 0.01, 0.032, 0.01, 0.0, 0.95, (), name="AP")
    second = detection.Interval(0.433, 0.4, 0.45, 0.01, 0.0, 0.95, (), name="AP")
    assert str(detection.Comparison(gap, interval, second, 0.012)) == (
        "AP 0.412 to 0.433: +0.021 [+0.010, +0.032], p = 0.012"
    )
    classes = detection.ClassComparison((1, 2, 3), (0.1, -0.1, math.nan), (0.0,) * 3, (0.0,) * 3, (0.01, 0.2, math.nan))
    assert str(classes) == "3 classes: 1 better, 0 worse (p < 0.05, adjusted)"
    if pytest.importorskip("pandas", reason="needs pandas"):
        assert list(classes.to_pandas().loc[2]) == [-0.1, 0, 0, 0.2]


def test_bootstrap_and_compare_name_their_number(result):
    assert detection.bootstrap(result, "AP50", samples=10).name == "AP50"
    made = detection.compare_number(result, result, "AP50", samples=10)
    assert {x.name for x in (made.difference, made.first, made.second)} == {"AP50"}
