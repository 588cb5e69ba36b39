"""Convert boxes of an image for Weights & Biases and FiftyOne, to plain values, without these libraries."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from omniou import boxes
from omniou._inputs import dicts
from omniou._inputs.kinds import ShapeRows
from omniou._lib import checks
from omniou.report._record.series import Numbers
from omniou.report._record.values import array, integers

__all__ = ["fiftyone_detections", "wandb_boxes"]


def wandb_boxes(
    *,
    targets: Mapping[str, Any] | None = None,
    detections: Mapping[str, Any] | None = None,
    names: Mapping[int, str] | None = None,
    format: str = "xyxy",
) -> dict[str, Any]:
    """Return the boxes of one image as ``wandb.Image(pixels, boxes=...)`` takes them.

    Parameters
    ----------
    targets, detections : dict, optional
        Boxes of the image in pixels, as a dictionary of `evaluate`: "boxes", "labels" and, for detections, "scores".
    names : mapping of int to str, optional
        Names of the classes by label. Default: the labels.
    format : str
        Order of the coordinates, as `boxes.convert` has them.

    Returns
    -------
    dict
        "ground_truth" and "predictions", each if it is given.

    Raises
    ------
    TypeError, ValueError
        If a key is missing, or the shapes do not fit.

    Examples
    --------
    >>> from omniou import report
    >>> found = {"boxes": [[1, 2, 5, 8]], "labels": [3], "scores": [0.5]}
    >>> made = report.wandb_boxes(detections=found, names={3: "cat"})
    >>> made["predictions"]["box_data"][0]["box_caption"]
    'cat 0.50'
    """
    checks.mappings(targets=targets, detections=detections, names=names)
    given = {"ground_truth": ("targets", targets), "predictions": ("detections", detections)}
    out = {}
    for key, (name, row) in given.items():
        if row is None:
            continue
        corners, labels, scores = _columns(name, row, format)
        called = {label: (names or {}).get(label, str(label)) for label in labels}
        data: list[dict[str, Any]] = []
        for k, ((x, y, right, bottom), label) in enumerate(zip(corners.tolist(), labels, strict=True)):
            box = {
                "position": {"minX": x, "minY": y, "maxX": right, "maxY": bottom},
                "domain": "pixel",
                "class_id": label,
                "box_caption": called[label],
            }
            more = {"box_caption": f"{called[label]} {scores[k]:.2f}", "scores": {"score": scores[k]}} if scores else {}
            data.append(box | more)
        out[key] = {"box_data": data, "class_labels": called | dict(names or {})}
    return out


def fiftyone_detections(
    row: Mapping[str, Any],
    /,
    *,
    size: tuple[float, float],
    names: Mapping[int, str] | None = None,
    format: str = "xyxy",
) -> list[dict[str, Any]]:
    """Return the boxes of one image as ``fiftyone.Detection(**x)`` takes each.

    Parameters
    ----------
    row : dict
        Boxes in pixels: "boxes", "labels" and, for detections, "scores".
    size : pair of float
        Height and width of the image.
    names : mapping of int to str, optional
        Names of the classes by label. Default: the labels.
    format : str
        Order of the coordinates, as `boxes.convert` has them.

    Returns
    -------
    list of dict
        "label", "bounding_box" (left, top, width and height as shares of the image) and, of detections, "confidence".

    Raises
    ------
    TypeError, ValueError
        If a key is missing, the shapes do not fit, or the size is not positive.

    Examples
    --------
    >>> from omniou import report
    >>> report.fiftyone_detections(
    ...     {"boxes": [[20, 10, 60, 30]], "labels": [3], "scores": [0.5]}, size=(100, 200), names={3: "cat"}
    ... )
    [{'label': 'cat', 'bounding_box': [0.1, 0.1, 0.2, 0.2], 'confidence': 0.5}]
    """
    checks.instance("row", row, Mapping, "a dictionary of one image")
    checks.mappings(names=names)
    height, width = (checks.number("size", x) for x in checks.items("size", size, "height and width"))
    if not (height > 0 and width > 0):
        raise ValueError(f"`size` must be height and width above 0, got {size!r}")
    table = "detections" if {"scores", "confidence"} & {*row} else "targets"
    corners, labels, scores = _columns(table, row, format)
    sides = np.asarray(boxes.convert(corners, "xyxy", "xywh")) / np.asarray([width, height, width, height])
    called = [(names or {}).get(label, str(label)) for label in labels]
    made: list[dict[str, Any]] = [
        {"label": name, "bounding_box": box} for name, box in zip(called, sides.tolist(), strict=True)
    ]
    return [x | {"confidence": score} for x, score in zip(made, scores, strict=True)] if scores else made


def _columns(name: str, given: Mapping[str, Any], format: str) -> tuple[Numbers, list[int], list[float]]:
    """Return corners (N, 4), labels, and scores, which are empty for targets."""
    format = checks.choice("format", format, boxes.GEOMETRY.formats)
    declared = dicts.keys(name, "boxes", numbers=4, rows=ShapeRows(format=format))
    values = dicts.joined(name, [dicts.row(name, given, declared)], declared)
    corners = array(values["boxes"]).astype(np.float64)
    if corners.size and corners.shape[1:] != (4,):
        raise ValueError(f"`{name}['boxes']` must have shape (N, 4), got {corners.shape}")
    corners = corners.reshape(-1, 4)
    scores = [float(x) for x in array(values["scores"]).tolist()] if "scores" in values else []
    labels = integers(f"{name}['labels']", values["labels"]).tolist()
    return np.asarray(boxes.convert(corners, format, "xyxy")), labels, scores
