"""The numbers as COCO's evaluator prints them, for programs that read its lines."""

from omniou.detection import Protocol
from omniou.detection.curves._summary import Number, numbers
from omniou.report import Record

_TITLES = {"AP": "Average Precision", "AR": "Average Recall"}
# LVIS's frequencies of classes.
_GROUPS = ("r", "c", "f")


def lines(record: Record, protocol: Protocol) -> str:
    """A line for each number."""
    groups = [name for name in _GROUPS if f"AP{name}" in record.summary]
    out = []
    for number in numbers(protocol, groups):
        value = record.summary[number.name]
        out.append(f"{_label(number, protocol)} = {'n/a' if value is None else f'{value:.3f}'}\n")
    return "".join(out)


def _label(number: Number, protocol: Protocol) -> str:
    thresholds = protocol.iou_thresholds
    every = f"{thresholds[0]:.2f}:{thresholds[-1]:.2f}" if len(thresholds) > 1 else f"{thresholds[0]:.2f}"
    span = every if number.threshold is None else f"{number.threshold:.2f}"
    area = protocol.area_ranges[number.area].name
    limit = protocol.max_detections[number.limit] or "any"
    only = "" if number.group is None else f" | classes={number.group}"
    return f" {_TITLES[number.kind]:<18} ({number.kind}) @[ IoU={span:<9} | area={area:>6} | maxDets={limit:>3}{only} ]"
