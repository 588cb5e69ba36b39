"""Small cases with published values, copied from the tests of other projects."""

from functools import partial

import numpy as np
import pytest

from omniou import boxes, losses, pairwise
from tests.helpers import array, numbers
from tests.places import vectors

FILES = ("torchvision", "torchmetrics", "detectron2", "tfa_giou")

SCORES = {
    "box_iou": boxes.iou,
    "box_giou": boxes.giou,
    "box_diou": boxes.diou,
    "box_ciou": boxes.ciou,
    "box_ioa(intersection/area of b)": lambda a, b, **options: boxes.iof(b, a, **options),
}
LOSSES = {f"{name}_loss": getattr(losses, name) for name in ("iou", "giou", "diou", "ciou")}


def cases():
    ops = [*SCORES, *LOSSES, "box_convert", "box_area"]
    return [case for file in FILES for case in vectors(file, lambda x: x["op"] in ops)]


def compute(xp, op, inputs):
    a = array(xp, inputs["a"])
    options = {"format": inputs["fmt"]} if "fmt" in inputs else {}
    if op == "box_convert":
        return boxes.convert(a, inputs["from"], inputs["to"])
    if op == "box_area":
        return boxes.area(a, **options)
    b = array(xp, inputs["b"])
    if op in SCORES:
        return pairwise(SCORES[op], a, b, **options)
    if inputs.get("pairwise"):
        return LOSSES[op](a, b, **options)
    return LOSSES[op](a, b, reduction=inputs.get("reduction", "none"), **options)


@pytest.mark.parametrize("case", cases())
def test_scores_and_losses_equal_published_values(xp, case):
    out = numbers(compute(xp, case["op"], case["inputs"]))
    np.testing.assert_allclose(out, case["published"], rtol=0, atol=case["tol"])
    if "reference" in case:
        np.testing.assert_allclose(out, case["reference"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["giou", "diou", "ciou"])
def test_losses_without_boxes_equal_published_zero(xp, name):
    none = array(xp, np.zeros((0, 4)))
    loss = partial(getattr(losses, name), none, none)
    assert float(loss(reduction="mean")) == 0
    assert loss().shape == (0,)


@pytest.mark.parametrize("case", vectors("torchmetrics", lambda x: x["id"] == "aggregate"))
def test_mean_of_aligned_pairs_equals_torchmetrics_aggregate(xp, case):
    """torchmetrics' `aggregate=True` is the mean over pairs of equal index."""
    a, b = (array(xp, case["inputs"][key]) for key in "ab")
    for name, expected in case["published"].items():
        assert float(xp.mean(getattr(boxes, name)(a, b))) == pytest.approx(expected, abs=case["tol"])
