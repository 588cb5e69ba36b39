"""The tables of docs/moving.md: each call of omniou runs, and equals the other library's where the page says so."""

import contextlib
import importlib
import io
import os
import re

import numpy as np
import pytest
import torch

import tests.torchvision_ops
from tests.places import ROOT

PAGE = (ROOT / "docs" / "moving.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
ROW = re.compile(r"^\| `([^|]+)` \| `([^|]+)` \| (.*) \|$", re.MULTILINE)
ROWS = [(title, *row) for title, text in SECTIONS.items() for row in ROW.findall(text)]
TRUTH, FOUND = (f"docs/examples/coco-val2014-100/{name}.json" for name in ("ground_truth", "detections"))


@pytest.fixture(scope="module")
def names():
    """What the snippets of the page define."""
    pytest.importorskip("supervision", reason="supervision is not installed")
    space = {}
    with contextlib.chdir(ROOT):
        for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
            exec(code, space)  # noqa: S102
    return space


def imported(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


def theirs(title):
    """Names of the first column of a section."""
    if title == "torchvision":
        return {"ops": tests.torchvision_ops.ops}
    if title == "torchmetrics":
        imported("torchmetrics")
        return {"metrics": importlib.import_module("torchmetrics.detection")}
    if title == "supervision":
        return {}
    if title.startswith("pycocotools"):
        mask, coco = imported("pycocotools.mask"), imported("pycocotools.coco")
        evaluator = imported("pycocotools.cocoeval").COCOeval
    else:
        assert title == "hotcoco"
        coco = imported("hotcoco")
        mask, evaluator = coco.mask, coco.COCOeval
    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco.COCO(str(ROOT / TRUTH))
        evaluation = evaluator(truth, truth.loadRes(str(ROOT / FOUND)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {"e": evaluation, "mask": mask, "hotcoco": coco, "truth": truth}


def ours(title):
    """Names of the second column of a section that its snippets do not have."""
    if title == "torchmetrics":
        imported("torchmetrics")
        return {"metrics": importlib.import_module("omniou_integrations.torchmetrics")}
    if title == "KerasCV":
        os.environ.setdefault("KERAS_BACKEND", "torch")
        imported("keras")
        return {"keras": importlib.import_module("omniou_integrations.keras"), "batches": []}
    return {}


def numbers(value, names):
    """An array of what a call gives; a metric is called with the boxes of the page."""
    if isinstance(value, torch.nn.Module):
        label = torch.tensor([0, 1])
        found = {"boxes": names["a"], "labels": label, "scores": torch.tensor([0.9, 0.8])}
        value = next(iter(value([found], [{"boxes": names["c"], "labels": label}]).values()))
    value = np.asarray(value, dtype=float)
    return np.where(value == -1, np.nan, value)


def test_every_section_has_rows():
    assert set(SECTIONS) == {title for title, *_ in ROWS}


@pytest.mark.parametrize(("title", "call", "replacement", "remark"), ROWS, ids=[row[2] for row in ROWS])
def test_row_of_moving_page(names, title, call, replacement, remark):
    with np.errstate(all="ignore"):
        value = eval(replacement, names | ours(title))  # noqa: S307
        assert value is not None
        if remark.startswith("the same") and title != "KerasCV":
            space = names | theirs(title)
            if "mask" in space:
                space["r"] = space["mask"].encode(names["pixels"])
            expected = eval(call, space)  # noqa: S307
            np.testing.assert_allclose(numbers(value, names), numbers(expected, names), rtol=1e-5, atol=1e-6)
