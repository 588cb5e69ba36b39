"""Evaluate columns of detections in batches."""

from __future__ import annotations  # `help` shows annotations as they are written, not spelled out

import dataclasses
import functools
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from omniou._inputs import inputs
from omniou._inputs import tables as parts
from omniou._inputs.ground_truth import as_read
from omniou._inputs.inputs import Detections, Targets
from omniou._inputs.names import Names
from omniou._lib import checks, near
from omniou._lib.docs import described
from omniou._lib.host import namespace_of
from omniou._lib.types import ArrayT
from omniou.detection import _presets as presets
from omniou.detection import _similarities as similarities
from omniou.detection._evaluate import check_groups, compared_again, evaluate, listed, result_of
from omniou.detection._matcher import Matcher
from omniou.detection.curves._batch import batch_point, summarised
from omniou.detection.curves._state import State, merge

if TYPE_CHECKING:
    from omniou._catalogue.geometry import Geometry
    from omniou._inputs.kinds import KindName, ScoreLike
    from omniou._inputs.tables import Tables
    from omniou._lib.formats import BoxFormat
    from omniou.detection._protocol import Protocol
    from omniou.detection._result import Result
    from omniou.detection.curves._batch import BatchSummary
    from omniou.keypoints import Skeleton

# Small parts wait until they have this many detections, so that they cost little more than one large part.
TOGETHER = 2**16


@described(evaluate)
class Evaluator(Generic[ArrayT]):
    """Evaluate data in batches like `evaluate`: `update` with each batch, `merge` other evaluators, then `compute`.

    The numbers are the same to the last bit, regardless of the parts and their order: equal scores rank by the id of
    their image, then as they come. What is kept is a flat table of a few bytes for each detection, `state`. Without
    `classes`, all that occur in any part are evaluated.

    Parameters
    ----------
    protocol, kind, score, format, offset, classes, groups, class_agnostic, missing_scores
    similarity : callable, optional
        A function for all parts. For matrices and pairs, say ``kind="similarity"`` and give them to `update`.
    thresholds, higher_is_better
    keep_boxes : bool
        Keep the tables that were compared, about 100 bytes for each box. Results then have matches, errors and the
        other analyses. Their rows follow all parts, one after the other.

    Examples
    --------
    >>> from omniou import detection
    >>> evaluator = detection.Evaluator()
    >>> for scores in ([0.9, 0.3], [0.8, 0.7]):
    ...     evaluator.update(
    ...         [{"boxes": [[0, 0, 10, 10]], "labels": [1]}],
    ...         [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "scores": scores, "labels": [1, 1]}],
    ...     )
    >>> evaluator.compute().summary["AP"]
    1.0
    """

    @near.explained
    def __init__(
        self,
        protocol: Protocol | str | None = None,
        *,
        kind: KindName | Literal["similarity"] | Geometry | Skeleton | None = None,
        score: ScoreLike | None = None,
        format: BoxFormat | str | None = None,
        offset: float = 0.0,
        classes: Any = None,
        groups: Mapping[str, Any] | None = None,
        class_agnostic: bool = False,
        missing_scores: bool = False,
        keep_boxes: bool = False,
        similarity: Callable[[Any, Any], Any] | None = None,
        thresholds: Any = None,
        higher_is_better: bool = True,
    ) -> None:
        self._is_by_default = protocol is None
        how: dict[str, Any] = {"kind": kind, "score": score, "format": format, "offset": offset}
        rules: dict[str, Any] = {"class_agnostic": class_agnostic, "missing_scores": missing_scores}
        if similarities.asked(similarity, thresholds, higher_is_better, **how):
            checks.instance("similarity", similarity, Callable | None, "a function, or given to `update`")
            own = presets.named(protocol or similarities.ONE_RANGE, **rules)
            self.protocol = similarities.rules(own, thresholds, higher_is_better=higher_is_better)
        else:
            kind = presets.kind_for(kind or "bbox", protocol)
            self.protocol = similarities.of_shapes(presets.named(protocol, kind=kind, **rules))
        check_groups(groups, self.protocol)
        keep_boxes = checks.flag("keep_boxes", keep_boxes)
        if classes is not None:
            inputs.listed_ids("classes", classes)
        compared_by = similarities.compared_by(self.protocol, kind, format, offset, score)
        self._matcher = Matcher(self.protocol, compared_by, classes, similarity)
        self._lock = threading.RLock()
        self._groups, self._keeps, self._names = groups, keep_boxes, Names(groups=listed(groups))
        if self.protocol.class_agnostic:
            self._names = self._names.without_classes()
        self.reset()

    def reset(self) -> None:
        """Reset the state."""
        with self._lock:
            self._next = 0  # number of the next image of a list of dictionaries
            self._waiting: list[Tables] = []
            self._states: list[State] = []
            self._kept: list[Tables] = []

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for pickles and copies, without the lock, and with lists that are not shared."""
        with self._lock:
            held = {name: x for name, x in vars(self).items() if name not in {"_lock", "_xp"}}
            return {name: list(x) if isinstance(x, list) else x for name, x in held.items()}

    def __setstate__(self, held: dict[str, Any]) -> None:
        """Restore the attributes."""
        vars(self).update(held, _lock=threading.RLock())
        known = [*(x.images for x in self._waiting), *(x.images for x in self._states)]
        if known:
            self._xp = namespace_of(known[-1])

    @overload
    def update(self, targets: Any, detections: Any, *, images: Any = None, similarity: Any = None) -> None: ...

    @overload
    def update(
        self,
        targets: Any,
        detections: Any,
        *,
        images: Any = None,
        similarity: Any = None,
        batch_summary: Literal[True],
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
    ) -> BatchSummary: ...

    @described(evaluate)
    def update(
        self,
        targets: Any,
        detections: Any,
        *,
        images: Any = None,
        similarity: Any = None,
        batch_summary: bool = False,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
    ) -> BatchSummary | None:
        """Add images: all their objects and detections, which must come together.

        Images of lists of dictionaries are numbered in the order they come.

        Parameters
        ----------
        targets, detections, images, similarity
        batch_summary : bool
            Return precision, recall and F1 of these images. They are matched at once, and only once.
        score_threshold : float, optional
            Score from which a detection counts in the summary, by default 0.5. A float32 of 0.9 meets 0.9.
        iou_threshold : float, optional
            Threshold of a true positive in the summary, one of the protocol's: by default 0.5, or the first if the
            protocol has no 0.5 or compares distances.

        Returns
        -------
        BatchSummary or None
            None without `batch_summary`.

        Raises
        ------
        TypeError, ValueError
            The same as `evaluate`, and for options of the summary; the state stays unchanged.
        """
        point = batch_point(batch_summary, score_threshold, iou_threshold, self.protocol)
        own = as_read("protocol", None, targets, detections)
        if own is not None and self._is_by_default:
            raise ValueError(
                f"`protocol` must be given for a ground truth of a file that has rules of its own: Evaluator({own!r}), "
                'or another, such as "coco"'
            )
        targets, detections = similarities.of_update(
            self.protocol, targets, detections, similarity, by_default=self._is_by_default
        )
        with self._lock:
            tables, after = self._matcher.read(targets, detections, images, self._next, similarity=similarity)
            # Matched later, and some columns are kept: callers may fill their arrays anew for the next part.
            tables = parts.owned(tables)
            if self._keeps and self._kept and not parts.fit(self._kept[-1], tables):
                raise ValueError("`targets.negative` must be given for all parts or for none where boxes are kept")
            part = tables if images is None else parts.of_its_images(tables)
            matched = None if point is None else self._matcher.matched([part])
            summary = None if point is None or matched is None else summarised(matched, point)
            if self._keeps:
                self._kept.append(tables)
            self._xp, self._home, self._next = tables.xp, tables.home, after
            if matched is not None:
                self._states.append(matched)
                return summary
            if self._waiting and not parts.fit(self._waiting[-1], part):
                self._match()
            self._waiting.append(part)
            if sum(x.detections.scores.shape[0] for x in self._waiting) >= TOGETHER:
                self._match()
            return None

    def merge(self, other: Evaluator[Any], /) -> None:
        """Add the images of another evaluator, which must have the same protocol and other images.

        Images of lists of dictionaries have no names: images of `other` get the numbers after the last one here.

        Raises
        ------
        TypeError, ValueError
            If `other` is not an Evaluator, the protocols or kinds differ, both saw an image, or only one keeps boxes;
            the state stays unchanged.
        """
        checks.instance("other", other, Evaluator, "an Evaluator")
        if self._keeps != other._keeps:
            raise ValueError("`other` must keep boxes where this evaluator does, and only there")
        with other._lock:
            state, kept, count = other.state, list(other._kept), other._next
        with self._lock:
            by = self._next if count else 0
            self._states = [merge([self.state, dataclasses.replace(state, images=state.images + by)], xp=self._xp)]
            self._kept += [parts.renumbered(x, by) for x in kept]
            self._next += count

    @property
    def state(self) -> State:
        """The state of all images so far."""
        with self._lock:
            self._match()
            if len(self._states) > 1:
                self._states = [merge(self._states, xp=self._xp)]
            return dataclasses.replace(self._states[0], names=self._names)

    def compute(self) -> Result[ArrayT]:
        """Compute the numbers of all images so far."""
        with self._lock:
            state = self.state  # which also knows the library, where nothing was seen
            kept, home, xp = tuple(self._kept), self._home, self._xp
        again = functools.partial(compared_again, self._matcher, kept, state) if kept else None
        return result_of(state, self._groups, home, again, xp=xp)

    def _match(self) -> None:
        """Match the parts that wait, and add them to the state."""
        if not self._waiting and not self._states:
            scores: list[float] | None = None if self.protocol.missing_scores else []
            none = {"boxes": None} | {self._matcher.kind.column: self._matcher.kind.of_nothing()}
            self.update(Targets(labels=[], images=[], **none), Detections(scores=scores, labels=[], images=[], **none))
        if self._waiting:
            self._states.append(self._matcher.matched(self._waiting))
            self._waiting = []
