"""A state of fixed size that adds: histograms of scores, from which AP follows approximately."""

import dataclasses
from typing import Any

from omniou._kernels import histograms
from omniou._lib import backends, checks, indexing
from omniou._lib.types import Namespace
from omniou._results.base import Named
from omniou.detection._protocol import Protocol, labelled, place_of
from omniou.detection.curves import _precision as kernels
from omniou.detection.curves._state import State
from omniou.detection.matching._matching import words


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Sketch:
    """Histograms of the scores of T thresholds, K classes and B bins, in the first area range.

    All but `classes` and the range of scores adds: by ``+``, by an all-reduce, by a sum over devices.

    Attributes
    ----------
    protocol : Protocol
        Of the state it was made from.
    classes : array of int64, shape (K,)
        Labels, rising.
    objects : array of int64, shape (K,)
        Objects that count.
    hits : array of int64, shape (T, K, B)
        True positives.
    counted : array of int64, shape (T, K, B)
        Detections that count.
    low, high : float
        Scores of the ends of the bins.
    """

    protocol: Protocol
    classes: Any
    objects: Any
    hits: Any
    counted: Any
    low: float
    high: float

    def __add__(self, other: "Sketch") -> "Sketch":
        """Return the sketch of the images of both.

        Raises
        ------
        ValueError
            If the two differ in protocol, classes, bins or the range of scores.
        """
        if not isinstance(other, Sketch):
            return NotImplemented
        xp = backends.array_namespace(self.classes)
        settings, other_settings = ((x.protocol, x.low, x.high, x.hits.shape) for x in (self, other))
        if settings != other_settings or not xp.all(self.classes == other.classes):
            raise ValueError("sketches must have the same protocol, classes, bins and range of scores to be added")
        return dataclasses.replace(
            self,
            objects=self.objects + other.objects,
            hits=self.hits + other.hits,
            counted=self.counted + other.counted,
        )

    def average_precision(self) -> Any:
        """AP of each threshold and class, (T, K); NaN for a class without objects."""
        xp = backends.array_namespace(self.classes)
        points = self.protocol.recall_points
        return histograms.average_precision(self.objects, self.hits, self.counted, points, xp=xp)

    @property
    def summary(self) -> Named[str, float]:
        """AP, and numbers such as AP50 of single thresholds of the protocol; NaN if no class has objects."""
        table = self.average_precision()
        summary = Named({"AP": indexing.mean_of_numbers(table)})
        for threshold in self.protocol.singled_out:
            if (place := place_of(self.protocol.iou_thresholds, threshold)) is not None:
                summary[f"AP{labelled(self.protocol, threshold)}"] = indexing.mean_of_numbers(table[place, :])
        return summary


def sketch(state: State, /, *, bins: int = 4096, low: float = 0.0, high: float = 1.0) -> Sketch:
    """Return the sketch of a state.

    A sketch forgets the order of scores that share a bin, which causes the error of AP. The error is larger if scores
    are tied or fall into few bins. The page on detections has measured values.

    Parameters
    ----------
    state : State
        `Evaluator.state`. For sketches that are to be added, from an evaluator with given `classes`.
    bins : int
        Half of them lie close to `high`, where scores of confident models crowd together.
        Memory is 16 bytes for each of T * K * bins.
    low, high : float
        Range of the scores; those beyond are counted in the outermost bins.

    Raises
    ------
    ValueError
        If `bins` is not positive, or `low` is not below `high`.

    Examples
    --------
    >>> from omniou import detection
    >>> evaluator = detection.Evaluator(classes=[1])
    >>> evaluator.update([{"boxes": [[0, 0, 9, 9]], "labels": [1]}],
    ...                  [{"boxes": [[0, 0, 9, 9], [20, 20, 30, 30]], "labels": [1, 1], "scores": [0.5, 0.75]}])
    >>> part = detection.sketch(evaluator.state)
    >>> part.summary["AP"], (part + part).summary["AP"]
    (0.5, 0.5)
    """
    checks.instance("state", state, State, "a State, such as `Evaluator.state`")
    bins = checks.count("bins", bins)
    low, high = checks.interval(low, high)
    xp = backends.array_namespace(state.scores)
    cell = state.labels * bins + histograms.bins(state.scores, low, high, bins, xp=xp)
    size = state.classes.shape[0] * bins
    inside = (state.outside & 1) == 0
    unmatched = indexing.counts(xp.take(cell, xp.nonzero(inside)[0]), size, xp=xp)
    touched, within = xp.take(cell, state.rows), xp.take(inside, state.rows)
    hits, gained, lost = (_histogram(bits, touched, size, xp=xp) for bits in _bits(state, within, xp=xp))
    shape = (len(state.protocol.iou_thresholds), state.classes.shape[0], bins)
    counted = unmatched[None, :] + gained - lost
    return Sketch(
        protocol=state.protocol,
        classes=state.classes,
        objects=state.objects[:, 0],
        hits=xp.reshape(hits, shape),
        counted=xp.reshape(counted, shape),
        low=float(low),
        high=float(high),
    )


def _bits(state: State, within: Any, /, *, xp: Namespace) -> tuple[kernels.Bits, kernels.Bits, kernels.Bits]:
    """Return bits (E,) of the first area range: hits, detections outside of it, and matches with ignored objects."""
    hits, gained, lost = [], [], []
    for word, matched, ignored in zip(words(state.protocol), state.matched, state.ignored, strict=True):
        if word.areas.start > 0:
            continue
        count = word.thresholds.stop - word.thresholds.start
        hit, none = (matched & ~ignored) & ((1 << count) - 1), xp.zeros_like(matched)
        hits.append((hit, count))
        gained.append((xp.where(within, none, hit), count))
        lost.append((xp.where(within, ignored & ((1 << count) - 1), none), count))
    return hits, gained, lost


def _histogram(bits: kernels.Bits, cells: Any, size: int, /, *, xp: Namespace) -> Any:
    """Bits (E,), cells (E,) -> number of set bits in each cell, (T, size)."""
    threshold, place = kernels.where_set(bits, xp=xp)
    count = sum(number for _, number in bits)
    return xp.reshape(indexing.counts(threshold * size + xp.take(cells, place), count * size, xp=xp), (count, size))
