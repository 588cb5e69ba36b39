"""Greedy matching by the distance of centres on the ground, of all samples and classes at once.

By falling score, each detection takes the nearest object of its class and sample that none has taken yet, if that is
closer than the threshold. A detection whose nearest free object is too far takes none, so only pairs closer than the
threshold need to be looked at.
"""

from typing import Any, NamedTuple

from omniou._lib import backends, indexing, overlapping
from omniou.centres._rules import CentreRules
from omniou.centres._tables import NO_ATTRIBUTE, CentreRows


class _ClosePairs(NamedTuple):
    """Pairs closer than the largest threshold: by turn, detection, distance, and object."""

    detections: Any  # (P,) rows
    targets: Any  # (P,) rows
    distances: Any  # (P,)
    turns: list[int]  # where each turn starts, and the end


def match(targets: CentreRows, detections: CentreRows, rules: CentreRules) -> Any:
    """(T, M) row of the object that each detection matches at each distance, -1 for none."""
    xp = backends.numpy_namespace()
    pairs = _pairs(targets, detections, rules)
    shape = (len(rules.distances), detections.labels.shape[0])
    out = xp.full(shape, -1, dtype=xp.int64)
    for row, threshold in zip(out, rules.distances, strict=True):
        taken = xp.zeros(targets.labels.shape[0], dtype=bool)
        close = pairs.distances < threshold
        # The detections of one turn are of different samples or classes, so that they do not compete.
        for start, stop in zip(pairs.turns, pairs.turns[1:], strict=False):
            free = start + xp.nonzero(close[start:stop] & ~taken[pairs.targets[start:stop]])[0]
            nearest = free[indexing.run_starts(pairs.detections[free], xp=xp)]
            row[pairs.detections[nearest]] = pairs.targets[nearest]
            taken[pairs.targets[nearest]] = True
    return out


def ranking(scores: Any, /) -> Any:
    """(M,) rows by falling score; of equal scores the later row first."""
    return backends.numpy_namespace().argsort(scores, stable=True)[::-1]


def _pairs(targets: CentreRows, detections: CentreRows, rules: CentreRules) -> _ClosePairs:
    """The pairs of one sample and class, in the order that the matching needs."""
    xp = backends.numpy_namespace()
    order = ranking(detections.scores)
    count = len(rules.classes)
    group, other = (x.samples * count + x.labels for x in (detections, targets))
    group = group[order]
    groups = 1 + max((int(x.max()) for x in (group, other) if x.shape[0]), default=0)
    found = []
    for block in overlapping.of_one_group(group, other, groups, xp=xp):
        away = _distance(detections.centres[order[block.a]], targets.centres[block.b])
        close = xp.nonzero(away < rules.distances[-1])[0]
        found.append((block.a[close], block.b[close], away[close]))
    if not found:
        none = xp.zeros(0, dtype=xp.int64)
        return _ClosePairs(none, none, xp.zeros(0), [0])
    ranked, target, distance = (xp.concatenate(x) for x in zip(*found, strict=True))
    # The turn of a detection is the number of better ones in its group that have a pair, too.
    first = indexing.run_starts(ranked, xp=xp)
    candidate = ranked[first]
    by_group = xp.argsort(group[candidate], stable=True)
    sizes = indexing.counts(group[candidate], groups, xp=xp)
    turn = xp.empty_like(candidate)
    turn[by_group] = indexing.concatenated_ranges(xp.zeros_like(sizes), sizes, xp=xp)
    turns = xp.repeat(turn, xp.diff(xp.append(first, ranked.shape[0])))
    sort = xp.lexsort((target, distance, ranked, turns))
    edges = xp.searchsorted(turns[sort], xp.arange(int(turn.max(initial=-1)) + 2))
    return _ClosePairs(order[ranked[sort]], target[sort], distance[sort], edges.tolist())


def _distance(a: Any, b: Any) -> Any:
    """Points (P, 2 or more) -> distance on the ground (P,)."""
    x, y = a[:, 0] - b[:, 0], a[:, 1] - b[:, 1]
    return backends.numpy_namespace().sqrt(x * x + y * y)


def errors(targets: CentreRows, detections: CentreRows, matched: Any, rules: CentreRules) -> Any:
    """(E, M) errors of the detections that match an object (M,), in the order of `ERRORS`; NaN where there is none."""
    xp = backends.numpy_namespace()
    rows = xp.nonzero(matched >= 0)[0]
    found, there = detections.take(rows), targets.take(matched[rows])
    periods = xp.asarray([x.period for x in rules.classes])[found.labels]
    wrong = (there.attributes != found.attributes).astype(xp.float64)
    out = xp.full((5, matched.shape[0]), xp.nan)
    out[:, rows] = (
        _distance(found.centres, there.centres),
        1 - _aligned_iou(found.sizes, there.sizes),
        xp.abs(_turn(there.yaws, found.yaws, periods)),
        _distance(found.velocities, there.velocities),
        xp.where(there.attributes == NO_ATTRIBUTE, xp.nan, wrong),
    )
    return out


def _aligned_iou(a: Any, b: Any) -> Any:
    """Sizes (P, 3) -> IoU of boxes of one centre and heading (P,)."""
    xp = backends.numpy_namespace()
    shared = xp.prod(xp.minimum(a, b), axis=1)
    return shared / (xp.prod(a, axis=1) + xp.prod(b, axis=1) - shared)


def _turn(a: Any, b: Any, period: Any) -> Any:
    """Angles (P,) -> the smallest turn from b to a (P,), in [-period / 2, period / 2)."""
    return (a - b + period / 2) % period - period / 2


def in_racks(rows: CentreRows, racks: CentreRows, rules: CentreRules, samples: int) -> Any:
    """(N,) whether the centre of a row, of a class that racks hide, is in a rack of its sample, borders included."""
    xp = backends.numpy_namespace()
    hidden = xp.asarray([x.in_racks for x in rules.classes])[rows.labels]
    out = xp.zeros(rows.labels.shape[0], dtype=bool)
    chosen = xp.nonzero(hidden)[0]
    for block in overlapping.of_one_group(rows.samples[chosen], racks.samples, samples, xp=xp):
        row, rack = chosen[block.a], racks.take(block.b)
        x, y, z = (rows.centres[row] - rack.centres).T
        cos, sin = xp.cos(rack.yaws), xp.sin(rack.yaws)
        local = xp.stack([cos * x + sin * y, cos * y - sin * x, z], axis=1)
        inside = xp.all(2 * xp.abs(local) <= rack.sizes, axis=1)
        out[row[inside]] = True
    return out
