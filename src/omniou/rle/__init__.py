"""Instance masks as COCO's run lengths: a table of many masks, what they cover, and how much they overlap.

The lengths alternate, off and on, along the columns of an image from top to bottom, and start with off. A table keeps
where the runs that are on start and end. omniou computes areas, boxes, overlaps, unions, complements and boundaries
from the runs, and never draws a mask on its whole image. The tables hold NumPy arrays.
"""

from typing import TYPE_CHECKING

from omniou._catalogue.pixel_score import pixel_scores
from omniou._lib import near
from omniou.rle._columns import MaskError
from omniou.rle._overlap import overlap
from omniou.rle._table import Masks

if TYPE_CHECKING:
    from omniou.rle import _written
    from omniou.rle._written import *  # noqa: F403  (all functions that follow from declarations)

# Imported when one of them is first asked for: evaluations of detections need the tables only.
_FUNCTIONS = [score.name for score in pixel_scores.values() if not score.joins] + ["pairwise_iou"]

__all__: list[str] = ["MaskError", "Masks", "overlap"]
if TYPE_CHECKING:
    __all__ += _written.__all__
else:
    __all__ += list(_FUNCTIONS)
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        dict.fromkeys(_FUNCTIONS, "_written"),
        hints={f"pairwise_{x}": f"; write pairwise(rle.{x}, ...)" for x in _FUNCTIONS},
    )
