"""Scores of keypoints: object keypoint similarity, PCK, PCKh and NME.

`oks` is the IoU of keypoints: ``evaluate(..., kind="keypoints")`` of `omniou.detection` computes AP by it, and
`omniou.losses.keypoints` has its loss. It needs to know how far annotators differ at each point: the sigmas of a
`Skeleton`, such as `COCO`, `CROWDPOSE` and `WHOLEBODY`, or those that `estimate_sigmas` finds from repeated
annotations. `pck`, `pckh` and `nme` divide distances by a length instead, such as `box_size` and `point_distance`.

Points are arrays (..., K, 2) of x and y, or (..., K, 3) with COCO's v: 0 not labelled, 1 hidden, 2 visible.
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.keypoints._skeletons import COCO, CROWDPOSE, MPII, SKELETONS, WHOLEBODY, Skeleton

if TYPE_CHECKING:
    from omniou.keypoints._distances import box_size, nme, pck, pckh, point_distance
    from omniou.keypoints._oks import estimate_sigmas, oks

__all__ = [
    "COCO",
    "CROWDPOSE",
    "MPII",
    "SKELETONS",
    "WHOLEBODY",
    "Skeleton",
    "box_size",
    "estimate_sigmas",
    "nme",
    "oks",
    "pck",
    "pckh",
    "point_distance",
]
if not TYPE_CHECKING:
    # Late, since readers and evaluations of boxes need the skeletons only.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {"_distances": ["box_size", "nme", "pck", "pckh", "point_distance"], "_oks": ["estimate_sigmas", "oks"]}
        ),
    )
