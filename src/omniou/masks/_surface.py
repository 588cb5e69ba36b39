"""Distances between the outlines of masks and volumes, on the CPU by SciPy (the extra ``masks``)."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, Literal

from omniou._catalogue.calls import two_sets
from omniou._catalogue.mask_calls import AXES, check_integers, check_masks, check_thresholded
from omniou._catalogue.options import declared
from omniou._catalogue.options import described as option_texts
from omniou._catalogue.pixel_options import ThresholdOption
from omniou._kernels import masks as kernels
from omniou._lib import backends, checks, distances, host
from omniou._lib.arrays import PIXELS, Fact, agree, arrays_of, cast
from omniou._lib.docs import described
from omniou._lib.outer import Outer
from omniou._lib.types import ArrayLike, ArrayT, Namespace

Spacing = float | tuple[float, ...]
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
    spatial_axes: int | None = None,
    distance_metric: DistanceMetric = "euclidean",
    threshold: float | None = None,
) -> ArrayT:
    """Hausdorff distance of the outlines of two masks or volumes, or a percentile of it.

    The outline of a mask has its pixels with a neighbour above, below, left or right that is off or outside the image;
    in a volume, also with such a neighbour before or behind. The distance is the largest from a pixel of one outline to
    the nearest of the other, from centre to centre.

    Parameters
    ----------
    a, b : array, shape (..., height, width) or (..., depth, height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast. They are copied to the CPU where they are elsewhere.
    percentile : float
        In (0, 100]: of the distances of each direction, with interpolation. 95 is HD95, which single pixels do not
        change.
    directed : bool
        Whether only distances from `a` to `b` count. Otherwise the larger of both directions is given.
    spacing : float or tuple of float
        Distance of pixels: one number, or one for each spatial axis, in the order of the axes.
    spatial_axes : {1, 2, 3}, optional
        How many of the last axes are one mask: 2 for images, 3 for volumes. By default as many as `spacing` has
        numbers, and 2 where it is one number: an array (D, height, width) is then D images.
    distance_metric : {"euclidean", "chessboard", "taxicab"}
        How the distances along the axes combine: to the root of the sum of their squares, to the largest one, or to
        their sum.
    threshold

    Returns
    -------
    array, shape (...)
        In the unit of `spacing`; infinite where one mask is empty, NaN where both are, or where one has NaN. Library,
        device and dtype as in `iou`; no gradient. ``pairwise`` takes it.

    Raises
    ------
    ModuleNotFoundError
        If SciPy is not installed.
    TypeError
        The same as in `iou`, and for lazy arrays of Dask.
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
    >>> volumes = [a, a, a], [a, a, b]  # of 3 x 1 x 5 voxels
    >>> float(masks.hausdorff(*volumes, spatial_axes=3)), masks.hausdorff(*volumes).tolist()
    (3.0, [0.0, 0.0, 3.0])
    """
    share = percentage(percentile)
    combine = functools.partial(
        _furthest, percentile=share, directed=checks.flag("directed", directed), metric=_metric(distance_metric)
    )
    return _of_outlines(combine, a, b, spacing_of(spacing, spatial_axes), threshold)


@described(hausdorff)
def average_surface_distance(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    directed: bool = False,
    spacing: Spacing = 1.0,
    spatial_axes: int | None = None,
    distance_metric: DistanceMetric = "euclidean",
    threshold: float | None = None,
) -> ArrayT:
    """Mean distance from the pixels of the outlines of two masks to the nearest of the other outline.

    Parameters
    ----------
    a, b, spacing, spatial_axes, distance_metric, threshold
    directed : bool
        Whether only distances from `a` to `b` count. Otherwise the mean is over the pixels of both outlines.

    Returns
    -------
    array, shape (...)
        The same as in `hausdorff`. ``pairwise`` takes it.

    Raises
    ------
    ModuleNotFoundError, TypeError, ValueError
        The same as in `hausdorff`.

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
    combine = functools.partial(_average, directed=checks.flag("directed", directed), metric=_metric(distance_metric))
    return _of_outlines(combine, a, b, spacing_of(spacing, spatial_axes), threshold)


@described(hausdorff)
def signed_distance(
    x: ArrayT | ArrayLike,
    /,
    *,
    spacing: Spacing = 1.0,
    spatial_axes: int | None = None,
    threshold: float | None = None,
) -> ArrayT:
    """Distance of each pixel to the outline of its mask: positive outside, at most 0 inside.

    It is what `omniou.losses.masks.boundary` takes. Compute it where data is loaded.

    Parameters
    ----------
    x : array, shape (..., height, width) or (..., depth, height, width)
        Masks: booleans, integers that are 0 or one other number, or floats with a `threshold`.
    spacing, spatial_axes, threshold

    Returns
    -------
    array of the same shape
        Outside the distance to the nearest pixel that is on; inside that to the nearest one that is off, less the
        smallest spacing, negative: 0 at the outline. Zeros for masks that are empty or cover their image. Library,
        device and dtype as in `iou`.

    Raises
    ------
    ModuleNotFoundError, TypeError, ValueError
        The same as in `hausdorff`.

    References
    ----------
    Kervadec et al., Boundary loss for highly unbalanced segmentation, MIDL 2019.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.signed_distance([[0, 0, 1, 1, 1, 1]]).tolist()
    [[2.0, 1.0, 0.0, -1.0, -2.0, -3.0]]
    """
    sides = spacing_of(spacing, spatial_axes)
    (array,), facts = arrays_of({"x": PIXELS}, x=x)
    _, result = agree(facts)
    check_masks(facts, spatial_axes=len(sides))
    xp, pixels, back = on_host(facts, [array], threshold, len(sides))
    out = xp.zeros(pixels[0].shape, dtype=xp.float64)
    flat, flat_out = (y.reshape(-1, *y.shape[y.ndim - len(sides) :]) for y in (pixels[0], out))
    for k in range(flat.shape[0]):
        if flat[k].any() and not flat[k].all():
            outside = distances.to_false(~flat[k], sides)
            inside = min(sides) - distances.to_false(flat[k], sides)
            flat_out[k] = xp.where(flat[k], inside, outside)
    return back(out, result)


def _of_outlines(combine: Callable[..., float], a: Any, b: Any, sides: tuple[float, ...], threshold: Any) -> Any:
    named, pairs, rows_first = {"a": a, "b": b}, isinstance(a, Outer) or isinstance(b, Outer), True
    if pairs:
        named, rows_first = two_sets(named)
    (a, b), facts = arrays_of({"a": PIXELS, "b": PIXELS}, **named)
    _, result = agree(facts)
    leading, axes = check_masks(facts, pairs=pairs, spatial_axes=len(sides)), len(sides)
    xp, (p, q), back = on_host(facts, [a, b], threshold, len(sides))
    invalid = [kernels.invalid(_flat(x, axes, xp=facts[0].namespace), xp=facts[0].namespace) for x in (a, b)]
    # The outline of a mask is made once, also if the mask is in many pairs: `rows` and `columns` number the masks.
    rows, columns = (xp.arange(math.prod(x.shape[:-axes])).reshape(x.shape[:-axes]) for x in (p, q))
    if pairs:
        rows, columns = rows[..., :, None], columns[..., None, :]
    shape = (*leading, p.shape[-axes - 1], q.shape[-axes - 1]) if pairs else leading
    rows, columns = (xp.broadcast_to(x, shape).reshape(-1).tolist() for x in (rows, columns))
    outlines_p, outlines_q = (_outlines(x, sides, xp=xp) for x in (p, q))
    bad = [None if x is None else xp.asarray(host_array(x)).reshape(-1) for x in invalid]
    out = xp.empty(len(rows), dtype=xp.float64)
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        broken = any(x is not None and x[n] for x, n in zip(bad, (i, j), strict=True))
        out[k] = math.nan if broken else combine(outlines_p(i), outlines_q(j))
    out = out.reshape(shape)
    return back(out if rows_first else xp.swapaxes(out, -1, -2), result)


def _flat(x: Any, axes: int, /, *, xp: Namespace) -> Any:
    """Masks of any number of axes (...) -> (..., 1, pixels)."""
    return x if axes == 2 else xp.reshape(x, (*x.shape[:-axes], 1, math.prod(x.shape[-axes:])))


def _outlines(x: Any, sides: tuple[float, ...], /, *, xp: Namespace) -> Callable[[int], tuple[Any, Any]]:
    """Booleans (..., height, width) -> function from the number of a mask to its outline, and an index of that."""
    flat = x.reshape(-1, *x.shape[-len(sides) :])

    @functools.cache
    def outline(k: int) -> tuple[Any, Any]:
        points = xp.argwhere(flat[k] & ~_inner(flat[k], xp=xp)) * xp.asarray(sides)
        return points, distances.tree(points) if points.shape[0] else None

    return outline


def _inner(on: Any, /, *, xp: Namespace) -> Any:
    """Which pixels have all their neighbours along the axes on; pixels outside the image are off."""
    wide, inner = xp.pad(on, 1), xp.ones_like(on)
    for axis, steps in itertools.product(range(on.ndim), (slice(None, -2), slice(2, None))):
        inner &= wide[tuple(steps if k == axis else slice(1, -1) for k in range(on.ndim))]
    return inner


# An outline is its points and a search tree of them; the tree is None where a mask is empty. Two empty masks have a
# distance of NaN, and an empty mask is infinitely far from any other.


def _furthest(a: tuple[Any, Any], b: tuple[Any, Any], /, *, percentile: float, directed: bool, metric: str) -> float:
    """A percentile of the distances from one outline to the other; the larger of both directions, unless `directed`."""
    if a[1] is None or b[1] is None:
        return math.nan if a[1] is b[1] else math.inf
    ways = ((a, b),) if directed else ((a, b), (b, a))
    percentiles = (
        _numpy().percentile(distances.nearest(points, index, metric), percentile) for (points, _), (_, index) in ways
    )
    return float(max(percentiles))


def _average(a: tuple[Any, Any], b: tuple[Any, Any], /, *, directed: bool, metric: str) -> float:
    """The mean distance from the points of one outline to the other; over the points of both, unless `directed`."""
    if a[1] is None or b[1] is None:
        return math.nan if a[1] is b[1] else math.inf
    ways = ((a, b),) if directed else ((a, b), (b, a))
    each = [distances.nearest(points, index, metric) for (points, _), (_, index) in ways]
    return float(sum(x.sum() for x in each) / sum(x.shape[0] for x in each))


def _metric(name: Any) -> str:
    name = checks.choice("distance_metric", name, distances.NORMS)
    return str(name)


def percentage(percentile: Any) -> float:
    """Raise unless it lies in (0, 100]."""
    share = checks.number("percentile", percentile)
    if not 0 < share <= 100:
        raise ValueError(f"`percentile` must lie in (0, 100], got {percentile!r}")
    return share


def spacing_of(spacing: Any, spatial_axes: Any) -> tuple[float, ...]:
    """Distance of pixels along each spatial axis."""
    axes, listed = spatial_axes, checks.several(spacing)
    if axes is None:
        axes = 2 if listed is None else len(listed)
        if axes not in {2, 3}:
            raise ValueError(f"`spacing` must be a number, or one for each of 2 or 3 spatial axes, got {spacing!r}")
    axes = checks.choice("spatial_axes", axes, AXES)
    each = (spacing,) * axes if listed is None else listed
    if len(each) != axes:
        raise ValueError(
            f"`spacing` must be a number, or one for each of the {axes} `spatial_axes` ({AXES[axes]}), got {spacing!r}"
        )
    return tuple(checks.number("spacing", x, above=0.0) for x in each)


def on_host(
    facts: tuple[Fact, ...], arrays: list[Any], threshold: Any, spatial_axes: int
) -> tuple[Namespace, list[Any], Callable[[Any, Any], Any]]:
    """NumPy, the masks as booleans there, and what brings an array of NumPy home in a dtype."""
    fact = facts[0]
    backends.check_not_lazy(fact.name, fact.namespace)
    check_thresholded(facts, {"threshold": threshold})
    for each, x in zip(facts, arrays, strict=True):
        check_integers(each.name, x, spatial_axes=spatial_axes, xp=each.namespace)
    limit = None if threshold is None else checks.number("threshold", threshold)
    pixels = [host_array(kernels.filled(x, threshold=limit, xp=fact.namespace)) for x in arrays]

    def back(x: Any, dtype: Any) -> Any:
        wide = x if fact.namespace.finfo(dtype).bits > 32 else x.astype("float32")  # the device may have no float64
        return cast(fact.namespace.asarray(wide, device=fact.device), dtype, xp=fact.namespace)

    return _numpy(), pixels, back


def host_array(x: Any) -> Any:
    """Any array in NumPy."""
    return host.to_numpy({"x": x})[1]["x"]


def _numpy() -> Namespace:
    return host.lean(backends.numpy_namespace())
