"""Axis-aligned boxes in D = 1, 2 or 3 dimensions, as columns: an array for each axis, so strides stay unit.

XLA computes with slices of an argument in place, and copies those of a stack: of the loss of a million boxes and its
gradient it touches 236 MB so, and 786 stacked. Where each operation is dispatched, one array of all axes takes half as
many. `by_axis` computes with both.
"""

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from omniou._kernels.arithmetic import product, quotient, shared, spanned, total
from omniou._kernels.gaussian import Gaussians
from omniou._lib import backends
from omniou._lib.arrays import axes, cast, columns_of
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace

# D arrays (...), one for each axis, or an array (D, ...) of them.
Axes: TypeAlias = Any


class Boxes(NamedTuple):
    """The one canonical form."""

    low: Axes
    high: Axes  # never below `low`
    area: Any  # (...)


class Bounds(NamedTuple):
    """Upright boxes around shapes of any geometry."""

    low: Any  # (D, ...)
    high: Any  # (D, ...), never below `low`
    area: Any  # (...) of the shapes


def canonical(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Boxes:
    """2D columns of boxes (...), image sides (..., D) in the order x, y, z or None -> Boxes of (...)."""
    return of_corners(*corners(columns, image_sides, layout=layout, xp=xp), xp=xp)


def of_corners(low: Axes, high: Axes, /, *, xp: Namespace) -> Boxes:
    """Minimum and maximum corners, inverted or not -> Boxes of (...)."""
    # An inverted box is an empty one at its low corner.
    high = by_axis(xp.maximum, low, high)
    return Boxes(low, high, product(by_axis(operator.sub, high, low), xp=xp))


def sorted_canonical(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Boxes:
    """Read boxes as `canonical` does, with their corners in order: an inverted box is turned round."""
    first, second = corners(columns, image_sides, layout=layout, xp=xp)
    low, high = by_axis(xp.minimum, first, second), by_axis(xp.maximum, first, second)
    return Boxes(low, high, product(by_axis(operator.sub, high, low), xp=xp))


def bounds(boxes: Boxes, /, *, xp: Namespace) -> Bounds:
    """Boxes as bounds of themselves."""
    low, high = (xp.stack(x) if isinstance(x, tuple) else x for x in (boxes.low, boxes.high))
    return Bounds(low, high, boxes.area)


def inversion(pred: Any, target: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """2D columns of both (...) -> how far predictions are inverted, as shares of the hull, summed over axes (...).

    0, with gradient 0, for proper boxes. Along an axis the hull is that of all four corners.
    """

    def share(low: Any, high: Any, other_low: Any, other_high: Any) -> Any:
        inverted = low > high
        hull = xp.maximum(low, xp.maximum(other_low, other_high)) - xp.minimum(high, xp.minimum(other_low, other_high))
        # Both sides of the quotient are masked, so that no gradient of a proper box changes, not by a sign of zero.
        return quotient(xp.where(inverted, low - high, 0.0), xp.where(inverted, hull, 1.0), xp=xp)

    both = (corners(x, image_sides, layout=layout, xp=xp) for x in (pred, target))
    return total(by_axis(share, *itertools.chain(*both)), xp=xp)


def corners(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> tuple[Axes, Axes]:
    """2D columns (...) -> minimum and maximum corners in pixels, in the order x, y, z, inverted or not."""
    low, high, side = _read(columns, image_sides, layout=layout, xp=xp)
    return low, by_axis(operator.add, low, side) if high is None else high


def rows(boxes: Boxes, /, *, xp: Namespace) -> Any:
    """Boxes of (...) -> corners (..., 2D), as "xyxy"."""
    return as_rows(boxes.low, boxes.high, xp=xp)


def stated_area(columns: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """2D columns (...) -> areas (...), from the sides as stated where the format has sides: COCO's to the last bit."""
    low, high, side = _read(columns, None, layout=layout, xp=xp)
    if side is None:
        side = by_axis(lambda p, q: xp.maximum(p, q) - p, low, high)
    # Not by `product`, which may work in place: the sides are views of the rows given.
    return functools.reduce(operator.mul, axes(side))


def doubts(columns: Any, /, *, layout: Layout, xp: Namespace) -> dict[str, Any]:  # noqa: ARG001  (as that of others)
    """2D columns (...) -> boxes that are inverted, by words for them (...): sides read as corners go unnoticed."""
    if layout.kind != "corners":
        return {}
    low, high = halves(columns)
    return {"end before they begin: are they {format}?": any_of(by_axis(operator.lt, high, low))}


def not_lasting(columns: Any, /, *, layout: Layout, xp: Namespace) -> dict[str, Any]:
    """Two columns (...) -> intervals that do not end after they begin, by words for them (...): tIoU may be 0 / 0."""
    low, high, side = _read(columns, None, layout=layout, xp=xp)
    (lasting,) = axes(by_axis(operator.gt, high, low) if side is None else by_axis(lambda x: x > 0, side))
    return {"must end after it begins": ~lasting}


def by_axis(function: Callable[..., Any], /, *sides: Axes) -> Axes:
    """Return a function, element by element, of each axis of several."""
    return tuple([function(*x) for x in zip(*sides, strict=True)]) if isinstance(sides[0], tuple) else function(*sides)


def several_by_axis(function: Callable[..., Any], /, *sides: Axes) -> list[Axes]:
    """Return the results of a function that has several, each by axis."""
    results = by_axis(function, *sides)
    return list(zip(*results, strict=True)) if isinstance(sides[0], tuple) else list(results)


def any_of(marks: Axes, /) -> Any:
    """Booleans of each axis -> whether one is true (...)."""
    return functools.reduce(operator.or_, axes(marks))


def halves(columns: Axes, /) -> tuple[Axes, Axes]:
    """2D columns -> the first and the last D."""
    if isinstance(columns, tuple):
        ndim = len(columns) // 2
        return columns[:ndim], columns[ndim:]
    ndim = columns.shape[0] // 2
    return columns[:ndim, ...], columns[ndim:, ...]


def turned(side: Axes, /, *, xp: Namespace) -> Axes:
    """Axes in the other order."""
    return side[::-1] if isinstance(side, tuple) else xp.flip(side, axis=0)


def as_rows(first: Axes, second: Axes, /, *, xp: Namespace) -> Any:
    """D columns and D columns -> (..., 2D)."""
    if isinstance(first, tuple):
        return xp.stack([*first, *second], axis=-1)
    columns = xp.concat([first, second], axis=0)
    return xp.permute_dims(columns, (*range(1, columns.ndim), 0))


def _read(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> tuple[Axes, Any, Any]:
    """2D columns (...) -> minimum corners, and maximum corners or sides by the format; the other is None."""
    first, second = halves(columns)
    if layout.reverse:
        first, second = turned(first, xp=xp), turned(second, xp=xp)
    if layout.relative:
        scale = _sides_of_images(image_sides, first, xp=xp)
        first, second = by_axis(operator.mul, first, scale), by_axis(operator.mul, second, scale)
    match layout.kind:
        case "corners":
            return first, by_axis(lambda x: x + layout.offset, second) if layout.offset else second, None
        case "corner_sides":
            return first, None, second
        case "centre_sides":
            return by_axis(lambda p, q: p - 0.5 * q, first, second), None, second


def _write(low: Axes, high: Any, side: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """The inverse of `_read`: columns -> (..., 2D) in `layout`."""
    if layout.kind == "corners":
        high = by_axis(operator.add, low, side) if high is None else high
        first, second = low, by_axis(lambda x: x - layout.offset, high) if layout.offset else high
    else:
        second = by_axis(operator.sub, high, low) if side is None else side
        first = by_axis(lambda p, q: p + 0.5 * q, low, second) if layout.kind == "centre_sides" else low
    if layout.relative:
        scale = _sides_of_images(image_sides, first, xp=xp)
        first, second = (by_axis(lambda p, q: quotient(p, q, xp=xp), x, scale) for x in (first, second))
    if layout.reverse:
        first, second = turned(first, xp=xp), turned(second, xp=xp)
    # Contiguous, for whoever reads the memory: pycocotools takes the strides of its boxes for granted.
    return backends.contiguous(as_rows(first, second, xp=xp), xp=xp)


def _sides_of_images(image_sides: Any, like: Axes, /, *, xp: Namespace) -> Axes:
    """(..., D) -> the sides of the images, by axis as columns are."""
    parts = axes(like)
    scale = columns_of(image_sides, dtype=parts[0].dtype, xp=xp)
    return axes(scale) if isinstance(like, tuple) else scale


def convert(
    x: Any, image_sides: Any, /, *, layouts: tuple[Layout, Layout], dtypes: tuple[Any, Any], xp: Namespace
) -> Any:
    """(..., 2D) -> (..., 2D): what both formats state is carried over as it is."""
    old, new = layouts
    compute, result = dtypes
    if old.relative and new.relative:
        old, new = old._replace(relative=False), new._replace(relative=False)
    low, high, side = _read(columns_of(x, dtype=compute, xp=xp), image_sides, layout=old, xp=xp)
    return cast(_write(low, high, side, image_sides, layout=new, xp=xp), result, xp=xp)


def area(x: Any, image_sides: Any, /, *, layout: Layout, dtypes: tuple[Any, Any], xp: Namespace) -> Any:
    """(..., 2D) -> (...)."""
    compute, result = dtypes
    boxes = canonical(columns_of(x, dtype=compute, xp=xp), image_sides, layout=layout, xp=xp)
    return cast(boxes.area, result, xp=xp)


def enclosing(a: Any, b: Any, image_sides: Any, /, *, layout: Layout, dtypes: tuple[Any, Any], xp: Namespace) -> Any:
    """(..., 2D), (..., 2D) of one rank -> (..., 2D)."""
    compute, result = dtypes
    boxes_a, boxes_b = (
        canonical(columns_of(x, dtype=compute, xp=xp), image_sides, layout=layout, xp=xp) for x in (a, b)
    )
    low, high = by_axis(xp.minimum, boxes_a.low, boxes_b.low), by_axis(xp.maximum, boxes_a.high, boxes_b.high)
    return cast(_write(low, high, None, image_sides, layout=layout, xp=xp), result, xp=xp)


def faults(x: Any, image_sides: Any, /, *, layout: Layout, dtype: Any, xp: Namespace) -> dict[str, Any]:
    """(..., 2D) boxes -> what can be wrong with a box, and where it is: (...) booleans."""
    low, high = corners(columns_of(x, dtype=dtype, xp=xp), image_sides, layout=layout, xp=xp)
    bad = {
        "is not finite: NaN or infinity": any_of(by_axis(lambda p, q: ~(xp.isfinite(p) & xp.isfinite(q)), low, high)),
        "is inverted: high corner below low one": any_of(by_axis(operator.lt, high, low)),
    }
    if image_sides is not None:
        limit = _sides_of_images(image_sides, high, xp=xp)
        beyond = by_axis(lambda p, q, side: (p < 0) | (q > side), low, high, limit)
        bad["is out of the image: corner beyond its sides"] = any_of(beyond)
    return bad


def from_masks(masks: Any, /, *, layout: Layout, dtype: Any, xp: Namespace) -> Any:
    """(..., height, width) -> (..., 4) xyxy."""
    filled = masks != 0 if masks.dtype != xp.bool else masks
    low, high = [], []
    for axis in (-1, -2):
        inside = xp.any(filled, axis=-3 - axis)
        size = inside.shape[-1]
        place = xp.arange(size, dtype=dtype, device=backends.device(masks, xp=xp))
        # Counted from the far end, so that "nothing there" is 0 for both corners.
        low.append(xp.max(xp.where(inside, size - place, 0.0), axis=-1))
        high.append(xp.max(xp.where(inside, place + 1.0, 0.0), axis=-1))
        low[-1] = xp.where(high[-1] > 0, size - low[-1], 0.0)
    return _write(tuple(low), tuple(high), None, None, layout=layout, xp=xp)


class BoxTerms:
    """The terms of two sets of boxes (...) that broadcast: see `scores.Terms`."""

    def __init__(self, a: Boxes, b: Boxes, /, *, xp: Namespace) -> None:
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = a.area, b.area

    def intersection(self) -> Any:
        return product(self._lengths(shared), xp=self._xp)

    def hull(self) -> Any:
        return product(self.hull_sides(), xp=self._xp)

    def hull_diagonal_squared(self) -> Any:
        return total(_squares(self.hull_sides()), xp=self._xp)

    def centre_distance_squared(self) -> Any:
        return 0.25 * total(_squares(self._centre_differences_twice()), xp=self._xp)

    def centre_differences(self) -> Axes:
        return by_axis(lambda x: 0.5 * x, self._centre_differences_twice())

    def corner_distances_squared(self) -> tuple[Any, Any]:
        low, high = (total(_squares(by_axis(operator.sub, *x)), xp=self._xp) for x in self._corners())
        return low, high

    def sides_a(self) -> Axes:
        return by_axis(operator.sub, self._a.high, self._a.low)

    def sides_b(self) -> Axes:
        return by_axis(operator.sub, self._b.high, self._b.low)

    def hull_sides(self) -> Axes:
        return self._lengths(spanned)

    def aspect_difference(self) -> Any:
        """v of CIoU in [0, 1]: 0 in 1-D, and in 3-D the mean over the three pairs of axes."""
        if len(axes(self._a.low)) == 1:
            return 0.0 * (self.area_a + self.area_b)
        return aspect_difference(self.sides_a(), self.sides_b(), xp=self._xp)

    def gaussians(self) -> Gaussians:
        (p, q), (r, s), (x, y) = (axes(x) for x in (self.sides_a(), self.sides_b(), self.centre_differences()))
        return Gaussians((0.5 * p, 0.5 * q), (0.5 * r, 0.5 * s), 1.0, 0.0, (x, y), (x, y))

    def scaled(self, ratio: float) -> "BoxTerms":
        """Terms of both boxes, scaled about their centres."""
        return BoxTerms(*(_scaled(x, ratio, xp=self._xp) for x in (self._a, self._b)), xp=self._xp)

    def _centre_differences_twice(self) -> Axes:
        # Differences of corners first: they are exact for boxes that lie close together far from the origin.
        return by_axis(lambda p, q, r, s: (p - q) + (r - s), *itertools.chain(*self._corners()))

    def _corners(self) -> tuple[tuple[Axes, Axes], tuple[Axes, Axes]]:
        """Return the minimum and the maximum corners, of both each."""
        return (self._a.low, self._b.low), (self._a.high, self._b.high)

    def _lengths(self, length: Any) -> Axes:
        """The length of something between both, along each axis."""
        a, b = self._a, self._b
        return by_axis(functools.partial(length, xp=self._xp), a.low, a.high, b.low, b.high)


def _squares(x: Axes, /) -> Axes:
    return by_axis(lambda y: y * y, x)


def _scaled(boxes: Boxes, ratio: float, /, *, xp: Namespace) -> Boxes:
    side = by_axis(operator.sub, boxes.high, boxes.low)
    shift = by_axis(lambda x: (0.5 - 0.5 * ratio) * x, side)
    low, high = by_axis(operator.add, boxes.low, shift), by_axis(operator.sub, boxes.high, shift)
    return Boxes(low, high, product(by_axis(lambda x: ratio * x, side), xp=xp))


def aspect_difference(sides_a: Axes, sides_b: Axes, /, *, xp: Namespace) -> Any:
    """Sides of both, of D at least 2 axes -> v of CIoU (...)."""
    aspects_a, aspects_b = aspects(sides_a, xp=xp), aspects(sides_b, xp=xp)
    squares = [(p - q) * (p - q) for (p, *_), (q, *_) in zip(aspects_a, aspects_b, strict=True)]
    return (4.0 / math.pi**2 / len(squares)) * sum(squares[1:], start=squares[0])


def aspects(side: Axes, /, *, xp: Namespace) -> list[tuple[Any, int, int]]:
    """Sides -> the angle (...) of the diagonal in the plane of each pair of axes, and those axes."""
    angles = []
    side = axes(side)
    for i, j in itertools.combinations(range(len(side)), 2):
        w, h = side[i], side[j]
        # The derivative of atan2 is NaN at (0, 0): a point has the angle 0 there, and no gradient.
        point = w * w + h * h < float(xp.finfo(w.dtype).smallest_normal)
        angles.append((xp.atan2(xp.where(point, 0.0, w), xp.where(point, 1.0, h)), i, j))
    return angles
