"""Every score of `omniou.rotated` as a loss of rotated rectangles, 1 - score.

There is a function for each: ``losses.rotated.giou`` and so on. All take ``format`` and ``eps`` as the scores do, and
``weight``, ``where`` and ``reduction`` as `omniou.losses` does. Angles may have any number of turns: the gradient by an
angle is that of the rectangle.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.options import RotatedLossOptions
from omniou._lib.types import ArrayLike, ArrayT
from omniou.rotated import GEOMETRY

_LOSSES = loss_functions(GEOMETRY, module="omniou.losses.rotated")
globals().update(_LOSSES)

__all__ = list(_LOSSES)


class RotatedLoss(Protocol):
    """A loss of rotated rectangles; the reference says more of each."""

    def __call__(
        self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[RotatedLossOptions]
    ) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> RotatedLoss: ...
