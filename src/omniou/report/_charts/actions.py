"""Describe timelines of actions: intervals and moments of the ground truth above a line, predictions below it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou._lib.brief import threshold
from omniou.report._record.charts import ABOVE, BELOW, Span, Timeline, TimelineRow
from omniou.report._record.series import Numbers, Series
from omniou.spotting import Spotting

# The most classes of a timeline: more cannot be read.
_MOST_CLASSES = 25
_RIGHT, _WRONG = "a", "b"
# Seconds within which a prediction is right: SoccerNet's loosest tight tolerance.
_TOLERANCE = 5.0
_WORDS = ((_RIGHT, "right: found, or a true positive"), (_WRONG, "wrong: missed, or a false positive"))
# Outcomes of intervals: side of the line, and style.
_OUTCOMES = {
    "found": (ABOVE, _RIGHT),
    "missed": (ABOVE, _WRONG),
    "ignored": (ABOVE, "axis"),
    "hit": (BELOW, _RIGHT),
    "false": (BELOW, _WRONG),
}
_TOLD = "The ground truth is above the line of a class, predictions are below."


def of_video(video: Series, names: Sequence[str]) -> Timeline:
    """Describe the intervals of a video of the analysis "worst_images", a row for each class."""
    spans: dict[int, list[Span]] = {}
    errors = Counter[int]()
    for outcome, (side, style) in _OUTCOMES.items():
        for place, score, points in video["shapes"].get(outcome, []):
            if len(points) != 2:
                continue
            told = f"{names[place]}{'' if score is None else f' {score:.2f}'}: {outcome}"
            spans.setdefault(place, []).append(Span(points[0], points[1], style, told, side))
            errors[place] += style == _WRONG
    shown, note = _shown(spans, errors, names)
    ends = [x.stop for some in spans.values() for x in some]
    counts = f"{video['missed']} missed, {video['false_positives']} false, {video['true_positives']} right"
    counts += f"; {video['more']} more are not drawn" if video["more"] else ""
    styles = {x.style for place in shown for x in spans[place]}
    return Timeline(
        title=video["name"],
        note=f"{counts}{note}",
        told=_TOLD,
        x_label="Seconds",
        x=(min(0.0, *(x.start for some in spans.values() for x in some)) if ends else 0.0, max(ends, default=1.0)),
        rows=[TimelineRow(names[k], [(min(0.0, spans[k][0].start), max(ends))], spans[k], []) for k in shown],
        words=[*(x for x in _WORDS if x[0] in styles), *([("axis", "does not count")] if "axis" in styles else [])],
    )


def _shown(rows: Mapping[int, Any], errors: Mapping[int, int], names: Sequence[Any]) -> tuple[list[int], str]:
    """Return the classes that are drawn, those with most errors, by name; and a note if some are not."""
    most = sorted(rows, key=lambda k: (-errors[k], str(names[k])))[:_MOST_CLASSES]
    note = f". {len(most)} of {len(rows)} classes, those with most errors" if len(most) < len(rows) else ""
    return sorted(most, key=lambda k: str(names[k])), note


class _Judged(NamedTuple):
    """The events and predictions of a result that are drawn: places of classes and videos, seconds, and outcomes."""

    labels: Numbers
    videos: Numbers
    seconds: Numbers
    right: Numbers
    side: int


def timelines(result: Spotting, most: int = 4) -> dict[str, Timeline]:
    """Describe timelines for a page, by name: of the videos with the most errors."""
    parts, _ = _judged(result)
    wrong = sum(np.bincount(x.videos[~x.right], minlength=len(result.units.names)) for x in parts)
    worst = np.argsort(-wrong, kind="stable")[:most].tolist()
    return {f"timeline-{number + 1}": timeline(result, result.units.names[k]) for number, k in enumerate(worst)}


def timeline(result: Spotting, video: Any = None) -> Timeline:
    """Describe the moments of a video, a row for each class; default: the video with the most errors.

    The tolerance is 5 s, or the lowest if that is not among them. Predictions count from the score with the best F1
    over all classes.
    """
    names, labels = list(result.units.names), result.classes
    parts, (tolerance, score) = _judged(result)
    if video is None:
        wrong = sum(np.bincount(x.videos[~x.right], minlength=len(names)) for x in parts)
        video = names[int(np.argmax(wrong))] if names else ""
    place = names.index(video) if video in names else -1
    marks: dict[int, list[tuple[float, str, int]]] = {}
    errors, counts = Counter[int](), Counter[str]()
    for x in parts:
        for k in np.flatnonzero(x.videos == place).tolist():
            label, right = int(x.labels[k]), bool(x.right[k])
            marks.setdefault(label, []).append((float(x.seconds[k]), _RIGHT if right else _WRONG, x.side))
            errors[label] += not right
            counts["missed" if x.side == ABOVE else "false"] += not right
            counts["right"] += right and x.side == BELOW
    shown, note = _shown(marks, errors, labels)
    end = max((at for some in marks.values() for at, *_ in some), default=1.0) or 1.0
    return Timeline(
        title=f"Actions of {_called(video)}",
        note=f"{counts['missed']} missed, {counts['false']} false, {counts['right']} right at a tolerance of "
        f"{tolerance:g} s, with scores of at least {threshold(score)}{note}",
        told=_TOLD,
        x_label="Seconds",
        x=(0.0, end),
        rows=[TimelineRow(str(labels[k]), [(0.0, end)], [], [], marks[k]) for k in shown],
        words=_WORDS,
    )


def _called(video: Any) -> str:
    """Return the name of a video; a half of a game is a tuple of both."""
    return ", ".join(map(str, video)) if isinstance(video, Iterable) and not isinstance(video, str) else str(video)


def _judged(result: Spotting) -> tuple[tuple[_Judged, _Judged], tuple[float, float]]:
    """Return events and predictions that count, and the tolerance and the least score by which they are judged."""
    spotted = result.units.spotted
    middle = result.tolerances.index(_TOLERANCE) if _TOLERANCE in result.tolerances else 0
    hits, by = np.asarray(spotted.hits[middle]), np.asarray(spotted.taken_by[middle])
    score = _best_score(spotted.scores, hits, len(by))
    kept = spotted.scores >= score
    events = _Judged(spotted.event_labels, spotted.event_videos, spotted.event_seconds, by >= score, ABOVE)
    labels, videos, seconds, right = (x[kept] for x in (spotted.labels, spotted.videos, spotted.seconds, hits))
    return (events, _Judged(labels, videos, seconds, right, BELOW)), (result.tolerances[middle], score)


def _best_score(scores: Numbers, hits: Numbers, events: int) -> float:
    """Return the score from which F1, 2 TP / (predictions + events), is highest; of several the highest."""
    if not len(scores):
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    f1 = 2 * np.cumsum(hits[order]) / (np.arange(1, len(order) + 1) + events)
    last = np.append(ranked[1:] != ranked[:-1], True)  # equal scores count together
    return float(ranked[last][np.argmax(f1[last])])
