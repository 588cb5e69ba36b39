"""Overlap metrics of computer vision, on any array that follows the array API standard.

`boxes` scores axis-aligned boxes, `rotated` rotated rectangles, `boxes3d` upright 3-D boxes with a yaw, `polygons`
convex polygons, `gaussian` boxes and rectangles as Gaussians; `pairwise` takes any score over all pairs of two sets,
`pairwise_max`, `pairwise_topk`, `pairwise_count` and `pairwise_sparse` need no matrix of these. `losses` turns a score
into a loss; `geometry` is for shapes of your own; `scores` is the table of all scores of shapes, `pixel_scores` that of
pixels, `conventions` that of other libraries' numbers. `matching` says which detection takes which object, `nms`
suppresses, merges and fuses detections, `detection` evaluates detectors, `centres` 3-D detectors by the distance of
centres, `tracking` trackers, `spotting` what finds moments in videos. `masks` and `rle` compare masks, `keypoints`
compares keypoints, `segmentation` counts the classes of label maps, `panoptic` the segments of panoptic ones. `data`
reads files of predictions, and `report` renders an evaluation.
"""

from typing import TYPE_CHECKING

from omniou import boxes
from omniou._catalogue.scores import scores
from omniou._lib import near
from omniou.pairs import pairwise, pairwise_count, pairwise_max, pairwise_sparse, pairwise_topk

if TYPE_CHECKING:
    from omniou import (
        boxes3d,
        centres,
        detection,
        gaussian,
        geometry,
        keypoints,
        losses,
        masks,
        matching,
        nms,
        panoptic,
        polygons,
        rle,
        rotated,
        segmentation,
        spotting,
        tracking,
    )
    from omniou import data as data
    from omniou import report as report
    from omniou._catalogue.peers import conventions
    from omniou._catalogue.pixel_score import pixel_scores

__all__ = [
    "__version__",
    "boxes",
    "boxes3d",
    "centres",
    "conventions",
    "detection",
    "gaussian",
    "geometry",
    "keypoints",
    "losses",
    "masks",
    "matching",
    "nms",
    "pairwise",
    "pairwise_count",
    "pairwise_max",
    "pairwise_sparse",
    "pairwise_topk",
    "panoptic",
    "pixel_scores",
    "polygons",
    "rle",
    "rotated",
    "scores",
    "segmentation",
    "spotting",
    "tracking",
]

__version__ = "0.1.0"


_MODULES = ["boxes3d", "centres", "data", "detection", "gaussian", "geometry", "keypoints", "losses", "masks"]
_MODULES += ["matching", "nms", "panoptic", "polygons", "report", "rle", "rotated", "segmentation", "spotting"]
_MODULES += ["tracking"]

if not TYPE_CHECKING:
    # Not needed by all who score boxes, and `import omniou` is to be quick.
    # Not in `__all__`, since they need the extra `cli`, and `from omniou import *` does not.
    __getattr__, __dir__ = near.attributes(
        __name__,
        [*__all__, "data", "report"],
        {name: name for name in _MODULES}
        | {"conventions": "_catalogue.peers", "pixel_scores": "_catalogue.pixel_score"},
    )
