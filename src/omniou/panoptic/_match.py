"""Two label maps as tables of segments, and which segments match, by the rules of panopticapi.

Most neighbours have equal labels, so the maps are cut into runs of equal labels along the last axis. That takes two
comparisons of all pixels; everything else works on the runs, which are sorted once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import backends, indexing
from omniou._lib.arrays import widest_floating
from omniou._lib.types import Namespace

# The class of segments without a class.
VOID = -1


class Segments(NamedTuple):
    """The segments of one map, (S,)."""

    label: Any  # number of the class, or VOID
    crowd: Any  # booleans
    area: Any
    image: Any


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
    """Labels (images, P) of each map -> the runs of pixels that are equal in all maps."""
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
    """Columns of runs (R,) -> the segments, and the segment of each run (R,)."""
    names = indexing.distinct(instance, xp=xp)
    number, _ = indexing.place(names, instance, xp=xp)
    labels = int(xp.max(label)) + 2 if label.shape[0] else 1
    size = max(names.shape[0], 1)
    # One integer names a segment: image, class, crowd, instance, like the digits of a number. With 10 labels and 100
    # instances, class 4 (label + 1 = 5) and instance 17 of image 3 give ((3 * 10 + 5) * 2 + 0) * 100 + 17 = 7017, from
    # which divisions and remainders read the class and the flag again.
    key = ((image * labels + (label + 1)) * 2 + xp.astype(crowd, xp.int64)) * size + number
    keys = indexing.distinct(key, xp=xp)
    row, _ = indexing.place(keys, key, xp=xp)
    of_image = keys // size
    area = indexing.sums(length, row, keys.shape[0], xp=xp)
    return Segments((of_image // 2) % labels - 1, of_image % 2 == 1, area, of_image // 2 // labels), row


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


class Matched(NamedTuple):
    """Classes of true positives, false positives and missed segments; and the IoU of the matched ones."""

    label: Any  # (M,)
    iou: Any  # (M,)
    true: Any  # classes of true positives
    false: Any
    missed: Any
    pairs: tuple[Any, Any]  # rows of the target and of the prediction of each match
    false_rows: Any
    missed_rows: Any


class MatchRules(NamedTuple):
    """Rules that differ between tools."""

    ignore_unlabelled: bool  # whether pixels without a segment in the target are excluded, as in panopticapi
    ignore_unpredicted: bool  # whether pixels without a predicted segment are excluded, as in torchmetrics
    modified: Any  # booleans (C,): classes whose segments count however little they overlap


def match(tables: SegmentTables, rules: MatchRules, /, *, xp: Namespace) -> Matched:
    """Match segments that share more than half of their union. Each segment has at most one such partner."""
    target, prediction, rows, columns, area = tables
    label, crowd = xp.take(target.label, rows), xp.take(target.crowd, rows)
    other = xp.take(prediction.label, columns)
    unlabelled = _sum_of(area, label == VOID, columns, prediction.area, xp=xp)
    in_crowds = _sum_of(area, crowd & (label == other), columns, prediction.area, xp=xp)
    unpredicted = _sum_of(area, other == VOID, rows, target.area, xp=xp)
    union = xp.take(target.area, rows) + xp.take(prediction.area, columns) - area
    # Excluded pixels belong to neither segment. A prediction of 100 pixels, 30 of which are unlabelled, and a target of
    # 80 that share 60 have a union of 100 + 80 - 60 - 30 = 90, and 60 is more than half of it.
    if rules.ignore_unlabelled:
        union = union - xp.take(unlabelled, columns)
    if rules.ignore_unpredicted:
        union = union - xp.take(unpredicted, rows)
    # IoU > 1/2 in integers: twice the shared area exceeds the union. A segment cannot share more than half of its union
    # with two disjoint segments, so matches are one to one.
    alike = (label == other) & (label != VOID) & ~crowd
    loose = _lookup(rules.modified, label, xp=xp)
    hit = alike & (2 * area > union) & ~loose
    scored = xp.nonzero(hit | (alike & loose))[0]
    wide = widest_floating(xp, backends.device(area, xp=xp))
    over, under = (xp.astype(xp.take(x, scored), wide) for x in (area, union))
    hits = xp.nonzero(hit)[0]
    matches = xp.take(rows, hits), xp.take(columns, hits)
    left = [_others(side, x, xp=xp) for side, x in zip((target, prediction), matches, strict=True)]
    missed = left[0] & ~target.crowd & ~_lookup(rules.modified, target.label, xp=xp)
    if rules.ignore_unpredicted:
        missed = missed & (2 * unpredicted <= target.area)
    # A prediction that lies mostly on unlabelled pixels or in crowds of its class is no false positive.
    false = left[1] & (2 * (unlabelled + in_crowds) <= prediction.area)
    false = false & ~_lookup(rules.modified, prediction.label, xp=xp)
    every = xp.nonzero(~target.crowd & _lookup(rules.modified, target.label, xp=xp))[0]
    false_rows, missed_rows = xp.nonzero(false)[0], xp.nonzero(missed)[0]
    true = xp.concat([xp.take(label, hits), xp.take(target.label, every)])
    return Matched(
        xp.take(label, scored),
        over / under,
        true,
        xp.take(prediction.label, false_rows),
        xp.take(target.label, missed_rows),
        matches,
        false_rows,
        missed_rows,
    )


def _sum_of(area: Any, chosen: Any, places: Any, like: Any, /, *, xp: Namespace) -> Any:
    """Return the area of the chosen pairs of each segment."""
    return indexing.sums(xp.where(chosen, area, xp.zeros_like(area)), places, like.shape[0], xp=xp)


def _lookup(flags: Any, label: Any, /, *, xp: Namespace) -> Any:
    """Booleans (C,), classes (N,) -> the boolean of each, false for VOID."""
    return xp.take(flags, xp.maximum(label, xp.zeros_like(label))) & (label != VOID)


def _others(segments: Any, matched: Any, /, *, xp: Namespace) -> Any:
    """Return flags of the segments that have a class, but no match."""
    return indexing.put(segments.label != VOID, matched, xp.zeros_like(matched) != 0, xp=xp)
