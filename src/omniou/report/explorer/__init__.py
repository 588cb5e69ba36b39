"""The overlap explorer: a page with two boxes to move, and their scores and losses. It needs `omniou[cli]`.

The page has no second implementation of a score. The public functions run on symbolic arrays, which record their
operations as a graph. The graph is differentiated by backpropagation, and both are printed as JavaScript.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.report.explorer._functions import code
    from omniou.report.explorer._page import html

__all__ = ["code", "html"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__, {"code": "_functions", "html": "_page"})
