"""Scores of boxes by name, and their options as they are saved."""

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


def attempt(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise for wrong options now, not in the first step of a training."""
    GEOMETRY.check_format(options.get("format", "xyxy"))
    lengths = GEOMETRY.formats[options.get("format", "xyxy")]
    size: Sequence[float] = options.get("image_size") or ()
    numbers = 2 * len(size) or (4 if 4 in lengths else lengths[0])
    row = np.asarray([GEOMETRY.harmless(numbers)])
    function(row, row, **options)
