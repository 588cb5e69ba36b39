"""Files of a ground truth and two models, a good and a poor one, of each kind that `omniou eval` takes."""

import json

import numpy as np
import pytest

from omniou import panoptic
from tests.centres import scenes
from tests.cli import cases

UNITS = 32


def _semantic(folder, image):
    for name, errors in (("truth", 0), ("good", 4), ("poor", 40)):
        (folder / name).mkdir()
        for k in range(UNITS):
            labels = np.random.default_rng(k).integers(0, 3, (12, 12)).astype(np.uint8)
            labels.reshape(-1)[: errors + k % 3] = 0
            image.fromarray(labels).save(folder / name / f"{k}.png")


def _panoptic(folder, image):
    categories = [{"id": 1, "name": "car", "isthing": 1}, {"id": 2, "name": "road", "isthing": 0}]
    for name, width in (("truth", 10), ("good", 9), ("poor", 6)):
        (folder / name).mkdir()
        rows = []
        for k in range(UNITS):
            ids = np.full((12, 20), 9)
            ids[:, : width + (k % 3) * (name != "truth")] = 7
            image.fromarray(panoptic.to_rgb(ids)).save(folder / name / f"{k}.png")
            records = [{"id": 7, "category_id": 1}, {"id": 9, "category_id": 2}]
            rows.append({"image_id": k, "file_name": f"{k}.png", "segments_info": records})
        (folder / f"{name}.json").write_text(json.dumps({"annotations": rows, "categories": categories}))


def _components(folder, image):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    for name, size in (("truth", 6), ("good", 5), ("poor", 2)):
        (folder / name).mkdir()
        for k in range(UNITS):
            mask = np.zeros((20, 20), np.uint8)
            mask[2:8, 2 : 2 + size] = mask[12:18, 10 : 10 + size - (k % 2) * (name == "poor")] = 255
            image.fromarray(mask).save(folder / name / f"{k}.png")


def _vos(folder, image):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    for name, shift in (("truth", 0), ("good", 1), ("poor", 6)):
        for k in range(UNITS):
            (folder / name / f"v{k}").mkdir(parents=True)
            for frame in range(3):
                labels = np.zeros((24, 24), np.uint8)
                left = 3 + shift + (k % 3) * bool(shift)
                labels[4:16, left : left + 12] = 1
                image.fromarray(labels).save(folder / name / f"v{k}" / f"{frame:05d}.png")


def _tracks(folder, _):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    for k in range(UNITS):
        sequence = f"MOT17-{k:02}"
        (folder / "truth" / sequence / "gt").mkdir(parents=True)
        truth = [f"{t},1,{10 * t},20,30,60,1,1,1\n" for t in range(1, 5)]
        (folder / "truth" / sequence / "gt" / "gt.txt").write_text("".join(truth))
        (folder / "truth" / sequence / "seqinfo.ini").write_text("[Sequence]\nseqLength=4\n")
        for name, shift, switched in (("good", 1 + k % 2, 9), ("poor", 5 + k % 3, 3)):
            (folder / name).mkdir(exist_ok=True)
            rows = [f"{t},{7 + (t >= switched)},{10 * t + shift},20,30,60,0.9,-1,-1,-1\n" for t in range(1, 5)]
            (folder / name / f"{sequence}.txt").write_text("".join(rows))


def _moved(number, target, by):
    kept = {name: x for name, x in target.items() if name != "points"}
    return {**kept, "x": target["x"] + by, "score": 0.9 - number / 1000}


def _centres(folder, _):
    targets, _ = scenes.scene(4, samples=UNITS, names=["car", "pedestrian"])
    good, poor = ([_moved(k, x, by) for k, x in enumerate(targets)] for by in (0.3, 2.5))
    poses = {scenes.token(k): [*scenes.EGO, 0] for k in range(UNITS)}
    for name, side, more in (
        ("truth", targets, {"ego_poses": poses}),
        ("good", good, {}),
        ("poor", poor, {}),
    ):
        (folder / f"{name}.json").write_text(json.dumps(scenes.content(side, UNITS) | more))


def _spotting(folder, _):
    def row(ms, **more):
        return {"label": "Goal", "gameTime": f"1 - 00:{ms // 1000:02}", "position": str(ms)} | more

    for k in range(UNITS):
        for name, late in (("truth", 0), ("good", 500 * (k % 3)), ("poor", 8000 + 500 * (k % 3))):
            (folder / name / f"g{k}").mkdir(parents=True)
            key = "annotations" if name == "truth" else "predictions"
            more = {} if name == "truth" else {"half": "1", "confidence": str(0.9 - k / 100)}
            file = "Labels-v2.json" if name == "truth" else "results_spotting.json"
            (folder / name / f"g{k}" / file).write_text(json.dumps({key: [row(20500 + late, **more)]}))


def _bbox(folder, _):
    truth, found = cases.files(folder, images=UNITS)
    truth.rename(folder / "truth.json")
    found.unlink()
    for name, height in (("good", 9), ("poor", 6)):
        cases.detections(folder / f"{name}.json", lambda k, height=height: height - k % 3, UNITS)


MADE = {
    "bbox": _bbox,
    "semantic": _semantic,
    "panoptic": _panoptic,
    "components": _components,
    "spotting": _spotting,
    "vos": _vos,
    "centres": _centres,
    "tracks": _tracks,
}


def made(kind, folder):
    """Ground truth, good and poor model."""
    image = None
    if kind in {"semantic", "panoptic", "components", "vos"}:
        image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    MADE[kind](folder, image)
    ending = ".json" if kind in {"bbox", "panoptic", "centres"} else ""
    return [folder / f"{name}{ending}" for name in ("truth", "good", "poor")]
