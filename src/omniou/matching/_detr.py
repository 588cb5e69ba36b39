"""The cost that DETR assigns objects to queries by."""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal

from omniou import boxes as box_scores
from omniou._catalogue.shape_calls import numbers_of
from omniou._kernels import assignment as kernels
from omniou._lib import checks
from omniou._lib.arrays import Operand, agree, arrays_of, cast
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou.matching import _arguments as arguments
from omniou.pairs import pairwise

_LABELS = Operand("integers", ("integral",), decides=False)


def detr_cost(
    logits: ArrayT,
    boxes: ArrayT,
    labels: Any,
    target_boxes: ArrayT | ArrayLike,
    /,
    *,
    sizes: Sequence[int] | None = None,
    weights: Sequence[float] = (1.0, 5.0, 2.0),
    kind: Literal["softmax", "focal"] = "softmax",
    alpha: float = 0.25,
    gamma: float = 2.0,
    eps: float = 0.0,
    score: Callable[..., Any] = box_scores.giou,
    format: str = "cxcywh",
) -> ArrayT:
    """Compute the cost of assigning each object to each query, as in DETR and Deformable DETR, for `hungarian`.

    Parameters
    ----------
    logits : array, shape (..., N, C)
        Class scores of N queries, before softmax or sigmoid.
    boxes : array, shape (..., N, K)
        Predicted boxes, most often in fractions of the image's sides, as L1 depends on the unit.
    labels : array of integers, shape (..., M)
        Class of each object. With `sizes`: (sum of sizes,), the objects of B images one after the other. Exclude
        padding by `where` of `hungarian`. Its labels must be classes, such as 0; inside a compiler, where they are not
        checked, the costs of any other label are NaN.
    target_boxes : array, shape (..., M, K)
        Box of each object. With `sizes`: (sum of sizes, K).
    sizes : sequence of int, optional
        Numbers of objects of B images. `logits` and `boxes` then have the shapes (B, N, C) and (B, N, K).
    weights : sequence of float
        Weights of the class, L1 and `score`. DETR has 1, 5, 2; Deformable DETR 2, 5, 2.
    kind : {"softmax", "focal"}
        The cost of a class: minus its probability (DETR), or the focal loss for the class less that against it
        (Deformable DETR).
    alpha, gamma, eps : float
        For "focal". Deformable DETR adds an `eps` of 1e-8 to probabilities; 0 computes the exact logarithm.
    score : callable
        Score of boxes whose negative is a cost.
    format : str
        Format of the boxes.

    Returns
    -------
    array, shape (..., N, M), or (N, sum of sizes) with `sizes`
        In the floating dtype of the input, 16-bit floats in float32. With `sizes`, each image is a block of columns,
        so that memory grows with the sum of objects: (300, 3200) for 64 images of 300 queries and 50 objects.

    Raises
    ------
    TypeError
        If libraries or devices differ, or an argument has a wrong dtype or type.
    ValueError
        If shapes do not fit, a label is not a class, or an option is out of range.

    References
    ----------
    Carion et al., End-to-end object detection with transformers, ECCV 2020; Zhu et al., Deformable DETR, ICLR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import matching
    >>> logits = np.array([[[2.0, 0.0], [0.0, 2.0]]])
    >>> boxes = np.array([[[0.5, 0.5, 0.2, 0.2], [0.3, 0.3, 0.2, 0.2]]])
    >>> cost = matching.detr_cost(logits, boxes, [1], boxes[0, :1], sizes=[1])
    >>> cost.round(3).tolist()
    [[-2.119], [2.119]]
    >>> matching.hungarian(cost, sizes=[1]).tolist()
    [[0, -1]]
    """
    arrays: list[Any]
    geometry = getattr(getattr(score, "declaration", None), "geometry", None) or box_scores.GEOMETRY
    options = {"format": format}
    boxes = numbers_of(geometry, "boxes", boxes, options)
    target_boxes = numbers_of(geometry, "target_boxes", target_boxes, options)
    arrays, facts = arrays_of({"labels": _LABELS}, logits=logits, boxes=boxes, labels=labels, target_boxes=target_boxes)
    xp = facts[0].namespace
    compute, _ = agree(facts)
    x, predicted, classes_of, targets = arrays
    sizes = None if sizes is None else arguments.sizes_of(sizes)
    _check_shapes([tuple(fact.shape) for fact in facts], sizes)
    share = _weights(weights)
    kind = checks.choice("kind", kind, ("softmax", "focal"))
    checks.scoring("score", score)
    defaults = detr_cost.__kwdefaults__ or {}
    for name, value in (("alpha", alpha), ("gamma", gamma), ("eps", eps)):
        if kind != "focal" and value != defaults[name]:
            raise ValueError(f"`{name}` is for `kind` 'focal', got {value!r} for {kind!r}")
    _check_labels(classes_of, x.shape[-1], xp=xp)
    costs = functools.partial(
        kernels.class_costs,
        focal=kind == "focal",
        alpha=checks.number("alpha", alpha),
        gamma=checks.number("gamma", gamma, least=0.0),
        eps=checks.number("eps", eps, least=0.0),
        xp=xp,
    )
    block = functools.partial(_block, costs=costs, share=share, score=score, format=format, compute=compute, xp=xp)
    if sizes is None:
        out: ArrayT = block(x, predicted, classes_of, targets)
        return out
    edges = [0, *itertools.accumulate(sizes)]
    blocks = [
        block(x[k, ...], predicted[k, ...], classes_of[i:j], targets[i:j, :])
        for k, (i, j) in enumerate(itertools.pairwise(edges))
    ]
    none = xp.zeros((x.shape[-2], 0), dtype=compute, device=facts[0].device)
    joined: ArrayT = xp.concat(blocks, axis=1) if blocks else none
    return joined


def _block(
    logits: Any,
    boxes: Any,
    labels: Any,
    targets: Any,
    /,
    *,
    costs: Callable[..., Any],
    share: tuple[float, ...],
    score: Callable[..., Any],
    format: str,
    compute: Any,
    xp: Namespace,
) -> Any:
    """Logits (..., N, C), boxes (..., N, K), labels (..., M), boxes (..., M, K) -> costs (..., N, M)."""
    of_class, l1, of_score = share
    boxes, targets = cast(boxes, compute, xp=xp), cast(targets, compute, xp=xp)
    classes = costs(cast(logits, compute, xp=xp))
    cost = of_class * kernels.of_labels(classes, labels, xp=xp)
    cost = cost + l1 * kernels.distances(boxes, targets, dtype=compute, xp=xp)
    return cost - of_score * pairwise(score, boxes, targets, format=format)


def _check_shapes(shapes: list[tuple[int, ...]], sizes: Any, /) -> None:
    logits, boxes, labels, targets = shapes
    arguments.matrix_shape("logits", logits, "N, C")
    if boxes[:-1] != logits[:-1]:
        raise ValueError(f"`boxes` must have shape {(*logits[:-1], 'K')}, got {tuple(boxes)}")
    if targets[:-1] != labels or targets[-1:] != boxes[-1:]:
        raise ValueError(f"`target_boxes` must have shape {(*labels, boxes[-1])}, got {tuple(targets)}")
    if sizes is None:
        if labels[:-1] != logits[:-2] or not labels:
            shape = (*logits[:-2], "M")
            raise ValueError(f"`labels` must have shape {shape}, got {labels}; images one after the other need `sizes`")
        return
    if len(logits) != 3 or len(sizes) != logits[0]:
        raise ValueError(
            f"`logits` must have shape ({len(sizes)}, N, C) with {len(sizes)} `sizes`, got {tuple(logits)}"
        )
    if len(labels) != 1 or sum(sizes) != labels[0]:
        raise ValueError(f"`labels` must have shape ({sum(sizes)},), as `sizes` add up to, got {tuple(labels)}")


def _weights(given: Any, /) -> tuple[float, ...]:
    listed = checks.several(given)
    if listed is None or len(listed) != 3:
        raise ValueError(f"`weights` must be three numbers, of class, L1 and score, got {given!r}")
    return tuple(checks.number("weights", x, least=0.0) for x in listed)


def _check_labels(labels: Any, count: int, /, *, xp: Namespace) -> None:
    if not arguments.readable(labels):
        return
    if not bool(xp.any((labels < 0) | (labels >= count))):  # one wait for a device
        return
    padding = (
        "must not be padding: leave it out and pass `sizes`, or give it the label 0 and pass `where` to `hungarian`"
    )
    faults = {padding: labels < 0, f"must be a class from 0 to {count - 1}": labels >= count}
    arguments.raise_first_cell("labels", faults, xp=xp)
