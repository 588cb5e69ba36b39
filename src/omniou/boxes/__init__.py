"""Axis-aligned boxes in 1, 2 or 3 dimensions: formats in, scores out.

Every function takes arrays of any library that follows the array API standard (or nested lists), of shape
(..., 2 * D), and returns arrays of that library, on that device, in that floating dtype. Integers
are promoted to the widest float before any arithmetic; float16 and bfloat16 are computed in float32. Zero boxes
give an empty result. A box whose high corner lies below its low one is empty. 0 / 0 is 0, and a NaN stays in
its own element.

Formats, each also with the prefix ``rel_`` for fractions of ``image_size``:

- ``xyxy``, ``yxyx`` (low corner, high corner), ``xywh`` (low corner, sides) and ``cxcywh`` (centre, sides) read a
  last axis of 2 (intervals), 4 (rectangles) or 6 (cuboids);
- ``xx``, ``xw``, ``cxw`` are for intervals alone; ``xyzxyz``, ``zyxzyx``, ``xyzwhd``, ``cxcyczwhd`` for cuboids.

Options that all scores share:

- ``format``: one of the above, for both arguments;
- ``offset``: added to high corners; 1 for boxes whose high corner names the last pixel inside. Formats that state
  sides do not need it, and ignore it;
- ``eps``: added to every denominator, to reproduce a peer that does so; the formulas need none;
- ``image_size``: (height, width), needed by relative formats; or an array of such sizes along its last axis, which
  broadcasts with the boxes. (width,) for intervals, (depth, height, width) for cuboids.

The scores, one function each, are those of the table `omniou.scores`: ``boxes.iou``, ``boxes.giou`` and so on.
"""

from typing import TYPE_CHECKING, Protocol, Unpack

from omniou._functions import score_functions
from omniou._lib.types import ArrayLike, ArrayT
from omniou.boxes._geometry import GEOMETRY
from omniou.boxes._measures import intersection, pairwise_iou, union
from omniou.boxes._shapes import area, check, convert, enclosing, from_masks

if TYPE_CHECKING:
    from omniou._options import BoxOptions, CIoUOptions

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
