"""What people see of an evaluation: pictures, and a page.

Each name is imported when it is first asked for: matplotlib and jinja2 are needed by what uses them alone.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omniou.report._draw import draw
    from omniou.report.plots import against_iou, plot

__all__ = ["against_iou", "draw", "plot"]

_MODULES = {"against_iou": "plots", "draw": "_draw", "plot": "plots"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'omniou.report' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(importlib.import_module(f"omniou.report.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
