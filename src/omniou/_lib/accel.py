"""The one place that asks for `omniou._accel`: what makes plain array code faster on one library.

Everything works without it, to the same bits. The environment variable ``OMNIOU_ACCEL`` is read once, when omniou is
imported: ``off`` leaves the package out, ``numba`` also takes the compiled loops of masks (the extra ``fast``).
"""

import importlib
import importlib.util
import os
from typing import Any

from omniou._lib import backends

_CHOICES = ("off", "on", "numba")


def _read_switch() -> str:
    switch = os.environ.get("OMNIOU_ACCEL") or "on"
    if switch not in _CHOICES:
        msg = f"`OMNIOU_ACCEL` must be one of {', '.join(_CHOICES)}, got {switch!r}"
        raise ValueError(msg)
    return switch if importlib.util.find_spec("omniou._accel") else "off"


SWITCH = _read_switch()
_LOADED: dict[str, Any] = {}


def module(name: str) -> Any:
    """The module `omniou._accel.<name>`; None where the package is switched off or deleted, or torch.compile traces."""
    if SWITCH == "off" or backends.compiling():
        return None
    if name not in _LOADED:
        _LOADED[name] = importlib.import_module(f"omniou._accel.{name}")
    return _LOADED[name]
