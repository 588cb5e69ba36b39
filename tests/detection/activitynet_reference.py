"""ActivityNet's rules for detection and for proposals, written anew as loops: slow, and for distinct scores."""

import numpy as np


def tiou(segment, segments):
    """Of one segment with each of several (N, 2)."""
    shared = np.clip(np.minimum(segment[1], segments[:, 1]) - np.maximum(segment[0], segments[:, 0]), 0, None)
    return shared / ((segments[:, 1] - segments[:, 0]) + (segment[1] - segment[0]) - shared)


def average_precision(truth, found, thresholds):
    """Rows (video, begin, end) of objects, and (video, begin, end, score) of predictions, of one class -> (T,)."""
    found = sorted(found, key=lambda row: -row[3])
    out = []
    for threshold in thresholds:
        used, hits = set(), []
        for video, begin, end, _ in found:
            rows = [k for k, row in enumerate(truth) if row[0] == video]
            overlaps = tiou((begin, end), np.asarray([truth[k][1:] for k in rows], dtype=float).reshape(-1, 2))
            hit = False
            for place in np.argsort(-overlaps):
                if overlaps[place] < threshold:
                    break
                if rows[place] not in used:
                    used.add(rows[place])
                    hit = True
                    break
            hits.append(hit)
        out.append(area(np.cumsum(hits), len(truth)))
    return np.asarray(out)


def area(hits, objects):
    """Hits up to each prediction -> area under the curve of highest precisions."""
    precision = np.concatenate([[0.0], hits / np.arange(1, len(hits) + 1), [0.0]])
    recall = np.concatenate([[0.0], hits / objects, [1.0]])
    for k in range(len(precision) - 2, -1, -1):
        precision[k] = max(precision[k], precision[k + 1])
    steps = np.flatnonzero(recall[1:] != recall[:-1]) + 1
    return np.sum((recall[steps] - recall[steps - 1]) * precision[steps])


def mean_average_precision(targets, detections, thresholds):
    """Of columns: AP by class that has objects, (T, K)."""
    columns = []
    for label in sorted(set(targets.labels)):
        truth = [(v, *s) for v, s, x in zip(targets.images, targets.boxes, targets.labels, strict=True) if x == label]
        rows = zip(detections.images, detections.boxes, detections.scores, detections.labels, strict=True)
        columns.append(average_precision(truth, [(v, *s, c) for v, s, c, x in rows if x == label], thresholds))
    return np.stack(columns, axis=1)


def average_recall(targets, detections, most, thresholds):
    """Recall (T, 100), the mean number of proposals of each step, and the area below the mean recall."""
    videos = np.unique(targets.images)
    share = most * len(videos) / len(detections.scores)
    tables, total = [], 0
    for video in videos:
        own = detections.images == video
        order = np.argsort(-detections.scores[own])
        proposals = detections.boxes[own][order]
        proposals = proposals[: min(int(len(proposals) * share), len(proposals))]
        total += len(proposals)
        objects = targets.boxes[targets.images == video]
        tables.append(np.stack([tiou(x, proposals) for x in objects]))
    steps = np.arange(1, 101) / 100 * (most * len(videos) / total)
    recall = np.zeros((len(thresholds), 100))
    for row, threshold in enumerate(thresholds):
        for column, step in enumerate(steps):
            covered = [(x[:, : min(int(x.shape[1] * step), x.shape[1])] >= threshold).any(axis=1).sum() for x in tables]
            recall[row, column] = sum(covered) / len(targets.images)
    numbers, mean = steps * (total / len(videos)), recall.mean(axis=0)
    return recall, numbers, np.sum((mean[1:] + mean[:-1]) / 2 * np.diff(numbers)) / numbers[-1]
