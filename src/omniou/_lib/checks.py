"""Checks of static facts: shapes, choices, options. Each error names the argument, the requirement, what came."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from omniou._lib import near


def choice(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    allowed = tuple(allowed)
    if not isinstance(value, tuple({type(x) for x in allowed})) or isinstance(value, bool) or value not in allowed:
        raise ValueError(
            f"`{name}` must be one of {', '.join(map(repr, allowed))}, got {value!r}{near.hint(value, allowed)}"
        )
    return value


def instance(name: str, value: Any, kind: Any, what: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be {what}, got {type(value).__name__}")
    return value


def number(
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    nan: bool = False,
) -> float:
    """A finite Python number: it is part of the formula, and compiled into it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"`{name}` must be a number, got {type(value).__name__}")
    if nan and value != value:  # noqa: PLR0124  (NaN; torch.compile cannot trace `isnan`)
        return math.nan  # one NaN, which equals itself in the keys of caches
    # Not `isfinite`, which torch.compile cannot trace for a number that may change.
    if not (-math.inf < value < math.inf and value >= least and value > above and value < below):
        bounds = [f"above {above:g}"] if above > -math.inf else ["finite"]
        bounds += [f"at least {least:g}"] if least > -math.inf else []
        bounds += [f"below {below:g}"] if below < math.inf else []
        raise ValueError(f"`{name}` must be {' and '.join(bounds)}, got {value!r}")
    return float(value)


def scoring(name: str, value: Any) -> Any:
    if not callable(value):
        raise TypeError(f"`{name}` must be a function of two arrays, such as `boxes.iou`, got {value!r}")
    return value


def flag(name: str, value: Any) -> bool:
    return bool(instance(name, value, bool, "True or False"))


def mappings(**given: Any) -> None:
    """Raise for an argument that is neither a mapping nor None."""
    for name, value in given.items():
        if value is not None:
            instance(name, value, Mapping, "a mapping")


def items(name: str, value: Any, what: str) -> tuple[Any, ...]:
    """The items of a collection; a text and an array without axes are none."""
    if isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) == 0 or not isinstance(value, Iterable):
        raise TypeError(f"`{name}` must be {what}, got {type(value).__name__}")
    return tuple(value)


def integer(name: str, value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    return value


def labels(name: str, value: Any, what: str = "an integer") -> tuple[int, ...]:
    """One label, several or None -> the labels, each once, in order."""
    several = isinstance(value, (list, tuple, set, frozenset, range))
    every = tuple(value) if several else () if value is None else (value,)
    for label in every:
        if type(label) is not int:
            raise TypeError(f"`{name}` must be {what}, got {value!r}; several labels are a list of integers")
    return tuple(sorted(set(every)))


def count(name: str, value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"`{name}` must be a positive integer, got {value!r}")
    return value


def interval(low: Any, high: Any) -> tuple[float, float]:
    ends = number("low", low), number("high", high)
    if not ends[0] < ends[1]:
        raise ValueError(f"`low` must be below `high`, got {low!r} and {high!r}")
    return ends


def broadcast(**shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Shapes by name -> the shape they broadcast to."""
    out: list[Any] = [1] * max(map(len, shapes.values()))
    for shape in shapes.values():
        for axis in range(-len(shape), 0):
            # None is a length that a TensorFlow graph does not know yet, so it may broadcast.
            if shape[axis] in (1, out[axis]) or (shape[axis] is None and out[axis] != 1):
                continue
            if out[axis] not in (1, None):
                listing = " and ".join(f"{s} for `{name}`" for name, s in shapes.items())
                raise ValueError(f"leading axes must broadcast, got {listing}")
            out[axis] = shape[axis]
    return tuple(out)


def share(name: str, value: Any) -> float:
    """A Python number in [0, 1]."""
    out = number(name, value)
    if not 0.0 <= out <= 1.0:
        raise ValueError(f"`{name}` must be in [0, 1], got {value!r}")
    return out
