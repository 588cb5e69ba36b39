"""Checked columns, and what is done to them as a whole: keep some images, join several sets of images."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._kernels import boxes as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib import indexing, ordering
from omniou._lib.arrays import columns_of
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace
from omniou.rle import Masks

# Columns of pairs, not of objects.
PAIRS = ("negative", "not_exhaustive")
TABLES = ("truth", "found")


class Given(NamedTuple):
    """N boxes as they were given: only where two are compared, which most never are, corners are computed."""

    rows: Any  # (N, 2 * D)
    area: Any  # (N,)
    layout: Layout


class Truth(NamedTuple):
    """Columns of N objects, in 64 bits."""

    boxes: Given
    labels: Any
    images: Any
    crowd: Any
    area: Any
    ignore: Any
    negative: Any  # (P, 2) or None
    not_exhaustive: Any  # (Q, 2) or None
    masks: Any  # Masks or None


class Found(NamedTuple):
    """Columns of M detections, in 64 bits."""

    boxes: Given
    scores: Any
    labels: Any
    images: Any
    masks: Any  # Masks or None


class Columns(NamedTuple):
    """Both tables, and the library to work on them with."""

    xp: Namespace
    truth: Truth
    found: Found
    images: Any  # (I,) ids, rising
    home: Callable[[Any], Any]  # brings a result to the library and device of the caller


def of_its_images(columns: Columns, /) -> Columns:
    """The rows that are of the images of the tables."""
    xp, truth, found, ids, _ = columns
    return columns._replace(truth=_of_images(truth, ids, xp=xp), found=_of_images(found, ids, xp=xp))


def moved(columns: Columns, by: int, /) -> Columns:
    """With other numbers of images."""
    truth, found = columns.truth, columns.found
    return columns._replace(
        truth=truth._replace(images=truth.images + by),
        found=found._replace(images=found.images + by),
        images=columns.images + by,
    )


def blocks(columns: Columns, most: int, threads: int, /) -> list[Columns]:
    """In parts of as many images each, with about `most` detections where images have alike many.

    If there is a quarter of that, each of the threads has as many parts as the others.
    """
    xp, _, found, ids, _ = columns
    size = found.scores.shape[0]
    parts = max(1, size // most)
    if 4 * size >= most:
        parts += -parts % threads
    if parts < 2 or ids.shape[0] < 2:
        return [columns]
    truth, found = (_by_image(x, ids, xp=xp) for x in columns[1:3])
    cuts = sorted({k * ids.shape[0] // parts for k in range(parts)})
    edges = {}
    for name, table in (("truth", truth), ("found", found)):
        rows = xp.searchsorted(table.images, xp.take(ids, xp.asarray(cuts, device=compat.device(ids))))
        edges[name] = [*indexing.to_list(rows), table.labels.shape[0]]
    return [
        columns._replace(
            truth=_sliced(truth, slice(*edges["truth"][k : k + 2]), xp=xp),
            found=_sliced(found, slice(*edges["found"][k : k + 2]), xp=xp),
            images=ids[start:stop],
        )
        for k, (start, stop) in enumerate(itertools.pairwise([*cuts, ids.shape[0]]))
    ]


def _by_image(table: Any, ids: Any, *, xp: Namespace) -> Any:
    """Rows in the order of their images, otherwise as they came."""
    if xp.all(indexing.rest(table.images) >= indexing.but_last(table.images)):
        return table
    places, _ = indexing.place(ids, table.images, xp=xp)
    return _taken(table, ordering.rising(places, ids.shape[0], xp=xp), xp=xp)


def _sliced(table: Any, rows: slice, *, xp: Namespace) -> Any:
    def cut(name: str, x: Any) -> Any:
        if isinstance(x, Masks):
            return x.take(xp.arange(rows.start, rows.stop))
        if isinstance(x, Given):
            return x._replace(rows=x.rows[rows, :], area=x.area[rows])
        return x if x is None or name in PAIRS else x[rows]

    return table._make([cut(name, x) for name, x in zip(table._fields, table, strict=True)])


def _of_images(table: Any, ids: Any, *, xp: Namespace) -> Any:
    known = indexing.place(ids, table.images, xp=xp)[1]
    if xp.all(known):
        return table
    return _taken(table, xp.nonzero(known)[0], xp=xp)


def _taken(table: Any, rows: Any, *, xp: Namespace) -> Any:
    return table._make([_rows(name, x, rows, xp=xp) for name, x in zip(table._fields, table, strict=True)])


def _rows(name: str, x: Any, rows: Any, *, xp: Namespace) -> Any:
    if x is None or name in PAIRS:
        return x
    if isinstance(x, Given):
        return x._replace(rows=xp.take(x.rows, rows, axis=0), area=xp.take(x.area, rows))
    return x.take(rows) if isinstance(x, Masks) else xp.take(x, rows)


def take(boxes: Given, rows: Any, /, *, xp: Namespace) -> Boxes:
    """The boxes (P,) of some rows."""
    columns = columns_of(xp.take(boxes.rows, rows, axis=0), dtype=boxes.rows.dtype, xp=xp)
    low, high = kernels.corners(columns, None, layout=boxes.layout, xp=xp)
    return Boxes(low, xp.maximum(low, high), xp.take(boxes.area, rows))


def owned(columns: Columns, /) -> Columns:
    """The same in memory of its own, whatever becomes of the arrays that were given."""
    xp = columns.xp

    def copied(x: Any) -> Any:
        if isinstance(x, Given):
            return x._replace(rows=copied(x.rows), area=copied(x.area))
        return x if x is None or isinstance(x, Masks) else xp.asarray(x, copy=True)

    return columns._replace(
        **{name: getattr(columns, name)._make(map(copied, getattr(columns, name))) for name in TABLES}
    )


def fit(first: Columns, second: Columns) -> bool:
    """Whether both can be matched together: federated annotation is so for all images of a table."""
    return (first.truth.negative is None) == (second.truth.negative is None)


def joined(parts: Sequence[Columns]) -> Columns:
    """Columns of several sets of images as one."""
    if len(parts) == 1:
        return parts[0]
    xp = parts[0].xp
    ids = indexing.distinct(xp.concat([x.images for x in parts]), xp=xp)
    check_distinct([x.images for x in parts], ids, xp=xp)
    truth, found = (_joined_table([getattr(x, name) for x in parts], xp=xp) for name in TABLES)
    return Columns(xp, truth, found, ids, parts[-1].home)


def _joined_table(tables: list[Any], *, xp: Namespace) -> Any:
    first = tables[0]
    return first._make([_joined_column([getattr(x, name) for x in tables], xp=xp) for name in first._fields])


def _joined_column(parts: list[Any], *, xp: Namespace) -> Any:
    given = [x for x in parts if x is not None]
    if not given:
        return None
    if isinstance(given[0], Masks):
        return Masks.concat(given)
    if not isinstance(given[0], Given):
        return xp.concat(given)
    # Of how many dimensions an empty set of boxes is, nobody knows.
    given = [x for x in given if x.area.shape[0]] or given[:1]
    rows, area = (xp.concat([getattr(x, name) for x in given], axis=0) for name in ("rows", "area"))
    return given[0]._replace(rows=rows, area=area)


def check_distinct(parts: Sequence[Any], images: Any, /, *, xp: Namespace) -> None:
    """Check that no image is in two parts, given their ids, and all different ones."""
    if images.shape[0] == sum(x.shape[0] for x in parts):
        return
    every = xp.sort(xp.concat(list(parts)))
    twice = every[1:][every[1:] == every[:-1]]
    msg = f"`images` must be in one part each, got {int(twice[0])} in two: give all rows of an image together"
    raise ValueError(msg)
