"""COCO's matching beside pycocotools, a batch of assignments beside a loop of SciPy, and DETR's cost."""

import contextlib
import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from scipy.optimize import linear_sum_assignment

from omniou import matching
from tests.benchmarks.cases import Case
from tests.torchvision_ops import ops


def cases(*, smoke: bool) -> Iterator[Case]:
    images = 4 if smoke else 64
    queries, most = (10, 4) if smoke else (300, 50)
    given = of_detr(images, queries, most)
    sizes = [most] * images
    cost = matching.detr_cost(*given, sizes=sizes)
    yield (
        f"Assignment, {images} images, {queries} x {most}, float32, torch",
        {
            "omniou": partial(matching.hungarian, cost, sizes=sizes),
            "loop of SciPy": partial(by_loop, cost, sizes),
        },
    )
    rng = np.random.default_rng(0)
    for batch in (1, 8):
        few = rng.random((batch, 100, 10))
        yield (
            f"Assignment, {batch} x 100 x 10, float64, NumPy",
            {
                "omniou": partial(matching.hungarian, few),
                "loop of SciPy": lambda few=few: [linear_sum_assignment(x) for x in few],
            },
        )
    yield (
        f"DETR's cost and assignment, {images} images, {queries} x {most}, float32, torch",
        {"omniou": partial(detr, given, sizes), "as published": partial(detr_as_published, given, sizes)},
    )
    images = 10 if smoke else 1000
    boxes, scores, groups, truth, groups_b = of_coco(images)
    evaluator = of_pycocotools(images, boxes, scores, groups, truth, groups_b)
    options = {"scores": scores, "groups_a": groups, "groups_b": groups_b, "format": "xywh"}
    yield (
        f"COCO's matching at 10 thresholds, {images:,} images x 100 detections",
        {
            "omniou": partial(matching.coco, boxes, truth, **options),
            "pycocotools": partial(by_pycocotools, evaluator, images),
        },
    )


def of_detr(images: int, queries: int, most: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    random = partial(torch.rand, generator=generator)
    labels = torch.randint(0, 91, (images * most,), generator=generator)
    return (
        torch.randn(images, queries, 92, generator=generator),
        random(images, queries, 4) / 2 + 0.1,
        labels,
        random(images * most, 4) / 2 + 0.1,
    )


def by_loop(cost: torch.Tensor, sizes: list[int]) -> Any:
    return [linear_sum_assignment(x) for x in cost.split(sizes, dim=1)]


def detr(given: tuple[torch.Tensor, ...], sizes: list[int]) -> Any:
    return matching.hungarian(matching.detr_cost(*given, sizes=sizes), sizes=sizes)


def detr_as_published(given: tuple[torch.Tensor, ...], sizes: list[int]) -> Any:
    """DETR's matcher: every query against the objects of all images, of which the blocks on the diagonal are used."""
    logits, predicted, labels, targets = given
    images, queries = logits.shape[:2]
    probability, flat = logits.flatten(0, 1).softmax(-1), predicted.flatten(0, 1)
    a, b = (ops.box_convert(x, "cxcywh", "xyxy") for x in (flat, targets))
    cost = 5 * torch.cdist(flat, targets, p=1) - probability[:, labels] - 2 * ops.generalized_box_iou(a, b)
    cost = cost.view(images, queries, -1)
    return [linear_sum_assignment(x[i]) for i, x in enumerate(cost.split(sizes, -1))]


def of_coco(images: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    truth = np.concatenate([rng.uniform(0, 500, (images * 7, 2)), rng.uniform(10, 200, (images * 7, 2))], axis=1)
    groups_b = np.repeat(np.arange(images), 7)
    rows = (np.arange(images)[:, None] * 7 + rng.integers(0, 7, (images, 100))).ravel()
    boxes = np.abs(truth[rows] + rng.normal(0, 15, (images * 100, 4)))
    return boxes, rng.random(images * 100), groups_b[rows], truth, groups_b


def of_pycocotools(images: int, boxes: Any, scores: Any, groups: Any, truth: Any, groups_b: Any) -> COCOeval:
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO()
        gt.dataset = {
            "images": [{"id": k} for k in range(images)],
            "categories": [{"id": 1}],
            "annotations": [
                {
                    "id": k + 1,
                    "image_id": int(i),
                    "category_id": 1,
                    "bbox": x.tolist(),
                    "iscrowd": 0,
                    "area": x[2] * x[3],
                }
                for k, (i, x) in enumerate(zip(groups_b, truth, strict=True))
            ],
        }
        gt.createIndex()
        rows = [
            {"image_id": int(i), "category_id": 1, "bbox": x.tolist(), "score": float(s)}
            for i, x, s in zip(groups, boxes, scores, strict=True)
        ]
        evaluator = COCOeval(gt, gt.loadRes(rows), "bbox")
        evaluator.evaluate()
    return evaluator


def by_pycocotools(evaluator: COCOeval, images: int) -> Any:
    evaluator.ious = {(k, 1): evaluator.computeIoU(k, 1) for k in range(images)}
    return [evaluator.evaluateImg(k, 1, [0, 1e10], 100) for k in range(images)]
