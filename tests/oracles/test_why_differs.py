"""AP of the example by other tools, as the table of docs/why-differs.md has it."""

import json
import re
from collections import defaultdict

import numpy as np
import pytest
import torch

import tests.torchvision_ops  # noqa: F401  (before torchmetrics, which imports torchvision)
from tests import places

DOCS = places.DOCS
EXAMPLE = DOCS / "examples" / "coco-val2014-100"
TRUTH, FOUND = EXAMPLE / "ground_truth.json", EXAMPLE / "detections.json"


def stated(tool):
    """AP in the line of the table that names the tool."""
    lines = [x for x in (DOCS / "why-differs.md").read_text("utf-8").splitlines() if x.startswith("|") and tool in x]
    assert len(lines) == 1
    return float(re.split(r" *\| *", lines[0])[2])


def per_image(path):
    """Rows of each image, in the order of the images."""
    rows, truth = defaultdict(list), json.loads(TRUTH.read_text("utf-8"))
    for row in truth["annotations"] if path == TRUTH else json.loads(path.read_text("utf-8")):
        rows[row["image_id"]].append(row)
    return [rows[image["id"]] for image in truth["images"]]


def column(rows, name):
    return np.asarray([row[name] for row in rows])


def corners(rows):
    boxes = np.asarray([row["bbox"] for row in rows], dtype=float).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    return boxes


@pytest.mark.parametrize("library", ["pycocotools", "faster_coco_eval", "hotcoco"])
def test_coco_tools_give_the_stated_ap(library, capsys):
    if library == "hotcoco":
        module = pytest.importorskip("hotcoco", reason="hotcoco is not installed")
        truth, evaluator = module.COCO(str(TRUTH)), module.COCOeval
        found = truth.loadRes(str(FOUND))
    elif library == "pycocotools":
        pytest.importorskip("pycocotools", reason="pycocotools is not installed")
        from pycocotools import cocoeval
        from pycocotools.coco import COCO

        truth, evaluator = COCO(TRUTH), cocoeval.COCOeval
        found = truth.loadRes(str(FOUND))
    else:
        module = pytest.importorskip("faster_coco_eval", reason="faster-coco-eval is not installed")
        truth, evaluator = module.COCO(TRUTH), module.COCOeval_faster
        found = truth.loadRes(str(FOUND))
    evaluation = evaluator(truth, found, "bbox")
    for step in (evaluation.evaluate, evaluation.accumulate, evaluation.summarize):
        step()
    capsys.readouterr()
    assert round(float(evaluation.stats[0]), 4) == stated("pycocotools 2.0.11, hotcoco 1.3.0, faster-coco-eval 1.8.0")


@pytest.mark.parametrize(
    ("ours", "options", "tool"),
    [
        (False, {}, "of torchmetrics 1.9.0"),
        (True, {}, "of omniou's adapter"),
        (True, {"compat": True}, "of torchmetrics 1.9.0"),
        (True, {"tie_policy": "file"}, "pycocotools 2.0.11, hotcoco 1.3.0, faster-coco-eval 1.8.0"),
    ],
)
def test_torchmetrics_gives_the_stated_ap(ours, options, tool):
    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    if ours:
        from omniou_integrations.torchmetrics import MeanAveragePrecision
    else:
        from torchmetrics.detection import MeanAveragePrecision

    def table(rows, *names):
        columns = {name: torch.as_tensor(column(rows, key)) for name, key in names if rows or name == "labels"}
        return {"boxes": torch.as_tensor(corners(rows), dtype=torch.float32), **columns}

    label, score = ("labels", "category_id"), ("scores", "score")
    metric = MeanAveragePrecision(**options)
    for targets, preds in zip(per_image(TRUTH), per_image(FOUND), strict=True):
        truth = table(targets, label, ("iscrowd", "iscrowd"), ("area", "area"))
        found = {"scores": torch.zeros(0)} | table(preds, label, score)
        for rows in (truth, found):
            rows["labels"] = rows["labels"].to(torch.int64)
        metric.update([found], [truth])
    assert round(metric.compute()["map"].item(), 4) == stated(tool)


@pytest.mark.parametrize(("crowds", "tool"), [(True, "supervision 0.31.2"), (False, "any tool that drops crowds")])
def test_supervision_gives_the_stated_ap(crowds, tool):
    supervision = pytest.importorskip("supervision", reason="supervision is not installed")
    from supervision.metrics import MeanAveragePrecision

    def table(rows, **columns):
        return supervision.Detections(corners(rows), class_id=column(rows, "category_id").astype(int), **columns)

    metric = MeanAveragePrecision()
    for targets, preds in zip(per_image(TRUTH), per_image(FOUND), strict=True):
        rows = [row for row in targets if crowds or not row["iscrowd"]]
        flags = {"iscrowd": column(rows, "iscrowd"), "area": column(rows, "area")} if crowds else {}
        metric.update([table(preds, confidence=column(preds, "score").astype(float))], [table(rows, data=flags)])
    assert round(float(metric.compute().map50_95), 4) == stated(tool)
