"""What people call day by day, each in a process that has just started: its first call, a later one, and peak memory.

Rows without another library; charts compare the same work where one has it.
"""

import json
import subprocess
import sys

SOFT = """
from omniou import nms
from tests.benchmarks.suppression import scene
x, s = scene({n}, 10 * {n} ** 0.5)
"""
PAIRS = """
from omniou import boxes, pairwise_sparse
from tests.benchmarks.pairs import scattered
a, b = scattered({n}, 0), scattered({n}, 1)
"""
EVALUATION = """
from tests.benchmarks import detections
from tests.benchmarks.evaluation import evaluation
run = evaluation(detections.data({n}))
"""
RESULTS = """
from omniou import detection, report
from tests.benchmarks import detections
from tests.benchmarks.evaluation import CLASSES, IMAGES
def evaluated(n):
    targets, found = detections.data(n)
    return detection.evaluate(first.targets, found, format="xywh", classes=CLASSES, images=IMAGES)
first = detections.data({n})
models = {{name: evaluated(n) for name, n in (("first", {n}), ("second", {n} // 2))}}
"""
COMPILED = """
import torch
from omniou import losses
from tests.benchmarks.cases import random_boxes
target = torch.from_numpy(random_boxes({n} + 1)[:{n}])
loss = torch.compile(losses.giou, backend="inductor" if {n} >= 1000 else "eager")  # a smoke run only traces
def run():
    pred = torch.from_numpy(random_boxes({n})).requires_grad_()
    loss(pred, target, reduction="mean").backward()
"""
KERAS = """
import os
os.environ["KERAS_BACKEND"] = "torch"
from omniou_integrations.keras import GIoULoss
from tests.benchmarks.cases import random_boxes
a, b, loss = random_boxes({n}), random_boxes({n} + 1)[:{n}], GIoULoss()
"""
# Title -> set-up, call, and its size with that of a smoke run.
CALLS = {
    "soft NMS of {n:,} boxes": (
        SOFT,
        "nms.soft(x, s)",
        (10_000, 100),
    ),
    "pairs above IoU 0.5 of {n:,} x {n:,} boxes": (
        PAIRS,
        "pairwise_sparse(boxes.iou, a, b, 0.5)",
        (100_000, 100),
    ),
    "`torch.compile` of the GIoU loss, with its gradient, {n:,} pairs": (COMPILED, "run()", (5_000, 64)),
    "GIoU loss of Keras on torch, {n:,} pairs": (KERAS, "loss(a, b)", (5_000, 64)),
    "report of a data set with {n:,} detections": (
        RESULTS,
        'report.html(report.record(models["first"], analyses=report.ANALYSES))',
        (180_000, 1_000),
    ),
    "comparison of two models with {n:,} detections": (RESULTS, "report.compare(models)", (180_000, 1_000)),
    **{
        f"COCO's numbers of {count:,} detections": (EVALUATION, "run()", (count, count // 1000))
        for count in (10_000, 100_000, 1_000_000, 10_000_000)
    },
    "the same of {n:,} in one thread": (
        EVALUATION + "from omniou._lib import threads\nthreads.limited(1).__enter__()",
        "run()",
        (1_000_000, 1_000),
    ),
}
CODE = """
import json, time
from pathlib import Path
{setup}
kib = lambda name: int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0])
Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew from what is in use
before, times = kib("VmRSS"), []
for _ in range({calls}):
    start = time.perf_counter()
    {call}
    times.append(time.perf_counter() - start)
    peak = kib("VmHWM") if len(times) == 1 else peak
    if len(times) > 1 and sum(times) > 20:
        break
print(json.dumps([times[0], min(times[1:], default=times[0]), (peak - before) * 1024]))
"""


def table(*, smoke: bool) -> list[str]:
    """Seconds of the first and of a later call of a process, and bytes of the first beyond what was there before."""
    lines = [
        "| a process that has just started | first call | later | peak memory of the first |",
        "|---|---:|---:|---:|",
    ]
    for title, (setup, call, sizes) in CALLS.items():
        n = sizes[smoke]
        code = CODE.format(setup=setup.format(n=n), call=call, calls=2 if smoke else 10)
        command = [sys.executable, "-c", code, *(["--smoke"] if smoke else [])]
        done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        first, later, peak = json.loads(done.splitlines()[-1])
        lines.append(f"| {title.format(n=n)} | {1e3 * first:,.3g} ms | {1e3 * later:,.3g} ms | {peak / 1e6:,.0f} MB |")
    return lines
