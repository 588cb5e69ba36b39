"""What pictures of a result show, read back from matplotlib's axes."""

import dataclasses
import re
import subprocess
import sys

import numpy as np
import pytest

from omniou import detection
from omniou.report._record import analysis_charts, charts, series
from omniou.report._record.analyses import ANALYSES, Source

# Class 1: two hits out of three objects, one detection too many; class 2: its only object is taken for class 1.
TARGETS = detection.Targets(
    boxes=[[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10], [60, 0, 70, 10]], labels=[1, 1, 1, 2], images=[0, 0, 1, 1]
)
DETECTIONS = detection.Detections(
    boxes=[[0, 0, 10, 10], [20, 0, 30, 8], [80, 80, 90, 90], [60, 0, 70, 10]],
    scores=[0.9, 0.7, 0.45, 0.3],
    labels=[1, 1, 1, 1],
    images=[0, 0, 1, 1],
)
NAMES = {1: "cat", 2: "<b>$dog$"}


KINDS = ["pr", "f1", "confusion", "iou", "scores", "calibration", "errors", "proposals"]
KINDS += ["froc", "miss_rate", "top_k", "empty_images", "per_class"]
OF_KEYPOINTS = ["points", "skeleton"]


@pytest.fixture
def result():
    return detection.evaluate(TARGETS, DETECTIONS)


@pytest.fixture
def report():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    from omniou import report

    yield report
    plt.close("all")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("empty", [False, True])
def test_plot_has_title_and_labels_and_fits_its_figure(report, result, kind, empty):
    if empty:
        result = detection.evaluate([{"boxes": [], "labels": []}], [{"boxes": [], "labels": [], "scores": []}])
    ax = report.plot(result, kind, names=NAMES)
    ax.figure.canvas.draw()

    assert ax.get_title()
    assert ax.get_xlabel()
    # Nothing of the axes, its labels and its legend lies beyond the edge of the figure.
    inside = ax.figure.bbox
    box = ax.get_tightbbox()
    assert box.x0 >= inside.x0 - 1
    assert box.y0 >= inside.y0 - 1
    assert box.x1 <= inside.x1 + 1
    assert box.y1 <= inside.y1 + 1


def test_kinds_are_those_of_the_analyses_that_are_drawn(report, result):
    from omniou.report._charts import plots

    assert sorted(plots.CHARTS) == sorted([*KINDS, *OF_KEYPOINTS])
    assert result.plot("iou").get_title() == report.plot(result, "iou").get_title()


def test_plot_draws_into_given_axes(report, result):
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(1, 2)
    assert report.plot(result, "iou", ax=axes[1]) is axes[1]
    assert len(plt.get_fignums()) == 1


def test_scores_series(result):
    data = series.scores(result, 4)
    assert data["edges"] == [0, 0.25, 0.5, 0.75, 1]
    assert data["true_positives"] == [0, 0, 1, 1]
    assert data["false_positives"] == [0, 2, 0, 0]


def test_scores_series_of_scores_beyond_one():
    scaled = detection.evaluate(
        TARGETS, detection.Detections(DETECTIONS.boxes, [90, 70, 45, 30], [1] * 4, [0, 0, 1, 1])
    )
    data = series.scores(scaled, 2)
    assert data["edges"] == [30, 60, 90]
    assert data["true_positives"] == [0, 2]


def test_iou_series(result):
    data = series.iou(result, 5)
    assert data["edges"] == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1])
    assert sum(data["counts"]) == 2
    assert data["counts"][-1] == 1
    assert data["mean"] == pytest.approx(0.9)


def test_iou_series_without_hits():
    nothing = detection.evaluate(TARGETS, detection.Detections([[5, 50, 6, 51]], [0.5], [1], [0]))
    data = series.iou(nothing, 2)
    assert data["counts"] == [0, 0]
    assert data["mean"] is None


def test_precision_recall_series(result):
    data = series.precision_recall(result)
    assert len(data["per_class"]) == 2
    # Two of three objects are found first: precision 1 up to recall 2/3, and 0 beyond.
    assert data["per_class"][0][66:68] == [1, 0]
    assert data["mean"][0][0] == 0.5
    assert len(data["mean"]) == 10


def test_f1_series(result):
    data = series.f1(result.operating_points())
    at = data["scores"].index(0.5)
    # Class 1: two shown, both right, of three objects; class 2: nothing.
    assert data["f1"][at] == pytest.approx(0.8 / 2, abs=1e-5)
    assert data["recall"][at] == pytest.approx(2 / 3 / 2, abs=1e-5)
    assert data["precision"][at] == 1


def test_confusion_of_options(result):
    cells = ANALYSES["confusion"].compute(Source(result, NAMES, {}), score=0.8)["cells"]
    assert cells == [[0, 0, 1], [0, 2, 2], [1, 2, 1]]


def test_folded_keeps_total_and_classes_with_most_errors():
    counts = [[5, 0, 1, 0], [0, 9, 0, 0], [3, 0, 2, 1], [0, 0, 4, 0]]
    cells = [(i, j, n) for i, row in enumerate(counts) for j, n in enumerate(row) if n]
    kept, table = series.folded(3, cells, 2)
    assert kept == [0, 2]
    assert table == [[5, 1, 0, 0], [3, 2, 0, 1], [0, 0, 9, 0], [0, 4, 0, 0]]
    assert series.folded(3, cells, 3) == ([0, 1, 2], counts)


def test_confusion_plot_names_classes_as_they_are(report, result):
    ax = report.plot(result, "confusion", names=NAMES, score=0.25)
    ax.figure.canvas.draw()
    # Dollars are escaped: matplotlib would set what is between two of them as mathematics.
    assert [text.get_text() for text in ax.get_yticklabels()] == ["cat", r"<b>\$dog\$", "background"]
    # Shares of the objects: of background there are none.
    right, wrong = (image.get_array().filled(-1).tolist() for image in ax.images)
    assert right == pytest.approx(np.asarray([[2 / 3, -1, -1], [-1, -1, -1], [-1, -1, -1]]))
    assert wrong == pytest.approx(np.asarray([[-1, -1, 1 / 3], [1, -1, -1], [-1, -1, -1]]))
    # What is right and what is wrong differ in colour.
    assert [image.get_cmap().name for image in ax.images] == ["Blues", "Oranges"]


def test_per_class_plot_shows_weakest_first(report, result):
    ax = report.plot(result, "per_class", names={1: "same", 2: "same"})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["same", "same"]
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(widths)
    assert widths[0] == 0


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_page_and_plot_draw_one_description(report, result, kind):
    pytest.importorskip("markupsafe", reason="the extra cli is not installed")
    from omniou.report._charts.svg import figure

    value = ANALYSES[kind].compute(Source(result, NAMES, {}))
    chart = ANALYSES[kind].chart(value, "IoU")
    ax = report.plot(result, kind, names=NAMES)
    picture = str(figure("id", chart).svg)
    assert ax.get_title() == "\n".join(x for x in (chart.title, chart.note) if x)
    assert f'<title id="id-t">{chart.title}</title>' in picture
    assert chart.caption.startswith(f"{chart.title}. ")
    legend = ax.get_legend()
    shown = [text.get_text() for text in legend.get_texts()] if legend else []
    assert {words for _, words in chart.legend} <= set(shown)


def test_pr_plot_has_a_curve_of_each_threshold_and_page_two_of_them(report, result):
    ax = report.plot(result, "pr")
    assert len(ax.lines) == 11
    chart = ANALYSES["pr"].chart(series.precision_recall(result), "IoU")
    assert [words for _, words in chart.legend] == ["IoU 0.50", "IoU 0.75", "mean of all thresholds"]


def test_plot_options_reach_the_analysis(report, result):
    ax = report.plot(result, "confusion", score=0.8)
    assert "0.8" in ax.get_title()
    with pytest.raises(ValueError, match="not kept"):
        report.plot(detection.compute([result.state]), "errors")


def test_plot_refuses_unknown_kind_and_other_objects(report, result):
    with pytest.raises(ValueError, match="`kind`"):
        report.plot(result, "roc")
    with pytest.raises(TypeError, match="`score` is no option of kind 'pr', which has none"):
        report.plot(result, "pr", score=0.5)
    with pytest.raises(TypeError, match="`result`"):
        report.plot([], "pr")


def test_plot_of_other_library(report, xp):
    pytest.importorskip("numpy")
    if xp.__name__.endswith("dask.array"):
        pytest.skip("the evaluator takes no Dask arrays")
    targets = detection.Targets(xp.asarray([[0.0, 0, 10, 10]]), xp.asarray([1]), xp.asarray([0]))
    found = detection.Detections(xp.asarray([[0.0, 0, 10, 10]]), xp.asarray([0.5]), xp.asarray([1]), xp.asarray([0]))
    result = detection.evaluate(targets, found)
    for kind in KINDS:
        assert report.plot(result, kind).get_title()


@pytest.mark.parametrize("score", ["giou", "diou", "dice"])
def test_against_iou_draws_every_pair(report, score):
    ax = report.against_iou(score, pairs=200)
    points = [point for drawn in ax.collections for point in drawn.get_offsets().tolist()]
    assert len(points) == 200
    if score != "dice":
        assert all(other <= iou + 1e-12 for iou, other in points)
    assert max(iou for iou, _ in points) > 0.9
    assert min(iou for iou, _ in points) == 0


def test_missing_matplotlib_is_named_with_its_extra():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'matplotlib' else find(name, *a)\n"
        "from omniou import detection, report\n"
        "empty = detection.evaluate([{'boxes': [], 'labels': []}], [{'boxes': [], 'labels': [], 'scores': []}])\n"
        "report.plot(empty)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert 'pip install ".[plot]" in a clone of omniou' in done.stderr


@pytest.mark.parametrize("kind", ["pr", "f1", "scores", "iou", "calibration"])
def test_legend_names_every_line_outside_the_axes(report, result, kind):
    ax = report.plot(result, kind)
    assert all(not line.get_label().startswith("_") for line in ax.lines)
    legend = ax.get_legend()
    ax.figure.draw_without_rendering()
    assert {line.get_label() for line in ax.lines} <= {text.get_text() for text in legend.get_texts()}
    assert legend.get_window_extent().y1 <= ax.get_window_extent().y0
    many = report.plot({"a": result, "b": result}, "iou")
    many.figure.draw_without_rendering()
    assert many.get_legend().get_window_extent().y1 <= many.get_window_extent().y0


def test_axis_of_bars_ends_at_1(report, result):
    assert report.plot(result, "per_class").spines["bottom"].get_bounds() == (0, 1)


def test_bars_leave_out_classes_of_few_objects_where_others_remain():
    rows = [{"id": k, "name": f"c{k}", "objects": n, "AP": k / 8} for k, n in enumerate([1, 10, 9, 40, 12])]
    chart = analysis_charts.per_class(rows)
    assert [name for name, *_ in chart.rows] == ["c1", "c3", "c4"]
    assert chart.note == "Without 2 classes of fewer than 10 objects"
    (ranked,) = analysis_charts.ranked_rows(rows, "Each class", "classes")
    assert [name for name, *_ in ranked.rows] == ["c1", "c3", "c4"]
    assert ranked.keys == ["c1", "c3", "c4"]
    assert ranked.note == "In the table only: 2 classes of fewer than 10 objects"
    assert (
        len(analysis_charts.per_class(rows, "each range", of_classes=False).rows) == 5
    )  # ranges, frames or sequences are not classes
    assert len(analysis_charts.ranked_rows(rows, "Each range", "rows")[0].rows) == 5
    few = analysis_charts.per_class([row | {"objects": 3} for row in rows])
    assert (len(few.rows), few.note) == (5, "")


def test_no_error_costs_most_where_none_costs_anything():
    none = {"cost": {"missed": 0.0, "both": 0.0}, "counts": {"missed": 0, "both": 0}, "iou_threshold": 0.5, "ap": 1.0}
    assert analysis_charts.errors(none, "IoU").told == ""
    assert analysis_charts.errors(none | {"cost": {"missed": 0.0, "both": 0.1}}, "IoU").told == "Both costs most."


def test_rates_are_on_a_logarithmic_axis_in_page_and_plot(report, result):
    pytest.importorskip("markupsafe", reason="the extra cli is not installed")
    from omniou.report._charts.svg import figure

    ax = report.plot(result, "froc")
    assert ax.get_xscale() == "log"
    assert [x.get_text() for x in ax.get_xticklabels()] == ["0.125", "0.25", "0.5", "1", "2", "4", "8"]
    chart = charts.Plane(title="", x=(1.0, 100.0), ticks=(1.0, 10.0, 100.0))
    at = [float(x) for x in re.findall(r'<path d="M([\d.]+) [\d.]+V', figure("a", chart).svg)]
    assert at[1] == pytest.approx((at[0] + at[2]) / 2, abs=0.1)  # 10 is in the middle
    assert charts.fault_of(chart) == ""
    for bad in ({"x": (0.0, 1.0)}, {"curves": [charts.Curve([(0.0, 1.0)], "a")]}):
        wrong = dataclasses.replace(chart, **bad)
        assert charts.fault_of(wrong) == "expected positive numbers on a logarithmic axis"
