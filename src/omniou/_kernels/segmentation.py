"""Confusion counts of label maps, and the ratios that follow from them: C classes, rows are those of the target."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels.pixels import PixelCounts, Ratio, divided
from omniou._lib import backends, indexing
from omniou._lib.arrays import cast, widest_integer
from omniou._lib.split_counts import BITS
from omniou._lib.types import Namespace

# Pixels that are counted at once, where libraries compute at once: temporaries then fit the cache.
PIXELS = 2**18
# Fewer cells than this can be numbered by int32.
NARROW = 2**31 - 1


class TableLayout(NamedTuple):
    """The cells of the counts, and which pixels fall into them."""

    num_classes: int
    ignored: tuple[int, ...]  # classes; labels outside the classes are left out anyway
    column: bool  # whether predictions outside the classes have a column
    per_image: bool


class Maps(NamedTuple):
    """Pixels (N,)."""

    target: Any
    prediction: Any
    where: Any  # or None
    weight: Any  # or None


def confusion(
    target: Any,
    prediction: Any,
    where: Any,
    weight: Any,
    /,
    *,
    layout: TableLayout,
    class_axis: int | None,
    weigh: Any,
    xp: Namespace,
) -> tuple[Any, Any]:
    """Labels (...), labels or scores of classes; booleans and weights or None, that broadcast -> (..., C, K), (2,).

    The second result counts, or weighs, pixels whose target is not a class, and those where only the prediction is not.
    `weigh`: the dtype that weights are summed in.
    """
    weight = None if weight is None else cast(weight, weigh, xp=xp)
    if class_axis is not None:
        prediction = indexing.first_highest(prediction, class_axis, xp=xp)
    images = target.shape[0] if layout.per_image else 1
    each = math.prod(target.shape) // max(images, 1)
    given = (target, prediction, *(None if x is None else xp.broadcast_to(x, target.shape) for x in (where, weight)))
    maps = Maps(*(None if x is None else xp.reshape(x, (-1,)) for x in given))
    group = max(PIXELS // max(each, 1), 1) if backends.computes_at_once(xp) else max(images, 1)
    parts = []
    for start in range(0, max(images, 1), group):
        stop = min(start + group, images)
        parts.append(_total(_slice(maps, start * each, stop * each), stop - start, layout, xp=xp))
    bordered = parts[0] if len(parts) == 1 else xp.concat(parts)
    bordered = xp.reshape(bordered, (images, *[layout.num_classes + 2] * 2))
    ends = slice(None, None, layout.num_classes + 1)  # the first and the last row, or column: the border
    strays = (xp.sum(x, dtype=bordered.dtype) for x in (bordered[:, ends, :], bordered[:, 1:-1, ends]))
    return _without_border(bordered, layout, xp=xp), xp.stack(list(strays))


def _slice(maps: Maps, start: int, stop: int, /) -> Maps:
    return Maps(*(None if x is None else x[start:stop] for x in maps))


def _total(maps: Maps, images: int, layout: TableLayout, /, *, xp: Namespace) -> Any:
    """Pixels (N,) of some images -> (images * (C + 2)**2,)."""
    pixels = maps.target.shape[0]
    step = PIXELS if images == 1 and backends.computes_at_once(xp) else max(pixels, 1)
    total = _counted(_slice(maps, 0, min(step, pixels)), images, layout, xp=xp)
    for start in range(step, pixels, step):
        total = total + _counted(_slice(maps, start, min(start + step, pixels)), images, layout, xp=xp)
    return total[:-1]


def _counted(maps: Maps, images: int, layout: TableLayout, /, *, xp: Namespace) -> Any:
    """Pixels (N,) -> (images * (C + 2)**2 + 1,).

    Labels outside the classes are counted in a border around these: two clamps take a third of the time of comparing
    labels with both ends. The last cell has what `where` excludes.
    """
    side = layout.num_classes + 2
    cells = images * side**2
    rows, columns = (_clamped(x, layout.num_classes, cells, xp=xp) for x in (maps.target, maps.prediction))
    cell = rows * side + columns + (side + 1)
    if images > 1:
        place, device = widest_integer(xp), backends.device(cell, xp=xp)
        image = xp.arange(cell.shape[0], dtype=place, device=device) // max(cell.shape[0] // images, 1)
        cell = cell + cast(image, cell.dtype, xp=xp) * side**2
    if maps.where is not None:
        cell = xp.where(maps.where, cell, cells)
    if maps.weight is None:
        return indexing.counts(cell, cells + 1, xp=xp)
    # What is left out has no weight, whatever was given, NaN included.
    counts = (rows >= 0) & (rows < layout.num_classes)
    for label in layout.ignored:
        counts = counts & (rows != label)
    counts = counts if maps.where is None else counts & maps.where
    return indexing.sums(xp.where(counts, maps.weight, 0.0), cell, cells + 1, xp=xp)


def _clamped(labels: Any, num_classes: int, cells: int, /, *, xp: Namespace) -> Any:
    """Labels of any integer type, or booleans -> from -1 to C, in a type that can number the cells."""
    if labels.dtype == xp.bool or xp.iinfo(labels.dtype).bits < 32:
        labels = cast(labels, xp.int32, xp=xp)
    elif labels.dtype != xp.int32:
        labels = cast(labels, widest_integer(xp), xp=xp)  # large unsigned ones become negative
    return cast(xp.clip(labels, -1, num_classes), xp.int32 if cells < NARROW else widest_integer(xp), xp=xp)


def _without_border(counts: Any, layout: TableLayout, /, *, xp: Namespace) -> Any:
    """Counts (images, C + 2, C + 2) -> (images, C, K), or (C, K)."""
    rows = counts[:, 1:-1, :]
    inside = rows[:, :, 1:-1]
    if layout.column:
        inside = xp.concat([inside, rows[:, :, :1] + rows[:, :, -1:]], axis=-1)
    for label in layout.ignored:
        row = xp.arange(layout.num_classes, device=backends.device(counts, xp=xp))[:, None]
        inside = xp.where(row == label, xp.zeros_like(inside), inside)
    return inside if layout.per_image else inside[0, ...]


class Averaging(NamedTuple):
    """How scores of classes are averaged: a hashable plan."""

    average: str
    present: str
    images: str
    classes: tuple[int, ...]
    zero_division: float


def score(
    counts: Any,
    high: Any,
    /,
    *,
    formula: Callable[..., Ratio],
    options: tuple[tuple[str, Any], ...],
    joins: bool,
    averaging: Averaging,
    compute: Any,
    xp: Namespace,
) -> Any:
    """Counts (..., C, K), or their low and high parts -> scores (..., classes), or (...) where they are averaged.

    Over images that are averaged or pooled, without (...).
    """
    if averaging.images == "pool":
        lead = tuple(range(counts.ndim - 2))
        counts, high = (None if x is None else xp.sum(x, axis=lead, dtype=x.dtype) for x in (counts, high))
    if high is not None:
        counts = cast(high, compute, xp=xp) * 2.0**BITS + cast(counts, compute, xp=xp)
    x = terms(counts, averaging.classes, compute, xp=xp)
    over, under = formula(x, **dict(options), xp=xp)
    present = _present(x, averaging.present, xp=xp)
    if averaging.average == "micro":
        over, under = (xp.sum(part, axis=-1) for part in (over, under))
    out = divided((over, under), compute=compute, smooth=0.0, zero_division=averaging.zero_division, xp=xp)
    # What is not there has no score, which is not the same as 0 / 0.
    none = averaging.average == "none" and not joins
    out = xp.where(present if none or out.ndim == present.ndim else xp.any(present, axis=-1), out, math.nan)
    if averaging.average in {"macro", "weighted"}:
        out = _mean(out, x.b if averaging.average == "weighted" else cast(present, compute, xp=xp), -1, xp=xp)
    if averaging.images == "mean" and out.ndim > none:
        out = _mean(out, xp.ones_like(out), tuple(range(out.ndim - none)), xp=xp)
    return out


def terms(counts: Any, classes: tuple[int, ...], compute: Any, /, *, xp: Namespace) -> PixelCounts:
    """Counts (..., C, K) -> pixels of the chosen classes, each (..., classes)."""
    *lead, rows, columns = counts.shape
    hits = _chosen(xp.reshape(counts, (*lead, rows * columns))[..., :: columns + 1], classes, xp=xp)
    # Integers are added as such: float32 cannot count beyond 2**24.
    target, prediction = (_chosen(xp.sum(counts, axis=axis), classes, xp=xp) for axis in (-1, -2))
    hits, prediction, target = (cast(x, compute, xp=xp) for x in (hits, prediction, target))

    def total() -> Any:
        return cast(xp.sum(counts, axis=(-2, -1))[..., None], compute, xp=xp)

    return PixelCounts(hits, prediction, target, total, compute)


def _chosen(x: Any, classes: tuple[int, ...], /, *, xp: Namespace) -> Any:
    """(..., K) -> (..., classes), by slices: a list of indices is copied to a device, which waits."""
    first = [n for n, k in enumerate(classes) if n == 0 or k != classes[n - 1] + 1]
    runs = itertools.pairwise([*first, len(classes)])
    parts = [x[..., classes[start] : classes[stop - 1] + 1] for start, stop in runs]
    return parts[0] if len(parts) == 1 else xp.concat([x[..., :0], *parts], axis=-1)


def _present(x: PixelCounts, which: str, /, *, xp: Namespace) -> Any:
    """Which classes have a score, (..., C)."""
    if which == "all":
        return xp.ones_like(x.b) == 1
    return x.b > 0 if which == "target" else x.a + x.b > 0


def _mean(score: Any, weight: Any, axis: int | tuple[int, ...], /, *, xp: Namespace) -> Any:
    """Weighted mean of what is not NaN and has a weight, NaN where nothing has: (...) -> (...) without the axes."""
    counts = ~xp.isnan(score) & (weight > 0)
    share = xp.where(counts, weight, xp.zeros_like(weight))
    total = xp.sum(xp.where(counts, score, xp.zeros_like(score)) * share, axis=axis)
    under = xp.sum(share, axis=axis)
    empty = under == 0
    return xp.where(empty, math.nan, total / xp.where(empty, xp.ones_like(under), under))
