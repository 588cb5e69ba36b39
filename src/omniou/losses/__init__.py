"""Every score of `omniou.scores` as a loss of boxes, 1 - score, for whatever library takes the gradient.

There is a function for each: ``losses.iou``, ``losses.giou`` and so on. All take ``format``, ``offset``, ``eps`` and
``image_size`` as `omniou.boxes` does, ``weight``, ``where`` and ``reduction``, and ``inverted``: what becomes of a
predicted box whose high corner lies below its low one. By default it costs how far it is inverted, so that a net that
puts out raw corners learns to turn it round. ``power`` and ``inner`` are those of the scores, ``focal`` multiplies each
loss by IoU to that power, and ``normalizer`` takes the place of the count in a mean.

`l1`, `smooth_l1` and `balanced_l1` compare coordinates. `get` finds a loss by its name, `running_mean` is the state of
Wise-IoU. The losses of Gaussians (`probiou`, `gwd`, `kld`, ...) are explained in `omniou.gaussian`.

`omniou.losses.rotated`, `omniou.losses.polygons` and `omniou.losses.boxes3d` have the losses of rotated rectangles, of
polygons and of 3-D boxes with a yaw, `omniou.losses.masks` those of segmentation.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.options import BoxLossOptions, CIoULossOptions, Inverted, IoULossOptions, Reduction
from omniou._lib import checks
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes import GEOMETRY
from omniou.losses import boxes3d, masks, polygons, rotated
from omniou.losses._coordinates import balanced_l1, l1, running_mean, smooth_l1

_LOSSES = loss_functions(GEOMETRY, module="omniou.losses")
globals().update(_LOSSES)

_COORDINATES = {"l1": l1, "smooth_l1": smooth_l1, "balanced_l1": balanced_l1}

__all__ = [
    "Inverted",
    "Reduction",
    "balanced_l1",
    "boxes3d",
    "get",
    "l1",
    "masks",
    "polygons",
    "rotated",
    "running_mean",
    "smooth_l1",
]
__all__ += list(_LOSSES)


def get(name: str, /) -> "BoxLoss":
    """The loss of boxes that a name stands for, as configurations have it.

    Parameters
    ----------
    name : str
        Such as "giou" or "smooth_l1".

    Returns
    -------
    callable

    Raises
    ------
    ValueError
        If there is none of this name; the message lists those there are.

    Examples
    --------
    >>> from omniou import losses
    >>> losses.get("giou") is losses.giou
    True
    """
    known: dict[str, BoxLoss] = _LOSSES | _COORDINATES
    checks.choice("name", name, known)
    return known[name]


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
