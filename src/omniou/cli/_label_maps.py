"""`omniou eval --kind semantic`, `panoptic` and `components`: pictures of labels, and what is printed of them."""

import json
import math
from pathlib import Path
from typing import Any

import click

from omniou import __version__
from omniou.cli import _files as files
from omniou.cli import _output as output
from omniou.cli import _types as types
from omniou.cli._log import Log
from omniou.cli._option_groups import option, option_group, option_names

_OWN = {
    "semantic": {"classes", "ignore_label", "per_class"},
    "panoptic": {"gt_folder", "dt_folder", "per_class"},
    "components": set[str](),
}
_COMMON = {"inputs", "kind", "style", "output", "config", "max_unpacked"}


@option_group
class LabelMapOptions:
    """What is read of pictures of labels."""

    ignore_label: tuple[int, ...] | None = option(
        "With --kind semantic: pixels of GROUND_TRUTH with this label, or one of 0,255, do not count.",
        metavar="LABELS",
        callback=types.checked(types.labels),
    )
    gt_folder: Path | None = option("With --kind panoptic: PNGs of GROUND_TRUTH.", files.PATH)
    dt_folder: Path | None = option("With --kind panoptic: PNGs of DETECTIONS.", files.PATH)


def check(kind: str) -> None:
    """Usage error for an option that is not of this kind."""
    context = click.get_current_context()
    every = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    allowed = _COMMON | _OWN[kind] if kind in _OWN else every.keys() - option_names(LabelMapOptions)
    for name, spelled in every.items():
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in allowed:
            msg = f"{spelled} is not for --kind {kind}"
            raise click.UsageError(msg)


def evaluate(
    paths: list[Path],
    options: LabelMapOptions,
    to: output.OutputOptions,
    *,
    kind: files.LabelMapKind,
    classes: Path | None,
    per_class: bool,
) -> None:
    """Read, count, and write."""
    (ground_truth, detections), path = paths, to.output
    output.check_output(path)
    style = to.style_among(("table", "json"))
    if style not in {"table", "json"}:
        msg = f"--format {style} is not for --kind {kind}: it has table and json"
        raise click.UsageError(msg)
    log = Log(quiet=False)
    with files.reported(log), log.catching():
        if kind == "semantic":
            record, rows = _semantic(ground_truth, detections, classes, options.ignore_label, log)
        elif kind == "panoptic":
            record, rows = _panoptic(ground_truth, detections, options)
        else:
            record, rows = _components(ground_truth, detections), []
    if style == "json":
        each = {"per_class": rows} if per_class else {}
        everything = {"omniou": __version__, "kind": kind, **record, **each}
        text = json.dumps(_without_nan(everything), indent=2, allow_nan=False)
    else:
        text = "\n".join([*_LINES[kind](record["summary"]), *(_table(rows, path) if per_class else [])])
    output.write(f"{text}\n", path)


def _semantic(
    ground_truth: Path, detections: Path, classes: Path | None, ignore_label: tuple[int, ...] | None, log: Log
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from omniou import segmentation
    from omniou.data import semantic

    table = None if classes is None else semantic.read_classes(classes)
    found = semantic.count(ground_truth, detections, table, ignore_label=ignore_label)
    for finding in found.findings:
        log.add(finding)
    counts = found.confusion
    pixels = int(counts.sum())
    if not pixels:
        msg = f"{ground_truth}: nothing to score: no pixel has a class that counts"
        raise files.Unusable(msg)
    scores = {"IoU": segmentation.iou, "Dice": segmentation.dice}
    scores |= {"precision": segmentation.precision, "recall": segmentation.recall}
    # What is neither there nor predicted has no score; of 0 / 0 there is nothing to say either.
    each = {name: score(counts, zero_division=math.nan).tolist() for name, score in scores.items()}
    summary = {
        "mIoU": float(segmentation.iou(counts, average="macro")),
        "mDice": float(segmentation.dice(counts, average="macro")),
        "mAcc": float(segmentation.recall(counts, average="macro", present="target")),
        "aAcc": float(segmentation.accuracy(counts)),
        "fwIoU": float(segmentation.frequency_weighted_iou(counts)),
    }
    rows = [
        {"id": label, "name": name, "pixels": int(counts[k].sum()), **{score: x[k] for score, x in each.items()}}
        for k, (label, name) in enumerate(found.classes.items())
    ]
    record = {"summary": summary, "counts": {"images": found.images, "classes": len(found.classes), "pixels": pixels}}
    return {**record, "confusion": counts.tolist()}, rows


def _panoptic(
    ground_truth: Path, detections: Path, options: LabelMapOptions
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from omniou.data import panoptic

    truth, found = panoptic.read(ground_truth, options.gt_folder), panoptic.read(detections, options.dt_folder)
    counts = panoptic.count(truth, found)
    summary = counts.summary()
    if not summary["n"]:
        msg = f"{ground_truth}: nothing to score: no segments"
        raise files.Unusable(msg)
    categories = truth.categories or {}
    rows = [
        {"id": label, "name": categories[label].name, "thing": categories[label].is_thing, **values}
        for label, values in counts.per_class().items()
    ]
    return {"summary": summary, "counts": {"images": len(truth.annotations), "categories": len(categories)}}, rows


def _components(ground_truth: Path, detections: Path) -> dict[str, Any]:
    from omniou.data import semantic
    from omniou.masks import ComponentCounts

    each = semantic.count_components(ground_truth, detections)
    total = sum(each.values(), ComponentCounts())
    summary = total.summary()
    if math.isnan(summary["RQ"]):
        msg = f"{ground_truth}: nothing to score: all masks are empty"
        raise files.Unusable(msg)
    fields = ("true_positives", "false_positives", "false_negatives")
    counts = {"images": len(each), **{name: getattr(total, name) for name in fields}}
    images = [
        {"name": name, **x.summary(), **{field: getattr(x, field) for field in fields}} for name, x in each.items()
    ]
    return {"summary": summary, "counts": counts, "per_image": images}


def _component_lines(summary: dict[str, Any]) -> list[str]:
    words = {
        "PQ": "Panoptic quality",
        "SQ": "Mean IoU of true positives",
        "RQ": "F1 of components",
        "precision": "Precision of components",
        "recall": "Recall of components",
        "dice": "Mean Dice of true positives",
    }
    names = {"precision": "P", "recall": "R", "dice": "Dice"}
    return [f"{text:<28}{names.get(name, name):<6}{_short(summary[name]):>7}" for name, text in words.items()]


def _semantic_lines(summary: dict[str, Any]) -> list[str]:
    words = {
        "mIoU": "Mean IoU of classes",
        "mDice": "Mean Dice of classes",
        "mAcc": "Mean accuracy of classes",
        "aAcc": "Accuracy of pixels",
        "fwIoU": "IoU weighted by pixels",
    }
    return [f"{text:<26}{name:<6}{_short(summary[name]):>7}" for name, text in words.items()]


def _panoptic_lines(summary: dict[str, Any]) -> list[str]:
    lines = [f"{'':<8}{'PQ':>7}{'SQ':>7}{'RQ':>7}{'N':>5}"]
    for name, suffix in (("All", ""), ("Things", "_th"), ("Stuff", "_st")):
        values = "".join(f"{_short(summary[score + suffix]):>7}" for score in ("PQ", "SQ", "RQ"))
        lines.append(f"{name:<8}{values}{summary['n' + suffix]:>5}")
    return lines


_LINES = {"semantic": _semantic_lines, "panoptic": _panoptic_lines, "components": _component_lines}


def _table(rows: list[dict[str, Any]], path: Path | None) -> list[str]:
    """A line for each class."""
    from omniou.report._tables import Table
    from omniou.report._text import render

    names = ["name", *(x for x in rows[0] if x != "name")]  # the first column names the row
    headings = [x.replace("_", " ") for x in names]
    cells = [[_cell(row[name]) for name in names] for row in rows]
    return ["", *render(Table("Each class", headings, cells), output.width(), output.style(path))]


def _cell(x: Any) -> Any:
    if isinstance(x, bool):
        return "yes" if x else "no"
    return None if isinstance(x, float) and math.isnan(x) else x


def _short(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _without_nan(x: Any) -> Any:
    """The same with null for NaN, which JSON has not."""
    if isinstance(x, dict):
        return {name: _without_nan(value) for name, value in x.items()}
    if isinstance(x, list):
        return [_without_nan(value) for value in x]
    return None if isinstance(x, float) and math.isnan(x) else x
