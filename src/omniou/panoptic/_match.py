"""Which segments match, by the rules of panopticapi."""

from typing import Any, NamedTuple

from omniou._lib import backends, indexing
from omniou._lib.arrays import widest_floating
from omniou._lib.types import Namespace
from omniou.panoptic._tables import VOID, SegmentTables


class Matched(NamedTuple):
    """Classes of true positives, false positives and missed segments; and the IoU of the matched ones."""

    label: Any  # (M,)
    iou: Any  # (M,)
    true: Any  # classes of true positives
    false: Any
    missed: Any


class MatchRules(NamedTuple):
    """What differs from tool to tool."""

    ignore_unlabelled: bool  # whether pixels without a segment in the target are left out, as panopticapi does
    ignore_unpredicted: bool  # whether pixels without a predicted segment are left out, as torchmetrics does
    modified: Any  # booleans (C,): classes whose segments count however little they overlap


def match(tables: SegmentTables, rules: MatchRules, /, *, xp: Namespace) -> Matched:
    """Segments that share more than half of their union match: each has one such partner at most."""
    target, prediction, rows, columns, area = tables
    label, crowd = xp.take(target.label, rows), xp.take(target.crowd, rows)
    other = xp.take(prediction.label, columns)
    unlabelled = _sum_of(area, label == VOID, columns, prediction.area, xp=xp)
    in_crowds = _sum_of(area, crowd & (label == other), columns, prediction.area, xp=xp)
    unpredicted = _sum_of(area, other == VOID, rows, target.area, xp=xp)
    union = xp.take(target.area, rows) + xp.take(prediction.area, columns) - area
    if rules.ignore_unlabelled:
        union = union - xp.take(unlabelled, columns)
    if rules.ignore_unpredicted:
        union = union - xp.take(unpredicted, rows)
    alike = (label == other) & (label != VOID) & ~crowd
    loose = _lookup(rules.modified, label, xp=xp)
    hit = alike & (2 * area > union) & ~loose
    scored = xp.nonzero(hit | (alike & loose))[0]
    wide = widest_floating(xp, backends.device(area, xp=xp))
    over, under = (xp.astype(xp.take(x, scored), wide) for x in (area, union))
    hits = xp.nonzero(hit)[0]
    left = [_others(side, xp.take(x, hits), xp=xp) for side, x in ((target, rows), (prediction, columns))]
    missed = left[0] & ~target.crowd & ~_lookup(rules.modified, target.label, xp=xp)
    if rules.ignore_unpredicted:
        missed = missed & (2 * unpredicted <= target.area)
    false = left[1] & (2 * (unlabelled + in_crowds) <= prediction.area)
    false = false & ~_lookup(rules.modified, prediction.label, xp=xp)
    every = xp.nonzero(~target.crowd & _lookup(rules.modified, target.label, xp=xp))[0]
    true = xp.concat([xp.take(label, hits), xp.take(target.label, every)])
    return Matched(
        xp.take(label, scored),
        over / under,
        true,
        xp.take(prediction.label, xp.nonzero(false)[0]),
        xp.take(target.label, xp.nonzero(missed)[0]),
    )


def _sum_of(area: Any, chosen: Any, places: Any, like: Any, /, *, xp: Namespace) -> Any:
    """Of each segment, the area of its chosen pairs."""
    return indexing.sums(xp.where(chosen, area, xp.zeros_like(area)), places, like.shape[0], xp=xp)


def _lookup(flags: Any, label: Any, /, *, xp: Namespace) -> Any:
    """Booleans (C,) -> those of classes (N,), false for what has none."""
    return xp.take(flags, xp.maximum(label, xp.zeros_like(label))) & (label != VOID)


def _others(segments: Any, matched: Any, /, *, xp: Namespace) -> Any:
    """Which segments have a class, but are not matched."""
    return indexing.put(segments.label != VOID, matched, xp.zeros_like(matched) != 0, xp=xp)
