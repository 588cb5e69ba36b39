"""Compute and describe the error of each keypoint, in the true positives of a result."""

from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._inputs.keypoints import KeypointShapes
from omniou._lib.brief import counted, threshold
from omniou.detection import Result
from omniou.report._record.charts import Drawable, RankedBars, SkeletonMap, number
from omniou.report._record.series import Numbers, Series, mean_of_known
from omniou.report._record.tables import Table
from omniou.report._record.values import array, plain

if TYPE_CHECKING:
    from omniou.report._record.record import Record

# More bars than these cannot be read.
_MOST_BARS = 40
# Points that are less similar are far from their place: Ronchi and Perona call them misses.
_FAR = 0.5


def compute(result: Result[Any], /) -> Series:
    """Compute the mean similarity and distance of each point, where the object of a true positive has it labelled.

    OKS is the mean similarity of an object's labelled points: ``exp(-distance² / (2 area k²))``. "pose" is the median
    place of each point in the boxes of all objects, whose longer side is 1, for a picture; None without a label.

    References
    ----------
    Ronchi and Perona, Benchmarking and Error Diagnosis in Multi-Instance Pose Estimation, ICCV 2017.
    """
    objects, detections = (x.shapes for x in (result.compared.tables.targets, result.compared.tables.detections))
    if not isinstance(objects, KeypointShapes) or not isinstance(detections, KeypointShapes):
        raise ValueError(f"points are of keypoints only, got the kind {result.state.kind!r}")  # noqa: TRY004
    xp, skeleton = objects.xp, objects.skeleton
    matched = array(result.matches.objects)[0]
    hits = np.flatnonzero(array(result.matches.hits)[0])
    rows = [xp.asarray(x, dtype=xp.int64) for x in (hits, matched[hits])]
    similar, counted = map(array, detections.similar(objects, *rows))
    at = [array(x.lines(numbers)[0])[..., :2] for x, numbers in zip((detections, objects), rows, strict=True)]
    known = counted != 0
    similar, distance = (np.where(known, x, np.nan) for x in (similar, np.hypot(*np.moveaxis(at[0] - at[1], 2, 0))))
    return {
        "iou_threshold": result.protocol.iou_thresholds[0],
        "true_positives": len(hits),
        "names": list(skeleton.points) or [f"point {k + 1}" for k in range(skeleton.number)],
        "edges": [list(edge) for edge in skeleton.edges],
        "labelled": known.sum(axis=0).tolist(),
        "similarity": plain(mean_of_known(similar, axis=0)),
        "distance": plain(mean_of_known(distance, axis=0)),
        "far": (similar < _FAR).sum(axis=0).tolist(),
        "pose": _pose(objects),
    }


def _pose(shapes: KeypointShapes) -> list[list[float] | None]:
    """Return the median of each labelled point, in boxes whose longer side is 1."""
    every = shapes.xp.arange(shapes.rows.shape[0])
    points, bounds = array(shapes.lines(every)[0]), shapes.bounds(every)
    low, high = array(bounds.low).T, array(bounds.high).T  # (N, 2)
    side = (high - low).max(axis=1)
    labelled = (points[..., 2] > 0) & (side > 0)[:, None]
    places = (points[..., :2] - low[:, None, :]) / np.where(side > 0, side, 1.0)[:, None, None]
    return [_median(places[labelled[:, k], k]) for k in range(points.shape[1])]


def _median(places: Numbers) -> list[float] | None:
    return np.median(places, axis=0).round(4).tolist() if len(places) else None


def _rows(value: Series) -> list[tuple[str, int, float | None, float | None, int]]:
    """Return name, labels, mean similarity, mean distance and count of far points, the least similar point first."""
    names = ("names", "labelled", "similarity", "distance", "far")
    rows = [row for row in zip(*(value[name] for name in names), strict=True) if row[2] is not None]
    return sorted(rows, key=lambda row: row[2])


def tables(value: Series, record: "Record") -> list[Table]:
    """Make a table with a row for each point that some object has."""
    overlap = record.shapes.overlap
    compared = counted(value["true_positives"], "true positives")
    title = f"Each point in {compared} at {overlap} {value['iou_threshold']:g}"
    note = f"{overlap} is the mean similarity of the labelled points of an object. Far: a similarity below {_FAR:g}."
    return [Table(title, ("point", "labelled", "similarity", "mean distance, pixels", "far"), _rows(value), note)]


def bars(value: Series, overlap: str) -> Drawable:
    """Describe what each point loses of the overlap: 1 minus its mean similarity, the largest first."""
    rows, few, compared = _rows(value), "", counted(value["true_positives"], "true positives")
    if len(rows) > _MOST_BARS:
        few = f", the {_MOST_BARS} worst of {len(rows)}"
    return RankedBars(
        title=f"Error of each point{few}",
        note=f"In {compared} at {overlap} {threshold(value['iou_threshold'])}",
        told=f"The error is 1 minus the similarity, whose mean over the points of an object is {overlap}.",
        x_label="Mean error (number of labelled points)",
        rows=[(name, 1 - x, f"{1 - x:.3f} ({many})") for name, many, x, *_ in rows[:_MOST_BARS] if x is not None],
        dense=len(rows) > 8,
    )


def skeleton(value: Series, _: str) -> Drawable:
    """Describe the points at their median places, larger where their error is larger."""
    known = list(zip(*(value[name] for name in ("names", "pose", "similarity")), strict=True))
    place = {k: row for row, k in enumerate(k for k, (_, at, _) in enumerate(known) if at is not None)}
    return SkeletonMap(
        title="Error on the skeleton",
        note="Points lie at their median place in the boxes of all objects",
        told="The larger a disc, the larger the error; a ring is a point without a true positive.",
        points=[
            (name, at[0], at[1], None if x is None else 1 - x, f"{name}: {number(None if x is None else 1 - x)}")
            for name, at, x in known
            if at is not None
        ],
        edges=[(place[i], place[j]) for i, j in value["edges"] if i in place and j in place],
    )
