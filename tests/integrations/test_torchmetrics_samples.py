"""Samples of `MeanAveragePrecision` are read all at once, or one by one if they differ."""

import collections
import sys

import pytest
import torch

from omniou_integrations.torchmetrics import MeanAveragePrecision
from tests.integrations.samples import sample

ROWS = [[[0, 0, 10, 10], [20, 20, 30, 30]], [[0, 0, 4, 4]], []]


def samples(count=3):
    target = [sample(ROWS[i % 3], [1] * len(ROWS[i % 3])) for i in range(count)]
    return [x | {"scores": torch.ones(len(x["labels"]))} for x in target], target


def calls(update, *args):
    """Count calls of Python functions."""
    counter = collections.Counter()
    sys.setprofile(lambda _, event, __: counter.update([event]))
    try:
        update(*args)
    finally:
        sys.setprofile(None)
    return counter["call"]


def test_update_calls_as_many_functions_for_many_images():
    metric = MeanAveragePrecision()
    few, many = ([[x for x in side if len(x["labels"])] for side in samples(n)] for n in (24, 96))
    metric.update(*few)

    # Checks of each image call 9 functions for it.
    assert calls(metric.update, *many) < calls(metric.update, *few) + len(many[0]) / 2


@pytest.mark.parametrize(
    ("side", "image", "changed"),
    [
        ("preds", 2, {"boxes": torch.tensor([]), "labels": torch.tensor([])}),  # of one axis
        ("preds", 2, {"labels": None}),
        ("preds", 1, {"boxes": torch.tensor(ROWS[1], dtype=torch.float64)}),
        ("preds", 1, {"boxes": torch.nn.Parameter(torch.tensor(ROWS[1], dtype=torch.float32))}),
        ("preds", 1, {"boxes": torch.tensor(ROWS[1], dtype=torch.float32, requires_grad=True)}),
        ("target", 1, {"iscrowd": torch.tensor([0])}),
        ("target", 2, {"labels": None}),
        ("target", 0, {"area": torch.tensor([100.0, 100])}),
    ],
)
@pytest.mark.parametrize("num_classes", [None, 2])
def test_perfect_detections_with_an_image_of_another_form(side, image, changed, num_classes):
    preds, target = samples()
    {"preds": preds, "target": target}[side][image] |= changed
    target[0]["iscrowd"] = torch.zeros(2, dtype=torch.int64)  # and none in other images

    assert MeanAveragePrecision(num_classes=num_classes)(preds, target)["map"] == 1


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        # Image 0 has a label too few, and image 1 one too many: the lengths of the columns agree.
        (
            {0: {"labels": torch.tensor([1])}, 1: {"labels": torch.tensor([1, 1])}},
            ValueError,
            r"`preds\[0\]\['labels'\]` must have shape \(2,\)",
        ),
        ({1: {"labels": torch.tensor([True])}}, TypeError, r"`preds\[1\]\['labels'\]` must hold integers"),
        ({2: {"boxes": torch.zeros(0, 7)}}, ValueError, r"`preds\[2\]\['boxes'\]` must have shape \(N, 4\)"),
        ({1: {"labels": torch.tensor([2])}}, ValueError, r"`preds\[1\]\['labels'\]` must lie in 0 ... 1"),
        ({1: {"scores": torch.tensor([torch.nan])}}, ValueError, r"`preds\[1\]\['scores'\]` must be numbers"),
    ],
)
def test_fault_names_its_image(changed, error, message):
    preds, target = samples()
    for image, values in changed.items():
        preds[image] |= values

    with pytest.raises(error, match=message):
        MeanAveragePrecision(num_classes=2).update(preds, target)


def test_padding_at_the_end_of_images_that_are_alike():
    boxes = torch.tensor([[0.0, 0, 10, 10], [20, 20, 30, 30], [-100, -100, -100, -100]])
    row = {"boxes": boxes, "labels": torch.tensor([0, 1, -100]), "scores": torch.tensor([0.9, 0.8, 0.0])}
    found = MeanAveragePrecision()([row, row], [row, {name: x[:2] for name, x in row.items()}])
    assert found["map"] == 1
    assert found["classes"].tolist() == [0, 1]
