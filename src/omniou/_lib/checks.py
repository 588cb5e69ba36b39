"""Checks of static facts: shapes, choices, options. Each error names the argument, the requirement, what came."""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from omniou._lib import near, tracers

# What options are made of. Caches compare these by value, as JAX does with static arguments.
PLAIN = frozenset({int, float, bool, str, type(None)})


def plain(value: Any) -> Any:
    """Return the Python number, bool or text that a scalar of an array library holds; any other value unchanged.

    A tracer has no number, and the gradient of a tensor that requires one would be lost, so both stay as they are.
    """
    if type(value) in PLAIN:
        return value
    if isinstance(value, str):
        return str.__str__(value)  # of np.str_
    # "float32" of "torch.float32" and of NumPy's dtypes of any byte order.
    dtype = getattr(value, "dtype", None)
    convert = _OF_DTYPE.get(str(getattr(dtype, "name", dtype)).rpartition(".")[2].rstrip("0123456789"))
    if convert is None or value.shape != () or getattr(value, "requires_grad", False) or not tracers.has_values(value):
        return value
    try:
        return convert(value)
    except (TypeError, ValueError, RuntimeError):  # a placeholder of a graph
        return value


_OF_DTYPE = {"bool": bool, "int": int, "uint": int, "float": float, "bfloat": float, "str": str}


def choice(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    allowed, value = tuple(allowed), plain(value)
    if not isinstance(value, tuple({type(x) for x in allowed})) or isinstance(value, bool) or value not in allowed:
        raise ValueError(
            f"`{name}` must be one of {', '.join(map(repr, allowed))}, got {value!r}{near.hint(value, allowed)}"
        )
    return value


def instance(name: str, value: Any, kind: Any, what: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be {what}, got {type(value).__name__}{near.reader_hint(value, what)}")
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
    given, value = value, plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if not _converts(value, "__float__"):
            raise TypeError(f"`{name}` must be a number, got {_came(given, type(given).__name__)}")
        value = float(value)
    if nan and value != value:  # noqa: PLR0124  (NaN; torch.compile cannot trace `isnan`)
        return math.nan  # one NaN, which equals itself in the keys of caches
    # Not `isfinite`, which torch.compile cannot trace for a number that may change.
    if not (-math.inf < value < math.inf and value >= least and value > above and value < below):
        bounds = [f"above {above:g}"] if above > -math.inf else ["finite"]
        bounds += [f"at least {least:g}"] if least > -math.inf else []
        bounds += [f"below {below:g}"] if below < math.inf else []
        raise ValueError(f"`{name}` must be {' and '.join(bounds)}, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"`{name}` must be finite in float64, got an integer of {len(str(value))} digits") from None


def _converts(value: Any, method: str) -> bool:
    """Whether a number without a dtype has a method of Python's numbers, such as a fraction; a bool is not a number."""
    return hasattr(value, method) and not isinstance(value, (bool, str, bytes)) and not hasattr(value, "dtype")


def _came(value: Any, shown: str) -> str:
    """What came in place of a number, and for an array why it is none."""
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return shown
    if getattr(value, "requires_grad", False):
        return "a tensor that requires a gradient, which options do not have: pass `x.item()`"
    if not tracers.has_values(value):
        return f"{type(value).__name__}, whose value is not known while a function is traced: pass a Python number"
    return f"{type(value).__name__} of shape {tuple(value.shape)}" if tuple(value.shape) else repr(value)


def scoring(name: str, value: Any) -> Any:
    if not callable(value):
        raise TypeError(f"`{name}` must be a function of two arrays, such as `boxes.iou`, got {value!r}")
    return value


def fields(record: Any, **checked: Any) -> None:
    """Put checked values into the fields of a frozen dataclass, while it is made."""
    for name, value in checked.items():
        object.__setattr__(record, name, value)


def flag(name: str, value: Any) -> bool:
    return bool(instance(name, plain(value), bool, "True or False"))


def mappings(**given: Any) -> None:
    """Raise for an argument that is neither a mapping nor None."""
    for name, value in given.items():
        if value is not None:
            instance(name, value, Mapping, "a mapping")


def items(name: str, value: Any, what: str) -> tuple[Any, ...]:
    """The items of a collection; a text and an array without axes are none."""
    if isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) == 0 or not isinstance(value, Iterable):
        raise TypeError(f"`{name}` must be {what}, got {type(value).__name__}")
    return tuple(map(plain, value))


def several(value: Any) -> tuple[Any, ...] | None:
    """The items of a list, a tuple or an array with one axis, in Python's numbers; None for anything else."""
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    return tuple(map(plain, value)) if listed or getattr(value, "ndim", None) == 1 else None


def plain_option(value: Any) -> Any:
    """An option as JSON and texts have it: its numbers are Python's, also in lists, mappings and arrays of one axis."""
    if isinstance(value, dict):
        return {plain(name): plain_option(x) for name, x in value.items()}
    if isinstance(value, set):
        return set(map(plain, value))
    listed = several(value) if isinstance(value, (list, tuple)) or hasattr(value, "dtype") else None
    if listed is None:
        return plain(value)
    made = map(plain_option, listed)
    return tuple(made) if type(value) is tuple else list(made)


def integers(name: str, value: Any, what: str) -> tuple[int, ...]:
    """Several integers of at least 0."""
    listed = several(value)
    if listed is None or not all(type(x) is int and x >= 0 for x in listed):
        raise TypeError(f"`{name}` must be {what} of integers of at least 0, got {value!r}")
    return listed


def _integral(value: Any) -> int | None:
    value = plain(value)
    if type(value) is int:
        return value
    return operator.index(value) if _converts(value, "__index__") else None


def integer(name: str, value: Any) -> int:
    if (number := _integral(value)) is None:
        raise TypeError(f"`{name}` must be an integer, got {_came(value, repr(value))}")
    return number


def labels(name: str, value: Any, what: str = "an integer") -> tuple[int, ...]:
    """One label, several or None -> the labels, each once, in order."""
    every = tuple(value) if isinstance(value, (set, frozenset)) else several(value)
    if every is None:
        every = () if value is None else (value,)
    numbers = [_integral(label) for label in every]
    if None in numbers:
        came = _came(value, repr(value))
        raise TypeError(f"`{name}` must be {what}, got {came}; several labels are a list of integers")
    return tuple(sorted({number for number in numbers if number is not None}))


def _is_wrapped(value: Any) -> bool:
    """Whether this may be 255 + 1 in 8 bits."""
    return type(plain(value)) is int and getattr(getattr(value, "dtype", None), "itemsize", 8) < 4 and value < 1


def count(name: str, value: Any) -> int:
    if (number := _integral(value)) is None or number < 1:
        wraps = f", and {value.dtype} starts anew after its highest: pass `int(x) + 1`" if _is_wrapped(value) else ""
        raise ValueError(f"`{name}` must be a positive integer, got {_came(value, repr(plain(value)))}{wraps}")
    return number


def interval(low: Any, high: Any) -> tuple[float, float]:
    ends = number("low", low), number("high", high)
    if not ends[0] < ends[1]:
        raise ValueError(f"`low` must be below `high`, got {low!r} and {high!r}")
    return ends


def sides(name: str, value: Any) -> tuple[float, float]:
    """Height and width of an image."""
    listed = items(name, value, "height and width")
    if len(listed) != 2:
        raise ValueError(f"`{name}` must be height and width, got {value!r}")
    height, width = (number(name, x, above=0.0) for x in listed)
    return height, width


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
