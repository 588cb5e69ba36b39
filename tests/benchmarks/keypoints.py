"""Keypoint AP beside pycocotools and hotcoco, on a synthetic data set of the size of COCO val2017's persons."""

import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hotcoco
import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from omniou import detection
from tests.benchmarks.cases import Case
from tests.benchmarks.measure import Run


def cases(*, smoke: bool) -> Iterator[Case]:
    """COCO's ten numbers from arrays; the peers from what they have read."""
    images = 20 if smoke else 2_700
    targets, detections = data_set(images)
    count = len(detections.scores)

    def ours() -> Any:
        return detection.evaluate(targets, detections, kind="keypoints", format="xywh").summary

    with tempfile.TemporaryDirectory() as folder:
        paths = written(targets, detections, Path(folder))
        peers = {"pycocotools": peer(COCO, COCOeval, *paths)}
        if not smoke:
            peers["hotcoco"] = peer(hotcoco.COCO, hotcoco.COCOeval, *paths)
    yield f"COCO's numbers of keypoints, {count:,} detections, NumPy", {"omniou": ours, **peers}


def data_set(images: int) -> tuple[detection.Targets[Any], detection.Detections[Any]]:
    """Four persons an image, and twenty detections."""
    rng = np.random.default_rng(images)
    n, image = 4 * images, np.repeat(np.arange(images), 4)
    corner, side = rng.uniform(0, 400, (n, 1, 2)), rng.uniform(30, 250, (n, 1, 1))
    points = corner + rng.uniform(0, 1, (n, 17, 2)) * side
    seen = rng.integers(0, 3, (n, 17)) * (rng.random((n, 1)) > 0.1)
    boxes = np.concatenate([corner[:, 0], side[:, 0], side[:, 0]], axis=1)
    targets: Any = detection.Targets(
        boxes,
        np.ones(n, dtype=int),
        image,
        area=0.5 * side[:, 0, 0] ** 2,
        keypoints=np.concatenate([points, seen[..., None]], axis=2),
    )
    found = (points + rng.normal(0, 0.05, points.shape) * side).repeat(5, axis=0)
    found += rng.normal(0, 1, (5 * n, 1, 2)) * rng.choice([0.0, 200.0], (5 * n, 1, 1))
    scores = np.round(rng.uniform(0, 1, 5 * n), 4)
    detections: Any = detection.Detections(None, scores, np.ones(5 * n, dtype=int), image.repeat(5), keypoints=found)
    return targets, detections


def written(targets: Any, detections: Any, folder: Path) -> tuple[str, str]:
    columns = zip(targets.images, targets.boxes, targets.area, targets.keypoints, strict=True)
    truth = {
        "images": [{"id": int(k), "width": 640, "height": 640} for k in np.unique(targets.images)],
        "categories": [{"id": 1, "name": "person"}],
        "annotations": [
            {
                "id": k + 1,
                "image_id": int(image),
                "category_id": 1,
                "bbox": box.tolist(),
                "area": float(area),
                "iscrowd": 0,
                "keypoints": points.ravel().tolist(),
                "num_keypoints": int((points[:, 2] > 0).sum()),
            }
            for k, (image, box, area, points) in enumerate(columns)
        ],
    }
    rows = zip(detections.images, detections.scores, detections.keypoints, strict=True)
    results = [
        {"image_id": int(i), "category_id": 1, "score": float(s), "keypoints": np.c_[p, np.ones(17)].ravel().tolist()}
        for i, s, p in rows
    ]
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    return str(paths[0]), str(paths[1])


def peer(files: Any, kind: Any, truth: str, results: str) -> Run:
    with contextlib.redirect_stdout(io.StringIO()):
        reference = files(truth)
        loader = getattr(reference, "loadRes", None) or reference.load_res
        found = loader(results)

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            evaluator = kind(reference, found, "keypoints")
            evaluator.evaluate()
            evaluator.accumulate()

    return run
