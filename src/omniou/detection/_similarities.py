"""The arguments and the rules of evaluations by similarities or distances of a caller's own."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from omniou._inputs.kinds import Kind, settled
from omniou._lib import checks
from omniou.detection._protocol import COCO, Protocol, place_of, sorted_thresholds

# COCO's rules for rows without areas.
ONE_RANGE = dataclasses.replace(COCO, area_ranges=COCO.area_ranges[:1])


def asked(similarity: Any, thresholds: Any, higher_is_better: Any, /, *, kind: Any, **of_shapes: Any) -> bool:
    """Return whether a call compares by similarities; raise for arguments of the other way."""
    higher_is_better = checks.flag("higher_is_better", higher_is_better)
    is_named = isinstance(kind, str) and kind == "similarity"
    if similarity is None and not is_named:
        if thresholds is not None:
            raise ValueError(
                "`thresholds` is for `similarity`: where shapes are compared, write "
                "`protocol=dataclasses.replace(detection.COCO, iou_thresholds=...)`"
            )
        if not higher_is_better:
            raise ValueError("`higher_is_better` is for `similarity`, and shapes are compared: leave it out")
        return False
    given = {"kind": None if is_named else kind} | of_shapes
    for name, x in given.items():
        if x is not None and (name != "offset" or x):
            raise ValueError(f"`{name}` is for shapes, and `similarity` takes their place: leave it out, got {x!r}")
    return True


def compared_by(protocol: Protocol, kind: Any, format: str | None, offset: float, score: Any, /) -> Kind:
    """What a call compares."""
    if protocol.measure == "iou":
        return settled(kind, format, offset, score)
    from omniou._inputs import similarities

    uses = {"targets": ("area",), "detections": ("area",)}
    return Kind(name=protocol.measure, column="payload", read=similarities.read, uses=uses, threads=True)


def of_shapes(protocol: Protocol, /) -> Protocol:
    """The rules of an evaluation of shapes."""
    if protocol.measure != "iou":
        raise ValueError(f"`similarity` must be given for a protocol whose measure is {protocol.measure!r}, got None")
    return protocol


def rules(protocol: Protocol, thresholds: Any, /, *, higher_is_better: Any) -> Protocol:
    """The rules by which a similarity or a distance is compared."""
    measure: Literal["similarity", "distance"]
    measure = "similarity" if higher_is_better else "distance"
    if protocol.measure == "distance":
        measure = "distance"
    if protocol.measure == "similarity" and measure == "distance":
        raise ValueError("`higher_is_better` must be True for the protocol, whose thresholds are similarities")
    if thresholds is None:
        if measure == "distance" and protocol.measure == "iou":
            raise ValueError(
                "`thresholds` must be given for distances, in their unit, from loose to strict: such as (2.0, 1.0, 0.5)"
            )
        thresholds = protocol.iou_thresholds
    thresholds, singled_out = sorted_thresholds(thresholds, measure), protocol.singled_out
    if any(place_of(thresholds, x) is None for x in singled_out):
        singled_out = thresholds
    return dataclasses.replace(protocol, measure=measure, iou_thresholds=thresholds, singled_out=singled_out)


def by_areas(targets: Any, detections: Any, /) -> Protocol:
    """The default rules: COCO's, whose area ranges need areas on both sides."""
    return COCO if _have_areas(targets, detections) else ONE_RANGE


def of_update(
    protocol: Protocol, targets: Any, detections: Any, similarity: Any, /, *, by_default: bool
) -> tuple[Any, Any]:
    """The tables of `Evaluator.update`; raise for arguments that do not fit its rules."""
    if protocol.measure == "iou":
        if similarity is not None:
            raise ValueError('`similarity` is for Evaluator(kind="similarity"), and this one compares shapes')
        return targets, detections
    from omniou._inputs.similarity_values import without_shapes

    targets, detections = without_shapes(targets), without_shapes(detections)
    if by_default and _have_areas(targets, detections):
        raise ValueError(
            '`protocol` must be given where both tables have areas: Evaluator("coco", ...) for COCO\'s area ranges'
        )
    return targets, detections


def _have_areas(*tables: Any) -> bool:
    return all(
        any(isinstance(row, Mapping) and row.get("area") is not None for row in x)
        if isinstance(x, Sequence)
        else getattr(getattr(x, "targets", x), "area", None) is not None
        for x in tables
    )
