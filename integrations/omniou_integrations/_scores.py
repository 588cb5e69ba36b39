"""Scores of boxes by name, and their options as they are saved."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from omniou import boxes, scores
from omniou._lib import checks
from omniou.boxes import GEOMETRY


def score_by_name(name: str, value: Any) -> Callable[..., Any]:
    """The function of the score that `value` names; raises unless it names one."""
    checks.choice(name, value, scores)
    function: Callable[..., Any] = getattr(boxes, value)
    return function


def miss_of(value: Any, miss: float | None) -> float:
    """Score of a box without a partner: as given, or as the named score declares it; 0 for a function."""
    if miss is not None:
        return miss
    declared = scores[value].miss if isinstance(value, str) else 0.0
    if math.isinf(declared):
        msg = f"`miss` must be given for score {value!r}: that of a box without a partner would be infinite"
        raise ValueError(msg)
    return declared


def attempt(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise for wrong options now, not in the first step of a training."""
    GEOMETRY.check_format(options.get("format", "xyxy"))
    lengths = GEOMETRY.formats[options.get("format", "xyxy")]
    size: Sequence[float] = options.get("image_size") or ()
    numbers = 2 * len(size) or (4 if 4 in lengths else lengths[0])
    row = np.asarray([GEOMETRY.harmless(numbers)])
    function(row, row, **options)
