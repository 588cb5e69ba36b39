"""Libraries to train detectors with: torchvision, detectron2, OpenMMLab's, Ultralytics, YOLOX, MONAI, scenic."""

from omniou._catalogue.convention import Convention, Example
from omniou._catalogue.peers.shared import (
    AT_THRESHOLD,
    CLOCKWISE_RADIANS,
    COUNTERCLOCKWISE_DEGREES,
    COUNTERCLOCKWISE_RADIANS,
    MATCHER,
    NAN,
    ORDER,
    POINTS,
    STRICT,
    UNSTABLE,
    box_loss,
    tiny,
)

_ALPHA = "Alpha is held constant in the gradient, as by default."
_HEIGHTS = (
    "Epsilon is added to the heights before aspect ratios are compared; no option does that. The score differs by up "
    "to 1e-6 / height."
)

DECLARED = (
    Convention(
        name="torchvision",
        label="torchvision",
        version="0.28.0",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "boxes.giou": {"format": "xyxy"},
            "boxes.diou": {"format": "xyxy"},
            "boxes.ciou": {"format": "xyxy"},
            "losses.giou": box_loss(1e-7),
            "losses.diou": box_loss(1e-7),
            "losses.ciou": box_loss(1e-7),
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": COUNTERCLOCKWISE_DEGREES,
            "nms.hard": STRICT,
            "matching.max_iou": {"format": "xyxy", "low_quality": "best"},
        },
        defaults={"matching.max_iou": {"positive": 0.7, "negative": 0.3}},
        rules={
            "empty boxes": "The scores of two empty boxes are NaN, the losses of GIoU and DIoU 1, CIoU's NaN. "
            "The gradient of CIoU is NaN for a box without height.",
            "inverted boxes": "An inverted box has the area of the upright one where both axes are inverted.",
            "epsilon": "The functions DIoU and CIoU add 1e-7 to the squared diagonal and to the divisor of alpha, not "
            "to the union; no option does that. They differ by up to 1e-7 / diagonal^2 + 1e-7. The losses add it "
            "everywhere.",
            "CIoU": _ALPHA,
            "integers": "Areas of integers overflow, and differences of unsigned ones wrap round.",
            "suppression": "On CPUs, IoU in the dtype of the boxes is compared with the threshold as a double: a "
            "float32 IoU of 0.6 is above 0.6. On CUDA the threshold is a float.",
            "ties": UNSTABLE,
            "output": ORDER,
            "groups": "Boxes are shifted by label * (highest coordinate + 1) up to 4,000 numbers on CPUs, 100,000 on "
            "GPUs; above, one call for each label.",
            "matching": MATCHER,
        },
        examples=(
            Example("losses.diou", tiny(1e-4), 1.0 - 1.0 / 11.0, "1e-7 in each denominator"),
            Example(
                "boxes.diou",
                ((0.0, 0.0, 1e-3, 1e-3), (0.0, 0.0, 1e-3, 5e-4)),
                0.5 - 0.0625 / 2.1,
                "1e-7 in the squared diagonal, not in the union",
                reproduced=False,
            ),
            Example("boxes.iou", POINTS, NAN, "0 / 0", reproduced=False),
        ),
    ),
    Convention(
        name="detectron2",
        label="detectron2",
        version="02b5c4e",
        held="source",
        options={
            "boxes.iou": {"format": "xyxy"},
            "losses.diou": box_loss(1e-7),
            "losses.ciou": box_loss(1e-7),
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": COUNTERCLOCKWISE_DEGREES,
            "nms.hard": STRICT,
            "matching.max_iou": {"format": "xyxy", "low_quality": "best"},
        },
        defaults={"matching.max_iou": {"positive": 0.7, "negative": 0.3}},
        rules={
            "empty boxes": "`pairwise_iou` of two empty boxes is 0, `matched_pairwise_iou` NaN.",
            "inverted boxes": "The losses stop at one.",
            "CIoU": _ALPHA,
            "suppression": "Boxes are cast to float32. Rotated boxes: at or above the threshold on CPUs, above it on "
            "CUDA.",
            "ties": UNSTABLE,
            "output": ORDER,
            "groups": "As torchvision; rotated boxes are shifted by the whole extent, so negative coordinates are "
            "right.",
            "matching": MATCHER,
        },
        examples=(Example("losses.diou", tiny(1e-4), 1.0 - 1.0 / 11.0, "1e-7 in each denominator"),),
    ),
    Convention(
        name="maskrcnn_benchmark",
        label="maskrcnn-benchmark, mmdetection 1",
        version="of 2018 to 2020",
        held="source",
        options={"boxes.iou": {"format": "xyxy", "offset": 1.0}, "nms.hard": {"inclusive": True, "offset": 1.0}},
        rules={
            "suppression": "At or above the threshold on CPUs, above it on CUDA.",
            "ties": UNSTABLE,
            "output": "Indices in the order of the input on CPUs.",
        },
        examples=(
            Example("boxes.iou", ((0, 0, 10, 10), (1, 1, 11, 11)), 100 / 142, "corners are the last pixels inside"),
        ),
    ),
    Convention(
        name="mmcv",
        label="mmcv",
        version="a8073c7",
        held="source",
        options={
            "boxes.iou": {"format": "xyxy", "offset": 0.0},
            "boxes.iof": {"format": "xyxy", "offset": 0.0},
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": CLOCKWISE_RADIANS,
            "nms.hard": STRICT,
            "nms.soft": {"method": "linear", "inclusive": True},
        },
        defaults={"nms.soft": {"threshold": 0.3, "score_threshold": 1e-3}},
        rules={
            "empty boxes": "NaN. With `offset=1` no box is empty.",
            "offset": "`offset=1` there is `offset=1` here. The default is 0.",
            "suppression": "float32. Soft suppression, `nms_match` and rotated boxes on CPUs take the threshold itself "
            "for too much; CUDA does not.",
            "ties": UNSTABLE,
            "score filter": "Above the score threshold. Soft: below it boxes are dropped, but never the first.",
            "output": ORDER,
            "groups": "Boxes are shifted by label * (highest coordinate + 1) up to 10,000 boxes; above, one call for "
            "each label, even with `class_agnostic=True`.",
        },
        examples=(
            Example(
                "nms.soft",
                (((0, 0, 10, 10), (0, 0, 10, 5)), (0.9, 0.8)),
                [0.9, 0.4],
                "an IoU equal to the threshold lowers the score",
                shared={"method": "linear", "threshold": 0.5, "output": "scores"},
            ),
            Example("boxes.iou", POINTS, NAN, "0 / 0", reproduced=False),
        ),
    ),
    Convention(
        name="mmdet",
        label="mmdetection",
        version="3.3.0",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy"},
            "boxes.iof": {"format": "xyxy"},
            "boxes.giou": {"format": "xyxy"},
            "losses.iou": {"format": "xyxy", "inverted": "empty", "log": True, "floor": 1e-6},
            "losses.giou": {"format": "xyxy", "inverted": "empty"},
            "losses.diou": box_loss(1e-7),
            "losses.ciou": {**box_loss(1e-7), "alpha_above": 0.5},
            "nms.hard": STRICT,
            "nms.matrix": {"method": "gaussian", "sigma": 2.0},
            "matching.max_iou": {"format": "xyxy", "low_quality": "later"},
            "matching.atss": {"format": "xyxy", "margin": 0.01},
            "matching.simota": {"region": "box_or_centre", "radius": 2.5, "penalty": 1e8, "eps": 1e-7},
            "matching.task_aligned": {"alpha": 1.0, "beta": 6.0, "picks": "all", "margin": 0.01, "score": "iou"},
        },
        defaults={"matching.atss": {"topk": 9}, "matching.task_aligned": {"topk": 13}},
        rules={
            "epsilon": "`bbox_overlaps`, which the loss of IoU calls, divides by max(union, 1e-6), GIoU by "
            "max(hull, 1e-6) as well, its loss by max(..., 1e-7). From there on it is the plain quotient; below, IoU "
            "is smaller. No option does that. Alpha has no epsilon.",
            "CIoU": f"{_ALPHA} It is 0 up to an IoU of 0.5. {_HEIGHTS} The score is clamped to [-1, 1].",
            "reduction": 'The losses default to "mean", divided by `avg_factor`, which is `normalizer` here.',
            "suppression": "mmcv's.",
            "matrix suppression": "Of masks of one label; scores at or above the threshold are kept. Equal masks give "
            "NaN by the linear kernel.",
            "matching": "Max-IoU: positive from the high threshold on, negative below the low one; a later object "
            "takes an anchor from an earlier one; anchors with an IoF above the threshold with an ignored region are "
            "ignored. ATSS and task alignment: centres inside by more than 0.01 pixels.",
        },
        examples=(
            Example("losses.iou", ((0.0, 0.0, 2.0, 2.0), (0.0, 0.0, 2.0, 1.0)), 0.693147, "-log by default"),
            Example(
                "losses.ciou", ((0.0, 0.0, 4.0, 2.0), (1.0, 0.0, 3.0, 3.0)), 0.61, "alpha is 0 up to an IoU of 0.5"
            ),
            Example("boxes.iou", tiny(1e-4), 0.01, "max(union, 1e-6)", reproduced=False),
        ),
    ),
    Convention(
        name="mmrotate",
        label="mmrotate",
        version="0.3.4",
        held="run",
        options={
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": CLOCKWISE_RADIANS,
            "losses.rotated.gwd": {"covariance": "inscribed", "normalize": True, "fun": "log1p", "tau": 1.0},
        },
        rules={
            "KLD": '`kld_loss(sqrt=False)` is `losses.rotated.kld` with `direction="reverse"`. By default it takes the '
            "root before the logarithm, which no option does.",
            "epsilon": "Products of determinants and distances are at least 1e-7: shapes of one place and size have a "
            "loss above 0, and shapes with sides below 0.3 the loss of another distance. No option does that.",
            "angle": '"oc", "le90" and "le135" are ranges of one angle; the shape is the same.',
        },
        examples=(
            Example(
                "losses.rotated.gwd",
                ((0.0, 0.0, 2.0, 2.0, 0.0), (1.0, 0.0, 2.0, 2.0, 0.0)),
                0.288492,
                "the distance is divided by the size of both shapes",
            ),
        ),
    ),
    Convention(
        name="mmyolo",
        label="mmyolo",
        version="0.6.0",
        held="run",
        options={"boxes.iou": {"format": "xyxy", "eps": 1e-7}, "boxes.ciou": {"format": "xyxy", "eps": 1e-7}},
        rules={
            "CIoU": f"{_ALPHA} {_HEIGHTS} Scores are clamped to [-1, 1], without a gradient outside.",
        },
        examples=(Example("boxes.iou", tiny(1e-4), 1.0 / 11.0, "1e-7 in the denominator"),),
    ),
    Convention(
        name="ultralytics",
        label="Ultralytics",
        version="8.4.190",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy", "eps": 1e-7},
            "boxes.giou": {"format": "xyxy", "eps": 1e-7},
            "boxes.diou": {"format": "xyxy", "eps": 1e-7},
            "boxes.ciou": {"format": "xyxy", "eps": 1e-7},
            "losses.ciou": box_loss(1e-7),
            "gaussian.probiou": {"format": "cxcywhr", "covariance": "uniform", "eps": 1e-7},
            "rotated.convert": CLOCKWISE_RADIANS,
            "nms.hard": STRICT,
            "detection.evaluate": {"protocol": "ultralytics"},
            "matching.task_aligned": {"alpha": 0.5, "beta": 6.0, "score": "ciou", "grow": (8.0, 16.0), "eps": 1e-9},
        },
        defaults={
            "nms.hard": {"threshold": 0.45, "score_threshold": 0.25, "limit": 300},
            "matching.task_aligned": {"topk": 10},
        },
        rules={
            "format": '`bbox_iou` reads "cxcywh" by default, which it calls xywh, and training calls it with "xyxy".',
            "epsilon": "`box_iou`, which validation calls, adds 1e-7 to the union, and "
            "`bbox_iou` of centres and sides to each denominator, as the options do. `bbox_iou` of corners "
            "(`xywh=False`), which the loss and task alignment call, also adds 1e-7 to both heights, so to the areas "
            "and aspect ratios; no option does that. IoU, GIoU and DIoU differ by up to 2e-7 / height, CIoU by up to "
            "5e-7 / height.",
            "CIoU": _ALPHA,
            "ProbIoU": "The distance is clamped to [1e-7, 100], as `eps` does here: a shape and itself have 0.99955.",
            "suppression": "Predictions take 0.7 for the threshold. Rotated boxes: ProbIoU, and a suppressed box still "
            "suppresses others.",
            "ties": UNSTABLE,
            "score filter": "Above the score threshold, before the limit. At most 30,000 boxes go in.",
            "output": ORDER,
            "groups": "Boxes are shifted by label * 7680: larger images and normalised boxes go wrong.",
            "matching": "Task alignment: CIoU clamped at 0; centres inside by more than 1e-9; sides below 16 grow to "
            "the second stride.",
        },
        examples=(
            Example("boxes.iou", tiny(1e-4), 1.0 / 11.0, "`box_iou`: 1e-7 in the denominator"),
            Example(
                "boxes.iou",
                tiny(1e-2),
                1e-4 / (1e-4 + 2e-9 + 1e-7),
                "`bbox_iou` of corners: 1e-7 on both heights, too",
                reproduced=False,
            ),
        ),
    ),
    Convention(
        name="yolox",
        label="YOLOX",
        version="6ddff48",
        held="source",
        options={
            "boxes.iou": {"format": "xyxy"},
            "losses.iou": {"format": "cxcywh", "eps": 1e-16, "inverted": "empty", "power": 2.0},
            "losses.giou": {"format": "cxcywh", "inverted": "empty"},
            "nms.hard": STRICT,
            "matching.simota": {"region": "centre", "radius": 1.5, "penalty": 1e6, "eps": 1e-8},
        },
        defaults={"nms.hard": {"threshold": 0.45, "score_threshold": 0.7}},
        rules={
            "empty boxes": "The score of two empty boxes is NaN.",
            "epsilon": "1e-16 is added to the union in the loss; the hull is at least 1e-16.",
            "suppression": "torchvision's.",
            "score filter": "At or above the score threshold, of the product of both confidences.",
            "matching": "SimOTA: centres within 1.5 strides, a cost of 1e6 outside; k from the sum of the 10 best "
            "overlaps, at least 1.",
        },
        examples=(
            Example(
                "losses.iou", ((1.0, 1.0, 2.0, 2.0), (1.0, 0.5, 2.0, 1.0)), 0.75, "1 - IoU^2, and centres with sides"
            ),
        ),
    ),
    Convention(
        name="monai",
        label="MONAI",
        version="1.6.1",
        held="run",
        options={
            "boxes.iou": {"format": "xyxy", "eps": 2.0**-23},
            "boxes.giou": {"format": "xyxy", "eps": 2.0**-23},
            "segmentation.iou": {"images": "mean", "present": "target"},
            "nms.hard": STRICT,
        },
        rules={
            "empty boxes": "0, by the epsilon.",
            "inverted boxes": "An error.",
            "epsilon": "2^-23. It computes in float32, and returns the dtype of the input.",
            "integers": "Up to 1.6.0 the result was cast back to integers: 0.",
            "ties": "The first of equal scores wins, by a stable sort.",
            "output": ORDER,
            "groups": "Boxes are shifted by label * (highest coordinate + 1).",
            "absent classes": "`ignore_empty=True`: a class or mask that is not in the target is NaN, even if it was "
            "predicted.",
        },
        examples=(Example("boxes.iou", tiny(1e-4), 1e-8 / (1e-8 + 2.0**-23), "2^-23 in the denominator"),),
    ),
    Convention(
        name="scenic",
        label="scenic",
        version="014e043",
        held="source",
        options={
            "boxes.iou": {"format": "xyxy", "eps": 1e-6},
            "boxes.giou": {"format": "xyxy", "eps": 1e-6},
            "rotated.iou": {"format": "cxcywhr"},
            "rotated.convert": COUNTERCLOCKWISE_RADIANS,
        },
        rules={"empty boxes": "0, by the epsilon.", "rotated boxes": "1e-8 is added where edges cross."},
        examples=(Example("boxes.iou", tiny(1e-4), 1.0 / 101.0, "1e-6 in the denominator"),),
    ),
    Convention(
        name="tensorrt",
        label="TensorRT EfficientNMS",
        version="of TensorRT 10",
        held="source",
        options={"boxes.iou": {"format": "xyxy"}, "nms.hard": {"inclusive": True}},
        rules={
            "suppression": "At or above the threshold, in half or single precision.",
            "ties": "The order of equal scores is not defined.",
            "score filter": "At or above the score threshold.",
            "output": f"{ORDER} In the form of ONNX the last row is repeated up to the size.",
        },
        examples=(AT_THRESHOLD,),
    ),
)
