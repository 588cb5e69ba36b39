"""Time omniou against its peers; print tables, and write docs/benchmarks.json, which docs/benchmarks.md shows."""

import argparse
import datetime as dt
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import torch

from tests.benchmarks import (
    adapters,
    assigners,
    centres,
    daily,
    dense_masks,
    evaluation,
    exactness,
    installed,
    intervals,
    keypoints,
    masks,
    matching,
    measure,
    pairs,
    rotated,
    scale,
    segmentation,
    start,
    suppression,
    tracking,
)
from tests.benchmarks.cases import Case, of_all_pairs, of_training

DATA = Path(__file__).parents[2] / "docs" / "benchmarks.json"
PACKAGES = (
    *("omniou", "numpy", "torch", "jax", "powerboxes", "torchvision"),
    *("hotcoco", "faster-coco-eval", "pycocotools", "torchmetrics", "keras", "numba"),
    *("opencv-python-headless", "ensemble-boxes", "segmentation-models-pytorch", "nuscenes-devkit"),
)

SETUP = """
import numpy as np
from tests.benchmarks.cases import random_boxes
from omniou import boxes, pairwise
a, b = random_boxes({size}), random_boxes({size})
{convert}
pairwise(boxes.iou, a[:300], b[:300])
"""
# Without imports that would have used memory before.
FRESH = """
import numpy as np
from omniou import boxes, pairwise
low = np.random.default_rng(0).uniform(0, 1000, ({size}, 2)).astype(np.float32)
a = np.concatenate([low, low + 50], axis=1)
pairwise(boxes.iou, a[:10], a[:10])
"""
CONVERT = {
    "NumPy": "",
    "torch": "import torch; a, b = torch.from_numpy(a), torch.from_numpy(b)",
    "JAX": "import jax.numpy as jnp; a, b = jnp.asarray(a), jnp.asarray(b)",
}


Part: TypeAlias = Callable[[int, bool], Iterable[Case]]
# Charts of the page: their titles, and size of the sets and whether it is only to see that all runs -> cases.
PARTS: tuple[tuple[str, Part], ...] = (
    ("Scores of all pairs of boxes", lambda size, _: of_all_pairs(size)),
    ("Losses and gradients of boxes", lambda size, _: of_training(size)),
    ("Assigners of training", lambda _, smoke: assigners.cases(smoke=smoke)),
    ("Matching", lambda _, smoke: matching.cases(smoke=smoke)),
    ("Pairs of boxes without the matrix", lambda _, smoke: pairs.cases(smoke=smoke)),
    ("Rotated boxes", lambda _, smoke: rotated.cases(smoke=smoke)),
    ("Suppression and fusion", lambda _, smoke: suppression.cases(smoke=smoke)),
    ("COCO's numbers of boxes", lambda _, smoke: evaluation.cases(smoke=smoke)),
    ("COCO's numbers of boxes", lambda _, smoke: scale.cases(smoke=smoke)),
    ("Intervals in time", lambda _, smoke: intervals.cases(smoke=smoke)),
    ("COCO's numbers of keypoints", lambda _, smoke: keypoints.cases(smoke=smoke)),
    ("COCO's numbers of masks", lambda _, smoke: masks.of_page(smoke=smoke)),
    ("Masks as arrays of pixels", lambda _, smoke: dense_masks.of_page(smoke=smoke)),
    ("3-D detections by the distance of centres", lambda _, smoke: centres.cases(smoke=smoke)),
    ("Semantic and panoptic segmentation", lambda _, smoke: segmentation.cases(smoke=smoke)),
    ("HOTA, MOTA and IDF1 of trackers", lambda _, smoke: tracking.cases(smoke=smoke)),
    ("Commands in a fresh process", lambda _, smoke: start.cases(smoke=smoke)),
    ("torchmetrics' mAP", lambda _, smoke: adapters.cases(smoke=smoke)),
    ("Keras", lambda _, smoke: adapters.of_keras(smoke=smoke)),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small and once: only to see that it runs")
    parser.add_argument("--only", default="", metavar="WORDS", help="only charts and tables whose title has these")
    given = parser.parse_args()
    smoke: bool = given.smoke
    size, rounds = (200, 1) if smoke else (5000, 9)
    measured = speed(size, rounds, smoke=smoke, only=given.only)
    tables = [table(size, smoke) for words, table in TABLES if given.only.lower() in words.lower()]
    for lines in tables:
        print("", *lines, sep="\n")
    exact = [] if given.only else list(exactness.rows(smoke=smoke))
    print("", *exact, sep="\n")
    if smoke:
        return
    if given.only:
        found = _replaced(json.loads(DATA.read_text("utf-8")), measured, tables)
    else:
        found = {**machine(), "speed": measured, "exactness": exact, "tables": tables}
    DATA.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _replaced(known: dict[str, Any], measured: list[dict[str, Any]], tables: list[list[str]]) -> dict[str, Any]:
    """What is known, with new rows in place of those of their charts, and new tables, with the date of their own."""
    groups, today = {row["group"] for row in measured}, dt.datetime.now(tz=dt.UTC).date().isoformat()
    rows = [row for row in known["speed"] if row["group"] not in groups]
    rows += [row | {"date": today} for row in measured]
    new = {_title(lines): lines for lines in tables}
    kept = [lines for lines in known["tables"] if _title(lines) not in new]
    dates = known.get("dates", {}) | dict.fromkeys(new, today)
    return known | {"speed": rows, "tables": [*kept, *tables], "dates": dates}


def _title(table: list[str]) -> str:
    """The first cell of the head of a table."""
    return table[0].split("|")[1].strip()


def cluster(*, smoke: bool) -> list[str]:
    """Its own process, since workers import what started them."""
    command = [sys.executable, "-m", "tests.benchmarks.cluster", *(["--smoke"] if smoke else [])]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def machine() -> dict[str, Any]:
    """When and where."""
    return {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "processor": processor(),
        "cpus": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return names[0] if names else platform.machine()


def speed(size: int, rounds: int, *, smoke: bool, only: str = "") -> list[dict[str, Any]]:
    """Seconds of each case, ours and the peers', printed as they come."""
    print("| what | who | time | ratio |", "|---|---|---:|---:|", sep="\n")
    out = []
    for group, part in PARTS:
        if only.lower() not in group.lower():
            continue
        for title, runs in part(size, smoke):
            times = measure.seconds(runs, rounds=rounds)
            out.append({"group": group, "title": title, "seconds": times})
            for name, time in times.items():
                ratio = "" if name == "omniou" else f"{time / times['omniou']:.2f}"
                print(f"| {title} | {name} | {human(time)} | {ratio} |")
    return out


def sketches(*, smoke: bool) -> list[str]:
    lines = ["| error of a sketch | bins | AP | AP of the worst class |", "|---|---:|---:|---:|"]
    for count, bins, error, worst in evaluation.sketch_errors(smoke=smoke):
        lines.append(f"| {count:,} detections | {bins} | {error:.1e} | {worst:.1e} |")
    return lines


def memory(size: int) -> list[str]:
    lines = ["| peak memory | times the result |", "|---|---:|"]
    for library, convert in CONVERT.items():
        # JAX returns before it has computed.
        call = "pairwise(boxes.iou, a, b)" + (".block_until_ready()" if library == "JAX" else "")
        peak = measure.peak_memory(SETUP.format(size=size, convert=convert), call)
        lines.append(f"| IoU, {size} x {size}, float32, {library} | {peak:.3f} |")
    return lines


def loading(rounds: int, size: int) -> list[str]:
    lines = ["| load | time | for the first time ever |", "|---|---:|---:|"]
    for title, setup, load in (
        ("`import omniou`", "", "import omniou"),
        (
            "the loops of `omniou[fast]`",
            "import numpy, os; os.environ['OMNIOU_ACCEL'] = 'numba'; from omniou import rle",
            "rle.Masks.from_coco([{'size': [2, 2], 'counts': '04'}]).area()",
        ),
        (
            f"IoU of {size} x {size} boxes, NumPy, in a process that has just started",
            FRESH.format(size=size),
            "pairwise(boxes.iou, a, a)",
        ),
    ):
        first, later = measure.load_seconds(load, setup=setup, rounds=rounds)
        lines.append(f"| {title} | {human(later)} | {human(first)} |")
    return lines


def human(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


Table: TypeAlias = Callable[[int, bool], list[str]]
# What has no peer, or is no time: words for `--only`, and a function as in PARTS -> lines.
TABLES: tuple[tuple[str, Table], ...] = (
    ("sketch", lambda _, smoke: sketches(smoke=smoke)),
    ("daily", lambda _, smoke: daily.table(smoke=smoke)),
    ("scale", lambda _, smoke: scale.table(smoke=smoke)),
    ("cluster", lambda _, smoke: cluster(smoke=smoke)),
    ("adapters", lambda _, smoke: adapters.table(smoke=smoke)),
    ("memory of assigners", lambda _, smoke: assigners.table(smoke=smoke)),
    ("peak memory", lambda size, _: memory(size)),
    ("load", lambda size, smoke: loading(1 if smoke else 9, size)),
    ("install", lambda _, smoke: installed.table(smoke=smoke)),
)


if __name__ == "__main__":
    main()
