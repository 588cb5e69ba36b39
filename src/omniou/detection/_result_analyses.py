"""The analyses of a result, which are imported when they are asked for."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, Any, Generic

import array_api_compat as compat

from omniou._lib import checks, indexing
from omniou._lib.types import ArrayT
from omniou._results.base import EvaluationResult, Named, pictures
from omniou.detection._protocol import level, threshold_of
from omniou.matching._coco_greedy import spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from omniou.detection._protocol import Protocol
    from omniou.detection.analysis._breakdown import Breakdown
    from omniou.detection.analysis._calibration import Calibration
    from omniou.detection.analysis._confusion import Confusion
    from omniou.detection.analysis._heading import HeadingAP
    from omniou.detection.analysis._lrp import LRP
    from omniou.detection.analysis._one_point import OnePoint
    from omniou.detection.analysis._per_image import EmptyImages, TopK
    from omniou.detection.analysis._proposals import Proposals
    from omniou.detection.analysis._rates import FROC, MissRate
    from omniou.detection.analysis._referring import Referring
    from omniou.detection.analysis._units import DetectionUnits
    from omniou.detection.curves._curves import Curves
    from omniou.detection.curves._operating import OperatingPoints
    from omniou.detection.curves._state import State
    from omniou.detection.matching._matches import Compared, Matches


class Analyses(EvaluationResult, Generic[ArrayT]):
    """The analyses of a result. Its methods return objects with `plot` and `to_pandas`."""

    _curves: Curves
    _home: Callable[[Any], Any]
    _boxes_again: Callable[[], Compared] | None
    names: Mapping[int, str]
    image_names: Mapping[int, str]
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
            as percents and logits, some of the scores themselves.

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
            Is returned, if it is of the scale of the scores.
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

    def froc(
        self, iou_threshold: float | None = None, rates: Any = None, *, ignore_duplicates: bool = False
    ) -> FROC[ArrayT]:
        """Recall at numbers of false positives for each image, and their mean; see `FROC`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        rates : sequence of float, optional
            False positives for each image, rising. Default: LUNA16's 1/8, 1/4, 1/2, 1, 2, 4 and 8.
        ignore_duplicates : bool
            Ignore false positives that overlap an object of their class by enough, as LUNA16. Needs the boxes. By
            default they count as false positives, as in average precision.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, `rates` are not rising positive numbers, or the boxes are not there.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("froc")
        from omniou.detection.analysis import _rates as of_rates

        threshold, at = self._threshold(iou_threshold), self._rates(rates, of_rates.LUNA16)
        outcomes = (
            of_rates.distinct(self._boxes, self._matches, threshold, self.state.classes)
            if checks.flag("ignore_duplicates", ignore_duplicates)
            else self._curves.outcomes(self.protocol.iou_thresholds.index(threshold))
        )
        return self._analysis(of_rates.froc(self._curves, outcomes, threshold, at))

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
        """
        from omniou.detection.analysis import _per_image as per_image

        return self._analysis(
            per_image.empty_images(self._curves, self._threshold(iou_threshold), self._score_thresholds(scores))
        )

    @functools.cached_property
    def matches(self) -> Matches[ArrayT]:
        """The matches of detections and objects; see `Matches`. Needs the boxes, like the analyses below.

        Raises
        ------
        ValueError
            If the result is of a state, or of an `Evaluator` that does not keep the boxes.
        """
        return _brought(self._matches, self._home)

    @functools.cached_property
    def mean_iou(self) -> ArrayT:
        """Mean IoU of the true positives of each class, (T, K); NaN for a class without any."""
        from omniou.detection.matching._matches import mean_of_hits

        return self._brought(mean_of_hits(self._matches, xp=self._curves.xp))

    def one_point(self, iou_threshold: float | None = None) -> OnePoint[ArrayT]:
        """F1, precision, recall, mean IoU and more of all detections at once, by class and by image; see `OnePoint`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, or the boxes are not there.

        Examples
        --------
        >>> from omniou import detection
        >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [1, 1]}]
        >>> found = [{"boxes": [[0, 0, 10, 9]], "labels": [1]}]
        >>> point = detection.evaluate(truth, found, missing_scores=True).one_point()
        >>> point.summary["recall"], round(point.summary["mean_iou"], 3), point.summary["Acc50"]
        (0.5, 0.9, 0.5)
        """
        from omniou.detection.analysis import _one_point as one_point

        threshold = self._threshold(iou_threshold)
        return self._analysis(one_point.find(self._boxes, self._matches, threshold, self.state.kind))

    def referring(self) -> Referring[ArrayT]:
        """Accuracy at IoU 0.5 and mean IoU of referring expressions, whose phrases are the classes; see `Referring`.

        Raises
        ------
        ValueError
            If an image has two objects or detections of a class, shapes are not upright boxes, or the boxes are not
            there.

        Examples
        --------
        >>> from omniou import detection
        >>> truth = detection.Targets([[0, 0, 10, 10], [20, 20, 30, 30]], ["left cup", "red cup"], ["a.jpg", "a.jpg"])
        >>> found = detection.Detections([[0, 0, 10, 8]], None, ["left cup"], ["a.jpg"])
        >>> numbers = detection.evaluate(truth, found, missing_scores=True).referring().summary
        >>> numbers["Acc50"], numbers["mean_iou"]
        (0.5, 0.4)
        """
        from omniou.detection.analysis import _referring as referring

        names = referring.Names(self.names, self.image_names)
        if self.state.kind != "bbox":
            raise ValueError(f"phrases need upright boxes and IoU, got the kind {self.state.kind!r}")
        return self._analysis(referring.find(self._boxes, self.state.classes, names))

    def lrp(self) -> LRP[ArrayT]:
        """Localisation recall precision and its optimum; see `LRP`.

        Raises
        ------
        ValueError
            If a similarity is not in [0, 1], for distances, or if the boxes are not there.
        """
        from omniou.detection.analysis import _lrp as lrp

        lrp.check(self._matches, self.protocol.measure, xp=self._curves.xp)
        return self._analysis(lrp.find(self._matches, xp=self._curves.xp))

    def heading(self) -> HeadingAP[ArrayT]:
        """AP in which the heading of 3-D boxes counts, as Waymo's APH; see `HeadingAP`.

        Raises
        ------
        ValueError
            If the shapes have no yaw, or the boxes are not there.
        """
        from omniou.detection.analysis import _heading as heading

        return self._analysis(heading.find(self._boxes, self._matches, xp=self._curves.xp))

    def confusion(self, score: float | None = None, iou_threshold: float | None = None) -> Confusion[ArrayT]:
        """The confusion matrix of classes.

        Parameters
        ----------
        score : float, optional
            Detections that score less are left out. Default: `least_score()`.
        iou_threshold : float, optional
            One of the protocol's; the first by default.

        Raises
        ------
        TypeError, ValueError
            If `score` is not a number or of another scale, such as percents; if the protocol has no such threshold, or
            the boxes are not there.
        """
        from omniou.detection.analysis import _confusion as confusion

        threshold = self._threshold(iou_threshold)
        return self._analysis(confusion.find(self._boxes, self._matches, threshold, self.least_score(score, threshold)))

    def errors(
        self, iou_threshold: float | None = None, background: float | None = None, *, every_class: bool = False
    ) -> Breakdown[ArrayT]:
        """The errors by type, and the AP that each type costs; see `Breakdown`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        background : float, optional
            In (0, `iou_threshold`]: a detection that overlaps all objects by less is background. Default: 0.1 of IoU.
            Of a similarity or a distance the threshold itself, by which no error is one of localisation.
        every_class : bool
            Average over all classes that have objects or detections, as tidecv: without objects AP is 0. Default: over
            the classes that have objects, as COCO.

        Raises
        ------
        TypeError, ValueError
            If the protocol has no such threshold, `background` is out of its bounds, or the boxes are not there.
        """
        from omniou.detection.analysis import _breakdown as breakdown

        threshold = self._threshold(iou_threshold)
        background = self._background(background, threshold)
        every_class = checks.flag("every_class", every_class)
        found = breakdown.find(self._boxes, self._matches, threshold, background, every_class=every_class)
        return self._analysis(found)

    def proposals(self, most: int = 100) -> Proposals[ArrayT]:
        """Average recall by number of proposals, regardless of classes (AR@AN), and the area below; see `Proposals`.

        Parameters
        ----------
        most : int
            Mean number of proposals of an image, or video, up to which recall is computed.

        Raises
        ------
        ValueError
            If `most` is not positive, or the boxes are not there.
            Or if the detections have no scores, as `missing_scores` says.
        """
        self._check_ranked("proposals")
        from omniou.detection.analysis import _proposals as proposals

        return self._analysis(proposals.find(self._boxes, checks.count("most", most)))

    def plot(
        self,
        kind: str = "pr",
        /,
        *,
        ax: Axes | None = None,
        label: str | None = None,
        names: Mapping[int, str] | None = None,
        **options: Any,
    ) -> Axes:
        """Draw one picture by matplotlib, "pr", "confusion" or another: see `omniou.report.plot`."""
        axes: Axes = pictures().plot(self, kind, ax=ax, label=label, names=names, **options)
        return axes

    @property
    def compared(self) -> Compared:
        """The tables that were compared, in the library of the computation, for pictures.

        Raises
        ------
        ValueError
            If the boxes are not there.
        """
        return self._boxes

    @property
    def has_boxes(self) -> bool:
        """Whether the tables that were compared are kept, which `matches` and most analyses need."""
        return self._boxes_again is not None

    @functools.cached_property
    def _boxes(self) -> Compared:
        if self._boxes_again is None:
            raise ValueError("boxes are not kept: use `evaluate`, or an Evaluator with `keep_boxes=True`")
        return self._boxes_again()

    @functools.cached_property
    def _matches(self) -> Matches[Any]:
        """The matches in the library of the computation."""
        from omniou.detection.matching._matches import find

        return find(self._boxes)

    def _background(self, given: float | None, threshold: float) -> float:
        of_iou = self.protocol.measure == "iou"
        if given is None and not of_iou:
            return threshold
        background = checks.number("background", 0.1 if given is None else given)
        if of_iou and not 0 < background <= threshold:
            raise ValueError(
                f"`background` must be above 0 and at most the IoU threshold of {threshold}, got {background!r}"
            )
        if level(self.protocol, background) > level(self.protocol, threshold):
            raise ValueError(f"`background` must not be stricter than the threshold {threshold}, got {background!r}")
        return background

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
        brought: ArrayT = self._home(x)
        return brought

    def _analysis(self, found: Any) -> Any:
        """Return an analysis with arrays in the caller's library and on its device, and the names of the classes."""
        labels = indexing.to_list(self.state.classes)
        from omniou._inputs.kinds import words_of

        names = tuple(self.names.get(x, str(x)) for x in labels)
        words = words_of(self.state.kind)
        return dataclasses.replace(
            _brought(found, self._home), class_names=names, overlap=words.overlap, holder=words.holder
        )


def _rising(name: str, values: Any, /) -> tuple[float, ...]:
    """Check rising numbers."""
    listed = tuple(checks.number(name, x) for x in checks.items(name, values, "rising numbers"))
    if not listed or any(a >= b for a, b in itertools.pairwise(listed)):
        raise ValueError(f"`{name}` must be rising numbers, got {values!r}")
    return listed


def _brought(table: Any, home: Callable[[Any], Any], /) -> Any:
    """Return a table with arrays in the caller's library and on its device."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    arrays = {name: home(x) for name, x in columns.items() if hasattr(x, "dtype")}
    tables = {name: x for name, x in columns.items() if isinstance(x, Named) and name.startswith("per_")}
    arrays |= {name: Named({key: home(x) for key, x in by_name.items()}) for name, by_name in tables.items()}
    return dataclasses.replace(table, **arrays)
