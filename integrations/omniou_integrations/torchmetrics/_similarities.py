"""Similarities of a caller's own instead of shapes, for `MeanAveragePrecision`."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from omniou import detection
from omniou._inputs import dicts
from omniou.detection import Protocol
from omniou.detection import _similarities as similarities
from omniou_integrations._shared.parts import MetricPart
from omniou_integrations.torchmetrics._images import Settings


def rules(
    iou_type: Any, similarity: Any, thresholds: Any, higher_is_better: Any, by_shapes: Mapping[str, bool], /
) -> Protocol | None:
    """The rules of similarities; None where shapes are compared."""
    kind = None if isinstance(iou_type, str) and iou_type == "bbox" else iou_type
    kind = "similarity" if kind is not None and tuple(kind) == ("similarity",) else kind
    asked = similarity is not None or (isinstance(kind, str) and kind == "similarity")
    try:
        if not similarities.asked(similarity, thresholds if asked else None, higher_is_better, kind=kind):
            return None
        own = similarities.rules(similarities.ONE_RANGE, thresholds, higher_is_better=higher_is_better)
    except (TypeError, ValueError) as error:
        told = str(error).replace("`kind`", "`iou_type`").replace("`thresholds`", "`iou_thresholds`")
        raise type(error)(told) from None
    if similarity is not None and not callable(similarity):
        raise TypeError(f"`similarity` must be a function, or given to `update`, got {type(similarity).__name__}")
    if used := [name for name, x in by_shapes.items() if x]:
        raise ValueError(f"`{used[0]}` is for shapes, and `similarity` takes their place: leave it out")
    return own


def evaluated(preds: Any, target: Any, similarity: Any, settings: Settings) -> MetricPart:
    """Match the detections of whole images with their objects."""
    dicts.check_lists(preds=preds, target=target)
    states = {}
    for average in dict.fromkeys(("macro", *settings.averages)):
        agnostic = dataclasses.replace(settings.protocol, class_agnostic=average == "micro")
        evaluator: detection.Evaluator[Any] = detection.Evaluator(agnostic, kind="similarity")
        try:
            evaluator.update(target, preds, similarity=similarity)
        except (TypeError, ValueError) as error:
            told = str(error).replace("`targets", "`target").replace("`detections", "`preds")
            raise type(error)(told) from None
        state = evaluator.state
        states[f"{average}.{settings.kinds[0]}"] = dataclasses.replace(state, protocol=settings.protocol)
    macro = states[f"macro.{settings.kinds[0]}"]
    labels, most = macro.classes, settings.num_classes
    if most is not None and len(labels) and labels[-1] >= most:
        raise ValueError(f"`labels` must be below `num_classes`, {most}, got {int(labels[-1])}")
    if "macro" not in settings.averages:
        del states[f"macro.{settings.kinds[0]}"]
    sizes = np.asarray([len(preds), macro.target_labels.shape[0], macro.scores.shape[0] + macro.surplus])
    return MetricPart(sizes, labels, states, {})
