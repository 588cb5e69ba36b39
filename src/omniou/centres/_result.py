"""The result of an evaluation by centres: rows that add, and the numbers computed from them."""

from __future__ import annotations  # `help` shows annotations as they are written, not spelled out

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any, Self

from omniou._lib import backends, checks, indexing
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named
from omniou.centres import _curves as curves
from omniou.centres import _matching as matching
from omniou.centres._rules import ERRORS, CentreRules, ap_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from omniou._lib.findings import Finding
    from omniou.centres._units import CentreUnits


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CentreResult(EvaluationResult):
    """Outcome of M detections and N objects that count, and the scores. Results of other samples add.

    T distances, E errors (ATE, ASE, AOE, AVE, AAE), K classes. Arrays are NumPy's. Numbers are computed when they are
    asked for.

    Attributes
    ----------
    rules : CentreRules
        What was evaluated.
    samples : array, shape (S,)
        Ids of the samples, each once.
    sample_of, target_sample_of : array of integers, shape (M,) and (N,)
        Place of the sample of each detection and of each object.
    scores, labels, reach : array, shape (M,)
        Score, place of the class, and distance from the ego vehicle in metres (NaN where unknown) of each detection.
    matches : array of integers, shape (T, M)
        Row of the object that each detection matches at each distance, -1 for none.
    errors : array, shape (E, M)
        Errors of the true positives at `rules.error_distance`. NaN where there is none.
    counted : array of booleans, shape (T, M)
        Whether the detection counts.
    target_labels, target_reach : array, shape (N,)
        Place of the class, and distance from the ego vehicle, of each object.
    target_counted : array of booleans, shape (N,)
        Whether the object counts.
    counts : mapping of str to int
        Samples, objects and detections that were given, and how many of them the rules drop, by reason.
    doubts : tuple of Finding
        Other readings of the boxes by which far more of them match, such as another order of sizes.
    """

    rules: CentreRules
    samples: Any
    sample_of: Any
    scores: Any
    labels: Any
    reach: Any
    matches: Any
    errors: Any
    counted: Any
    target_sample_of: Any
    target_labels: Any
    target_reach: Any
    target_counted: Any
    counts: Mapping[str, int]
    doubts: tuple[Finding, ...] = ()

    def __add__(self, other: Any) -> Self:
        """Return the result of both sets of samples. If scores are equal, `other` ranks first, as later rows do."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, CentreResult):
            return NotImplemented
        xp = backends.numpy_namespace()
        if self.rules != other.rules:
            raise ValueError("results to add must have the same `rules`")
        samples = xp.concatenate([self.samples, other.samples])
        known, many = xp.unique(samples, return_counts=True)
        if known.shape[0] < samples.shape[0]:
            twice = known[many > 1][0].item()
            raise ValueError(
                f"results to add must have different samples, got {twice!r} in both: evaluate its rows together"
            )
        shift = self.target_labels.shape[0]
        later = xp.where(other.matches >= 0, other.matches + shift, other.matches)
        joined = {x: xp.concatenate([getattr(self, x), getattr(other, x)], axis=-1) for x in _COLUMNS}
        joined |= {"samples": known, "matches": xp.concatenate([self.matches, later], axis=1)}
        for name in ("sample_of", "target_sample_of"):
            ids = [x.samples[getattr(x, name)] for x in (self, other)]
            joined[name] = xp.searchsorted(known, xp.concatenate(ids))
        counts = {x: self.counts[x] + other.counts[x] for x in self.counts}
        doubts = tuple(dict.fromkeys((*self.doubts, *other.doubts)))
        return dataclasses.replace(self, **joined, counts=counts, doubts=doubts)

    def __radd__(self, other: Any) -> Self:
        """Return the result of both: `sum` starts with 0."""
        return self + other

    def within(self, low: float, high: float = math.inf) -> Self:
        """The same result for objects at `low` <= distance < `high` from the ego vehicle, in metres.

        Detections are matched as before. A true positive belongs to the range of its object, a false positive to its
        own. A pair across the border of two ranges costs nothing in either. Means are over the classes that have
        objects in the range.

        Raises
        ------
        TypeError, ValueError
            If a limit is not a number, `low` is not below `high`, or distances from the ego vehicle are not known.
        """
        low = checks.number("low", low, least=0.0)
        high = checks.plain(high)
        if high != math.inf:
            low, high = checks.interval(low, high)
        xp = backends.numpy_namespace()
        if xp.isnan(self.reach).any() or xp.isnan(self.target_reach).any():
            raise ValueError("`within` needs distances from the ego vehicle: give both tables `from_ego`")
        targets = (low <= self.target_reach) & (self.target_reach < high)
        own = (low <= self.reach) & (self.reach < high)
        of_object = xp.append(targets, False)[self.matches]  # -1 is the last place
        return dataclasses.replace(
            self,
            rules=dataclasses.replace(self.rules, absent="exclude"),
            counted=self.counted & xp.where(self.matches >= 0, of_object, own),
            target_counted=self.target_counted & targets,
        )

    @property
    def units(self) -> CentreUnits:
        """The samples: the units of bootstrap and permutation test.

        Samples of one drive are alike. If it has many of them, intervals are too narrow.
        """
        from omniou.centres._units import units_of

        return units_of(self)

    @functools.cached_property
    def objects(self) -> Any:
        """Objects of each class that count, (K,)."""
        xp = backends.numpy_namespace()
        return xp.bincount(self.target_labels[self.target_counted], minlength=len(self.rules.classes))

    @functools.cached_property
    def _tables(self) -> list[list[curves.CentreCurve]]:
        """Curves by class and distance."""
        xp = backends.numpy_namespace()
        rank = matching.ranking(self.scores)
        labels = self.labels[rank]
        return [
            [
                curves.curve(
                    self.scores[rows], self.matches[t, rows] >= 0, self._errors_at(t)[:, rows], int(self.objects[k])
                )
                for t in range(len(self.rules.distances))
                for rows in [rank[xp.nonzero((labels == k) & self.counted[t, rank])[0]]]
            ]
            for k in range(len(self.rules.classes))
        ]

    def _errors_at(self, t: int) -> Any:
        """Return errors (E, M). Only the true positives at one distance have them."""
        if self.rules.distances[t] == self.rules.error_distance:
            return self.errors
        return backends.numpy_namespace().full_like(self.errors, math.nan)

    @functools.cached_property
    def recall(self) -> Any:
        """Recalls of the curves, (101,): 0, .01, ..., 1."""
        return curves.recalls()

    @functools.cached_property
    def precision(self) -> Any:
        """Precision at each recall, (K, T, 101): linear between detections, 0 beyond the highest recall."""
        return backends.numpy_namespace().asarray([[x.precision for x in row] for row in self._tables])

    @functools.cached_property
    def confidence(self) -> Any:
        """Score at each recall, (K, T, 101)."""
        return backends.numpy_namespace().asarray([[x.confidence for x in row] for row in self._tables])

    @functools.cached_property
    def error_curves(self) -> Any:
        """Mean of each error over the true positives up to each recall, (K, E, 101)."""
        return backends.numpy_namespace().asarray([row[self._at].errors for row in self._tables])

    @functools.cached_property
    def ap(self) -> Any:
        """AP of each class at each distance, (K, T). Without objects 0, or NaN where the rules exclude the class."""
        xp = backends.numpy_namespace()
        out = xp.asarray([[curves.average_precision(x.precision, self.rules) for x in row] for row in self._tables])
        out[self._excluded] = math.nan
        return out

    @functools.cached_property
    def mean_errors(self) -> Any:
        """ATE, ASE, AOE, AVE and AAE of each class, (K, E). NaN for an error that a class does not have."""
        xp = backends.numpy_namespace()
        out = xp.stack([curves.mean_errors(row[self._at], self.rules) for row in self._tables])
        lacking = [[name not in x.errors for name in ERRORS] for x in self.rules.classes]
        out[xp.asarray(lacking) | self._excluded[:, None]] = math.nan
        return out

    @functools.cached_property
    def summary(self) -> Named[str, float]:
        """NDS, mAP, mATE, mASE, mAOE, mAVE, mAAE, and the mean AP at each distance, as Python floats."""
        xp = backends.numpy_namespace()
        mean_ap = indexing.mean_of_numbers(xp.mean(self.ap, axis=1))
        errors = {f"m{name}": indexing.mean_of_numbers(self.mean_errors[:, k]) for k, name in enumerate(ERRORS)}
        weight = self.rules.ap_weight
        # An error above 1 counts as 1.
        total = weight * mean_ap + sum(x if math.isnan(x) else max(0.0, 1.0 - x) for x in errors.values())
        at = {ap_name(x): indexing.mean_of_numbers(self.ap[:, t]) for t, x in enumerate(self.rules.distances)}
        return Named({"NDS": total / (weight + len(errors)), "mAP": mean_ap, **errors, **at})

    @functools.cached_property
    def per_class(self) -> Named[str, Any]:
        """AP, the errors, and AP at each distance, for each class: arrays of shape (K,)."""
        xp = backends.numpy_namespace()
        errors = {name: self.mean_errors[:, k] for k, name in enumerate(ERRORS)}
        at = {ap_name(x): self.ap[:, t] for t, x in enumerate(self.rules.distances)}
        return Named({"AP": xp.mean(self.ap, axis=1), **errors, **at})

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """What makes the numbers doubtful: misread boxes, classes without objects, scores of 0, unknown velocities."""
        from omniou.centres import _findings

        return [*self.doubts, *_findings.find(self)]

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        names = list(self.rules.names)
        classes = {"id": list(range(len(names))), "name": names, "objects": self.objects.tolist()}
        return {"per_class": classes | {name: column.tolist() for name, column in self.per_class.items()}}

    def _title(self) -> str:
        """How many detections and objects count."""
        kept = {"detections": self.counted.any(axis=0), "objects": self.target_counted}
        head = {name: int(x.sum()) for name, x in kept.items()}
        return shown.title(head | {"samples": self.samples.shape[0], "classes": len(self.rules.classes)})

    @property
    def _at(self) -> int:
        """Place of the distance whose true positives have errors."""
        return self.rules.distances.index(self.rules.error_distance)

    @property
    def _excluded(self) -> Any:
        """Flags (K,) of the classes that have no ground truth, and for that reason no numbers."""
        return (self.objects == 0) & (self.rules.absent == "exclude")


# Arrays with one entry for each detection or object on the last axis.
_COLUMNS = ("scores", "labels", "reach", "errors", "counted", "target_labels", "target_reach", "target_counted")
