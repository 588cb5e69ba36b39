"""The rules of well-known challenges. `dataclasses.replace` changes any field."""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from omniou._inputs.kinds import with_keypoints
from omniou._lib import checks
from omniou.detection._protocol import COCO, AreaRange, Protocol, without_scores
from omniou.matching._coco_greedy import spaced

__all__ = [
    "ACTIVITYNET",
    "COCO_KEYPOINTS",
    "CROWDPOSE",
    "HACS",
    "KITTI",
    "LVIS",
    "OPEN_IMAGES",
    "OPEN_IMAGES_CHALLENGE",
    "PRESETS",
    "THUMOS14",
    "ULTRALYTICS",
    "ULTRALYTICS_8_3",
    "VOC2007",
    "VOC2010",
]

_ALL = (AreaRange("all", 0.0, float("inf"), ""),)

VOC2010 = Protocol(
    iou_thresholds=(0.5,),
    recall_points=COCO.recall_points,
    area_ranges=_ALL,
    max_detections=(None,),
    assignment="best",
    interpolation="area",
)
"""Pascal VOC since 2010: AP at IoU 0.5 is the area under the curve of highest precisions.

A detection is held to the object it overlaps most. The devkit measures boxes with inclusive pixels: `offset=1`.
"""

VOC2007 = dataclasses.replace(VOC2010, recall_points=spaced(0.0, 1.0, 11), interpolation="points")
"""Pascal VOC up to 2009: AP at IoU 0.5 is the mean of the highest precision at 11 points of recall.

The points are multiples of a rounded tenth, as in the evaluations in Python: a recall of 9 / 15 does not reach the
seventh, 6 * 0.1 > 0.6.
"""

LVIS = dataclasses.replace(COCO, max_detections=(300,), limit_per="image")
"""LVIS: COCO's thresholds, 300 detections per image over all classes, and federated annotation: see `Targets`."""

OPEN_IMAGES = VOC2010
"""Open Images: as VOC 2010, where group-of boxes are crowds and image-level labels the pairs `Targets.negative`."""

OPEN_IMAGES_CHALLENGE = dataclasses.replace(OPEN_IMAGES, crowds="once")
"""Open Images' challenges: a group-of box is to be found, by any number of detections, of which the best one counts."""

KITTI = Protocol(
    iou_thresholds=(0.5, 0.7),
    singled_out=(0.5, 0.7),
    recall_points=tuple(k / 40 for k in range(1, 41)),
    area_ranges=_ALL,
    max_detections=(None,),
)
"""KITTI: AP at IoU 0.7, which counts for cars, and at 0.5, which counts for pedestrians and cyclists.

AP is the mean of the highest precision at 40 points of recall, 1/40 to 1 (``AP|R40``, since 2019), where a recall
must reach a point, as in COCO's and Pascal VOC's tools. The numbers of KITTI's own tool differ: it takes for each point
the score of nearest recall, and counts the point beyond the highest recall, too, which adds up to 1/40; with fewer than
40 objects found it leaves points empty, and AP is far too low. Its objects choose among detections, and an IoU must
exceed the threshold, where here it may equal it.
"""

ULTRALYTICS = Protocol(
    iou_thresholds=COCO.iou_thresholds,
    recall_points=COCO.recall_points,
    area_ranges=_ALL,
    max_detections=(None,),
    interpolation="trapezoids",
    crowds="left_out",
)
"""Ultralytics' mAP50-95 (AP) and mAP50 (AP50), as `model.val()` of 8.4 prints them: trapezoids at 101 points of recall.

Crowds are left out, as in its own format. Its boxes are float32 in the scale of the model's input, and its order of
equal scores depends on the processor, which moves the number by some 0.0005.
"""

ULTRALYTICS_8_3 = dataclasses.replace(ULTRALYTICS, interpolation="trapezoids_tail")
"""The same as versions up to 8.4.0 print it: a line goes on from the highest recall to a precision of 0 at recall 1."""

COCO_KEYPOINTS = dataclasses.replace(
    COCO,
    area_ranges=tuple(x for x in COCO.area_ranges if x.name != "small"),
    max_detections=(20,),
    recall_singled_out=True,
)
"""COCO's keypoint challenge: AP over thresholds of OKS, at most 20 detections of an image, no small objects.

It is what "coco" means where keypoints are compared.
"""

CROWDPOSE = dataclasses.replace(COCO_KEYPOINTS, area_ranges=COCO.area_ranges[:1])
"""CrowdPose: as COCO's keypoints, without area ranges. Its points, sigmas and areas are `keypoints.CROWDPOSE`.

A ground truth whose images have "crowdIndex" adds the AP of easy, medium and hard images.
"""

ACTIVITYNET = dataclasses.replace(
    COCO,
    area_ranges=_ALL,
    max_detections=(None,),
    interpolation="area",
    singled_out=(0.5, 0.75, 0.95),
    tie_policy="last",
)
"""ActivityNet: AP of intervals in time, at tIoU 0.5, 0.55 to 0.95 (``numpy.linspace(0.5, 0.95, 10)``).

AP is the area under the curve of highest precisions, as in Pascal VOC since 2010; a second prediction of an object is a
false positive, and the mean is over the classes that have objects. The official script sorts by an unstable `argsort`
and reverses it, so that its order of equal scores is undefined; here of equal scores the last one comes first.
"""

HACS = ACTIVITYNET
"""HACS Segments: the rules of ActivityNet."""

THUMOS14 = dataclasses.replace(ACTIVITYNET, iou_thresholds=spaced(0.3, 0.7, 5), singled_out=spaced(0.3, 0.7, 5))
"""THUMOS14 as papers report it: the rules of ActivityNet at tIoU 0.3, 0.4 to 0.7."""

PRESETS = {
    "coco": COCO,
    "coco_keypoints": COCO_KEYPOINTS,
    "crowdpose": CROWDPOSE,
    "voc2007": VOC2007,
    "voc2010": VOC2010,
    "lvis": LVIS,
    "open_images": OPEN_IMAGES,
    "open_images_challenge": OPEN_IMAGES_CHALLENGE,
    "kitti": KITTI,
    "ultralytics": ULTRALYTICS,
    "ultralytics_8_3": ULTRALYTICS_8_3,
    "activitynet": ACTIVITYNET,
    "thumos14": THUMOS14,
    "hacs": HACS,
}
"""Protocols by name."""


# Presets of kinds with rules of their own. All other kinds use COCO's.
_OF_KINDS: Mapping[str, str] = MappingProxyType({"intervals": "activitynet", "keypoints": "coco_keypoints"})


def of_kind(kind: Any, /) -> str:
    """Return the name of the default protocol of a kind."""
    if not isinstance(kind, str) and with_keypoints(kind):
        return "crowdpose" if kind.name == "crowdpose" else "coco_keypoints"
    return _OF_KINDS.get(kind if isinstance(kind, str) else getattr(kind, "name", ""), "coco")  # or a geometry


def named(
    protocol: Protocol | str | None,
    *,
    kind: Any = "bbox",
    class_agnostic: bool = False,
    missing_scores: bool = False,
) -> Protocol:
    """Return a protocol by its name, or the default of the kind.

    With `class_agnostic`, all classes are one; with `missing_scores`, detections have no scores.
    """
    protocol = of_kind(kind) if protocol is None else protocol
    if not isinstance(protocol, Protocol):
        checks.choice("protocol", protocol, PRESETS)
        protocol = PRESETS[name_for(protocol, kind)]
    if checks.flag("missing_scores", missing_scores):
        protocol = without_scores(protocol)
    # A value other than True and False raises in the protocol.
    return dataclasses.replace(protocol, class_agnostic=class_agnostic) if class_agnostic is not False else protocol


def name_for(protocol: str, kind: Any, /) -> str:
    """Return the preset of a name for a kind: "coco" has rules of its own for keypoints."""
    return "coco_keypoints" if protocol == "coco" and with_keypoints(kind) else protocol


def kind_for(kind: Any, protocol: Any, /) -> Any:
    """Return the kind that is compared: CrowdPose's rules by name come with its keypoints."""
    if not (isinstance(kind, str) and with_keypoints(kind) and isinstance(protocol, str)):
        return kind
    from omniou.keypoints import SKELETONS

    return SKELETONS.get(protocol, kind)
