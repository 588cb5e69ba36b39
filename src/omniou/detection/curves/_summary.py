"""The numbers of the summary, read off the tables of precision and recall."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol, labelled, place_of
from omniou.detection.curves._curves import Curves


class Number(NamedTuple):
    """The cells of the tables that a number averages."""

    name: str  # "AP50"
    kind: str  # "AP" or "AR"; of detections without scores also "F1", "precision" or "recall"
    threshold: float | None  # None: all of them
    area: int  # place in `area_ranges`
    limit: int  # place in `max_detections`
    group: str | None = None  # of classes; None: all of them


# Numbers of one operating point, at the first threshold. In the summary they are over all detections, not means over
# classes.
POOLED = ("F1", "precision", "recall")


class Counts(NamedTuple):
    """Counts at one IoU threshold, in the first area range: of classes (K,), or of all together."""

    hits: Any
    detections: Any  # that count
    objects: Any

    def number(self, kind: str, /, *, xp: Namespace) -> Any:
        """Return F1, precision or recall. Without detections precision is NaN, and without objects the other two."""
        hits, detections, objects = self
        if kind == "F1":
            hits, total = 2 * hits, xp.where(objects > 0, detections + objects, 0 * objects)
        else:
            total = detections if kind == "precision" else objects
        return xp.where(total > 0, hits / xp.where(total > 0, total, 0 * total + 1), 0 * total + float("nan"))


def _counts(curves: Curves, /) -> Counts:
    """Return the counts of each class at the first threshold, as floats."""
    xp, outcomes, objects = curves.xp, curves.outcomes(0), curves.ranking.objects[:, 0]
    dtype = curves.ranking.state.scores.dtype

    def of_classes(which: Any) -> Any:
        labels = xp.take(outcomes.labels, xp.nonzero(which)[0])
        return xp.astype(indexing.counts(labels, objects.shape[0], xp=xp), dtype)

    return Counts(of_classes(outcomes.hit), of_classes(outcomes.counts), xp.astype(objects, dtype))


def numbers(protocol: Protocol, groups: Iterable[str] = ()) -> list[Number]:
    """Return the numbers of a protocol, in the order of COCO's table."""
    last, ranges = len(protocol.max_detections) - 1, list(enumerate(protocol.area_ranges))
    head = ranges[0][1].suffix
    limits = ["" if most is None else str(most) for most in protocol.max_detections]
    if protocol.recall_singled_out:
        limits[-1] = ""
    # With a single threshold, AP and AP50 would be the same number.
    singled_out = protocol.singled_out if len(protocol.iou_thresholds) > 1 else ()
    at_once = POOLED if protocol.missing_scores else ()
    return [
        *(Number(kind, kind, protocol.iou_thresholds[0], 0, last) for kind in at_once),
        Number(f"AP{head}", "AP", None, 0, last),
        *(Number(f"AP{labelled(protocol, threshold)}{head}", "AP", threshold, 0, last) for threshold in singled_out),
        *(Number(f"AP{area.suffix}", "AP", None, place, last) for place, area in ranges[1:]),
        *(Number(name=f"AP{group}", kind="AP", threshold=None, area=0, limit=last, group=group) for group in groups),
        *(Number(f"AR{most}{head}", "AR", None, 0, place) for place, most in enumerate(limits)),
        *(
            Number(f"AR{labelled(protocol, threshold)}{head}", "AR", threshold, 0, last)
            for threshold in singled_out
            if protocol.recall_singled_out
        ),
        *(Number(f"AR{area.suffix}", "AR", None, place, last) for place, area in ranges[1:]),
    ]


def overall(curves: Curves, groups: Mapping[str, Any], /) -> dict[str, float]:
    """Return all numbers by name. `groups`: labels by name."""
    return {number.name: value(curves, number, groups) for number in numbers(curves.protocol, groups)}


def of_images(curves: Curves, groups: Mapping[str, Any], /) -> dict[str, float]:
    """Return the first number on each group of images, by name. `groups`: ids of images by name."""
    xp, state, number = curves.xp, curves.ranking.state, numbers(curves.protocol)[0]
    out = {}
    for name, ids in groups.items():
        given = xp.asarray(list(ids), dtype=xp.int64, device=compat.device(state.images))
        inside = indexing.place(indexing.distinct(given, xp=xp), state.images, xp=xp)[1]
        some = Curves(curves.ranking.sampled(xp.astype(inside, xp.int64)))
        out[f"{number.name}{name}"] = value(some, number, {})
    return out


def value(curves: Curves, number: Number, groups: Mapping[str, Any], absent: Any = None, /) -> float:
    """Return the mean over all cells of classes that have objects; NaN if no class has. Numbers of `POOLED` are sums.

    With `absent` (K,), classes without objects count with these values.
    """
    xp = curves.xp
    if number.kind in POOLED:
        of_all = Counts(*map(xp.sum, _counts(curves)))
        return float(of_all.number(number.kind, xp=xp))
    means = of_classes(curves, number)
    if absent is not None:
        means = xp.where(xp.isnan(means), absent, means)
    if number.group is not None:
        places, known = indexing.place(curves.ranking.state.classes, groups[number.group], xp=xp)
        means = xp.take(means, places[known])
    return indexing.mean_of_numbers(means)


def members(classes: Any, number: Number, groups: Mapping[str, Any], /, *, xp: Namespace) -> list[int]:
    """Labels (K,), rising -> places of the classes that a number averages."""
    if number.group is None:
        return list(range(classes.shape[0]))
    places, known = indexing.place(classes, groups[number.group], xp=xp)
    return indexing.to_list(places[known])


def per_class(curves: Curves, /) -> dict[str, Any]:
    """Return means over the cells of each class (K,), by name."""
    return {number.name: of_classes(curves, number) for number in numbers(curves.protocol)}


def of_classes(curves: Curves, number: Number, /) -> Any:
    """Return the means over the cells of each class in the table of a number, (K,)."""
    if number.kind in POOLED:
        return _counts(curves).number(number.kind, xp=curves.xp)
    return curves.spread(mean_of_cells(_table(curves, number), xp=curves.xp), 0)


def mean_of_cells(table: Any, /, *, xp: Namespace) -> Any:
    """(T, K) or (T, K, R) -> (K,)."""
    axes = tuple(axis for axis in range(table.ndim) if axis != 1)
    # Not `mean`: with a threshold that the protocol lacks, the selection is empty.
    cells = math.prod(table.shape[axis] for axis in axes)
    return xp.sum(table, axis=axes) / (cells or float("nan"))


def _table(curves: Curves, number: Number, /) -> Any:
    """Return the table of a number, (T, P) or (T, P, R)."""
    protocol = curves.protocol
    tables = {"points": curves.precision, "area": curves.area_under}
    of_kind = curves.recall if number.kind == "AR" else tables.get(protocol.interpolation, curves.trapezoids)
    table = of_kind(number.area, number.limit)
    if number.threshold is not None:
        place = place_of(protocol.iou_thresholds, number.threshold)
        table = table[:0, ...] if place is None else table[place : place + 1, ...]
    return table
