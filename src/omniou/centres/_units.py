"""The units of an evaluation by centres are samples: rows count as often as their sample is drawn.

AP follows from ranks of scores, not from sums over samples.
"""

import dataclasses
import math
from typing import Any

from omniou._lib import backends
from omniou._results.units import UnitNumbers, WeightedUnits, order_of
from omniou.centres._rules import ERRORS

# Errors in metres, radians and metres per second, which may be above 1.
_UNBOUNDED = ("mATE", "mAOE", "mAVE")
_OF_DETECTIONS = ("sample_of", "scores", "labels", "reach", "matches", "errors", "counted")
_OF_OBJECTS = ("target_sample_of", "target_labels", "target_reach", "target_counted")


def units_of(result: Any, /) -> "CentreUnits":
    """The samples of a `CentreResult`."""
    xp, names = backends.numpy_namespace(), result.samples.tolist()
    order, classes = order_of(names), len(result.rules.classes)
    place = xp.argsort(xp.asarray(order, dtype=int))
    renumbered = {x: place[getattr(result, x)] for x in ("sample_of", "target_sample_of")}
    holders = xp.zeros((len(names), classes), dtype=bool)
    counted = result.target_counted
    holders[renumbered["target_sample_of"][counted], result.target_labels[counted]] = True
    return CentreUnits(
        word="samples",
        names=tuple(names[k] for k in order),
        labels=tuple(result.rules.names),
        rules=result.rules,
        holders=holders,
        means=dict.fromkeys(result.summary, range(classes)),
        bounds=dict.fromkeys(_UNBOUNDED, (0.0, math.inf)),
        result=dataclasses.replace(result, **renumbered),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class CentreUnits(WeightedUnits):
    """The samples of a result, whose rows are numbered in the order of the names."""

    result: Any

    def numbers(self, weights: Any, /) -> UnitNumbers:
        """See `WeightedUnits.numbers`."""
        xp, result = backends.numpy_namespace(), self.result
        times = weights[result.sample_of, result.labels], weights[result.target_sample_of, result.target_labels]
        columns: dict[str, Any] = {}
        for names, many in zip((_OF_DETECTIONS, _OF_OBJECTS), times, strict=True):
            rows = xp.repeat(xp.arange(many.shape[0]), many)
            columns |= {name: getattr(result, name)[..., rows] for name in names}
        # Numbers depend on whether a detection matches, not on the row of its object, which is another one now.
        found = dataclasses.replace(result, **columns)
        of_classes = {{"AP": "mAP"}.get(x, f"m{x}" if x in ERRORS else x): y for x, y in found.per_class.items()}
        return UnitNumbers(found.summary, {name: x.tolist() for name, x in of_classes.items()})

    def beside(self, other: "CentreUnits", /) -> "CentreUnits":
        """See `WeightedUnits.beside`."""
        xp, pair = backends.numpy_namespace(), (self.result, other.result)
        every = xp.concatenate([x.sample_of for x in pair])
        samples, first_rows = xp.unique(every, return_index=True)
        # Detections of equal score are in the order of their samples, whichever model they are from.
        order = xp.argsort(first_rows[xp.searchsorted(samples, every)], stable=True)
        joined = {name: xp.concatenate([getattr(x, name) for x in pair], axis=-1) for name in _OF_OBJECTS}
        for name in ("sample_of", "target_sample_of"):
            first, second = (getattr(x, name) for x in pair)
            joined[name] = xp.concatenate([first, second + len(self.names)])
        joined["sample_of"] = joined["sample_of"][order]
        for name in _OF_DETECTIONS[1:]:
            joined[name] = xp.concatenate([getattr(x, name) for x in pair], axis=-1)[..., order]
        return dataclasses.replace(
            self,
            names=self.names + other.names,
            holders=xp.concatenate([self.holders, other.holders]),
            result=dataclasses.replace(self.result, **joined),
        )
