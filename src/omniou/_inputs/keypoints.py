"""Keypoints as shapes: compared by object keypoint similarity, by the rules of COCO's reference implementation."""

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import array_api_compat as compat

from omniou import boxes as upright
from omniou._catalogue.shape_calls import converted
from omniou._inputs.shapes import Pairs, Shapes
from omniou._kernels import keypoints as kernels
from omniou._kernels.boxes import Bounds
from omniou._lib import backends, indexing
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace
from omniou.keypoints import Skeleton

# Pairs that are compared at once: their points stay in the cache.
_AT_ONCE = 2**12
# Limits of coordinates, roots of areas and spreads of points, so that squares fit float32. They only raise a bound.
_MOST, _LEAST_ROOT, _LEAST_SPREAD = 1e9, 1e-6, 1e-3
# Sums of up to some hundred numbers in [0, 1], in another order, differ by less.
_ROUNDING = 1e-4
# NumPy's spacing of 1, which the reference adds to each area.
_EPS = 2.0**-52


class KeypointReading(NamedTuple):
    """How the rows of both tables are read."""

    skeleton: Skeleton
    format: str  # of boxes next to the points


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class KeypointShapes(Shapes):
    """K points of N objects or detections."""

    rows: Any  # (N, 3K), x, y and v
    boxes: Any  # (N, 4), x, y, width and height
    area: Any
    skeleton: Skeleton
    xp: Namespace

    # Every detection is compared with every object of its image and class: the tail of OKS has no end.
    prunes = False

    def take(self, rows: Any, /) -> Self:
        if isinstance(rows, slice):
            taken = self.rows[rows, :], self.boxes[rows, :], self.area[rows]
        else:
            taken = (*(self.xp.take(x, rows, axis=0) for x in (self.rows, self.boxes)), self.xp.take(self.area, rows))
        return dataclasses.replace(self, **dict(zip(("rows", "boxes", "area"), taken, strict=True)))

    def concat(self, others: Sequence[Self], /) -> Self:
        columns = ("rows", "boxes", "area")
        joined = {name: self.xp.concat([getattr(x, name) for x in (self, *others)], axis=0) for name in columns}
        return dataclasses.replace(self, **joined)

    def owned(self) -> Self:
        columns = ("rows", "boxes", "area")
        return dataclasses.replace(self, **{name: self.xp.asarray(getattr(self, name), copy=True) for name in columns})

    def bounds(self, rows: Any, /) -> Bounds:
        low_x, low_y, width, height = (self.xp.take(self.boxes[:, k], rows) for k in range(4))
        low = self.xp.stack([low_x, low_y])
        return Bounds(low, self.xp.stack([low_x + width, low_y + height]), self.xp.take(self.area, rows))

    def lines(self, rows: Any, /) -> Any:
        return self._points(rows), self.skeleton.edges

    def ignored(self) -> Any:
        """(N,) objects without a point that counts."""
        return ~self.xp.any(self.skeleton.counts(self.rows[:, 2::3]), axis=1)

    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:
        xp = self.xp
        out, near = xp.zeros_like(xp.take(self.area, pairs.detections)), self._near(targets, pairs, least)
        parts = [
            self._oks(targets, *(xp.take(x, near[i:j]) for x in (pairs.detections, pairs.targets)))
            for i, j in _blocks(near.shape[0])
        ]
        if not parts:
            return out
        exact = xp.concat(parts)
        return indexing.put(out, near, xp.where(exact >= least - _ROUNDING, exact, xp.zeros_like(exact)), xp=xp)

    def _near(self, targets: Self, pairs: Pairs, least: float, /) -> Any:
        """Places of the pairs whose OKS may reach `least`, by bounds in float32: from x, and then from y as well.

        OKS is the mean of exp(-(x^2 + y^2) / ...), and exp(-x^2 / ...) is at least as large.
        """
        xp, low = self.xp, least - 2 * _ROUNDING
        if low <= 0:
            return xp.arange(pairs.detections.shape[0], dtype=pairs.detections.dtype, device=compat.device(self.area))
        inverse, number = targets._scales
        spread: Any = [[1 / max(8**0.5 * sigma, _LEAST_SPREAD)] for sigma in self.skeleton.sigmas]
        spread = xp.asarray(spread, dtype=xp.float32, device=compat.device(self.area))
        found = [pairs.detections[:0]]
        for i, j in _blocks(pairs.detections.shape[0]):
            detections, objects = pairs.detections[i:j], pairs.targets[i:j]
            places, exponent = xp.arange(i, j, dtype=detections.dtype, device=compat.device(detections)), None
            for a, b in zip(self._planes, targets._planes, strict=True):
                apart = xp.take(a, detections, axis=1) - xp.take(b, objects, axis=1)
                scaled = cast(apart, xp.float32, xp=xp) * xp.take(inverse, objects)[None, :] * spread
                exponent = scaled * scaled if exponent is None else exponent + scaled * scaled
                # An object without a point that counts has a sum of 0, which is not below 0; NaN is below nothing.
                most = xp.sum(xp.exp(-exponent), axis=0)
                kept = xp.nonzero(~(most < low * xp.take(number, objects)))[0]
                places, detections, objects = (xp.take(x, kept) for x in (places, detections, objects))
                exponent = xp.take(exponent, kept, axis=1)
            found.append(places)
        return xp.concat(found)

    @functools.cached_property
    def _planes(self) -> tuple[Any, Any]:
        """x and y of each point (K, N), x far away where a point of an object does not count."""
        xp, rows = self.xp, self.rows
        x, y = (xp.clip(rows[:, axis::3], -_MOST, _MOST) for axis in (0, 1))
        x = xp.where(rows[:, 2::3] > 0, x, _MOST)
        x, y = (backends.contiguous(xp.permute_dims(plane, (1, 0)), xp=xp) for plane in (x, y))
        return x, y

    @functools.cached_property
    def _scales(self) -> tuple[Any, Any]:
        """Of objects: 1 over the root of the area (N,), and how many points count (N,), in float32."""
        xp = self.xp
        root = xp.sqrt(xp.maximum(self.area, xp.zeros_like(self.area)) + _EPS)
        number = xp.sum(cast(self.rows[:, 2::3] > 0, xp.float32, xp=xp), axis=1)
        return cast(1 / xp.clip(root, _LEAST_ROOT, None), xp.float32, xp=xp), number

    def _oks(self, targets: Self, detections: Any, objects: Any, /) -> Any:
        """OKS (P,) of some pairs."""
        similar, counted = self.similar(targets, detections, objects)
        return _mean_as_reference(similar, counted != 0, xp=self.xp)

    def similar(self, targets: Self, detections: Any, objects: Any, /) -> tuple[Any, Any]:
        """The similarity of each point (P, K) of some pairs, and 1 where it counts, 0 elsewhere."""
        xp, dtype = self.xp, self.rows.dtype
        columns = (xp.take(targets.area, objects), xp.take(targets.boxes, objects, axis=0))
        known = kernels.Objects(targets._points(objects), None, *columns)
        plan = kernels.OksPlan(self.skeleton.sigmas, _EPS, dtype, dtype)
        return kernels.similarities(self._points(detections), known, plan=plan, xp=xp)

    def _points(self, rows: Any, /) -> Any:
        """Some rows as (P, K, 3)."""
        taken = self.xp.take(self.rows, rows, axis=0)
        return self.xp.reshape(taken, (taken.shape[0], self.skeleton.number, 3))


def _blocks(number: int, /) -> Iterator[tuple[int, int]]:
    """Start and end of each block of pairs."""
    return itertools.pairwise([*range(0, number, _AT_ONCE), number])


def _mean_as_reference(similar: Any, counts: Any, /, *, xp: Namespace) -> Any:
    """Similarities (P, K) -> their means (P,), summed as the reference does: without the points that do not count.

    Zeros among the summands would pair others with each other, and a sum of 17 numbers differs in its last bit: pairs
    with as many points are therefore summed together, their points side by side.
    """
    number = xp.sum(xp.astype(counts, xp.int64), axis=1)
    order = xp.argsort(xp.astype(~counts, xp.int64), axis=1, stable=True)
    similar = xp.take_along_axis(similar, order, axis=1)
    out = xp.zeros_like(similar[:, 0])
    for most in indexing.to_list(indexing.distinct(number, xp=xp)):
        if most:
            rows = xp.nonzero(number == most)[0]
            some = xp.take(similar, rows, axis=0)[:, :most]
            out = indexing.put(out, rows, xp.sum(some + 0, axis=1) / most, xp=xp)
    return out


def flat(skeleton: Skeleton, name: str, x: Any, /, *, xp: Namespace) -> Any:
    """Points (N, K, 3), (N, K, 2) or COCO's lists (N, 3K) -> (N, 3K)."""
    shape, number = tuple(x.shape), skeleton.number
    if 0 in shape[:1]:
        return x
    if len(shape) == 2 and shape[1] % 3 == 0:
        x, shape = xp.reshape(x, (shape[0], shape[1] // 3, 3)), (shape[0], shape[1] // 3, 3)
    if len(shape) != 3 or shape[2] not in (2, 3):
        raise ValueError(f"`{name}` must have shape (N, {number}, 2), or (N, {number}, 3) with v, got {tuple(x.shape)}")
    if shape[1] != number:
        own = "kind=omniou.keypoints.Skeleton(name=..., sigmas=...) names others"
        raise ValueError(f"`{name}` must have {number} points, as {skeleton.name!r} has sigmas, got {shape[1]}: {own}")
    if shape[2] == 2 or not name.startswith("targets"):  # third numbers of detections play no part
        x = xp.concat([x[:, :, :2], xp.ones_like(x[:, :, :1])], axis=2)
    elif xp.isdtype(x.dtype, "real floating"):
        # Coordinates of unlabelled points may be anything, such as NaN.
        x = xp.where(x[:, :, 2:] > 0, x, xp.zeros_like(x))
    return xp.reshape(x, (shape[0], 3 * number))


def read(
    reading: KeypointReading, name: str, rows: Any, *, xp: Namespace, boxes: Any = None, area: Any = None
) -> Shapes:
    """Shapes of checked rows (N, 3K), with the boxes and areas of objects, or of detections that have boxes."""
    if rows is None:
        raise TypeError(f"`{name}` must be given, got None")
    skeleton, of_targets = reading.skeleton, name.startswith("targets")
    if not rows.shape[0]:
        device = compat.device(rows)
        boxes, area = (xp.zeros(shape, dtype=rows.dtype, device=device) for shape in ((0, 4), (0,)))
        return KeypointShapes(rows, boxes, area, skeleton, xp)
    sides = None if boxes is None else converted(upright.GEOMETRY, boxes, reading.format, "xywh")
    if of_targets:
        if sides is None:
            _check_seen(name, rows, xp=xp)
        area = _area_of_objects(name, skeleton, sides, area)
    if sides is None:
        sides = _extent(rows, rows[:, 2::3] > 0 if of_targets else None, xp=xp)
    if not of_targets:
        area = sides[:, 2] * sides[:, 3]
    return KeypointShapes(rows, sides, area, skeleton, xp)


def _area_of_objects(name: str, skeleton: Skeleton, sides: Any, area: Any, /) -> Any:
    table = name.partition(".")[0]
    if skeleton.box_area is not None:
        if sides is None:
            raise ValueError(
                f"`{table}.boxes` must be given: areas of {skeleton.name!r} are {skeleton.box_area:g} of them, got None"
            )
        return sides[:, 2] * sides[:, 3] * skeleton.box_area
    if area is None:
        raise ValueError(
            f"`{table}.area` must be given, got None: OKS divides by it. Data sets without masks take 0.53 of "
            "the box: Skeleton(..., box_area=0.53)"
        )
    return area


def _check_seen(name: str, rows: Any, /, *, xp: Namespace) -> None:
    none = ~xp.any(rows[:, 2::3] > 0, axis=1)
    if rows.shape[0] and xp.any(none):
        row, table = int(xp.argmax(xp.astype(none, xp.uint8))), name.partition(".")[0]
        raise ValueError(
            f"`{table}.boxes` must be given: `{name}[{row}]` has no labelled point, and is where its box is"
        )


def _extent(rows: Any, seen: Any, /, *, xp: Namespace) -> Any:
    """Points (N, 3K) -> the box around them (N, 4), of those that are seen or of all."""
    columns = []
    for axis in (0, 1):
        x = rows[:, axis::3]
        low = x if seen is None else xp.where(seen, x, float("inf"))
        high = x if seen is None else xp.where(seen, x, -float("inf"))
        columns.append((xp.min(low, axis=1), xp.max(high, axis=1)))
    (left, right), (top, bottom) = columns
    return xp.stack([left, top, right - left, bottom - top], axis=1)
