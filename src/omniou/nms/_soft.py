"""Soft and matrix non-maximum suppression: scores are lowered, and nothing is excluded but by score."""

import functools
import heapq
from collections.abc import Callable
from typing import Any, Literal, overload

from omniou import boxes as of_boxes
from omniou._kernels import suppression
from omniou._kernels.suppression import Decay, Rule
from omniou._lib import backends, checks, near
from omniou._lib.types import Array, ArrayLike, ArrayT, Namespace
from omniou.nms import _arguments
from omniou.nms._arguments import Call, Selection
from omniou.nms._outputs import Fixed, Kept, Rescored, by_score, on_host, result
from omniou.nms._pairs import OverlapTest, TooManyError, falling
from omniou.rle import Masks

_METHODS = ("gaussian", "linear")
_OUTPUTS = ("indices", "scores", "mask")


@overload
def soft(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    threshold: float | None = None,
    inclusive: bool = False,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: None = None,
    output: Literal["indices"] = "indices",
    **options: Any,
) -> Rescored: ...
@overload
def soft(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    threshold: float | None = None,
    inclusive: bool = False,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: None = None,
    output: Literal["scores", "mask"],
    **options: Any,
) -> ArrayT: ...
@overload
def soft(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    threshold: float | None = None,
    inclusive: bool = False,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int,
    output: Literal["indices", "scores", "mask"] = "indices",
    **options: Any,
) -> Fixed: ...
@near.explained
def soft(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    threshold: float | None = None,
    inclusive: bool = False,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int | None = None,
    output: Literal["indices", "scores", "mask"] = "indices",
    **options: Any,
) -> Any:
    """Soft non-maximum suppression (Soft-NMS): lower the scores of boxes that overlap a better one.

    The box with the best score is chosen, and its overlap s lowers the scores of all that are left. Then the best of
    these is chosen by its new score, and so on. Scores have a gradient, and so have overlaps.

    Parameters
    ----------
    boxes : array, shape (..., N, 4), or rle.Masks
        The same as in `hard`.
    scores : array, shape (..., N)
        Confidences of at least 0.
    method : {"gaussian", "linear"}
        The factor: ``exp(-s**2 / sigma)``, or ``1 - s`` where s is above the threshold.
    sigma : float, optional
        Sigma of the Gaussian, 0.5 by default. TensorFlow and OpenVINO divide by ``2 * sigma``: pass twice their sigma.
    threshold : float, optional
        Threshold of the linear factor, in [0, 1], 0.3 by default.
    inclusive : bool
        Whether a linear factor also counts where the overlap equals the threshold.
    groups, score, limit, size
        The same as in `hard`.
    score_threshold : float, optional
        Boxes with a new score that is not above it are excluded.
    output : {"indices", "scores", "mask"}
        `Rescored`, the new scores in the order of the input, or whether each box is kept. The last two need no `size`.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Rescored, or array, shape (..., N), or Fixed
        With `size`, `Fixed` has new scores. Memory is of the order of the pairs that overlap; with a gradient or under
        a compiler of N * N.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or where values are known, a score is NaN or below 0.

    References
    ----------
    Bodla et al., Soft-NMS, ICCV 2017.

    Examples
    --------
    >>> from omniou import nms
    >>> boxes = [[0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 9]]
    >>> nms.soft(boxes, [0.9, 0.8, 0.85]).scores.round(4).tolist()
    [0.9, 0.4852, 0.0907]
    """
    method = checks.choice("method", method, _METHODS)
    if method == "gaussian":
        _unused("threshold", threshold, "linear")
        _unused("inclusive", checks.flag("inclusive", inclusive) or None, "linear")
        decay = Decay(method, checks.number("sigma", 0.5 if sigma is None else sigma, above=0.0))
    else:
        _unused("sigma", sigma, "gaussian")
        decay = Decay(method, 1.0, _arguments.rule(0.3 if threshold is None else threshold, inclusive))
    call = _arguments.read(boxes, scores, groups, score=score, options=options)
    choice = _arguments.choice(
        call, score_threshold=score_threshold, limit=limit, size=size, output=output, outputs=_OUTPUTS
    )
    return _rescored(call, choice, decay, suppression.soft, _softly)


@overload
def matrix(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: None = None,
    output: Literal["indices"] = "indices",
    **options: Any,
) -> Rescored: ...
@overload
def matrix(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: None = None,
    output: Literal["scores", "mask"],
    **options: Any,
) -> ArrayT: ...
@overload
def matrix(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int,
    output: Literal["indices", "scores", "mask"] = "indices",
    **options: Any,
) -> Fixed: ...
@near.explained
def matrix(
    boxes: Array | ArrayLike | Masks,
    scores: ArrayT | ArrayLike,
    /,
    *,
    method: Literal["gaussian", "linear"] = "gaussian",
    sigma: float | None = None,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    score_threshold: float | None = None,
    limit: int | None = None,
    size: int | None = None,
    output: Literal["indices", "scores", "mask"] = "indices",
    **options: Any,
) -> Any:
    """Matrix non-maximum suppression (Matrix NMS, of SOLO): lower all scores at once.

    A box j is lowered by the box i of a higher score for which ``f(s_ij) / f(max(s_ki))`` is least, where k goes over
    the boxes of a higher score than i: a box that is suppressed itself suppresses less.

    Parameters
    ----------
    boxes : array, shape (..., N, 4), or rle.Masks
        The same as in `hard`; SOLO has masks.
    scores : array, shape (..., N)
        Confidences of at least 0.
    method : {"gaussian", "linear"}
        f of an overlap s: ``exp(-sigma * s**2)`` or ``1 - s``.
    sigma : float, optional
        Sigma of the Gaussian, 2 by default. It multiplies, while `soft` divides by its sigma.
    groups, score, limit, size
        The same as in `hard`.
    score_threshold : float, optional
        Boxes with a new score that is not above it are excluded.
    output : {"indices", "scores", "mask"}
        The same as in `soft`.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Rescored, or array, shape (..., N), or Fixed
        The same as in `soft`.

    Raises
    ------
    TypeError, ValueError
        The same as in `soft`.

    References
    ----------
    Wang et al., SOLOv2, NeurIPS 2020.

    Examples
    --------
    >>> from omniou import nms
    >>> boxes = [[0, 0, 10, 10], [0, 0, 10, 6], [0, 0, 10, 5]]
    >>> nms.matrix(boxes, [0.9, 0.8, 0.7], method="linear").scores.round(4).tolist()
    [0.9, 0.32, 0.2917]
    """
    method = checks.choice("method", method, _METHODS)
    if method == "linear":
        _unused("sigma", sigma, "gaussian")
    decay = Decay(method, checks.number("sigma", 2.0 if sigma is None else sigma, above=0.0))
    call = _arguments.read(boxes, scores, groups, score=score, options=options)
    choice = _arguments.choice(
        call, score_threshold=score_threshold, limit=limit, size=size, output=output, outputs=_OUTPUTS
    )
    return _rescored(call, choice, decay, suppression.matrix, _at_once)


def _unused(name: str, value: Any, method: str, /) -> None:
    if value is not None:
        raise ValueError(f"`{name}` belongs to `method` {method!r}, got {value!r}")


def _rescored(
    call: Call, choice: Selection, decay: Decay, traceable: Callable[..., Any], own: Callable[..., Any], /
) -> Any:
    shaped = choice.size is not None or choice.output != "indices"
    if call.differentiated or (shaped and not call.on_host):
        static: dict[str, Any] = {"traceable": traceable, "decay": decay, "choice": choice}
        kept = Kept(*backends.run(_kernel, call.overlaps(), call.scores, call.groups, xp=call.xp, **static))
    else:
        kept = on_host(call, choice, functools.partial(_lowered, own, decay, choice), least=0.0)
    return result(call, kept, choice, lambda indices, scores: Rescored(indices, scores()))


def _kernel(
    overlaps: Any,
    scores: Any,
    groups: tuple[Any, ...],
    /,
    *,
    traceable: Callable[..., Any],
    decay: Decay,
    choice: Selection,
    xp: Namespace,
) -> tuple[Any, Any, Any, Any]:
    number = suppression.valid(scores, None, xp=xp)
    new = traceable(overlaps, xp.where(number, scores, 0.0), number, groups, decay=decay, xp=xp)
    keep = number & suppression.valid(new, choice.score_threshold, xp=xp)
    return *suppression.limited(keep, new, limit=choice.limit, size=choice.size, xp=xp), new


def _lowered(own: Callable[..., Any], decay: Decay, choice: Selection, call: Call, /) -> tuple[Any, Any]:
    """Places that are kept, and all new scores (N,)."""
    xp = call.xp
    rows = by_score(call, None)
    new = xp.empty_like(call.scores)
    new[rows] = own(decay, call, rows)
    kept = xp.nonzero(suppression.valid(new, choice.score_threshold, xp=xp))[0]
    return xp.take(kept, xp.argsort(-xp.take(new, kept), stable=True)), new


def _softly(decay: Decay, call: Call, rows: Any, /) -> Any:
    """Compute the new scores (K,) of rows by falling score, for Soft-NMS."""
    # Scores fall while they wait in the heap. An entry that comes out with an old score goes back with the new one: of
    # scores .9 .8 .7, where .9 lowers .8 to .5, the entry .8 comes out next and returns as .5, and .7 is chosen.
    xp = call.xp
    rule = Rule(0.0, inclusive=False) if decay.rule is None else decay.rule
    first, second, overlap = _overlapping(call, rows, rule)
    factor = decay.of(overlap, xp=xp)
    # Both directions, by the one that is chosen.
    chosen, other = xp.concat([first, second]), xp.concat([second, first])
    order = xp.argsort(chosen, stable=True)
    other, factor = xp.take(other, order), xp.take(xp.concat([factor, factor]), order)
    start = xp.searchsorted(xp.take(chosen, order), xp.arange(rows.shape[0] + 1)).tolist()
    now = xp.astype(xp.take(call.scores, rows), factor.dtype)
    out = xp.empty_like(now)
    # Of equal scores the earlier in the input goes first.
    heap = list(zip((-now).tolist(), rows.tolist(), range(rows.shape[0]), strict=True))
    while heap:
        negative, place, k = heap[0]
        current = -now.item(k)
        if current > negative:
            heapq.heapreplace(heap, (current, place, k))
            continue
        heapq.heappop(heap)
        # A chosen box is lowered no more: 0 stays 0, which is faster than a mask of those that are left.
        out[k], now[k] = now[k], 0.0
        if start[k] < start[k + 1]:
            now[other[start[k] : start[k + 1]]] *= factor[start[k] : start[k + 1]]
    return out


def _at_once(decay: Decay, call: Call, rows: Any, /) -> Any:
    """Compute the new scores (K,) of rows by falling score, for Matrix NMS."""
    xp = call.xp
    first, second, overlap = _overlapping(call, rows, Rule(0.0, inclusive=False))
    worst, factor = xp.zeros(rows.shape[0], dtype=overlap.dtype), xp.ones(rows.shape[0], dtype=overlap.dtype)
    # `at` takes every pair of a row. ``worst[second] = ...`` would take only the last.
    xp.maximum.at(worst, second, overlap)
    xp.minimum.at(factor, second, decay.ratio(overlap, xp.take(worst, first), xp=xp))
    return xp.take(call.scores, rows) * factor


def _overlapping(call: Call, rows: Any, rule: Rule, /) -> tuple[Any, Any, Any]:
    """Pairs of one group above a threshold, i before j, as numbers of `rows`, by i; their overlaps."""
    xp = call.xp
    group, _ = _arguments.one_group(tuple(xp.take(x, rows) for x in call.groups), rows.shape[0], xp=xp)
    compare = OverlapTest(call.score, call.options, rule, xp)
    try:
        return falling(compare, _arguments.take(call.shapes, rows, xp=xp), group)
    except TooManyError:
        raise ValueError(
            "`boxes` overlap in more pairs than memory holds: leave out low scores, or compare by `groups`"
        ) from None
