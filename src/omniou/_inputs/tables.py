"""The checked tables of targets and detections, and operations on whole tables: split, take, concatenate."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._inputs.shapes import Shapes
from omniou._lib import indexing, ordering
from omniou._lib.host import namespace_of
from omniou._lib.types import Namespace

# Columns of pairs, not of targets.
PAIRS = ("negative", "not_exhaustive")
TABLES = ("targets", "detections")


class TargetTable(NamedTuple):
    """Columns of N targets, in 64 bits."""

    shapes: Shapes
    labels: Any
    images: Any
    crowd: Any
    area: Any
    ignore: Any
    negative: Any  # (P, 2) or None
    not_exhaustive: Any  # (Q, 2) or None


class DetectionTable(NamedTuple):
    """Columns of M detections, in 64 bits."""

    shapes: Shapes
    scores: Any
    labels: Any
    images: Any
    area: Any


class Tables(NamedTuple):
    """Both tables, and the library to work on them with."""

    xp: Namespace
    targets: TargetTable
    detections: DetectionTable
    images: Any  # (I,) ids, rising
    home: Callable[[Any], Any]  # brings a result to the library and device of the caller

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the library, which is a module and cannot be pickled: the arrays tell it."""
        return _tables, self[1:]


def _tables(*columns: Any) -> Tables:
    return Tables(namespace_of(columns[2]), *columns)


def of_its_images(tables: Tables, /) -> Tables:
    """The rows of the tables' images; rows of other images are excluded."""
    xp, targets, detections, ids, _ = tables
    return tables._replace(targets=_of_images(targets, ids, xp=xp), detections=_of_images(detections, ids, xp=xp))


def of_classes(tables: Tables, labels: Any, /) -> Tables:
    """The rows of some classes, given their labels, rising."""
    xp, targets, detections, *_ = tables
    both = (_of_images(x, labels, xp=xp, column="labels") for x in (targets, detections))
    return tables._replace(**dict(zip(TABLES, both, strict=True)))


def renumbered(tables: Tables, by: int, /) -> Tables:
    """Add `by` to the ids of images."""
    targets, detections = tables.targets, tables.detections
    return tables._replace(
        targets=targets._replace(images=targets.images + by),
        detections=detections._replace(images=detections.images + by),
        images=tables.images + by,
    )


def blocks(tables: Tables, most: int, threads: int, /) -> list[Tables]:
    """Split into parts of equally many images, with about `most` detections if images have equally many.

    With at least a quarter of `most`, there are as many parts for each of the threads.
    """
    xp, _, detections, ids, _ = tables
    size = detections.scores.shape[0]
    parts = max(1, size // most)
    if 4 * size >= most:
        parts += -parts % threads
    if parts < 2 or ids.shape[0] < 2:
        return [tables]
    both = {name: _by_image(getattr(tables, name), ids, xp=xp) for name in TABLES}
    cuts = sorted({k * ids.shape[0] // parts for k in range(parts)})
    edges = {}
    for name, table in both.items():
        rows = xp.searchsorted(table.images, xp.take(ids, xp.asarray(cuts, device=compat.device(ids))))
        edges[name] = [*indexing.to_list(rows), table.labels.shape[0]]
    return [
        tables._replace(
            images=ids[start:stop],
            **{name: _taken(table, slice(*edges[name][k : k + 2]), xp=xp) for name, table in both.items()},
        )
        for k, (start, stop) in enumerate(itertools.pairwise([*cuts, ids.shape[0]]))
    ]


def _by_image(table: Any, ids: Any, *, xp: Namespace) -> Any:
    """Rows in the order of their images, otherwise as they came."""
    if xp.all(indexing.rest(table.images) >= indexing.but_last(table.images)):
        return table
    places, _ = indexing.place(ids, table.images, xp=xp)
    return _taken(table, ordering.rising(places, ids.shape[0], xp=xp), xp=xp)


def _of_images(table: Any, ids: Any, *, xp: Namespace, column: str = "images") -> Any:
    known = indexing.place(ids, getattr(table, column), xp=xp)[1]
    if xp.all(known):
        return table
    return _taken(table, xp.nonzero(known)[0], xp=xp)


def _taken(table: Any, rows: Any, *, xp: Namespace) -> Any:
    """Some rows of a table: numbers (P,), or a slice."""

    def take(name: str, x: Any) -> Any:
        if x is None or name in PAIRS:
            return x
        if isinstance(x, Shapes):
            return x.take(rows)
        return x[rows] if isinstance(rows, slice) else xp.take(x, rows)

    return table._make(map(take, table._fields, table))


def owned(tables: Tables, /) -> Tables:
    """A copy, which later changes to the given arrays do not reach."""

    def copied(x: Any) -> Any:
        if isinstance(x, Shapes):
            return x.owned()
        return x if x is None else tables.xp.asarray(x, copy=True)

    return tables._replace(**{name: getattr(tables, name)._make(map(copied, getattr(tables, name))) for name in TABLES})


def fit(first: Tables, second: Tables) -> bool:
    """Whether both can be matched together: annotation is federated for all images of a table, or for none."""
    return (first.targets.negative is None) == (second.targets.negative is None)


def joined(parts: Sequence[Tables]) -> Tables:
    """The tables of several sets of images as one."""
    if len(parts) == 1:
        return parts[0]
    xp = parts[0].xp
    ids = indexing.distinct(xp.concat([x.images for x in parts]), xp=xp)
    check_distinct([x.images for x in parts], ids, xp=xp)
    targets, detections = (_joined_table([getattr(x, name) for x in parts], xp=xp) for name in TABLES)
    return Tables(xp, targets, detections, ids, parts[-1].home)


def _joined_table(tables: list[Any], *, xp: Namespace) -> Any:
    first = tables[0]
    return first._make([_joined_column([getattr(x, name) for x in tables], xp=xp) for name in first._fields])


def _joined_column(parts: list[Any], *, xp: Namespace) -> Any:
    given = [x for x in parts if x is not None]
    if not given:
        return None
    return given[0].concat(given[1:]) if isinstance(given[0], Shapes) else xp.concat(given)


def check_distinct(parts: Sequence[Any], images: Any, /, *, xp: Namespace) -> None:
    """Check that no image is in two parts, given their ids, and all different ones."""
    if images.shape[0] == sum(x.shape[0] for x in parts):
        return
    every = xp.sort(xp.concat(list(parts)))
    twice = every[1:][every[1:] == every[:-1]]
    raise ValueError(
        f"`images` must be in one part each, got {int(twice[0])} in two: give all rows of an image together"
    )
