"""Overlap metrics of computer vision, on any array that follows the array API standard.

`boxes` scores axis-aligned boxes, `rotated` rotated rectangles, `boxes3d` upright 3-D boxes with a yaw, `polygons`
convex polygons, `gaussian` boxes and rectangles as Gaussians; `pairwise` takes any score over all pairs of two sets,
`losses` turns a score into a loss; `scores` is the table of all scores. `detection` evaluates detectors, `masks` and
`rle` compare masks, `segmentation` counts the classes of label maps, `panoptic` the segments of panoptic ones.
`omniou.data` reads files of predictions.
"""

import importlib
from typing import TYPE_CHECKING, Any

from omniou import boxes, boxes3d, losses, polygons, rotated
from omniou._scores import scores
from omniou.pairs import pairwise

if TYPE_CHECKING:
    from omniou import detection, gaussian, masks, panoptic, rle, segmentation

__all__ = [
    "__version__",
    "boxes",
    "boxes3d",
    "detection",
    "gaussian",
    "losses",
    "masks",
    "pairwise",
    "panoptic",
    "polygons",
    "rle",
    "rotated",
    "scores",
    "segmentation",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Not needed by all who score boxes, and `import omniou` is to be quick.
    if name in {"detection", "gaussian", "masks", "panoptic", "rle", "segmentation"}:
        return importlib.import_module(f"omniou.{name}")
    msg = f"module 'omniou' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
