"""Largest differences of results from the reference implementation, on the data sets that are timed."""

import contextlib
import io
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import faster_coco_eval
import hotcoco
import numpy as np
import powerboxes
import torch
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from omniou import boxes, detection, pairwise
from tests.benchmarks import adapters, evaluation, keypoints, tracking
from tests.benchmarks import detections as synthetic
from tests.benchmarks.cases import random_boxes
from tests.torchvision_ops import ops


def rows(*, smoke: bool) -> Iterator[dict[str, Any]]:
    """What is compared, the reference, and the largest absolute difference by library."""
    for title, reference, found in (
        ("COCO's 12 numbers of boxes", "pycocotools", of_boxes(smoke=smoke)),
        ("COCO's 10 numbers of keypoints", "pycocotools", of_keypoints(smoke=smoke)),
        ("MeanAveragePrecision(compat=True)", "torchmetrics", of_adapter(smoke=smoke)),
        ("HOTA, MOTA and IDF1", "TrackEval", of_tracks(smoke=smoke)),
        ("IoU of all pairs, float32", "exact fractions", of_pairs()),
    ):
        peers = {who: values for who, values in found.items() if who != reference}
        far = {who: float(np.nanmax(np.abs(np.subtract(values, found[reference])))) for who, values in peers.items()}
        yield {"title": title, "reference": reference, "differences": far}


def of_boxes(*, smoke: bool) -> dict[str, Any]:
    """COCO's twelve numbers."""
    data_set = synthetic.data(1_000 if smoke else 180_000)
    found = evaluation.evaluation(data_set)()
    with tempfile.TemporaryDirectory() as folder:
        paths = evaluation.written(data_set, Path(folder))
        return {"omniou": list(found.values()), **by_peers(*paths, "bbox")}


def of_keypoints(*, smoke: bool) -> dict[str, Any]:
    """COCO's ten numbers."""
    targets, detections = keypoints.data_set(20 if smoke else 2_700)
    found = detection.evaluate(targets, detections, kind="keypoints", format="xywh").summary
    with tempfile.TemporaryDirectory() as folder:
        paths = keypoints.written(targets, detections, Path(folder))
        return {"omniou": list(found.values()), **by_peers(*paths, "keypoints")}


def by_peers(truth: str, detections: str, kind: str) -> dict[str, Any]:
    """The numbers that the tools of COCO print."""
    out: dict[str, Any] = {}
    for who, files, evaluator in (
        ("pycocotools", COCO, COCOeval),
        ("faster-coco-eval", faster_coco_eval.COCO, faster_coco_eval.COCOeval_faster),
        ("hotcoco", hotcoco.COCO, hotcoco.COCOeval),
    ):
        with contextlib.redirect_stdout(io.StringIO()):
            reference = files(truth)
            run = evaluator(reference, reference.loadRes(detections), kind)
            run.evaluate()
            run.accumulate()
            run.summarize()
        out[who] = list(run.stats)
    return out


def of_adapter(*, smoke: bool) -> dict[str, Any]:
    """All numbers that are not of single classes, with torchmetrics' own thresholds and order of equal scores."""
    from torchmetrics.detection import MeanAveragePrecision

    from omniou_integrations.torchmetrics import MeanAveragePrecision as Compatible

    preds, target = synthetic.as_dicts(synthetic.data(1_000 if smoke else adapters.COUNT))
    makers = {
        "omniou": partial(Compatible, compat=True),
        "faster-coco-eval": partial(MeanAveragePrecision, backend="faster_coco_eval"),
        "torchmetrics": MeanAveragePrecision,
    }
    found = {who: adapters.filled(make, preds, target) for who, make in makers.items()}
    names = [name for name, value in found["omniou"].items() if name != "classes" and value.numel() == 1]
    return {who: [float(values[name]) for name in names] for who, values in found.items()}


def of_tracks(*, smoke: bool) -> dict[str, Any]:
    """The numbers that TrackEval calls by these names. motrics has rules of its own."""
    (_, runs), *_ = tracking.cases(smoke=smoke)
    mine, (hota, clear, identity, _) = runs["omniou"](), runs["TrackEval"]()
    return {
        "omniou": [mine["HOTA"], mine["MOTA"], mine["IDF1"]],
        "TrackEval": [hota["HOTA"].mean(), clear["MOTA"], identity["IDF1"]],
    }


def of_pairs() -> dict[str, Any]:
    """IoU of 100 x 100 boxes with corners in float32."""
    a, b = random_boxes(100), random_boxes(101)[:100]
    found = {
        "omniou": pairwise(boxes.iou, a, b),
        "torchvision": ops.box_iou(torch.from_numpy(a), torch.from_numpy(b)),
        "powerboxes": 1 - powerboxes.iou_distance(a, b),
    }
    exact = [float(_iou(x, y)) for x in a.tolist() for y in b.tolist()]
    return {**{who: np.asarray(values, dtype=float).ravel() for who, values in found.items()}, "exact fractions": exact}


def _iou(a: list[float], b: list[float]) -> Fraction:
    p, q = (list(map(Fraction, x)) for x in (a, b))
    sides = [max(Fraction(0), min(p[k + 2], q[k + 2]) - max(p[k], q[k])) for k in range(2)]
    inter = sides[0] * sides[1]
    return inter / (sum((x[2] - x[0]) * (x[3] - x[1]) for x in (p, q)) - inter)
