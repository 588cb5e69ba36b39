"""A table of the metrics of segmentation of `omniou_integrations.torchmetrics`, beside those of torchmetrics."""

import functools
from typing import Any, NamedTuple

import numpy as np
import torch
from torchmetrics import classification, detection, segmentation

from omniou_integrations import torchmetrics as ours
from tests.panoptic.cases import random_maps

COUNT, IMAGES, IGNORED = 5, 12, 255


class Case(NamedTuple):
    """Our class and torchmetrics', their arguments, and which input they take."""

    ours: Any
    theirs: Any
    options: dict[str, Any]
    kind: str

    def make(self):
        return self.ours(**self.options)


@functools.cache
def _maps():
    """Label maps in which class 4 is never there, and others are missing from some images."""
    rng = np.random.default_rng(0)
    target = rng.integers(0, 4, (IMAGES, 6, 7)) * (rng.random((IMAGES, 6, 7)) < rng.random((IMAGES, 1, 1)))
    preds = np.where(rng.random(target.shape) < 0.6, target, rng.integers(0, 4, target.shape))
    return torch.from_numpy(preds), torch.from_numpy(target)


def hot(labels):
    return torch.nn.functional.one_hot(labels, COUNT).movedim(-1, 1)


@functools.cache
def _every_input():
    preds, target = _maps()
    noise = torch.rand((IMAGES, COUNT, 6, 7), generator=torch.Generator().manual_seed(1))
    drop = torch.rand(target.shape, generator=torch.Generator().manual_seed(2)) < 0.1
    marked = torch.where(drop, IGNORED, target)
    truth, found = (torch.from_numpy(x) for x in random_maps(np.random.default_rng(4), IMAGES))
    return {
        "labels": (preds, marked),
        "whole labels": (preds, target),
        "scores": (hot(preds) + noise, marked),
        "one-hot": (hot(preds).bool(), hot(target).bool()),
        "overlapping": ((noise > 0.5).int(), (hot(target) + (noise > 0.9)).clamp(max=1).int()),
        "one-hot of scores": (hot(preds) + 0.5 * noise, hot(target)),
        "mixed": (hot(preds), target),
        "mixed scores": (hot(preds) + 0.5 * noise, target),
        "binary": (noise[:, 0], torch.where(drop, IGNORED, (target > 1).long())),
        "logits": (4 * noise - 2, torch.where(drop[:, None], IGNORED, hot(target))),
        "binary labels": ((preds > 1).long(), (target > 1).long()),
        "two classes": tuple((noise[:, k, :, :6] > 0.5).long() for k in (0, 1)),
        "panoptic": (found, truth),
    }


def inputs(kind):
    """Predictions and targets of 12 images."""
    return _every_input()[kind]


PANOPTIC = {"things": {1, 2}, "stuffs": {8, 9}, "allow_unknown_preds_category": True}


def cases():
    return of_labels() | of_one_hot() | of_outlines() | of_segments()


def of_labels():
    """The family of the Jaccard index, and what takes its averages."""
    many = {}
    for average in ("macro", "micro", "weighted", "none", None):
        for ignored in (IGNORED, 0):
            options = {"num_classes": COUNT, "average": average, "ignore_index": ignored}
            kind = "scores" if average == "micro" else "labels"
            if ignored == 0:
                kind = "whole labels"
            many[f"jaccard, {average}, {ignored}"] = Case(
                ours.MulticlassJaccardIndex, classification.MulticlassJaccardIndex, options, kind
            )
        options = {"num_labels": COUNT, "average": average, "ignore_index": IGNORED, "threshold": 0.6}
        many[f"labels, {average}"] = Case(
            ours.MultilabelJaccardIndex, classification.MultilabelJaccardIndex, options, "logits"
        )
        for level in ("samplewise", "global"):
            options = {"num_classes": COUNT, "average": average, "aggregation_level": level}
            kind = "overlapping" if average == "macro" else "one-hot"
            many[f"dice, {average}, {level}"] = Case(ours.DiceScore, segmentation.DiceScore, options, kind)
    options = {"num_classes": COUNT, "score": "iou", "ignore_index": IGNORED}
    reference = functools.partial(classification.MulticlassJaccardIndex, COUNT, ignore_index=IGNORED)
    many["segmentation score"] = Case(ours.SegmentationScore, lambda **_: reference(), options, "labels")
    many["jaccard of a task"] = Case(
        ours.JaccardIndex, classification.JaccardIndex, {"task": "multiclass", "num_classes": COUNT}, "whole labels"
    )
    many["binary"] = Case(
        ours.BinaryJaccardIndex, classification.BinaryJaccardIndex, {"ignore_index": IGNORED}, "binary"
    )
    many["binary of a task"] = Case(
        ours.JaccardIndex, classification.JaccardIndex, {"task": "binary", "threshold": 0.3}, "binary labels"
    )
    return many


def of_one_hot():
    """The metrics of torchmetrics' `segmentation`, which take a mask of each class."""
    many = {}
    for classes, background, each in (
        (None, True, False),
        (COUNT, False, True),
        (None, False, True),
        (COUNT, True, False),
    ):
        options = {"num_classes": classes, "include_background": background, "per_class": each}
        many[f"mean iou, {classes}, {background}, {each}"] = Case(
            ours.MeanIoU, segmentation.MeanIoU, options, "overlapping" if background else "one-hot"
        )
    index = {"num_classes": COUNT, "input_format": "index"}
    mixed = {"num_classes": COUNT, "input_format": "mixed"}
    for ours_, theirs in ((ours.MeanIoU, segmentation.MeanIoU), (ours.DiceScore, segmentation.DiceScore)):
        many[f"{theirs.__name__}, index"] = Case(ours_, theirs, index, "whole labels")
        many[f"{theirs.__name__}, mixed"] = Case(ours_, theirs, mixed, "mixed")
        many[f"{theirs.__name__}, mixed scores"] = Case(ours_, theirs, mixed, "mixed scores")
        many[f"{theirs.__name__}, scores"] = Case(ours_, theirs, {"num_classes": COUNT}, "one-hot of scores")
    for weight in ("square", "simple", "linear"):
        for each in (False, True):
            # Where a class is missing from an image, torchmetrics' value depends on the others.
            options = {"num_classes": COUNT, "weight_type": weight, "per_class": each}
            theirs = segmentation.GeneralizedDiceScore if weight == "linear" and not each else None
            many[f"generalised dice, {weight}, {each}"] = Case(ours.GeneralizedDiceScore, theirs, options, "one-hot")
    return many


def of_segments():
    """Panoptic quality."""
    many = {}
    for more in ({}, {"return_sq_and_rq": True}, {"return_per_class": True}):
        many[f"panoptic, {more}"] = Case(
            ours.PanopticQuality, detection.PanopticQuality, {**PANOPTIC, **more}, "panoptic"
        )
    options = {**PANOPTIC, "return_sq_and_rq": True, "return_per_class": True}
    many["panoptic, all"] = Case(ours.PanopticQuality, detection.PanopticQuality, options, "panoptic")
    many["modified panoptic"] = Case(
        ours.ModifiedPanopticQuality, detection.ModifiedPanopticQuality, PANOPTIC, "panoptic"
    )
    return many


def of_outlines():
    """Of square images, all of which have both classes: torchmetrics' distance is wrong, or not finite, for others."""
    index = {"num_classes": 2, "input_format": "index"}
    options = {"both": {}, "directed": {"directed": True}, "spacing": {"spacing": [1.0, 0.5]}}
    options |= {name: {"distance_metric": name, "spacing": [1.0, 0.75]} for name in ("chessboard", "taxicab")}
    options = {name: {**index, "include_background": True, **more} for name, more in options.items()}
    options["foreground"] = index
    pair = ours.HausdorffDistance, segmentation.HausdorffDistance
    many = {f"hausdorff, {name}": Case(*pair, x, "two classes") for name, x in options.items()}
    scores = {"dice": {"num_classes": COUNT, "per_class": True}, "trimap_iou": {}}
    return many | {
        f"mask score, {name}": Case(ours.MaskScore, None, {"score": name, **x}, "one-hot") for name, x in scores.items()
    }


EVERY = cases()
