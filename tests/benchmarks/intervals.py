"""Temporal detection and action spotting beside the official rules, written as loops."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from omniou import detection, spotting
from tests.benchmarks.cases import Case


def cases(*, smoke: bool) -> Iterator[Case]:
    videos, classes = (20, 4) if smoke else (1000, 50)
    targets, found = _of_videos(videos, classes)
    options = {"kind": "intervals"}
    yield (
        f"ActivityNet's mAP, {videos:,} videos x 100 predictions, {classes} classes, NumPy",
        {
            "omniou": partial(detection.evaluate, targets, found, **options),
            "loops of the official rule": partial(_by_loops, targets, found),
        },
    )
    truth, spotted = _of_games(4 if smoke else 40)
    tight = {"tight": spotting.TIGHT}
    run: dict[str, Any] = {"omniou": partial(spotting.evaluate, truth, spotted, tolerances=tight)}
    try:
        from SoccerNet.Evaluation import ActionSpotting
    except ImportError:
        pass
    else:
        run["SoccerNet"] = partial(_by_soccernet, ActionSpotting, truth, spotted)
    yield f"Tight average mAP of spotting, {4 if smoke else 40} halves, 17 classes", run


def _of_videos(videos: int, classes: int) -> tuple[detection.Targets[Any], detection.Detections[Any]]:
    rng = np.random.default_rng(0)
    count = 2 * videos
    begin = rng.uniform(0, 100, count)
    truth = np.stack([begin, begin + rng.uniform(2, 60, count)], axis=1)
    labels, of_video = rng.integers(classes, size=count), np.repeat(np.arange(videos), 2)
    near = np.repeat(2 * np.arange(videos), 100) + rng.integers(2, size=100 * videos)
    ends = np.sort(truth[near] + rng.normal(0, 8, (len(near), 2)), axis=1) + [0, 0.1]  # noqa: RUF005  (arrays)
    said = np.where(rng.random(len(near)) < 0.6, labels[near], rng.integers(classes, size=len(near)))
    scores = rng.permutation(len(near)) / len(near)
    return detection.Targets(truth, labels, of_video), detection.Detections(ends, scores, said, of_video[near])


def _by_loops(targets: detection.Targets[Any], found: detection.Detections[Any]) -> float:
    """As the script does it: a loop over predictions, thresholds and objects, of each class."""
    thresholds = np.linspace(0.5, 0.95, 10)
    return float(np.mean([_of_class(targets, found, label, thresholds) for label in np.unique(targets.labels)]))


def _of_class(targets: Any, found: Any, label: int, thresholds: Any) -> Any:
    own, rows = targets.labels == label, np.flatnonzero(found.labels == label)
    boxes, videos = targets.boxes[own], targets.images[own]
    of_video = {video: np.flatnonzero(videos == video) for video in np.unique(videos)}
    rows = rows[np.argsort(-found.scores[rows])]
    taken, hits = np.zeros((len(thresholds), len(boxes)), dtype=bool), np.zeros((len(thresholds), len(rows)))
    for k, row in enumerate(rows):
        objects = of_video.get(found.images[row])
        if objects is None:
            continue
        (begin, end), truth = found.boxes[row], boxes[objects]
        shared = (np.minimum(end, truth[:, 1]) - np.maximum(begin, truth[:, 0])).clip(0)
        overlaps = shared / (truth[:, 1] - truth[:, 0] + end - begin - shared)
        for t, threshold in enumerate(thresholds):
            for place in overlaps.argsort()[::-1]:
                if overlaps[place] < threshold:
                    break
                if not taken[t, objects[place]]:
                    taken[t, objects[place]] = hits[t, k] = True
                    break
    return np.mean([_area(np.cumsum(x), len(boxes)) for x in hits])


def _area(hits: Any, objects: int) -> float:
    precision = np.concatenate([[0.0], hits / np.arange(1, len(hits) + 1), [0.0]])
    recall = np.concatenate([[0.0], hits / objects, [1.0]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.flatnonzero(recall[1:] != recall[:-1]) + 1
    return float(np.sum((recall[steps] - recall[steps - 1]) * precision[steps]))


def _of_games(halves: int) -> tuple[spotting.Events, spotting.Events]:
    rng = np.random.default_rng(0)
    count, many = 100 * halves, 2000 * halves
    truth = spotting.Events(rng.uniform(0, 2700, count), rng.integers(17, size=count), rng.integers(halves, size=count))
    columns = rng.uniform(0, 2700, many), rng.integers(17, size=many), rng.integers(halves, size=many)
    return truth, spotting.Events(*columns, scores=rng.random(many))


def _by_soccernet(script: Any, truth: spotting.Events, found: spotting.Events) -> float:
    script.tqdm = lambda x: x
    halves, frames = int(truth.videos.max()) + 1, 5500
    targets, scores = np.zeros((halves, frames, 17)), np.full((halves, frames, 17), -1.0)
    targets[truth.videos, (2 * truth.times).astype(int), truth.labels] = 1
    scores[found.videos, (2 * found.times).astype(int), found.labels] = found.scores
    closest = np.ones_like(targets)
    return float(script.average_mAP(list(targets), list(scores), list(closest), 2)[0])
