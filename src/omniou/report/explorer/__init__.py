"""The overlap explorer: a page with two boxes to move, and all that omniou says of them. It needs `omniou[cli]`.

The page has no second implementation of a score. The public functions run on the arrays of a library of this package,
which records their operations; the record is differentiated backwards, and both are printed as JavaScript.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.report.explorer._functions import code
    from omniou.report.explorer._page import html

__all__ = ["code", "html"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__, {"code": "_functions", "html": "_page"})
