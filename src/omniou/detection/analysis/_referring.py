"""Referring expressions: one box for each phrase, as in RefCOCO."""

import dataclasses
import itertools
import math
from collections.abc import Mapping
from typing import Any, Generic

from omniou._inputs.shapes import Pairs
from omniou._lib import indexing, ordering
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT
from omniou._results.base import Named
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection.analysis._one_point import centres_inside
from omniou.detection.matching._groups import one_class
from omniou.detection.matching._matches import Compared, counting

# lmms-eval's thresholds, the one of papers first.
_THRESHOLDS = (0.5, 0.1, 0.3, 0.7, 0.9)


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Referring(ResultAnalysis, Generic[ArrayT]):
    """Accuracy and mean IoU of phrases: P classes in images, each with one object and at most one detection.

    Attributes
    ----------
    summary : mapping of str to float
        "Acc50": share of phrases whose detection has an IoU of at least 0.5. "mean_iou" over all phrases, 0 without a
        detection. "centre_inside": share of phrases whose object holds the centre of the detection, edges included.
        "Acc10", "Acc30", "Acc70" and "Acc90". "answered": share of phrases with a detection.
    images : array of int64, shape (P,)
        Image of each phrase; phrases are sorted by image, then class.
    labels : array of int64, shape (P,)
        Class of each phrase.
    overlaps : array of float, shape (P,)
        IoU of the detection with the object; 0 without a detection.
    inside : array of booleans, shape (P,)
        Whether the centre of the detection lies in the object.

    References
    ----------
    Kazemzadeh et al., ReferItGame, EMNLP 2014; Yu et al., Modeling Context in Referring Expressions, ECCV 2016.
    """

    summary: Mapping[str, float]
    images: ArrayT
    labels: ArrayT
    overlaps: ArrayT
    inside: ArrayT

    def _line(self) -> str:
        return ", ".join(f"{name} {shown(self.summary[name])}" for name in ("Acc50", "mean_iou", "centre_inside"))

    def _columns(self) -> dict[str, Any]:
        return {name: to_list(getattr(self, name)) for name in ("images", "labels", "overlaps", "inside")}


def find(boxes: Compared, classes: Any, names: Mapping[int, str], image_names: Mapping[int, str], /) -> Referring[Any]:
    """Return the numbers of phrases. `classes` (K,) are the classes of the state, rising; names are for errors."""
    (xp, targets, detections, *_), ids, protocol = boxes
    size, places = max(1, classes.shape[0]), []
    for table in (targets, detections):
        label, known = indexing.place(classes, one_class(table.labels, protocol, xp=xp), xp=xp)
        image, here = indexing.place(ids.images, table.images, xp=xp)
        rows = xp.nonzero(known & here & counting(boxes) if table is targets else known & here)[0]
        keys = xp.take(image * size + label, rows)
        order = ordering.rising(keys, max(1, size * ids.images.shape[0]), xp=xp)
        keys, rows = xp.take(keys, order), xp.take(rows, order)
        if (twice := _twice(keys)) is not None:
            image, label = int(ids.images[twice // size]), int(classes[twice % size])
            what = "objects" if table is targets else "detections"
            raise ValueError(
                f"a phrase, a class in an image, must have one of the {what}: {names.get(label, label)!r} has "
                f"{to_list(keys).count(twice)} in image {image_names.get(image, image)!r}"
            )
        places.append((keys, rows))
    (keys, rows), (found_keys, found_rows) = places
    at, known = indexing.place(keys, found_keys, xp=xp)
    at, found_rows = at[known], found_rows[known]
    own = xp.take(rows, at)
    overlap = detections.shapes.overlap(targets.shapes, Pairs(found_rows, own, xp.zeros_like(own, dtype=xp.bool)), 0.0)
    overlaps = indexing.put(xp.zeros_like(keys, dtype=overlap.dtype), at, overlap, xp=xp)
    inside = indexing.put(xp.zeros_like(keys, dtype=xp.bool), at, centres_inside(boxes, found_rows, own), xp=xp)
    return Referring(
        summary=_summary(to_list(overlaps), to_list(inside), at.shape[0]),
        images=xp.take(ids.images, keys // size),
        labels=xp.take(classes, keys % size) if classes.shape[0] else keys,
        overlaps=overlaps,
        inside=inside,
    )


def _twice(keys: Any, /) -> int | None:
    """Return the first of sorted keys that occurs more than once."""
    return next((a for a, b in itertools.pairwise(to_list(keys)) if a == b), None)


def _summary(overlaps: list[float], inside: list[bool], answered: int, /) -> Named[str, float]:
    count = len(overlaps)

    def share(total: float) -> float:
        return total / count if count else math.nan

    accuracy = {f"Acc{100 * t:.0f}": share(sum(x >= t for x in overlaps)) for t in _THRESHOLDS}
    first = {"Acc50": accuracy.pop("Acc50"), "mean_iou": share(math.fsum(overlaps))}
    return Named(first | {"centre_inside": share(sum(inside))} | accuracy | {"answered": share(answered)})
