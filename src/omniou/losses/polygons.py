"""Every score of `omniou.polygons` as a loss of polygons, 1 - score.

There is a function for each: ``losses.polygons.giou`` and so on. All take ``eps``, ``weight``, ``where`` and
``reduction`` as `omniou.losses` does.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._catalogue.functions import loss_functions
from omniou._catalogue.options import PolygonLossOptions
from omniou._lib.types import ArrayLike, ArrayT
from omniou.polygons import GEOMETRY

_LOSSES = loss_functions(GEOMETRY, module="omniou.losses.polygons")
globals().update(_LOSSES)

__all__ = list(_LOSSES)


class PolygonLoss(Protocol):
    """A loss of polygons; the reference says more of each."""

    def __call__(
        self, pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[PolygonLossOptions]
    ) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> PolygonLoss: ...
