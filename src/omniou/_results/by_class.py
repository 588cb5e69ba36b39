"""Read the dictionary that a metric of torchmetrics computes: numbers, and vectors of classes."""

from collections.abc import Iterator, Mapping
from typing import Any

from omniou._lib import checks

# The end of the names of vectors that need the ids of classes, and of the key that has these ids.
VECTOR, IDS = "_per_class", "classes"


def numbers(result: Mapping[Any, Any], where: str = "result") -> Iterator[tuple[str, Any, Any]]:
    """Yield name, class and number; the class is None for a number of all classes, else the id of the class.

    "map_per_class" has the classes of "classes", also with one prefix before both, or before the vector only. Other
    vectors have the classes 0, 1, .... Excluded: tables of two or more axes, curves of several arrays, and
    "map_per_class" without classes.

    Raises
    ------
    TypeError
        If a value is neither a number nor an array.
    """
    for key, value in result.items():
        name, here = str(key), f"{where}[{key!r}]"
        if isinstance(value, Mapping):  # the results of a task; the overlaps of pairs have no names
            own = {x: y for x, y in value.items() if isinstance(x, str)}
            yield from ((f"{name}/{inner}", label, number) for inner, label, number in numbers(own, here))
        elif not hasattr(value, "shape") and not isinstance(value, list | tuple):
            checks.instance(here, value, float | int | None, "a number or an array")
            yield name, None, value
        elif not (name.endswith(IDS) or _is_curve(value)):
            yield from _of_array(name, value, result)


def _of_array(name: str, value: Any, result: Mapping[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    shape = tuple(getattr(value, "shape", (len(value),) if isinstance(value, list | tuple) else ()))
    flat = value.reshape(-1) if hasattr(value, "reshape") else value
    if name.endswith(VECTOR):
        ids = _classes(name, result)
        # torchmetrics has a number below 0 or NaN where classes were not asked for.
        if len(ids) == len(flat) and (shape or flat[0] >= 0):
            yield from ((name.removesuffix(VECTOR), k, flat[row]) for row, k in enumerate(ids))
    elif all(side == 1 for side in shape):
        yield name, None, flat[0]
    elif len(shape) == 1:
        yield from ((name, k, flat[k]) for k in range(shape[0]))


def _is_curve(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(getattr(x, "ndim", 0) or isinstance(x, list | tuple) for x in value)


def _classes(name: str, result: Mapping[Any, Any]) -> list[Any]:
    """Return the ids of the classes of a vector, from the longest key that is a prefix of its name and "classes"."""
    keys = [x for x in result if isinstance(x, str) and x.endswith(IDS) and name.startswith(x.removesuffix(IDS))]
    return result[max(keys, key=len)].reshape(-1).tolist() if keys else []
