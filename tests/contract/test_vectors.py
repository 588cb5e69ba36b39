"""Small cases with published values, copied from the tests of other projects."""

import json
from functools import partial

import numpy as np
import pytest

from omniou import boxes, losses, pairwise
from tests import places
from tests.helpers import array, numbers

VECTORS = places.SHARED / "vectors"
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
    if not VECTORS.is_dir():
        return [pytest.param("", {}, marks=pytest.mark.skip(reason="../shared is not here"))]
    params = []
    for file in FILES:
        for case in json.loads((VECTORS / f"{file}.json").read_text())["vectors"]:
            op = case["op"]
            if op in SCORES or op in LOSSES or op in ("box_convert", "box_area"):
                params.append(pytest.param(op, case, id=f"{file}-{case['id']}"))
    return params


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


@pytest.mark.parametrize(("op", "case"), cases())
def test_scores_and_losses_equal_published_values(xp, op, case):
    out = numbers(compute(xp, op, case["inputs"]))
    np.testing.assert_allclose(out, case["published"], rtol=0, atol=case["tol"])
    if "reference" in case:
        np.testing.assert_allclose(out, case["reference"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["giou", "diou", "ciou"])
def test_losses_without_boxes_equal_published_zero(xp, name):
    none = array(xp, np.zeros((0, 4)))
    loss = partial(getattr(losses, name), none, none)
    assert float(loss(reduction="mean")) == 0
    assert loss().shape == (0,)


def test_mean_of_aligned_pairs_equals_torchmetrics_aggregate(xp):
    """torchmetrics' `aggregate=True` is the mean over pairs of equal index."""
    if not VECTORS.is_dir():
        pytest.skip("../shared is not here")
    vectors = json.loads((VECTORS / "torchmetrics.json").read_text())["vectors"]
    case = next(case for case in vectors if case["id"] == "aggregate")
    a, b = (array(xp, case["inputs"][key]) for key in "ab")
    for name, expected in case["published"].items():
        assert float(xp.mean(getattr(boxes, name)(a, b))) == pytest.approx(expected, abs=case["tol"])
