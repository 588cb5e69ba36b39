"""Detections without scores: one operating point, in numbers of all classes, of each class and of each image."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou._results.base import Named
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection._protocol import place_of
from omniou.detection.curves._operating import share
from omniou.detection.curves._summary import POOLED, Counts
from omniou.detection.matching._matches import Compared, Matches

# The IoU at which papers count a box as right.
_RIGHT = 0.5
# Kinds whose shapes are their bounds.
_UPRIGHT = ("bbox", "intervals")


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class OnePoint(ResultAnalysis, Generic[ArrayT]):
    """Counts and means of all detections, regardless of their scores, at one IoU threshold.

    The numbers, by name: "objects" and "detections" that count, "true_positives"; "F1", "precision" and "recall";
    "mean_iou" of the true positives; "Acc50", the share of objects whose detection has an IoU of at least 0.5; and
    "centre_inside", the share of objects that hold the centre of their detection, edges included. Shares of nothing are
    NaN. So are "Acc50" without this threshold in the protocol, and "centre_inside" for shapes other than upright boxes.

    Attributes
    ----------
    iou_threshold : float
        IoU threshold of a true positive.
    summary : mapping of str to float
        Numbers over all classes and images.
    per_class : mapping of str to array, shape (K,)
        Numbers of each class.
    per_image : mapping of str to array, shape (I,)
        Numbers of each image.
    images : array of int64, shape (I,)
        Ids of the images, rising.
    """

    iou_threshold: float
    summary: Mapping[str, float]
    per_class: Mapping[str, ArrayT]
    per_image: Mapping[str, ArrayT]
    images: ArrayT

    def _line(self) -> str:
        told = ", ".join(f"{name} {shown(self.summary[name])}" for name in (*POOLED, "mean_iou"))
        return f"{told} at {self.overlap} {threshold(self.iou_threshold)}"

    def _columns(self) -> dict[str, Any]:
        return {"name": list(self.class_names)} | {name: to_list(x) for name, x in self.per_class.items()}


def find(boxes: Compared, matches: Matches[Any], iou_threshold: float, kind: str, /) -> OnePoint[Any]:
    """Return the numbers at one of the protocol's thresholds. `kind` is the name that the state has."""
    xp, images = boxes.tables.xp, boxes.ids.images
    counted = _counted(boxes, matches, iou_threshold, with_centres=kind.partition(":")[0] in _UPRIGHT)
    nowhere = xp.zeros_like(matches.labels), xp.zeros_like(matches.target_labels)
    by_class = [indexing.place(matches.classes, x, xp=xp)[0] for x in (matches.labels, matches.target_labels)]
    by_image = [indexing.place(images, x.images, xp=xp)[0] for x in (boxes.tables.detections, boxes.tables.targets)]
    whole = _numbers(counted, nowhere, 1, xp=xp)
    return OnePoint(
        iou_threshold=iou_threshold,
        summary=Named({name: float(x[0]) for name, x in whole.items()}),
        per_class=Named(_numbers(counted, by_class, matches.classes.shape[0], xp=xp)),
        per_image=Named(_numbers(counted, by_image, images.shape[0], xp=xp)),
        images=images,
    )


class _Counted(NamedTuple):
    """What is counted, as flags of the M detections; `objects` are flags of the N objects."""

    objects: Any
    detections: Any
    hits: Any
    overlaps: Any  # (M,) IoU with the matched object
    right: Any | None  # matched at an IoU of 0.5
    centres: Any | None  # matched, with the centre inside


def _counted(boxes: Compared, matches: Matches[Any], iou_threshold: float, *, with_centres: bool) -> _Counted:
    at = matches.thresholds.index(iou_threshold)
    right = place_of(matches.thresholds, _RIGHT) if boxes.protocol.measure == "iou" else None
    hits = matches.hits[at, :]
    return _Counted(
        objects=matches.target_counts,
        detections=matches.counts[at, :],
        hits=hits,
        overlaps=matches.overlaps[at, :],
        right=None if right is None else matches.hits[right, :],
        centres=_centre_inside(boxes, hits, matches.objects[at, :]) if with_centres else None,
    )


def _centre_inside(boxes: Compared, hits: Any, objects: Any, /) -> Any:
    """Return flags (M,): true positives whose centre lies in the object, or on its edge."""
    xp = boxes.tables.xp
    rows = xp.nonzero(hits)[0]
    inside = centres_inside(boxes, rows, xp.take(objects, rows))
    return indexing.put(xp.zeros_like(hits), rows, inside, xp=xp)


def centres_inside(boxes: Compared, detections: Any, objects: Any, /) -> Any:
    """Rows of detections and of objects (P,) -> whether the centre of each detection's bounds lies in the object's."""
    found, there = boxes.tables.detections.shapes.bounds(detections), boxes.tables.targets.shapes.bounds(objects)
    centre = (found.low + found.high) / 2
    return boxes.tables.xp.all((there.low <= centre) & (centre <= there.high), axis=0)


def _numbers(x: _Counted, places: Sequence[Any], size: int, /, *, xp: Namespace) -> dict[str, Any]:
    """Places of detections (M,) and of objects (N,) -> numbers by name, (size,) each."""

    def counts(which: Any, of: Any) -> Any:
        return xp.astype(indexing.counts(xp.take(of, xp.nonzero(which)[0]), size, xp=xp), x.overlaps.dtype)

    of_detections, of_objects = places
    every = Counts(counts(x.hits, of_detections), counts(x.detections, of_detections), counts(x.objects, of_objects))
    rows = xp.nonzero(x.hits)[0]
    place, overlap = xp.take(of_detections, rows), xp.take(x.overlaps, rows)
    # Sorted, so that the sum does not depend on the order of the rows.
    order = ordering.falling(place, max(1, size), overlap, xp=xp)
    total = indexing.sums(xp.take(overlap, order), xp.take(place, order), size, xp=xp)
    nan = xp.full_like(every.objects, float("nan"))
    return {
        "objects": every.objects,
        "detections": every.detections,
        "true_positives": every.hits,
        **{kind: every.number(kind, xp=xp) for kind in POOLED},
        "mean_iou": share(total, every.hits, xp=xp),
        "Acc50": nan if x.right is None else share(counts(x.right, of_detections), every.objects, xp=xp),
        "centre_inside": nan if x.centres is None else share(counts(x.centres, of_detections), every.objects, xp=xp),
    }
