"""Every score of `omniou.rotated` as a loss of rotated rectangles, 1 - score.

There is a function for each score: ``losses.rotated.giou`` and so on. All take ``format`` and ``eps`` like the scores,
and ``weight``, ``where`` and ``reduction`` like `omniou.losses`. Angles may have any number of turns: the gradient is
the same.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.losses._written import rotated as _written
from omniou.losses._written.rotated import *  # noqa: F403  (all functions that follow from declarations)

__all__: list[str] = []
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
