"""Evaluate tracks against ground truth."""

from __future__ import annotations  # `help` shows annotations as they are written, not spelled out

import copy
import threading
from typing import TYPE_CHECKING, Any

from omniou._inputs import dicts
from omniou._inputs.kinds import described as kinds_described
from omniou._inputs.kinds import settled
from omniou._lib import backends, checks, docs, host, near
from omniou._lib.docs import described
from omniou.tracking import _lists as lists
from omniou.tracking import _similarity as similarities
from omniou.tracking._frames import ONE_SEQUENCE, TABLES, read
from omniou.tracking._match import counted
from omniou.tracking._result import AVERAGES, Result
from omniou.tracking._state import State, TrackingRules, merge
from omniou.tracking._tables import Tracks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from omniou._catalogue.geometry import Geometry
    from omniou._inputs.kinds import Kind, KindName, ScoreLike
    from omniou._lib.formats import BoxFormat
    from omniou.tracking._decisions import Decisions
    from omniou.tracking._frames import Name
    from omniou.tracking._lists import ListedFrames
    from omniou.tracking._result import Average

# What a state says was compared if the caller gave matrices of similarities.
_MATRICES = "similarity"


@described(
    docs.texts(
        kind=f"What is compared: {kinds_described()}, or the shapes of any other geometry.",
    )
)
@near.explained
def evaluate(
    ground_truth: Tracks[Any] | Sequence[Mapping[str, Any]] | Mapping[Any, Sequence[Mapping[str, Any]]],
    tracks: Tracks[Any] | Sequence[Mapping[str, Any]] | Mapping[Any, Sequence[Mapping[str, Any]]],
    *,
    kind: KindName | Geometry = "bbox",
    score: ScoreLike | None = None,
    format: BoxFormat | str | None = None,
    offset: float = 0.0,
    similarity: Any = None,
    threshold: float = 0.5,
    classes: Iterable[Name] | None = None,
    sequences: Mapping[Any, int] | None = None,
    average: Average = "classes",
    ignore_empty_classes: bool = True,
    as_trackeval: bool = True,
    keep: bool = True,
) -> Result:
    """Compute HOTA, MOTA (CLEAR), IDF1 (identity) and their parts for the tracks of a multi-object tracker.

    The numbers equal TrackEval's: counts to the unit and rates to 1e-12, also where similarities tie.

    Parameters
    ----------
    ground_truth, tracks : Tracks, list of dict, or mapping of a sequence to a list of dict
        Tables with one row for each object in each frame; or one dictionary for each frame, with the keys "ids" and
        "boxes" or "masks", and "labels" if wanted. Rows of a frame keep their order, which decides where similarities
        tie.
    kind : str, or a geometry
    score : str or callable, optional
        Replaces IoU: a name of `omniou.scores`, or a function of the rows of tracks and of ground truth, element
        by element. All pairs of a frame are scored. Values must lie in [0, 1], and 0 never matches.
    format : {"xyxy", "xywh", "cxcywh"}, or another of the geometry
        Format of the boxes of both tables. Default: the first of the geometry, "xyxy".
    offset : float
        1 where maximum corners name the last pixel inside.
    similarity : list of array, or mapping of a sequence to such a list, optional
        Similarities in [0, 1] of your own, shape (objects, tracks) for each frame. The dictionaries of the frames then
        need "ids" only.
    threshold : float
        In (0, 1]: the similarity of a match for CLEAR and identity. HOTA has 19 thresholds of its own.
    classes : sequence of int or str, optional
        Labels to evaluate; omniou excludes rows of other classes. Default: all that occur.
    sequences : mapping of str or int to int, optional
        Number of frames of each sequence, for FP_per_frame. Default: the frames that occur; for lists, their lengths.
        If given, a sequence may have rows in one table only.
    average : {"classes", "detections"}
        The summary of several classes: the mean over classes, or all detections together. `Result` has both.
    ignore_empty_classes : bool
        Exclude classes that neither side has from means over classes. With False they count as 0, as in TrackEval's
        class average and in BDD100K.
    as_trackeval : bool
        Reproduce two faults of TrackEval. It skips frames in which one side has no rows, so an object which
        nobody tracks there has no fragment; and a sequence without objects or without tracks has rates of 0, MLR 1, and
        no frames. With False, every frame counts, and each sequence follows the formulas.
    keep : bool
        Keep what was compared, so the result has matches, switches and fragments.

    Returns
    -------
    Result
        Python's own numbers, for arrays of any library.

    Raises
    ------
    TypeError, ValueError
        If columns do not fit, an id occurs twice in a frame, a box has no area, a similarity is NaN or out of [0, 1],
        or a sequence is in one table only.
    MissingLibraryError
        Without SciPy, which assigns where pairs compete.

    Notes
    -----
    NumPy computes on the host, in float64; arrays of other libraries are copied there.

    References
    ----------
    Luiten et al., HOTA, IJCV 2021; Bernardin and Stiefelhagen, CLEAR MOT, EURASIP 2008; Ristani et al., ECCVW 2016. The
    rules follow TrackEval 1.3.0.

    Examples
    --------
    The track of object 1 gets a new id in the last of three frames.

    >>> from omniou import tracking
    >>> truth = tracking.Tracks(boxes=[[0, 0, 9, 9]] * 3, frames=[1, 2, 3], ids=[1, 1, 1])
    >>> found = tracking.Tracks(boxes=[[0, 0, 9, 9]] * 3, frames=[1, 2, 3], ids=[7, 7, 8])
    >>> result = tracking.evaluate(truth, found)
    >>> {name: round(result.summary[name], 3) for name in ("HOTA", "MOTA", "IDF1", "IDSW")}
    {'HOTA': 0.745, 'MOTA': 0.667, 'IDF1': 0.667, 'IDSW': 1}
    """
    ignore_empty_classes = checks.flag("ignore_empty_classes", ignore_empty_classes)
    keep = checks.flag("keep", keep)
    shapes = settled(kind, format, offset, score)
    if similarity is not None:
        _check_matrices(kind=kind, format=format, offset=offset, score=score)
    compared = None if similarity is not None else shapes
    rules = _rules(compared, threshold, as_trackeval=as_trackeval)
    average = checks.choice("average", average, AVERAGES)
    listed = None
    tables = [isinstance(x, Tracks) for x in (ground_truth, tracks)]
    if tables[0] != tables[1]:
        raise TypeError(
            f"`ground_truth` and `tracks` must both be Tracks, or both lists, got {_types(ground_truth, tracks)}"
        )
    if not tables[0]:
        if sequences is not None:
            raise TypeError("`sequences` is for tables: the lists of frames have lengths")
        listed = lists.listed(lists.videos(ground_truth, tracks, similarity), compared)
        ground_truth, tracks, sequences = listed.ground_truth, listed.tracks, listed.lengths
    elif similarity is not None:
        raise TypeError("`similarity` needs lists of frames, got tables: pass [{'ids': ...}, ...] for both")
    state, made = _evaluated(
        *(ground_truth, tracks, listed, compared),
        prune=score is None,
        rules=rules,
        classes=classes,
        sequences=sequences,
    )
    return Result(state, average=average, ignore_empty=ignore_empty_classes, made=made if keep else None)


def _evaluated(
    ground_truth: Any,
    tracks: Any,
    listed: ListedFrames | None,
    kind: Kind | None,
    /,
    *,
    prune: bool,
    rules: TrackingRules,
    classes: Iterable[Name] | None,
    sequences: Mapping[Any, int] | None,
) -> tuple[State, Decisions]:
    frames = read(ground_truth, tracks, classes=classes, sequences=sequences)
    if kind is not None:
        pairs = similarities.of_shapes(ground_truth, tracks, frames, kind, prune=prune)
    else:
        assert listed is not None  # noqa: S101  (matrices come with lists)
        pairs = similarities.of_matrices(listed.matrices or [], listed.starts, frames)
    return counted(pairs, frames, rules)


def _rules(kind: Kind | None, threshold: float, *, as_trackeval: bool) -> TrackingRules:
    threshold = checks.number("threshold", threshold)
    if not 0 < threshold <= 1:
        raise ValueError(f"`threshold` must be in (0, 1], got {threshold!r}")
    as_trackeval = checks.flag("as_trackeval", as_trackeval)
    return TrackingRules(_MATRICES if kind is None else kind.name, threshold, as_trackeval)


def _check_matrices(**how: Any) -> None:
    """Raise for options of comparing shapes, where the caller gives similarities instead."""
    defaults = {"kind": "bbox", "format": None, "offset": 0.0, "score": None}
    for name, value in how.items():
        if value is not defaults[name] and value != defaults[name]:
            raise ValueError(f"`{name}` is for shapes, and `similarity` replaces them: leave one out, got {value!r}")


def _types(*values: Any) -> str:
    return " and ".join(type(x).__name__ for x in values)


@described(
    evaluate,
    docs.texts(states="States of different sequences, such as `Evaluator.state` or `State.load` return them."),
)
def compute(states: Iterable[State], *, average: Average = "classes", ignore_empty_classes: bool = True) -> Result:
    """Compute the numbers of states, which merge to the same numbers in any order.

    Parameters
    ----------
    states : iterable of State
    average, ignore_empty_classes

    Raises
    ------
    TypeError, ValueError
        If the rules of the states differ, or two have the same sequence.
    """
    ignore_empty_classes = checks.flag("ignore_empty_classes", ignore_empty_classes)
    return Result(merge(states), average=average, ignore_empty=ignore_empty_classes)


class _Loop:
    """The frames of one sequence that came so far."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.ground_truth: list[dict[str, Any]] = []
        self.tracks: list[dict[str, Any]] = []
        self.matrices: list[Any] = []


@described(evaluate)
class Evaluator:
    """`evaluate` for a loop: `update` with each frame, `merge` other evaluators, then `compute`.

    Parameters
    ----------
    kind, score, format, offset, threshold, classes, average, ignore_empty_classes, as_trackeval, keep

    Examples
    --------
    >>> from omniou import tracking
    >>> evaluator = tracking.Evaluator(format="xywh")
    >>> for x in range(3):
    ...     truth = {"ids": [1], "boxes": [[x, 0, 9, 9]]}
    ...     evaluator.update(truth, {"ids": [7], "boxes": [[x + 1, 0, 9, 9]]})
    >>> round(evaluator.compute().summary["MOTP"], 3)
    0.8
    """

    @near.explained
    def __init__(
        self,
        *,
        kind: KindName | Geometry = "bbox",
        score: ScoreLike | None = None,
        format: BoxFormat | str | None = None,
        offset: float = 0.0,
        threshold: float = 0.5,
        classes: Iterable[Name] | None = None,
        average: Average = "classes",
        ignore_empty_classes: bool = True,
        as_trackeval: bool = True,
        keep: bool = True,
    ) -> None:
        ignore_empty_classes = checks.flag("ignore_empty_classes", ignore_empty_classes)
        keep = checks.flag("keep", keep)
        self._kind = settled(kind, format, offset, score)
        self._prune = score is None
        self._how = {"kind": kind, "format": format, "offset": offset, "score": score}
        rules = _rules(None, threshold, as_trackeval=as_trackeval)
        self._given = (rules.threshold, rules.as_trackeval)
        self._classes = None if classes is None else checks.items("classes", classes, "a list of integers or names")
        self._shown = {"average": checks.choice("average", average, AVERAGES), "ignore_empty": ignore_empty_classes}
        self._keep = keep
        self._lock = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Reset the state."""
        with self._lock:
            self._loops: dict[Name, _Loop] = {}
            self._by_matrix: bool | None = None
            self._merged: list[State] = []

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickles and copies, which share no list and no lock."""
        with self._lock:
            return copy.deepcopy({name: x for name, x in vars(self).items() if name != "_lock"})

    def __setstate__(self, held: dict[str, Any]) -> None:
        """Restore it."""
        vars(self).update(held, _lock=threading.RLock())

    def update(
        self,
        ground_truth: Mapping[str, Any],
        tracks: Mapping[str, Any],
        *,
        sequence: Name = ONE_SEQUENCE,
        frame: int | None = None,
        similarity: Any = None,
    ) -> None:
        """Add one frame.

        Parameters
        ----------
        ground_truth, tracks : dict
            "ids", and "boxes" or "masks" unless `similarity` is given; "labels" if wanted. Arrays are copied.
        sequence : str or int
            Sequences may take turns.
        frame : int, optional
            Number of the frame, which must rise within a sequence. Default: the next one.
        similarity : array, shape (objects, tracks), optional
            Similarities of your own in [0, 1]: for all frames or none.

        Raises
        ------
        TypeError, ValueError
            If a value does not fit, an id occurs twice, or frames run backwards; the state stays unchanged.
        """
        checks.instance("sequence", sequence, str | int, "a name or an integer")
        by_matrix = similarity is not None
        if by_matrix:
            _check_matrices(**self._how)
        with self._lock:
            if self._by_matrix not in {None, by_matrix}:
                raise ValueError("`similarity` must be given for all frames or none")
            loop = self._loops.get(sequence) or _Loop()
            number = frame if frame is not None else (loop.numbers[-1] + 1 if loop.numbers else 0)
            number = checks.integer("frame", number)
            where = f"frame {number}" + ("" if sequence == ONE_SEQUENCE else f" of sequence {sequence!r}")
            if loop.numbers and number <= loop.numbers[-1]:
                raise ValueError(f"`frame` must rise within a sequence, got {where} after {loop.numbers[-1]}")
            declared = lists.keys(None if by_matrix else self._kind)
            instead = lists.PADDED_MATRIX if by_matrix else ""
            both = [
                {name: _owned(x) for name, x in dicts.row(which, given, declared, instead=instead).items()}
                for which, given in zip(TABLES, (ground_truth, tracks), strict=True)
            ]
            for which, given in zip(TABLES, both, strict=True):
                _check_ids(which, given, where)
            self._loops[sequence] = loop
            self._by_matrix = by_matrix
            loop.numbers.append(number)
            loop.ground_truth.append(both[0])
            loop.tracks.append(both[1])
            if by_matrix:
                loop.matrices.append(_owned(similarity))

    def merge(self, other: Evaluator | State, /) -> None:
        """Add another evaluator or a state, which must have the same rules and other sequences.

        Raises
        ------
        TypeError, ValueError
            If the rules differ, or both saw a sequence; the state stays unchanged.
        """
        checks.instance("other", other, (Evaluator, State), "an Evaluator or a State")
        state = other.state if isinstance(other, Evaluator) else other
        with self._lock:
            merge([*self._own()[0], *self._merged, state])
            self._merged.append(state)

    @property
    def state(self) -> State:
        """The sums of everything seen so far."""
        with self._lock:
            return self._state_of(self._own()[0])

    def compute(self) -> Result:
        """The numbers of everything seen so far."""
        with self._lock:
            states, made = self._own()
            kept = made if self._keep and not self._merged else None
            return Result(self._state_of(states), made=kept, **self._shown)

    def _state_of(self, own: list[State], /) -> State:
        states = [*own, *self._merged]
        return merge(states) if states else State(self._rules(), {}, self._classes or (), {})

    def _rules(self) -> TrackingRules:
        threshold, as_trackeval = self._given
        return _rules(None if self._by_matrix else self._kind, threshold, as_trackeval=as_trackeval)

    def _own(self) -> tuple[list[State], Decisions | None]:
        """The state of the frames that this evaluator saw itself."""
        if not self._loops:
            return [], None
        kind = None if self._by_matrix else self._kind
        videos = {name: lists.Video(x.ground_truth, x.tracks, x.matrices, x.numbers) for name, x in self._loops.items()}
        listed = lists.listed(videos, kind)
        state, made = _evaluated(
            *(listed.ground_truth, listed.tracks, listed, kind),
            prune=self._prune,
            rules=self._rules(),
            classes=self._classes,
            sequences=listed.lengths,
        )
        return [state], made


def _owned(x: Any, /) -> Any:
    """A copy, in NumPy where it is an array."""
    near = host.column("x", x)
    return backends.numpy_namespace().array(near, copy=True) if hasattr(near, "dtype") else copy.deepcopy(x)


def _check_ids(which: str, given: Mapping[str, Any], where: str, /) -> None:
    columns = [x.tolist() if hasattr(x, "tolist") else x for x in (given["ids"], given.get("labels")) if x is not None]
    rows = list(zip(*columns, strict=True))
    if len(set(rows)) < len(rows):
        twice = next(x for x in rows if rows.count(x) > 1)
        raise ValueError(f"`{which}['ids']` must differ within a frame, but id {twice[0]!r} occurs twice in {where}")
