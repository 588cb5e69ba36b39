"""Readings of 3-D boxes that are compared by their centres: axes and units of places, orders of sizes, yaws.

The distance of centres is blind to sizes and yaws, so these are tried on the true positives, by the IoU of boxes that
are moved to one centre.
"""

import functools
from typing import Any

from omniou import boxes3d
from omniou._doctor import boxes3d as readings
from omniou._doctor.columns import Column, np
from omniou._doctor.engine import MATCH, Trial
from omniou._lib import overlapping
from omniou._lib.findings import Finding
from omniou.centres._rules import CentreRules
from omniou.centres._tables import CentreRows

# Rows of the sampled detections and of the objects, (P,) each.
_Pairs = tuple[Column, Column]

# Samples, detections of each and true positives that are looked at.
_SAMPLES, _EACH, _PAIRS = 100, 10, 300
# Metres between centres of a match.
_NEAR = 2.0
# Objects so many times as long as wide show sizes and yaws.
_LONG = 1.5
# The share of all that must match in another reading.
_LEAST = 0.1
# Shares of detections that are out of range as read, and within so many metres of the origin, in the vehicle's frame.
_OUTSIDE, _INSIDE, _REACH = 0.9, 0.95, 100.0


def places(targets: CentreRows, detections: CentreRows, format: str) -> list[Finding]:
    """Other axes or units of the places of detections, where few are near an object of their class and sample."""
    rows, own, other = _sampled(targets, detections)
    if not len(rows):
        return []
    matches, by_chance = (functools.partial(_closeness, targets, pairs, format) for pairs in (own, other))
    trial = Trial(
        given=detections.stated[rows],
        total=len(rows),
        matches=matches,
        by_chance=lambda x: int((by_chance(x) >= MATCH).sum()),
        measure=f"centre within {_NEAR:g} m of an object of the class and sample",
        least=_LEAST,
    )
    return trial.findings(*readings.of_places(format))


def shapes(targets: CentreRows, detections: CentreRows, matched: Any, format: str) -> list[Finding]:
    """Other orders of sizes, quaternions or yaws of the detections that match an object, (M,) its row or -1."""
    found = readings.misordered(format, targets.stated, "ground truth")
    if found:  # all of its boxes have one yaw, as read
        return found
    rows = np.flatnonzero(matched >= 0)
    length, width = targets.sizes[matched[rows]][:, :2].T
    rows = rows[np.maximum(length, width) > _LONG * np.minimum(length, width)]
    rows = rows[:: -(-len(rows) // _PAIRS) or 1]
    if not len(rows):
        return []
    given, objects = detections.stated[rows], targets.stated[matched[rows]]
    trial = Trial(
        given=given,
        total=len(rows),
        matches=functools.partial(_aligned, objects, format),
        by_chance=lambda x: int((_aligned(np.roll(objects, len(objects) // 2, axis=0), format, x) >= MATCH).sum()),
        measure="IoU >= 0.5 with its object, if moved to its centre",
        of="true positives of long objects",
        by_gain=True,
        improper=functools.partial(readings.improper, format),
    )
    return trial.findings(*readings.of_shapes(format, given))


def frame(targets: CentreRows, detections: CentreRows, rules: CentreRules) -> list[Finding]:
    """Places in the frame of the ego vehicle next to objects in the global one: nearly all are out of range."""
    limits = np.asarray([np.inf if x.range is None else x.range for x in rules.classes])
    outside = detections.reach >= limits[detections.labels]
    near = np.hypot(*detections.centres[:, :2].T) < _REACH
    at = np.hypot(*targets.centres[:, :2].T)
    if not len(near) or outside.mean() < _OUTSIDE or near.mean() < _INSIDE or (at < _REACH).mean() > 1 - _INSIDE:
        return []
    text = "places of the detections seem to be in the frame of the ego vehicle, not in the global one"
    evidence = (
        f"{outside.mean():.1%} of them are out of range, and {near.mean():.1%} within {_REACH:g} m of the origin, "
        f"where {(at < _REACH).mean():.1%} of the objects are"
    )
    hint = "turn and move them by the pose of the vehicle, as nuScenes' results have them"
    return [Finding(code="boxes-frame", text=text, evidence=evidence, hint=hint)]


def _sampled(targets: CentreRows, detections: CentreRows) -> tuple[Column, _Pairs, _Pairs]:
    """The best detections of some samples, pairs of each and an object of its class, and pairs in another sample."""
    there = np.intersect1d(targets.samples, detections.samples)
    there = there[:: -(-len(there) // _SAMPLES) or 1]
    rows = np.flatnonzero(np.isin(detections.samples, there))
    rows = rows[np.lexsort((-detections.scores[rows], detections.samples[rows]))]
    first = np.searchsorted(detections.samples[rows], detections.samples[rows])
    rows = rows[np.arange(len(rows)) - first < _EACH]
    place = np.searchsorted(there, detections.samples[rows])
    other = there[(place + len(there) // 2) % max(1, len(there))]
    classes = 1 + int(max(targets.labels.max(initial=0), detections.labels.max(initial=0)))
    groups = targets.samples * classes + targets.labels
    pairs = []
    for samples in (detections.samples[rows], other):
        own = samples * classes + detections.labels[rows]
        count = 1 + int(max(groups.max(initial=0), own.max(initial=0)))
        blocks = list(overlapping.of_one_group(own, groups, count, xp=np))
        none = np.zeros(0, dtype=np.int64)
        pairs.append((np.concatenate([none, *(x.a for x in blocks)]), np.concatenate([none, *(x.b for x in blocks)])))
    return rows, pairs[0], pairs[1]


def _closeness(targets: CentreRows, pairs: _Pairs, format: str, stated: Column) -> Column:
    """Stated boxes (D, K) -> how near the nearest object of the pairs is, (D,): 0.5 for the distance of a match."""
    rows, objects = pairs
    moved = boxes3d.convert(stated, format, "xyzlwhr")[rows, :2] - targets.centres[objects, :2]
    out = np.zeros(len(stated))
    np.maximum.at(out, rows, np.maximum(0.0, 1 - np.hypot(*moved.T) * (1 - MATCH) / _NEAR))
    return out


def _aligned(objects: Column, format: str, stated: Column) -> Column:
    """IoU of boxes (P, K) and objects (P, K) with one centre."""
    a, b = (boxes3d.convert(x, format, "xyzlwhr") for x in (stated, objects))
    a[:, :3] = b[:, :3]
    return boxes3d.iou(a, b)
