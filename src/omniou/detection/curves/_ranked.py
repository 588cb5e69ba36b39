"""Average precision and curves of ranked detections, in fixed size: the last step of an evaluation as functions."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from omniou._kernels import histograms
from omniou._kernels.histograms import share
from omniou._lib import backends, carried, checks, indexing, near, values
from omniou._lib.arrays import BOOLEANS, INTEGERS, agree, arrays_of, cast, ranked, widest_integer
from omniou._lib.docs import described
from omniou._lib.types import Array, ArrayLike, Namespace
from omniou.detection._protocol import COCO, Protocol
from omniou.detection.curves import _precision as kernels
from omniou.matching._coco_greedy import spaced


class PRCurve(NamedTuple):
    """Precision and recall at each rank.

    Attributes
    ----------
    precision, recall, scores : array, shape (..., M)
        Values after the first, second, ... detection by falling score, and its score. Entries that `where` leaves out
        come last and are NaN. With ``tie_policy="invariant"`` detections of equal score have equal entries: the values
        after the last of them.
    """

    precision: Any
    recall: Any
    scores: Any


@near.explained
def average_precision(
    scores: Array | ArrayLike,
    matched: Any,
    num_objects: Any,
    *,
    where: Any = None,
    interpolation: Literal["points", "area", "trapezoids", "trapezoids_tail"] = "points",
    recall_points: int | Sequence[float] | None = None,
    tie_policy: Literal["file", "last", "invariant"] = "file",
) -> Any:
    """Average precision (AP) of detections that were matched elsewhere, from their scores and whether each is a hit.

    It is the last step of `evaluate`, for one class or for many by leading axes.

    Parameters
    ----------
    scores : array, shape (..., M)
        Scores of M detections, of all images together: higher is better.
    matched : array of booleans, shape (..., M)
        Which detections are true positives. Leading axes broadcast: (T, M) for T thresholds.
    num_objects : int, or array of integers, shape (...)
        Objects of the ground truth that count, found or not.
    where : array of booleans, shape (..., M), optional
        Detections that count. False: padding, and what is neither a true nor a false positive, such as a detection of
        an ignored object.
    interpolation : {"points", "area", "trapezoids", "trapezoids_tail"}
        As in `Protocol`. "points": the mean of the highest precision at or beyond each of `recall_points`. "area": the
        area under the curve of highest precisions. "trapezoids": this area by trapezoids between `recall_points`.
    recall_points : int or sequence of float, optional
        Recall thresholds, rising, in [0, 1]; an integer for as many even steps, 11 for Pascal VOC 2007. Default: COCO's
        0, 0.01, ..., 1.
    tie_policy : {"file", "last", "invariant"}
        Order of equal scores. "file": as they come. "last": the reverse. "invariant": all at once, so the result is the
        same to the last bit for detections in any order.

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN without objects, 0 without detections. Library and device follow the input, the dtype follows
        `scores`: integers become the widest float, and 16-bit floats are computed in float32. In float64 the result
        equals the cell of `evaluate` to the last bit.

    Raises
    ------
    TypeError
        If libraries or devices differ, `matched` or `where` does not hold booleans, `num_objects` does not hold
        integers, or an array is lazy, as of Dask: ranks need all scores.
    ValueError
        If shapes do not fit, an option is unknown, a score that counts is NaN, or there are more true positives than
        objects. Where values are not known yet, in `jit`, `vmap` and `torch.compile`, these two give NaN.

    References
    ----------
    Everingham et al., The Pascal Visual Object Classes Challenge, IJCV 2010; ``COCOeval.accumulate`` in
    cocodataset/cocoapi.

    Examples
    --------
    Two of three objects are found, the second one after a false positive. The area is (1 + 2 / 3) / 3; of COCO's points
    34 have a precision of 1, 33 one of 2 / 3 and the others 0.

    >>> from omniou import detection
    >>> scores, matched = [0.9, 0.8, 0.7], [True, False, True]
    >>> round(float(detection.average_precision(scores, matched, 3, interpolation="area")), 4)
    0.5556
    >>> round(float(detection.average_precision(scores, matched, 3)), 4)
    0.5545
    """
    rules = _rules(interpolation, recall_points, tie_policy)
    arrays, known = _read(scores, matched, num_objects, where)
    return backends.run(_area, *arrays, protocol=rules, **known)


@near.explained
@described(average_precision)
def pr_curve(
    scores: Array | ArrayLike,
    matched: Any,
    num_objects: Any,
    *,
    where: Any = None,
    tie_policy: Literal["file", "last", "invariant"] = "file",
) -> PRCurve:
    """Precision and recall by rank of detections that were matched elsewhere, in fixed size.

    Precision is not made to fall with recall: `average_precision` does this by itself.

    Parameters
    ----------
    scores, matched, num_objects, where, tie_policy

    Returns
    -------
    PRCurve
        Arrays of shape (..., M). Recall is NaN without objects. The area under this curve, `precision` times the steps
        of `recall` with ``tie_policy="invariant"``, is scikit-learn's ``average_precision_score``.

    Raises
    ------
    TypeError, ValueError
        The same as `average_precision`.

    Examples
    --------
    >>> from omniou import detection
    >>> curve = detection.pr_curve([0.7, 0.9, 0.8], [True, True, False], 2)
    >>> curve.precision.round(4).tolist(), curve.recall.tolist(), curve.scores.tolist()
    ([1.0, 0.5, 0.6667], [0.5, 0.5, 1.0], [0.9, 0.8, 0.7])
    """
    rules = _rules("area", None, tie_policy)
    arrays, known = _read(scores, matched, num_objects, where)
    curve: PRCurve = backends.run(_curve, *arrays, protocol=rules, **known)
    return curve


def _rules(interpolation: Any, recall_points: Any, tie_policy: Any, /) -> Protocol:
    points = recall_points
    if points is None:
        points = COCO.recall_points
    elif interpolation == "area":
        raise ValueError('`recall_points` are for "points" and trapezoids: leave them out with interpolation="area"')
    elif isinstance(checks.plain(points), int) and not isinstance(points, bool):
        if (count := checks.count("recall_points", points)) < 2:
            raise ValueError(f"`recall_points` must be at least 2, or rising numbers in [0, 1], got {count}")
        points = spaced(0.0, 1.0, count)
    return dataclasses.replace(COCO, recall_points=points, interpolation=interpolation, tie_policy=tie_policy)


def _read(scores: Any, matched: Any, num_objects: Any, where: Any, /) -> tuple[list[Any], dict[str, Any]]:
    """Check what is known without values, and the values if they are at hand; return arrays of one rank and dtypes."""
    for name, x in (("matched", matched), ("num_objects", num_objects)):
        if x is None:
            raise TypeError(f"`{name}` must be given, got None")
    named, where = carried.counted({"scores": scores}, _flags(where))
    operands = {"matched": BOOLEANS, "num_objects": INTEGERS, "where": BOOLEANS}
    arrays, facts = arrays_of(operands, **named, matched=_flags(matched), num_objects=num_objects, where=where)
    xp = facts[0].namespace
    backends.check_not_lazy("scores", xp)
    compute, result = agree(facts)
    size = facts[0].shape[-1:]
    axes = {x.name: int(x.name != "num_objects") for x in facts}  # those that do not lead
    for name, shape in ((x.name, x.shape) for x in facts if axes[x.name]):
        if not shape or shape[-1:] != size:
            need = "(..., M)" if name == "scores" else f"(..., {size[0]}), a row for each detection"
            raise ValueError(f"`{name}` must have shape {need}, got {tuple(shape)}")
    lead = checks.broadcast(**{x.name: tuple(x.shape[: len(x.shape) - axes[x.name]]) for x in facts})
    # All of one rank, since JAX may be told to refuse others.
    given = [ranked(x, len(lead) + axes[fact.name], xp=xp) for x, fact in zip(arrays, facts, strict=False)]
    if len(given) == 3:  # all count
        given.append(xp.ones_like(given[0], dtype=xp.bool))
    if values.visible(*given):
        _check_values(*given, xp=xp)
    return given, {"compute": compute, "result": result, "xp": xp}


def _flags(x: Any, /) -> Any:
    """An empty list as an array of booleans, which it would not become by itself."""
    return backends.numpy_namespace().zeros(0, dtype=bool) if isinstance(x, list) and not x else x


def _check_values(scores: Any, matched: Any, objects: Any, where: Any, /, *, xp: Namespace) -> None:
    place = _first(_nan(scores, where, xp=xp), xp=xp)
    if place is not None:
        raise ValueError(f"`scores` must be numbers, got nan at {values.position(*place)}")
    hits = _number(matched & where, xp=xp)
    bad = hits > objects
    if (place := _first(bad, xp=xp)) is not None:
        few, many = (int(xp.reshape(xp.broadcast_to(x, bad.shape), (-1,))[place[0]]) for x in (objects, hits))
        raise ValueError(
            f"`num_objects{values.position(*place)}` must be at least the number of true positives, {many}, got {few}"
        )


def _first(bad: Any, /, *, xp: Namespace) -> tuple[int, tuple[int, ...]] | None:
    """The place of the first true one of booleans, and their shape without axes of length 1 in front; None if none."""
    if not xp.any(bad):
        return None
    shape = list(bad.shape)
    while shape and shape[0] == 1:
        del shape[0]
    return int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.uint8))), tuple(shape)


def _area(
    scores: Any,
    matched: Any,
    objects: Any,
    where: Any,
    /,
    *,
    protocol: Protocol,
    compute: Any,
    result: Any,
    xp: Namespace,
) -> Any:
    """Scores (..., M), booleans (..., M), integers (...), booleans (..., M) -> (...)."""
    hit, seen, _, _ = _ranks(scores, matched, where, _order(scores, protocol.tie_policy, xp=xp), protocol, xp=xp)
    # Hits come to the front: the k-th value of a row belongs to its k-th hit, also where ties came in another order.
    counted = _take(seen, xp.argsort(xp.astype(~hit, xp.uint8), axis=-1, stable=True), xp=xp)
    every = xp.arange(1, seen.shape[-1] + 1, dtype=seen.dtype, device=backends.device(seen, xp=xp))
    number, ordinal = _number(hit, xp=xp), ranked(every, seen.ndim, xp=xp)
    if protocol.interpolation == "points":
        precision = kernels.precision_at(ordinal, counted, compute, xp=xp)
    else:
        precision = share(ordinal, xp.maximum(counted, xp.ones_like(counted)), compute, xp=xp)
    precision = xp.where(ordinal <= number[..., None], precision, 0.0)
    best = indexing.cumulative_maximum(precision, xp=xp, from_end=True)
    none = xp.zeros((*best.shape[:-1], 1), dtype=compute, device=backends.device(best, xp=xp))
    best = xp.concat([best, none], axis=-1)  # 0 for what comes after the last hit
    some = cast(xp.maximum(objects, xp.ones_like(objects)), seen.dtype, xp=xp)
    points = xp.asarray(protocol.recall_points, dtype=compute, device=backends.device(best, xp=xp))
    points = ranked(points, best.ndim, xp=xp)
    if protocol.interpolation == "area":
        # One after the other, as the evaluator adds.
        out = backends.cumulative_sum(best, dtype=compute, xp=xp)[..., -1] / xp.astype(some, compute)
    elif protocol.interpolation == "points":
        need = _recalled(histograms.needed, some, protocol, xp=xp)
        out = xp.sum(_at(best, need - 1, xp=xp), axis=-1) / points.shape[-1]
    else:
        reached = _recalled(histograms.within, some, protocol, xp=xp)
        detected = _number(where, xp=xp)
        end = share(number, xp.maximum(detected, xp.ones_like(detected)), compute, xp=xp)
        end = xp.zeros_like(end) if protocol.interpolation == "trapezoids" else end
        behind = kernels.falling(end, number, some, points, xp=xp)
        out = kernels.between(xp.where(reached < number[..., None], _at(best, reached, xp=xp), behind), points, xp=xp)
    unknown = (objects == 0) | _bad(scores, matched, objects, where, xp=xp)
    return cast(xp.where(unknown, float("nan"), out), result, xp=xp)


def _curve(
    scores: Any,
    matched: Any,
    objects: Any,
    where: Any,
    /,
    *,
    protocol: Protocol,
    compute: Any,
    result: Any,
    xp: Namespace,
) -> PRCurve:
    """Scores (..., M), booleans (..., M), integers (...), booleans (..., M) -> arrays (..., M)."""
    order = _order(scores, protocol.tie_policy, xp=xp)
    left_out = _take(xp.astype(~where, xp.uint8), order, xp=xp)
    order = _take(order, xp.argsort(left_out, axis=-1, stable=True), xp=xp)  # what does not count comes last
    _, seen, until, falling = _ranks(scores, matched, where, order, protocol, xp=xp)
    counts, bad = _take(where, order, xp=xp), _bad(scores, matched, objects, where, xp=xp)[..., None]
    some = xp.maximum(objects, xp.ones_like(objects))[..., None]
    known = counts & ~bad
    columns = [
        (known, share(until, xp.maximum(seen, xp.ones_like(seen)), compute, xp=xp)),
        (known & (objects > 0)[..., None], share(until, some, compute, xp=xp)),
        (counts, cast(falling, compute, xp=xp)),
    ]
    lead = checks.broadcast(until=until.shape, objects=some.shape)
    columns = [xp.broadcast_to(xp.where(of, x, float("nan")), lead) for of, x in columns]
    return PRCurve(*(cast(x, result, xp=xp) for x in columns))


def _bad(scores: Any, matched: Any, objects: Any, where: Any, /, *, xp: Namespace) -> Any:
    """Whether a row is what `_check_values` refuses where values are known, (...)."""
    nan = xp.any(_nan(scores, where, xp=xp), axis=-1)
    return nan | (_number(matched & where, xp=xp) > objects)


class _Ranks(NamedTuple):
    """Rows (...) of detections in their order, each (..., M)."""

    hit: Any
    seen: Any  # how many count up to and with each
    until: Any  # how many are hits
    scores: Any


def _ranks(scores: Any, matched: Any, where: Any, order: Any, protocol: Protocol, /, *, xp: Namespace) -> _Ranks:
    hit, falling, integer = _take(matched & where, order, xp=xp), _take(scores, order, xp=xp), widest_integer(xp)
    seen, until = (
        backends.cumulative_sum(xp.astype(x, integer), dtype=integer, xp=xp) for x in (_take(where, order, xp=xp), hit)
    )
    if protocol.tie_policy == "invariant":
        seen, until = (_at_last(x, falling, xp=xp) for x in (seen, until))
    return _Ranks(hit, seen, until, falling)


def _order(scores: Any, policy: str, /, *, xp: Namespace) -> Any:
    """(..., M) -> places by falling score."""
    # A rising stable sort that is read from its end has the last of equal scores first, unless it began at the end too.
    # No scores change sign, which unsigned integers do not have.
    if policy == "last":
        return xp.flip(xp.argsort(scores, axis=-1, stable=True), axis=-1)
    return scores.shape[-1] - 1 - xp.flip(xp.argsort(xp.flip(scores, axis=-1), axis=-1, stable=True), axis=-1)


def _at_last(counts: Any, scores: Any, /, *, xp: Namespace) -> Any:
    """Counts (..., M) that never fall, falling scores (..., M) -> the counts at the last of equal scores."""
    if scores.shape[-1] == 0:
        return counts
    last = xp.concat([scores[..., 1:] != scores[..., :-1], xp.ones_like(scores[..., :1], dtype=xp.bool)], axis=-1)
    # A running maximum from the end of what is missing up to M: counts 1, 2, 2, 3 with ends 0, 1, 0, 1 are 3, 2, 2, 1
    # less than 4, of which 0, 2, 0, 1 stay, and become 2, 2, 1, 1. That is 2, 2, 3, 3 again.
    size = counts.shape[-1]
    missing = xp.where(last, size - counts, xp.zeros_like(counts))
    return size - indexing.cumulative_maximum(missing, xp=xp, from_end=True)


def _number(flags: Any, /, *, xp: Namespace) -> Any:
    """Booleans (..., M) -> how many are true, (...)."""
    return xp.sum(xp.astype(flags, widest_integer(xp)), axis=-1)


def _nan(scores: Any, where: Any, /, *, xp: Namespace) -> Any:
    """Which scores that count are NaN, (..., M)."""
    return xp.isnan(scores) & where


def _recalled(count: Any, objects: Any, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Objects (...) -> true positives at each recall threshold (..., R)."""
    counts = count(xp.reshape(objects, (-1,)), protocol.recall_points, xp=xp)
    return xp.reshape(counts, (*objects.shape, len(protocol.recall_points)))


def _at(values: Any, places: Any, /, *, xp: Namespace) -> Any:
    """(..., M), places (..., R) -> (..., R): the last value for places beyond it."""
    return _take(values, xp.minimum(places, xp.full_like(places, values.shape[-1] - 1)), xp=xp)


def _take(x: Any, places: Any, /, *, xp: Namespace) -> Any:
    """(..., M), places (..., R) -> (..., R); leading axes broadcast."""
    lead = checks.broadcast(x=x.shape[:-1], places=places.shape[:-1]) if x.ndim > 1 else ()
    x, places = (xp.broadcast_to(y, (*lead, y.shape[-1])) for y in (x, places))
    return xp.take_along_axis(x, places, axis=-1)
