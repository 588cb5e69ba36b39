"""Axis-aligned boxes in 1, 2 or 3 dimensions: formats in, scores out.

Every function takes arrays of any library that follows the array API standard (or nested lists), of shape
(..., 2 * D), and returns arrays of that library, on that device, in that floating dtype. Integers
are promoted to the widest float before any arithmetic; float16 and bfloat16 are computed in float32. Zero boxes
give an empty result. A box whose high corner lies below its low one is empty. 0 / 0 is 0, and a NaN stays in
its own element.

Formats of boxes and all other options are described in each function: ``help(boxes.iou)``.

The scores, one function each, are those of the table `omniou.scores`: ``boxes.iou``, ``boxes.giou`` and so on.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._catalogue.functions import score_functions
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes._geometry import GEOMETRY
from omniou.boxes._measures import intersection, pairwise_iou, union
from omniou.boxes._shapes import area, check, convert, enclosing, from_masks

if TYPE_CHECKING:
    from omniou._catalogue.options import BoxOptions, CIoUOptions

_SCORES = score_functions(GEOMETRY)
globals().update(_SCORES)

__all__ = [
    "GEOMETRY",
    "area",
    "check",
    "convert",
    "enclosing",
    "from_masks",
    "intersection",
    "pairwise_iou",
    "union",
]
__all__ += list(_SCORES)


class BoxScore(Protocol):
    """A score of boxes, element by element; the reference says more of each."""

    def __call__(self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: "Unpack[BoxOptions]") -> ArrayT: ...


if TYPE_CHECKING:

    class CIoU(Protocol):
        """The same with `detach_alpha`."""

        def __call__(
            self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[CIoUOptions]
        ) -> ArrayT: ...

    ciou: CIoU

    def __getattr__(name: str) -> BoxScore: ...
