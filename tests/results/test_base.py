"""What every result of an evaluation gives: one contract, on a small real evaluation of each class."""

import copy
import html.parser
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from omniou import centres, detection, masks, panoptic, report, spotting, tracking
from omniou._lib.findings import Finding
from omniou._results.base import EvaluationResult, Named
from omniou.tracking import single, video_objects

pytest.importorskip("scipy", reason="tracks and components need SciPy")
pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from omniou.data import semantic
from tests.results.kinds import KINDS, model

BOX = [0, 0, 10, 10]
CLASSES = (centres.CentreClass(name="car", range=50.0), centres.CentreClass(name="bus", range=50.0))


def detections():
    truth = [{"boxes": [BOX, [20, 0, 30, 10]], "labels": [1, 2]}]
    return detection.evaluate(truth, [{"boxes": [BOX], "labels": [1], "scores": [0.9]}], classes=[1, 2, 3])


def tracks():
    frames = [{"ids": [1], "boxes": [BOX]}] * 4
    found = frames[:2] + [{"ids": [2], "boxes": [[0, 0, 10, 8]]}] * 2
    return tracking.evaluate({"a": frames, "b": frames}, {"a": found, "b": frames})


def one_object():
    return single.evaluate({"car": [BOX] * 4, "dog": [BOX] * 4}, {"car": [BOX] * 4, "dog": [BOX] * 3 + [[90, 0, 1, 1]]})


def objects_in_videos():
    truth = np.zeros((4, 40, 40), dtype=int)
    truth[:, 10:30, 10:30] = 1
    return video_objects.evaluate({"a": truth, "b": truth}, {"a": np.roll(truth, 5, axis=2), "b": truth})


def cars():
    columns = {"labels": ["car"], "samples": [0], "velocities": [[0, 0]], "attributes": ["vehicle.parked"]}
    boxes = {"boxes": [[5, 0, 0, 4, 2, 1.5, 0]], "from_ego": [[5, 0]]}
    rules = {"classes": CLASSES, "distances": (1.0, 2.0)}
    return centres.evaluate(
        centres.CentreTargets(**columns, **boxes),
        centres.CentreDetections(**columns, **boxes, scores=[0.5]),
        rules=centres.CentreRules(**vars_of(centres.NUSCENES) | rules),
    )


def vars_of(rules):
    return {name: getattr(rules, name) for name in rules.__dataclass_fields__}


def moments():
    truth = spotting.Events(times=[10.0, 50.0], labels=["Goal", "Foul"], videos=["a", "a"])
    return spotting.evaluate(truth, spotting.Events(times=[10.5], labels=["Goal"], videos=["a"], scores=[0.9]))


MAPS = np.zeros((2, 3, 4, 4, 2), dtype=int)
MAPS[..., 0] = 1
MAPS[1, ..., 2:, 0] = 7
TRUTH, FOUND = MAPS


def segments():
    return panoptic.count(TRUTH, FOUND, things={1}, stuff={7, 8})


def tubes():
    return panoptic.count_video(TRUTH, FOUND, things={1}, stuff={7}, windows=(1, 2))


def associated():
    return panoptic.count_tracks(TRUTH, FOUND, things={1}, stuff={7})


def cells():
    return panoptic.count_instances([MAPS[1, 0, ..., 0]] * 2, [MAPS[0, 0, ..., 0]] * 2, thresholds=(0.5, 0.75))


def label_maps():
    kind = KINDS["semantic"]
    return kind.evaluate(model(kind, 2, 1))


def lesions():
    return masks.components([[1, 1, 0, 1, 0, 1]], [[1, 1, 1, 0, 0, 1]])


class Case(NamedTuple):
    """An evaluation, the names of its rows by group, and a number with a spelling that misses it."""

    make: Callable[[], EvaluationResult]
    rows: Mapping[str, list[Any]]
    number: str
    misspelt: str


EXAMPLES = {
    detection.Result: Case(detections, {"per_class": ["1", "2", "3"]}, "AP50", "map_50"),
    tracking.Result: Case(tracks, {"per_sequence": ["a", "b"], "per_class": ["object"]}, "IDF1", "idf_1"),
    single.SingleResult: Case(one_object, {"per_sequence": ["car", "dog"]}, "precision", "precission"),
    video_objects.VideoObjectResult: Case(
        objects_in_videos,
        {"per_sequence": ["a", "b"], "per_object": ["a_1", "b_1"]},
        "J&F",
        "j&f",
    ),
    centres.CentreResult: Case(cars, {"per_class": ["car", "bus"]}, "NDS", "nds"),
    spotting.Spotting: Case(moments, {"per_class": ["Foul", "Goal"]}, "loose", "lose"),
    panoptic.PanopticCounts: Case(segments, {"per_class": ["1", "7", "8"]}, "PQ_th", "pq_t"),
    panoptic.VideoCounts: Case(tubes, {"per_window": [1, 2]}, "VPQ", "vpq"),
    panoptic.TrackingCounts: Case(associated, {}, "STQ", "stq"),
    panoptic.InstanceCounts: Case(cells, {"per_image": ["0", "1"], "per_threshold": ["0.5", "0.75"]}, "AP50", "ap_50"),
    semantic.LabelCounts: Case(label_maps, {"per_class": ["road", "car", "person"]}, "mIoU", "miou"),
    masks.ComponentCounts: Case(lesions, {}, "recall", "Recal"),
}
each_result = pytest.mark.parametrize(
    "case", [pytest.param(x, id=f"{cls.__module__.split('.')[1]}.{cls.__name__}") for cls, x in EXAMPLES.items()]
)


def subclasses(cls):
    below = {x for direct in cls.__subclasses__() for x in subclasses(direct)}
    return below or {cls}


def test_every_class_of_results_has_an_example():
    # `dataclass(slots=True)` makes a class anew and leaves the first one to the garbage collector.
    names = {x.__qualname__ for x in subclasses(EvaluationResult) if x.__module__.startswith("omniou.")}
    assert names == {x.__qualname__ for x in EXAMPLES}
    assert all(isinstance(case.make(), cls) for cls, case in EXAMPLES.items())


@each_result
def test_result_has_numbers_counts_rows_and_findings(case):
    result = case.make()

    assert isinstance(result.summary, Named)
    assert all(type(x) in {int, float} for x in result.summary.values())
    assert result.counts
    assert all(type(x) is int for x in result.counts.values())
    assert {group: [row["name"] for row in each] for group, each in result.rows.items()} == case.rows
    assert all(len(getattr(result, group)) for group in case.rows)
    assert all(isinstance(x, Finding) for x in result.findings)
    assert hasattr(result, "units")
    if "per_class" not in case.rows:
        has = ", ".join(f"`{group}`" for group in case.rows) or "`summary` only"
        with pytest.raises(AttributeError, match=f"has no numbers of classes; it has {has}"):
            _ = result.per_class


@each_result
def test_to_dict_is_plain_json(case):
    result = case.make()
    values = result.to_dict()

    assert json.loads(json.dumps(values, allow_nan=False)) == values
    for name, x in result.summary.items():
        assert values["summary"][name] == (None if math.isnan(x) else x)
    assert values["counts"] == result.counts
    for group, expected in case.rows.items():
        found = [x["name"] for x in values[group]] if group == "per_class" else list(values[group])
        assert found == [str(x) for x in expected]


@each_result
def test_to_pandas_has_a_row_for_each_class_or_sequence(case):
    pytest.importorskip("pandas", reason="needs pandas")
    result = case.make()
    frame = result.to_pandas()

    group, expected = next(iter(case.rows.items()), ("", []))
    whole = ["all"] if group in {"", "per_sequence"} else []
    assert list(frame.index) == expected + whole
    assert frame.index.name == ("sequence" if group == "per_sequence" else "name")
    if whole:
        np.testing.assert_equal(frame.loc["all"].to_dict(), result.summary)
    for name, x in (result.rows[group][0] if group else {}).items():
        if name != "name":
            np.testing.assert_equal(frame[name].iloc[0], x)


@each_result
def test_plot_draws_rows_and_the_summary(case):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib import pyplot as plt

    result = case.make()
    assert result.plot().get_title()
    if not isinstance(result, detection.Result):
        for group, expected in case.rows.items():
            bars = result.plot(group).get_yticklabels()
            assert [x.get_text() for x in bars] == [str(x) for x in expected]
        rates = [name for name, x in result.summary.items() if isinstance(x, float)]
        assert [x.get_text() for x in result.plot("summary").get_yticklabels()] == rates
    with pytest.raises(ValueError, match="`kind` must be one of"):
        result.plot("per_clas")
    plt.close("all")


class Text(html.parser.HTMLParser):
    """The cells of the tables of a page."""

    def __init__(self):
        super().__init__()
        self.cells = []

    def handle_data(self, data):
        self.cells.append(data)


@each_result
def test_repr_and_html_show_counts_numbers_and_rows(case):
    result = case.make()
    lines, page = repr(result).splitlines(), Text()
    page.feed(result._repr_html_())

    assert lines[0].startswith("Result of ")
    assert max(len(line) for line in lines if not line.startswith("  Warning: ")) <= 80
    x = result.summary[case.number]
    shown = "-" if math.isnan(x) else f"{x:.3f}" if isinstance(x, float) else str(x)
    assert f"{case.number} {shown}" in " ".join(lines)
    assert {lines[0], case.number, shown} <= set(page.cells)
    assert {str(x) for group in case.rows.values() for x in group} <= set(page.cells)


@each_result
def test_missed_lookup_names_the_nearest(case):
    result, right, wrong = case.make(), case.number, case.misspelt

    with pytest.raises(KeyError, match=f"did you mean '{right}'"):
        _ = result.summary[wrong]
    with pytest.raises(AttributeError, match=r"has no attribute '" + wrong) as raised:
        getattr(result, wrong)
    assert f"did you mean summary[{right!r}]" in str(raised.value)
    assert not hasattr(result, "summry")
    with pytest.raises(AttributeError, match=r"did you mean summary\?"):
        _ = result.summry
    with pytest.raises(AttributeError, match="no attribute '_unknown'"):
        _ = result._unknown


@each_result
def test_result_survives_copies_and_pickles(case):
    result = case.make()
    for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):  # noqa: S301
        np.testing.assert_equal(again.to_dict(), result.to_dict())
        assert repr(again) == repr(result)


@each_result
def test_page_of_every_result_has_its_rows(case):
    pytest.importorskip("jinja2", reason="the extra cli is not installed")
    page = report.html(report.record(case.make()))
    assert all(f">{name}<" in page for group in case.rows.values() for name in group)


@each_result
def test_table_and_scalars_take_every_result(case):
    result = case.make()
    number = case.number

    made = report.table({"a": result, "b": result}, [number], percent=False)
    np.testing.assert_equal(made.values, ((result.summary[number],),) * 2)
    logged = report.scalars(result)
    first = next(iter(result.summary))
    rows = [str(row["name"]) for each in result.rows.values() for row in each if first in row]
    assert [key.rpartition("/")[2] for key in list(logged)[len(result.summary) :]] == rows


def test_named_behaves_as_a_dictionary():
    named = Named({"AP": 0.5, "AP50": 0.75})

    assert named == {"AP": 0.5, "AP50": 0.75}
    assert dict(named) == named
    assert type(dict(named)) is dict
    assert "mAP" not in named
    assert named.get("mAP") is None
    assert list(named) == ["AP", "AP50"]
    assert json.dumps(named) == '{"AP": 0.5, "AP50": 0.75}'
    assert named | {"AP": 1} == {"AP": 1, "AP50": 0.75}
    for again in (pickle.loads(pickle.dumps(named)), copy.copy(named), copy.deepcopy(named)):  # noqa: S301
        assert again == named
        assert type(again) is Named
    with pytest.raises(KeyError, match=r"no 'mAP' among 'AP', 'AP50'; did you mean 'AP'\?"):
        named["mAP"]
    with pytest.raises(KeyError, match="no 3 among 1, 2"):
        Named({1: 0, 2: 0})[3]
    with pytest.raises(KeyError, match="no 'x' among no names"):
        Named()["x"]


class Broken(EvaluationResult):
    summary = Named({"AP": 0.5})

    @property
    def curves(self):
        raise AttributeError("from inside")


def test_attribute_error_inside_a_property_is_not_hidden():
    with pytest.raises(AttributeError, match="from inside"):
        _ = Broken().curves


def test_options_of_a_timeline_raise_with_other_kinds():
    with pytest.raises(TypeError, match="`sequence` and `objects` are for kind 'timeline'"):
        tracks().plot("per_sequence", sequence="a")


def test_base_loads_without_numpy():
    program = "import sys, omniou._results.base; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "pandas", "matplotlib"}
