"""Every score of `omniou.scores` as a loss of boxes, 1 - score, for whatever library takes the gradient.

There is a function for each: ``losses.iou``, ``losses.giou`` and so on. All take ``format``, ``offset``, ``eps`` and
``image_size`` as `omniou.boxes` does, ``weight``, ``where`` and ``reduction``, and ``inverted``: what becomes of a
predicted box whose high corner lies below its low one. By default it costs how far it is inverted, so that a net that
puts out raw corners learns to turn it round.

`omniou.losses.rotated`, `omniou.losses.polygons` and `omniou.losses.boxes3d` have the losses of rotated rectangles, of
polygons and of 3-D boxes with a yaw.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._functions import loss_functions
from omniou._lib.types import ArrayLike, ArrayT
from omniou._options import BoxLossOptions, CIoULossOptions, Inverted, IoULossOptions, Reduction
from omniou.boxes import GEOMETRY
from omniou.losses import boxes3d, polygons, rotated

_LOSSES = loss_functions(GEOMETRY, module="omniou.losses")
globals().update(_LOSSES)

__all__ = ["Inverted", "Reduction", "boxes3d", "polygons", "rotated"]
__all__ += list(_LOSSES)


class BoxLoss(Protocol):
    """A loss of boxes; the reference says more of each."""

    def __call__(self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[BoxLossOptions]) -> ArrayT: ...


if TYPE_CHECKING:

    class IoULoss(Protocol):
        """The same with `log` and `floor`."""

        def __call__(
            self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[IoULossOptions]
        ) -> ArrayT: ...

    class CIoULoss(Protocol):
        """The same with `detach_alpha`."""

        def __call__(
            self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[CIoULossOptions]
        ) -> ArrayT: ...

    iou: IoULoss
    ciou: CIoULoss

    def __getattr__(name: str) -> BoxLoss: ...
