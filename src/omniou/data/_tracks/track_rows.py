"""Rows as files of tracks have them, and the checks that all formats share."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou.data import _faults, _files
from omniou.data._errors import InputError
from omniou.data._formats import text_lines
from omniou.data._formats.file_rows import Place
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._options import Options
from omniou.data._tracks.frame_names import FrameNames
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.rle import Masks
from omniou.tracking import Tracks

Column = npt.NDArray[Any]
Role: TypeAlias = Literal["ground truth", "tracks"]
GROUND_TRUTH: Role = "ground truth"
TRACKS: Role = "tracks"

# Ids above cannot be exact in a file of floats.
_EXACT = 2**53
# The id of detections in MOTChallenge's and KITTI's files.
_NO_ID = -1


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class TrackRows:
    """Objects in frames as they were read, and how to name the place of each value.

    Attributes
    ----------
    sequence : array of int64, shape (N,)
        Which of `names` each row is of.
    names : sequence of str
        All sequences, also those without rows.
    files : mapping of str to Path
        The file of each sequence.
    frames : array of float64, shape (N,)
    ids : array of float64, or list of str, shape (N,)
    place : callable
        Row and field -> where a value is.
    boxes : array of float64, shape (N, 4), optional
        Corners.
    numbers : array of float64, shape (N, 4), optional
        Boxes as the file has them.
    fields : sequence of str
        Of the four numbers.
    masks : Masks, optional
    labels : array of int64, or list of str, shape (N,), optional
    scores : array, shape (N,), optional
    columns : mapping of str to array
    region : array of bool, shape (N,)
        Rows that are not objects, but regions, whose ids may repeat.
    by_class : bool
        Whether ids are counted in each class separately.
    lengths : mapping of str to int
        Number of frames of a sequence, where the files say it.
    listed : mapping of str to list of int
        Numbers of all frames of a sequence, where the files list them.
    frame_names : FrameNames, optional
        The frames by their names, where the files have names.
    renumbered : callable, optional
        Frames of the ground truth by name -> the same rows, with sequences and frames by these names.
    """

    sequence: Column
    names: Sequence[str]
    files: Mapping[str, Path]
    frames: Column
    ids: Column | list[str]
    place: Callable[[int, str], Place]
    region: Column
    boxes: Column | None = None
    numbers: Column | None = None
    fields: Sequence[str] = ()
    masks: Masks | None = None
    labels: Column | list[str] | None = None
    scores: Column | None = None
    columns: Mapping[str, Column] = dataclasses.field(default_factory=dict)
    by_class: bool = False
    lengths: Mapping[str, int] = dataclasses.field(default_factory=dict)
    listed: Mapping[str, list[int]] = dataclasses.field(default_factory=dict)
    frame_names: FrameNames | None = None
    renumbered: "Callable[[FrameNames], TrackRows] | None" = None

    def as_in(self, known: FrameNames | None) -> "TrackRows":
        """The rows numbered as the ground truth's frames of the same names, where a file does not state all numbers."""
        if known is None or self.frame_names is None or self.renumbered is None:
            return self
        return self if known.stated and self.frame_names.stated else self.renumbered(known)

    def fault(self, row: int, field: str, what: str) -> InputError:
        """An error in one value."""
        at = self.place(row, field)
        return InputError(at.path, what, place=f"{at.place}{at.record}")

    def take(self, rows: Column) -> "TrackRows":
        """Some of the rows."""
        numbers = rows.tolist()
        place, ids, labels = self.place, self.ids, self.labels
        return dataclasses.replace(
            self,
            sequence=self.sequence[rows],
            frames=self.frames[rows],
            ids=_taken(ids, rows),
            place=lambda row, field: place(numbers[row], field),
            region=self.region[rows],
            boxes=None if self.boxes is None else self.boxes[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
            masks=None if self.masks is None else self.masks.take(rows),
            labels=[labels[k] for k in numbers]
            if isinstance(labels, list)
            else None
            if labels is None
            else labels[rows],
            scores=None if self.scores is None else self.scores[rows],
            columns={name: x[rows] for name, x in self.columns.items()},
        )

    def tracks(self) -> Tracks[Any]:
        """The table, checked."""
        self._check_whole("frame", self.frames)
        ids = self._ids()
        self._check_boxes()
        self._check_repeated(ids)
        names = np.asarray(self.names, dtype=str) if len(self.names) else np.empty(0, dtype=str)
        return Tracks(
            boxes=self.boxes,
            frames=_integers(self.frames),
            ids=ids,
            labels=None if self.labels is None else np.asarray(self.labels),
            scores=self.scores,
            masks=self.masks,
            sequences=names[self.sequence],
            columns=dict(self.columns),
        )

    def _ids(self) -> Column:
        if isinstance(self.ids, list):
            return np.asarray(self.ids, dtype=str)
        self._check_whole("id", self.ids)
        return _integers(self.ids)

    def _check_whole(self, field: str, numbers: Column) -> None:
        bad = ~(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < _EXACT))
        for row in np.flatnonzero(bad).tolist():
            is_large = abs(numbers[row]) >= _EXACT
            kind = "a whole number below 2**53" if is_large else "a whole number"
            _faults.keep(self.fault(row, field, f"expected {kind}, got {numbers[row]:g}"))

    def _check_boxes(self) -> None:
        if self.numbers is None or self.boxes is None:
            return
        finite = np.isfinite(self.numbers)
        for row, k in np.argwhere(~finite).tolist():
            _faults.keep(self.fault(row, self.fields[k], f"expected finite number, got {self.numbers[row, k]:g}"))
        sides = self.boxes[:, 2:] - self.boxes[:, :2]
        for row, k in np.argwhere(np.logical_and.reduce(finite, axis=1, keepdims=True) & ~(sides > 0)).tolist():
            given = " ".join(f"{x:g}" for x in self.numbers[row])
            side = ("width", "height")[k]
            way = _way_of_empty(self.numbers[row])
            what = f"the box {given} has the {side} {sides[row, k]:g}, which must be above 0: {way}"
            _faults.keep(self.fault(row, self.fields[2 + k], what))

    def _check_repeated(self, ids: Column) -> None:
        """An id is once in a frame, or once in a frame and class."""
        parts = [self.sequence, np.nan_to_num(self.frames), np.unique(ids, return_inverse=True)[1].reshape(-1)]
        if self.by_class and self.labels is not None:
            parts.append(np.unique(np.asarray(self.labels), return_inverse=True)[1].reshape(-1))
        rows = np.flatnonzero(~self.region)
        keys = np.stack([x[rows] for x in parts])
        order = np.lexsort(keys)  # stable: of equal rows the first in the file comes first
        ordered = keys[:, order]
        same: Column = np.logical_and.reduce(ordered[:, 1:] == ordered[:, :-1])
        only = ids[rows[:1]]
        if (ids[rows] == only).all() and (only.tolist() == [_NO_ID] or (only.tolist() == [0] and same.any())):
            what = (
                f"every row has the id {only[0]}: these are detections, not tracks, which keep their id in all frames"
            )
            raise InputError(self.place(int(rows[0]), "id").path, what, place="id")
        for k in np.flatnonzero(same).tolist():
            first, again = rows[order[k]], rows[order[k + 1]]
            before = self.place(int(first), "id").place.partition(",")[0]
            of_class = " of its class" if self.by_class else ""
            frame = f"frame {self.frames[again]:g}"
            what = f"the id {ids[again]} occurs twice in {frame}{of_class}, the first time in {before}"
            _faults.keep(self.fault(int(again), "id", what))


def _way_of_empty(box: Column) -> str:
    """What to do about a box without an area."""
    if box[0] in {-1, 0} and (box == box[0]).all():
        return f"trackers in 3-D write {box[0]:g} where they have no box in the image: project the 3-D box"
    return "remove the line"


def _taken(x: Column | list[str], rows: Column) -> Column | list[str]:
    return [x[k] for k in rows.tolist()] if isinstance(x, list) else x[rows]


def _integers(x: Column) -> Column:
    """Whole numbers as integers; 0 for others, which are faults."""
    return np.where(np.isfinite(x) & (np.abs(x) < _EXACT), x, 0).astype(np.int64)


def lines(files: Sequence[SequenceFile], line: Line, role: Role, options: Options) -> TextTable:
    """All lines of text files."""
    paths = [x.path for x in files]
    plain = None if line.numeric != [*line.fields, *line.optional] else _numbers(paths, line, role, options)
    return text_lines.read(paths[0].parent, paths, line, options, role) if plain is None else plain


def _numbers(paths: Sequence[Path], line: Line, role: Role, options: Options) -> TextTable | None:
    """Read files that hold only numbers between commas, in a fourth of the time. None for any other line."""
    parts, at = [], list[tuple[int, int]]()
    most = len(line.numeric)
    for number, path in enumerate(options.track(paths, role)):
        data = _files.read_text(path)
        if not data.isascii():  # NumPy passes over blanks of any script
            return None
        every = data.decode().splitlines()
        count = every[0].count(",") + 1 if every else most
        if not len(line.fields) <= count <= most:
            return None
        table = np.full((len(every), most), np.nan)
        if every:
            try:
                values = np.loadtxt(every, delimiter=",", comments=None, ndmin=2)
            except ValueError:
                return None
            if values.shape != (len(every), count):
                return None
            table[:, :count] = values
        parts.append(table)
        at += [(number, k) for k in range(1, len(every) + 1)]
    joined = np.concatenate([np.empty((0, most)), *parts])
    return TextTable(
        line=line, root=paths[0].parent, files=paths, at=at, words={}, values=joined, polygons=[[]] * len(at)
    )


def of_table(table: TextTable, files: Sequence[SequenceFile]) -> dict[str, Any]:
    """What `TrackRows` asks of text files: sequences and their lengths, frames, ids and places."""
    return {
        "lengths": {x.name: x.length for x in files if x.length is not None},
        "sequence": np.fromiter(itertools.chain.from_iterable(table.at), np.int64, 2 * len(table.at))[::2],
        "names": [x.name for x in files],
        "files": {x.name: x.path for x in files},
        "frames": table.numbers("frame"),
        "ids": table.numbers("id"),
        "place": table.place,
    }
