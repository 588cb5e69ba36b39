"""Kind `centres`: 3-D detections by the distance of centres, as nuScenes evaluates them."""

import dataclasses
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._lib.brief import counted
from omniou.centres import CentreDetections
from omniou.cli import _files as files
from omniou.cli._kinds import Evaluated
from omniou.cli._log import Log
from omniou.data import Finding, nuscenes
from omniou.report import Group, Record
from omniou.report._record.charts import Curve, Plane
from omniou.report._record.tables import Table

if TYPE_CHECKING:
    from omniou.centres import CentreResult
    from omniou.cli._check import CheckOptions
    from omniou.cli._eval_options import EvalOptions
    from omniou.data.nuscenes import SampleTruth

# Metres from the ego vehicle: up to the range of cones, of pedestrians, and of vehicles.
_EDGES = (0.0, 20.0, 30.0, 40.0, 50.0)
_WORDS = {
    "NDS": "nuScenes detection score",
    "mAP": "mean AP of classes and distances",
    "mATE": "translation error, m",
    "mASE": "scale error, 1 - IoU of aligned boxes",
    "mAOE": "orientation error, rad",
    "mAVE": "velocity error, m/s",
    "mAAE": "attribute error, 1 - accuracy",
}
_REASONS = ("out of range", "without points", "in racks")
_STYLES = ("c", "b", "a", "mean")


def evaluate(paths: list[Path], options: "EvalOptions", log: Log) -> Evaluated:
    """Read both files, evaluate, and make the record."""
    truth, result = _result(paths)
    if why := _unscored(result):
        raise files.Unusable(f"{paths[0]}: {why}")
    if truth.racks is None:
        log.assume("The file has no list of bicycle racks: bicycles and motorcycles in racks count.")
    if unknown := int(np.count_nonzero(np.asarray(truth.targets.points) == -1)):
        log.assume(f"{counted(unknown, 'objects')} without a number of points included.")
    edges = options.kinds.ranges or _EDGES
    ranges = {ends: result.within(*ends) for ends in itertools.pairwise(edges)}
    bands = {f"{a:g}-{b:g} m": x for (a, b), x in ranges.items()}
    values = result.to_dict()
    record = Record(
        kind="centres",
        protocol="nuscenes",
        units="samples",
        summary=result.summary,
        words=_WORDS | {name: "mean AP of classes" for name in result.summary if name.startswith("AP")},
        counts={name: result.counts[name] for name in ("samples", "objects", "detections")},
        groups=[
            Group(key="per_class", title="Each class", rows=[_without_id(x) for x in values["per_class"]]),
            Group(key="per_range", title="Each range", rows=[_of_range(name, x) for name, x in bands.items()]),
            Group(
                key="per_class_and_range",
                title="AP of each class and range",
                rows=[row for name, x in bands.items() for row in _classes_of_range(name, x)],
                printed=False,
            ),
        ],
        tables=[_dropped(result, with_racks=truth.racks is not None)],
        charts={"pr": _curves(result)},
        details={"dropped": {name: x for name, x in result.counts.items() if name.endswith(_REASONS)}},
        warnings=result.findings,
    )
    if options.draws:
        from omniou.report._charts.over import of_distance

        record = dataclasses.replace(record, charts={**record.charts, **of_distance(ranges)})
    return Evaluated(record, result)


def check(paths: list[Path], _options: "CheckOptions", _log: Log) -> list[Finding]:
    """Return what makes the numbers doubtful; readers raise for faults."""
    _, result = _result(paths)
    if why := _unscored(result):
        return [Finding(code="nothing-to-score", text=why, path=str(paths[0]))]
    return result.findings if len(paths) > 1 else []


def _result(paths: list[Path]) -> "tuple[SampleTruth, CentreResult]":
    """Evaluate both files; without detections, as if there were none."""
    truth = nuscenes.read_ground_truth(paths[0])
    nothing = CentreDetections([], [], [], [], from_ego=[])
    found = nuscenes.read_detections(paths[1], truth) if len(paths) > 1 else nothing
    return truth, nuscenes.evaluate(truth, found)


def _unscored(result: "CentreResult") -> str:
    """Return why no object counts; empty if one does."""
    if result.objects.any():
        return ""
    dropped = [f"{many} {why}" for why in _REASONS if (many := result.counts.get(f"objects {why}"))]
    return f"nothing to score: {'all objects are dropped, ' if dropped else 'no objects'}{', '.join(dropped)}"


def _without_id(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a class without its id, which has no meaning outside omniou."""
    return {name: x for name, x in row.items() if name != "id"}


def _of_range(name: str, result: "CentreResult") -> dict[str, Any]:
    return {"name": name, "objects": int(result.objects.sum()), **result.summary}


def _classes_of_range(name: str, result: "CentreResult") -> list[dict[str, Any]]:
    rows = zip(result.rules.names, result.objects.tolist(), result.per_class["AP"].tolist(), strict=True)
    return [{"name": f"{own}, {name}", "objects": many, "AP": ap} for own, many, ap in rows if many]


def _dropped(result: "CentreResult", *, with_racks: bool) -> Table:
    """Make a table of objects and detections that do not count, by reason; a dash if the reason is not known."""
    sides = ("objects", "detections")
    rows = [[why, *(result.counts.get(f"{what} {why}") for what in sides)] for why in _REASONS]
    rows[-1] = rows[-1] if with_racks else [_REASONS[-1], None, None]
    return Table("Dropped by the rules", ["", "objects", "detections"], rows, "A detection has no points of its own.")


def _curves(result: "CentreResult") -> Plane:
    """Describe the mean precision of the classes that have objects, at each distance."""
    recall, there = result.recall.tolist(), result.precision[result.objects > 0]
    means = there.mean(axis=0).tolist() if len(there) else [[]] * len(result.rules.distances)
    marks = [
        Curve(list(zip(recall, mean, strict=False)), style, f"{distance:g} m")
        for mean, style, distance in zip(means, _STYLES, result.rules.distances, strict=False)
    ]
    told = "Precision at or below 0.1, and recall at or below 0.1, do not count."
    title = "Precision over recall at each distance, mean of the classes with objects"
    return Plane(title=title, told=told, x_label="Recall", y_label="Precision", curves=marks)
