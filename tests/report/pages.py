"""A small evaluation with names that would do harm if a page took them for markup."""

import random

from omniou import detection, report
from omniou.data import Finding

SCRIPT = "<script>alert(1)</script>"
NAMES = {1: SCRIPT, 2: '"><img src=x onerror=alert(2)>', 3: "</script><b>&amp; $x$", 4: "never there"}
IMAGES = {k: f"<i>{k}</i>.png" for k in range(12)}


def evaluated(shift=1.0, images=12):
    """Three classes in each image, found ever worse."""
    numbers = random.Random(0)  # noqa: S311  (no secret)
    truth, found = [], []
    for k in range(images):
        boxes = [[x, 10.0 * k, x + 30, 10.0 * k + 30] for x in (0.0, 40.0, 80.0)]
        truth.append({"boxes": boxes, "labels": [1, 2, 3]})
        moved = [[x + shift * k * numbers.random() * 3, *rest] for x, *rest in boxes]
        scores = [round(0.95 - 0.05 * k - 0.1 * n, 4) for n in range(3)]
        found.append({"boxes": [*moved, [200, 0, 230, 30]], "labels": [1, 2, 1, 2], "scores": [*scores, 0.77]})
    return detection.evaluate(truth, found, classes=list(NAMES))


def recorded(result, **more):
    """With all analyses and intervals."""
    sizes = dict.fromkeys(range(12), (200.0, 300.0))
    hostile = {
        "warnings": [Finding(code="x", text=SCRIPT, evidence=SCRIPT, hint=SCRIPT, path=SCRIPT)],
        "assumptions": [SCRIPT],
        "options": {SCRIPT: SCRIPT},
        "inputs": [report.Input(role="detections", path=SCRIPT, format=SCRIPT, sha256="0", files=1, bytes=5)],
    }
    given = {"names": NAMES, "images": IMAGES, "sizes": sizes, "analyses": report.ANALYSES, "samples": 20}
    return report.record(result, **(given | hostile | {"intervals": ["AP", "AP50"]} | more))
