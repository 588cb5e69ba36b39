"""Evaluate tables of targets and detections."""

from typing import Any

from omniou._lib import backends, checks, near
from omniou.centres import _matching as matching
from omniou.centres import _readings
from omniou.centres import _tables as tables
from omniou.centres._result import CentreResult
from omniou.centres._rules import NUSCENES, CentreRules
from omniou.centres._tables import CentreDetections, CentreRacks, CentreRows, CentreTargets

# The error that needs a column.
_ERROR_OF = {"velocity": "AVE", "attribute": "AAE"}


@near.explained
def evaluate(
    targets: CentreTargets[Any],
    detections: CentreDetections[Any],
    *,
    rules: CentreRules = NUSCENES,
    format: str = "xyzlwhr",
    samples: Any = None,
    racks: CentreRacks[Any] | None = None,
) -> CentreResult:
    """Evaluate 3-D detections by the distance of centres on the ground: NDS, mAP and errors, by nuScenes' rules.

    By falling score, each detection takes the nearest object of its class and sample that is still free. It is a true
    positive if their centres are closer than the distance, in x and y, strictly. Numbers equal nuScenes' devkit.

    Parameters
    ----------
    targets : CentreTargets
        All objects of all samples.
    detections : CentreDetections
        All detections.
    rules : CentreRules
        The rules. Default: nuScenes' detection task.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        Format of the boxes, as in `omniou.boxes3d`: "nuscenes" has centre, width, length, height, and quaternion.
    samples : array of integers, or list of str, optional
        Ids of all samples: a row of another sample raises. Default: those that occur.
    racks : CentreRacks, optional
        Bicycle racks, which hide bicycles and motorcycles. Default: none.

    Returns
    -------
    CentreResult
        The numbers, and the rows that they are computed from. Results of other samples add.

    Raises
    ------
    TypeError
        If a table, a column or an option has a wrong type, or a column that must be there is None.
    ValueError
        If shapes do not fit; a value is not finite, a side not above 0, a score below 0 or a quaternion 0; a class,
        attribute or sample is unknown; or a sample has more detections than the rules allow.

    Notes
    -----
    NumPy computes, on the host. Arrays of other libraries are copied there.

    References
    ----------
    Caesar et al., nuScenes: A multimodal dataset for autonomous driving, CVPR 2020.

    Examples
    --------
    >>> from omniou import centres
    >>> truth = centres.CentreTargets(
    ...     boxes=[[10, 0, 1, 4, 2, 1.5, 0.0], [20, 5, 1, 4, 2, 1.5, 0.0]],  # x, y, z, length, width, height, yaw
    ...     labels=["car", "car"],
    ...     samples=[0, 0],
    ...     velocities=[[5, 0], [0, 0]],
    ...     attributes=["vehicle.moving", "vehicle.parked"],
    ...     from_ego=[[10, 0], [20, 5]],
    ... )
    >>> found = centres.CentreDetections(
    ...     boxes=[[10.3, 0.4, 1, 4, 2, 1.5, 0.1]],
    ...     scores=[0.9],
    ...     labels=["car"],
    ...     samples=[0],
    ...     velocities=[[4, 0]],
    ...     attributes=["vehicle.moving"],
    ...     from_ego=[[10.3, 0.4]],
    ... )
    >>> result = centres.evaluate(truth, found)
    >>> [round(float(x), 3) for x in result.ap[0]]  # of cars; the centres are 0.5 m apart
    [0.0, 0.444, 0.444, 0.444]
    >>> [round(float(x), 3) for x in result.mean_errors[0]]  # ATE, ASE, AOE, AVE, AAE
    [0.5, 0.0, 0.1, 1.0, 0.0]
    """
    checks.instance("rules", rules, CentreRules, "CentreRules")
    format = checks.choice("format", format, ("xyzlwhr", "kitti", "nuscenes"))
    read = tables.read(targets, detections, racks, rules=rules, format=format, samples=samples)
    tables.check_limit(read.detections, read.samples, rules.max_detections)
    xp = backends.numpy_namespace()
    truth, dropped = _kept(read.targets, read, rules)
    found, lost = _kept(read.detections, read, rules)
    counts = {"samples": read.samples.shape[0], "objects": read.targets.labels.shape[0]}
    counts |= {f"objects {why}": many for why, many in dropped.items()}
    counts |= {"detections": read.detections.labels.shape[0]}
    counts |= {f"detections {why}": many for why, many in lost.items() if why != "without points"}
    lacking = {"velocity": xp.isnan(found.velocities).any(axis=1), "attribute": found.attributes == tables.NO_ATTRIBUTE}
    for name, column in lacking.items():
        has = xp.asarray([_ERROR_OF[name] in x.errors for x in rules.classes])[found.labels]
        counts[f"detections without {name}"] = int((column & has).sum())
    matches = matching.match(truth, found, rules)
    at = rules.distances.index(rules.error_distance)
    return CentreResult(
        rules=rules,
        samples=read.samples,
        sample_of=found.samples,
        scores=found.scores,
        labels=found.labels,
        reach=found.reach,
        matches=matches,
        errors=matching.errors(truth, found, matches[at], rules),
        counted=xp.ones(matches.shape, dtype=bool),
        target_sample_of=truth.samples,
        target_labels=truth.labels,
        target_reach=truth.reach,
        target_counted=xp.ones(truth.labels.shape, dtype=bool),
        counts=counts,
        doubts=(
            *(
                _readings.places(read.targets, read.detections, format)
                or _readings.shapes(truth, found, matches[at], format)
            ),
            *_readings.frame(read.targets, read.detections, rules),
        ),
    )


def _kept(rows: CentreRows, read: tables.CentreTables, rules: CentreRules) -> tuple[CentreRows, dict[str, int]]:
    """The rows that count, and how many do not, by the first reason that applies."""
    xp = backends.numpy_namespace()
    limits = xp.asarray([xp.inf if x.range is None else x.range for x in rules.classes])[rows.labels]
    outside = rows.reach >= limits  # false for NaN, which only rules without ranges let pass
    empty = ~outside & (rows.points == 0)
    hidden = xp.zeros_like(outside)
    if read.racks is not None:
        hidden = matching.in_racks(rows, read.racks, rules, read.samples.shape[0]) & ~outside & ~empty
    dropped = {"out of range": outside, "without points": empty, "in racks": hidden}
    return rows.take(~(outside | empty | hidden)), {why: int(x.sum()) for why, x in dropped.items()}
