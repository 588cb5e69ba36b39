"""How much masks overlap."""

from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels import pixels
from omniou._kernels.pixels import PixelCounts, Ratio
from omniou._lib import checks, indexing
from omniou.rle import _compiled
from omniou.rle import _runs as kernels
from omniou.rle._columns import as_rows, batches, between, numpy, take
from omniou.rle._measure import areas, extents, spans, wide_extents
from omniou.rle._table import Masks

# Starts and ends of runs, and columns, that are compared at once.
TILE = 2**18
# Columns for each start and end of a run, beyond which no table of columns is built.
WIDE = 16
# A range of a table is used in place if it is at most this many times as long as its used rows.
DENSE = 1.5
# Pairs for each mask, beyond which exact extents of all masks save time.
MANY = 8
# Pairs that are compared at once.
PAIRS = 2**20


class Side(NamedTuple):
    """One of the two tables of masks, measured."""

    masks: Any  # its table
    areas: Any  # (N,)
    extents: Any  # (N, 4)


class RunPairs(NamedTuple):
    """Rows of the two tables, (P,)."""

    a: Any
    b: Any


class RunQuotient(NamedTuple):
    """A score of pixels, and what 0 / 0 is."""

    formula: Callable[..., Ratio] = pixels.iou
    options: tuple[tuple[str, Any], ...] = ()
    zero_division: float = 0.0

    def __call__(self, t: PixelCounts, crowd: Any, /) -> Any:
        """Integers (P,), rows that are regions of many objects or None -> the score, divided in float64.

        As in pycocotools: a crowd is compared by the share of the mask of `a` that is inside.
        """
        xp = numpy()
        over, under = self.formula(t, **dict(self.options), xp=xp)
        if crowd is not None:
            under = xp.where(crowd, t.a, under)
        out = over / xp.where(under == 0, xp.ones_like(under), under)
        return out if self.zero_division == 0.0 else xp.where(under == 0, self.zero_division, out)


IOU = RunQuotient()


def by_row(a: Masks, b: Masks, quotient: RunQuotient, crowd: Any, /) -> Any:
    """A score of two tables of one length, row by row."""
    _check_tables(a, b)
    if len(a) != len(b):
        raise ValueError(f"`a` and `b` must have one length, got {len(a)} and {len(b)}")
    rows = numpy().arange(len(a))
    _check_sizes(a, b, RunPairs(rows, rows))
    return _scored(_side(a, len(a)), _side(b, len(a)), RunPairs(rows, rows), quotient, _flags(crowd, len(b)), 0.0)


def of_pairs(a: Masks, b: Masks, quotient: RunQuotient, crowd: Any, /) -> Any:
    """A score of all pairs of two tables, (N, M)."""
    xp = numpy()
    _check_tables(a, b)
    flags = _flags(crowd, len(b))
    one, other = _side(a, len(a) * len(b)), _side(b, len(a) * len(b))
    out = xp.zeros((len(a), len(b)), dtype=xp.float64)
    many = max(1, PAIRS // max(len(b), 1))
    for start in range(0, len(a), many):
        rows = xp.arange(start, min(start + many, len(a)))
        pairs = RunPairs(xp.repeat(rows, len(b)), xp.tile(xp.arange(len(b)), rows.size))
        _check_sizes(a, b, pairs)
        of_tile = _scored(one, other, pairs, quotient, None if flags is None else xp.tile(flags, rows.size), 0.0)
        out[start : start + many, :] = of_tile.reshape(rows.size, len(b))
    return out


def overlap(a: Masks, rows_a: Any, b: Masks, rows_b: Any, crowd: Any = None, /, *, least: float = 0.0) -> Any:
    """Intersection over union of given pairs.

    Parameters
    ----------
    a : Masks
        Detections.
    rows_a : array of integers, shape (P,)
        Row of `a` of each pair.
    b : Masks
        Objects.
    rows_b : array of integers, shape (P,)
        Row of `b` of each pair.
    crowd : array of booleans, shape (P,), optional
        Pairs whose mask of `b` is a region of many objects.
    least : float
        The lowest IoU of interest: pairs whose areas and boxes show that they are below it return 0. This saves most
        of the time if you need only matches.

    Returns
    -------
    array of float64, shape (P,)
        The same as in `iou`.

    Raises
    ------
    ValueError
        If a row is out of its table, or the two masks of a pair are of different image sizes.

    Examples
    --------
    >>> from omniou import rle
    >>> masks = rle.Masks.from_coco([{"size": [2, 2], "counts": [0, 3, 1]}, {"size": [2, 2], "counts": [2, 2]}])
    >>> rle.overlap(masks, [0, 1], masks, [1, 1]).tolist()
    [0.25, 1.0]
    """
    _check_tables(a, b)
    pairs = RunPairs(as_rows("rows_a", rows_a, len(a)), as_rows("rows_b", rows_b, len(b)))
    if pairs.a.shape != pairs.b.shape:
        raise ValueError(f"`rows_a` and `rows_b` must have one length, got {pairs.a.size} and {pairs.b.size}")
    _check_sizes(a, b, pairs)
    flags, least = _flags(crowd, pairs.a.size), checks.number("least", least, least=0.0)
    (one, in_one), (other, in_other) = (_needed(x, rows) for x, rows in zip((a, b), pairs, strict=True))
    return _scored(_side(one, in_one.size), _side(other, in_one.size), RunPairs(in_one, in_other), IOU, flags, least)


def _check_tables(a: Any, b: Any) -> None:
    checks.instance("a", a, Masks, "a table of masks, `rle.Masks`")
    checks.instance("b", b, Masks, "a table of masks, `rle.Masks`")


def _needed(masks: Any, rows: Any) -> tuple[Any, Any]:
    """The part of a table that rows (P,) are of, and their numbers in it."""
    if rows.size == 0:
        return masks, rows
    used = indexing.distinct(rows, xp=numpy())
    part = between(masks, int(used[0]), int(used[-1]) + 1)
    if 2 * numpy().sum(masks.first[used + 1] - masks.first[used]) >= part.start.size:
        return part, rows - used[0]
    return take(masks, used), numpy().searchsorted(used, rows)


def _side(masks: Any, pairs: int) -> Side:
    """A table with the areas and extents that decide which of its pairs are disjoint."""
    pixels = areas(masks)
    many = pairs > MANY * masks.sizes.shape[0]
    return Side(masks, pixels, extents(masks) if many else wide_extents(masks, pixels > 0))


def _flags(crowd: Any, count: int) -> Any:
    if crowd is None:
        return None
    flags = numpy().asarray(crowd)
    if flags.shape != (count,):
        raise ValueError(f"`crowd` must have shape ({count},), got {flags.shape}")
    if flags.dtype.kind not in "biuf":
        raise TypeError(f"`crowd` must be bools, got dtype {flags.dtype}")
    return flags != 0


def _scored(a: Side, b: Side, pairs: RunPairs, quotient: RunQuotient, crowd: Any, least: float) -> Any:  # noqa: PLR0917
    xp = numpy()
    out = xp.zeros(pairs.a.size, dtype=xp.float64)
    for start in range(0, pairs.a.size, PAIRS):
        part = slice(start, start + PAIRS)
        flags = None if crowd is None else crowd[part]
        out[part] = _scored_part(a, b, RunPairs(pairs.a[part], pairs.b[part]), quotient, flags, least)
    return out


def _scored_part(a: Side, b: Side, pairs: RunPairs, quotient: RunQuotient, crowd: Any, least: float) -> Any:  # noqa: PLR0917
    """Compare run by run only the pairs that may share pixels, and may reach `least`."""
    xp = numpy()
    # Two masks share at most the pixels of the rectangle in which their boxes overlap, and at most the smaller area.
    # Masks of 50 and 80 pixels whose boxes share 4 x 5 pixels have an IoU of at most 20 / (50 + 80 - 20) = 0.18: with
    # `least` = 0.5 their runs are never compared.
    counts = _counts(a, b, pairs, xp.zeros(pairs.a.size, dtype=xp.int64))
    low, high = _shared_box(a, b, pairs)
    bound = xp.prod(xp.maximum(high - low, xp.zeros_like(low)), axis=1)
    bound = xp.minimum(bound, xp.minimum(counts.a, counts.b))
    compared = bound > 0
    if least > 0:
        compared &= quotient(counts._replace(intersection=bound), crowd) >= least
    out = xp.zeros(pairs.a.size, dtype=xp.float64) if least > 0 else quotient(counts, crowd)
    close = xp.flatnonzero(compared)
    if close.size:
        pairs = RunPairs(xp.take(pairs.a, close), xp.take(pairs.b, close))
        crowd = None if crowd is None else xp.take(crowd, close)
        out[close] = quotient(_counts(a, b, pairs, _intersections(a, b, pairs)), crowd)
    return out


def _counts(a: Side, b: Side, pairs: RunPairs, intersection: Any) -> PixelCounts:
    xp = numpy()
    sizes = a.masks.sizes

    def total() -> Any:
        return xp.prod(xp.take(sizes, pairs.a, axis=0), axis=1)

    return PixelCounts(intersection, xp.take(a.areas, pairs.a), xp.take(b.areas, pairs.b), total, xp.float64)


def _check_sizes(one: Masks, other: Masks, pairs: RunPairs) -> None:
    xp = numpy()
    a, b = one.sizes, other.sizes
    differ = (xp.take(a, pairs.a, axis=0) != xp.take(b, pairs.b, axis=0)).any(axis=1)
    if differ.any():
        place = int(xp.argmax(differ))
        i, j = int(pairs.a[place]), int(pairs.b[place])
        sizes = f"{a[i].tolist()} in `a[{i}]` and {b[j].tolist()} in `b[{j}]`"
        raise ValueError(f"masks of a pair must be of one image size, got {sizes}")


def _shared_box(a: Side, b: Side, pairs: RunPairs) -> tuple[Any, Any]:
    """Corners (P, 2) of the rectangles that both boxes cover; the low one is above the high one where there is none."""
    xp = numpy()
    one, other = xp.take(a.extents, pairs.a, axis=0), xp.take(b.extents, pairs.b, axis=0)
    return xp.maximum(one[:, :2], other[:, :2]), xp.minimum(one[:, 2:], other[:, 2:])


def _intersections(a: Side, b: Side, pairs: RunPairs) -> Any:
    """Count the pixels (P,) that masks share, for pairs whose boxes overlap."""
    if (out_of_tile := _compiled.intersections(a.masks, b.masks, *pairs)) is not None:
        return out_of_tile
    xp = numpy()
    out = xp.zeros(pairs.a.size, dtype=xp.int64)
    changes = xp.take(_changes(a), pairs.a) + xp.take(_changes(b), pairs.b)
    columns = xp.take(_width(a), pairs.a) + xp.take(_width(b), pairs.b)
    # `_by_columns` takes time for each column of both boxes, `_by_sorting` for each start and end of a run. A wide
    # object in an image of 4000 columns whose mask has 10 runs is sorted; a person with a run in each column is not.
    plain = columns <= WIDE * (changes + 16)
    # In the order of the tables, so that masks that are compared lie side by side.
    order = xp.argsort(pairs.a, stable=True)
    for compare, chosen, weight in ((_by_columns, plain, changes + columns), (_by_sorting, ~plain, changes)):
        at = order[xp.take(chosen, order)]
        for start, stop in batches(xp.take(weight, at), TILE):
            rows = at[start:stop]
            out[rows] = compare(a, b, RunPairs(xp.take(pairs.a, rows), xp.take(pairs.b, rows)))
    return out


def _changes(side: Side) -> Any:
    """Starts and ends of runs (N,)."""
    return 2 * (side.masks.first[1:] - side.masks.first[:-1])


def _width(side: Side) -> Any:
    """Columns of the box of each mask (N,)."""
    return side.extents[:, 2] - side.extents[:, 0]


def _by_columns(a: Side, b: Side, pairs: RunPairs) -> Any:
    """Pixels (P,) that masks share, column by column.

    Runs are cut where columns end. Then a mask has one interval in most columns, and two intervals of one column share
    ``min(ends) - max(starts)`` pixels, if that is positive.
    """
    xp = numpy()
    low, high = _shared_box(a, b, pairs)
    one, in_one = _used(a, pairs.a)
    other, in_other = _used(b, pairs.b)
    p, q = (kernels.columns(_spans(x.masks), x.extents, xp=xp) for x in (one, other))
    shared = kernels.shared_columns(p, q, (in_one, in_other), low[:, 0], high[:, 0], xp=xp)
    combinations = shared.combinations
    cost = xp.diff(xp.take(xp.cumulative_sum(combinations, include_initial=True), shared.before))
    changes = xp.take(_changes(one), in_one) + xp.take(_changes(other), in_other)
    # In noise, a column has many intervals of both masks, and each would be compared with each: 40 with 40 are 1,600
    # comparisons, but only 160 places to sort.
    noisy = cost > 2 * (changes + high[:, 0] - low[:, 0])
    if not noisy.any():
        return kernels.shared(p, q, shared, combinations, xp=xp)
    combinations[xp.repeat(noisy, xp.diff(shared.before))] = 0
    out = kernels.shared(p, q, shared, combinations, xp=xp)
    out[noisy] = _by_sorting(a, b, RunPairs(pairs.a[noisy], pairs.b[noisy]))
    return out


def _by_sorting(a: Side, b: Side, pairs: RunPairs) -> Any:
    """Pixels (P,) that masks share, by sorting all starts and ends of their runs."""
    xp = numpy()
    one, in_one = _used(a, pairs.a)
    other, in_other = _used(b, pairs.b)
    pixels = int(xp.prod(one.masks.sizes, axis=1).max())
    return kernels.shared_by_sorting(_spans(one.masks), _spans(other.masks), (in_one, in_other), pixels, xp=xp)


def _used(side: Side, rows: Any) -> tuple[Side, Any]:
    """Return the masks that `rows` use, once each, and the number of each row among them."""
    xp = numpy()
    used = indexing.distinct(rows, xp=xp)
    # Rows that lie close together are a slice, which shares the memory of the table. Rows 5, 6 and 8 are numbers 0, 1
    # and 3 of the slice 5-8.
    low, high = int(used[0]), int(used[-1]) + 1
    part = Side(between(side.masks, low, high), side.areas[low:high], side.extents[low:high, :])
    cost = _changes(part) + _width(part)
    if xp.sum(cost) <= DENSE * xp.sum(xp.take(cost, used - low)):
        return part, rows - low
    table = take(side.masks, used)
    used_side = Side(table, xp.take(side.areas, used), xp.take(side.extents, used, axis=0))
    return used_side, xp.searchsorted(used, rows)


def _spans(table: Any) -> Any:
    return spans(table, 0, table.sizes.shape[0])
