"""Pictures of several models on common axes, read back from matplotlib."""

import pytest

from omniou import detection
from tests.report.test_plots import DETECTIONS, NAMES, TARGETS, report  # noqa: F401  (a fixture)

OVERLAID = ["pr", "f1", "iou", "calibration", "errors", "proposals", "froc", "miss_rate", "per_class"]
WORSE = detection.Detections([[0, 0, 10, 9], [20, 0, 30, 6]], [0.8, 0.6], [1, 1], [0, 0])


@pytest.fixture
def models():
    return {"A": detection.evaluate(TARGETS, DETECTIONS), "B $x$": detection.evaluate(TARGETS, WORSE)}


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(("kind", "many"), [*((kind, 2) for kind in OVERLAID), ("errors", 6)])
def test_plot_of_models_names_each_and_fits_its_figure(report, models, kind, many):  # noqa: F811
    given = {f"{name}{k}": x for k in range(3) for name, x in models.items()}
    ax = report.plot(dict(list(given.items())[:many]), kind, names=NAMES)
    ax.figure.canvas.draw()

    shown = [x for x in words(ax) if x != "calibrated"]
    assert [x.partition(" (")[0] for x in shown] == [x.replace("$", r"\$") for x in list(given)[:many]]
    inside, box = ax.figure.bbox, ax.get_tightbbox()
    assert (box.x0, box.y0) >= (inside.x0 - 1, inside.y0 - 1)
    assert box.x1 <= inside.x1 + 1
    assert box.y1 <= inside.y1 + 1


def test_models_differ_in_more_than_colour(report, models):  # noqa: F811
    six = {f"{name}{k}": x for k in range(3) for name, x in models.items()}
    lines = report.plot(six, "pr").lines
    assert len({str(line.get_linestyle()) + str(line._unscaled_dash_pattern) for line in lines}) == 6
    assert len({line.get_marker() for line in lines}) == 6
    bars = report.plot(six, "errors").containers
    assert len({x.patches[0].get_hatch() for x in bars}) == 6


def test_pr_of_models_has_mean_over_thresholds_and_ap(report, models):  # noqa: F811
    ax = report.plot(models, "pr")
    # Class 1 of A: objects at IoU 1 and 0.8 of three, so recall 2/3 up to IoU 0.8, and 1/3 at 0.85 to 0.95.
    y = ax.lines[0].get_ydata()
    assert (y[0], y[33], y[34], y[66], y[67]) == pytest.approx((0.5, 0.5, 0.35, 0.35, 0))
    # 34 of 101 recall thresholds at every IoU threshold, 33 more at seven of ten; class 2 is never found.
    assert words(ax)[0] == f"A (AP {(34 + 0.7 * 33) / 101 / 2:.3f})"


def test_bars_of_models_have_cost_and_number(report, models):  # noqa: F811
    ax = report.plot(models, "errors")
    a, b = ax.containers
    costs = models["A"].errors().cost
    assert [bar.get_width() for bar in a] == pytest.approx([costs[x.get_text()] for x in ax.get_yticklabels()])
    assert ax.texts[0].get_text() == " 0.500 (1)"
    # The first model stands on top of the second.
    assert a[0].get_y() < b[0].get_y()


def test_per_class_of_models_joins_classes(report, models):  # noqa: F811
    other = detection.evaluate([{"boxes": [[0, 0, 9, 9]], "labels": [3]}], [{"boxes": [], "labels": [], "scores": []}])
    # "cat" of B: recall 2/3 at three thresholds (IoU 0.6), 1/3 at six more (IoU 0.9): (3 * 67 + 6 * 34) / 1010.
    ax = report.plot(models | {"C": other}, "per_class", names=NAMES)
    assert [x.get_text() for x in ax.get_yticklabels()] == [r"<b>\$dog\$", "3", "cat"]
    assert [x.get_text().strip() for x in ax.texts] == ["0.000", "-", "0.565", "0.000", "-", "0.401", "-", "0.000", "-"]


def test_label_adds_one_model_after_another(report, models):  # noqa: F811
    ax = report.plot(models["A"], "iou", label="A")
    top = ax.get_ylim()[1]
    assert models["B $x$"].plot("iou", label="B", ax=ax) is ax
    assert [x.partition(" (")[0] for x in words(ax)] == ["A", "B"]
    assert len({line.get_color() for line in ax.lines}) == 2
    assert ax.get_ylim()[1] >= top
    both = report.plot(models["A"], "calibration", label="A")
    assert words(report.plot(models["A"], "calibration", label="B", ax=both)).count("calibrated") == 1


def test_bars_of_models_one_after_another_raise(report, models):  # noqa: F811
    ax = report.plot(models["A"], "errors", label="A")
    with pytest.raises(ValueError, match=r"bars need to know all of them: draw all with plot\(\{...\}, 'errors'\)"):
        report.plot(models["A"], "errors", label="B", ax=ax)


@pytest.mark.parametrize("kind", ["confusion", "scores"])
def test_kinds_of_one_model_say_how(report, models, kind):  # noqa: F811
    with pytest.raises(ValueError, match=f"`kind` '{kind}' draws one model: give each its axes, as in plot"):
        report.plot(models, kind)


def test_plot_of_bad_models_raises(report, models):  # noqa: F811
    result = models["A"]
    with pytest.raises(ValueError, match="`result` must name 1 to 6 models, which can be told apart, got 0"):
        report.plot({}, "pr")
    with pytest.raises(ValueError, match="got 7"):
        report.plot(dict.fromkeys("abcdefg", result), "pr")
    with pytest.raises(TypeError, match=r"`result\['A'\]` must be a Result"):
        report.plot({"A": 3}, "pr")
    with pytest.raises(TypeError, match="`label` is for a single result"):
        report.plot(models, "pr", label="A")
    other = detection.evaluate(TARGETS, DETECTIONS, protocol=detection.VOC2010)
    with pytest.raises(ValueError, match="models must have the same IoU thresholds"):
        report.plot({"A": result, "B": other}, "pr")


def test_plot_of_records_is_that_of_results(report, models):  # noqa: F811
    from matplotlib import pyplot as plt

    saved = {name: report.record(x, names=NAMES, analyses=OVERLAID[:-1]).to_json() for name, x in models.items()}
    records = {name: report.Record.from_json(text) for name, text in saved.items()}
    for kind in OVERLAID:
        assert words(report.plot(records, kind)) == words(report.plot(models, kind, names=NAMES))
        plt.close("all")
    assert report.plot(records["A"], "pr").get_title() == report.plot(models["A"], "pr").get_title()


def test_plot_of_a_record_without_the_analysis_names_the_way(report, models):  # noqa: F811
    record = report.record(models["A"], analyses=["pr"])
    with pytest.raises(ValueError, match="a record without the analysis 'f1', it has 'pr', 'per_class': make it with"):
        report.plot(record, "f1")
    with pytest.raises(TypeError, match="`bins` is for results"):
        report.plot(record, "iou", bins=3)
    with pytest.raises(TypeError, match="`names` is for results"):
        report.plot(record, "per_class", names=NAMES)


def test_classes_of_models_with_other_names_raise(report, models):  # noqa: F811
    a, b = (report.record(models["A"], names={1: name}) for name in ("cat", "dog"))
    with pytest.raises(ValueError, match="class 1 is 'cat' in 'A' and 'dog' in 'B'"):
        report.plot({"A": a, "B": b}, "per_class")
