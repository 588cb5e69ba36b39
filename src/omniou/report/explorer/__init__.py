"""The overlap explorer: a page with two boxes to move, and all that omniou says of them. It needs `omniou[cli]`.

What the page computes is no second implementation. The public functions run on the arrays of a library of this package,
which records their operations; the record is differentiated backwards, and both are printed as JavaScript.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omniou.report.explorer._functions import code
    from omniou.report.explorer._page import html

__all__ = ["code", "html"]

_MODULES = {"code": "_functions", "html": "_page"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'omniou.report.explorer' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(importlib.import_module(f"omniou.report.explorer.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
