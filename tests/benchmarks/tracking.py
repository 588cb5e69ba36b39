"""HOTA, CLEAR and identity of a set like MOT17-train, beside TrackEval and motrics.

motrics has other rules, so that its numbers differ: it is here for its speed.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import motrics
import numpy as np
from trackeval.datasets._base_dataset import _BaseDataset  # its IoU is the one of all data sets
from trackeval.metrics import CLEAR, HOTA, Count, Identity

from omniou import tracking
from tests.benchmarks.cases import Case

# Frames and objects a frame of sequences like those of MOT17-train: 5,316 frames and 110,000 boxes in all.
SEQUENCES = ((600, 31), (1050, 45), (837, 8), (525, 10), (654, 20), (900, 10), (750, 15))


class Sequence(NamedTuple):
    """Frames (N,), ids (N,) and boxes (N, 4) as x, y, width, height, by frame."""

    frames: Any
    ids: Any
    boxes: Any


def cases(*, smoke: bool) -> Iterator[Case]:
    sizes = [(20, 5), (10, 8)] if smoke else SEQUENCES
    rng = np.random.default_rng(0)
    truth = [of_truth(rng, *size) for size in sizes]
    found = [of_tracker(rng, x) for x in truth]
    count = sum(x.ids.size for x in truth)
    yield (
        f"HOTA, MOTA and IDF1, {len(sizes)} sequences, {sum(x for x, _ in sizes):,} frames, {count:,} objects",
        {
            "omniou": partial(by_omniou, table(truth), table(found)),
            "TrackEval": partial(by_trackeval, truth, found),
            "motrics": partial(by_motrics, *(list(map(by_frame, x)) for x in (truth, found))),
        },
    )


def of_truth(rng: np.random.Generator, frames: int, most: int) -> Sequence:
    """People who walk through a picture of 1920 x 1080, close to each other."""
    rows = []
    many = max(most, most * frames // 200)
    # As many as wanted are there at once, on average.
    length = most * frames / many
    for id in range(many):
        start = rng.uniform(-length / 2, frames - length / 2)
        first, last = max(0, int(start)), min(frames, int(start + length))
        t = np.arange(first, last)
        at, speed = rng.uniform((0, 300), (1900, 700)), rng.normal(0, 2, 2)
        height = rng.uniform(80, 350)
        walk = np.cumsum(rng.normal(0, 1, (t.size, 2)), axis=0)
        corner = at + speed * (t - first)[:, None] + walk
        side = np.broadcast_to([0.4 * height, height], corner.shape)
        rows.append((t, np.full(t.size, id), np.concatenate([corner, side], axis=1)))
    return in_order(rng, rows)


def of_tracker(rng: np.random.Generator, truth: Sequence) -> Sequence:
    """Boxes with noise; an eighth are missing, ids change now and then, and there are false ones."""
    frames, ids, boxes = truth
    seen = rng.random(ids.size) > 0.125
    # A new id, about every 200 frames of an object.
    changed = np.cumsum(rng.random(ids.size) < 0.005)
    last: dict[int, int] = {}
    for k, id in enumerate(ids.tolist()):
        if id not in last or changed[k] != changed[max(0, k - 1)]:
            last[id] = len(last) + k
        ids = ids if k else ids.copy()
        ids[k] = last[id]
    noise = rng.normal(0, 0.06, (ids.size, 4)) * boxes[:, [2, 3, 2, 3]]
    rows = [(frames[seen], ids[seen], np.maximum(boxes + noise, [-np.inf, -np.inf, 5, 5])[seen])]
    false = rng.random(ids.size) < 0.08
    moved = boxes[false] + rng.normal(0, 150, (int(false.sum()), 4)) * [1, 1, 0, 0]
    rows.append((frames[false], 10**6 + np.arange(moved.shape[0]) // 20, moved))
    out = in_order(rng, rows)
    # An id is in a frame once.
    _, first = np.unique(out.frames * 10**8 + out.ids, return_index=True)
    first = np.sort(first)
    return Sequence(*(x[first] for x in out))


def in_order(rng: np.random.Generator, rows: list[Any]) -> Sequence:
    frames, ids, boxes = (np.concatenate(x) for x in zip(*rows, strict=True))
    order = np.lexsort((rng.random(ids.size), frames))
    return Sequence(frames[order], ids[order], boxes[order])


def table(sequences: list[Sequence]) -> tracking.Tracks[Any]:
    frames, ids, boxes = (np.concatenate(x) for x in zip(*sequences, strict=True))
    numbers = np.repeat(np.arange(len(sequences)), [x.ids.size for x in sequences])
    return tracking.Tracks(boxes=boxes, frames=frames, ids=ids, sequences=numbers)


def by_omniou(truth: tracking.Tracks[Any], found: tracking.Tracks[Any]) -> Any:
    return tracking.evaluate(truth, found, format="xywh").summary


def by_trackeval(truth: list[Sequence], found: list[Sequence]) -> Any:
    """What TrackEval does after it has read the files: IoU of each frame, and its metrics."""
    metrics = [HOTA(), CLEAR({"PRINT_CONFIG": False}), Identity({"PRINT_CONFIG": False}), Count()]
    parts: list[dict[int, Any]] = [{} for _ in metrics]
    for number, pair in enumerate(zip(truth, found, strict=True)):
        sides = [numbered(x, pair) for x in pair]
        similarity = [_BaseDataset._calculate_box_ious(a, b) for a, b in zip(sides[0][2], sides[1][2], strict=True)]
        data = {
            "num_gt_ids": sides[0][0],
            "num_tracker_ids": sides[1][0],
            "gt_ids": sides[0][1],
            "tracker_ids": sides[1][1],
            "num_gt_dets": pair[0].ids.size,
            "num_tracker_dets": pair[1].ids.size,
            "num_timesteps": len(similarity),
            "similarity_scores": similarity,
        }
        for metric, part in zip(metrics, parts, strict=True):
            part[number] = metric.eval_sequence(data)
    return [metric.combine_sequences(part) for metric, part in zip(metrics, parts, strict=True)]


def numbered(x: Sequence, pair: tuple[Sequence, ...]) -> tuple[int, list[Any], list[Any]]:
    """Number of ids, ids from 0 on and boxes of each frame."""
    names, codes = np.unique(x.ids, return_inverse=True)
    edges = np.searchsorted(x.frames, np.arange(max(int(y.frames[-1]) for y in pair) + 2))
    spans = [slice(i, j) for i, j in itertools.pairwise(edges)]
    return names.size, [codes[span] for span in spans], [x.boxes[span] for span in spans]


def by_frame(x: Sequence) -> tuple[list[Any], list[Any]]:
    """Lists of ids and boxes of each frame, in the form that motrics reads fastest."""
    edges = np.searchsorted(x.frames, np.arange(int(x.frames[-1]) + 2))
    corners = np.concatenate([x.boxes[:, :2], x.boxes[:, :2] + x.boxes[:, 2:]], axis=1)
    spans = [slice(i, j) for i, j in itertools.pairwise(edges)]
    return [x.ids[span].tolist() for span in spans], [corners[span] for span in spans]


def by_motrics(truth: list[Any], found: list[Any]) -> Any:
    out = []
    for (ids, boxes), (track_ids, track_boxes) in zip(truth, found, strict=True):
        count = min(len(ids), len(track_ids))
        frames = motrics.Frames(ids[:count], boxes[:count]), motrics.Frames(track_ids[:count], track_boxes[:count])
        out.append(motrics.evaluate(*frames))
    return out
