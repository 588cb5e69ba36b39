"""Average recall by number of proposals: the recall of the best detections, regardless of their classes."""

import dataclasses
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.brief import threshold
from omniou._lib.indexing import to_list
from omniou._lib.types import ArrayT, Namespace
from omniou.detection._analysis import ResultAnalysis, shown
from omniou.detection._protocol import level
from omniou.detection.matching import _groups as groups
from omniou.detection.matching._candidates import candidate_pairs
from omniou.detection.matching._groups import GroupIds
from omniou.detection.matching._matches import Compared, counting

# Numbers of proposals at which recall is read off, from a hundredth of the most to the most.
_STEPS = 100


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Proposals(ResultAnalysis, Generic[ArrayT]):
    """Recall at T IoU thresholds by the mean number of proposals, in P = 100 steps, regardless of the class (AR@AN).

    An object is covered where any proposal of its image, or video, overlaps it enough: a proposal may cover several.

    Attributes
    ----------
    thresholds : tuple of float
        The thresholds of axis T.
    numbers : array of float, shape (P,)
        Mean number of proposals of an image that has objects.
    recall : array of float, shape (T, P)
        Share of the objects that are covered; NaN without objects.
    average_recall : array of float, shape (P,)
        Mean over the thresholds.
    area : float
        Below the curve of `average_recall`, as a share of what a recall of 1 has there.

    References
    ----------
    Hosang et al., What Makes for Effective Detection Proposals?, TPAMI 2016; ActivityNet's proposal task, 2017.
    """

    thresholds: tuple[float, ...]
    numbers: ArrayT
    recall: ArrayT
    average_recall: ArrayT
    area: float

    def _line(self) -> str:
        numbers, recall = to_list(self.numbers), to_list(self.average_recall)
        return f"average recall {shown(recall[-1])} with {numbers[-1]:g} proposals, area {shown(self.area)}"

    def _columns(self) -> dict[str, Any]:
        each = {
            f"recall at {self.overlap} {threshold(x)}": to_list(self.recall[k, :])
            for k, x in enumerate(self.thresholds)
        }
        return {"proposals": to_list(self.numbers), "average_recall": to_list(self.average_recall), **each}


class _Covering(NamedTuple):
    """Pairs of an object and a proposal that covers it, (E,) each, by object, then by rank of the proposal."""

    objects: Any  # numbers of the objects
    ranks: Any  # of the proposal in its image, by falling score, from 0
    overlap: Any


def find(boxes: Compared, most: int, /) -> Proposals[Any]:
    """Compute average recall up to a mean of `most` proposals of an image, by ActivityNet's rules.

    Every image keeps the same share of its proposals, the best ones, so that the mean is at most `most`. Each step
    takes a share of the kept proposals. Proposals in images without objects count for the share, but not for the mean.
    """
    (xp, *_), thresholds = boxes.tables, boxes.protocol.iou_thresholds
    covering, images, given, listed = _covering(boxes)
    size, device = images.shape[0], compat.device(given)
    of_objects = indexing.counts(images, given.shape[0], xp=xp) > 0
    videos = int(xp.count_nonzero(of_objects))
    share = most * float(videos) / listed if listed else 1.0
    kept = xp.minimum(_floor(given, share, xp=xp), given)
    total = int(xp.sum(xp.where(of_objects, kept, xp.zeros_like(kept))))
    steps = xp.arange(1, _STEPS + 1, dtype=covering.overlap.dtype, device=device) / _STEPS
    steps = steps * (most * float(videos) / total if total else 0.0)
    numbers = steps * (float(total) / videos if videos else 0.0)
    # (N, P): how many proposals an object's image has in each step.
    limits = xp.take(xp.minimum(_floor(kept[:, None], steps[None, :], xp=xp), kept[:, None]), images, axis=0)
    rows = []
    for at_least in thresholds:
        first = _first(
            covering, level(boxes.protocol, at_least), size, int(xp.max(given)) if given.shape[0] else 0, xp=xp
        )
        rows.append(xp.sum(xp.astype(first[:, None] < limits, xp.int64), axis=0))
    recall = xp.astype(xp.stack(rows), covering.overlap.dtype) / (size or float("nan"))
    average = xp.sum(recall, axis=0) / len(thresholds)
    middles = (indexing.rest(average) + average[:-1]) / 2
    area = float(xp.sum(middles * (indexing.rest(numbers) - numbers[:-1])))
    last = float(numbers[-1])
    return Proposals(thresholds, numbers, recall, average, area / last if last else float("nan"))


def _covering(boxes: Compared, /) -> tuple[_Covering, Any, Any, int]:
    """Return all pairs that overlap enough for the lowest threshold.

    Also returns the place of the image of each object (N,), the number of proposals of each image (I,), and of all.
    """
    tables, ids, protocol = boxes
    xp = tables.xp
    rules = dataclasses.replace(
        protocol,
        class_agnostic=True,
        max_detections=(None,),
        limit_per="class",
        area_ranges=protocol.area_ranges[:1],
        tie_policy="file" if protocol.tie_policy == "invariant" else protocol.tie_policy,
    )
    one = GroupIds(ids.classes[:1] * 0, ids.images, ids.labels)
    pairs = candidate_pairs(tables, one, rules)
    counts = xp.take(counting(boxes), pairs.objects.rows)
    number = xp.cumulative_sum(xp.astype(counts, xp.int64)) - 1
    columns = []
    for (detection, target, overlap), _ in pairs.parts:
        rows = xp.nonzero(xp.take(counts, target))[0]
        ranks = xp.take(pairs.eligible.rank, xp.take(detection, rows))
        columns.append((xp.take(number, xp.take(target, rows)), ranks, xp.take(overlap, rows)))
    objects, ranks, overlap = (xp.concat(list(x)) for x in zip(*columns, strict=True))
    order = ordering.rising(ranks, int(xp.max(ranks)) + 1 if ranks.shape[0] else 1, xp=xp)
    order = xp.take(order, ordering.rising(xp.take(objects, order), max(1, number.shape[0]), xp=xp))
    covering = _Covering(*(xp.take(x, order) for x in (objects, ranks, overlap)))
    kept = xp.nonzero(counts)[0]
    given = groups.of_images(pairs.listed.groups, one, xp=xp)
    return covering, xp.take(pairs.objects.pools, kept), given, pairs.listed.rows.shape[0]


def _first(covering: _Covering, least: float, size: int, none: int, /, *, xp: Namespace) -> Any:
    """Return the rank of the best proposal that covers each object (N,), `none` without any."""
    rows = xp.nonzero(covering.overlap >= least)[0]
    objects = xp.take(covering.objects, rows)
    at = indexing.run_starts(objects, xp=xp)
    first = xp.full((size,), none, dtype=xp.int64, device=compat.device(objects))
    return indexing.put(first, xp.take(objects, at), xp.take(xp.take(covering.ranks, rows), at), xp=xp)


def _floor(counts: Any, share: Any, /, *, xp: Namespace) -> Any:
    """Return integers times a share, rounded down."""
    dtype = share.dtype if hasattr(share, "dtype") else xp.float64
    return xp.astype(xp.floor(xp.astype(counts, dtype) * share), xp.int64)
