"""Describe errors of centres over the distance from the ego vehicle, and J and F of video objects over frames."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from omniou._lib import checks
from omniou._lib.brief import counted
from omniou.centres import CentreResult
from omniou.report._record.charts import Curve, Drawable, Plane
from omniou.tracking.video_objects import VideoObjectResult

# Errors in nuScenes' order. Their units differ, and all are near 1 or below for a good detector.
_ERRORS = {"mATE": ("a", "translation, m"), "mASE": ("b", "scale, 1 - IoU"), "mAOE": ("c", "orientation, rad")}
# The most points of a curve: of longer videos, means of consecutive frames are drawn.
_MOST_POINTS = 200


def of_distance(bands: Mapping[tuple[float, float], CentreResult]) -> dict[str, Plane]:
    """Describe the errors and the mAP of objects by their distance from the ego vehicle: ranges in metres -> results.

    A point stands in the middle of its range.
    """
    edges = sorted({x for band in bands for x in band})
    span = (edges[0], edges[-1]) if edges else (0.0, 1.0)
    note = ", ".join(f"{a:g} to {b:g} m: {int(x.objects.sum())}" for (a, b), x in bands.items())

    def curve(name: str, style: str, words: str) -> Curve:
        points = [((a + b) / 2, _known(x.summary[name])) for (a, b), x in bands.items()]
        return Curve(points, style, words, dots=True)

    curves = [curve(name, *told) for name, told in _ERRORS.items()]
    top = max([y for x in curves for _, y in x.points if y is not None], default=1.0) or 1.0
    label = "Distance from the ego vehicle, m"
    return {
        "errors_by_distance": Plane(
            title="Errors of true positives by distance, means of the classes",
            note=f"Objects at {note}",
            told="A point stands in the middle of its range.",
            x=span,
            y=(0.0, top * 1.05),
            x_label=label,
            y_label="Error (lower is better)",
            curves=curves,
        ),
        "ap_by_distance": Plane(
            title="mAP by distance",
            note=f"Objects at {note}",
            x=span,
            x_label=label,
            y_label="mAP",
            curves=[curve("mAP", "a", "mean AP of classes and matching distances")],
        ),
    }


def _known(x: float) -> float | None:
    return None if math.isnan(x) else x


def of_frames(result: VideoObjectResult, most: int = 4) -> dict[str, Drawable]:
    """Describe J and F by frame for a page, by name: of the sequences with the lowest J&F."""
    known = {name: x["J&F"] for name, x in result.per_sequence.items() if not math.isnan(x["J&F"])}
    worst = sorted(known, key=lambda name: known[name])[:most]
    return {f"frames-{number + 1}": frames(result, name) for number, name in enumerate(worst)}


def frames(result: VideoObjectResult, sequence: Any = None) -> Plane:
    """Describe J and F of a sequence by frame, means of its objects; default: the sequence with the lowest J&F."""
    every = list(result.tracks)
    if sequence is None:
        known = {name: x["J&F"] for name, x in result.per_sequence.items() if not math.isnan(x["J&F"])}
        sequence = min(known, key=lambda name: known[name], default=next(iter(every), ""))
    sequence = checks.choice("sequence", sequence, every)
    track = result.tracks[sequence]
    first = 1 if result.task == "semi-supervised" else 0
    objects, count = track.J.shape
    step = max(1, -(-count // _MOST_POINTS))
    told = f" Each point is the mean of {step} frames." if step > 1 else ""
    numbers = result.per_sequence[sequence]
    mean = "; " + ", ".join(f"{name} {numbers[f'{name}-Mean']:.3f}" for name in "JF") if objects and count else ""
    return Plane(
        title=f"J and F of {sequence} by frame",
        note=f"{counted(objects, 'objects')}, {counted(count, 'frames')} evaluated{mean}",
        told=f"Where an object is in neither mask of a frame, both are 1.{told}",
        x=(float(first), float(max(first + count - 1, first + 1))),
        x_label="Frame, the first is 0",
        y_label="Mean of the objects",
        curves=[
            Curve(_thinned(x.mean(axis=0) if objects else x[:0].sum(axis=0)[:0], first, step), style, words)
            for x, style, words in ((track.J, "a", "J, region similarity"), (track.F, "b", "F, contour accuracy"))
        ],
    )


def _thinned(values: Any, first: int, step: int) -> Sequence[tuple[float, float]]:
    """Return means of `step` consecutive values, at the mean of their numbers: (3, 5), 1 and 2 give (1.5, 4)."""
    starts = range(0, len(values), step)
    parts = [values[k : k + step] for k in starts]
    return [(first + k + (len(x) - 1) / 2, round(float(np.mean(x)), 5)) for k, x in zip(starts, parts, strict=True)]
