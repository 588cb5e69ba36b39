"""Panoptic quality as its authors' tools compute it: one segment at a time, in dictionaries."""

import math
from collections import Counter, defaultdict

VOID = 0


def quality(images, *, all_crowds=True):
    """Rules of panopticapi's `pq_compute_single_core`, for images of flat id maps and their segments.

    Gives [sum of IoU, true positives, false positives, false negatives] of each category. `all_crowds`: of several
    crowds of one category in an image all count, not the last one alone.
    """
    stats = defaultdict(lambda: [0.0, 0, 0, 0])
    for target, prediction, target_segments, prediction_segments in images:
        add(stats, target, prediction, target_segments, prediction_segments, all_crowds=all_crowds)
    return dict(stats)


def add(stats, target, prediction, target_segments, prediction_segments, *, all_crowds):
    truth = {x["id"]: x for x in target_segments}
    found = {x["id"]: x for x in prediction_segments}
    areas, ours = Counter(target), Counter(prediction)
    shared = Counter(zip(target, prediction, strict=True))
    matched = set(), set()
    for (a, b), inter in shared.items():
        if (
            a not in truth
            or b not in found
            or truth[a].get("iscrowd")
            or truth[a]["category_id"] != found[b]["category_id"]
        ):
            continue
        iou = inter / (ours[b] + areas[a] - inter - shared[VOID, b])
        if iou > 0.5:
            stats[truth[a]["category_id"]][0] += iou
            stats[truth[a]["category_id"]][1] += 1
            matched[0].add(a)
            matched[1].add(b)
    crowds = defaultdict(list)
    for a, record in truth.items():
        if a in matched[0]:
            continue
        if record.get("iscrowd"):
            crowds[record["category_id"]].append(a)
        else:
            stats[record["category_id"]][3] += 1
    for b, record in found.items():
        if b in matched[1]:
            continue
        regions = crowds[record["category_id"]]
        ignored = shared[VOID, b] + sum(shared[a, b] for a in (regions if all_crowds else regions[-1:]))
        if ignored / ours[b] <= 0.5:
            stats[record["category_id"]][2] += 1


def mean(stats):
    """PQ, SQ and RQ over the categories that are there."""
    rows = [x for x in stats.values() if any(x[1:])]
    scores = [
        (iou / (tp + fp / 2 + fn / 2), iou / tp if tp else 0.0, tp / (tp + fp / 2 + fn / 2)) for iou, tp, fp, fn in rows
    ]
    return tuple(sum(column) / len(rows) for column in zip(*scores, strict=True)) if rows else (math.nan,) * 3


def tracking(target, prediction, things, crowd):
    """AQ of one video by the rules of deeplab2's `STQuality`, from flat lists of pairs of all frames together."""
    truth, found, shared = Counter(), Counter(), Counter()
    for a, b, in_crowd in zip(target, prediction, crowd, strict=True):
        is_crowd = in_crowd and a[0] in things
        counts = a[0] in things and not is_crowd
        if counts:
            truth[a] += 1
        if b[0] in things and not is_crowd:
            found[b] += 1
            if counts:
                shared[a, b] += 1
    total = 0.0
    for a, size in truth.items():
        inner = 0.0
        for b, other in found.items():
            inter = shared[a, b]
            if inter:
                inner += inter * inter / (size + other - inter)
        total += inner / size
    return total, len(truth)
