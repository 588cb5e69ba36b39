"""Boundaries of masks: the pixels that an erosion removes, drawn only inside the box of each mask."""

from typing import Any, NamedTuple

from omniou._kernels import mask_edges
from omniou.rle import _runs as kernels
from omniou.rle._columns import MaskError, RunTable, batches, concat, numpy, take
from omniou.rle._measure import extents, spans

# Pixels drawn at once: as bytes, they stay in cache.
PIXELS = 2**18
# Limit of the pixels of one mask, which take about 4 bytes each.
MOST = 2**27


class Sheet(NamedTuple):
    """K masks drawn one after the other, in columns of `stride` pixels, a column of which is free after each mask."""

    stride: int
    start: Any  # (K + 1,) pixels before each mask
    corner: Any  # (K, 2) x and y of the box that is drawn
    sizes: Any  # (K, 2) height and width of the image


def boundary(table: RunTable, ratio: float) -> RunTable:
    """Return the pixels of masks near their edges or the image's, within a share of the image's diagonal."""
    xp = numpy()
    boxes = extents(table)
    sides = boxes[:, 2:] - boxes[:, :2]
    # Cheng et al. round halves to even, as Python does.
    # A ratio above 1 gives the result of 1.
    radius = xp.round(min(ratio, 1.0) * xp.sqrt(xp.sum(xp.astype(table.sizes, xp.float64) ** 2, axis=1)))
    radius = xp.astype(xp.maximum(radius, xp.ones_like(radius)), xp.int64)
    # Of thin masks, nothing is left by the erosion.
    whole = xp.any(sides <= 2 * radius[:, None], axis=1)
    rows, parts = [xp.flatnonzero(whole)], []
    parts.append(take(table, rows[0]))
    kinds = xp.stack([radius, _strides(sides[:, 1])], axis=1)
    for kind in xp.unique(kinds[~whole, :], axis=0):
        alike = xp.flatnonzero(~whole & (kinds == kind).all(axis=1))
        deep, stride = kind.tolist()
        _check_drawable(sides, alike, deep, stride)
        for start, stop in batches((sides[alike, 0] + 1) * stride, PIXELS):
            chosen = alike[start:stop]
            rows.append(chosen)
            parts.append(_boundary(take(table, chosen), boxes[chosen, :], deep, stride))
    return take(concat(parts), xp.argsort(xp.concat(rows)))


def _check_drawable(sides: Any, rows: Any, radius: int, stride: int) -> None:
    """Raise for a mask of so many pixels that its boundary would take gigabytes."""
    xp = numpy()
    pixels = (sides[rows, 0] + 1 + 2 * radius) * stride
    if (pixels > MOST).any():
        row = int(rows[xp.argmax(pixels)])
        width, height = sides[row, :].tolist()
        raise MaskError(
            row, "", f"{width} x {height} pixels are too many for a boundary, more than {MOST}", name="masks"
        )


def _strides(heights: Any) -> Any:
    """Heights -> lengths of columns, one pixel longer at least, of which there are few."""
    xp = numpy()
    unit = xp.astype(2 ** xp.floor(xp.log2(xp.astype(heights, xp.float64) + 1) - 3), xp.int64)
    unit = xp.maximum(unit, 8)
    return (heights // unit + 1) * unit


def _boundary(table: RunTable, boxes: Any, radius: int, stride: int) -> RunTable:
    xp = numpy()
    wide = boxes[:, 2] - boxes[:, 0] + 1
    sheet = Sheet(stride, xp.cumulative_sum(wide * stride, include_initial=True), boxes[:, :2], table.sizes)
    # What the window of the first and the last pixel reaches.
    margin = radius * (stride + 1)
    pixels = _draw(table, sheet, margin)
    inside = pixels[margin : pixels.shape[0] - margin]
    edge = inside & ~mask_edges.erode(pixels, radius, stride)
    return _read(edge, sheet, table.start.dtype)


def _draw(table: RunTable, sheet: Sheet, margin: int) -> Any:
    """Booleans, with a margin of false ones on both ends."""
    xp = numpy()
    on = spans(table, 0, len(table.sizes))
    # Mask and column are packed into one number, and unpacked after runs are cut into columns.
    width = int(xp.max(table.sizes[:, 1]))
    mask_ids = xp.repeat(xp.arange(len(table.sizes)), xp.diff(on.first))
    slot, start, end = kernels.cut(on, mask_ids * width + on.column, xp=xp)
    mask_ids = slot // width
    column = slot - mask_ids * width
    origin = sheet.start[:-1] - sheet.corner[:, 0] * sheet.stride - sheet.corner[:, 1] + margin
    shift = xp.take(origin, mask_ids) + column * (sheet.stride - xp.take(sheet.sizes[:, 0], mask_ids))
    edges = xp.stack([start + shift, end + shift], axis=1).reshape(-1)
    lengths = xp.diff(edges, prepend=0, append=int(sheet.start[-1]) + 2 * margin)
    return xp.repeat(xp.arange(lengths.size) % 2 == 1, lengths)


def _read(edge: Any, sheet: Sheet, dtype: Any) -> RunTable:
    """Booleans, the last of which is false -> masks of whole images."""
    xp = numpy()
    # In pairs, a start and an end.
    place = xp.flatnonzero(xp.concat([edge[:1], edge[1:] != edge[:-1]]))
    mask = xp.searchsorted(sheet.start, place, side="right") - 1
    place = place - xp.take(sheet.start, mask)
    column = place // sheet.stride
    row = place - column * sheet.stride + xp.take(sheet.corner[:, 1], mask)
    height = xp.take(sheet.sizes[:, 0], mask)
    bits = int(xp.max(xp.prod(sheet.sizes, axis=1))).bit_length()
    place = (mask << bits) + (column + xp.take(sheet.corner[:, 0], mask)) * height + row
    # A run that ends with a column may go on in the next one.
    start, end, first = kernels.united(place[0::2], place[1::2], bits, len(sheet.sizes), xp=xp)
    return RunTable(sheet.sizes, xp.astype(start, dtype), xp.astype(end, dtype), first)
