"""Time omniou against its peers; print a table, and write it to docs/benchmarks.md."""

import argparse
import datetime as dt
import importlib.metadata
import itertools
import os
import platform
from pathlib import Path

import torch

from tests.benchmarks import adapters, dense_masks, evaluation, masks, measure, rotated, scale, segmentation
from tests.benchmarks.cases import cases

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
PACKAGES = (
    *("omniou", "numpy", "torch", "jax", "powerboxes", "torchvision"),
    *("hotcoco", "faster-coco-eval", "pycocotools", "torchmetrics", "keras", "numba"),
    *("opencv-python-headless", "segmentation-models-pytorch"),
)

SETUP = """
import numpy as np
from tests.benchmarks.cases import random_boxes
from omniou import boxes, pairwise
a, b = random_boxes({size}), random_boxes({size})
{convert}
pairwise(boxes.iou, a[:300], b[:300])
"""
CONVERT = {
    "NumPy": "",
    "torch": "import torch; a, b = torch.from_numpy(a), torch.from_numpy(b)",
    "JAX": "import jax.numpy as jnp; a, b = jnp.asarray(a), jnp.asarray(b)",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small and once: only to see that it runs")
    smoke = parser.parse_args().smoke
    size, rounds = (200, 1) if smoke else (5000, 9)
    lines = [
        *speed(size, rounds, smoke=smoke),
        "",
        *sketches(smoke=smoke),
        "",
        *scale.table(smoke=smoke),
        "",
        *adapters.table(smoke=smoke),
        "",
        *memory(size),
        "",
        *loading(1 if smoke else 9),
    ]
    print("\n".join(lines))
    if not smoke:
        PAGE.write_text("\n".join([*heading(), "", *lines]) + "\n", encoding="utf-8")


def heading() -> list[str]:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    today = dt.datetime.now(tz=dt.UTC).date()
    return [
        "# Benchmarks",
        "",
        "Written by `nox -s bench`. Each time is the least of nine rounds or more, which take at least five seconds,",
        "ours and the peers' in turns; a ratio above 1 says how many times as fast omniou is.",
        "",
        "Masks also go by the compiled loops of `omniou[fast]`, as with `OMNIOU_ACCEL=numba`, where numba is named.",
        "",
        f"{today}; {processor()}, {os.cpu_count()} CPUs, {torch.get_num_threads()} torch threads;",
        f"Python {platform.python_version()}, {versions}.",
    ]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if info.exists()
        else []
    )
    return names[0] if names else platform.machine()


def speed(size: int, rounds: int, *, smoke: bool) -> list[str]:
    lines = ["| what | who | time | ratio |", "|---|---|---:|---:|"]
    parts = (
        rotated.cases,
        evaluation.cases,
        masks.of_page,
        dense_masks.of_page,
        segmentation.cases,
        adapters.cases,
        scale.cases,
    )
    for title, runs in itertools.chain(cases(size), *(part(smoke=smoke) for part in parts)):
        times = measure.seconds(runs, rounds=rounds)
        ours = times["omniou"]
        for name, time in times.items():
            ratio = "" if name == "omniou" else f"{time / ours:.2f}"
            lines.append(f"| {title} | {name} | {human(time)} | {ratio} |")
    return lines


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


def loading(rounds: int) -> list[str]:
    lines = ["| load | time | for the first time ever |", "|---|---:|---:|"]
    for title, setup, load in (
        ("`import omniou`", "", "import omniou"),
        (
            "the loops of `omniou[fast]`",
            "import numpy, os; os.environ['OMNIOU_ACCEL'] = 'numba'; from omniou import rle",
            "rle.Masks.from_coco([{'size': [2, 2], 'counts': '04'}]).area()",
        ),
    ):
        first, later = measure.load_seconds(load, setup=setup, rounds=rounds)
        lines.append(f"| {title} | {human(later)} | {human(first)} |")
    return lines


def human(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


if __name__ == "__main__":
    main()
