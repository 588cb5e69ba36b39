"""Names in the columns of labels and images."""

from pathlib import Path

import numpy as np
import pytest

from omniou.detection import Detections, Evaluator, Targets, evaluate

BOXES = [[0, 0, 10, 10], [20, 20, 30, 30], [0, 0, 10, 10]]


def tables(labels, images, found_labels, found_images):
    return (
        Targets(boxes=BOXES, labels=labels, images=images),
        Detections(boxes=BOXES[1:], scores=[0.9, 0.8], labels=found_labels, images=found_images),
    )


NUMBERS = tables([1, 0, 0], [1, 1, 0], [0, 0], [1, 0])
NAMES = (["dog", "cat", "cat"], ["b.jpg", "b.jpg", "a.jpg"], ["cat", "cat"], ["b.jpg", "a.jpg"])


def frames(column):
    return pytest.importorskip("pandas", reason="pandas is not installed").Series(column)


@pytest.mark.parametrize("column", [list, tuple, np.array, lambda x: np.array(x, dtype=object), frames])
def test_names_give_the_numbers_of_ids(column):
    result = evaluate(*tables(*map(column, NAMES)))
    expected = evaluate(*NUMBERS)
    assert result.summary == pytest.approx(expected.summary, nan_ok=True)
    assert result.classes.tolist() == [0, 1]
    assert result.names == {0: "cat", 1: "dog"}
    assert result.per_class["AP"].tolist() == [1.0, 0.0]


def test_names_of_classes_beside_numbers_of_images():
    result = evaluate(*tables(NAMES[0], [1, 1, 0], NAMES[2], [1, 0]))
    assert result.summary == pytest.approx(evaluate(*NUMBERS).summary, nan_ok=True)


def test_classes_and_images_are_chosen_by_name():
    targets, detections = tables(*NAMES)
    result = evaluate(targets, detections, classes=["cat"], images=["a.jpg", "c.jpg"])
    assert result.per_class["AP"].tolist() == pytest.approx([1.0])
    assert result.names[result.classes.tolist()[0]] == "cat"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            (NAMES[0], [1, 1, 0], [0, 0], [1, 0]),
            r"`detections.labels` must hold names, as `targets.labels` does, got 0",
        ),
        ((["dog", 1, "cat"], [1, 1, 0], ["cat"] * 2, [1, 0]), r"`targets.labels\[1\]` must be a name, .*got 1"),
    ],
)
def test_names_and_numbers_in_one_column_raise(columns, message):
    with pytest.raises(TypeError, match=message):
        evaluate(*tables(*columns))


def test_no_detections_beside_names():
    targets = Targets(boxes=BOXES, labels=NAMES[0], images=NAMES[1])
    assert evaluate(targets, Detections([], [], [], [])).summary["AP"] == 0


def test_names_of_a_ground_truth_that_was_read():
    data = pytest.importorskip("omniou.data", reason="the extra cli is not installed")
    pytest.importorskip("msgspec", reason="the extra cli is not installed")
    folder = Path(__file__).parents[2] / "docs" / "examples" / "coco-val2014-100"
    truth = data.read_ground_truth(folder / "ground_truth.json")
    found = data.read_detections(folder / "detections.json", truth)
    named = Detections(
        found.boxes,
        found.scores,
        labels=[truth.categories[x] for x in found.labels.tolist()],
        images=[truth.image_names[x] for x in found.images.tolist()],
    )
    assert evaluate(truth, named).summary == pytest.approx(evaluate(truth, found).summary, nan_ok=True)
    named.labels[5] = "persons"
    with pytest.raises(ValueError, match=r"`detections.labels\[5\]` must be one of the 80 names .*mean 'person'"):
        evaluate(truth, named)


def test_evaluator_takes_numbers_alone():
    with pytest.raises(TypeError, match=r"`targets.labels`"):
        Evaluator().update(*tables(*NAMES))
