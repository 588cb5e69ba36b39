"""Describe charts of tracks: objects over time with their tracks, and curves of single-object tracking."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._lib import checks
from omniou._lib.brief import counted
from omniou.report._record.charts import Curve, Plane, Span, Timeline, TimelineRow
from omniou.tracking import Result
from omniou.tracking.single import SingleResult

# The most objects of a chart: more cannot be read.
MOST_OBJECTS = 25
# Style of the first track of an object, and styles in turn where its track changes: none of them is the first's.
# Counts below the title of a timeline.
_COUNTS = {"IDSW": "identity switches", "Frag": "fragments"}
_FIRST, _AFTER = "a", ("b", "c")
_WORDS = (
    *(("a", "first track"), ("b", "after a switch"), ("c", "after the next switch")),
    *(("axis", "object without a track"), ("switch", "identity switch")),
)
_OF_HOTA = (("HOTA", "a"), ("DetA", "b"), ("AssA", "c"))


class _Seen(NamedTuple):
    """An object: its frames in rising order, and the track that follows it in each, or None."""

    name: str
    frames: list[int]
    tracks: list[str | None]

    @property
    def troubles(self) -> int:
        """How often the track changes, is lost, or is found again."""
        return sum(a != b for a, b in itertools.pairwise(self.tracks))


def timeline(result: Result, sequence: Any = None, objects: int = MOST_OBJECTS) -> Timeline:
    """Describe which track follows which object over time, in one sequence.

    Parameters
    ----------
    result : Result
        A result that keeps its matches and misses.
    sequence : str or int, optional
        Default: the sequence with the most identity switches.
    objects : int
        The most objects that are drawn: the objects whose track changes or is lost most often.
    """
    objects = checks.count("objects", objects)
    known = list(result.state.sequences)
    if sequence is None:
        sequence = max(known, key=lambda x: result.per_sequence[x]["IDSW"], default="")
    else:
        sequence = checks.choice("sequence", sequence, known)
    every, step = _seen(result, sequence)
    shown = sorted(every, key=lambda x: -x.troubles)[:objects]
    shown.sort(key=lambda x: (x.frames[0], x.name))
    numbers = result.per_sequence.get(sequence, {"IDSW": 0, "Frag": 0})
    which = f"{len(shown)} of {len(every)} objects" if len(shown) < len(every) else counted(len(every), "objects")
    edges = [x for seen in shown for x in (seen.frames[0], seen.frames[-1])]
    rows = [_row(x, step) for x in shown]
    styles = {span.style for row in rows for span in row.spans} | {"axis"}
    styles |= {"switch"} if any(row.switches for row in rows) else set()
    return Timeline(
        title=f"Objects and their tracks{'' if known == ['sequence'] else f' in {sequence}'}",
        note=", ".join([which, *(counted(int(numbers[x]), what) for x, what in _COUNTS.items())]),
        told="A bar is a track that follows an object; its colour changes where another track takes over."
        + (" Shown are the objects whose tracks change or are lost most often." if len(shown) < len(every) else ""),
        x_label="Frame",
        y_label="Object",
        x=(min(edges) - step / 2, max(edges) + step / 2) if edges else (0.0, 1.0),
        rows=rows,
        words=[x for x in _WORDS if x[0] in styles],
    )


def timelines(result: Result, most: int = 4) -> dict[str, Timeline]:
    """Describe timelines for a page, by name: of the sequences with the most identity switches."""
    known = sorted(result.state.sequences, key=lambda x: -result.per_sequence[x]["IDSW"])
    charts = {f"timeline-{number + 1}": timeline(result, sequence) for number, sequence in enumerate(known[:most])}
    return {name: chart for name, chart in charts.items() if chart.rows}


def hota(result: Result) -> Plane:
    """Describe HOTA, detection and association accuracy over the similarity from which a track matches an object."""
    curves = {name: np.asarray(x).tolist() for name, x in result.hota.items()}
    thresholds, values, mean = curves["alpha"], curves["HOTA"], result.summary["HOTA"]
    known = mean == mean  # noqa: PLR0124  (NaN)
    return Plane(
        title="HOTA by threshold",
        note=f"HOTA is the mean over the thresholds: {mean:.3f}" if known else "No objects and no tracks",
        told=f"It falls from {values[0]:.3f} at {thresholds[0]:.2f} to {values[-1]:.3f} at {thresholds[-1]:.2f}."
        if known and values[0] > values[-1]
        else "",
        x_label="Similarity from which a track matches an object",
        y_label="Value",
        curves=[Curve(_points(thresholds, curves[name]), style, name) for name, style in _OF_HOTA],
    )


def _seen(result: Result, sequence: Any) -> tuple[list[_Seen], float]:
    """Return the objects of a sequence, and the smallest distance between its frame numbers."""
    tables: list[Mapping[str, Any]] = [_of(result.matches, sequence), _of(result.misses, sequence)]
    several = len(result.state.classes) > 1
    rows: dict[tuple[Any, Any], list[tuple[int, str | None]]] = {}
    for table in tables:
        tracks = map(str, table["track"].tolist()) if "track" in table else itertools.repeat(None)
        columns = (table[name].tolist() for name in ("class", "object", "frame"))
        for label, object_, frame, track in zip(*columns, tracks, strict=False):
            rows.setdefault((label, object_), []).append((frame, track))
    numbers = np.unique([frame for seen in rows.values() for frame, _ in seen])
    step = float(np.diff(numbers).min()) if len(numbers) > 1 else 1.0
    out = []
    for (label, object_), seen in rows.items():
        seen.sort(key=lambda x: x[0])
        frames, followed = zip(*seen, strict=True)
        out.append(_Seen(f"{label} {object_}" if several else str(object_), list(frames), list(followed)))
    return out, step


def _of(table: Mapping[str, Any], sequence: Any) -> dict[str, npt.NDArray[Any]]:
    own = np.asarray(table["sequence"]) == sequence
    return {name: np.asarray(x)[own] for name, x in table.items()}


def _row(x: _Seen, step: float) -> TimelineRow:
    present: list[tuple[float, float]] = []
    spans, switches = [], []
    last = None
    for start, stop, track in _runs(x, step):
        ends = x.frames[start] - step / 2, x.frames[stop] + step / 2
        if present and present[-1][1] == ends[0]:
            present[-1] = (present[-1][0], ends[1])
        else:
            present.append(ends)
        if track is None:
            continue
        if last not in {None, track}:
            switches.append(ends[0])
        last = track
        # The switches so far number the style: none is "a", then "b", "c", "b", ...
        spans.append(Span(*ends, _AFTER[(len(switches) - 1) % len(_AFTER)] if switches else _FIRST, track))
    return TimelineRow(x.name, present, spans, switches)


def _runs(x: _Seen, step: float) -> list[tuple[int, int, str | None]]:
    """Return runs of consecutive frames with the same track, or without one: first place, last place, track.

    Frames 1, 2, 3, 6 with tracks a, a, None, None give (0, 1, a), (2, 2, None), (3, 3, None): 4 and 5 are missing.
    """
    out: list[tuple[int, int, str | None]] = []
    for place, (frame, track) in enumerate(zip(x.frames, x.tracks, strict=True)):
        if out and out[-1][2] == track and frame - x.frames[place - 1] <= step:
            out[-1] = (out[-1][0], place, track)
        else:
            out.append((place, place, track))
    return out


CURVES = {
    "success": ("overlap_thresholds", "Success", "IoU threshold", "Share of frames above the threshold"),
    "precision": ("error_thresholds", "Precision", "Error threshold, pixels", "Share of frames within the threshold"),
    "normalised_precision": (
        *("normalised_error_thresholds", "Normalised precision", "Error threshold, share of the object's size"),
        "Share of frames within the threshold",
    ),
}


def curve(result: SingleResult, kind: str = "success") -> Plane:
    """Describe a curve of single-object tracking."""
    thresholds, title, x_label, y_label = CURVES[kind]
    x, y = (np.asarray(getattr(result.curves, name)) for name in (thresholds, kind))
    number = {"success": "AUC"}.get(kind, kind)
    at = {"success": "The mean", "precision": "At 20 pixels", "normalised_precision": "At 0.2"}[kind]
    value = result.summary[number]
    sequences, frames = result.counts["sequences"], result.counts["frames"]
    return Plane(
        title=f"{title} of {counted(sequences, 'sequences')}, {counted(frames, 'frames')}",
        note=f"{at}: {value:.3f}" if value == value else "No frames",  # noqa: PLR0124  (NaN)
        x=(float(x[0]), float(x[-1])),
        x_label=x_label,
        y_label=y_label,
        curves=[Curve(_points(x.tolist(), y.tolist()), "a")],
    )


def _points(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float | None]]:
    return [(a, b if b == b else None) for a, b in zip(x, y, strict=True)]  # noqa: PLR0124  (NaN)
