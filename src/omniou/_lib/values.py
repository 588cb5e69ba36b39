"""Checks of values, which wait for the device: made only by the functions called `check`."""

from collections.abc import Mapping
from typing import Any

from omniou._lib import host
from omniou._lib.types import Namespace


def raise_first(name: str, x: Any, faults: Mapping[str, Any], /, *, hint: str = "", xp: Namespace) -> None:
    """Raise for the first of the rows (..., K) that has a fault; `faults` are booleans (...) by description."""
    host.check_values({name: x})
    for fault, bad in faults.items():
        rows = xp.reshape(bad, (-1,))
        if not xp.any(rows):
            continue
        first = int(xp.argmax(xp.astype(rows, xp.uint8)))
        row = xp.reshape(x, (-1, x.shape[-1]))[first, ...]
        numbers = [float(row[k]) for k in range(row.shape[0])]
        msg = f"`{name}{position(first, bad.shape)}` {fault} in {numbers}{hint}"
        raise ValueError(msg)


def position(flat: int, shape: tuple[int, ...]) -> str:
    """Index into the flattened array -> `[i, j]`, or nothing for a single row."""
    index: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.insert(0, rest)
    return str(index) if index else ""
