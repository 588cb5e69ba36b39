"""Action spotting: average mAP of moments in time, each found within a tolerance, by the rules of SoccerNet.

The arithmetic is NumPy's, regardless of the library of the columns. Values decide the shapes on the way: not for use
inside `jax.jit` or `torch.compile`.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._lib import backends, checks, host, near
from omniou._lib.brief import Brief
from omniou._lib.values import check_padding
from omniou._results import shown
from omniou._results.base import EvaluationResult, Named
from omniou.spotting._units import Spotted, SpottedUnits, units_of

__all__ = ["LOOSE", "TIGHT", "Events", "Spotting", "evaluate"]


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)


TIGHT = tuple(float(x) for x in range(1, 6))
"""SoccerNet's tight tolerances: 1, 2 to 5 seconds."""

LOOSE = tuple(float(x) for x in range(5, 61, 5))
"""SoccerNet's loose tolerances: 5, 10 to 60 seconds."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Events(Brief):
    """Moments of all videos, a row each.

    Attributes
    ----------
    times : array, shape (N,)
        Seconds from the beginning of the video.
    labels, videos : sequence of N strings or integers
        Class, and the video or the half of a game, whose times start at 0.
    scores : array, shape (N,), optional
        For predictions: in [0, 1], higher is better.
    shown : array of booleans, shape (N,), optional
        For the ground truth: whether the action can be seen in the video.
    """

    times: Any
    labels: Any
    videos: Any
    scores: Any = None
    shown: Any = None


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Spotting(EvaluationResult):
    """AP of K classes at D tolerances, and its averages.

    Units are the videos, which a bootstrap draws again and a permutation test exchanges.

    Attributes
    ----------
    summary : dict of str to float
        "tight" and "loose", or the names of the tolerances that were given: mAP averaged over the tolerances, as the
        mean of trapezoids. With `Events.shown` also "tight_visible", "tight_unshown" and so on.
    tolerances : tuple of float
        In seconds, rising, each once.
    classes : list
        As given; by default the classes of the ground truth.
    ap : array of float64, shape (D, K)
        0 for a class without events.
    counts : dict of str to int
        "videos", "classes", "events" and "predictions" that were compared; and what was excluded: "unknown" predictions
        of other classes, and "same_frame" of those that share class, video and frame, of which the last one stays.
    """

    summary: Named[str, float]
    tolerances: tuple[float, ...]
    classes: list[Any]
    ap: Any
    counts: dict[str, int]
    units: SpottedUnits = dataclasses.field()  # else the property of the base would be its default

    @property
    def per_class(self) -> Named[Any, Named[str, float]]:
        """AP of each class at each tolerance, by the name of the class: "AP@5" at 5 seconds."""
        numbers = [f"AP@{x:g}" for x in self.tolerances]
        columns = zip(self.classes, self.ap.T.tolist(), strict=True)
        return Named({label: Named(zip(numbers, column, strict=True)) for label, column in columns})

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        return {"per_class": shown.columns_of(self.per_class)}

    def _title(self) -> str:
        return shown.title({name: self.counts[name] for name in ("predictions", "events", "videos", "classes")})


class _EventRows(NamedTuple):
    """Events of known classes, sorted by class, video and frame. Of several in one place, the last one is kept."""

    labels: Any  # (N,) places among the classes
    videos: Any  # (N,) places among all videos
    frames: Any  # (N,)
    values: Any  # (N,) scores, or 1 for shown and -1 for not shown
    left_out: int  # events of other classes
    same: int  # events in the place of a later one


class _NearEvents(NamedTuple):
    """Pairs of an event and a prediction of its class and video, (P,), in the order in which they are taken."""

    events: Any
    predictions: Any
    distance: Any  # in frames


@near.explained
def evaluate(
    truth: Events,
    predictions: Events,
    *,
    tolerances: Mapping[str, Sequence[float]] | None = None,
    framerate: float = 2.0,
    classes: Sequence[Any] | None = None,
) -> Spotting:
    """Compute the average mAP of action spotting.

    A prediction may match an event whose frame is at most half the tolerance away: a tolerance of 1 s is a window of
    1 s around the event. Each event, in the order of time, takes the prediction of the highest score that is left.
    Precision and recall are computed at 200 thresholds of scores, and AP is the mean of the highest precision at 11
    recalls.

    Parameters
    ----------
    truth, predictions : Events
    tolerances : mapping of str to sequence of float, optional
        Rising seconds by name. Default: ``{"tight": TIGHT, "loose": LOOSE}``.
    framerate : float
        Frames of a second: times are rounded down to frames. SoccerNet has 2.
    classes : sequence, optional
        The classes of the mean. One without events has an AP of 0, as in SoccerNet's evaluation over its 17 classes.
        Default: those that occur in the ground truth.

    Returns
    -------
    Spotting

    Raises
    ------
    TypeError, ValueError
        If columns do not fit each other, a time is negative or not finite, a score is not in [0, 1], or labels may be
        padding: negative next to others, without `classes`.

    References
    ----------
    Giancola et al., SoccerNet, CVPRW 2018; the rules follow its package's ``Evaluation/ActionSpotting.py``.

    Examples
    --------
    One of two events is found half a second late. A tolerance of 1 s takes half a second to each side:

    >>> from omniou import spotting
    >>> truth = spotting.Events(times=[10.0, 50.0], labels=["Goal", "Goal"], videos=["a", "a"])
    >>> found = spotting.Events(times=[10.5], labels=["Goal"], videos=["a"], scores=[0.9])
    >>> result = spotting.evaluate(truth, found)
    >>> round(result.summary["tight"], 3), round(result.summary["loose"], 3), result.counts["events"]
    (0.545, 0.545, 2)
    """
    np = backends.numpy_namespace()
    rate = checks.number("framerate", framerate, above=0.0)
    named = {"tight": TIGHT, "loose": LOOSE} if tolerances is None else _rising(tolerances)
    every = tuple(sorted({x for values in named.values() for x in values}))
    columns = _columns("truth", truth, "shown"), _columns("predictions", predictions, "scores")
    if classes is None:
        check_padding({"truth.labels": columns[0]["labels"], "predictions.labels": columns[1]["labels"]})
    known = (
        sorted(set(columns[0]["labels"].tolist()))
        if classes is None
        else list(dict.fromkeys(checks.items("classes", classes, "a list of classes")))
    )
    videos = sorted({x for each in columns for x in each["videos"].tolist()})
    events, found = (_table(each, known, videos, rate, np) for each in columns)
    pairs = _near(events, found, every[-1] * rate / 2, np)
    parts = {"": tuple(np.full(len(x.frames), fill_value=True) for x in (found, events))}
    if truth.shown is not None:
        seen = _closest(events, found, np) > 0
        parts |= {"_visible": (seen, events.values > 0), "_unshown": (~seen, events.values < 0)}
    takes = [_matched(pairs, x * rate / 2, len(events.frames), np) for x in every]
    hits = [np.isin(np.arange(len(found.frames)), x) for x in takes]
    scored = np.append(found.values, -1.0)  # the last is of no prediction
    spotted = Spotted(
        labels=found.labels,
        videos=found.videos,
        scores=found.values,
        hits=np.stack(hits),
        seconds=found.frames / rate,
        event_labels=events.labels,
        event_videos=events.videos,
        event_seconds=events.frames / rate,
        taken_by=np.stack([scored[x] for x in takes]),
        parts=parts,
        averages={name: [every.index(x) for x in values] for name, values in named.items()},
    )
    ap = spotted.average_precision(np.ones((len(videos), len(known)), dtype=np.int64))
    counts = {
        "videos": len(videos),
        "classes": len(known),
        "events": len(events.frames),
        "predictions": len(found.frames),
        "unknown": events.left_out + found.left_out,
        "same_frame": events.same + found.same,
    }
    units = units_of(spotted, videos, known)
    return Spotting(Named(spotted.numbers(ap).summary), every, known, ap[""], counts, units)


def _rising(tolerances: Any) -> dict[str, tuple[float, ...]]:
    checks.instance("tolerances", tolerances, Mapping, "a mapping of names to rising seconds")
    named = {
        name: tuple(checks.number("tolerances", x, above=0.0) for x in checks.items("tolerances", values, "numbers"))
        for name, values in tolerances.items()
    }
    for name, values in named.items():
        if not values or list(values) != sorted(set(values)):
            raise ValueError(f"`tolerances` must be rising, got {values!r} of {name!r}")
    if not named:
        raise ValueError("`tolerances` must not be empty")
    return named


def _columns(name: str, given: Any, last: str) -> dict[str, Any]:
    """Check columns, and return them in NumPy. Without `shown`, all events are shown."""
    checks.instance(name, given, Events, "Events")
    np = backends.numpy_namespace()
    fields = {"times": "iuf", "labels": "", "videos": ""}
    columns = {field: _column(f"{name}.{field}", getattr(given, field), kinds, np) for field, kinds in fields.items()}
    for field in ("labels", "videos"):
        x = columns[field]
        known = ~np.isnan(x) if x.dtype.kind == "f" else np.ones(len(x), dtype=bool)
        _check(f"{name}.{field}", x, known, "a name or an integer", np)
    times = columns["times"] = columns["times"].astype(np.float64)
    value = getattr(given, last)
    if value is None and last == "scores":
        raise TypeError(f"`{name}.scores` must be given, got None")
    kinds = "b" if last == "shown" else "iuf"
    columns["values"] = np.ones(len(times)) if value is None else _column(f"{name}.{last}", value, kinds, np)
    if len({len(x) for x in columns.values()}) > 1:
        lengths = ", ".join(f"{len(x)} in `{field.replace('values', last)}`" for field, x in columns.items())
        raise ValueError(f"columns of `{name}` must have one length, got {lengths}")
    _check(f"{name}.times", times, np.isfinite(times) & (times >= 0), "a finite number of seconds from 0", np)
    if last == "scores":
        scores = columns["values"] = columns["values"].astype(np.float64)
        _check(f"{name}.scores", scores, (scores >= 0) & (scores <= 1), "in [0, 1]", np)
    elif value is not None:
        columns["values"] = np.where(columns["values"], 1.0, -1.0)
    return columns


def _column(name: str, given: Any, kinds: str, np: Any) -> Any:
    """Return a column (N,) in NumPy, whose dtype is of these kinds: "b" booleans, "iuf" numbers, "" all."""
    column = np.asarray(host.column(name, given))
    if column.ndim != 1:
        raise ValueError(f"`{name}` must have shape (N,), got {column.shape}")
    if kinds and column.size and column.dtype.kind not in kinds:
        raise TypeError(f"`{name}` must hold {'booleans' if kinds == 'b' else 'numbers'}, got dtype {column.dtype}")
    return column if column.size or not kinds else column.astype(bool if kinds == "b" else np.float64)


def _check(name: str, values: Any, good: Any, expected: str, np: Any) -> None:
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"`{name}[{row}]` must be {expected}, got {values[row]}")


def _table(columns: Mapping[str, Any], classes: list[Any], videos: list[Any], rate: float, np: Any) -> _EventRows:
    place, video = ({x: k for k, x in enumerate(known)} for known in (classes, videos))
    every = np.asarray([place.get(x, -1) for x in columns["labels"].tolist()], dtype=np.int64)
    kept = np.flatnonzero(every >= 0)
    at = np.asarray([video[x] for x in columns["videos"].tolist()], dtype=np.int64)[kept]
    frames, values = np.floor(rate * columns["times"]).astype(np.int64)[kept], columns["values"][kept]
    order = np.lexsort((frames, at, every[kept]))
    key = np.stack([every[kept], at, frames])[:, order]
    # A stable sort leaves the last of equal ones behind the others.
    last = np.append((key[:, 1:] != key[:, :-1]).any(axis=0), True)[: len(order)]
    labels, at, frames = key[:, last]
    return _EventRows(labels, at, frames, values[order][last], len(every) - len(kept), int((~last).sum()))


def _near(events: _EventRows, found: _EventRows, most: float, np: Any) -> _NearEvents:
    """Return all pairs at most `most` frames apart, sorted by event, falling score and frame."""
    # All classes and videos are put on one time line, so far apart that pairs cannot span two of them.
    span = int(max([*events.frames, *found.frames], default=0)) + int(most) + 2
    videos = int(max([*events.videos, *found.videos], default=0)) + 1
    line, other = ((x.labels * videos + x.videos) * span + x.frames for x in (events, found))
    start = np.searchsorted(other, np.ceil(line - most), side="left")
    count = np.searchsorted(other, np.floor(line + most), side="right") - start
    event = np.repeat(np.arange(len(line)), count)
    prediction = np.arange(len(event)) + np.repeat(start - (np.cumsum(count) - count), count)
    order = np.lexsort((prediction, -found.values[prediction], event))
    event, prediction = event[order], prediction[order]
    return _NearEvents(event, prediction, np.abs(line[event] - other[prediction]))


def _matched(pairs: _NearEvents, most: float, events: int, np: Any) -> Any:
    """Return the prediction of each event (N,), -1 for none: the first of its predictions that is not taken."""
    rows = pairs.distance <= most
    taken, used = [-1] * events, set()
    for event, prediction in zip(pairs.events[rows].tolist(), pairs.predictions[rows].tolist(), strict=True):
        if taken[event] < 0 and prediction not in used:
            taken[event] = prediction
            used.add(prediction)
    return np.asarray(taken, dtype=np.int64)


def _closest(events: _EventRows, found: _EventRows, np: Any) -> Any:
    """Return `values` of the closest event of the same class and video for each prediction (M,); -1 without any."""
    videos = int(max([*events.videos, *found.videos], default=0)) + 1
    groups, own = events.labels * videos + events.videos, found.labels * videos + found.videos
    out = np.full(len(own), -1.0)
    for group in np.unique(groups):
        frames, rows = events.frames[groups == group], np.flatnonzero(own == group)
        middles = (frames[1:] + frames[:-1]) // 2
        out[rows] = events.values[groups == group][np.searchsorted(middles, found.frames[rows], side="right")]
    return out
