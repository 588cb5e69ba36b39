"""Numbers and pictures for loggers."""

import math
import re
import sys

import numpy as np
import pytest

from omniou import detection, tracking

report = pytest.importorskip("omniou.report", reason="the extra cli is not installed")

TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
FOUND = [{"boxes": [[0, 0, 10, 8]], "scores": [0.5], "labels": [1]}]


@pytest.fixture
def result():
    return detection.evaluate(TRUTH, FOUND)


def test_scalars_are_the_summary_and_ap_of_each_class(result):
    got = report.scalars(result, names={1: "cat", 2: "dog"})
    assert list(got) == [*result.summary, "AP/cat", "AP/dog"]
    assert all(type(x) is float for x in got.values())
    assert (got["AP"], got["AP50"], got["AP/cat"], got["AP/dog"]) == pytest.approx((0.35, 0.5, 0.7, 0))
    assert math.isnan(got["APl"])  # the same keys at each step


def test_scalars_of_a_record_are_those_of_the_result(result):
    record = report.record(result, names={1: "cat", 2: "dog"})
    saved = report.Record.from_json(record.to_json())
    assert repr(report.scalars(saved)) == repr(report.scalars(result, names={1: "cat", 2: "dog"}))


def test_scalars_chosen_by_class_and_with_a_prefix(result):
    got = report.scalars(result, per_class=["AP50", "AR100"], prefix="val/coco")
    assert [x for x in got if x.count("/") == 3] == [
        *("val/coco/AP50/1", "val/coco/AP50/2", "val/coco/AR100/1", "val/coco/AR100/2"),
    ]
    assert list(report.scalars(result, per_class=())) == list(result.summary)
    with pytest.raises(ValueError, match="`per_class` must name numbers of classes, got 'AP5'; did you mean"):
        report.scalars(result, per_class=["AP5"])


def test_names_of_scalars_are_valid_for_every_logger_and_unique(result):
    got = report.scalars(result, names={1: "a b/猫$", 2: "a b 猫%"})
    assert list(got)[-2:] == ["AP/a_b_猫_", "AP/a_b_猫__2"]
    got = report.scalars({"J&F": 0.5, "HOTA(0)": 1, "..": None, "": 2.0})
    assert list(got) == ["J_F", "HOTA_0_", "_", "__2"]
    assert all(re.fullmatch(r"[\w./-]+", x) for x in got)
    assert math.isnan(got["_"])


def test_scalars_of_other_kinds():
    frames = [{"ids": [1], "boxes": [[0, 0, 9, 9]]}] * 4
    tracks = tracking.evaluate(frames, frames)
    assert report.scalars(tracks)["HOTA"] == 1
    group = report.Group(key="per_sequence", title="Each", rows=[{"name": "a b", "HOTA": 0.5, "kind": "x"}])
    scores = report.Record(kind="tracks", summary={"HOTA": 0.5}, words={}, groups=[group])
    assert report.scalars(scores) == {"HOTA": 0.5, "HOTA/a_b": 0.5}
    with pytest.raises(TypeError, match="`result` must be a result with a summary"):
        report.scalars(3)


MAP = {"map": np.float32(0.5), "map_per_class": np.asarray([0.25, 0.75]), "classes": np.asarray([1, 4])}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (MAP, {"map": 0.5, "map/cat": 0.25, "map/4": 0.75}),
        ({f"val_{x}": y for x, y in MAP.items()}, {"val_map": 0.5, "val_map/cat": 0.25, "val_map/4": 0.75}),
        ({"a": MAP, "b": [0.5, 1]}, {"a_map": 0.5, "a_map/cat": 0.25, "a_map/4": 0.75, "b/0": 0.5, "b/cat": 1}),
        ({"segm_map_per_class": [0.5], "classes": np.asarray(4)}, {"segm_map/4": 0.5}),
        # What torchmetrics has where no numbers of classes were asked for, and tables.
        (
            MAP | {"map_per_class": np.asarray(-1.0), "ious": {(0, 1): np.ones(2)}, "recall": np.ones((2, 3))},
            {"map": 0.5},
        ),
        ({"map_per_class": np.asarray(-1.0), "classes": np.asarray(4), "num_classes": 1}, {"num_classes": 1}),
    ],
)
def test_scalars_of_vectors_of_classes(given, expected):
    assert report.scalars(given, names={1: "cat"}) == pytest.approx(expected)


def test_scalars_of_a_mapping_with_any_key_and_with_curves():
    curve = (np.zeros(3), np.zeros(4))
    assert report.scalars({1: np.asarray(0.5), "roc": curve, "roc_list": [[1.0], [2.0]]}) == {"1": 0.5}


def test_scalars_of_a_mapping_by_class_and_bad_values():
    assert report.scalars(MAP, per_class=[]) == {"map": 0.5}
    with pytest.raises(ValueError, match="`per_class` must name numbers of classes, got 'mar'"):
        report.scalars(MAP, per_class=["mar"])
    with pytest.raises(TypeError, match=r"`result\['a'\]\['b'\]` must be a number or an array, got str"):
        report.scalars({"a": {"b": "c"}})


def test_figures_are_those_of_plot_and_pyplot_holds_none(result):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    figures = report.figures(result, kinds=["iou", "per_class"], names={1: "cat"})
    assert list(figures) == ["iou", "per_class"]
    assert [x.get_text() for x in figures["per_class"].axes[0].get_yticklabels()] == ["2", "cat"]
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_figures_leave_out_what_the_data_does_not_allow():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    logits = detection.evaluate(TRUTH, [FOUND[0] | {"scores": [-3.0]}])
    state = detection.compute([logits.state])
    assert list(report.figures(state)) == ["pr", "f1", "per_class"]
    with pytest.raises(ValueError, match="scores must be in"):
        report.figures(logits, kinds=["calibration"])
    with pytest.raises(ValueError, match="`kinds`"):
        report.figures(logits, kinds=["roc"])
    with pytest.raises(TypeError, match="`result` must be a Result or a Record"):
        report.figures({})


def test_figures_of_trackers():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    frames = [{"ids": [1], "boxes": [[0, 0, 9, 9]]}] * 4
    assert list(report.figures(tracking.evaluate(frames, frames))) == ["timeline-1"]
    single = tracking.single.evaluate({"car": [[0, 0, 9, 9]]}, {"car": [[0, 0, 9, 9]]})
    assert list(report.figures(single, kinds=["success"])) == ["success"]


@pytest.mark.parametrize(("format", "head"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_the_same_figure_gives_the_same_bytes(result, format, head):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from omniou.report._logging.figures import encoded

    one, other = (encoded(report.figures(result, kinds=["iou"])["iou"], format) for _ in range(2))
    assert one == other
    assert one.startswith(head)


def test_figures_of_a_record_are_its_analyses(result):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    record = report.record(result, analyses=["iou", "lrp"])
    assert list(report.figures(record)) == ["iou", "per_class"]
    with pytest.raises(ValueError, match="`kinds`"):
        report.figures(record, kinds=["pr"])
