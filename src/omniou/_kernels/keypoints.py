"""Object keypoint similarity and distances of keypoints: K points of an object lie along the axis before (x, y)."""

import math
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import quotient
from omniou._kernels.losses import Shares, reduced
from omniou._lib import backends
from omniou._lib.arrays import cast, ranked
from omniou._lib.types import Namespace


class OksPlan(NamedTuple):
    """A hashable plan of the computation: one kernel is compiled for each plan."""

    sigmas: tuple[float, ...]
    eps: float
    compute: Any  # dtype
    result: Any  # dtype
    pairs: bool = False


class Objects(NamedTuple):
    """The ground truth of a call."""

    points: Any  # (..., K, 2 or 3): x, y, and v
    visible: Any = None  # (..., K)
    area: Any = None  # (...)
    box: Any = None  # (..., 4), (x, y, width, height)


# Axes of each array behind the leading ones.
_AXES = {"points": 2, "visible": 1, "area": 0, "box": 1}


def oks(a: Any, b: Any, /, *others: Any, plan: OksPlan, names: tuple[str, ...], xp: Namespace) -> Any:
    """Detections (..., K, 2 or 3), objects (..., K, 2 or 3) with what is known of them -> (...), or (..., N, M)."""
    objects = Objects(b, **dict(zip(names, others, strict=True)))
    objects = Objects(*(None if x is None else cast(x, plan.compute, xp=xp) for x in objects))
    a = cast(a, plan.compute, xp=xp)
    if plan.pairs:
        # The objects are the columns: (..., M, K, 2) becomes (..., 1, M, K, 2).
        axes = {"points": 3, "visible": 2, "area": 1, "box": 2}
        objects = Objects(**{name: _inserted(getattr(objects, name), k) for name, k in axes.items()})
        a = _inserted(a, 2)
    a, objects = _aligned(a, objects, xp=xp)
    return cast(mean_visible(*similarities(a, objects, plan=plan, xp=xp), xp=xp), plan.result, xp=xp)


def _aligned(a: Any, objects: Objects, /, *, xp: Namespace) -> tuple[Any, Objects]:
    """All arrays with as many leading axes: JAX may be told to refuse others."""
    axes = {name: x.ndim - _AXES[name] for name, x in objects._asdict().items() if x is not None}
    rank = max(a.ndim - 2, *axes.values())
    raised = {name: ranked(getattr(objects, name), rank + _AXES[name], xp=xp) for name in axes}
    return ranked(a, rank + 2, xp=xp), objects._replace(**raised)


def _inserted(x: Any, axes: int, /) -> Any:
    """(..., *axes) -> (..., 1, *axes)."""
    return None if x is None else x[..., None, *[slice(None)] * axes]


def similarities(a: Any, objects: Objects, /, *, plan: OksPlan, xp: Namespace) -> tuple[Any, Any]:
    """Detections (..., K, 2 or 3) -> the similarity of each point (..., K), and 1 where it counts, 0 elsewhere."""
    seen, none = _seen(objects), None
    if objects.box is not None and seen is not None:
        none = ~xp.any(seen, axis=-1, keepdims=True)
    counts = seen if none is None else seen | none
    squared = _squared(*(_apart(a[..., k], objects.points[..., k], counts, xp=xp) for k in (0, 1)))
    if none is not None:
        # An object without a visible point is where its box is, enlarged by its size on each side: then all points
        # count, by how far they are from it.
        squared = xp.where(none, _from_box(a, objects.box, xp=xp), squared)
    counted = xp.ones_like(squared) if counts is None else xp.astype(counts, squared.dtype) + xp.zeros_like(squared)
    variances = _filled([(2.0 * sigma) ** 2 for sigma in plan.sigmas], like=squared, xp=xp)
    return of_distances(squared, variances, objects.area, counted, eps=plan.eps, xp=xp), counted


def _apart(x: Any, y: Any, counts: Any, /, *, xp: Namespace) -> Any:
    """The difference of coordinates (..., K), 0 where a point does not count: there may be anything, NaN included."""
    if counts is None:
        return x - y
    zero = xp.zeros_like(x + y)
    return xp.where(counts, x + zero, zero) - xp.where(counts, y + zero, zero)


def of_distances(squared: Any, variances: Any, area: Any, counted: Any, /, *, eps: float, xp: Namespace) -> Any:
    """Squared distances (..., K), (2 sigma)^2 (K,), areas (...) -> exp(-d^2 / (2 area (2 sigma)^2)) (..., K).

    The operations are in the order of the reference implementation, so float64 gives its bits.
    """
    side = (xp.maximum(area, xp.zeros_like(area)) + eps)[..., None]
    scaled = squared / variances
    # What is far away is left out before the division: its exponent may be infinite, and the gradient not a number.
    kept = (counted != 0) & ~(scaled > 2.0 * _far(squared.dtype, xp=xp) * side)
    exponent = quotient(xp.where(kept, scaled, 0.0), side + xp.zeros_like(scaled), xp=xp) / 2
    return xp.where(kept, xp.exp(-exponent), 0.0)


def mean_visible(similar: Any, counted: Any, /, *, xp: Namespace) -> Any:
    """Similarities (..., K) and which count -> their mean (...), 0 where none does."""
    return quotient(xp.sum(similar * counted, axis=-1), xp.sum(counted, axis=-1), xp=xp)


def distances(a: Any, b: Any, visible: Any, norm: Any, /, *, compute: Any, xp: Namespace) -> tuple[Any, Any]:
    """Points of both (..., K, 2 or 3), v (..., K) or None, norms (...) -> d / norm (..., K), and which count."""
    a, b, norm = (cast(x, compute, xp=xp) for x in (a, b, norm))
    # The norm is aligned as an area is.
    a, (b, visible, norm, _) = _aligned(a, Objects(b, visible, norm), xp=xp)
    seen = _seen(Objects(b, visible))
    squared = _squared(*(_apart(a[..., k], b[..., k], seen, xp=xp) for k in (0, 1)))
    # The root has no gradient at 0: `where` on both sides keeps it finite; NaN passes through.
    none = squared == 0
    apart = xp.where(none, 0.0, xp.sqrt(xp.where(none, 1.0, squared)))
    every = (norm > 0)[..., None] & (xp.ones_like(squared) > 0)
    return apart / xp.where(norm > 0, norm, 1.0)[..., None], every if seen is None else seen & every


def loss(
    pred: Any,
    target: Any,
    /,
    *others: Any,
    plan: OksPlan,
    names: tuple[str, ...],
    reduction: str,
    xp: Namespace,
) -> Any:
    """1 - OKS of predictions (..., K, 2) and objects (..., K, 2 or 3) -> (...) or (), in `plan.result`."""
    given = dict(zip(names, others, strict=True))
    shares = Shares(*(given.pop(name, None) for name in Shares._fields))
    objects = Objects(target, **given)
    objects = Objects(*(None if x is None else cast(x, plan.compute, xp=xp) for x in objects))
    pred, objects = _aligned(pred, objects, xp=xp)
    seen, where = _seen(objects), shares.where
    where = None if where is None else ranked(where, pred.ndim - 2, xp=xp)
    if seen is not None:
        some = xp.any(seen, axis=-1)
        where = some if where is None else some & where
    similar, counted = similarities(
        _harmless(pred, where, plan=plan, xp=xp), _spared(objects, where, xp=xp), plan=plan, xp=xp
    )
    out = 1.0 - mean_visible(similar, counted, xp=xp)
    where = None if where is None else where & (xp.ones_like(out) > 0)
    return cast(reduced(out, shares._replace(where=where), reduction=reduction, xp=xp), plan.result, xp=xp)


def _harmless(pred: Any, where: Any, /, *, plan: OksPlan, xp: Namespace) -> Any:
    """Predictions (..., K, 2), zero where an object is excluded."""
    pred = cast(pred, plan.compute, xp=xp)
    return pred if where is None else xp.where(where[..., None, None], pred, 0.0)


def _spared(objects: Objects, where: Any, /, *, xp: Namespace) -> Objects:
    """Objects, with points at zero and an area of 1 where they are excluded."""
    if where is None:
        return objects
    points = xp.where(where[..., None, None], objects.points, 0.0)
    return objects._replace(points=points, area=xp.where(where, objects.area, 1.0))


def nme(a: Any, b: Any, /, *others: Any, names: tuple[str, ...], compute: Any, result: Any, xp: Namespace) -> Any:
    """Points of both -> the mean distance over the norm (...), NaN where no point counts."""
    given = dict(zip(names, others, strict=True))
    apart, counts = distances(a, b, given.get("visible"), given["norm"], compute=compute, xp=xp)
    number = xp.sum(xp.astype(counts, compute), axis=-1)
    total = xp.sum(xp.where(counts, apart, 0.0), axis=-1)
    some = number > 0
    return cast(xp.where(some, total / xp.where(some, number, 1.0), math.nan), result, xp=xp)


def pck(
    a: Any,
    b: Any,
    /,
    *others: Any,
    names: tuple[str, ...],
    threshold: float,
    average: str,
    compute: Any,
    result: Any,
    xp: Namespace,
) -> Any:
    """Points of N objects (..., K, 2 or 3) -> the share that is nearer than `threshold` norms: (), or (K,) of each."""
    given = dict(zip(names, others, strict=True))
    apart, counts = distances(a, b, given.get("visible"), given["norm"], compute=compute, xp=xp)
    axes = tuple(range(apart.ndim - 1))
    near = xp.sum(xp.astype(counts & (apart < threshold), compute), axis=axes)
    number = xp.sum(xp.astype(counts, compute), axis=axes)
    if average == "pairs":
        near, number = xp.sum(near), xp.sum(number)
    some = number > 0
    rates = xp.where(some, near / xp.where(some, number, 1.0), math.nan)
    if average == "points":
        points = xp.sum(xp.astype(some, compute))
        total = xp.sum(xp.where(some, rates, 0.0))
        rates = xp.where(points > 0, total / xp.where(points > 0, points, 1.0), math.nan)
    return cast(rates, result, xp=xp)


def spread(points: Any, visible: Any, area: Any, /, *, compute: Any, result: Any, xp: Namespace) -> Any:
    """R annotations of N objects (N, R, K, 2), v (N, R, K) or None, areas (N,) -> sigmas (K,)."""
    points, area = cast(points, compute, xp=xp), cast(area, compute, xp=xp)
    seen = xp.ones_like(points[..., 0]) if visible is None else xp.astype(visible > 0, compute)
    number = xp.sum(seen, axis=1)[:, None, :]
    points = xp.where(seen[..., None] > 0, points[..., :2], 0.0)
    mean = xp.sum(points, axis=1)[:, None, :, :] / xp.maximum(number, xp.ones_like(number))[..., None]
    squared = xp.sum(_squared(*((points[..., k] - mean[..., k]) for k in (0, 1))) * seen, axis=1)
    # The mean of R annotations is nearer to them than the point itself is, by (R - 1) / R.
    number = number[:, 0, :]
    several = number > 1
    unbiased = squared / xp.where(several, number - 1.0, 1.0) / area[:, None]
    objects = xp.sum(cast(several, compute, xp=xp), axis=0)
    total = xp.sum(xp.where(several, unbiased, 0.0), axis=0)
    some = objects > 0
    return cast(xp.where(some, xp.sqrt(total / xp.where(some, objects, 1.0)), math.nan), result, xp=xp)


def _seen(objects: Objects, /) -> Any:
    """Which points count (..., K), or None for all."""
    if objects.visible is not None:
        return objects.visible > 0
    return objects.points[..., 2] > 0 if objects.points.shape[-1] == 3 else None


def _squared(x: Any, y: Any, /) -> Any:
    return x * x + y * y


def _from_box(a: Any, box: Any, /, *, xp: Namespace) -> Any:
    """Points (..., K, 2 or 3), boxes (..., 4) -> squared distance from the box enlarged by its size (..., K)."""
    by_axis = []
    for axis in (0, 1):
        low, side, at = box[..., axis, None], box[..., axis + 2, None], a[..., axis]
        before, behind = (low - side) - at, at - (low + side * 2)
        by_axis.append(xp.maximum(before, xp.zeros_like(before)) + xp.maximum(behind, xp.zeros_like(behind)))
    return _squared(*by_axis)


def _far(dtype: Any, /, *, xp: Namespace) -> float:
    """An exponent whose power is 0 in the dtype."""
    return 750.0 if xp.finfo(dtype).bits > 32 else 110.0


def _filled(numbers: list[float], /, *, like: Any, xp: Namespace) -> Any:
    """Numbers -> an array (..., K) of the dtype, device and rank of another."""
    return ranked(xp.asarray(numbers, dtype=like.dtype, device=backends.device(like, xp=xp)), like.ndim, xp=xp)
