"""Scores by name, of boxes and of other shapes, and their options as they are saved."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from omniou import boxes, scores
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import declared
from omniou._catalogue.sources.shapes import score_function
from omniou._inputs.kinds import KINDS, described
from omniou._lib import checks, docs
from omniou.boxes import GEOMETRY

# Kinds of shapes with one axis of numbers, by the names of the evaluator.
SHAPES = {name: x for name, x in KINDS.items() if isinstance(x, Geometry) and x.axes == 1}
_TEXT = f"Kind of boxes, as in `omniou.detection.evaluate`: {described(SHAPES)}. Each kind has its own formats."
# For docstrings.
KIND = docs.texts(kind=_TEXT)


def score_by_name(name: str, value: Any, geometry: Geometry = GEOMETRY) -> Callable[..., Any]:
    """The function of the score that `value` names, of a geometry's shapes; raises unless it names one."""
    value = checks.choice(name, value, scores)
    geometry.check_terms(value, scores[value].terms)
    if geometry is GEOMETRY:
        function: Callable[..., Any] = getattr(boxes, value)
        return function
    return _ScoreOf(value, next(kind for kind, known in SHAPES.items() if known is geometry))


class _ScoreOf:
    """A score of other shapes, which pickles as its name."""

    def __init__(self, name: str, kind: str) -> None:
        self.__name__ = name
        self._function = score_function(scores[name], SHAPES[kind])
        self._kind = kind

    def __call__(self, a: Any, b: Any, **options: Any) -> Any:
        return self._function(a, b, **options)

    def __reduce__(self) -> Any:
        return _ScoreOf, (self.__name__, self._kind)


def shapes_of(kind: Any) -> Geometry:
    """The geometry that `kind` names; raises unless it names one."""
    kind = checks.choice("kind", kind, SHAPES)
    return SHAPES[kind]


FORMATS = ("xyxy", "yxyx", "xywh", "cxcywh")


def format_of(geometry: Geometry, format: Any, name: str = "box_format", known: Sequence[str] = FORMATS) -> str:
    """Check a format: one of `known` for boxes, else one of the geometry, whose default "xyxy" stands for."""
    if geometry is GEOMETRY:
        format = checks.choice(name, format, known)
    elif format == GEOMETRY.default_format:
        format = geometry.default_format
    geometry.check_format(format, name)
    return str(format)


def miss_of(value: Any, miss: float | None) -> float:
    """Score of a box without a partner: as given, or as the named score declares it; 0 for a function."""
    if miss is not None:
        return miss
    declared_miss = scores[value].miss if isinstance(value, str) else 0.0
    if math.isinf(declared_miss):
        raise ValueError(f"`miss` must be given for score {value!r}: that of a box without a partner would be infinite")
    return declared_miss


def fitting(geometry: Geometry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without those that the geometry does not have, where they say nothing."""
    own = declared(geometry.options)
    return {
        name: x
        for name, x in options.items()
        if name in own or name not in (of_boxes := declared(GEOMETRY.options)) or x != of_boxes[name][1].default
    }


def attempt(function: Callable[..., Any], options: Mapping[str, Any], geometry: Geometry = GEOMETRY) -> None:
    """Raise for wrong options now, not in the first step of a training."""
    format = options.get("format", geometry.default_format)
    geometry.check_format(format)
    size: Sequence[float] = options.get("image_size") or ()
    numbers = 2 * len(size) if geometry is GEOMETRY and size else geometry.length(format)
    row = np.asarray([geometry.harmless(numbers)])
    function(row, row, **options)
