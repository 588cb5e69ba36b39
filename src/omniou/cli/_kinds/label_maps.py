"""Kinds `semantic`, `panoptic` and `components`: label maps and masks in PNG files."""

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from omniou.cli import _files as files
from omniou.cli._kinds import Evaluated
from omniou.cli._log import Log
from omniou.data import Finding, _pictures
from omniou.data._paths import ImageNames
from omniou.report import Group, Record

if TYPE_CHECKING:
    from omniou.cli._check import CheckOptions
    from omniou.cli._eval_options import EvalOptions
    from omniou.data.semantic import LabelCounts

# Counts of segments, by class and in sum.
_SEGMENTS = ("true_positives", "false_positives", "false_negatives")


def evaluate(paths: list[Path], options: "EvalOptions", log: Log) -> Evaluated:
    """Read both folders or files, and count pixels, segments or components."""
    ground_truth, predictions = paths
    match options.reading.kind:
        case "semantic":
            return _semantic(ground_truth, predictions, options, log)
        case "panoptic":
            return _panoptic(ground_truth, predictions, options)
        case _:
            return _components(ground_truth, predictions)


def check(paths: list[Path], options: "CheckOptions", _log: Log) -> list[Finding]:
    """Count the pixels of label maps, and return what is doubtful about labels; readers raise for faults."""
    return _counts(paths[0], paths[-1], options).findings


def _counts(ground_truth: Path, predictions: Path, options: "CheckOptions | EvalOptions") -> "LabelCounts":
    from omniou.data import semantic

    table = None if options.reading.classes is None else semantic.read_classes(options.reading.classes)
    shift, ignored = options.kinds.label_shift or 0, options.kinds.ignore_label
    return semantic.count(ground_truth, predictions, table, ignore_label=ignored, label_shift=shift)


def _semantic(ground_truth: Path, predictions: Path, options: "EvalOptions", log: Log) -> Evaluated:
    found, shift = _counts(ground_truth, predictions, options), options.kinds.label_shift
    for finding in found.findings:
        log.add(finding)
    counts = found.confusion
    if not found.counts["pixels"]:
        raise files.Unusable(f"{ground_truth}: nothing to score: no pixel has a class that counts")
    record = Record(
        kind="semantic",
        summary=found.summary,
        words={
            "mIoU": "mean IoU of classes",
            "mDice": "mean Dice of classes",
            "mAcc": "mean accuracy of classes",
            "aAcc": "accuracy of pixels",
            "fwIoU": "IoU weighted by pixels",
        },
        counts=found.counts,
        groups=[Group(key="per_class", title="Each class", rows=found.rows["per_class"], printed=False)],
        details={"confusion": counts.tolist(), "ignore_label": list(options.kinds.ignore_label or ())}
        | ({"label_shift": shift} if shift else {}),
    )
    return Evaluated(_drawn(record, found, options), found)


def _drawn(record: Record, found: "LabelCounts", options: "EvalOptions") -> Record:
    """Add the pictures of label maps, if any are asked for: the files of the worst images are read once more."""
    if not options.draws:
        return record
    from omniou.data import semantic
    from omniou.report._record import label_maps

    photographs = _photographs(options, found.by_image)
    ignored, shift = options.kinds.ignore_label, options.kinds.label_shift or 0
    names = list(found.classes.values())

    def maps_of(name: str) -> label_maps.Maps:
        return label_maps.Maps(*semantic.numbered(found, name, ignore_label=ignored, label_shift=shift))

    gallery = label_maps.worst(names, found.by_image, maps_of, photographs)
    return dataclasses.replace(
        record,
        charts={"confusion": label_maps.confusion(names, found.confusion)},
        galleries={} if gallery is None else {"images": gallery},
    )


def _panoptic(ground_truth: Path, predictions: Path, options: "EvalOptions") -> Evaluated:
    from omniou.data import panoptic

    folders = options.kinds
    truth, found = panoptic.read(ground_truth, folders.gt_folder), panoptic.read(predictions, folders.dt_folder)
    counts = panoptic.count(truth, found)
    summary = counts.summary
    if not summary["n"]:
        raise files.Unusable(f"{ground_truth}: nothing to score: no segments")
    categories = truth.categories or {}
    rows: list[dict[str, Any]] = [
        {"id": label, "name": categories[label].name, "thing": categories[label].is_thing, **values}
        for label, values in counts.per_class.items()
    ]
    parts = [
        {"name": name, **{score: summary[score + suffix] for score in ("PQ", "SQ", "RQ", "n")}}
        | {field: sum(row[field] for row in rows if thing in {None, row["thing"]}) for field in _SEGMENTS}
        for name, suffix, thing in (("all", "", None), ("things", "_th", True), ("stuff", "_st", False))
    ]
    record = Record(
        kind="panoptic",
        summary=summary,
        words={
            "PQ": "panoptic quality",
            "SQ": "segmentation quality: mean IoU of true positives",
            "RQ": "recognition quality: F1 of segments",
        },
        counts={"images": len(truth.annotations), "categories": len(categories)},
        groups=[
            Group(key="parts", title="Things and stuff", rows=parts),
            Group(key="per_class", title="Each class", rows=rows, printed=False),
        ],
    )
    if options.draws:
        from omniou.report._record import segments

        names = {key: Path(x.picture.name).stem for key, x in truth.annotations.items()}
        photographs = _photographs(options, names.values())
        called = [categories[label].name for label in counts.classes]
        gallery = segments.worst(counts, called, names, lambda key: panoptic.outcomes(truth, found, key), photographs)
        record = dataclasses.replace(
            record,
            charts={"segments": segments.bars(parts[1:])},
            galleries={} if gallery is None else {"images": gallery},
        )
    return Evaluated(record, counts)


# What label maps have behind the name of their image, such as aachen_000000_000019_gtFine_labelTrainIds.
_ROLE = re.compile(r"_(?:gtFine|gtCoarse|leftImg8bit|train_id|labelIds?|mask|segmentation|panoptic)\w*$")


def _photographs(options: "EvalOptions", names: Iterable[str]) -> dict[str, str]:
    """Return which photograph of --images is of which label map; warn of maps without one, raise if none has one.

    Where names differ, as in Cityscapes and BDD100K, they are compared without what comes behind the name of the image.
    """
    folder, names = options.reading.images, list(names)
    if folder is None:
        return {}
    known = list(_pictures.in_folder(folder))
    found = dict(zip(names, ImageNames(known).find(names), strict=True))
    bare = [_ROLE.sub("", str(PurePosixPath(x).with_suffix(""))) for x in known]
    others = [name for name, places in found.items() if not places]
    found |= dict(zip(others, ImageNames(bare).find([_ROLE.sub("", name) for name in others]), strict=True))
    photographs = {name: known[places[0]] for name, places in found.items() if len(places) == 1}
    _pictures.check(folder, [photographs.get(name, name) for name in names])
    return photographs


def _components(ground_truth: Path, predictions: Path) -> Evaluated:
    from omniou.data import semantic

    total = semantic.count_components(ground_truth, predictions)
    each = total.by_image or {}
    summary = total.summary
    if not total.true_positives + total.false_negatives:
        raise files.Unusable(f"{ground_truth}: nothing to score: all masks of the ground truth are empty")
    images: list[dict[str, Any]] = [
        {"name": name, **x.summary, **{field: getattr(x, field) for field in _SEGMENTS}} for name, x in each.items()
    ]
    record = Record(
        kind="components",
        summary=summary,
        words={
            "PQ": "panoptic quality",
            "SQ": "mean IoU of true positives",
            "RQ": "F1 of components",
            "precision": "precision of components",
            "recall": "recall of components",
            "dice": "mean Dice of true positives",
        },
        counts={"images": len(each), **{name: getattr(total, name) for name in _SEGMENTS}},
        groups=[Group(key="per_image", title="Each image", rows=images, printed=False)],
    )
    return Evaluated(record, total)
