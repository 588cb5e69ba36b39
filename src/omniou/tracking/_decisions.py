"""Each decision of CLEAR as a row of a table: matches, misses, false positives, switches and fragments."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from omniou._lib.brief import brief, counted
from omniou._lib.extras import frame_of
from omniou.tracking._clear import ClearMatches
from omniou.tracking._frames import FrameRows, Frames
from omniou.tracking._similarity import SimilarPairs


class EventTable(Mapping[str, Any]):
    """Columns of one length, NumPy arrays by name. `count` is the number of rows, `to_pandas` makes a frame.

    Examples
    --------
    >>> from omniou import tracking
    >>> frame = {"ids": [1], "boxes": [[0, 0, 9, 9]]}
    >>> result = tracking.evaluate([frame], [{**frame, "ids": [7]}])
    >>> result.matches.rows()
    [{'sequence': 'sequence', 'frame': 0, 'class': 'object', 'object': 1, 'track': 7, 'similarity': 1.0}]
    """

    def __init__(self, columns: Mapping[str, Any], /) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str, /) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} {brief(x)}" for name, x in self.items())
        return f"EventTable({counted(self.count, 'rows')}: {columns})"

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(next(iter(self.values())).shape[0])

    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dictionary of Python's values."""
        columns = {name: x.tolist() for name, x in self.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_pandas(self) -> Any:
        """The rows as a pandas `DataFrame`.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which omniou does not install.
        """
        return frame_of(dict(self))


class Decisions(NamedTuple):
    """What was compared, and what was matched."""

    frames: Frames
    pairs: SimilarPairs
    found: ClearMatches


def matches(x: Decisions, /) -> EventTable:
    """Each match of an object and a track."""
    return EventTable(_matches(x))


def switches(x: Decisions, /) -> EventTable:
    """Each match with another track than the last one of the object."""
    return EventTable(_since(x, x.found.switched))


def fragments(x: Decisions, /) -> EventTable:
    """Each match of an object that was not matched in the frame before, but earlier."""
    return EventTable(_since(x, x.found.resumed))


def misses(x: Decisions, /) -> EventTable:
    """Each object without a match."""
    return EventTable(_unmatched(x, x.frames.truth, x.pairs.truth, "object"))


def false_positives(x: Decisions, /) -> EventTable:
    """Each row of a track without a match."""
    return EventTable(_unmatched(x, x.frames.tracks, x.pairs.tracks, "track"))


def _matches(x: Decisions, /) -> dict[str, Any]:
    truth, tracks, similarity = x.pairs.take(x.found.pairs)
    return {
        **_where(x.frames, x.frames.truth.frames[truth]),
        "object": x.frames.truth.names[x.frames.truth.ids[truth]],
        "track": x.frames.tracks.names[x.frames.tracks.ids[tracks]],
        "similarity": similarity,
    }


def _since(x: Decisions, some: Any, /) -> dict[str, Any]:
    every, before = _matches(x), x.found.before[some]
    earlier = {f"previous_{name}": every[name][before] for name in ("frame", "track")}
    return {name: column[some] for name, column in every.items()} | earlier


def _unmatched(x: Decisions, side: FrameRows, rows: Any, name: str, /) -> dict[str, Any]:
    alone = x.frames.xp.ones(side.rows.size, dtype=bool)
    alone[rows[x.found.pairs]] = False
    return {**_where(x.frames, side.frames[alone]), name: side.names[side.ids[alone]], "row": side.rows[alone]}


def _where(frames: Frames, groups: Any, /) -> dict[str, Any]:
    """Sequence, frame and class of some frames."""
    units = frames.units[groups]
    sequences, classes = (frames.xp.asarray([unit[k] for unit in frames.named] or [""])[units] for k in (0, 1))
    return {"sequence": sequences, "frame": frames.numbers[groups], "class": classes}
