"""Both tables in the orders that matching and curves want: no image and no class is visited on its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._kernels.boxes import Boxes
from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.detection.columns import Found, Truth


class Objects(NamedTuple):
    """N objects, by class and image, inside both as they came."""

    boxes: Boxes
    classes: Any
    groups: Any  # class * images + image
    crowd: Any
    ignore: Any
    area: Any


class Ranked(NamedTuple):
    """M detections, by class, then falling score, then image, then as they came: the reference's order of ties."""

    boxes: Boxes
    scores: Any
    classes: Any
    groups: Any
    rank: Any  # among the detections of the group, from 0
    by_group: Any  # rows of this table, by class and image, then rank


def rising_ids(given: Any, *columns: Any, name: str, xp: Namespace) -> Any:
    """The ids a caller asked for, or all that occur: (K,) distinct and rising."""
    every = xp.concat(list(columns))
    if given is None:
        return xp.sort(xp.unique_values(every))
    ids = given
    if not hasattr(given, "dtype"):
        ids = xp.asarray(_integers(name, given), dtype=xp.int64, device=compat.device(every))
    if ids.ndim != 1 or not xp.isdtype(ids.dtype, "integral"):
        msg = f"`{name}` must be integers of shape (K,), got shape {tuple(ids.shape)} and dtype {ids.dtype}"
        raise ValueError(msg)
    return xp.sort(xp.unique_values(xp.astype(ids, xp.int64)))


def _integers(name: str, given: Any) -> Sequence[int]:
    try:
        listed = list(given)
    except TypeError:
        listed = [None]
    if not all(isinstance(i, int) for i in listed):
        msg = f"`{name}` must be integers, got {given!r}"
        raise TypeError(msg)
    return listed


def objects(truth: Truth, classes: Any, images: Any, /, *, xp: Namespace) -> Objects:
    """The objects of the given classes and images."""
    label, group, rows = _groups(truth.labels, truth.images, classes, images, xp=xp)
    rows = xp.take(rows, xp.argsort(xp.take(group, rows), stable=True))
    columns = (label, group, truth.crowd, truth.ignore, truth.area)
    return Objects(_rows(truth.boxes, rows, xp=xp), *(xp.take(x, rows) for x in columns))


def ranked(found: Found, classes: Any, images: Any, limit: int, /, *, xp: Namespace) -> Ranked:
    """The best `limit` detections of each of the given classes in each of the given images."""
    label, group, rows = _groups(found.labels, found.images, classes, images, xp=xp)
    # Stable sorts by the last criterion first; the group stands for class and image.
    rows = xp.take(rows, xp.argsort(xp.take(group, rows), stable=True))
    for key in (-found.scores, label):
        rows = xp.take(rows, xp.argsort(xp.take(key, rows), stable=True))
    by_group = xp.argsort(xp.take(group, rows), stable=True)
    groups = xp.take(group, xp.take(rows, by_group))
    every = xp.arange(groups.shape[0], dtype=xp.int64, device=compat.device(groups))
    rank = every - xp.searchsorted(groups, groups)
    kept = xp.nonzero(rank < limit)[0]
    by_group, rank = xp.take(by_group, kept), xp.take(rank, kept)
    best = xp.sort(by_group)
    rows, by_group = xp.take(rows, best), xp.searchsorted(best, by_group)
    ranks = indexing.put(xp.zeros_like(rank), by_group, rank, xp=xp)
    scores, label, group = (xp.take(x, rows) for x in (found.scores, label, group))
    return Ranked(_rows(found.boxes, rows, xp=xp), scores, label, group, ranks, by_group)


def _groups(labels: Any, images: Any, ids: Any, image_ids: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Columns (N,) -> place of the class, number of the group, and the rows that belong to one."""
    label, known = indexing.place(ids, labels, xp=xp)
    image, here = indexing.place(image_ids, images, xp=xp)
    return label, label * image_ids.shape[0] + image, xp.nonzero(known & here)[0]


def _rows(boxes: Boxes, rows: Any, /, *, xp: Namespace) -> Boxes:
    low, high = (xp.take(x, rows, axis=1) for x in (boxes.low, boxes.high))
    return Boxes(low, high, xp.take(boxes.area, rows))
