"""Inputs from users' reports to other libraries, and what must be kept: of hard suppression and its like."""

from typing import Any, NamedTuple

U = [0, 0, 10, 10]


class Report(NamedTuple):
    """One input of `nms.hard`."""

    where: str
    boxes: list[list[float]]
    scores: list[float]
    threshold: float
    kept: list[int]
    given: dict[str, Any] = {}  # noqa: RUF012


def _rising(height: float, threshold: float) -> Report:
    # In float32 the quotient of .6 is above .6 in float64.
    where = f"torchvision 7165: IoU equals the threshold {threshold}"
    return Report(where, [U, [0, 0, 10, height]], [0.9, 0.8], threshold, [0, 1])


HARD = [
    *(_rising(*x) for x in ((3, 0.3), (5, 0.5), (6, 0.6), (7, 0.7))),
    # torch's own sort is unstable from 17 elements on.
    Report("torchvision 2157: 17 ties", [U] * 17, [0.5] * 17, 0.5, [0]),
    Report(
        "pytorch 27542: the first of equal scores",
        [[20 * k, 0, 20 * k + 10, 10] for k in range(8)],
        [0.5] * 8,
        0.5,
        [0, 1, 2, 3],
        {"limit": 4},
    ),
    Report("CV-CUDA 292: two equal boxes", [U, U], [0.5, 0.5], 0.5, [0]),
    Report(
        "ultralytics fast NMS: what is suppressed suppresses nothing",
        [U, [3, 0, 13, 10], [6, 0, 16, 10]],
        [0.9, 0.8, 0.7],
        0.5,
        [0, 2],
    ),
    Report("ultralytics 22013: early exit", [U, [20, 20, 30, 30], [20, 20, 30, 30]], [0.9, 0.8, 0.7], 0.5, [0, 1]),
    Report(
        "yolov3 1268: groups by an offset of 7680",
        [[7680, 7680, 7700, 7700], [0, 0, 20, 20]],
        [0.9, 0.8],
        0.5,
        [0, 1],
        {"groups": [0, 1]},
    ),
    Report(
        "yolov3 1268: a high class of boxes below 1",
        [[0.5, 0.5, 0.6, 0.6], [0.54, 0.5, 0.64, 0.6]],
        [0.9, 0.8],
        0.45,
        [0, 1],
        {"groups": [79, 79]},
    ),
    Report("torchvision 7659: negative boxes", [U, [-11, -11, -1, -1]], [0.9, 0.8], 0.5, [0, 1], {"groups": [0, 1]}),
    Report("groups that are equal in float32", [U, U], [0.9, 0.8], 0.5, [0, 1], {"groups": [16777216, 16777217]}),
    Report("nanodet 544: without groups, whatever the size", [U, U], [0.9, 0.8], 0.5, [0]),
    Report("tensorflow 35482: empty boxes", [[0, 0, 0, 0], [50, 50, 50, 50]], [0.9, 0.8], 0.5, [0, 1]),
    Report("onnx: no limit", [U, [20, 20, 30, 30]], [0.9, 0.8], 0.5, [0, 1], {"limit": None}),
    Report("tensorflow 34268: 0 is not above 0", [U, [10, 0, 20, 10]], [0.9, 0.8], 0.0, [0, 1]),
    Report("0 is at least 0", [U, [10, 0, 20, 10]], [0.9, 0.8], 0.0, [0], {"inclusive": True}),
    Report(
        "openvino_notebooks 532: boxes by corners",
        [[100, 100, 110, 110], [120, 120, 130, 130]],
        [0.9, 0.8],
        0.3,
        [0, 1],
    ),
    Report(
        "openvino_notebooks 532: by corner and size",
        [[100, 100, 110, 110], [120, 120, 130, 130]],
        [0.9, 0.8],
        0.3,
        [0],
        {"format": "xywh"},
    ),
    Report("the best is tested, too", [U, U], [0.25, 0.2], 0.5, [], {"score_threshold": 0.3}),
    Report(
        "ultralytics 25043: scores before the limit", [U, U], [0.1, 0.8], 0.5, [1], {"limit": 1, "score_threshold": 0.1}
    ),
]
