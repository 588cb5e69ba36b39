"""A second way for what takes most of the time: loops, compiled by numba, beside which other threads run.

They compute what `_kernels` does, file by file of the same name and to the last bit, where numba is installed; they put
detections in order, and read the numbers of polygons in JSON. Those of masks know good input alone, and say so if
theirs is not: the kernels, or msgspec, are asked then, and what is around them names the fault.
"""

import functools
import importlib
import os
from typing import Any

_SWITCH = "OMNIOU_LOOPS"
NAMES = ("curves", "matching", "polygons", "records", "rle")

# Masks from which on loading the loops takes less time than they save; boxes, matched or ranked, and characters of JSON
# that save as much as one mask.
_MANY, _BOXES, _CHARACTERS = 100_000, 300, 3_000


class _Met:
    """Masks that were made so far, or what takes as long."""

    masks: float = 0


def met(masks: int = 0, *, boxes: int = 0, characters: int = 0) -> None:
    """So many more masks are made, boxes matched or ranked, characters of JSON read."""
    _Met.masks += masks + boxes / _BOXES + characters / _CHARACTERS


def worth(masks: int = 0) -> bool:
    """Whether to go by loops, with so many more masks to come: once loading them would have paid."""
    return _Met.masks + masks >= _enough() and load("polygons", "rle")


def get(name: str) -> Any:
    """The loops of a name; None where arrays are to do it."""
    return importlib.import_module(f"omniou._loops.{name}") if _Met.masks >= _enough() and load(name) else None


def _enough() -> float:
    """Masks from which on loops are taken; the user may say always, or never."""
    said = os.environ.get(_SWITCH, "")
    if said not in (limits := {"": _MANY, "always": 0, "never": float("inf")}):
        msg = f"the environment variable {_SWITCH} must be 'always', 'never' or not set, got {said!r}"
        raise ValueError(msg)
    return limits[said]


def check() -> None:
    """ValueError if the user says what is neither, ImportError if they want loops always, and those do not work."""
    if _enough() == 0:
        load()


def fixed(*arrays: Any) -> tuple[Any, ...]:
    """NumPy arrays, contiguous and not to be written to: loops would be compiled for every other kind again."""
    found = tuple((x if x.flags.c_contiguous else x.copy()).view() for x in arrays)
    for x in found:
        x.flags.writeable = False
    return found


def load(*names: str) -> bool:
    """Whether loops of these names can be used, or all. What they are compiled to is kept for the next process."""
    fault = next(filter(None, map(_fault, names or NAMES)), None)
    if fault and os.environ.get(_SWITCH) == "always":
        msg = f"{_SWITCH} is 'always', but compiled loops, as of `pip install omniou[fast]`, cannot be used: {fault}"
        raise ImportError(msg) from fault
    return fault is None


@functools.cache
def _fault(name: str) -> Exception | None:
    try:
        importlib.import_module(f"omniou._loops.{name}").try_out()
    except Exception as error:  # noqa: BLE001  # whatever is wrong with numba, with what it kept, or with where it keeps it
        return error
    return None
