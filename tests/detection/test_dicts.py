"""The reader of a dictionary for each image, which the evaluator and the adapters share."""

import numpy as np
import pytest

from omniou import detection
from omniou._inputs import dicts

BOXES, LABELS = np.asarray([[0.0, 0, 1, 1]]), np.asarray([3])
TARGETS = dicts.keys("targets", "boxes", numbers=4)


def test_evaluate_accepts_key_aliases():
    truth = {"boxes": BOXES, "classes": LABELS, "crowd": [0]}
    detections = {"boxes": BOXES, "classes": LABELS, "confidence": [0.5]}

    assert detection.evaluate([truth], [detections]).summary["AP"] == pytest.approx(1)


def test_row_reads_first_key_alias():
    row = dicts.row("targets[0]", {"boxes": BOXES, "labels": LABELS, "classes": LABELS + 1}, TARGETS)

    assert row["labels"].tolist() == [3]


def test_labels_of_none_in_image_without_boxes():
    rows = [{"boxes": np.zeros((0, 4)), "labels": None}, {"boxes": BOXES, "labels": LABELS}]
    columns = dicts.joined("targets", dicts.read("targets", rows, TARGETS), TARGETS)

    assert (columns["labels"].tolist(), columns["images"]) == ([3], [1])


def test_optional_key_may_be_missing_in_image_without_boxes():
    rows = [{"boxes": [], "labels": []}, {"boxes": BOXES, "labels": LABELS, "area": np.asarray([2.0])}]
    columns = dicts.joined("targets", dicts.read("targets", rows, TARGETS), TARGETS)

    assert columns["area"].tolist() == [2]


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (2, 0)])
def test_row_of_padded_batch(shape):
    batch = {"boxes": np.zeros((*shape, 4)), "labels": np.zeros(shape, int)}
    columns = dicts.checked("targets", batch, TARGETS, ("batch", "N"))

    assert columns["boxes"].shape == (*shape, 4)
    with pytest.raises(ValueError, match=r"`targets\['labels'\]` must have shape \(.*, .*\) as there are boxes"):
        dicts.checked("targets", batch | {"labels": np.zeros((*shape, 1), int)}, TARGETS, ("batch", "N"))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"labels": np.ones(1)}, TypeError, r"`x\['labels'\]` must hold integers, got dtype float64"),
        (
            {"boxes": BOXES > 0},
            TypeError,
            r"`x\['boxes'\]` must hold integers or real floating numbers, got dtype bool",
        ),
        ({"iscrowd": np.zeros(1)}, TypeError, r"`x\['iscrowd'\]` must hold booleans or integers, got dtype float64"),
        ({"boxes": np.zeros((1, 6))}, ValueError, r"`x\['boxes'\]` must have shape \(N, 4\), got \(1, 6\)"),
        ({"labels": 3}, TypeError, r"`x\['labels'\]` must be an array or a list, got 3"),
    ],
)
def test_row_of_invalid_values_raises(changes, error, message):
    with pytest.raises(error, match=message):
        dicts.row("x", {"boxes": BOXES, "labels": LABELS} | changes, TARGETS)
