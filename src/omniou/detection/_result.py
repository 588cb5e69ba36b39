"""The outcome of an evaluation. Its analyses are imported when they are asked for."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic

import array_api_compat as compat

from omniou._lib import backends, checks, extras, indexing
from omniou._lib.coco import spaced
from omniou._lib.host import namespace_of
from omniou._lib.types import ArrayT
from omniou.detection import _shown as shown
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from omniou._lib.findings import Finding
    from omniou.detection._protocol import Protocol
    from omniou.detection.analysis._breakdown import Breakdown
    from omniou.detection.analysis._calibration import Calibration
    from omniou.detection.analysis._confusion import Confusion
    from omniou.detection.analysis._heading import HeadingAP
    from omniou.detection.analysis._lrp import LRP
    from omniou.detection.analysis._proposals import Proposals
    from omniou.detection.curves._operating import OperatingPoints
    from omniou.detection.curves._state import State
    from omniou.detection.matching._matches import Compared, Matches


# Above this layer: loaded by name when a picture is asked for.
_PICTURES = "omniou.report._plots"


class Result(Generic[ArrayT]):
    """The numbers of an evaluation, and the curves behind them. "No data" is NaN, as for a class without objects.

    T IoU thresholds, R recall thresholds, K classes, A area ranges, M limits of detections per image. What is not
    asked for is not computed.

    Attributes
    ----------
    names, image_names : mapping of int to str
        Names of classes and of images, if known: from a ground truth that was read, or from columns
        that hold names. May be set.
    """

    def __init__(
        self,
        curves: Curves,
        home: Callable[[Any], Any],
        groups: Mapping[str, Any],
        boxes: Callable[[], Compared] | None = None,
        /,
    ) -> None:
        self._curves, self._home, self.groups, self._boxes_again = curves, home, groups, boxes
        self.names: Mapping[int, str] = {}
        self.image_names: Mapping[int, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What it is made of, for pickles and copies: what is computed is computed anew."""
        held = {name: x for name, x in vars(self).items() if name not in _COMPUTED}
        held = {name: dict(x) if isinstance(x, dict) else x for name, x in held.items()}
        return held | {"_curves": self.state}

    def __setstate__(self, held: dict[str, Any]) -> None:
        """Restore it."""
        state = held["_curves"]
        vars(self).update(held, _curves=Curves(Ranking(state, xp=namespace_of(state.scores))))

    def __repr__(self) -> str:
        """The numbers and what is doubtful, in lines that fit a screen."""
        return shown.as_text(self.summary, self._named_counts, self.findings)

    def _repr_html_(self) -> str:
        """The numbers as a table, for notebooks."""
        return shown.as_html(self.to_dict() | {"counts": self._named_counts}, self.findings)

    @property
    def _named_counts(self) -> dict[str, int]:
        """The counts as they are shown: intervals are in videos."""
        from omniou.detection.inputs._kinds import words_of

        holders = words_of(self.state.kind).holders
        return {holders if name == "images" else name: count for name, count in self.state.counts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Python's own values: "summary", "counts" and "per_class", a dictionary for each class; None for no data.

        Examples
        --------
        >>> from omniou import detection
        >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
        >>> found = [{"boxes": [[0, 0, 10, 5]], "labels": [1], "scores": [0.5]}]
        >>> result = detection.evaluate(truth, found)
        >>> round(result.to_dict()["summary"]["AP50"], 3), result.to_dict()["counts"]
        (1.0, {'images': 1, 'classes': 1, 'objects': 1, 'detections': 1})
        """
        labels = indexing.to_list(self.state.classes)
        objects = indexing.to_list(self.state.objects[:, 0])
        classes = {"id": labels, "name": [self.names.get(x, str(x)) for x in labels], "objects": objects}
        return shown.as_dict(self.summary, self.state.counts, classes, self.per_class)

    def of_images(self, images: Any, /) -> Result[ArrayT]:
        """The numbers on some of the images, without matching anew: those taken at night, or by one camera.

        Parameters
        ----------
        images : sequence or array of integers, shape (I,)
            Ids; of lists of images the place of each, from 0. They may repeat.

        Returns
        -------
        Result
            Of the same classes, without boxes: its `summary`, `per_class`, curves and intervals, not its `errors`.

        Raises
        ------
        TypeError, ValueError
            If `images` are not integers, or one is not among the images.

        Examples
        --------
        >>> from omniou import detection
        >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 2
        >>> found = [{"boxes": [[0, 0, 10, high]], "labels": [1], "scores": [0.5]} for high in (9, 2)]
        >>> result = detection.evaluate(truth, found)
        >>> [round(result.of_images([k]).summary["AP50"], 2) for k in range(2)]
        [1.0, 0.0]
        """
        from omniou.detection.curves._state import of_images
        from omniou.detection.inputs._inputs import rising_ids

        xp, every = self._curves.xp, self.state.images
        chosen = rising_ids(images, every, name="images", xp=xp)
        inside = indexing.place(chosen, every, xp=xp)[1]
        if unknown := sorted(set(indexing.to_list(chosen)) - set(indexing.to_list(every[inside]))):
            msg = f"`images` must be ids of the {every.shape[0]} images that were evaluated, got {unknown[0]}"
            raise ValueError(msg)
        part: Result[ArrayT] = Result(
            Curves(Ranking(of_images(self.state, inside, xp=xp), xp=xp)), self._home, self.groups
        )
        part.names, part.image_names = self.names, self.image_names
        return part

    def to_pandas(self) -> Any:
        """The numbers of each class as a pandas `DataFrame`, a row for each class, indexed by its name.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which nothing here installs.
        """
        return shown.as_frame(self.to_dict()["per_class"])

    @property
    def state(self) -> State:
        """The state that the numbers come from; merge it with states of other images."""
        return self._curves.ranking.state

    @property
    def protocol(self) -> Protocol:
        """The rules of the evaluation, with the values of the axes T, R, A and M."""
        return self.state.protocol

    @property
    def surplus(self) -> int:
        """Detections above the protocol's limit, which were excluded."""
        return self.state.surplus

    @functools.cached_property
    def summary(self) -> dict[str, float]:
        """COCO's twelve numbers by name, as Python floats.

        AP, AP50, AP75, APs, APm, APl, AR1, AR10, AR100, ARs, ARm, ARl: means over the classes that have objects. A
        protocol with other limits or area ranges has AR and its limits, and the suffixes of its ranges; groups of
        classes have AP and their name, and so have groups of images.
        """
        return summary.overall(self._curves, self.groups) | summary.of_images(
            self._curves, self.state.names.image_groups
        )

    @functools.cached_property
    def per_class(self) -> dict[str, ArrayT]:
        """The numbers of `summary` for each class, by name: arrays of shape (K,)."""
        return {name: self._home(x) for name, x in summary.per_class(self._curves).items()}

    @functools.cached_property
    def classes(self) -> ArrayT:
        """Labels (K,), rising."""
        return self._brought(self.state.classes)

    @functools.cached_property
    def objects(self) -> ArrayT:
        """Objects that count, (K, A): neither crowds nor ignored."""
        return self._brought(self.state.objects)

    @functools.cached_property
    def precision(self) -> ArrayT:
        """Highest precision at each recall or a higher one, (T, R, K, A, M); 0 where the recall is not reached.

        All tables have pycocotools' layout.
        """
        return self._table(self._curves.precision)

    @functools.cached_property
    def recall(self) -> ArrayT:
        """Highest recall, (T, K, A, M)."""
        return self._table(self._curves.recall)

    @functools.cached_property
    def scores(self) -> ArrayT:
        """Score at which each recall is reached, (T, R, K, A, M); 0 where it is not."""
        return self._table(self._curves.scores)

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
        return _brought(operating.find(self._curves, self._threshold(iou_threshold), points), self._home)

    def least_score(self, score: float | None = None, iou_threshold: float | None = None) -> float:
        """The score from which `confusion` and the report count detections: `score`, or where the mean F1 is best.

        The default is `operating_points().common_score`: where somebody would put the threshold, on any scale of
        scores. A fixed one, such as 0.25 of Ultralytics' matrix, suits the scores of some detectors alone. If nothing
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
        return _brought(calibration.find(self._curves, self._threshold(iou_threshold), edges, least), self._home)

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

    @functools.cached_property
    def lrp(self) -> LRP[ArrayT]:
        """Localisation recall precision and its optimum; see `LRP`."""
        from omniou.detection.analysis import _lrp as lrp

        return _brought(lrp.find(self._matches, xp=self._curves.xp), self._home)

    @functools.cached_property
    def heading(self) -> HeadingAP[ArrayT]:
        """AP in which the heading of 3-D boxes counts, as Waymo's APH; see `HeadingAP`.

        Raises
        ------
        ValueError
            If the shapes have no yaw, or the boxes are not there.
        """
        from omniou.detection.analysis import _heading as heading

        return _brought(heading.find(self._boxes, self._matches, xp=self._curves.xp), self._home)

    def confusion(self, score: float | None = None, iou_threshold: float | None = None) -> Confusion[ArrayT]:
        """The confusion matrix of classes.

        Parameters
        ----------
        score : float, optional
            Detections that score less are left out. Default: that of `least_score`.
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
        table = confusion.find(self._boxes, self._matches, threshold, self.least_score(score, threshold))
        return _brought(table, self._home)

    def errors(
        self, iou_threshold: float | None = None, background: float = 0.1, *, every_class: bool = False
    ) -> Breakdown[ArrayT]:
        """The errors by type, and the AP that each type costs; see `Breakdown`.

        Parameters
        ----------
        iou_threshold : float, optional
            One of the protocol's; the first by default.
        background : float
            In (0, `iou_threshold`]: a detection that overlaps all objects by less is background.
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
        if not 0 < checks.number("background", background) <= threshold:
            msg = f"`background` must be above 0 and at most the IoU threshold of {threshold}, got {background!r}"
            raise ValueError(msg)
        checks.instance("every_class", every_class, bool, "True or False")
        found = breakdown.find(self._boxes, self._matches, threshold, background, every_class=every_class)
        return _brought(found, self._home)

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

        return _brought(proposals.find(self._boxes, checks.count("most", most)), self._home)

    def plot(
        self, kind: str = "pr", /, *, ax: Axes | None = None, names: Mapping[int, str] | None = None, **options: Any
    ) -> Axes:
        """Draw one picture by matplotlib, "pr", "confusion" or another: see `omniou.report.plot`."""
        axes: Axes = importlib.import_module(_PICTURES).plot(self, kind, ax=ax, names=names, **options)
        return axes

    def with_minus_one(self) -> dict[str, Any]:
        """The tables as pycocotools has them, for comparison: -1 instead of NaN.

        Returns
        -------
        dict
            "precision", "recall" and "scores" as arrays, and "stats": the numbers of `summary` as a list.
        """
        arrays: dict[str, Any] = {}
        for name in ("precision", "recall", "scores"):
            table = getattr(self, name)
            xp = backends.array_namespace(table)
            arrays[name] = xp.where(xp.isnan(table), xp.full_like(table, -1.0), table)
        arrays["stats"] = [-1.0 if value != value else value for value in self.summary.values()]  # noqa: PLR0124
        return arrays

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """What is doubtful about the boxes, classes and scores, as `omniou.detection.check` says it.

        It is looked for when it is first asked for, or when the result is printed. Empty where boxes are not kept, or
        NumPy is not installed.
        """
        if self._boxes_again is None or not extras.has("numpy"):
            return []
        from omniou.detection.doctor import _arrays as doctor

        return doctor.of_tables(self._boxes.tables, self.names, self.image_names)

    @property
    def compared(self) -> Compared:
        """The tables that were compared, in the library that they were compared with: for what draws them.

        Raises
        ------
        ValueError
            If the boxes are not there.
        """
        return self._boxes

    @property
    def has_boxes(self) -> bool:
        """Whether what was compared is there, for `matches` and all that follows from it."""
        return self._boxes_again is not None

    @functools.cached_property
    def _boxes(self) -> Compared:
        if self._boxes_again is None:
            msg = "boxes are not kept: use `evaluate`, or an Evaluator with `keep_boxes=True`"
            raise ValueError(msg)
        return self._boxes_again()

    @functools.cached_property
    def _matches(self) -> Matches[Any]:
        """In the library that they are computed with."""
        from omniou.detection.matching._matches import find

        return find(self._boxes)

    def _threshold(self, given: float | None) -> float:
        thresholds = self.protocol.iou_thresholds
        if given is None:
            return thresholds[0]
        if given not in thresholds:
            msg = f"`iou_threshold` must be one of the protocol's, {thresholds}, got {given!r}"
            raise ValueError(msg)
        return given

    def _floats(self, name: str, values: Any) -> Any:
        """Rising numbers, next to the scores of the state."""
        given = values.tolist() if hasattr(values, "tolist") else values
        checks.instance(name, given, Iterable, "rising numbers")
        listed = [checks.number(name, x) for x in given]
        if not listed or any(a >= b for a, b in itertools.pairwise(listed)):
            msg = f"`{name}` must be rising numbers, got {values!r}"
            raise ValueError(msg)
        like = self.state.scores
        return self._curves.xp.asarray(listed, dtype=like.dtype, device=compat.device(like))

    def _table(self, cell: Callable[[int, int], Any]) -> ArrayT:
        """(T, K, ...) for each area range and limit -> (T, ..., K, A, M)."""
        xp, protocol = self._curves.xp, self.protocol
        areas, limits = len(protocol.area_ranges), len(protocol.max_detections)
        x = xp.stack([cell(area, limit) for area in range(areas) for limit in range(limits)])
        x = xp.reshape(x, (areas, limits, *x.shape[1:]))
        return self._brought(xp.permute_dims(x, (2, *range(4, x.ndim), 3, 0, 1)))

    def _brought(self, x: Any) -> ArrayT:
        brought: ArrayT = self._home(x)
        return brought


_COMPUTED = {name for name, x in vars(Result).items() if isinstance(x, functools.cached_property)}


def _brought(table: Any, home: Callable[[Any], Any], /) -> Any:
    """A table with its arrays in the library and on the device of the caller."""
    columns = {f.name: getattr(table, f.name) for f in dataclasses.fields(table)}
    return dataclasses.replace(table, **{name: home(x) for name, x in columns.items() if hasattr(x, "dtype")})
