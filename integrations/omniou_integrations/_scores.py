"""Scores of boxes by name, their options, and what a box scores that has no partner."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from omniou import boxes
from omniou._lib import checks
from omniou._lib.formats import BoxFormat, layout

SCORES: dict[str, Callable[..., Any]] = {
    "iou": boxes.iou,
    "iof": boxes.iof,
    "dice": boxes.dice,
    "giou": boxes.giou,
    "diou": boxes.diou,
    "ciou": boxes.ciou,
}

# What two boxes infinitely far apart score.
MISS = {"iou": 0.0, "iof": 0.0, "dice": 0.0, "giou": -1.0, "diou": -1.0, "ciou": -1.0}


def score_choice(name: str, value: Any) -> None:
    """Raise unless `value` names a score."""
    checks.choice(name, value, SCORES)


def box_options(format: BoxFormat, offset: float, eps: float, image_size: Sequence[float] | None) -> dict[str, Any]:
    """Options of scores and losses, as they are saved."""
    size = None if image_size is None else tuple(image_size)
    return {"format": format, "offset": offset, "eps": eps, "image_size": size}


def attempt(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise for wrong options now, not in the first step of a training."""
    ndim = len(options["image_size"] or ()) or layout(options["format"])[1] or 2
    function(np.ones((1, 2 * ndim)), np.ones((1, 2 * ndim)), **options)
