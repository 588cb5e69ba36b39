"""A table of all public metrics of `omniou_integrations.torchmetrics`, with references that compute their results."""

import dataclasses
import functools
import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou import boxes, detection
from omniou.keypoints import Skeleton
from omniou.rle import Masks
from omniou_integrations.torchmetrics import (
    BoxScore,
    CompleteIntersectionOverUnion,
    DetectionEvaluation,
    DistanceIntersectionOverUnion,
    GeneralizedIntersectionOverUnion,
    IntersectionOverUnion,
    KeypointAveragePrecision,
    MeanAveragePrecision,
    PrecisionRecallF1,
)
from tests import exact
from tests.integrations.samples import images, with_keys

# Names of torchmetrics, and those of `Result.summary`, in one order.
NUMBERS = ["map", "map_50", "map_75", "map_small", "map_medium", "map_large"]
NUMBERS += ["mar_1", "mar_10", "mar_100", "mar_small", "mar_medium", "mar_large"]


class Case(NamedTuple):
    """A factory of a metric, and a reference that computes some of its results."""

    make: Callable[[], Any]
    expected: Callable[[Any, Any], dict[str, Any]]


@functools.cache
def _data():
    preds, target = images(3, 12, areas=False)
    for pred, truth in zip(preds, target, strict=True):
        count = min(len(pred["labels"]), len(truth["labels"]))
        for side in (pred, truth):
            side.update({key: x[:count] for key, x in side.items()})
            side["keypoints"] = side["boxes"].reshape(-1, 2, 2)
    return preds, target


def data():
    """Images with as many predictions as targets, so that 'aligned' pairing applies; some are empty."""
    return tuple([dict(one) for one in side] for side in _data())


def exactly(name):
    return lambda a, b: float(exact.score(name, a, b))


def ciou(a, b):
    """CIoU of boxes that are not empty, from the paper's formula (Zheng et al., 2020): DIoU - v^2 / (1 - IoU + v)."""
    angles = [math.atan((box[2] - box[0]) / (box[3] - box[1])) for box in (a, b)]
    v = 4 / math.pi**2 * (angles[0] - angles[1]) ** 2
    return exactly("diou")(a, b) - (v * v / (1 - exactly("iou")(a, b) + v) if v else 0)


def means(key, score, pairing, miss):
    """Mean scores of pairs of equal label, `miss` for unpaired boxes; one pair at a time."""

    def expected(preds, target):
        sums = defaultdict(list)
        for pred, truth in zip(preds, target, strict=True):
            for label, value in scored(pred, truth, score, pairing):
                sums[label].append(miss if value is None else value)
        every = [x for values in sums.values() for x in values]
        of_classes = {f"{key}/cl_{k}": sum(values) / len(values) for k, values in sorted(sums.items())}
        return {key: sum(every) / len(every)} | of_classes

    return expected


def scored(pred, truth, score, pairing):
    """(label, score) of each pair of an image, (label, None) of each unpaired box."""
    sides = [list(zip(x["boxes"].tolist(), x["labels"].tolist(), strict=True)) for x in (pred, truth)]
    pairs = [(score(a, b), i, j) for i, (a, k) in enumerate(sides[0]) for j, (b, m) in enumerate(sides[1]) if k == m]
    if pairing == "all":
        return [(sides[1][j][1], value) for value, _, j in pairs]
    pairs = [pair for pair in pairs if pairing == "matched" or pair[1] == pair[2]]
    taken, left = [], [dict(enumerate(side)) for side in sides]
    for value, i, j in sorted(pairs, key=lambda pair: -pair[0]):
        if i in left[0] and j in left[1]:
            taken.append((sides[1][j][1], value))
            del left[0][i], left[1][j]
    return taken + [(label, None) for side in left for _, label in side.values()]


def evaluated(kind, prefix="", **options):
    """The summary of `omniou.detection.evaluate` of the same dictionaries."""

    def expected(preds, target):
        result = evaluate(preds, target, kind, **options)
        return {f"{prefix}{name}": x for name, x in zip(NUMBERS, result.summary.values(), strict=True)}

    return expected


def evaluate(preds, target, kind, policy="invariant", *, micro=False, beside_masks=False, protocol=None):
    key = "boxes" if kind == "bbox" else "masks"
    sides = [with_keys(side, key, "labels", "scores") for side in (target, preds)]
    for row, one in zip(sides[0], target, strict=True):
        row["iscrowd"] = one.get("iscrowd", one["labels"] * 0)
        if kind == "bbox" and beside_masks:
            row["area"] = one["masks"].sum((1, 2))
    for row in (*sides[0], *sides[1]):
        row["labels"] = row["labels"] * (not micro)
        row[key] = row[key] if kind == "bbox" else Masks.from_dense(row[key].numpy())
    protocol = protocol or dataclasses.replace(detection.COCO, tie_policy=policy)
    return detection.evaluate(*sides, kind=kind, protocol=protocol)


def both(preds, target):
    options = {"micro": True, "beside_masks": True}
    return {
        name: x
        for kind in ("bbox", "segm")
        for name, x in evaluated(kind, f"{kind}_", **options)(preds, target).items()
    }


# The corners of boxes as keypoints, whose areas are those of the boxes.
CORNERS = Skeleton(name="corners", sigmas=(0.1, 0.05), box_area=1.0)


def oks(preds, target):
    protocol = dataclasses.replace(detection.COCO_KEYPOINTS, tie_policy="invariant")
    rows = [[{key: x[key].numpy() for key in x if key != "masks"} for x in side] for side in (target, preds)]
    rows[0] = [{"iscrowd": row["labels"] * 0} | row for row in rows[0]]
    summary = detection.evaluate(*rows, protocol=protocol, kind=CORNERS).summary
    return {"map": summary["AP"], "map_50": summary["AP50"], "mar_75": summary["AR75"], "mar_medium": summary["ARm"]}


def lrp(preds, target):
    return evaluate(preds, target, "bbox").lrp().summary


def costs(preds, target):
    errors = evaluate(preds, target, "segm").errors()
    return {f"{name}_cost": x for name, x in errors.cost.items()} | {
        "ap": errors.ap,
        "missed_count": errors.counts["missed"],
    }


def area_under_curve(preds, target):
    protocol = dataclasses.replace(detection.VOC2010, tie_policy="invariant")
    return evaluate(preds, target, "bbox", protocol=protocol).summary


def best_f1(preds, target):
    protocol = dataclasses.replace(detection.COCO, tie_policy="invariant", max_detections=(None,))
    points = evaluate(preds, target, "bbox", protocol=protocol).operating_points(scores=[k / 1000 for k in range(1001)])
    return {"f1": points.common_f1, "score_threshold": points.common_score}


EVERY = {
    "iou": Case(IntersectionOverUnion, means("iou", exactly("iou"), "matched", 0)),
    "iou, classes": Case(lambda: IntersectionOverUnion(class_metrics=True), means("iou", exactly("iou"), "matched", 0)),
    "giou": Case(
        lambda: GeneralizedIntersectionOverUnion(class_metrics=True, num_classes=4),
        means("giou", exactly("giou"), "matched", -1),
    ),
    "diou": Case(
        lambda: DistanceIntersectionOverUnion(pairing="aligned"), means("diou", exactly("diou"), "aligned", -1)
    ),
    "ciou": Case(
        lambda: CompleteIntersectionOverUnion(pairing="all", class_metrics=True), means("ciou", ciou, "all", -1)
    ),
    "any score": Case(
        lambda: BoxScore(boxes.dice, miss=-0.5, key="dice"), means("dice", exactly("dice"), "matched", -0.5)
    ),
    "map": Case(MeanAveragePrecision, evaluated("bbox")),
    "map, masks": Case(
        lambda: MeanAveragePrecision(iou_type="segm", class_metrics=True, num_classes=4), evaluated("segm")
    ),
    "map, all": Case(
        lambda: MeanAveragePrecision(
            iou_type=("bbox", "segm"), average="micro", class_metrics=True, extended_summary=True
        ),
        both,
    ),
    "keypoints": Case(lambda: KeypointAveragePrecision(CORNERS), oks),
    "lrp": Case(lambda: DetectionEvaluation("lrp"), lrp),
    "kinds of errors, masks": Case(lambda: DetectionEvaluation("errors", iou_type="segm"), costs),
    "best f1": Case(PrecisionRecallF1, best_f1),
    "ap by other rules": Case(lambda: DetectionEvaluation(protocol="voc2010"), area_under_curve),
}
