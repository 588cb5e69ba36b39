"""The analyses of a result, which are imported when they are asked for."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from omniou._lib import checks
from omniou._lib.types import ArrayT
from omniou._results.base import pictures
from omniou.detection._protocol import level
from omniou.detection._state_analyses import StateAnalyses, brought

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from omniou.detection.analysis._breakdown import Breakdown
    from omniou.detection.analysis._confusion import Confusion
    from omniou.detection.analysis._heading import HeadingAP
    from omniou.detection.analysis._lrp import LRP
    from omniou.detection.analysis._one_point import OnePoint
    from omniou.detection.analysis._proposals import Proposals
    from omniou.detection.analysis._rates import FROC
    from omniou.detection.analysis._referring import Referring
    from omniou.detection.matching._matches import Compared, Matches


class Analyses(StateAnalyses[ArrayT]):
    """All analyses of a result: those of its state, and those that need the boxes."""

    _boxes_again: Callable[[], Compared] | None
    image_names: Mapping[int, str]

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

    @functools.cached_property
    def matches(self) -> Matches[ArrayT]:
        """The matches of detections and objects; see `Matches`. Needs the boxes, like the analyses below.

        Raises
        ------
        ValueError
            If the result is of a state, or of an `Evaluator` that does not keep the boxes.
        """
        return brought(self._matches, self._home)

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

        if self.state.kind != "bbox":
            raise ValueError(f"phrases need upright boxes and IoU, got the kind {self.state.kind!r}")
        return self._analysis(referring.find(self._boxes, self.state.classes, self.names, self.image_names))

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
            Detections that score less are left out. Default: `least_score()`. Detections without scores all count.
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
        least = -math.inf if self.protocol.missing_scores else self.least_score(score, threshold)
        return self._analysis(confusion.find(self._boxes, self._matches, threshold, least))

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
