"""Files of nuScenes' detection task: results as JSON, and ground truth in the same layout, exported by its devkit.

``{"meta": {...}, "results": {sample token: [box, ...]}}``. A box has "sample_token", "translation", "size" (width,
length, height), "rotation" (quaternion w, x, y, z), "velocity", "detection_name", "attribute_name", and in results
"detection_score". Ground truth has the lidar and radar points of a box: "num_pts", or "num_lidar_pts" and
"num_radar_pts". Positions of the ego vehicle are in "ego_poses" of the ground truth, {sample token: [x, y, z]}, or in
"ego_translation" of the boxes, their position relative to it. "bicycle_racks" of the ground truth, {sample token:
[box, ...]}, hide bicycles and motorcycles.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou import centres
from omniou._lib import checks
from omniou.centres import NUSCENES, CentreDetections, CentreRacks, CentreResult, CentreRules, CentreTargets
from omniou.data import _nuscenes_boxes as read
from omniou.data._errors import InputError

__all__ = ["SampleTruth", "evaluate", "read_detections", "read_ground_truth"]


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SampleTruth:
    """A file of ground truth.

    Attributes
    ----------
    path : Path
        The file.
    rules : CentreRules
        Classes and attributes, by which their names are numbered.
    tokens : tuple of str
        The samples, in the order of the file. Their numbers are places here.
    targets : CentreTargets
        The objects. Boxes are in the format "nuscenes".
    ego : array, shape (S, 2)
        Position of the ego vehicle in each sample; NaN where nothing tells it.
    racks : CentreRacks or None
        Bicycle racks; None where the file has no such field.
    """

    path: Path
    rules: CentreRules
    tokens: tuple[str, ...]
    targets: CentreTargets[Any]
    ego: npt.NDArray[np.float64]
    racks: CentreRacks[Any] | None


def read_ground_truth(path: Path | str, *, rules: CentreRules = NUSCENES) -> SampleTruth:
    """Read the objects of all samples. `docs/nuscenes.md` has the lines that export them.

    Parameters
    ----------
    path : path
        JSON, or JSON compressed by gzip.
    rules : CentreRules
        Known classes and attributes. Default: nuScenes' detection task.

    Returns
    -------
    SampleTruth

    Raises
    ------
    InputError
        If the file cannot be read; a field is missing or wrong, named by sample, record and field; or positions of the
        ego vehicle contradict each other.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from omniou.data import nuscenes
    >>> box = {
    ...     "sample_token": "a1", "translation": [10, 0, 1], "size": [2, 4, 1.5], "rotation": [1, 0, 0, 0],
    ...     "velocity": [5, 0], "detection_name": "car", "attribute_name": "vehicle.moving", "num_pts": 12,
    ... }
    >>> content = {"meta": {}, "results": {"a1": [box]}, "ego_poses": {"a1": [0, 0, 0]}, "bicycle_racks": {}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "truth.json")
    ...     _ = path.write_text(json.dumps(content))
    ...     truth = nuscenes.read_ground_truth(path)
    >>> truth.tokens, truth.targets.labels.tolist(), truth.targets.from_ego.tolist()
    (('a1',), [0], [[10.0, 0.0]])
    """
    checks.instance("rules", rules, CentreRules, "CentreRules")
    path = Path(path)
    outer = read.outer(path)
    boxes = read.boxes(path, outer, read.SampleAnnotation, rules)
    ego = read.ego_positions(path, outer, boxes)
    racks = None
    if outer.bicycle_racks is not None:
        read.check_samples(path, "bicycle_racks", list(outer.bicycle_racks), boxes.tokens, all_of_them=False)
        inside = read.racks(path, outer.bicycle_racks)
        place = {token: k for k, token in enumerate(boxes.tokens)}
        renumbered = np.asarray([place[token] for token in inside.tokens], dtype=np.int64)[inside.samples]
        racks = CentreRacks(inside.rows, renumbered)
    targets = CentreTargets(
        boxes=boxes.rows,
        labels=boxes.labels,
        samples=boxes.samples,
        velocities=boxes.velocities,
        attributes=boxes.attributes,
        points=boxes.points,
        from_ego=read.from_ego(path, boxes, ego),
    )
    return SampleTruth(path=path, rules=rules, tokens=boxes.tokens, targets=targets, ego=ego, racks=racks)


def read_detections(path: Path | str, truth: SampleTruth) -> CentreDetections[Any]:
    """Read the detections of all samples, from a file in the format of nuScenes' server.

    Parameters
    ----------
    path : path
        JSON, or JSON compressed by gzip.
    truth : SampleTruth
        From `read_ground_truth`. Both files must list the same samples.

    Returns
    -------
    CentreDetections

    Raises
    ------
    InputError
        If the file cannot be read; a field is missing or wrong; samples are missing or unknown, which are listed; a
        sample has more detections than the rules allow; or nothing tells the position of the ego vehicle.
    """
    path = Path(path)
    outer = read.outer(path)
    read.check_samples(path, "results", list(outer.results), truth.tokens, all_of_them=True)
    boxes = read.boxes(path, outer, read.SampleResult, truth.rules)
    # Rows keep the order of this file, which decides where scores tie; samples are numbered as in the ground truth.
    place = {token: k for k, token in enumerate(truth.tokens)}
    to_truth = np.asarray([place[token] for token in boxes.tokens], dtype=np.int64)
    ego = np.full((len(boxes.tokens), 2), np.nan) if not len(to_truth) else truth.ego[to_truth]
    return CentreDetections(
        boxes=boxes.rows,
        scores=boxes.scores,
        labels=boxes.labels,
        samples=to_truth[boxes.samples],
        velocities=boxes.velocities,
        attributes=boxes.attributes,
        from_ego=read.from_ego(path, boxes, ego),
    )


def evaluate(truth: SampleTruth, detections: CentreDetections[Any]) -> CentreResult:
    """Evaluate what the readers returned, by the rules of the ground truth: `omniou.centres.evaluate`.

    Parameters
    ----------
    truth : SampleTruth
        From `read_ground_truth`.
    detections : CentreDetections
        From `read_detections`.

    Returns
    -------
    CentreResult
        Its `samples` are the tokens.

    Raises
    ------
    InputError
        If the ground truth has no samples.
    """
    if not truth.tokens:
        raise InputError(truth.path, "no samples", place="results")
    result = centres.evaluate(
        *(truth.targets, detections),
        rules=truth.rules,
        format="nuscenes",
        samples=np.arange(len(truth.tokens)),
        racks=truth.racks,
    )
    return dataclasses.replace(result, samples=np.asarray(truth.tokens))
