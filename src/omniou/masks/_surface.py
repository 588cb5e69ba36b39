"""Distances between the outlines of masks, on the CPU by SciPy (the extra ``masks``)."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import array_api_compat as compat

from omniou._catalogue.calls import two_sets
from omniou._catalogue.mask_calls import check_masks
from omniou._catalogue.options import declared
from omniou._catalogue.options import described as option_texts
from omniou._catalogue.pixel_options import ThresholdOption
from omniou._kernels import masks as kernels
from omniou._lib import backends, checks, distances, host
from omniou._lib.arrays import PIXELS, Fact, agree, arrays_of, cast
from omniou._lib.docs import described
from omniou._lib.outer import Outer
from omniou._lib.types import ArrayLike, ArrayT, Namespace

Spacing = float | tuple[float, float]
DistanceMetric = Literal["euclidean", "chessboard", "taxicab"]


@described(option_texts(declared(ThresholdOption)))
def hausdorff(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    percentile: float = 100.0,
    directed: bool = False,
    spacing: Spacing = 1.0,
    distance_metric: DistanceMetric = "euclidean",
    threshold: float | None = None,
) -> ArrayT:
    """Hausdorff distance of the outlines of two masks, or a percentile of it.

    The outline of a mask has its pixels with a neighbour above, below, left or right that is off or outside the image.
    The distance is the largest from a pixel of one outline to the nearest of the other, from centre to centre.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast. They are copied to the CPU where they are elsewhere.
    percentile : float
        In (0, 100]: of the distances of each direction, with interpolation. 95 is HD95, which single pixels do not
        change.
    directed : bool
        Whether only distances from `a` to `b` count. Otherwise the larger of both directions is given.
    spacing : float or tuple of float
        Distance of pixels, or that along the height and along the width.
    distance_metric : {"euclidean", "chessboard", "taxicab"}
        How the distances along the height and along the width combine: to the root of the sum of their squares, to the
        larger one, or to their sum.
    threshold

    Returns
    -------
    array, shape (...)
        In the unit of `spacing`; infinite where one mask is empty, NaN where both are, or where one has NaN. Library,
        device and dtype as of `iou`; no gradient. ``pairwise`` takes it.

    Raises
    ------
    ModuleNotFoundError
        If SciPy is not installed.
    TypeError
        As of `iou`, and for lazy arrays of Dask.
    ValueError
        If the shapes do not fit, or an option is out of its range.

    Notes
    -----
    MONAI's and torchmetrics' distance is the same. medpy takes the percentile of both directions together.

    References
    ----------
    Huttenlocher et al., Comparing images using the Hausdorff distance, PAMI 1993.

    Examples
    --------
    >>> from omniou import masks
    >>> a, b = [[1, 0, 0, 0, 0]], [[1, 0, 0, 1, 0]]
    >>> float(masks.hausdorff(a, b)), float(masks.hausdorff(a, b, spacing=(1.0, 0.5)))
    (3.0, 1.5)
    >>> float(masks.hausdorff(a, b, directed=True))
    0.0
    """
    share = checks.number("percentile", percentile)
    if not 0 < share <= 100:
        msg = f"`percentile` must lie in (0, 100], got {percentile!r}"
        raise ValueError(msg)
    combine = functools.partial(_furthest, percentile=share, directed=bool(directed), metric=_metric(distance_metric))
    return _of_outlines(combine, a, b, spacing, threshold)


@described(hausdorff)
def average_surface_distance(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    directed: bool = False,
    spacing: Spacing = 1.0,
    distance_metric: DistanceMetric = "euclidean",
    threshold: float | None = None,
) -> ArrayT:
    """Mean distance from the pixels of the outlines of two masks to the nearest of the other outline.

    Parameters
    ----------
    a, b, spacing, distance_metric, threshold
    directed : bool
        Whether only distances from `a` to `b` count. Otherwise the mean is that over the pixels of both outlines.

    Returns
    -------
    array, shape (...)
        As of `hausdorff`. ``pairwise`` takes it.

    Raises
    ------
    ModuleNotFoundError, TypeError, ValueError
        As of `hausdorff`.

    Notes
    -----
    MONAI's ``compute_average_surface_distance`` is directed by default.

    References
    ----------
    Heimann et al., Comparison and evaluation of methods for liver segmentation, TMI 2009.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.average_surface_distance([[1, 0, 0, 0, 0]], [[1, 0, 0, 1, 0]]))
    1.0
    """
    combine = functools.partial(_average, directed=bool(directed), metric=_metric(distance_metric))
    return _of_outlines(combine, a, b, spacing, threshold)


@described(hausdorff)
def signed_distance(x: ArrayT | ArrayLike, /, *, spacing: Spacing = 1.0, threshold: float | None = None) -> ArrayT:
    """Distance of each pixel to the outline of its mask: positive outside, at most 0 inside.

    It is what `omniou.losses.masks.boundary` takes. Compute it where data is loaded.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks: booleans, integers of which all but 0 are on, or floats.
    spacing, threshold

    Returns
    -------
    array, shape (..., height, width)
        Outside the distance to the nearest pixel that is on; inside that to the nearest one that is off, less the
        smaller spacing, negative: 0 at the outline. Zeros for masks that are empty or cover their image. Library,
        device and dtype as of `iou`.

    Raises
    ------
    ModuleNotFoundError, TypeError, ValueError
        As of `hausdorff`.

    References
    ----------
    Kervadec et al., Boundary loss for highly unbalanced segmentation, MIDL 2019.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.signed_distance([[0, 0, 1, 1, 1, 1]]).tolist()
    [[2.0, 1.0, 0.0, -1.0, -2.0, -3.0]]
    """
    sides = _spacing(spacing)
    (array,), facts = arrays_of({"x": PIXELS}, x=x)
    _, result = agree(facts)
    check_masks(facts, 2)
    xp, pixels, back = _on_host(facts, [array], threshold)
    out = xp.zeros(pixels[0].shape, dtype=xp.float64)
    flat, flat_out = (y.reshape(-1, *y.shape[-2:]) for y in (pixels[0], out))
    for k in range(flat.shape[0]):
        if flat[k].any() and not flat[k].all():
            outside = distances.to_false(~flat[k], sides)
            inside = min(sides) - distances.to_false(flat[k], sides)
            flat_out[k] = xp.where(flat[k], inside, outside)
    return back(out, result)


def _of_outlines(combine: Callable[..., float], a: Any, b: Any, spacing: Any, threshold: Any) -> Any:
    sides = _spacing(spacing)
    named, pairs, rows_first = {"a": a, "b": b}, isinstance(a, Outer) or isinstance(b, Outer), True
    if pairs:
        named, rows_first = two_sets(named)
    (a, b), facts = arrays_of({"a": PIXELS, "b": PIXELS}, **named)
    _, result = agree(facts)
    leading = check_masks(facts, 3 if pairs else 2)
    xp, (p, q), back = _on_host(facts, [a, b], threshold)
    invalid = [kernels.invalid(x, xp=facts[0].namespace) for x in (a, b)]
    # Each mask is looked at once, however many pairs it is in.
    rows, columns = (xp.arange(math.prod(x.shape[:-2])).reshape(x.shape[:-2]) for x in (p, q))
    if pairs:
        rows, columns = rows[..., :, None], columns[..., None, :]
    shape = (*leading, p.shape[-3], q.shape[-3]) if pairs else leading
    rows, columns = (xp.broadcast_to(x, shape).reshape(-1).tolist() for x in (rows, columns))
    ours, theirs = (_outlines(x, sides, xp=xp) for x in (p, q))
    bad = [None if x is None else xp.asarray(host_array(x)).reshape(-1) for x in invalid]
    out = xp.empty(len(rows), dtype=xp.float64)
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        broken = any(x is not None and x[n] for x, n in zip(bad, (i, j), strict=True))
        out[k] = math.nan if broken else combine(ours(i), theirs(j))
    out = out.reshape(shape)
    return back(out if rows_first else xp.swapaxes(out, -1, -2), result)


def _outlines(x: Any, sides: tuple[float, float], /, *, xp: Namespace) -> Callable[[int], tuple[Any, Any]]:
    """Booleans (..., height, width) -> function from the number of a mask to its outline, and an index of that."""
    flat = x.reshape(-1, *x.shape[-2:])

    @functools.cache
    def outline(k: int) -> tuple[Any, Any]:
        on = flat[k]
        wide = xp.pad(on, 1)
        inner = wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
        points = xp.argwhere(on & ~inner) * xp.asarray(sides)
        return points, distances.tree(points) if points.shape[0] else None

    return outline


def _furthest(a: tuple[Any, Any], b: tuple[Any, Any], /, *, percentile: float, directed: bool, metric: str) -> float:
    if a[1] is None or b[1] is None:
        return math.nan if a[1] is b[1] else math.inf
    ways = ((a, b),) if directed else ((a, b), (b, a))
    percentiles = (
        _numpy().percentile(distances.nearest(points, index, metric), percentile) for (points, _), (_, index) in ways
    )
    return float(max(percentiles))


def _average(a: tuple[Any, Any], b: tuple[Any, Any], /, *, directed: bool, metric: str) -> float:
    if a[1] is None or b[1] is None:
        return math.nan if a[1] is b[1] else math.inf
    ways = ((a, b),) if directed else ((a, b), (b, a))
    each = [distances.nearest(points, index, metric) for (points, _), (_, index) in ways]
    return float(sum(x.sum() for x in each) / sum(x.shape[0] for x in each))


def _metric(name: Any) -> str:
    checks.choice("distance_metric", name, distances.NORMS)
    return str(name)


def _spacing(spacing: Any) -> tuple[float, float]:
    both = spacing if isinstance(spacing, (tuple, list)) else (spacing, spacing)
    if len(both) != 2:
        msg = f"`spacing` must be a number, or one along the height and one along the width, got {spacing!r}"
        raise ValueError(msg)
    high, wide = (checks.number("spacing", x, above=0.0) for x in both)
    return high, wide


def _on_host(
    facts: tuple[Fact, ...], arrays: list[Any], threshold: Any
) -> tuple[Namespace, list[Any], Callable[[Any, Any], Any]]:
    """NumPy, the masks as booleans there, and what brings an array of NumPy home in a dtype."""
    fact = facts[0]
    if compat.is_dask_namespace(fact.namespace):
        msg = "distances look at values, which Dask arrays do not have yet: pass `x.compute()`"
        raise TypeError(msg)
    limit = None if threshold is None else checks.number("threshold", threshold)
    pixels = [host_array(kernels.filled(x, threshold=limit, xp=fact.namespace)) for x in arrays]

    def back(x: Any, dtype: Any) -> Any:
        wide = x if fact.namespace.finfo(dtype).bits > 32 else x.astype("float32")  # the device may have no float64
        return cast(fact.namespace.asarray(wide, device=fact.device), dtype, xp=fact.namespace)

    return _numpy(), pixels, back


def host_array(x: Any) -> Any:
    """Any array in NumPy."""
    _, arrays, _ = host.to_host({"x": x}, always=True)
    return _numpy().asarray(arrays["x"])


def _numpy() -> Namespace:
    return host.lean(backends.numpy_namespace())
