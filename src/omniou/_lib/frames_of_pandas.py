"""Frames of pandas, which omniou does not install."""

import importlib
from collections.abc import Mapping
from typing import Any


def frame_of(columns: Mapping[str, Any], /) -> Any:
    """A pandas `DataFrame` of columns by name."""
    name = "pandas"
    try:
        return importlib.import_module(name).DataFrame(dict(columns))
    except ModuleNotFoundError:
        raise ModuleNotFoundError("`to_pandas` needs pandas: pip install pandas", name=name) from None
