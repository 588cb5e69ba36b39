"""The one place that asks for `omniou._accel`: what makes plain array code faster on one library.

Everything works without it, and results then differ by roundings (`tests/accel/test_plain.py`). The environment
variable ``OMNIOU_ACCEL`` is read once, when omniou is imported: ``off`` leaves the package out, ``numba`` also takes
the compiled loops of masks (the extra ``fast``).
"""

import functools
import importlib
import importlib.util
import os
from typing import Any

from omniou._lib import extras
from omniou._lib.tracers import recording

_CHOICES = ("off", "on", "numba")
SWITCH = os.environ.get("OMNIOU_ACCEL") or "on"


def module(name: str) -> Any:
    """The module `omniou._accel.<name>`; None where it is switched off or deleted, or torch records operations."""
    return None if recording() else _module(name)


def loops() -> Any:
    """The compiled loops of masks, `omniou._accel.numba_masks`; None unless they are asked for."""
    return _loops() if SWITCH == "numba" else None


def check() -> None:
    """ValueError for an unknown word in the environment, ImportError if loops are asked for and numba does not work."""
    if SWITCH not in _CHOICES:
        raise ValueError(f"the environment variable OMNIOU_ACCEL must be one of {', '.join(_CHOICES)}, got {SWITCH!r}")
    loops()


@functools.cache
def _module(name: str) -> Any:
    check()
    exists = SWITCH != "off" and importlib.util.find_spec("omniou._accel")
    return _imported(name) if exists else None


@functools.cache
def _loops() -> Any:
    try:
        return _imported("numba_masks")
    except Exception as error:  # whatever is wrong with numba
        raise ImportError(
            f'OMNIOU_ACCEL is "numba", but numba cannot be used: {extras.install_line("fast")} ({error})'
        ) from error


def _imported(name: str) -> Any:
    return importlib.import_module(f"omniou._accel.{name}")
