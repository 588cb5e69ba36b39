"""Make the parts that only records of detections have: words of numbers, classes, area ranges."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from omniou._catalogue.geometry import Words
from omniou._inputs.kinds import words_of
from omniou._lib.brief import counted
from omniou.detection import AreaRange, Protocol
from omniou.detection.curves._summary import POOLED, numbers
from omniou.report._record.parts import Group
from omniou.report._record.record import Record
from omniou.report._record.tables import Table

# Numbers of groups of classes and of images that a protocol defines.
_OF_GROUPS = {
    "lvis": {
        "APr": "rare classes (in 1 to 10 training images)",
        "APc": "common classes (in 11 to 100 training images)",
        "APf": "frequent classes (in more than 100 training images)",
    },
    "crowdpose": {
        "APeasy": "images with a crowd index below 0.2",
        "APmedium": "images with a crowd index from 0.2 to below 0.8",
        "APhard": "images with a crowd index of 0.8 or more",
    },
}
# Numbers of each class that are not in its row of a table.
_LEFT_OUT = ("AR1", "AR10", "ARs", "ARm", "ARl")


def protocol_of(record: Record) -> Protocol:
    """Return the protocol of a record of detections."""
    given = record.protocol if isinstance(record.protocol, dict) else {}
    fields: dict[str, Any] = {name: x for name, x in given.items() if name != "name"}
    ends = [x | {"high": math.inf if x["high"] is None else x["high"]} for x in fields["area_ranges"]]
    return Protocol(**fields | {"area_ranges": [AreaRange(**x) for x in ends]})


def title(kind: str, protocol: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """Return a line that says what was evaluated."""
    rules = f"the rules of {protocol['name']}" if protocol["name"] else "custom rules"
    rules += ", all classes as one" if protocol["class_agnostic"] else ""
    rules += ", no scores" if protocol.get("missing_scores") else ""
    objects = counted(counts["annotations"] - counts["crowds"], "objects")
    crowds = f" and {counted(counts['crowds'], 'crowds')}" if counts["crowds"] else ""
    return (
        f"{counted(counts['detections'], 'detections')} of {objects}{crowds} in "
        f"{counted(counts['images'], words_of(kind).holders)}, {counted(counts['categories'], 'classes')} "
        f"({kind}, {rules})"
    )


def number_words(
    protocol: Protocol, summary: Mapping[str, Any], shapes: Words, *, rules: str | None = None
) -> dict[str, str]:
    """Describe each number of the summary in a few words, by its name; numbers of a user's groups have none."""
    low, high = protocol.iou_thresholds[0], protocol.iou_thresholds[-1]
    every = f"{shapes.overlap} {low:g}" if low == high else f"mean of {shapes.overlap} {low:g} to {high:g}"
    per = f"in each {shapes.holder}" + (" and class" if protocol.limit_per == "class" else "")
    of_groups = _OF_GROUPS.get(rules or "", {})
    words = {name: of_groups.get(name, "") for name in summary}
    at_once = ", all detections at once" if protocol.missing_scores else ""
    for number in numbers(protocol):
        if number.kind in POOLED:
            words[number.name] = f"all detections and objects, {shapes.overlap} {number.threshold:g}"
            continue
        area = protocol.area_ranges[number.area]
        objects = f"{area.name} objects ({_span(area.low, area.high, _side_of(shapes))})" if number.area else ""
        if number.kind == "AP":
            threshold = every if number.threshold is None else f"{shapes.overlap} {number.threshold:g}"
            words[number.name] = (objects or threshold) + at_once
        else:
            limit = protocol.max_detections[number.limit]
            most = "" if limit is None else f", {limit} detection{'' if limit == 1 else 's'} {per}"
            at = "" if number.threshold is None else f" at {shapes.overlap} {number.threshold:g}"
            words[number.name] = f"recall of {objects}" if objects else f"recall{at}{most}"
    return words


def classes(rows: list[dict[str, Any]]) -> Group:
    """All classes, in the order of their ids."""
    names = [name for name in (rows[0] if rows else ()) if name not in ("id", "name", *_LEFT_OUT)]
    return Group(key="per_class", title="Classes", rows=rows, columns=tuple(names), heading="class", printed=False)


def areas(record: Record) -> Table:
    """Make a table of AP and AR by area range; empty if there is one range."""
    what, unit, side = record.shapes.area, record.shapes.unit, _side_of(record.shapes)
    rows = [(_range(x, side), x["objects"], x["AP"], x["AR"]) for x in record.areas[1:]]
    unit = f"cubic {unit}" if what == "volume" else unit
    return Table(f"By {what}, in {unit}", (f"objects of {what}", "objects", "AP", "AR"), rows)


def _side_of(shapes: Words) -> Callable[[float], str]:
    """Return the function that writes ends of a range: an area of 1024 as "32²"."""
    return _side if shapes.area == "area" else "{:g}".format


def _range(area: dict[str, Any], side: Callable[[float], str]) -> str:
    return f"{area['name']} ({_span(area['low'], math.inf if area['high'] is None else area['high'], side)})"


def _span(low: float, high: float, side: Callable[[float], str]) -> str:
    if high >= 1e10:
        return f"from {side(low)}"
    return f"{side(low)} to {side(high)}" if low else f"to {side(high)}"


def _side(area: float) -> str:
    side = max(area, 0.0) ** 0.5
    return f"{side:g}²" if side == int(side) and area >= 0 else f"{area:g}"
