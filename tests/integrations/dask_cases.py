"""A data set in shards of Parquet, and what one process makes of it."""

import contextlib
import dataclasses
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from omniou import data, detection
from omniou.data.shards import Rules
from tests.places import ROOT

IMAGES, CLASSES = 60, 4


class Table(NamedTuple):
    """Rows of objects and of detections, as columns by name."""

    targets: dict[str, Any]
    detections: dict[str, Any]


def table(seed: int = 0, objects: int = 240, detections: int = 900, *, names: bool = False) -> Table:
    """Equal scores, crowds, images without objects or detections; ids or names of images and classes."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 40, (objects, 2)).astype(float)
    boxes = np.concatenate([low, low + rng.integers(8, 40, (objects, 2))], axis=1)
    labels, places = rng.integers(1, CLASSES + 1, objects), rng.integers(IMAGES - 5, size=objects)
    sources = rng.integers(objects, size=detections)
    targets = columns(boxes, labels, places)
    targets["iscrowd"] = rng.random(objects) < 0.1
    # A row of nulls for each image makes those without objects known.
    images = np.arange(IMAGES)
    targets = {name: [*x, *(images if name == "image_id" else [None] * IMAGES)] for name, x in targets.items()}
    found = columns(
        boxes[sources] + rng.integers(-3, 4, (detections, 4)),
        np.where(rng.random(detections) < 0.8, labels[sources], rng.integers(1, CLASSES + 1, detections)),
        np.where(rng.random(detections) < 0.9, places[sources], rng.integers(IMAGES - 3, size=detections)),
    )
    found["score"] = rng.integers(0, 12, detections) / 12
    return Table(*(named(x) if names else x for x in (targets, {k: list(v) for k, v in found.items()})))


def columns(boxes: Any, labels: Any, images: Any) -> dict[str, Any]:
    return {"image_id": images, "category_id": labels} | dict(
        zip(("xmin", "ymin", "xmax", "ymax"), boxes.T, strict=True)
    )


def named(rows: dict[str, Any]) -> dict[str, Any]:
    return rows | {
        "image_id": [f"street/{int(x):03}.jpg" for x in rows["image_id"]],
        "category_id": [None if x is None else f"class {int(x)}" for x in rows["category_id"]],
    }


def arrow(rows: dict[str, Any]) -> Any:
    made = {name: pa.array([x.item() if hasattr(x, "item") else x for x in column]) for name, column in rows.items()}
    return pa.table(made)


def written(folder: Path, whole: Table, groups: list[list[int]]) -> tuple[Path, Path]:
    """Shards of the groups of images, by their number, as `truth/` and `found/`."""
    for role, rows in zip(("truth", "found"), whole, strict=True):
        (folder / role).mkdir(parents=True)
        order = sorted(set(whole.targets["image_id"]))
        for k, group in enumerate(groups):
            of = {order[x] for x in group}
            some = [n for n, image in enumerate(rows["image_id"]) if image in of]
            pq.write_table(arrow(rows).take(pa.array(some, pa.int64())), folder / role / f"{k:03}.parquet")
    return folder / "truth", folder / "found"


def groups_of(count: int, seed: int = 1) -> list[list[int]]:
    """The images in so many groups, none in order."""
    return [x.tolist() for x in np.array_split(np.random.default_rng(seed).permutation(IMAGES), count)]


def one_process(truth: Path, found: Path, **how: Any) -> Any:
    """The state of the same files, read as one."""
    objects = data.read_ground_truth(truth)
    return detection.evaluate(objects, data.read_detections(found, objects), **how).state


def assert_same_state(a: Any, b: Any) -> None:
    for field in dataclasses.fields(a):
        ours, theirs = getattr(a, field.name), getattr(b, field.name)
        if field.name in {"matched", "ignored"}:
            assert len(ours) == len(theirs)
            for x, y in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(x, y)
        elif hasattr(ours, "dtype"):
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)
        else:
            assert ours == theirs, field.name


@dataclasses.dataclass(frozen=True)
class SlowRules(Rules):
    """Shards that take a while, so that something can happen meanwhile."""

    seconds: float = 0.2

    def part(self, shard: Any, categories: Any = None) -> Any:
        time.sleep(self.seconds)
        return super().part(shard, categories)


@contextlib.contextmanager
def started(*arguments: str) -> Iterator[Any]:
    """A process of Dask's command line, as somebody starts it by hand."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), str(ROOT / "integrations")])
    env = os.environ | {"PYTHONPATH": path, "OMNIOU_THREADS": "1"}
    command = [sys.executable, "-m", "dask", *arguments]
    process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), "utf-8")
