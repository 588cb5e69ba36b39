"""The analyses of a result, which are imported when they are asked for."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, Any, Generic

import array_api_compat as compat

from omniou._lib import checks, indexing
from omniou._lib.types import ArrayT
from omniou._results.base import EvaluationResult, pictures
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
    from omniou.detection.analysis._proposals import Proposals
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
        """
        from omniou.detection.curves import _operating as operating

        given, xp = self.state.scores, self._curves.xp
        if scores is None:
            points = operating.grid(given, xp=xp)
        else:
            points = self._floats("scores", scores)
            operating.check_scale("scores", [float(points[k]) for k in range(points.shape[0])], given, xp=xp)
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
        """
        from omniou.detection.analysis import _calibration as calibration

        edges = self._floats("bins", spaced(0.0, 1.0, checks.count("bins", bins) + 1))
        least = checks.number("score", score)
        return self._analysis(calibration.find(self._curves, self._threshold(iou_threshold), edges, least))

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
        """
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

    def _threshold(self, given: float | None) -> float:
        return threshold_of(self.protocol, given)

    def _floats(self, name: str, values: Any) -> Any:
        """Return rising numbers as an array like the scores of the state."""
        listed = [checks.number(name, x) for x in checks.items(name, values, "rising numbers")]
        if not listed or any(a >= b for a, b in itertools.pairwise(listed)):
            raise ValueError(f"`{name}` must be rising numbers, got {values!r}")
        like = self.state.scores
        return self._curves.xp.asarray(listed, dtype=like.dtype, device=compat.device(like))

    def _brought(self, x: Any) -> ArrayT:
        brought: ArrayT = self._home(x)
        return brought

    def _analysis(self, found: Any) -> Any:
        """Return an analysis with arrays in the caller's library and on its device, and the names of the classes."""
        labels = indexing.to_list(self.state.classes)
        from omniou._inputs.kinds import words_of

        names = tuple(self.names.get(x, str(x)) for x in labels)
        return dataclasses.replace(
            _brought(found, self._home), class_names=names, overlap=words_of(self.state.kind).overlap
        )


def _brought(table: Any, home: Callable[[Any], Any], /) -> Any:
    """Return a table with arrays in the caller's library and on its device."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    return dataclasses.replace(table, **{name: home(x) for name, x in columns.items() if hasattr(x, "dtype")})
