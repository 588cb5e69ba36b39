"""Files and rules of data sets against TrackEval's own readers and rules, on the same random files."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import trackeval
from pycocotools import mask as coco_mask
from trackeval import datasets

from omniou import data, tracking
from omniou.data import tracks as files
from omniou.tracking import benchmarks

FRAMES = 12


class Sequence(NamedTuple):
    """Rows (frame, id, x, y, width, height, class) of each side, frames from 0."""

    truth: list
    tracks: list


def random_sequence(rng, classes, *, objects=9, frames=FRAMES, step=0.5):
    """Objects that move, and tracks that follow most of them, with switches, gaps and false positives."""
    truth, tracks = [], []
    state = {k: rng.uniform([0, 0, 8, 20], [90, 60, 30, 60]) for k in range(1, objects + 1)}
    labels = {k: rng.choice(classes) for k in state}
    shown = {k: 100 + k for k in state}
    for frame in range(frames):
        for k, box in state.items():
            box[:2] += rng.normal(0, 2, 2)
            if rng.random() < 0.15:
                continue
            truth.append([frame, k, *round_to(box, step), labels[k]])
            if rng.random() < 0.08:
                shown[k] = int(rng.integers(200, 900))
            if rng.random() < 0.8:
                jitter = rng.normal(0, 1, 4) * rng.choice([0, 1, 4])
                found = np.maximum(round_to(box + jitter, step), [-50, -50, step, step])
                tracks.append([frame, shown[k] + 1000 * frame * (rng.random() < 0.02), *found, labels[k]])
        for k in range(rng.integers(0, 3)):
            box = round_to(rng.uniform([0, 0, 5, 5], [90, 60, 30, 60]), step)
            tracks.append([frame, 5000 + 10 * frame + k, *box, rng.choice(classes)])
    for rows in (truth, tracks):
        order = rng.permutation(len(rows))
        rows[:] = distinct([rows[k] for k in order])
    return Sequence(truth, tracks)


def round_to(box, step):
    return np.round(np.asarray(box) / step) * step


def distinct(rows):
    """Rows without those whose id is in the frame already."""
    return list({(int(row[0]), int(row[1])): row for row in rows}.values())


def write(path: Path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{x}\n" for x in lines))


def numbers_of(dataset) -> dict:
    """TrackEval's results by sequence, class and metric."""
    config = {"PRINT_RESULTS": False, "PRINT_CONFIG": False, "TIME_PROGRESS": False, "OUTPUT_SUMMARY": False}
    config |= {"OUTPUT_DETAILED": False, "PLOT_CURVES": False, "BREAK_ON_ERROR": True, "DISPLAY_LESS_PROGRESS": True}
    config |= {"OUTPUT_EMPTY_CLASSES": False, "PRINT_ONLY_COMBINED": True, "LOG_ON_ERROR": None}
    quiet = {"PRINT_CONFIG": False}
    metrics = [trackeval.metrics.HOTA(), trackeval.metrics.CLEAR(quiet), trackeval.metrics.Identity(quiet)]
    with contextlib.redirect_stdout(io.StringIO()):
        results, _ = trackeval.Evaluator(config).evaluate([dataset], metrics)
    (of_trackers,) = results.values()
    (result,) = of_trackers.values()
    return result


def made(make: Callable, **config):
    with contextlib.redirect_stdout(io.StringIO()):
        return make({"PRINT_CONFIG": False, "TRACKERS_TO_EVAL": ["t"], **config})


def check(ours, theirs):
    """Counts to the unit, rates to 1e-12."""
    flat = {name: x for part in theirs.values() for name, x in part.items()}
    compared = set(ours) & set(flat)
    assert {"HOTA", "AssA", "MOTA", "IDSW", "Frag", "IDF1", "Dets", "GT_IDs", "FP_per_frame"} <= compared
    for name in compared:
        expected = np.mean(flat[name])
        if isinstance(ours[name], int):
            assert ours[name] == expected, name
        else:
            assert ours[name] == pytest.approx(expected, rel=1e-12, abs=1e-12), name


def evaluated(truth: Path, tracks: Path, **options):
    read = data.read_ground_truth_tracks(truth, **options)
    found = data.read_tracks(tracks, read)
    prepared = files.prepared(read, found)
    result = tracking.evaluate(
        prepared.ground_truth,
        prepared.tracks,
        kind=read.kind,
        classes=prepared.classes,
        sequences=found.lengths,
        ignore_empty_classes=False,  # as in TrackEval's class average
    )
    return read, prepared, result


def check_all(result, theirs, classes):
    for name in result.state.sequences:
        for label in classes:
            check(result.per_class_and_sequence[label][name], theirs[name][label])
    for label in classes:
        check(result.per_class[label], theirs["COMBINED_SEQ"][label])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("benchmark", "protocol"),
    [("MOT15", "mot15"), ("MOT16", "mot16"), ("MOT17", "mot17"), ("MOT20", "mot20"), ("MOT17", "dancetrack")],
)
def test_mot_challenge_equals_trackeval(tmp_path, benchmark, protocol, seed):
    rng = np.random.default_rng([seed, 1])
    classes = np.array([1, 1, 1, 2, 3, 6, 7, 8, 12, 13])
    names = {"mot15": ["TUD-Campus", "Venice-2"], "dancetrack": ["dancetrack0001", "dancetrack0002"]}
    for name in (sequences := names.get(protocol, [f"{benchmark}-02", f"{benchmark}-04"])):
        video = random_sequence(rng, classes)
        rows = [
            [frame + 1, k, *box, rng.choice([0, 1, 1, 1]), *([-1, -1, -1] if benchmark == "MOT15" else [label, 0.5])]
            for frame, k, *box, label in video.truth
        ]
        write(tmp_path / "gt" / name / "gt" / "gt.txt", [",".join(f"{x:g}" for x in row) for row in rows])
        write(tmp_path / "gt" / name / "seqinfo.ini", ["[Sequence]", f"seqLength={FRAMES}"])
        found = [[frame + 1, k, *box, rng.random(), -1, -1, -1] for frame, k, *box, _ in video.tracks]
        write(tmp_path / "results" / "t" / "data" / f"{name}.txt", [",".join(f"{x:g}" for x in row) for row in found])
    theirs = numbers_of(
        made(
            datasets.MotChallenge2DBox,
            GT_FOLDER=str(tmp_path / "gt"),
            TRACKERS_FOLDER=str(tmp_path / "results"),
            SEQ_INFO=dict.fromkeys(sequences),
            SKIP_SPLIT_FOL=True,
            BENCHMARK=benchmark,
        )
    )

    read, _, result = evaluated(tmp_path / "gt", tmp_path / "results" / "t")

    assert read.protocol == protocol
    check_all(result, theirs, ["pedestrian"])
    check(result.summary, theirs["COMBINED_SEQ"]["pedestrian"])


@pytest.mark.parametrize("seed", range(8))
def test_kitti_equals_trackeval(tmp_path, seed):
    rng = np.random.default_rng([seed, 2])
    names = ["Car", "Car", "Van", "Pedestrian", "Pedestrian", "Person", "Cyclist", "Truck", "Misc"]
    sequences = ["0000", "0007"]
    tail = "1.5 1.6 3.9 1 1.5 20 -1.4"
    for name in sequences:
        video = random_sequence(rng, np.arange(len(names)), objects=14)
        rows = []
        for frame, k, x, y, w, h, label in video.truth:
            hard = f"{rng.choice([0, 0, 0.5, 1, 2])} {rng.choice([0, 1, 2, 2, 3])}"
            rows.append(f"{frame} {k} {names[label]} {hard} -1.5 {x} {y} {x + w} {y + h} {tail}")
        for frame in range(0, FRAMES, 2):
            x, y = rng.uniform(0, 60, 2)
            corners = f"{x:.1f} {y:.1f} {x + 40:.1f} {y + 50:.1f}"
            rows.append(f"{frame} -1 DontCare -1 -1 -10 {corners} -1 -1 -1 -1000 -1000 -1000 -10")
        rng.shuffle(rows)
        write(tmp_path / "gt" / "label_02" / f"{name}.txt", rows)
        found = [
            f"{frame} {k} {names[label]} -1 -1 -1.5 {x} {y} {x + w} {y + h} {tail} 0.5"
            for frame, k, x, y, w, h, label in video.tracks
        ]
        write(tmp_path / "results" / "t" / "data" / f"{name}.txt", found)
    lines = [f"{name} empty 000000 {FRAMES:06d}" for name in sequences]
    write(tmp_path / "gt" / "evaluate_tracking.seqmap.training", lines)
    folders = {"GT_FOLDER": str(tmp_path / "gt"), "TRACKERS_FOLDER": str(tmp_path / "results")}
    theirs = numbers_of(made(datasets.Kitti2DBox, **folders))

    read, _, result = evaluated(tmp_path / "gt", tmp_path / "results" / "t")

    assert read.protocol == "kitti"
    check_all(result, theirs, ["car", "pedestrian"])


def masks_of(rows, size, classes):
    """Lines of MOTS: boxes as masks of which later ones cover only what is free; those left without pixels drop out."""
    lines = []
    taken: dict = {}
    for frame, k, x, y, w, h, label in rows:
        free = taken.setdefault(int(frame), np.ones(size, dtype=bool))
        mask = np.zeros(size, dtype=bool)
        mask[max(0, int(y)) : max(0, int(y + h)), max(0, int(x)) : max(0, int(x + w))] = True
        mask &= free
        if not mask.any():
            continue
        free &= ~mask
        counts = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode()
        lines.append((int(frame), int(k), classes[label], f"{size[0]} {size[1]} {counts}"))
    return lines


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("protocol", ["mots", "kitti_mots"])
def test_mots_equals_trackeval(tmp_path, protocol, seed):
    rng = np.random.default_rng([seed, 3])
    first = 1 if protocol == "mots" else 0
    sequences = ["MOTS20-02", "MOTS20-05"] if protocol == "mots" else ["0002", "0006"]
    classes = [2, 2, 10] if protocol == "mots" else [1, 2, 1, 10]
    for name in sequences:
        video = random_sequence(rng, np.arange(len(classes)), step=1)
        for side, folder in (("truth", "gt"), ("tracks", f"results/t/data/{name}.txt")):
            kinds = classes if side == "truth" else [min(x, 2) for x in classes]
            lines = [
                f"{f + first} {c * 1000 + k} {c} {rle}"
                for f, k, c, rle in masks_of(getattr(video, side), (120, 130), kinds)
            ]
            if side == "tracks":
                write(tmp_path / folder, lines)
            elif protocol == "mots":
                write(tmp_path / "gt" / name / "gt" / "gt.txt", lines)
                write(tmp_path / "gt" / name / "seqinfo.ini", ["[Sequence]", f"seqLength={FRAMES}"])
            else:
                write(tmp_path / "gt" / "label_02" / f"{name}.txt", lines)
    if protocol == "kitti_mots":
        lines = [f"{name} empty 000000 {FRAMES - 1:06d}" for name in sequences]
        write(tmp_path / "gt" / "evaluate_mots.seqmap.val", lines)
    config = {"GT_FOLDER": str(tmp_path / "gt"), "TRACKERS_FOLDER": str(tmp_path / "results")}
    if protocol == "mots":
        dataset = made(datasets.MOTSChallenge, SEQ_INFO=dict.fromkeys(sequences), SKIP_SPLIT_FOL=True, **config)
    else:
        dataset = made(datasets.KittiMOTS, SEQ_INFO=dict.fromkeys(sequences, FRAMES), **config)
    theirs = numbers_of(dataset)

    read, _, result = evaluated(tmp_path / "gt", tmp_path / "results" / "t")

    assert read.protocol == protocol
    check_all(result, theirs, ["pedestrian"] if protocol == "mots" else ["car", "pedestrian"])


@pytest.mark.parametrize("seed", range(5))
def test_bdd100k_equals_trackeval(tmp_path, seed):
    rng = np.random.default_rng([seed, 4])
    names = [*benchmarks.declared("bdd100k").classes, "other vehicle", "other person"]
    for video_name in ("b1c66a42-6f7d68ca", "b1c81faa-3df17267"):
        video = random_sequence(rng, np.array([0, 0, 2, 2, 2, 3, 6, 8, 9]), objects=14)
        for side, folder in (("truth", tmp_path / "gt"), ("tracks", tmp_path / "results" / "t" / "data")):
            frames = [{"name": f"{k}.jpg", "videoName": video_name, "index": k, "labels": []} for k in range(FRAMES)]
            for frame, k, x, y, w, h, label in getattr(video, side):
                crowd = {"attributes": {"Crowd": bool(rng.random() < 0.2)}} if side == "truth" else {}
                box = {"x1": x, "y1": y, "x2": x + w, "y2": y + h}
                frames[int(frame)]["labels"].append({"id": int(k), "category": names[label], "box2d": box, **crowd})
            rng.shuffle(frames)
            write(folder / f"{video_name}.json", [json.dumps(frames)])
    folders = {"GT_FOLDER": str(tmp_path / "gt"), "TRACKERS_FOLDER": str(tmp_path / "results")}
    dataset = made(datasets.BDD100K, **folders)
    # TrackEval 1.3.0 never fills in the name of the sequence, which its errors ask for.
    theirs = numbers_of(dataset)

    read, prepared, result = evaluated(tmp_path / "gt", tmp_path / "results" / "t")

    assert read.protocol == "bdd100k"
    check_all(result, theirs, prepared.classes)
    check(result.class_averaged, theirs["COMBINED_SEQ"]["cls_comb_cls_av"])
    check(result.detection_averaged, theirs["COMBINED_SEQ"]["cls_comb_det_av"])
