"""Results as a COCO user knows them, and as JSON."""

import json
import math
from typing import TYPE_CHECKING, Any

import click

from omniou import __version__
from omniou.data import GroundTruth
from omniou.detection import Result
from omniou.detection._protocol import Protocol
from omniou.detection._summary import Number, numbers

if TYPE_CHECKING:
    from rich.table import Table

_TITLES = {"AP": "Average Precision", "AR": "Average Recall"}
# LVIS's frequencies of classes.
_GROUPS = ("r", "c", "f")
# Numbers of each class that are in the JSON alone.
_LEFT_OUT = ("AR1", "AR10", "ARs", "ARm", "ARl")
# Without a terminal, lines are for other programs and are not wrapped.
_WIDTH = 200


def print_table(result: Result[Any], truth: GroundTruth, *, per_class: bool) -> None:
    """The twelve numbers in the words of COCO's evaluator, and a row for each class if wanted."""
    for number in numbers(result.protocol, [name for name in _GROUPS if f"AP{name}" in result.summary]):
        value = click.style(_short(result.summary[number.name]), bold=True)
        click.echo(f"{_label(number, result.protocol)} = {value}")
    if per_class:
        from rich.console import Console

        console = Console(highlight=False, soft_wrap=True)
        wide = console if console.is_terminal else Console(highlight=False, width=_WIDTH)
        wide.print(_class_table(result, truth))


def print_json(result: Result[Any], truth: GroundTruth, counts: dict[str, int], *, per_class: bool) -> None:
    """All numbers in full precision; null where there is nothing to average over."""
    record: dict[str, Any] = {
        "omniou": __version__,
        "summary": {name: _or_null(value) for name, value in result.summary.items()},
        "counts": counts,
    }
    if per_class:
        record["per_class"] = _rows(result, truth)
    click.echo(json.dumps(record, indent=2, allow_nan=False))


def _label(number: Number, protocol: Protocol) -> str:
    thresholds = protocol.iou_thresholds
    every = f"{thresholds[0]:.2f}:{thresholds[-1]:.2f}" if len(thresholds) > 1 else f"{thresholds[0]:.2f}"
    span = every if number.threshold is None else f"{number.threshold:.2f}"
    area = protocol.area_ranges[number.area].name
    limit = protocol.max_detections[number.limit] or "any"
    only = "" if number.group is None else f" | classes={number.group}"
    return f" {_TITLES[number.kind]:<18} ({number.kind}) @[ IoU={span:<9} | area={area:>6} | maxDets={limit:>3}{only} ]"


def _class_table(result: Result[Any], truth: GroundTruth) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table("category", box=None, pad_edge=False)
    shown = [name for name in result.per_class if name not in _LEFT_OUT]
    for heading in ("objects", *shown):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in _rows(result, truth):
        values = (math.nan if row[name] is None else row[name] for name in shown)
        table.add_row(Text(row["name"]), str(row["objects"]), *map(_short, values))
    return table


def _rows(result: Result[Any], truth: GroundTruth) -> list[dict[str, Any]]:
    """Each class with the number of its objects that count, and its twelve numbers."""
    rows = []
    for place, label in enumerate(map(int, result.classes)):
        values = {name: _or_null(float(column[place])) for name, column in result.per_class.items()}
        rows.append({"id": label, "name": truth.categories[label], "objects": int(result.objects[place, 0]), **values})
    return rows


def _short(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value:.3f}"


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value
