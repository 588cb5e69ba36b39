"""The analyses of a result that need only its state: the outcome of each detection, and no boxes."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, Generic

import array_api_compat as compat

from omniou._lib import checks, indexing
from omniou._lib.types import ArrayT
from omniou._results.base import EvaluationResult, Named
from omniou.detection._protocol import threshold_of
from omniou.matching._coco_greedy import spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from omniou.detection._protocol import Protocol
    from omniou.detection.analysis._calibration import Calibration
    from omniou.detection.analysis._per_image import EmptyImages, TopK
    from omniou.detection.analysis._rates import MissRate
    from omniou.detection.analysis._units import DetectionUnits
    from omniou.detection.curves._curves import Curves
    from omniou.detection.curves._operating import OperatingPoints
    from omniou.detection.curves._state import State


class StateAnalyses(EvaluationResult, Generic[ArrayT]):
    """The analyses of a state. The methods return objects with `plot` and `to_pandas`."""

    _curves: Curves
    _home: Callable[[Any], Any]
    names: Mapping[int, str]
    groups: Mapping[str, Any]

    @property
    def state(self) -> State:
        """The state that the numbers come from; merge it with states of other images."""
        return self._curves.ranking.state

    @property
    def protocol(self) -> Protocol:
        """The rules of the evaluation, with the values of the axes T, R, A and M."""
        return self.state.protocol

    @property
    def units(self) -> DetectionUnits:
        """The images, or videos of intervals: the units of bootstrap and permutation test."""
        from omniou.detection.analysis._units import DetectionUnits

        return DetectionUnits(self.state, self.groups)

    def operating_points(self, iou_threshold: float | None = None, scores: Any = None) -> OperatingPoints[ArrayT]:
        """Precision, recall and F1 by the threshold of scores, and where F1 is best.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        scores : sequence of float, optional
            Score thresholds, rising. By default 0, 0.01, ..., 1; or, where scores are not in [0, 1], such
            as percents and logits, some of the scores themselves. Scores that came in 32 bits meet thresholds as 32
            bits have them: a float32 of 0.9 meets 0.9.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, or `scores` are not rising numbers, or of another scale, such as
            percents.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("operating_points")
        from omniou.detection.curves import _operating as operating

        points = self._score_thresholds(scores)
        return self._analysis(operating.find(self._curves, self._threshold(iou_threshold), points))

    def least_score(self, score: float | None = None, iou_threshold: float | None = None) -> float:
        """The score from which `confusion` and the report count detections: `score`, or where the mean F1 is best.

        The default is `operating_points().common_score`: where somebody would put the threshold, on any scale of
        scores. A fixed one, such as 0.25 of Ultralytics' matrix, suits only some detectors. If nothing
        is found at any score, all detections count. The default is chosen on the data at hand: give a `score` of your
        own to compare models at the same one.

        Parameters
        ----------
        score : float, optional
            Is returned, if it is of the scale of the scores. If they came in 32 bits, and one equals it there, it is
            returned as 32 bits have it.
        iou_threshold : float, optional
            One of the protocol's; the first by default.

        Raises
        ------
        TypeError, ValueError
            If `score` is not a number or of another scale, such as percents, or the protocol has no such threshold.
        """
        from omniou.detection.curves import _operating as operating

        return operating.least_score(score, self._curves, self.state.scores, self._threshold(iou_threshold))

    def calibration(
        self, iou_threshold: float | None = None, bins: int = 20, score: float = 0.0
    ) -> Calibration[ArrayT]:
        """Scores next to precision.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        bins : int
            Number of bins of equal width.
        score : float
            Detections that score less are excluded: many that nobody would use, of scores near 0, make the error of all
            detections small.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, `bins` is not positive, `score` is not a number, or scores are not in
            [0, 1].
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("calibration")
        from omniou.detection.analysis import _calibration as calibration

        edges = self._floats("bins", spaced(0.0, 1.0, checks.count("bins", bins) + 1))
        least = checks.number("score", score)
        return self._analysis(calibration.find(self._curves, self._threshold(iou_threshold), edges, least))

    def miss_rate(self, iou_threshold: float | None = None, rates: Any = None) -> MissRate[ArrayT]:
        """Miss rate at numbers of false positives for each image, and the log-average; see `MissRate`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        rates : sequence of float, optional
            False positives for each image, rising. Default: Caltech's nine, from 0.01 to 1.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, or `rates` are not rising positive numbers.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("miss_rate")
        from omniou.detection.analysis import _rates as of_rates

        threshold, at = self._threshold(iou_threshold), self._rates(rates, of_rates.CALTECH)
        outcomes = self._curves.outcomes(self.protocol.iou_thresholds.index(threshold))
        return self._analysis(of_rates.miss_rate(self._curves, outcomes, threshold, at))

    def top_k(self, iou_threshold: float | None = None, numbers: Any = None, per: str = "image") -> TopK[ArrayT]:
        """Precision and recall of the best detections; see `TopK`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        numbers : sequence of int, optional
            How many detections to keep, rising. Default: 1, 2, 5, 10, 20, 50 and 100 below the limit of the protocol,
            and the limit; for "all" 10, 100, and so on up to the number of detections.
        per : {"image", "all"}
            Whether to keep so many in each image (or video), or of the whole data set.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, or `numbers` are not rising positive integers, or above the limit of
            the protocol, which excluded detections.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("top_k")
        from omniou.detection.analysis import _per_image as per_image

        threshold, per = self._threshold(iou_threshold), checks.choice("per", per, ("image", "all"))
        kept = per_image.numbers_of(self.state, numbers, per)
        return self._analysis(per_image.top(self._curves, threshold, kept, per))

    def empty_images(self, iou_threshold: float | None = None, scores: Any = None) -> EmptyImages[ArrayT]:
        """Share of the images without objects in which nothing is found, and F1 over images; see `EmptyImages`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        scores : sequence of float, optional
            Score thresholds, rising. By default 0, 0.01, ..., 1; or, where scores are not in [0, 1], some of the scores
            themselves.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, or `scores` are not rising numbers, or of another scale, such as
            percents.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("empty_images")
        from omniou.detection.analysis import _per_image as per_image

        return self._analysis(
            per_image.empty_images(self._curves, self._threshold(iou_threshold), self._score_thresholds(scores))
        )

    def _check_ranked(self, name: str) -> None:
        """Raise for an analysis that sorts or cuts detections by their scores, if they have none."""
        if self.protocol.missing_scores:
            raise ValueError(f"`{name}` needs the scores of detections: `one_point()` evaluates detections without")

    def _threshold(self, given: float | None) -> float:
        return threshold_of(self.protocol, given)

    def _score_thresholds(self, scores: Any) -> Any:
        """Return the given thresholds (S,), or by default thresholds that suit the scale of the scores."""
        from omniou.detection.curves import _operating as operating

        given, xp = self.state.scores, self._curves.xp
        if scores is None:
            return operating.grid(given, xp=xp)
        points = self._floats("scores", scores)
        operating.check_scale("scores", indexing.to_list(points), given, xp=xp)
        return points

    def _rates(self, given: Any, default: tuple[float, ...]) -> tuple[float, ...]:
        rates = default if given is None else _rising("rates", given)
        if rates[0] <= 0:
            raise ValueError(f"`rates` must be positive, got {given!r}")
        return rates

    def _floats(self, name: str, values: Any) -> Any:
        """Return rising numbers as an array like the scores of the state."""
        like = self.state.scores
        return self._curves.xp.asarray(_rising(name, values), dtype=like.dtype, device=compat.device(like))

    def _brought(self, x: Any) -> ArrayT:
        out: ArrayT = self._home(x)
        return out

    def _analysis(self, found: Any) -> Any:
        """Return an analysis with arrays in the caller's library and on its device, and the names of the classes."""
        labels = indexing.to_list(self.state.classes)
        from omniou._inputs.kinds import words_of

        names = tuple(self.names.get(x, str(x)) for x in labels)
        words = words_of(self.state.kind)
        return dataclasses.replace(
            brought(found, self._home), class_names=names, overlap=words.overlap, holder=words.holder
        )


def _rising(name: str, values: Any, /) -> tuple[float, ...]:
    """Check rising numbers."""
    listed = tuple(checks.number(name, x) for x in checks.items(name, values, "rising numbers"))
    if not listed or any(a >= b for a, b in itertools.pairwise(listed)):
        raise ValueError(f"`{name}` must be rising numbers, got {values!r}")
    return listed


def brought(table: Any, home: Callable[[Any], Any], /) -> Any:
    """Return a table with arrays in the caller's library and on its device."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    arrays = {name: home(x) for name, x in columns.items() if hasattr(x, "dtype")}
    tables = {name: x for name, x in columns.items() if isinstance(x, Named) and name.startswith("per_")}
    arrays |= {name: Named({key: home(x) for key, x in by_name.items()}) for name, by_name in tables.items()}
    return dataclasses.replace(table, **arrays)
