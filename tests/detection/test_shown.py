"""A result as text, HTML, dictionary and frame; a ground truth that is evaluated as a whole."""

import dataclasses
import inspect
import sys

import pytest

from omniou import boxes, detection, rotated
from omniou.detection import Detections, Targets
from tests import places

TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}]
FOUND = [{"boxes": [[0, 0, 10, 10]], "labels": [1], "scores": [0.9]}]


@pytest.fixture
def result():
    result = detection.evaluate(TRUTH, FOUND, classes=[1, 2, 3])
    result.names = {1: "cat", 2: "<script>"}
    return result


def test_repr_fits_a_screen(result):
    text = repr(result)

    assert text.splitlines()[0] == "Result of 1 detection, 2 objects, 1 image, 3 classes"
    assert "AP 0.500" in text
    assert "APl -" in text
    assert len(text.splitlines()) == 5
    assert max(map(len, text.splitlines())) <= 60


def test_html_escapes_names(result):
    assert "&lt;script&gt;" in result._repr_html_()
    assert "<script>" not in result._repr_html_()


def test_to_dict_of_names_counts_and_missing_numbers(result):
    values = result.to_dict()

    assert values["counts"] == {"images": 1, "classes": 3, "objects": 2, "detections": 1}
    assert [(x["id"], x["name"], x["objects"]) for x in values["per_class"]] == [
        (1, "cat", 1),
        (2, "<script>", 1),
        (3, "3", 0),
    ]
    assert values["per_class"][2]["AP"] is None
    assert values["per_class"][1]["AP"] == 0
    assert values["summary"]["APl"] is None


def test_counts_hold_detections_over_the_limit():
    rules = dataclasses.replace(detection.COCO, max_detections=(1,))
    found = [{"boxes": [[0, 0, 10, 10]] * 3, "labels": [1] * 3, "scores": [0.9, 0.8, 0.7]}]
    result = detection.evaluate(TRUTH, found, protocol=rules)

    assert (result.surplus, result.to_dict()["counts"]["detections"]) == (2, 3)
    assert repr(result).startswith("Result of 3 detections, 2 objects, 1 image, 2 classes")


def test_to_pandas_has_a_row_for_each_class(result):
    pytest.importorskip("pandas", reason="needs pandas")
    frame = result.to_pandas()

    assert list(frame.index) == ["cat", "<script>", "3"]
    assert list(frame["objects"]) == [1, 1, 0]
    assert frame["AP"].isna().tolist() == [False, False, True]
    assert frame["AP"].dtype == "float64"


def test_to_pandas_without_pandas_names_it(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="`to_pandas` needs pandas: pip install pandas"):
        result.to_pandas()


@dataclasses.dataclass
class Read:
    """As `omniou.data.GroundTruth`."""

    targets: Targets
    format: str = "xywh"
    geometry: object = boxes.GEOMETRY
    images: tuple = (7, 8)
    categories: dict = dataclasses.field(default_factory=lambda: {1: "cat", 2: "dog"})
    frequency: dict | None = None


def test_evaluate_takes_ground_truth_with_its_format_images_and_classes():
    truth = Read(Targets(boxes=[[20, 20, 10, 10]], labels=[1], images=[7]), frequency={1: "r", 2: "f"})
    found = Detections(boxes=[[20, 20, 10, 10]], scores=[0.5], labels=[1], images=[7])

    result = detection.evaluate(truth, found)

    # As corners, 20 20 10 10 is no box at all.
    assert result.summary["AP"] == pytest.approx(1)
    assert result.summary["APr"] == pytest.approx(1)
    assert result.state.images.tolist() == [7, 8]
    assert result.names == {1: "cat", 2: "dog"}
    assert detection.evaluate(truth, found, images=[7], classes=[1]).state.images.tolist() == [7]


def test_evaluate_takes_kind_of_ground_truth():
    rows = [[5, 5, 8, 2, 0.3]]
    truth = Read(Targets(boxes=rows, labels=[1], images=[7]), format="cxcywhr", geometry=rotated.GEOMETRY)
    found = Detections(boxes=rows, scores=[0.5], labels=[1], images=[7])

    assert detection.evaluate(truth, found).state.kind == "rotated"
    assert detection.evaluate(truth, found, kind="rotated").summary["AP"] == pytest.approx(1)


def test_evaluate_with_other_format_than_that_of_ground_truth_raises():
    truth = Read(Targets(boxes=[[20, 20, 10, 10]], labels=[1], images=[7]))
    found = Detections(boxes=[[20, 20, 10, 10]], scores=[0.5], labels=[1], images=[7])

    with pytest.raises(ValueError, match="`format` must be 'xywh', as `targets` was read, got 'xyxy'"):
        detection.evaluate(truth, found, format="xyxy")


def test_evaluate_example_as_it_was_read():
    data = pytest.importorskip("omniou.data", reason="the extra cli is not installed")
    folder = places.EXAMPLE
    truth = data.read_ground_truth(folder / "ground_truth.json")
    found = data.read_detections(folder / "detections.json", truth)

    assert detection.evaluate(truth, found).summary["AP"] == pytest.approx(0.5045806987249628, abs=1e-12)


def test_help_of_evaluate_begins_with_a_short_signature():
    assert len(str(inspect.signature(detection.evaluate))) < 700


def test_evaluate_takes_names_of_classes_and_images():
    boxes = [[0, 0, 10, 10], [20, 0, 30, 10]]
    truth = Targets(boxes=boxes, labels=["dog", "cat"], images=["a.jpg", "b.jpg"])
    found = Detections(boxes=boxes[:1], scores=[0.5], labels=["dog"], images=["a.jpg"])

    result = detection.evaluate(truth, found, groups={"x": ["dog"]})

    assert (result.names, result.image_names) == ({0: "cat", 1: "dog"}, {0: "a.jpg", 1: "b.jpg"})
    assert result.per_class["AP"].tolist() == pytest.approx([0, 1])
    assert result.summary["APx"] == pytest.approx(1)
    some = detection.evaluate(truth, found, classes=["dog", "cow"], images=["a.jpg"])
    assert (some.classes.tolist(), some.names[1], some.summary["AP"]) == ([1, 2], "cow", pytest.approx(1))


def test_evaluate_takes_names_of_classes_in_dictionaries():
    truth = [{"boxes": [[0, 0, 10, 10]], "labels": ["dog"]}, {"boxes": [], "labels": []}]
    found = [truth[0] | {"scores": [0.5]}, truth[1] | {"scores": []}]

    assert detection.evaluate(truth, found).names == {0: "dog"}
    assert detection.evaluate(truth, found).summary["AP"] == pytest.approx(1)


def test_evaluate_takes_columns_of_a_frame():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    row = {"x": 0.0, "y": 0.0, "X": 9.0, "Y": 9.0, "label": 1, "image": 3, "score": 0.5}
    frame = pandas.DataFrame([row])
    shapes = frame[["x", "y", "X", "Y"]]

    result = detection.evaluate(
        Targets(shapes, frame["label"], frame["image"]),
        Detections(shapes, frame["score"], frame["label"], frame["image"]),
    )

    assert result.summary["AP"] == pytest.approx(1)


def test_offset_of_boxes_that_state_their_sides_raises():
    with pytest.raises(ValueError, match="`offset` is for maximum corners, but the format 'xywh' has sides"):
        detection.evaluate(TRUTH, FOUND, format="xywh", offset=1)


def test_repr_of_tables_fits_a_screen(result):
    targets = Targets(boxes=[[0, 0, 1, 1]] * 1000, labels=[1] * 1000, images=[0] * 1000)
    for x in (result.matches, targets):
        lines = repr(x).splitlines()
        assert lines[0] == f"{type(x).__name__}("
        assert len(lines) < 24
        assert max(map(len, lines)) <= 100
    assert "    objects=<int64 (10, 1)>," in repr(result.matches).splitlines()
