"""Two label maps as tables: the segments of each, and the pixels that two of them share.

Neighbours mostly have the same labels, so the maps are cut into runs of equal labels along the last axis, and all that
follows is computed from these: two comparisons of all pixels, and a sort of the runs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import backends, indexing
from omniou._lib.types import Namespace

# The class of what has none.
VOID = -1


class Segments(NamedTuple):
    """The segments of one map, (S,)."""

    label: Any  # number of the class, or VOID
    crowd: Any  # booleans
    area: Any


class SegmentTables(NamedTuple):
    """The segments of two maps, and the pairs (P,) of them that share pixels."""

    target: Segments
    prediction: Segments
    target_of: Any  # row of the target's segments
    prediction_of: Any
    area: Any


class Runs(NamedTuple):
    """Runs of equal labels in all maps, (R,)."""

    place: Any  # of the first pixel
    length: Any
    image: Any


def runs(columns: Sequence[Any], /, *, xp: Namespace) -> Runs:
    """Labels (images, P) of each map -> where their runs are."""
    images, pixels = columns[0].shape
    if not images * pixels:
        none = xp.zeros(0, dtype=xp.int64, device=backends.device(columns[0], xp=xp))
        return Runs(none, none, none)
    first = xp.ones((images, 1), dtype=xp.bool, device=backends.device(columns[0], xp=xp))
    changes = columns[0][:, 1:] != columns[0][:, :-1]
    for x in columns[1:]:
        changes = changes | (x[:, 1:] != x[:, :-1])
    place = xp.nonzero(xp.reshape(xp.concat([first, changes], axis=1), (-1,)))[0]
    end = xp.concat([place[1:], xp.full_like(place[:1], images * pixels)])
    return Runs(place, end - place, place // pixels)


def segments(
    image: Any, label: Any, crowd: Any, instance: Any, length: Any, /, *, xp: Namespace
) -> tuple[Segments, Any]:
    """Columns of runs (R,) -> the segments that they are parts of, and the segment of each run (R,)."""
    names = indexing.distinct(instance, xp=xp)
    number, _ = indexing.place(names, instance, xp=xp)
    labels = int(xp.max(label)) + 2 if label.shape[0] else 1
    size = max(names.shape[0], 1)
    key = ((image * labels + (label + 1)) * 2 + xp.astype(crowd, xp.int64)) * size + number
    keys = indexing.distinct(key, xp=xp)
    row, _ = indexing.place(keys, key, xp=xp)
    of_image = keys // size
    area = indexing.sums(length, row, keys.shape[0], xp=xp)
    return Segments((of_image // 2) % labels - 1, of_image % 2 == 1, area), row


def tables(image: Any, maps: Sequence[tuple[Any, Any, Any]], length: Any, /, *, xp: Namespace) -> SegmentTables:
    """Runs (R,): label, crowd and instance in both maps -> segments and pairs."""
    (target, rows), (prediction, columns) = (segments(image, *of_map, length, xp=xp) for of_map in maps)
    # A pair of segments is one integer: of 10 predicted segments, row 3 with column 7 is 37.
    size = max(prediction.label.shape[0], 1)
    key = rows * size + columns
    keys = indexing.distinct(key, xp=xp)
    pair, _ = indexing.place(keys, key, xp=xp)
    area = indexing.sums(length, pair, keys.shape[0], xp=xp)
    return SegmentTables(target, prediction, keys // size, keys % size, area)
