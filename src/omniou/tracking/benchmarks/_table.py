"""Rows of ground truth and tracks as rules see them: corners of boxes or masks, frames numbered through both."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from omniou import boxes
from omniou._catalogue import shape_calls as calls
from omniou._doctor.columns import Column, np
from omniou._inputs import mask_sizes
from omniou._lib import host
from omniou.rle import Masks
from omniou.tracking._tables import Tracks

SIDES = ("ground_truth", "tracks")


class RuleError(ValueError):
    """A row that the rules of a data set forbid.

    Parameters
    ----------
    side : str
        "ground_truth" or "tracks".
    row : int
    fault : str
        What is wrong with it, and the way out.
    """

    def __init__(self, side: str, row: int, fault: str) -> None:
        self.side, self.row, self.fault = side, row, fault
        super().__init__(f"`{side}`: row {row}: {fault}")


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class RuleTable:
    """One of the two tables.

    Attributes
    ----------
    side : str
        "ground_truth" or "tracks".
    boxes : array of float64, shape (N, 4), or None
        Corners (x, y, x, y).
    masks : Masks or None
    frame : array of int64, shape (N,)
        From 0, through all sequences, the same in both tables.
    labels : list or None
        Class of each row as the caller has it.
    columns : mapping of str to array
    """

    side: str
    boxes: Any
    masks: Masks | None
    frame: Any
    ids: Any
    labels: list[Any] | None
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, rows: Column) -> "RuleTable":
        """Some of the rows, with the columns that rules need."""
        return RuleTable(
            side=self.side,
            boxes=None if self.boxes is None else self.boxes[rows],
            masks=None if self.masks is None else self.masks.take(rows),
            frame=self.frame[rows],
            ids=self.ids[rows],
            labels=None,
            columns={},
        )

    def column(self, name: str, missing: float) -> Column:
        """A further column as numbers, filled with `missing` if there is no such column."""
        if name not in self.columns:
            return np.full(len(self), missing)
        return np.asarray(self.columns[name], dtype=np.float64)

    def classes(self, numbers: Mapping[int, str]) -> Column:
        """The class of each row by name, in lower case: numbers by their names, as far as they have one."""
        if self.labels is None and not len(self):
            return np.empty(0, dtype=str)
        if self.labels is None:
            listed = ", ".join(f"{k} ({name})" for k, name in numbers.items())
            raise RuleError(self.side, 0, f"the rules need the class of each row{listed and f': {listed}'}")
        names = {x: numbers.get(x, str(x)) if isinstance(x, int) else str(x).lower() for x in set(self.labels)}
        return np.asarray([names[x] for x in self.labels], dtype=str)

    def check_boxes(self) -> None:
        """Raise where there are no boxes."""
        if self.boxes is None:
            raise ValueError(f"`{self.side}.boxes` is missing: the rules compare boxes")


class BothTables(NamedTuple):
    """Both tables."""

    truth: RuleTable
    tracks: RuleTable


def both(ground_truth: Tracks[Any], tracks: Tracks[Any], format: str) -> BothTables:
    """The tables that rules see."""
    frames = _frames(ground_truth, tracks)
    if ground_truth.masks is not None and tracks.masks is not None:
        sizes = [x.sizes for x in (ground_truth.masks, tracks.masks)]
        mask_sizes.check(sizes, frames, lambda table, row: f"`{SIDES[table]}.masks[{row}]`", xp=np)
    return BothTables(
        _table(SIDES[0], ground_truth, frames[0], format),
        _table(SIDES[1], tracks, frames[1], format),
    )


def taken(tracks: Tracks[Any], rows: Column, labels: Any) -> Tracks[Any]:
    """The rows that remain, with their classes by name."""
    changes = {"labels": labels, "columns": {name: as_numpy(x)[rows] for name, x in tracks.columns.items()}}
    for name in ("boxes", "frames", "ids", "scores", "sequences"):
        value = getattr(tracks, name)
        changes[name] = None if value is None else as_numpy(value)[rows]
    changes["masks"] = None if tracks.masks is None else tracks.masks.take(rows)
    return dataclasses.replace(tracks, **changes)


def as_numpy(x: Any) -> Column:
    """An array of any library, or a list."""
    if isinstance(x, list | tuple | np.ndarray):
        return np.asarray(x)
    return np.asarray(host.to_numpy({"x": x})[1]["x"])


def _table(side: str, tracks: Tracks[Any], frame: Column, format: str) -> RuleTable:
    corners = None
    if tracks.boxes is not None:
        numbers = np.asarray(as_numpy(tracks.boxes), dtype=np.float64)
        numbers = numbers if numbers.size else numbers.reshape(0, 4)
        if numbers.shape != (len(frame), 4):
            raise ValueError(
                f"`{side}.boxes` must have shape ({len(frame)}, 4), a box for each row, got {numbers.shape}"
            )
        corners = calls.converted(boxes.GEOMETRY, numbers, format, "xyxy")
    labels = None if tracks.labels is None else as_numpy(tracks.labels).tolist()
    columns = {name: as_numpy(x) for name, x in tracks.columns.items()}
    return RuleTable(
        side=side,
        boxes=corners,
        masks=tracks.masks,
        frame=frame,
        ids=as_numpy(tracks.ids),
        labels=labels,
        columns=columns,
    )


def _frames(*tables: Tracks[Any]) -> list[Column]:
    """The number of each row's frame in both tables, counted from 0 through all sequences."""
    known: dict[Any, int] = {}
    sequences, frames = [], []
    for x in tables:
        own = np.asarray(as_numpy(x.frames), dtype=np.int64)
        named = np.full(len(own), None) if x.sequences is None else as_numpy(x.sequences)
        # Rows mostly come by sequence: a name is looked up where it differs from the name of the row before.
        starts = np.flatnonzero(np.append(True, named[1:] != named[:-1])[: len(named)])
        codes = [known.setdefault(name, len(known)) for name in named[starts].tolist()]
        sequences.append(np.repeat(np.asarray(codes, dtype=np.int64), np.diff(np.append(starts, len(named)))))
        frames.append(own)
    every, sequence = np.concatenate(frames), np.concatenate(sequences)
    low = every.min() if len(every) else 0
    span = (every.max() if len(every) else 0) - low + 1
    numbers = np.unique(sequence * span + (every - low), return_inverse=True)[1].reshape(-1)
    return [numbers[: len(frames[0])], numbers[len(frames[0]) :]]
