"""Tracking against TrackEval: counts to the unit and rates to 1e-12, also where similarities tie and at thresholds."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from trackeval.datasets._base_dataset import _BaseDataset  # its IoU is the one of all data sets
from trackeval.metrics import CLEAR, HOTA, Count, Identity

from omniou import tracking

# What a set of random similarities is drawn from: values that tie, and those at and next to thresholds.
TIES = np.array([0.0, 0.25, 0.5, 0.5, 1.0])
AT_THRESHOLDS = np.concatenate(
    [
        np.arange(0.05, 0.99, 0.05),
        np.nextafter(np.arange(0.05, 0.99, 0.05), 0),
        np.round(np.arange(0.05, 0.99, 0.05), 2),
        [0.0] * 20,
    ]
)
# Sums of these depend on the order in which they are added, and decide between assignments that tie without rounding.
DECIMALS = np.array([0.0, 0.1, 0.2, 0.3, 0.6, 0.7])
FIELDS = {
    *("HOTA", "DetA", "AssA", "DetRe", "DetPr", "AssRe", "AssPr", "LocA", "OWTA", "HOTA(0)", "LocA(0)", "HOTALocA(0)"),
    *("MOTA", "MOTP", "MODA", "CLR_Re", "CLR_Pr", "MTR", "PTR", "MLR", "sMOTA", "CLR_F1", "FP_per_frame", "MOTAL"),
    *("CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "MT", "PT", "ML", "Frag"),
    *("IDF1", "IDR", "IDP", "IDTP", "IDFN", "IDFP", "Dets", "GT_Dets", "IDs", "GT_IDs"),
}


class Video(NamedTuple):
    """Ids and similarities of each frame."""

    truth: list
    tracks: list
    similarity: list


def random_video(rng, frames, most, values, *, empty=0.15):
    ids = [np.arange(1, 1 + max(1, int(most * 1.3))) for _ in range(2)]
    rows = [
        [
            np.array([], dtype=int) if rng.random() < empty else rng.permutation(x)[: rng.integers(0, most + 1)]
            for x in ids
        ]
        for _ in range(frames)
    ]
    similarity = []
    for truth, tracks in rows:
        shape = len(truth), len(tracks)
        sparse = rng.random(shape) * (rng.random(shape) < 0.4)
        similarity.append(sparse if values is None else rng.choice(values, shape))
    return Video([x[0] for x in rows], [x[1] for x in rows], similarity)


def trackeval(video, threshold=0.5):
    """The results of its four metrics for one sequence."""
    numbered = []
    for side in (video.truth, video.tracks):
        names, codes = np.unique(np.concatenate([*side, np.zeros(0, dtype=int)]), return_inverse=True)
        edges = np.cumsum([0, *map(len, side)])
        numbered.append((len(names), [codes[i:j].astype(int) for i, j in itertools.pairwise(edges)]))
    data = {
        "num_gt_ids": numbered[0][0],
        "num_tracker_ids": numbered[1][0],
        "gt_ids": numbered[0][1],
        "tracker_ids": numbered[1][1],
        "num_gt_dets": sum(map(len, video.truth)),
        "num_tracker_dets": sum(map(len, video.tracks)),
        "num_timesteps": len(video.truth),
        "similarity_scores": video.similarity,
    }
    return {name: metric.eval_sequence(data) for name, metric in metrics(threshold).items()}


def metrics(threshold=0.5):
    config = {"THRESHOLD": threshold, "PRINT_CONFIG": False}
    return {"HOTA": HOTA(), "CLEAR": CLEAR(config), "Identity": Identity(config), "Count": Count()}


def combined(parts, how="combine_sequences", **options):
    """Results by name -> the result of all."""
    return {
        name: getattr(metric, how)({key: x[name] for key, x in parts.items()}, **options)
        for name, metric in metrics().items()
    }


def evaluated(videos, **options):
    sides = [{name: [{"ids": ids} for ids in x[k]] for name, x in videos.items()} for k in range(2)]
    return tracking.evaluate(*sides, similarity={name: x.similarity for name, x in videos.items()}, **options)


def check(ours, theirs, curves=None):
    """Counts to the unit, and rates to 1e-12."""
    flat = {name: x for part in theirs.values() for name, x in part.items()}
    assert set(ours) == FIELDS
    for name, value in ours.items():
        expected = np.mean(flat[name])
        if isinstance(value, int):
            assert value == expected, name
        else:
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12), name
    if curves is not None:
        for name in curves.keys() - {"alpha"}:
            rel = 0 if name.startswith("HOTA_") else 1e-12
            np.testing.assert_allclose(curves[name], flat[name], rtol=rel, atol=rel, err_msg=name)


@pytest.mark.parametrize(
    "values", [None, TIES, DECIMALS, AT_THRESHOLDS], ids=["random", "ties", "decimals", "thresholds"]
)
@pytest.mark.parametrize(("seeds", "frames", "most"), [(60, 8, 4), (60, 3, 12), (40, 12, 9), (4, 6, 30)])
def test_sequences_equal_trackeval(values, seeds, frames, most):
    for seed in range(seeds):
        rng = np.random.default_rng([seed, frames])
        videos = {f"{k}": random_video(rng, int(rng.integers(1, frames)), most, values) for k in range(3)}
        theirs = {name: trackeval(x) for name, x in videos.items()}

        result = evaluated(videos)

        for name in videos:
            check(result.per_sequence[name], theirs[name], result.hota_of(sequence=name))
        check(result.summary, combined(theirs), result.hota)


def test_sequence_with_an_empty_side_equals_trackeval():
    none = np.zeros(0, dtype=int)
    full = Video([np.array([1]), np.array([1])], [np.array([7]), none], [np.ones((1, 1)), np.zeros((1, 0))])
    videos = {
        "full": full,
        "no truth": Video([none, none], full.tracks, [np.zeros((0, 1)), np.zeros((0, 0))]),
        "no tracks": Video(full.truth, [none, none], [np.zeros((1, 0)), np.zeros((1, 0))]),
        "nothing": Video([none], [none], [np.zeros((0, 0))]),
    }
    theirs = {name: trackeval(x) for name, x in videos.items()}

    result = evaluated(videos)

    for name in videos:
        check(result.per_sequence[name], theirs[name], result.hota_of(sequence=name))
    check(result.summary, combined(theirs), result.hota)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.75, 1.0])
def test_other_thresholds_equal_trackeval(threshold):
    for seed in range(20):
        video = random_video(np.random.default_rng(seed), 10, 6, AT_THRESHOLDS)

        check(evaluated({"a": video}, threshold=threshold).summary, combined({"a": trackeval(video, threshold)}))


def random_boxes(rng, count, *, grid):
    """Boxes as x, y, width, height: of few values, so that IoUs tie, or of any."""
    if grid:
        return np.concatenate([rng.integers(0, 4, (count, 2)), rng.integers(1, 4, (count, 2))], axis=1) * 0.1
    return np.concatenate([rng.random((count, 2)) * 100, rng.random((count, 2)) * 60 + 1], axis=1)


@pytest.mark.parametrize("grid", [True, False])
def test_classes_of_boxes_equal_trackeval(grid):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        tables, frames = [], 10
        for _ in range(2):
            sizes = rng.integers(0, 14, frames)
            ids = np.concatenate([rng.permutation(18)[:n] for n in sizes])
            tables.append(
                tracking.Tracks(
                    boxes=random_boxes(rng, sizes.sum(), grid=grid),
                    frames=np.repeat(np.arange(frames), sizes),
                    ids=ids,
                    labels=ids % 3,
                )
            )
        theirs = {}
        for label in range(4):
            sides = [[np.nonzero((x.frames == t) & (x.labels == label))[0] for t in range(frames)] for x in tables]
            similarity = [
                _BaseDataset._calculate_box_ious(tables[0].boxes[i], tables[1].boxes[j])
                for i, j in zip(*sides, strict=True)
            ]
            ids = [[x.ids[rows] for rows in side] for x, side in zip(tables, sides, strict=True)]
            theirs[label] = combined({"a": trackeval(Video(*ids, similarity))})

        counted = {"ignore_empty_classes": False}
        result = tracking.evaluate(*tables, format="xywh", classes=range(4), sequences={"sequence": frames}, **counted)

        for label in range(4):
            check(result.per_class[label], theirs[label], result.hota_of(label=label))
        check(result.detection_averaged, combined(theirs, "combine_classes_det_averaged"))
        check(result.class_averaged, combined(theirs, "combine_classes_class_averaged"), result.hota)
        present = tracking.compute([result.state])
        if all(x["Count"]["Dets"] + x["Count"]["GT_Dets"] for k, x in theirs.items() if k < 3):
            means = combined(theirs, "combine_classes_class_averaged", ignore_empty_classes=True)
            check(present.summary, means, present.hota)


@pytest.mark.parametrize("format", ["xywh", "xyxy"])
def test_iou_equals_trackeval_to_the_last_bit(format):
    rng = np.random.default_rng(0)
    truth, found = (random_boxes(rng, 200, grid=k) for k in (True, False))
    found = np.concatenate([found, truth + rng.choice([0, 0.1], truth.shape)])
    theirs = _BaseDataset._calculate_box_ious(truth, found, box_format="xywh")
    if format == "xyxy":
        truth, found = (np.concatenate([x[:, :2], x[:, :2] + x[:, 2:]], axis=1) for x in (truth, found))

    # Each pair is a frame of its own, whose only match has the IoU.
    i, j = np.nonzero(theirs >= 0.5)
    frames = np.arange(i.size)
    result = tracking.evaluate(
        tracking.Tracks(boxes=truth[i], frames=frames, ids=frames),
        tracking.Tracks(boxes=found[j], frames=frames, ids=frames),
        format=format,
    )

    assert i.size > 500
    assert result.matches["similarity"].tolist() == theirs[i, j].tolist()
