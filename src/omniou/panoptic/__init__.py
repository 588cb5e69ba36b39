"""Panoptic quality: PQ, SQ and RQ of things and stuff, of images and of videos.

`count` takes label maps of pairs (category, instance), `count_ids` maps of segment ids with a record for each segment,
as COCO has them; `omniou.data.panoptic` reads COCO's files. The results are values that add over batches and shards;
their `summary` has the scores. `count_video` is for video panoptic quality (VPQ), `count_tracks` for segmentation and
tracking quality (STQ), `count_instances` for instance AP of label images, as of cells.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.panoptic._colours import from_rgb, to_rgb
from omniou.panoptic._count import count, count_ids, count_tracks, count_video
from omniou.panoptic._counts import PanopticCounts, TrackingCounts, VideoCounts
from omniou.panoptic._instances import InstanceCounts, count_instances

__all__ = [
    "InstanceCounts",
    "PanopticCounts",
    "TrackingCounts",
    "VideoCounts",
    "count",
    "count_ids",
    "count_instances",
    "count_tracks",
    "count_video",
    "from_rgb",
    "to_rgb",
]


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
