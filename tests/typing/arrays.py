"""Not run: mypy proves that each caller gets the array type of its own library back."""

from typing import Any, assert_type

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import torch

from omniou import boxes, conventions, losses, masks, matching, nms, pairwise, panoptic, segmentation


def torch_in_torch_out(x: torch.Tensor) -> None:
    assert_type(boxes.iou(x, x), torch.Tensor)
    assert_type(boxes.area(x), torch.Tensor)
    assert_type(boxes.convert(x, "xywh", "xyxy"), torch.Tensor)
    assert_type(boxes.iou(x, [0, 0, 1, 1]), torch.Tensor)
    assert_type(pairwise(boxes.giou, x, x), torch.Tensor)
    assert_type(losses.giou(x, x, reduction="mean"), torch.Tensor)
    assert_type(boxes.iou(x, x, **conventions["mmcv"]), torch.Tensor)
    assert_type(losses.ciou(x, x, **conventions["mmdet"].of(losses.ciou)), torch.Tensor)
    assert_type(masks.dice(x, x, threshold=0.5), torch.Tensor)
    assert_type(masks.hausdorff(x, x), torch.Tensor)
    assert_type(losses.masks.dice(x, x, activation="softmax"), torch.Tensor)
    assert_type(segmentation.confusion(x, x, 3), torch.Tensor)
    assert_type(segmentation.iou(x, average="macro"), torch.Tensor)
    assert_type(panoptic.count(x, x, things={1}, stuff=()).iou, torch.Tensor)
    assert_type(nms.hard(x, x, 0.5), torch.Tensor)
    assert_type(nms.hard(x, x, 0.5, size=3), nms.Fixed)
    assert_type(nms.soft(x, x), nms.Rescored)
    assert_type(nms.matrix(x, x, output="scores"), torch.Tensor)
    assert_type(matching.greedy(x), torch.Tensor)
    assert_type(matching.hungarian(x), torch.Tensor)
    assert_type(matching.coco(x).objects, torch.Tensor)
    assert_type(matching.detr_cost(x, x, x, x), torch.Tensor)


def numpy_in_numpy_out(x: npt.NDArray[np.float32]) -> None:
    assert_type(boxes.ciou(x, x), npt.NDArray[np.float32])
    assert_type(boxes.pairwise_iou(x, x), npt.NDArray[np.float32])


def jax_in_jax_out(x: jax.Array) -> None:
    assert_type(boxes.diou(x, jnp.ones(4)), jax.Array)


def lists_alone_become_something(x: list[list[float]]) -> None:
    out: Any = boxes.iou(x, x)
    out.sum()


def wrong_options_are_seen(x: torch.Tensor) -> None:
    boxes.iou(x, x, format="xxyy")  # type: ignore[arg-type]
    boxes.iou(x, x, fmt="xyxy")  # type: ignore[call-arg]
    losses.giou(x, x, reduction="average")  # type: ignore[arg-type]
    segmentation.iou(x, average="mean")  # type: ignore[arg-type]
    segmentation.accuracy(x, average="macro")  # type: ignore[call-arg]
    boxes.iou(a=x, b=x)  # type: ignore[call-arg]
