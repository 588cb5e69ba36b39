"""Convert arrays and floats to the values of JSON."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib import host


def array(x: Any, /) -> npt.NDArray[Any]:
    """Convert an array of any library and device, or lists with None, to NumPy."""
    if isinstance(x, list | tuple):
        return np.asarray(x, dtype=np.float64)
    return np.asarray(host.to_numpy({"x": x})[1]["x"])


def integers(name: str, x: Any, /) -> npt.NDArray[np.int64]:
    """Convert a column of labels to NumPy; raise unless it holds integers, since 1.5 would be drawn as 1."""
    found = np.asarray(x) if isinstance(x, list | tuple) else array(x)
    if found.size and found.dtype.kind not in "iu":
        raise TypeError(f"`{name}` must hold integers, got {found.dtype}: `names` gives them words")
    return found.astype(np.int64)


_PLAIN = {str, int, bool, float, type(None)}


def plain(x: Any) -> Any:
    """Convert arrays, dataclasses, mappings and numbers to lists and dicts, with None for NaN and infinity."""
    if type(x) not in _PLAIN:
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            return {f.name: plain(getattr(x, f.name)) for f in dataclasses.fields(x)}
        if isinstance(x, Mapping):
            return {str(key): plain(value) for key, value in x.items()}
        if isinstance(x, list | tuple):
            return [plain(value) for value in x]
        if hasattr(x, "dtype"):
            return plain(array(x).tolist())
    return None if isinstance(x, float) and not math.isfinite(x) else x
