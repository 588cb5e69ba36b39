"""Video object segmentation: region similarity J and contour accuracy F, as DAVIS defines them.

Label maps of any array library are taken; NumPy does the work, and results are Python numbers and NumPy arrays.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from omniou import masks
from omniou._lib import assignments, backends, checks
from omniou._lib.arrays import Operand
from omniou._lib.types import Namespace
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named
from omniou._results.units import CountedUnits
from omniou.masks._boundary import contour_radius
from omniou.pairs import pairwise
from omniou.tracking import _sequences as sequences
from omniou.tracking._units import units_of_means

__all__ = ["ObjectTracks", "VideoObjectResult", "evaluate"]

Assign = Literal["J&F", "J"]
Task = Literal["semi-supervised", "unsupervised"]
Decay = Literal["exact", "uint8"]

_OF_BOTH = ("Mean", "Recall", "Decay")
_NUMBERS = ("J&F", *(f"{name}-{x}" for name in "JF" for x in _OF_BOTH))
# Parts of a sequence: the decay is the mean of the first minus the mean of the last.
_PARTS = 4
# Recall counts frames above this: rounding may raise an F of 0.5 by one unit in the last place. TrackEval adds it too.
_HALF = 0.5 + 2**-52

_LABELS = Operand("labels, integers", ("integral",), decides=False)


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class ObjectTracks:
    """J and F of the objects of a sequence, as NumPy arrays.

    Attributes
    ----------
    objects : array of integers, shape (G,)
        Labels of the ground truth.
    predicted : array of integers, shape (G,)
        Label of the prediction that each object is compared with; 0 if there is none.
    J, F : array, shape (G, T)
        J and F of each object, in each frame that counts.
    """

    objects: Any
    predicted: Any
    J: Any
    F: Any


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class VideoObjectResult(EvaluationResult):
    """J and F of video object segmentation. "No data" is NaN.

    Attributes
    ----------
    task : str
    tracks : dict of str to ObjectTracks
        J and F of each frame, by sequence.
    counts : dict of str to int
        "sequences", "objects", "frames" that count; "unpredicted" objects, which no prediction was compared with;
        "unassigned" predictions of the unsupervised task, which do not lower the numbers.
    decay : str
        How parts of sequences are numbered, as `evaluate` has it.
    """

    task: Task
    tracks: Mapping[str, ObjectTracks]
    counts: Mapping[str, int]
    decay: Decay = "exact"

    @functools.cached_property
    def summary(self) -> Named[str, float]:
        """Means over the objects of all sequences.

        "J-Mean" and "F-Mean" are means over frames, "J-Recall" and "F-Recall" shares of frames above 0.5, "J-Decay" and
        "F-Decay" what the last quarter of the frames loses to the first one. "J&F" is the mean of "J-Mean" and
        "F-Mean".
        """
        return _mean(list(self.per_object.values()))

    @functools.cached_property
    def per_object(self) -> Named[str, Named[str, float]]:
        """The numbers of each object, by sequence and label: "bike-packing_1"."""
        return Named(
            {
                f"{name}_{label}": _numbers(x.J[k], x.F[k], self.decay)
                for name, x in self.tracks.items()
                for k, label in enumerate(x.objects.tolist())
            }
        )

    @functools.cached_property
    def per_sequence(self) -> Named[str, Named[str, float]]:
        """Means over the objects of each sequence."""
        return Named(
            {
                name: _mean([self.per_object[f"{name}_{label}"] for label in x.objects.tolist()])
                for name, x in self.tracks.items()
            }
        )

    @property
    def units(self) -> CountedUnits:
        """The sequences: the units of bootstrap and permutation test."""
        rows = {
            name: [(1, self.per_object[f"{name}_{label}"]) for label in track.objects.tolist()]
            for name, track in self.tracks.items()
        }
        return units_of_means(rows, _NUMBERS, (self.task, self.decay))

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        return {"per_sequence": shown.columns_of(self.per_sequence), "per_object": shown.columns_of(self.per_object)}

    def _rules(self) -> dict[str, str]:
        return {"task": self.task}

    def _title(self) -> str:
        head = {name: self.counts[name] for name in ("objects", "sequences")}
        return f"{shown.title(head)}, {self.task}"


class _Settings(NamedTuple):
    """The options of `evaluate`, checked."""

    task: Task
    void: int | None
    assign: Assign
    tolerance: float
    max_proposals: int | None


class _Maps(NamedTuple):
    """Label maps of a sequence without void, and their labels, in NumPy."""

    truth: Any
    predicted: Any
    objects: Any
    proposals: Any
    xp: Namespace


def evaluate(
    ground_truth: Mapping[str, Any],
    predictions: Mapping[str, Any],
    /,
    *,
    task: Task = "semi-supervised",
    void: int | None = 255,
    assign: Assign = "J&F",
    tolerance: float = 0.008,
    decay: Decay = "exact",
    max_proposals: int | None = 20,
) -> VideoObjectResult:
    """Evaluate video object segmentation: J and F with mean, recall and decay (DAVIS).

    J is the IoU of masks, F the boundary F-measure (`omniou.masks.boundary_f`). Where an object is in neither mask of a
    frame, both are 1.

    Parameters
    ----------
    ground_truth, predictions : mapping of str to array of integers, shape (T, H, W)
        Label map of each frame, by sequence: 0 is background, each other label an object. Mappings that load an array
        when it is asked for need the memory of one sequence.
    task : {"semi-supervised", "unsupervised"}
        Semi-supervised: the first frame is given, so first and last frame do not count, as in DAVIS; the prediction
        has the labels of the ground truth. Unsupervised: all frames count, and predictions are assigned to objects one
        to one. Predictions without an object do not count.
    void : int, optional
        Label of pixels in the ground truth that do not count; None if it is an object like any other.
    assign : {"J&F", "J"}
        The assignment of the unsupervised task maximises this: the mean of J and F, as DAVIS, or J, as TrackEval does
        by default.
    tolerance : float
        Tolerance of F, as in `omniou.masks.boundary_f`.
    decay : {"exact", "uint8"}
        DAVIS's and TrackEval's code numbers frames in 8 bits, so decay is NaN or wrong for sequences of more than
        256 frames. "uint8" reproduces that.
    max_proposals : int, optional
        How many labels a prediction of the unsupervised task may have in a sequence; None for no limit.

    Returns
    -------
    VideoObjectResult

    Raises
    ------
    TypeError
        If maps hold no integers, or an option has a wrong type.
    ValueError
        If only one side has a sequence, shapes differ, labels are negative, or a sequence of the semi-supervised task
        has fewer than three frames, an object that is not in the first one, or a predicted label that the ground truth
        lacks; if a prediction has too many labels, or it is unclear whether label 255 is void.
    ModuleNotFoundError
        If SciPy is not installed, for the unsupervised task.

    References
    ----------
    Perazzi et al., A benchmark dataset and evaluation methodology for video object segmentation, CVPR 2016;
    Pont-Tuset et al., The 2017 DAVIS challenge, 2017; Caelles et al., The 2019 DAVIS challenge, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.tracking import video_objects
    >>> truth = np.zeros((4, 40, 40), dtype=int)
    >>> truth[:, 10:30, 10:30] = 1
    >>> found = np.roll(truth, 5, axis=2)
    >>> result = video_objects.evaluate({"box": truth}, {"box": found})
    >>> {name: round(x, 3) for name, x in result.summary.items()}["J&F"], result.counts["frames"]
    (0.525, 2)
    """
    task = checks.choice("task", task, ("semi-supervised", "unsupervised"))
    assign = checks.choice("assign", assign, ("J&F", "J"))
    decay = checks.choice("decay", decay, ("exact", "uint8"))
    rules = _Settings(
        task,
        None if void is None else checks.integer("void", void),
        assign,
        checks.number("tolerance", tolerance, least=0.0),
        None if max_proposals is None else checks.count("max_proposals", max_proposals),
    )
    if task == "unsupervised":
        assignments.solver('`task="unsupervised"`')  # before any work
    tracks, counts = {}, dict.fromkeys(("objects", "frames", "unpredicted", "unassigned"), 0)
    names = sequences.check_names(ground_truth, predictions)
    for name in names:
        maps = _read(name, ground_truth[name], predictions[name], rules)
        own = _paired(name, maps, rules) if task == "semi-supervised" else _assigned(name, maps, rules)
        used = own.predicted[own.predicted > 0]
        counts["objects"] += own.objects.shape[0]
        counts["frames"] += own.J.shape[1]
        counts["unpredicted"] += own.objects.shape[0] - used.shape[0]
        counts["unassigned"] += maps.proposals.shape[0] - used.shape[0]
        tracks[name] = own
    return VideoObjectResult(task, tracks, {"sequences": len(names)} | counts, decay)


def _read(name: str, truth: Any, predicted: Any, rules: _Settings, /) -> _Maps:
    """Check label maps, and return the frames that count."""
    (xp, a), (_, b) = (
        sequences.on_host(f"{side}[{name!r}]", x, _LABELS)
        for side, x in (("ground_truth", truth), ("predictions", predicted))
    )
    if a.ndim != 3 or a.shape != b.shape:
        raise ValueError(
            f"`ground_truth[{name!r}]` and `predictions[{name!r}]` must have one shape (frames, height, width), "
            f"got {a.shape} and {b.shape}"
        )
    if rules.void is not None:
        outside = a == rules.void
        _check_void(name, a, outside, rules.void, xp=xp)
        a, b = (xp.where(outside, xp.zeros_like(x), x) for x in (a, b))
    objects = _labels("ground_truth", name, a, xp=xp)
    if rules.task == "semi-supervised":
        if a.shape[0] < 3:
            raise ValueError(
                f"`ground_truth[{name!r}]` must have at least 3 frames: first and last do not count, got {a.shape[0]}; "
                'task="unsupervised" counts every frame'
            )
        _check_first(name, a[0], objects, xp=xp)
        a, b = a[1:-1], b[1:-1]
    return _Maps(a, b, objects, _labels("predictions", name, b, xp=xp), xp)


def _paired(name: str, maps: _Maps, rules: _Settings, /) -> ObjectTracks:
    """Compare each object with the prediction of its label."""
    xp, objects = maps.xp, maps.objects
    if (extra := maps.proposals[~xp.isin(maps.proposals, objects)]).shape[0]:
        raise ValueError(
            f"`predictions[{name!r}]` must have the labels of the ground truth, {objects.tolist()}, "
            f'got {extra[0]} as well; task="unsupervised" assigns labels'
        )
    radius = contour_radius(rules.tolerance, maps.truth.shape[1:])
    scores = xp.ones((2, objects.shape[0], maps.truth.shape[0]))
    for k, label in enumerate(objects.tolist()):
        for t, (a, b) in enumerate(zip(maps.truth == label, maps.predicted == label, strict=True)):
            scores[:, k, t] = _compared(b, a, radius, xp=xp)
    return ObjectTracks(objects, xp.where(xp.isin(objects, maps.proposals), objects, 0), *scores)


def _assigned(name: str, maps: _Maps, rules: _Settings, /) -> ObjectTracks:
    """Assign predictions to objects one to one, so that the mean score is highest, and compare them."""
    xp, objects, proposals = maps.xp, maps.objects, maps.proposals
    if rules.max_proposals is not None and proposals.shape[0] > rules.max_proposals:
        raise ValueError(
            f"`predictions[{name!r}]` must have at most {rules.max_proposals} labels (`max_proposals`), "
            f"got {proposals.shape[0]}"
        )
    frames = maps.truth.shape[0]
    if not objects.shape[0]:
        return ObjectTracks(objects, objects, *xp.ones((2, 0, frames)))
    # Label -1 is in no pixel: it stands for empty predictions, if there are fewer predictions than objects.
    rows = xp.concat([proposals, xp.full(max(objects.shape[0] - proposals.shape[0], 0), -1)])
    radius = contour_radius(rules.tolerance, maps.truth.shape[1:])
    scores = xp.ones((2, rows.shape[0], objects.shape[0], frames))
    for t, (a, b) in enumerate(zip(maps.truth, maps.predicted, strict=True)):
        p, q = (x == labels[:, None, None] for x, labels in ((b, rows), (a, objects)))
        scores[..., t] = _compared(p, q, radius, compare=pairwise, xp=xp)
    means = scores.mean(axis=3)
    object_of = assignments.solve((means[0] + means[1]) / 2 if rules.assign == "J&F" else means[0], maximize=True)
    # The inverse of the assignment. Example: rows 0, 1, 2 with objects 1, -1 (none), 0 give objects 0, 1 rows 2, 0.
    assigned = xp.flatnonzero(object_of >= 0)
    row_of = xp.zeros_like(objects)
    row_of[object_of[assigned]] = assigned
    predicted = xp.maximum(rows[row_of], 0)  # 0 for an object without a prediction
    return ObjectTracks(objects, predicted, *scores[:, row_of, xp.arange(objects.shape[0])])


def _elementwise(score: Callable[..., Any], p: Any, q: Any, /, **options: Any) -> Any:
    """Return a score of masks element by element; `pairwise` has the same arguments."""
    return score(p, q, **options)


def _compared(p: Any, q: Any, radius: int, /, *, compare: Callable[..., Any] = _elementwise, xp: Namespace) -> Any:
    """Return J and F of masks (..., H, W), (2, ...): element by element, or of all pairs if `compare` is `pairwise`."""
    window = _window(p, q, xp=xp)
    if window is None:
        leading = (p.shape[0], q.shape[0]) if compare is pairwise else p.shape[:-2]
        return xp.ones((2, *leading))
    p, q = p[..., *window], q[..., *window]
    region = compare(masks.iou, p, q, zero_division=1.0)
    contour = compare(masks.boundary_f, p, q, tolerance=radius, zero_division=1.0)
    return xp.stack([region, contour])


def _window(p: Any, q: Any, /, *, xp: Namespace) -> tuple[slice, slice] | None:
    """Return the window of all pixels of any mask, with a margin of one for outlines; None if all masks are empty."""
    on = p.reshape(-1, *p.shape[-2:]).any(axis=0) | q.reshape(-1, *q.shape[-2:]).any(axis=0)
    rows, columns = (xp.flatnonzero(on.any(axis=axis)) for axis in (1, 0))
    if not rows.shape[0]:
        return None
    first, second = (slice(max(int(x[0]) - 1, 0), int(x[-1]) + 2) for x in (rows, columns))
    return first, second


def _labels(side: str, name: str, x: Any, /, *, xp: Namespace) -> Any:
    """Return the labels of objects in a map, rising."""
    found = xp.unique(x).astype(xp.int64)
    if found.shape[0] and found[0] < 0:
        raise ValueError(f"`{side}[{name!r}]` must have labels from 0 on, got {found[0]}")
    return found[found > 0]


def _check_void(name: str, x: Any, outside: Any, void: int, /, *, xp: Namespace) -> None:
    """Raise for a map with only 0 and 255: 255 may be void, or the only object."""
    if outside.any() and not xp.any((x != 0) & ~outside):
        raise ValueError(
            f"`ground_truth[{name!r}]` has only the labels 0 and {void}: pass void=None if {void} is an object, as in "
            "DAVIS 2016. As void, no object would be left"
        )


def _check_first(name: str, first: Any, objects: Any, /, *, xp: Namespace) -> None:
    if (later := objects[~xp.isin(objects, first)]).shape[0]:
        raise ValueError(
            f"`ground_truth[{name!r}]` must have all objects in its first frame, which the semi-supervised task gives, "
            f'but lacks {later[0]} there; task="unsupervised" needs no first frame'
        )


def _mean(rows: Sequence[Mapping[str, float]], /) -> Named[str, float]:
    found = sequences.means(rows, _NUMBERS)
    return Named({**found, "J&F": (found["J-Mean"] + found["F-Mean"]) / 2})


def _numbers(j: Any, f: Any, decay: Decay, /) -> Named[str, float]:
    out: dict[str, float] = {}
    for name, x in (("J", j), ("F", f)):
        out |= {f"{name}-Mean": _average(x), f"{name}-Recall": _average(x > _HALF), f"{name}-Decay": _decay(x, decay)}
    return Named({"J&F": (out["J-Mean"] + out["F-Mean"]) / 2, **out})


def _average(x: Any, /) -> float:
    return float(x.mean()) if x.shape[0] else math.nan


def _decay(x: Any, rule: Decay, /) -> float:
    """Return the mean of the first part of the frames minus the mean of the last. Neighbouring parts share a frame."""
    xp = backends.numpy_namespace()
    edges = (xp.round(xp.linspace(1, x.shape[0], _PARTS + 1) + 1e-10) - 1).astype(xp.int64)
    stops = edges + 1
    if rule == "uint8":  # DAVIS's code counts frames in 8 bits, so frame 256 is frame 0
        edges, stops = edges % 256, (edges % 256 + 1) % 256
    return _average(x[edges[0] : stops[1]]) - _average(x[edges[-2] : stops[-1]])


def __dir__() -> list[str]:
    return __all__
