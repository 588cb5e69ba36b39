"""Compute the numbers of slices, groups of images such as day and night, with intervals."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from omniou._lib import checks
from omniou._results.shown import ALL
from omniou.detection import Result
from omniou.detection.curves._summary import numbers
from omniou.report._record.tables import Cell, Table
from omniou.report._record.values import plain

if TYPE_CHECKING:
    from omniou.report._record.record import Record

# The most numbers of a slice in a table; JSON has all.
_COLUMNS = 6
_SAMPLES, _SEED, _CONFIDENCE = 200, 0, 0.95


def compute(result: Result[Any], slices: Mapping[str, Mapping[str, Sequence[int]]]) -> list[dict[str, Any]]:
    """Compute all numbers of each slice, and intervals of the numbers of all areas, from samples of its images."""
    checks.instance("slices", slices, Mapping, "a mapping of names to slices, such as `data.read_slices` gives")
    rows = []
    for column, groups in slices.items():
        checks.instance(f"slices[{column!r}]", groups, Mapping, "a mapping of names to ids of images")
        for name, images in groups.items():
            part = result.of_images(images)
            objects = plain(part.state.objects[:, 0])
            rows.append(
                {
                    "column": column,
                    "name": name,
                    "images": len(images),
                    "classes": sum(x > 0 for x in objects),
                    "objects": sum(objects),
                    "detections": len(part.state.scores),
                    "summary": plain(part.summary),
                    "intervals": _intervals(part),
                }
            )
    return rows


def _intervals(part: Result[Any]) -> dict[str, list[float]]:
    """Low and high ends by number; of those that would be unreliable, none."""
    from omniou._results import resampling

    last = len(part.protocol.max_detections) - 1
    units = part.units
    images = {
        x.name: units.per_class(x.name) for x in numbers(part.protocol, part.groups) if x.limit == last and not x.area
    }
    names = [name for name, many in images.items() if many >= resampling.FEW_UNITS]
    if not names:
        return {}
    (drawn,) = resampling.drawn([part], names, samples=_SAMPLES, confidence=_CONFIDENCE, seed=_SEED)
    measured = {name: resampling.interval(part.summary[name], drawn[name], _CONFIDENCE, images[name]) for name in names}
    return {name: plain([x.low, x.high]) for name, x in measured.items() if not x.doubtful and math.isfinite(x.low)}


def tables(value: Sequence[Mapping[str, Any]], record: "Record") -> list[Table]:
    """Make a table for each way to slice: a row for all images, then a row for each slice."""
    shown = list(record.summary)[:_COLUMNS]
    head, holders = shown[0], record.units
    every = {
        "name": ALL,
        "images": record.counts["images"],
        "classes": sum(x["objects"] > 0 for x in record.per_class),
        "objects": record.areas[0]["objects"],
        "summary": record.summary,
        "intervals": _of_all(record, head),
    }
    made = []
    for column in dict.fromkeys(row["column"] for row in value):
        listed = [row for row in value if row["column"] == column]
        hidden = sum(head not in row["intervals"] for row in listed)
        note = "Slices have classes and objects of their own: part of a difference may come from these."
        if hidden:
            note += f" No interval of {hidden} of {len(listed)} slices: too few {holders} of a class for a bootstrap."
        share = [f"{100 * _CONFIDENCE:g} % interval"] if hidden < len(listed) else []
        headings = (column, holders, "classes", "objects", head, *share, *shown[1:])
        rows: list[list[Cell]] = []
        for row in (every, *listed):
            bounds = [_bounds(row["intervals"].get(head))] if share else []
            counts = (row["images"], row["classes"], row["objects"])
            first, *others = (row["summary"][x] for x in shown)
            rows.append([row["name"], *counts, first, *bounds, *others])
        made.append(Table(f"Slices by {column}", headings, rows, note))
    return made


def _bounds(ends: Sequence[float] | None) -> str | None:
    return None if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"


def _of_all(record: "Record", name: str) -> dict[str, list[float | None]]:
    """Return the interval of a number on all images, if there is one to show."""
    drawn = record.intervals
    return {} if drawn is None or drawn.is_hidden(name) else {name: [drawn.numbers[name].low, drawn.numbers[name].high]}
