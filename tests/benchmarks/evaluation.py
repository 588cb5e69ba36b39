"""The evaluator against other libraries, on a synthetic data set of COCO val2017's size."""

import contextlib
import dataclasses
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import faster_coco_eval
import hotcoco
import jax.numpy as jnp
import numpy as np
import torch
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from omniou import data, detection
from omniou_integrations import pycocotools as standin
from tests.benchmarks import detections as synthetic
from tests.benchmarks.cases import Case
from tests.benchmarks.measure import Run

CLASSES, IMAGES = np.arange(1, synthetic.CLASSES + 1), np.arange(synthetic.IMAGES)


def cases(*, smoke: bool) -> Iterator[Case]:
    """Twelve numbers of COCO from arrays; the peers from what they have read."""
    for count in (1_000,) if smoke else (180_000, 500_000):
        data_set = synthetic.data(count)
        with tempfile.TemporaryDirectory() as folder:
            paths = written(data_set, Path(folder))
            title = f"COCO's numbers, {count:,} detections"
            slow = slow_peers(*paths) if count < 200_000 else {}
            yield f"{title}, NumPy", {**ours(data_set), "hotcoco": fast_peer(*paths), **slow}
            yield f"{title}, all 4 x 3 tables", {**ours(data_set, tables=True), "hotcoco": fast_peer(*paths)}
            yield f"{title}, torch", {**ours(data_set, torch.from_numpy), "hotcoco": fast_peer(*paths)}
            if count < 200_000:
                yield f"{title}, pycocotools' calls", {**stand_in(*paths), "hotcoco": fast_peer(*paths), **slow}
            yield f"{title}, from JSON files", from_files(*paths)
            yield f"{title}, JSON files from the shell", from_shell(*paths)
            yield f"{title}, JAX", {**ours(data_set, jnp.asarray), "hotcoco": fast_peer(*paths)}
    data_set = synthetic.data(1_000 if smoke else 180_000, crowds=0.3)
    with tempfile.TemporaryDirectory() as folder:
        yield "COCO's numbers, crowded", {**ours(data_set), "hotcoco": fast_peer(*written(data_set, Path(folder)))}
        yield "LVIS' numbers of boxes", of_lvis(data_set, Path(folder))


def of_lvis(data_set: synthetic.Data, folder: Path) -> dict[str, Run]:
    """Federated annotation: five classes of each image were verified as absent."""
    targets = data_set.targets
    absent = np.random.default_rng(0).integers(1, synthetic.CLASSES + 1, (synthetic.IMAGES, 5))
    there = set(zip(np.asarray(targets.images).tolist(), np.asarray(targets.labels).tolist(), strict=True))
    listed = [sorted({x for x in row if (k, x) not in there}) for k, row in enumerate(absent.tolist())]
    pairs = np.asarray([(k, x) for k, row in enumerate(listed) for x in row])
    ours = dataclasses.replace(targets, crowd=None, negative=pairs)
    truth, found = synthetic.as_coco(data_set)
    for image, row in zip(truth["images"], listed, strict=True):
        image |= {"neg_category_ids": row, "not_exhaustive_category_ids": []}
    for category in truth["categories"]:
        category["frequency"] = "f"
    for annotation in truth["annotations"]:
        annotation["iscrowd"] = 0
    paths = [folder / "lvis.json", folder / "found.json"]
    for path, content in zip(paths, (truth, found), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    reference = hotcoco.COCO(str(paths[0]))
    results = reference.load_res(str(paths[1]))
    options: Any = {"format": "xywh", "protocol": "lvis", "classes": CLASSES, "images": IMAGES}

    def peer() -> None:
        evaluator = hotcoco.COCOeval(reference, results, "bbox", lvis_style=True)
        evaluator.evaluate()
        evaluator.accumulate()

    return {"omniou": lambda: detection.evaluate(ours, data_set.detections, **options).summary, "hotcoco": peer}


def sketch_errors(*, smoke: bool) -> Iterator[tuple[int, int, float, float]]:
    """Detections, bins, error of AP, and of the worst class, against the exact state."""
    for count in (1_000,) if smoke else (180_000, 500_000):
        evaluator: Any = detection.Evaluator(format="xywh", classes=CLASSES)
        evaluator.update(*synthetic.data(count), images=IMAGES)
        exact = evaluator.compute()
        for bins in (1024, 4096, 16384):
            table = detection.sketch(evaluator.state, bins=bins).average_precision()
            worst = np.nanmax(np.abs(np.nanmean(table, axis=0) - exact.per_class["AP"]))
            yield count, bins, abs(np.nanmean(table) - exact.summary["AP"]), float(worst)


def ours(
    data_set: synthetic.Data, convert: Callable[[Any], Any] = lambda x: x, *, tables: bool = False
) -> dict[str, Run]:
    return {"omniou": evaluation(data_set, convert, tables=tables)}


def evaluation(data_set: synthetic.Data, convert: Callable[[Any], Any] = lambda x: x, *, tables: bool = False) -> Run:
    targets, detections = (converted(table, convert) for table in data_set)

    def run() -> Any:
        result: Any = detection.evaluate(targets, detections, format="xywh", classes=CLASSES, images=IMAGES)
        return (result.precision, result.recall, result.scores) if tables else result.summary

    return run


def converted(table: Any, convert: Callable[[Any], Any]) -> Any:
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    return type(table)(**{name: None if x is None else convert(x) for name, x in columns.items()})


def from_files(truth: str, detections: str) -> dict[str, Run]:
    """The whole way, from the text of two files."""

    def read() -> Any:
        objects = data.read_ground_truth(truth, "coco")
        results = data.read_detections(detections, objects, "coco")
        options: Any = {"classes": list(objects.categories), "images": objects.images, "format": objects.format}
        return detection.evaluate(objects.targets, results, **options).summary

    def peer() -> None:
        ground_truth = hotcoco.COCO(truth)
        evaluator = evaluator_of(ground_truth, ground_truth.load_res(detections))
        evaluator.evaluate()
        evaluator.accumulate()

    return {"omniou": read, "hotcoco": peer}


def from_shell(truth: str, detections: str) -> dict[str, Run]:
    """The commands that come with both, as they are, from their start to their end."""

    def command(name: str, *args: str) -> Run:
        whole = [Path(sys.executable).with_name(name), "eval", *args]
        return lambda: subprocess.run(whole, check=True, capture_output=True)

    return {
        "omniou": command("omniou", truth, detections),
        "hotcoco": command("coco", "--gt", truth, "--dt", detections),
    }


def written(data_set: synthetic.Data, folder: Path) -> tuple[str, str]:
    paths = folder / "truth.json", folder / "detections.json"
    for path, content in zip(paths, synthetic.as_coco(data_set), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def written_truth(data_set: synthetic.Data, folder: Path) -> str:
    """The ground truth alone."""
    few = dataclasses.replace(data_set.detections, **{f.name: [] for f in dataclasses.fields(data_set.detections)})
    return written(data_set._replace(detections=few), folder)[0]


def fast_peer(truth: str, detections: str) -> Run:
    ground_truth = hotcoco.COCO(truth)
    results = ground_truth.load_res(detections)

    def run() -> None:
        evaluator = evaluator_of(ground_truth, results)
        evaluator.evaluate()
        evaluator.accumulate()

    return run


def evaluator_of(truth: Any, results: Any) -> Any:
    return hotcoco.COCOeval(truth, results, "bbox")


def slow_peers(truth: str, detections: str) -> dict[str, Run]:
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO(truth)
        results = reference.loadRes(detections)
        faster = faster_coco_eval.COCO(truth)
        faster_results = faster.loadRes(detections)
    return {
        "faster-coco-eval": partial(quiet, faster_coco_eval.COCOeval_faster, faster, faster_results),
        "pycocotools": partial(quiet, COCOeval, reference, results),
    }


def stand_in(truth: str, detections: str) -> dict[str, Run]:
    """The same calls, of dictionaries, as the peers get."""
    with contextlib.redirect_stdout(io.StringIO()):
        ground_truth = standin.COCO(truth)
        results = ground_truth.loadRes(detections)
    return {"omniou": partial(quiet, standin.COCOeval, ground_truth, results)}


def quiet(kind: Any, truth: Any, detections: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        evaluator = kind(truth, detections, "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
