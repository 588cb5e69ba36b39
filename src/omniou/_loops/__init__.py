"""A second way for what takes most of the time of many masks: loops, compiled by numba, beside which other threads run.

They compute what `_kernels` does, file by file of the same name and to the last bit, where numba is installed; and they
read the numbers of polygons in JSON. They know good input alone, and say so if theirs is not: the kernels, or msgspec,
are asked then, and what is around them names the fault.
"""

import functools
import importlib
from typing import Any

# Masks from which on loading the loops takes less time than they save.
_MANY = 100_000


class _Met:
    """Masks that were made so far."""

    masks = 0


def met(masks: int) -> None:
    """So many more are made."""
    _Met.masks += masks


def worth(masks: int = 0) -> bool:
    """Whether to go by loops, with so many more masks to come: once loading them would have paid."""
    return _Met.masks + masks >= _MANY and load()


def get(name: str) -> Any:
    """The loops of a name; None where arrays are to do it."""
    return importlib.import_module(f"omniou._loops.{name}") if worth() else None


def fixed(*arrays: Any) -> tuple[Any, ...]:
    """NumPy arrays, contiguous and not to be written to: loops would be compiled for every other kind again."""
    found = tuple((x if x.flags.c_contiguous else x.copy()).view() for x in arrays)
    for x in found:
        x.flags.writeable = False
    return found


@functools.cache
def load() -> bool:
    """Whether the loops can be used. What they are compiled to is kept for the next process."""
    try:
        for name in ("polygons", "rle"):
            importlib.import_module(f"omniou._loops.{name}").try_out()
    except Exception:  # noqa: BLE001  # whatever is wrong with numba, with what it kept, or with where it keeps it
        return False
    return True
