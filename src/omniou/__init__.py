"""Overlap metrics of computer vision, for any array that follows the array API standard.

- Scores of shapes: `boxes` (axis-aligned boxes), `rotated` (rotated rectangles), `boxes3d` (upright 3-D boxes with a
  yaw), `polygons` (convex polygons), `gaussian` (boxes and rectangles as Gaussians), `geometry` (your own shapes).
- All pairs of two sets: `pairwise` computes the matrix of a score; `pairwise_max`, `pairwise_topk`, `pairwise_count`
  and `pairwise_sparse` do not need the matrix.
- Masks, keypoints and label maps: `masks` and `rle` compare masks, `keypoints` compares keypoints, `segmentation`
  counts classes of label maps, `panoptic` counts segments of panoptic maps.
- Training: `losses` has a loss for each score, `matching` matches detections and objects, and assigns anchors.
- Post-processing: `nms` suppresses, merges and fuses detections.
- Evaluation: `detection` (detectors), `centres` (3-D detectors by the distance of centres), `tracking` (trackers),
  `spotting` (moments in videos).
- Files and reports: `data` reads files of predictions, `report` renders an evaluation.
- Tables: `scores` has all scores of shapes, `pixel_scores` all scores of pixels, `conventions` the options that give
  other libraries' numbers.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou import (
        boxes,
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
    from omniou._catalogue.scores import scores
    from omniou.pairs import pairwise, pairwise_count, pairwise_max, pairwise_sparse, pairwise_topk

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


_MODULES = ["boxes", "boxes3d", "centres", "data", "detection", "gaussian", "geometry", "keypoints", "losses", "masks"]
_MODULES += ["matching", "nms", "panoptic", "polygons", "report", "rle", "rotated", "segmentation", "spotting"]
_MODULES += ["tracking"]

if not TYPE_CHECKING:
    # Imported when they are first asked for: `import omniou` and `omniou --help` need none of them. `data` and `report`
    # are not in `__all__`, since they need the extra `cli`, and `from omniou import *` does not.
    __getattr__, __dir__ = near.attributes(
        __name__,
        [*__all__, "data", "report"],
        {name: name for name in _MODULES}
        | {"conventions": "_catalogue.peers", "pixel_scores": "_catalogue.pixel_score", "scores": "_catalogue.scores"}
        | near.late_names(
            {"pairs": ["pairwise", "pairwise_count", "pairwise_max", "pairwise_sparse", "pairwise_topk"]}
        ),
    )
