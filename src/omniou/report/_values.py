"""From arrays and floats to the values of JSON."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any


def plain(x: Any) -> Any:
    """Arrays of any library, dataclasses, mappings, numbers -> lists, dicts, and None for NaN and infinity."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {f.name: plain(getattr(x, f.name)) for f in dataclasses.fields(x)}
    if isinstance(x, Mapping):
        return {str(key): plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [plain(value) for value in x]
    if hasattr(x, "tolist"):
        return plain(x.tolist())
    return None if isinstance(x, float) and not math.isfinite(x) else x
