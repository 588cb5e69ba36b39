"""Weighted boxes fusion."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from omniou import boxes as of_boxes
from omniou._kernels.suppression import Rule, valid
from omniou._lib import checks, host, indexing, near, ordering
from omniou._lib.arrays import INTEGERS, agree, arrays_of
from omniou._lib.types import Array, ArrayLike, Namespace
from omniou.nms import _arguments, _fused
from omniou.nms._arguments import Call
from omniou.nms._fused import Clusters, Fused

_CONFIDENCES = ("box_and_model_avg", "absent_model_aware_avg", "avg", "avg_overflow", "max")


@near.explained
def weighted_fusion(
    boxes: Array | ArrayLike,
    scores: Array | ArrayLike,
    /,
    threshold: float,
    *,
    models: Any = None,
    weights: Sequence[float] | None = None,
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    inclusive: bool = False,
    confidence: Literal[
        "box_and_model_avg", "absent_model_aware_avg", "avg", "avg_overflow", "max"
    ] = "box_and_model_avg",
    score_threshold: float | None = None,
    limit: int | None = None,
    **options: Any,
) -> Fused:
    """Weighted boxes fusion (WBF): average the boxes of several models that overlap.

    Boxes of a group are taken by falling score times weight. Each joins the cluster whose fused box it overlaps most,
    if that overlap is above the threshold, or starts a cluster. The fused box is the mean of the boxes of the cluster,
    weighted by score times weight.

    Parameters
    ----------
    boxes : array, shape (N, 4)
        Upright boxes of all models, of any scale; nothing is clipped. The result has no gradient.
    scores : array, shape (N,)
        Finite confidences of at least 0.
    threshold : float
        In [0, 1]; ensemble-boxes has 0.55 by default.
    models : array of integers, shape (N,), optional
        Model that each box is from, from 0 on; by default all are from one.
    weights : sequence of float, optional
        Weight of each model, at least 0; models of weight 0 are excluded. By default 1 for each up to the highest
        number in `models`: pass weights if the last models may have no box.
    groups : array of integers, shape (N,), or tuple of such arrays
        The same as in `hard`.
    score : callable
        The overlap, ``score(fused, box)``.
    inclusive : bool
        Whether a box whose overlap equals the threshold joins, too.
    confidence : str
        The score of a cluster of scores s and weights w, by the names that ensemble-boxes has:

        - ``"box_and_model_avg"``: ``sum(s * w) / sum(w)``, times the share that the models in the cluster have of all
          weights;
        - ``"absent_model_aware_avg"``: ``sum(s * w)`` over ``sum(w)`` and the weights of the models that are not in it;
        - ``"max"``: the highest ``s * w`` over the highest weight;
        - ``"avg"``: the mean of ``s * w``, times the number of boxes, at most that of models, over all weights. This
          may exceed 1;
        - ``"avg_overflow"``: ``sum(s * w)`` over all weights (``allows_overflow=True``).
    score_threshold : float, optional
        Boxes with a score, before weights, that is not above it are excluded.
    limit : int, optional
        Return at most that many, in all groups together.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Fused

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, a score is NaN, infinite or below 0, or values are traced.

    References
    ----------
    Solovyev et al., Weighted boxes fusion, Image and Vision Computing 107, 2021.

    Examples
    --------
    >>> from omniou import nms
    >>> boxes = [[0, 0, 0.4, 1], [0.1, 0, 0.5, 1], [0.2, 0, 0.6, 1]]
    >>> fused = nms.weighted_fusion(boxes, [0.9, 0.8, 0.7], 0.5, models=[0, 1, 2])
    >>> fused.boxes.round(4).tolist(), fused.scores.round(4).tolist(), fused.clusters.tolist()
    ([[0.0471, 0.0, 0.4471, 1.0], [0.2, 0.0, 0.6, 1.0]], [0.5667, 0.2333], [0, 0, 1])
    """
    rule = _arguments.rule(threshold, inclusive)
    confidence = checks.choice("confidence", confidence, _CONFIDENCES)
    least = None if score_threshold is None else checks.number("score_threshold", score_threshold)
    most = None if limit is None else checks.count("limit", limit)
    given = _fused.read(boxes, scores, groups, score=score, options=options, masks=False)
    call, home = _arguments.near(_fused.by_corners(given))
    _arguments.check_scores(call.scores, xp=call.xp, least=0.0, finite=True)
    of_model, weight = _models(models, weights, given, call)
    clusters = _fuse(call, of_model, weight, rule=rule, confidence=confidence, least=least)
    return _fused.result(given, clusters, most, home, xp=call.xp)


def _models(models: Any, weights: Any, given: Call, call: Call, /) -> tuple[Any, Any]:
    """Model of each row (N,), and weights (M,)."""
    xp, size = call.xp, call.scores.shape[0]
    if models is None:
        of_model = xp.zeros(size, dtype=xp.int64)
    else:
        (_, x), facts = arrays_of({"models": INTEGERS}, scores=given.scores, models=models)
        if x.shape[0] if x.ndim else 1:  # an empty list holds no integers
            agree(facts)
        if tuple(x.shape) != (size,):
            raise ValueError(f"`models` must have shape ({size},), the model of each box, got {tuple(x.shape)}")
        of_model = xp.astype(host.to_numpy({"models": x})[1]["models"], xp.int64)
    count = int(xp.max(of_model)) + 1 if size else 1
    if weights is None:
        weights = [1.0] * count
    listed = [checks.number(f"weights[{k}]", w, least=0.0) for k, w in enumerate(_listed(weights))]
    if not listed or max(listed) == 0:
        raise ValueError(f"`weights` must have one above 0, got {listed}")
    if size and (count > len(listed) or int(xp.min(of_model)) < 0):
        wrong = next(k for k in of_model.tolist() if not 0 <= k < len(listed))
        raise ValueError(
            f"`models` must be from 0 to {len(listed) - 1}, as there are {len(listed)} weights, got {wrong}"
        )
    return of_model, xp.asarray(listed, dtype=xp.float64)


def _listed(weights: Any, /) -> list[Any]:
    listed = checks.several(weights)
    if listed is None:
        raise TypeError(f"`weights` must be a list of numbers, got {weights!r}")
    return list(listed)


def _fuse(call: Call, of_model: Any, weights: Any, /, *, rule: Rule, confidence: str, least: float | None) -> Clusters:
    xp = call.xp
    # Confidences are divided by the sum of weights, or the highest: a common factor of weights has no effect.
    (value, exponent), (weights, _) = (_fused.scaled(x, xp=xp) for x in (call.scores, weights))
    weight = xp.take(weights, of_model)
    rows = xp.nonzero(valid(call.scores, least, xp=xp) & (weight > 0))[0]
    value = value[rows] * weight[rows]
    group, count = _arguments.one_group(tuple(x[rows] for x in call.groups), rows.shape[0], xp=xp)
    order = ordering.falling(group, max(1, count), value, xp=xp)
    rows, value = rows[order], value[order]
    sizes = indexing.counts(group, count, xp=xp) if rows.shape[0] else xp.zeros(0, dtype=xp.int64)
    slots, boxes = _joined(xp.astype(call.shapes[rows, :], xp.float64), value, sizes, rule, call)
    used = indexing.distinct(slots, xp=xp)
    cluster = indexing.place(used, slots, xp=xp)[0]
    scores = _confidence(value, cluster, of_model[rows], weights, name=confidence, count=used.shape[0], xp=xp)
    scores = xp.ldexp(scores, exponent)
    # Rows of a group are by falling score: the first of a cluster is the best.
    first = xp.full(used.shape[0], rows.shape[0], dtype=xp.int64)
    xp.minimum.at(first, cluster, xp.arange(rows.shape[0]))
    every = xp.full(call.scores.shape[0], -1, dtype=xp.int64)
    every[rows] = cluster
    dtype = call.shapes.dtype if call.shapes.dtype.kind == "f" else xp.float64
    return Clusters(rows[first], every, xp.astype(boxes[used, :], dtype), xp.astype(scores, call.scores.dtype))


class _State(NamedTuple):
    """Clusters in slots: those of a group are where its rows start."""

    fused: Any  # (N, K)
    total: Any  # (N, K), sums of boxes times value
    value: Any  # (N,), sums of values

    def add(self, slots: Any, new: Any, boxes: Any, value: Any, /) -> None:
        """Boxes to different slots, some of which are new: a box alone is its own mean to the last bit."""
        self.fused[slots[new], :] = boxes[new, :]
        self.total[slots, :] += value[:, None] * boxes
        self.value[slots] += value
        # Scores of 0 have no mean: then the first box stays.
        some = slots[~new & (self.value[slots] > 0)]
        self.fused[some, :] = self.total[some, :] / self.value[some, None]


def _joined(boxes: Any, value: Any, sizes: Any, rule: Rule, call: Call, /) -> tuple[Any, Any]:
    """Boxes (N, K), values (N,) by group, then by falling value -> slots of their clusters (N,), fused boxes (N, K).

    The k-th boxes of all groups are placed at once.
    """
    xp = call.xp
    offset = indexing.starts(sizes, xp=xp)[:-1]
    state = _State(xp.zeros_like(boxes), xp.zeros_like(boxes), xp.zeros_like(value))
    slots, clusters = xp.zeros(boxes.shape[0], dtype=xp.int64), xp.zeros_like(sizes)
    largest = xp.argsort(-sizes, stable=True)
    falling = sizes[largest]
    for k in range(int(falling[0]) if sizes.shape[0] else 0):
        groups = largest[: int(xp.searchsorted(-falling, -k, side="left"))]
        rows = offset[groups] + k
        target = _best(boxes[rows, :], state.fused, offset[groups], clusters[groups], rule=rule, call=call)
        new = target < 0
        target = xp.where(new, offset[groups] + clusters[groups], target)
        clusters[groups[new]] += 1
        state.add(target, new, boxes[rows, :], value[rows])
        slots[rows] = target
    return slots, state.fused


def _best(boxes: Any, fused: Any, start: Any, count: Any, /, *, rule: Rule, call: Call) -> Any:
    """Boxes (G, K), where the clusters of the group of each start and how many they are (G,) -> slot or -1 (G,)."""
    xp = call.xp
    out = xp.full(boxes.shape[0], -1, dtype=xp.int64)
    some = xp.nonzero(count > 0)[0]
    if some.shape[0] == 0:
        return out
    candidates = indexing.concatenated_ranges(start[some], count[some], xp=xp)
    own = xp.repeat(some, count[some])
    overlap = call.score(fused[candidates, :], boxes[own, :], **call.options)
    overlap = xp.where(overlap == overlap, overlap, -float("inf"))  # noqa: PLR0124  (not NaN)
    first = indexing.starts(count[some], xp=xp)[:-1]
    best = xp.maximum.reduceat(overlap, first)
    equal = xp.nonzero(overlap == xp.repeat(best, count[some]))[0]
    # Of equal overlaps the first, which is written last.
    chosen = xp.zeros_like(out)
    chosen[own[equal][::-1]] = candidates[equal][::-1]
    over = some[rule.over(best, xp=xp)]
    out[over] = chosen[over]
    return out


def _confidence(
    value: Any, cluster: Any, of_model: Any, weights: Any, /, *, name: str, count: int, xp: Namespace
) -> Any:
    """Scores (count,) of clusters."""
    models, everything = weights.shape[0], xp.sum(weights)
    if name == "max":
        total = xp.zeros(count)
        xp.maximum.at(total, cluster, value)
        return total / xp.max(weights)
    total, own = (indexing.sums(x, cluster, count, xp=xp) for x in (value, xp.take(weights, of_model)))
    number = indexing.counts(cluster, count, xp=xp)
    pairs = indexing.distinct(cluster * models + of_model, xp=xp)
    present = indexing.sums(xp.take(weights, pairs % models), pairs // models, count, xp=xp)
    match name:
        case "avg":
            return total / number * xp.clip(number, 0, models) / everything
        case "avg_overflow":
            return total / everything
        case "absent_model_aware_avg":
            return total / (own + everything - present)
    return total / own * present / everything
