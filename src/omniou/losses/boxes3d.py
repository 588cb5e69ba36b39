"""Every score of `omniou.boxes3d` as a loss of upright 3-D boxes with a yaw, 1 - score.

There is a function for each: ``losses.boxes3d.giou`` and so on. All take ``format`` and ``eps`` as the scores do, and
``weight``, ``where`` and ``reduction`` as `omniou.losses` does. Yaws may have any number of turns: the gradient by a
yaw is that of the box.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.options import Boxes3DLossOptions
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes3d import GEOMETRY

_LOSSES = loss_functions(GEOMETRY, module="omniou.losses.boxes3d")
globals().update(_LOSSES)

__all__ = list(_LOSSES)


class Boxes3DLoss(Protocol):
    """A loss of 3-D boxes; the reference says more of each."""

    def __call__(
        self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[Boxes3DLossOptions]
    ) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> Boxes3DLoss: ...
