"""Hard non-maximum suppression."""

import functools
from collections.abc import Callable
from typing import Any, Literal, overload

from omniou import boxes as of_boxes
from omniou._kernels import suppression
from omniou._kernels.suppression import Rule
from omniou._lib import backends, near
from omniou._lib.types import Array, ArrayLike, ArrayT, Namespace
from omniou.nms import _arguments, _greedy
from omniou.nms._arguments import Call, Selection
from omniou.nms._outputs import Fixed, Kept, by_score, on_host, result
from omniou.nms._pairs import OverlapTest
from omniou.rle import Masks


@overload
def hard(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    threshold: float,
    *,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    inclusive: bool = False,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: None = None,
    output: Literal["indices", "mask"] = "indices",
    **options: Any,
) -> ArrayT: ...
@overload
def hard(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    threshold: float,
    *,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    inclusive: bool = False,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int,
    output: Literal["indices", "mask"] = "indices",
    **options: Any,
) -> Fixed: ...
@near.explained
def hard(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    threshold: float,
    *,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    inclusive: bool = False,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int | None = None,
    output: Literal["indices", "mask"] = "indices",
    **options: Any,
) -> Any:
    """Non-maximum suppression (NMS): keep the best of the boxes that overlap each other.

    Boxes are taken by falling score, of equal scores the earlier first. A box that no kept one overlaps too much is
    kept.

    Parameters
    ----------
    boxes : array, shape (..., N, 4), or rle.Masks
        Shapes that `score` compares: boxes, rotated boxes, polygons, masks. 16-bit ones are compared in float32.
    scores : array, shape (..., N)
        Confidences. Several leading axes, such as images, need `size` or ``output="mask"``.
    threshold : float
        A box is suppressed if its overlap with a kept box is above this number, in [0, 1]. The number is rounded to the
        dtype of the overlap first.
    groups : array of integers, shape (..., N), or tuple of such arrays
        Classes, images, or a tuple of both: boxes are compared where all are equal. By default all are one group.
    score : callable
        The overlap, ``score(kept, other)``: by default `boxes.iou`; `boxes.diou` for DIoU-NMS, `rotated.iou`,
        `masks.iou`, `rle.iou` or a function made of scores.
    inclusive : bool
        Whether an overlap that equals the threshold suppresses, too.
    score_threshold : float, optional
        Boxes with a score that is not above it are excluded, before the limit.
    limit : int, optional
        Keep at most that many, in all groups together.
    size : int, optional
        Return `Fixed`, of a size that depends on no value: for `jax.jit`, `jax.vmap` and `torch.compile`.
    output : {"indices", "mask"}
        Indices by falling score, or whether each box is kept, in the order of the input. The mask needs no `size`.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    array of integers, shape (K,), or array of booleans, shape (..., N), or Fixed
        Library and device follow the scores.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or where values are known, a score is NaN. Under a compiler such a box is not kept.

    Examples
    --------
    >>> from omniou import nms
    >>> boxes = [[0, 0, 10, 10], [0, 0, 10, 9], [20, 20, 30, 30]]
    >>> nms.hard(boxes, [0.8, 0.9, 0.7], 0.5).tolist()
    [1, 2]
    >>> nms.hard(boxes, [0.8, 0.9, 0.7], 0.5, groups=[0, 1, 1]).tolist()
    [1, 0, 2]
    """
    call = _arguments.read(boxes, scores, groups, score=score, options=options)
    rule = _arguments.rule(threshold, inclusive)
    choice = _arguments.choice(
        call, score_threshold=score_threshold, limit=limit, size=size, output=output, outputs=("indices", "mask")
    )
    if call.on_host or (size is None and output == "indices"):
        kept = on_host(call, choice, functools.partial(_greedily, rule=rule, choice=choice))
    else:
        static: dict[str, Any] = {"rule": rule, "choice": choice}
        mask, count, order = backends.run(_kernel, call.overlaps(), call.scores, call.groups, xp=call.xp, **static)
        kept = Kept(mask, count, order, None)
    return result(call, kept, choice, lambda indices, _: indices)


def _kernel(
    overlaps: Any, scores: Any, groups: tuple[Any, ...], /, *, rule: Rule, choice: Selection, xp: Namespace
) -> tuple[Any, Any, Any]:
    valid = suppression.valid(scores, choice.score_threshold, xp=xp)
    scores = xp.where(valid, scores, -float("inf"))
    keep = suppression.hard(overlaps, scores, valid, groups, rule=rule, xp=xp)
    return suppression.limited(keep, scores, limit=choice.limit, size=choice.size, xp=xp)


def _greedily(call: Call, /, *, rule: Rule, choice: Selection) -> tuple[Any, None]:
    xp, rows = call.xp, by_score(call, choice.score_threshold)
    group, _ = _arguments.one_group(tuple(xp.take(x, rows) for x in call.groups), rows.shape[0], xp=xp)
    compare = OverlapTest(call.score, call.options, rule, xp)
    owner = _greedy.owners(_arguments.take(call.shapes, rows, xp=xp), group, compare)
    return rows[owner == xp.arange(owner.shape[0])], None
