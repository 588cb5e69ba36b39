"""Describe the frames in which an object gets another track: the frame before, and the frame of the switch."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib.brief import counted
from omniou.report._record.galleries import Exhibit, Gallery, Outline, Panel
from omniou.tracking import Result, Tracks

# A sequence and the number of a frame.
Place: TypeAlias = tuple[str, int]

_MOST_FRAMES = 6
_STYLES = {
    "found": "object whose track changes",
    "hit": "its track",
    "ignored": "other matched tracks",
    "missed": "missed objects",
    "false": "false tracks",
}


class _Rows(NamedTuple):
    """The rows of one table: boxes by sequence, frame, class and id."""

    boxes: npt.NDArray[Any]
    columns: tuple[npt.NDArray[Any], ...]  # sequences, frames, classes, ids, as text but frames

    @classmethod
    def of(cls, table: Tracks[Any], default: tuple[str, str]) -> "_Rows":
        """Take the columns of a table; without sequences or classes, all rows are of the default ones."""
        many = len(np.asarray(table.frames))
        named = [
            np.full(many, word) if column is None else np.asarray(column).astype(str)
            for column, word in zip((table.sequences, table.labels), default, strict=True)
        ]
        columns = (named[0], np.asarray(table.frames), named[1], np.asarray(table.ids).astype(str))
        boxes = table.boxes if table.masks is None else table.masks.boxes()
        return cls(np.asarray(boxes, dtype=np.float64), columns)

    def at(self, place: Place) -> dict[tuple[str, str], list[float]]:
        """Return the boxes of a frame by class and id."""
        sequences, frames, classes, ids = self.columns
        here = np.flatnonzero((sequences == place[0]) & (frames == place[1]))
        return {(str(classes[k]), str(ids[k])): self.boxes[k].round(1).tolist() for k in here.tolist()}


def gallery(
    result: Result, ground_truth: Tracks[Any], tracks: Tracks[Any], pictures: Mapping[Place, str]
) -> Gallery | None:
    """Describe the first frames with a switch, of masks their boxes; None if there are none.

    `pictures` are the names of the pictures of frames, as far as they are known.
    """
    by_frame: dict[Place, list[Mapping[str, Any]]] = {}
    for row in result.switches.rows():
        by_frame.setdefault((str(row["sequence"]), row["frame"]), []).append(row)
    if not by_frame:
        return None
    one = str(next(iter(result.state.sequences))), str(result.state.classes[0])
    sides = _Rows.of(ground_truth, one), _Rows.of(tracks, one)
    chosen = sorted(by_frame)[:_MOST_FRAMES]
    exhibits = [_exhibit(place, by_frame[place], result, sides, pictures) for place in chosen]
    drawn = f"; the first {len(chosen)} are drawn" if len(chosen) < len(by_frame) else ""
    used = {shape.style for x in exhibits for panel in x.panels for shape in panel.shapes}
    return Gallery(
        title="Frames with a switch",
        note=f"{counted(len(by_frame), 'frames')} with an identity switch{drawn}.",
        exhibits=exhibits,
        styles={style: words for style, words in _STYLES.items() if style in used},
    )


def _exhibit(
    place: Place,
    rows: Sequence[Mapping[str, Any]],
    result: Result,
    sides: tuple[_Rows, _Rows],
    pictures: Mapping[Place, str],
) -> Exhibit:
    """Describe the last frame before a switch in which an object was matched, and the frame of the switch."""
    sequence, frame = place
    before = max(row["previous_frame"] for row in rows)
    told = ", ".join(f"object {x['object']} from track {x['previous_track']} to {x['track']}" for x in rows)
    switched = {(str(x["class"]), str(x["object"])) for x in rows}
    panels = []
    for title, number in (("before", before), ("at the switch", frame)):
        at = (sequence, number)
        panels.append(
            Panel(
                title=f"{title}: frame {number}",
                picture=pictures.get(at, f"{sequence}/{number:06d}"),
                size=None,
                shapes=_shapes(at, switched, result, sides),
            )
        )
    return Exhibit(name=f"{sequence}, frame {frame}", told=f"{told[0].upper()}{told[1:]}.", panels=panels)


def _shapes(
    place: Place, switched: Iterable[tuple[str, str]], result: Result, sides: tuple[_Rows, _Rows]
) -> list[Outline]:
    objects, tracks = (side.at(place) for side in sides)
    matches, shapes = result.matches, []
    here = (np.asarray(matches["sequence"]).astype(str) == place[0]) & (np.asarray(matches["frame"]) == place[1])
    columns = (np.asarray(matches[name])[here].astype(str).tolist() for name in ("class", "object", "track"))
    for label, object_, track in zip(*columns, strict=True):
        box, followed = objects.pop((label, object_), None), tracks.pop((label, track), None)
        if (label, object_) in switched:
            shapes += [Outline(style="found", words=f"object {object_}", points=box)] if box else []
            shapes += [Outline(style="hit", words=f"track {track}", points=followed)] if followed else []
        else:
            shapes += [Outline(style="ignored", words="", points=followed)] if followed else []
    for style, kind, left in (("missed", "object", objects), ("false", "track", tracks)):
        words = {key: f"{kind} {key[1]}" if key in switched and style == "missed" else "" for key in left}
        shapes += [Outline(style=style, words=words[key], points=box) for key, box in left.items()]
    return shapes


def pictures_of(names: Iterable[str], sequences: Sequence[str]) -> dict[Place, str]:
    """Return which picture is of which frame: its name ends in the number of the frame, its path has the sequence.

    Of one sequence, the path may lack it. A frame that several pictures fit has none. "MOT17-02/img1/000041.jpg" is of
    frame 41 of MOT17-02.
    """
    fits: dict[Place, list[str]] = {}
    for name in names:
        stem = name.rpartition("/")[2].rpartition(".")[0]
        number = re.search(r"\d{1,9}$", stem)
        if number is None:
            continue
        among = {*name.split("/")[:-1], stem[: number.start()].rstrip("-_")}
        of = [x for x in sequences if x in among] or (list(sequences) if len(sequences) == 1 else [])
        for sequence in of:
            fits.setdefault((sequence, int(number[0])), []).append(name)
    return {place: some[0] for place, some in fits.items() if len(some) == 1}
