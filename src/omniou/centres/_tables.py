"""The tables of an evaluation by centres, checked and brought to NumPy in 64 bits."""

import dataclasses
import math
from typing import Any, Generic, NamedTuple

from omniou import boxes3d
from omniou._lib import backends, checks, indexing
from omniou._lib.brief import Brief
from omniou._lib.types import ArrayLike, ArrayT
from omniou.centres import _columns as columns
from omniou.centres._rules import CentreRules

NO_ATTRIBUTE = -1
_TWO_TURNS = 4.0 * math.pi


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class CentreTargets(Brief, Generic[ArrayT]):
    """The objects of all samples (key frames), one row each. Lengths are metres.

    Attributes
    ----------
    boxes : array, shape (N, 7) or (N, 10)
        In the `format` of `evaluate`: any of `omniou.boxes3d`.
    labels : array of integers, or list of str, shape (N,)
        Class: its place in `CentreRules.classes`, or its name.
    samples : array of integers, or list of str, shape (N,)
        Number or token of the sample.
    velocities : array, shape (N, 2), optional
        In x and y, m/s. NaN where it is unknown: such an object has no velocity error.
    attributes : array of integers, or list of str, shape (N,), optional
        Attribute: its place in `CentreRules.attributes`, or its name. -1 or "" for none: such an object has no
        attribute error.
    points : array of integers, shape (N,), optional
        Lidar and radar points in the box. Objects with 0 are dropped. -1 where it is unknown.
    from_ego : array, shape (N, 2) or (N, 3), optional
        Position relative to the ego vehicle, for the ranges of classes: centre minus ego position.
    """

    boxes: ArrayT | ArrayLike
    labels: ArrayT | ArrayLike
    samples: ArrayT | ArrayLike
    velocities: ArrayT | ArrayLike | None = None
    attributes: ArrayT | ArrayLike | None = None
    points: ArrayT | ArrayLike | None = None
    from_ego: ArrayT | ArrayLike | None = None


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class CentreDetections(Brief, Generic[ArrayT]):
    """The detections of all samples, one row each. If scores are equal, the later row ranks first, as for nuScenes.

    Attributes
    ----------
    boxes : array, shape (M, 7) or (M, 10)
        In the format of the boxes of the targets.
    scores : array, shape (M,)
        Confidence, at least 0.
    labels : array of integers, or list of str, shape (M,)
        Class: its place in `CentreRules.classes`, or its name.
    samples : array of integers, or list of str, shape (M,)
        Number or token of the sample.
    velocities : array, shape (M, 2), optional
        In x and y, m/s.
    attributes : array of integers, or list of str, shape (M,), optional
        -1 or "" for none, which is wrong for each object that has an attribute.
    from_ego : array, shape (M, 2) or (M, 3), optional
        Position relative to the ego vehicle.
    """

    boxes: ArrayT | ArrayLike
    scores: ArrayT | ArrayLike
    labels: ArrayT | ArrayLike
    samples: ArrayT | ArrayLike
    velocities: ArrayT | ArrayLike | None = None
    attributes: ArrayT | ArrayLike | None = None
    from_ego: ArrayT | ArrayLike | None = None


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class CentreRacks(Brief, Generic[ArrayT]):
    """Boxes that hide the classes which `CentreClass.in_racks` marks: the bicycle racks of nuScenes.

    Attributes
    ----------
    boxes : array, shape (R, 7) or (R, 10)
        In the format of the boxes of the targets.
    samples : array of integers, or list of str, shape (R,)
        Number or token of the sample.
    """

    boxes: ArrayT | ArrayLike
    samples: ArrayT | ArrayLike


class CentreRows(NamedTuple):
    """Columns of one table, in NumPy."""

    stated: Any  # (N, 7) or (N, 10), in the format of the call
    centres: Any  # (N, 3)
    sizes: Any  # (N, 3) length, width, height
    yaws: Any  # (N,)
    labels: Any  # (N,) places of classes
    samples: Any  # (N,) places of samples
    velocities: Any  # (N, 2), NaN for unknown
    attributes: Any  # (N,) -1 for none
    reach: Any  # (N,) distance from the ego vehicle, NaN for unknown
    points: Any  # (N,) -1 for unknown
    scores: Any  # (N,) 0 for objects

    def take(self, chosen: Any) -> "CentreRows":
        """Some of the rows: numbers, or booleans (N,)."""
        return CentreRows(*(x[chosen] for x in self))


class CentreTables(NamedTuple):
    """All tables, and the ids of the samples."""

    targets: CentreRows
    detections: CentreRows
    racks: CentreRows | None
    samples: Any  # (S,) ids, rising


def read(
    targets: CentreTargets[Any],
    detections: CentreDetections[Any],
    racks: CentreRacks[Any] | None,
    *,
    rules: CentreRules,
    format: str,
    samples: Any,
) -> CentreTables:
    """Check and convert all columns."""
    checks.instance("targets", targets, CentreTargets, "CentreTargets")
    checks.instance("detections", detections, CentreDetections, "CentreDetections")
    tables: dict[str, Any] = {"targets": targets, "detections": detections}
    if racks is not None:
        tables["racks"] = checks.instance("racks", racks, CentreRacks, "CentreRacks")
    named = {f"{name}.samples": columns.ids(f"{name}.samples", table.samples) for name, table in tables.items()}
    known = columns.samples_of(samples, named)
    xp = backends.numpy_namespace()
    rows = {}
    for name, table in tables.items():
        places = xp.searchsorted(known, named[f"{name}.samples"])
        rows[name] = _rows(name, table, places, rules, format)
    return CentreTables(rows["targets"], rows["detections"], rows.get("racks"), known)


def _rows(name: str, table: Any, samples: Any, rules: CentreRules, format: str) -> CentreRows:
    """One table, all of whose columns have one length."""
    xp = backends.numpy_namespace()
    stated = _stated(f"{name}.boxes", table.boxes, format)
    boxes = _boxes(f"{name}.boxes", stated, format)
    size = boxes.shape[0]
    readers = {
        "labels": lambda x: columns.labels(f"{name}.labels", x, rules.names, least=0),
        "velocities": lambda x: columns.numbers(f"{name}.velocities", x, widths=(2,), nan=True),
        "attributes": lambda x: columns.labels(f"{name}.attributes", x, ("", *rules.attributes), least=NO_ATTRIBUTE),
        "points": lambda x: columns.integers(f"{name}.points", x, least=-1),
        "from_ego": lambda x: columns.numbers(f"{name}.from_ego", x, widths=(2, 3)),
        "scores": lambda x: columns.numbers(f"{name}.scores", x, widths=(), least=0.0),
    }
    defaults = {
        "labels": xp.zeros(size, dtype=xp.int64),
        "velocities": xp.full((size, 2), xp.nan),
        "attributes": xp.full(size, NO_ATTRIBUTE),
        "points": xp.full(size, -1),
        "from_ego": xp.full((size, 2), xp.nan),
        "scores": xp.zeros(size),
    }
    given = {x: getattr(table, x, None) for x in readers}
    if "labels" in {f.name for f in dataclasses.fields(table)}:
        _check_given(name, given, rules)
    ready = {x: defaults[x] if value is None else readers[x](value) for x, value in given.items()}
    lengths = {"boxes": size, "samples": samples.shape[0]} | {x: column.shape[0] for x, column in ready.items()}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{length} in `{name}.{x}`" for x, length in lengths.items())
        raise ValueError(f"columns of `{name}` must have one length, got {listing}")
    away = ready["from_ego"]
    return CentreRows(
        stated=stated,
        centres=boxes[:, :3],
        sizes=boxes[:, 3:6],
        yaws=boxes[:, 6],
        labels=ready["labels"],
        samples=samples,
        velocities=ready["velocities"],
        attributes=ready["attributes"],
        reach=xp.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2),
        points=ready["points"],
        scores=ready["scores"],
    )


def _check_given(name: str, given: dict[str, Any], rules: CentreRules) -> None:
    """Raise for columns that must be there."""
    for column in ("labels", *(["scores"] if name == "detections" else [])):
        if given[column] is None:
            raise TypeError(f"`{name}.{column}` must be given, got None")
    if given["from_ego"] is None and any(x.range is not None for x in rules.classes):
        raise ValueError(
            f"`{name}.from_ego` must be given: the rules have ranges around the ego vehicle. Without it, use rules "
            "whose classes have `range=None`"
        )


def _stated(name: str, given: Any, format: str) -> Any:
    """Boxes in any format of `omniou.boxes3d` -> checked numbers (N, 7) or (N, 10)."""
    xp = backends.numpy_namespace()
    rows = columns.numbers(name, given, widths=(7, 10))
    numbers = 10 if format == "nuscenes" else 7
    if rows.shape[1] != numbers and rows.shape[0]:
        raise ValueError(f"`{name}` must have shape (N, {numbers}) in the format {format!r}, got {rows.shape}")
    return rows if rows.shape[0] else xp.zeros((0, numbers))


def _boxes(name: str, rows: Any, format: str) -> Any:
    """Stated numbers -> (N, 7) as "xyzlwhr", of positive sides."""
    xp = backends.numpy_namespace()
    if format == "nuscenes":
        columns.raise_first(name, rows, ~xp.any(rows[:, 6:] != 0, axis=1), "must have a quaternion that is not 0")
    boxes = boxes3d.convert(rows, format, "xyzlwhr")
    columns.raise_first(name, rows, ~xp.all(boxes[:, 3:6] > 0, axis=1), "must have sides above 0")
    # Two turns, as `boxes3d.check` has it.
    columns.raise_first(name, rows, xp.abs(boxes[:, 6]) > _TWO_TURNS, "must have a yaw in radians, within two turns")
    return boxes


def check_limit(detections: CentreRows, read_samples: Any, most: int | None) -> None:
    """Raise where a sample has more detections than the rules allow."""
    many = indexing.counts(detections.samples, read_samples.shape[0], xp=backends.numpy_namespace())
    if most is not None and many.shape[0] and int(many.max()) > most:
        sample = int(many.argmax())
        token = read_samples[sample].item()
        raise ValueError(
            f"`detections` must have at most {most} rows in a sample, got {int(many[sample])} in {token!r}"
        )
