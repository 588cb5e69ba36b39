"""Axis-aligned boxes in D = 1, 2 or 3 dimensions, as columns: the axis of x, y, z comes first, strides stay unit."""

import functools
import itertools
import math
import operator
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import axes, product, quotient, shared, spanned, total
from omniou._kernels.gaussian import Gaussians
from omniou._lib import backends
from omniou._lib.arrays import cast, columns_of
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace


class Boxes(NamedTuple):
    """The one canonical form."""

    low: Any  # (D, ...)
    high: Any  # (D, ...), never below `low`
    area: Any  # (...)


def canonical(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Boxes:
    """(2D, ...) columns of boxes, image sides (..., D) in the order x, y, z or None -> Boxes of (...)."""
    return of_corners(*corners(columns, image_sides, layout=layout, xp=xp), xp=xp)


def of_corners(low: Any, high: Any, /, *, xp: Namespace) -> Boxes:
    """Minimum and maximum corners (D, ...), inverted or not -> Boxes of (...)."""
    # An inverted box is an empty one at its low corner.
    high = xp.maximum(low, high)
    return Boxes(low, high, product(high - low, xp=xp))


def sorted_canonical(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Boxes:
    """Read boxes as `canonical` does, with their corners in order: an inverted box is turned round."""
    first, second = corners(columns, image_sides, layout=layout, xp=xp)
    low, high = xp.minimum(first, second), xp.maximum(first, second)
    return Boxes(low, high, product(high - low, xp=xp))


def inversion(pred: Any, target: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """(2D, ...), (2D, ...) -> how far predictions are inverted, along each axis as a share of the hull, summed (...).

    0, with gradient 0, for proper boxes. Along an axis the hull is that of all four corners.
    """
    (low, high), (other_low, other_high) = (corners(x, image_sides, layout=layout, xp=xp) for x in (pred, target))
    inverted = low > high
    hull = xp.maximum(low, xp.maximum(other_low, other_high)) - xp.minimum(high, xp.minimum(other_low, other_high))
    # Both sides of the quotient are masked, so that no gradient of a proper box changes, not by a sign of zero.
    share = quotient(xp.where(inverted, low - high, 0.0), xp.where(inverted, hull, 1.0), xp=xp)
    return total(share, xp=xp)


def corners(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> tuple[Any, Any]:
    """(2D, ...) -> minimum and maximum corners (D, ...) in pixels, in the order x, y, z, inverted or not."""
    low, high, side = _read(columns, image_sides, layout=layout, xp=xp)
    return low, low + side if high is None else high


def rows(boxes: Boxes, /, *, xp: Namespace) -> Any:
    """Boxes of (...) -> corners (..., 2D), as "xyxy"."""
    columns = xp.concat([boxes.low, boxes.high])
    return xp.permute_dims(columns, (*range(1, columns.ndim), 0))


def stated_area(columns: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """(2D, ...) -> areas (...), from the sides as stated where the format has sides: COCO's area to the last bit."""
    low, high, side = _read(columns, None, layout=layout, xp=xp)
    # Not by `product`, which may work in place: the sides are views of the rows given.
    return functools.reduce(operator.mul, axes(xp.maximum(low, high) - low if side is None else side))


def doubts(columns: Any, /, *, layout: Layout, xp: Namespace) -> dict[str, Any]:
    """(2D, ...) -> boxes that are inverted, by words for them (...): sides read as corners go unnoticed otherwise."""
    if layout.kind != "corners":
        return {}
    ndim = columns.shape[0] // 2
    return {"end before they begin: are they {format}?": xp.any(columns[ndim:, ...] < columns[:ndim, ...], axis=0)}


def not_lasting(columns: Any, /, *, layout: Layout, xp: Namespace) -> dict[str, Any]:
    """(2, ...) -> intervals that do not end after they begin, by words for them (...): their tIoU may be 0 / 0."""
    low, high, side = _read(columns, None, layout=layout, xp=xp)
    lasting = high > low if side is None else side > 0
    return {"must end after it begins": ~lasting[0, ...]}


def _read(columns: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> tuple[Any, Any, Any]:
    """(2D, ...) -> minimum corners (D, ...), and maximum corners or sides by the format; the other is None."""
    ndim = columns.shape[0] // 2
    first, second = columns[:ndim, ...], columns[ndim:, ...]
    if layout.reverse:
        first, second = xp.flip(first, axis=0), xp.flip(second, axis=0)
    if layout.relative:
        scale = columns_of(image_sides, dtype=columns.dtype, xp=xp)
        first, second = first * scale, second * scale
    match layout.kind:
        case "corners":
            return first, second + layout.offset if layout.offset else second, None
        case "corner_sides":
            return first, None, second
        case "centre_sides":
            return first - 0.5 * second, None, second


def _write(low: Any, high: Any, side: Any, image_sides: Any, /, *, layout: Layout, xp: Namespace) -> Any:
    """The inverse of `_read`: columns -> (..., 2D) in `layout`."""
    if layout.kind == "corners":
        high = low + side if high is None else high
        first, second = low, high - layout.offset if layout.offset else high
    else:
        second = high - low if side is None else side
        first = low + 0.5 * second if layout.kind == "centre_sides" else low
    if layout.relative:
        scale = columns_of(image_sides, dtype=low.dtype, xp=xp)
        first, second = quotient(first, scale, xp=xp), quotient(second, scale, xp=xp)
    if layout.reverse:
        first, second = xp.flip(first, axis=0), xp.flip(second, axis=0)
    columns = xp.concat([first, second], axis=0)
    # Contiguous, for whoever reads the memory: pycocotools takes the strides of its boxes for granted.
    return backends.contiguous(xp.permute_dims(columns, (*range(1, columns.ndim), 0)), xp=xp)


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
    low, high = xp.minimum(boxes_a.low, boxes_b.low), xp.maximum(boxes_a.high, boxes_b.high)
    return cast(_write(low, high, None, image_sides, layout=layout, xp=xp), result, xp=xp)


def faults(x: Any, image_sides: Any, /, *, layout: Layout, dtype: Any, xp: Namespace) -> dict[str, Any]:
    """(..., 2D) boxes -> what can be wrong with a box, and where it is: (...) booleans."""
    low, high = corners(columns_of(x, dtype=dtype, xp=xp), image_sides, layout=layout, xp=xp)
    bad = {
        "is not finite: NaN or infinity": xp.any(~(xp.isfinite(low) & xp.isfinite(high)), axis=0),
        "is inverted: high corner below low one": xp.any(high < low, axis=0),
    }
    if image_sides is not None:
        limit = columns_of(image_sides, dtype=dtype, xp=xp)
        bad["is out of the image: corner beyond its sides"] = xp.any((low < 0) | (high > limit), axis=0)
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
    return _write(xp.stack(low), xp.stack(high), None, None, layout=layout, xp=xp)


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
        side = self.hull_sides()
        return total(side * side, xp=self._xp)

    def centre_distance_squared(self) -> Any:
        twice = self._centre_differences_twice()
        return 0.25 * total(twice * twice, xp=self._xp)

    def centre_differences(self) -> Any:
        return 0.5 * self._centre_differences_twice()

    def corner_distances_squared(self) -> Any:
        low, high = self._a.low - self._b.low, self._a.high - self._b.high
        return self._xp.stack([total(x * x, xp=self._xp) for x in (low, high)])

    def sides_a(self) -> Any:
        return self._a.high - self._a.low

    def sides_b(self) -> Any:
        return self._b.high - self._b.low

    def hull_sides(self) -> Any:
        return self._lengths(spanned)

    def aspect_difference(self) -> Any:
        """v of CIoU in [0, 1]: 0 in 1-D, and in 3-D the mean over the three pairs of axes."""
        if self._a.low.shape[0] == 1:
            return 0.0 * (self.area_a + self.area_b)
        return aspect_difference(self.sides_a(), self.sides_b(), xp=self._xp)

    def gaussians(self) -> Gaussians:
        half_a, half_b = axes(0.5 * self.sides_a()), axes(0.5 * self.sides_b())
        x, y = axes(self.centre_differences())
        return Gaussians((half_a[0], half_a[1]), (half_b[0], half_b[1]), 1.0, 0.0, (x, y), (x, y))

    def scaled(self, ratio: float) -> "BoxTerms":
        """Terms of both boxes, scaled about their centres."""
        return BoxTerms(*(_scaled(x, ratio, xp=self._xp) for x in (self._a, self._b)), xp=self._xp)

    def _centre_differences_twice(self) -> Any:
        # Differences of corners first: they are exact for boxes that lie close together far from the origin.
        return (self._a.low - self._b.low) + (self._a.high - self._b.high)

    def _lengths(self, length: Any) -> Any:
        """The length of something between both, along each axis: (D, ...)."""
        a, b = self._a, self._b
        return length(a.low, a.high, b.low, b.high, xp=self._xp)


def _scaled(boxes: Boxes, ratio: float, /, *, xp: Namespace) -> Boxes:
    side = boxes.high - boxes.low
    shift = (0.5 - 0.5 * ratio) * side
    return Boxes(boxes.low + shift, boxes.high - shift, product(ratio * side, xp=xp))


def aspect_difference(sides_a: Any, sides_b: Any, /, *, xp: Namespace) -> Any:
    """Sides (D, ...) of both, D at least 2 -> v of CIoU (...)."""
    aspects_a, aspects_b = aspects(sides_a, xp=xp), aspects(sides_b, xp=xp)
    squares = [(p - q) * (p - q) for (p, *_), (q, *_) in zip(aspects_a, aspects_b, strict=True)]
    return (4.0 / math.pi**2 / len(squares)) * sum(squares[1:], start=squares[0])


def aspects(side: Any, /, *, xp: Namespace) -> list[tuple[Any, int, int]]:
    """Sides (D, ...) -> the angle (...) of the diagonal in the plane of each pair of axes, and those axes."""
    angles = []
    for i, j in itertools.combinations(range(side.shape[0]), 2):
        w, h = side[i, ...], side[j, ...]
        # The derivative of atan2 is NaN at (0, 0): a point has the angle 0 there, and no gradient.
        point = w * w + h * h < float(xp.finfo(w.dtype).smallest_normal)
        angles.append((xp.atan2(xp.where(point, 0.0, w), xp.where(point, 1.0, h)), i, j))
    return angles
