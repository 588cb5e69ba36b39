"""Evaluators, tools of suppression and fusion, and frameworks of arrays."""

from typing import Any

from omniou._catalogue.convention import Convention, Example
from omniou._catalogue.peers.shared import (
    AS_SIDES,
    AT_THRESHOLD,
    CLOCKWISE_DEGREES,
    EQUAL_SCORES,
    LATER,
    NAN,
    ORDER,
    POINTS,
    SQUARE,
    STRICT,
    tiny,
)

_POINTS_NAN = Example("boxes.iou", POINTS, NAN, "0 / 0", reproduced=False)
_FLIPPED = Example(
    "boxes.iou",
    ((10, 10, 0, 0), SQUARE),
    1.0,
    "corners may come in either order; an inverted box is empty here",
    reproduced=False,
)
_ABSENT = ((2, 0, 0), (0, 2, 0), (0, 0, 0))  # counts of three classes, of which the last is nowhere
_COCO: dict[str, dict[str, Any]] = {
    "boxes.iou": {"format": "xywh"},
    "boxes.iof": {"format": "xywh"},
    "masks.iou": {"zero_division": 0.0},
    "detection.evaluate": {"protocol": "coco"},
}
_CROWDS = "IoU with a crowd is IoF: intersection over the detection's area."

DECLARED = (
    Convention(
        name="keras",
        label="Keras",
        version="3.15.1",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy", "eps": 1e-7},
            "boxes.ciou": {"format": "xyxy", "eps": 1e-7, "detach_alpha": False},
            "segmentation.iou": {"images": "pool", "average": "macro"},
        },
        rules={
            "epsilon": "CIoU adds 1e-7 to the union twice, and to both heights, so to the areas; no option does that. "
            "It differs by up to 1e-7 / area + 1e-6 / height.",
            "CIoU": "Alpha has a gradient. Relative formats always raise.",
            "absent classes": "Excluded from the mean, which is divided by their number + 1e-7: perfect maps have "
            "0.9999998. Without data 0. Labels out of range are dropped.",
        },
        examples=(
            Example("boxes.iou", tiny(1e-4), 1.0 / 11.0, "1e-7 in the denominator"),
            Example(
                "boxes.ciou",
                tiny(1e-2),
                1e-4 / (1e-4 + 2e-9 + 2e-7),
                "1e-7 in the union twice, and on both heights",
                reproduced=False,
            ),
        ),
    ),
    Convention(
        name="keras_cv",
        label="KerasCV",
        version="0.9.0",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy", "eps": 1e-7},
            "losses.iou": {"format": "xyxy", "eps": 1e-7, "inverted": "empty", "log": True, "floor": 1e-30},
            "nms.hard": {"inclusive": True},
        },
        defaults={"nms.hard": {"threshold": 0.5, "score_threshold": 0.5, "limit": 100}},
        rules={
            "CIoU": "The aspect term is (4 / pi^2 * d)^2 for 4 / pi^2 * d^2: .405 times as much. No option does that.",
            "reduction": "The log of the mean IoU of an image, not the mean of the logs.",
            "suppression": "At or above the threshold, of IoU with 1e-8 in the union; in float32.",
            "ties": LATER,
            "score filter": "Above the score threshold.",
            "output": "A fixed size, padded with 0.",
            "absent classes": "Objects of class 0 are dropped by `PyCOCOCallback`.",
        },
        examples=(
            Example("boxes.iou", tiny(1e-4), 1.0 / 11.0, "1e-7 in the denominator"),
            Example(
                "losses.ciou",
                ((0.0, 0.0, 4.0, 2.0), (1.0, 0.0, 3.0, 3.0)),
                0.613042,
                "the aspect term",
                reproduced=False,
            ),
            AT_THRESHOLD,
        ),
    ),
    Convention(
        name="tensorflow",
        label="TensorFlow",
        version="2.21.0",
        held="run",
        options={"boxes.iou": {"format": "yxyx"}, "nms.hard": {**STRICT, "format": "yxyx"}},
        defaults={"nms.hard": {"threshold": 0.5}},
        rules={
            "inverted boxes": "Corners are taken in either order.",
            "suppression": "Above the threshold, in the dtype of the boxes. `non_max_suppression_padded`: at or above, "
            "of IoU with 1e-8 in the union.",
            "ties": "The lower index wins; in `combined_non_max_suppression` the order is not defined.",
            "score filter": "Above the score threshold.",
            "output": f"{ORDER} The padded form fills with 0, `combined_non_max_suppression` clips boxes to [0, 1].",
            "soft": "The Gaussian is exp(-IoU^2 / (2 sigma)): `nms.soft` with twice its sigma.",
        },
        examples=(_FLIPPED,),
    ),
    Convention(
        name="onnxruntime",
        label="ONNX Runtime",
        version="1.32.0",
        held="run",
        options={"boxes.iou": {"format": "yxyx"}, "nms.hard": {**STRICT, "format": "yxyx"}},
        defaults={"nms.hard": {"threshold": 0.0, "limit": 0}},
        rules={
            "inverted boxes": "Corners are taken in either order.",
            "suppression": "Above the threshold, in float32.",
            "ties": "A heap: the order of equal scores is not defined.",
            "score filter": "Above the score threshold, only where one is given.",
            "output": "Rows of image, class and box, by falling score in each class. Without a limit nothing is "
            "returned.",
        },
        examples=(_FLIPPED,),
    ),
    Convention(
        name="opencv",
        label="OpenCV",
        version="5.0.0",
        held="run",
        options={
            "boxes.iou": {"format": "xywh"},
            "nms.hard": {**STRICT, "format": "xywh"},
            "nms.soft": {"method": "gaussian", "sigma": 0.5, "format": "xywh"},
        },
        rules={
            "empty boxes": "Two empty boxes have IoU 1, wherever they are.",
            "soft": "`softNMSBoxes` takes integer boxes only.",
            "suppression": "Above the threshold, in float32. With `eta` below 1 the threshold shrinks while it is "
            "above 0.5.",
            "ties": "The first of equal scores wins, by a stable sort.",
            "score filter": "Above the score threshold.",
            "output": f"{ORDER} `top_k` is applied before the suppression.",
        },
        examples=(
            Example(
                "nms.hard",
                (((100, 100, 110, 110), (120, 120, 130, 130)), (0.9, 0.8), 0.3),
                [0],
                "corner and sides, not two corners",
            ),
            Example("boxes.iou", POINTS, 1.0, "two empty boxes", reproduced=False),
        ),
    ),
    Convention(
        name="powerboxes",
        label="powerboxes",
        version="0.3.1",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "boxes.giou": {"format": "xyxy"},
            "boxes.tiou": {"format": "xyxy"},
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": CLOCKWISE_DEGREES,
            "nms.hard": STRICT,
        },
        rules={
            "empty boxes": "NaN, of the distance 1 - IoU that its functions give.",
            "integers": "8-bit and 16-bit integers wrap round.",
            "suppression": "Above the threshold, in float64.",
            "ties": "The first of equal scores wins.",
            "score filter": "At or above the score threshold.",
            "output": f"{ORDER} Without boxes it panics.",
        },
        examples=(_POINTS_NAN,),
    ),
    Convention(
        name="lsnms",
        label="lsnms",
        version="0.5.0",
        held="run",
        options={"boxes.iou": {"format": "xyxy"}, "nms.hard": {"inclusive": True}},
        defaults={"nms.hard": {"threshold": 0.5, "score_threshold": 0.0}},
        rules={
            "suppression": "At or above the threshold, in float64: with a threshold of 0 boxes that touch suppress "
            "each other.",
            "ties": "The first wins in Rust; the order of numba's sort is not defined.",
            "score filter": "At or above the score threshold in Rust, above it with numba.",
            "output": f"{ORDER} Without boxes it raises.",
        },
        examples=(AT_THRESHOLD,),
    ),
    Convention(
        name="supervision",
        label="supervision",
        version="0.31.2",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "boxes.iomin": {"format": "xyxy"},
            "masks.iou": {"zero_division": 0.0},
            "nms.hard": STRICT,
            "nms.merge": {"method": "greedy", "inclusive": True, "confidence": "area"},
            "detection.evaluate": {"protocol": "coco"},
        },
        defaults={"nms.hard": {"threshold": 0.5}, "nms.merge": {"threshold": 0.5}},
        rules={
            "suppression": "Above the threshold; float32 values, compared with the threshold as a double. Merging: at "
            "or above.",
            "ties": LATER,
            "output": "Booleans in the order of the input.",
            "soft": "The scores decay in one pass, in the order of the input scores.",
        },
        examples=(EQUAL_SCORES,),
    ),
    Convention(
        name="sahi",
        label="SAHI",
        version="0.12.8",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "boxes.iomin": {"format": "xyxy"},
            "nms.hard": {"inclusive": True},
            "nms.merge": {"method": "greedy", "inclusive": True, "confidence": "max"},
        },
        defaults={"nms.hard": {"threshold": 0.5}, "nms.merge": {"threshold": 0.5}},
        rules={
            "suppression": "At or above the threshold; a threshold of 0 suppresses all boxes but one.",
            "ties": "Equal scores are ordered by x1, y1, x2 and y2.",
            "merging": "Each box of a group is merged only if it still overlaps what the others have become; else "
            "it is lost.",
            "output": ORDER,
            "groups": "One call for each class.",
        },
        examples=(AT_THRESHOLD,),
    ),
    Convention(
        name="ensemble_boxes",
        label="ensemble-boxes",
        version="1.0.9",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "nms.hard": STRICT,
            "nms.weighted_fusion": {"inclusive": False, "confidence": "avg"},
        },
        defaults={"nms.hard": {"threshold": 0.5}, "nms.weighted_fusion": {"threshold": 0.55}},
        rules={
            "format": "Corners of normalised boxes: others are clipped to [0, 1], and boxes of area 0 are dropped.",
            "suppression": "Above the threshold. Fusion: a box joins a cluster above it.",
            "ties": LATER,
            "score filter": "Fusion leaves out scores below the threshold, before the weights.",
            "output": "Boxes, scores and labels, by falling score in each class. Soft suppression returns the scores "
            "that came in.",
        },
        examples=(EQUAL_SCORES._replace(arguments=(((0, 0, 1, 1),) * 2, (0.5, 0.5), 0.5)),),
    ),
    Convention(
        name="pycocotools",
        label="pycocotools",
        version="2.0.11",
        held="run",
        options=_COCO,
        rules={
            "crowds": _CROWDS,
            "no data": "-1. `maxDets` without 100 gives an AP of -1.",
            "ties": "Equal scores keep the order of the file; of equal IoU the later object wins.",
            "matching": "A candidate needs an IoU of at least min(threshold, 1 - 1e-10), in float64.",
            "annotation id 0": "A detection that is matched with it counts as unmatched.",
        },
        examples=(AS_SIDES,),
    ),
    Convention(
        name="faster_coco_eval",
        label="faster-coco-eval",
        version="1.8.0",
        held="run",
        options=_COCO,
        rules={"crowds": _CROWDS, "no data": "-1.", "annotation id 0": "As pycocotools."},
        examples=(AS_SIDES,),
    ),
    Convention(
        name="hotcoco",
        label="hotcoco",
        version="1.3.0",
        held="run",
        options=_COCO,
        rules={"crowds": _CROWDS, "no data": "-1."},
        examples=(AS_SIDES,),
    ),
    Convention(
        name="voc",
        label="Pascal VOC devkit",
        version="of 2012",
        held="source",
        options={
            "boxes.iou": {"format": "xyxy", "offset": 1.0},
            "detection.evaluate": {"protocol": "voc2010"},
        },
        rules={"detection": 'Before 2010 AP is the mean of 11 points: `protocol="voc2007"`.'},
        examples=(Example("boxes.iou", (SQUARE, (1, 1, 11, 11)), 100 / 142, "corners are the last pixels inside"),),
    ),
    Convention(
        name="metrax",
        label="metrax",
        version="of 2026",
        held="source",
        options={"segmentation.iou": {"present": "all"}},
        rules={"absent classes": "Count as 0.", "reduction": "The mean of the means of batches."},
        examples=(
            Example("segmentation.iou", (_ABSENT,), 2 / 3, "an absent class counts as 0", shared={"average": "macro"}),
        ),
    ),
    Convention(
        name="segmentation_models_pytorch",
        label="segmentation_models_pytorch",
        version="0.6.0",
        held="run",
        options={"segmentation.iou": {"images": "mean", "present": "all", "zero_division": 1.0}},
        rules={"absent classes": "Count as 1, by `zero_division=1.0`."},
        examples=(
            Example(
                "segmentation.iou",
                (((2, 0, 0), (1, 1, 0), (0, 0, 0)),),
                (2 / 3 + 1 / 2 + 1) / 3,
                "an absent class counts as 1",
                shared={"average": "macro"},
            ),
        ),
    ),
)
