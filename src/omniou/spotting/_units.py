"""AP of action spotting from matched predictions, each video as often as it is drawn."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from omniou._lib import backends
from omniou._results.units import Name, UnitNumbers, WeightedUnits, order_of

# Thresholds of scores, at which precision and recall are computed, and recalls at which precision is read off.
_THRESHOLDS, _RECALLS = 200, 11
# The official script scales the mean over 17 classes to the 13 that have actions which are not shown.
_UNSHOWN = 17 / 13


class Spotted(NamedTuple):
    """Predictions (M,) and events (N,) after matching. Classes and videos are numbered."""

    labels: Any  # (M,) of predictions
    videos: Any  # (M,)
    scores: Any  # (M,)
    hits: Any  # (D, M) whether a prediction matches at each tolerance
    seconds: Any  # (M,)
    event_labels: Any  # (N,)
    event_videos: Any  # (N,)
    event_seconds: Any  # (N,)
    taken_by: Any  # (D, N) score of the prediction that an event takes at each tolerance, -1 for none
    parts: Mapping[str, tuple[Any, Any]]  # by suffix of a number: which predictions (M,) and events (N,) it is of
    averages: Mapping[str, Sequence[int]]  # places of the tolerances that a number averages

    def average_precision(self, weights: Any, /) -> dict[str, Any]:
        """Weights (V, K) of videos and classes -> AP (D, K) of each part: mean of precisions at 11 recalls."""
        np, classes = backends.numpy_namespace(), weights.shape[1]
        bins = np.searchsorted(np.linspace(0, 1, _THRESHOLDS), self.scores, side="right")
        cell, of_rows = self.labels * (_THRESHOLDS + 1) + bins, weights[self.videos, self.labels]
        of_events = weights[self.event_videos, self.event_labels]
        recalls, out = np.arange(_RECALLS) / 10, {}

        def counted(rows: Any) -> Any:
            """(K, 200): how many of the rows have a score of at least each threshold."""
            sizes = np.bincount(cell, weights=of_rows * rows, minlength=classes * (_THRESHOLDS + 1))
            return np.cumsum(sizes.reshape(classes, _THRESHOLDS + 1)[:, :0:-1], axis=1)[:, ::-1]

        for part, (chosen, events) in self.parts.items():
            shown = counted(chosen)
            objects = np.bincount(self.event_labels, weights=of_events * events, minlength=classes)
            rows = []
            for hit in self.hits:
                right = counted(chosen & hit)
                precision, recall = right / np.maximum(shown, 1), right / np.maximum(objects, 1)[:, None]
                reached = recall[:, None, :] >= recalls[:, None]
                rows.append(np.where(reached, precision[:, None, :], 0.0).max(axis=2).mean(axis=1))
            out[part] = np.reshape(np.asarray(rows), (len(self.hits), classes))
        return out

    def numbers(self, ap: Mapping[str, Any], /) -> UnitNumbers:
        """AP (D, K) of each part -> averages over tolerances and classes, and those of each class."""
        np, summary, per_class = backends.numpy_namespace(), {}, {}
        for name, rows in self.averages.items():
            for part, table in ap.items():
                scale = _UNSHOWN if part == "_unshown" and len(rows) > 1 else 1.0
                of_classes = table[list(rows)]
                known = of_classes.shape[1] > 0
                # `fsum` rounds once, at the end, so the order of classes does not matter.
                means = np.asarray([math.fsum(x) / len(x) for x in of_classes.tolist()]) if known else None
                summary[f"{name}{part}"] = math.nan if means is None else scale * float(_trapezoids(means))
                per_class[f"{name}{part}"] = (scale * _trapezoids(of_classes)).tolist()
        return UnitNumbers(summary, per_class)


def _trapezoids(values: Any) -> Any:
    """The mean height of trapezoids between neighbours, along the first axis."""
    return values[0] if len(values) == 1 else ((values[1:] + values[:-1]) / 2).mean(axis=0)


def units_of(spotted: Spotted, videos: Sequence[Name], classes: Sequence[Name], /) -> "SpottedUnits":
    """Units of videos and classes in the order of their numbers."""
    np, order = backends.numpy_namespace(), order_of(videos)
    place = np.argsort(np.asarray(order, dtype=np.int64))
    renumbered = spotted._replace(videos=place[spotted.videos], event_videos=place[spotted.event_videos])
    holders = np.zeros((len(videos), len(classes)), dtype=bool)
    holders[renumbered.event_videos, renumbered.event_labels] = True
    names = [f"{name}{part}" for name in spotted.averages for part in spotted.parts]
    return SpottedUnits(
        word="videos",
        names=tuple(videos[k] for k in order),
        labels=tuple(classes),
        rules=("spotting", dict(spotted.averages), tuple(spotted.parts)),
        holders=holders,
        means=dict.fromkeys(names, range(len(classes))),
        spotted=renumbered,
    )


@dataclasses.dataclass(frozen=True, eq=False)
class SpottedUnits(WeightedUnits):
    """The videos of an evaluation, by name."""

    spotted: Spotted

    def numbers(self, weights: Any, /) -> UnitNumbers:
        """See `WeightedUnits.numbers`."""
        return self.spotted.numbers(self.spotted.average_precision(weights))

    def beside(self, other: "SpottedUnits", /) -> "SpottedUnits":
        """See `WeightedUnits.beside`."""
        np = backends.numpy_namespace()
        first, second = self.spotted, other.spotted
        second = second._replace(
            videos=second.videos + len(self.names), event_videos=second.event_videos + len(self.names)
        )
        columns = [name for name in Spotted._fields if name not in {"parts", "averages"}]
        joined = {x: np.concatenate([getattr(first, x), getattr(second, x)], axis=-1) for x in columns}
        parts = {
            name: tuple(map(np.concatenate, zip(first.parts[name], second.parts[name], strict=True)))
            for name in first.parts
        }
        return dataclasses.replace(
            self,
            names=self.names + other.names,
            holders=np.concatenate([self.holders, other.holders]),
            spotted=first._replace(**joined, parts=parts),
        )
