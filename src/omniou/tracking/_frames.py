"""Both tables as numbers: rows by frame, ids, and the sequence and class of each frame."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from omniou._lib import backends, checks, indexing, ordering
from omniou._lib.types import Namespace
from omniou._lib.values import check_padding
from omniou.tracking._tables import CodedColumns, Tracks, coded, column, numbered

# Names of the only sequence, and of the only class, of a table without such a column.
ONE_SEQUENCE, ONE_CLASS = "sequence", "object"

Name = str | int


class FrameRows(NamedTuple):
    """The rows of one table, by frame. Rows of a frame keep their order."""

    rows: Any  # (N,) of the table that was given
    frames: Any  # (N,) in [0, F), rising
    starts: Any  # (F + 1,) where the rows of each frame start
    ids: Any  # (N,) in [0, I): an id has a number in each unit
    units: Any  # (I,) unit of each id
    names: Any  # (I,) ids as they were given

    @property
    def sizes(self) -> Any:
        """(F,) rows of each frame."""
        return self.starts[1:] - self.starts[:-1]


class Frames(NamedTuple):
    """The frames of all units, one after the other. A unit is one class in one sequence."""

    truth: FrameRows
    tracks: FrameRows
    units: Any  # (F,) unit of each frame, rising
    numbers: Any  # (F,) as they were given, rising in a unit
    named: list[tuple[Name, Name]]  # (U,) sequence and class of each unit
    lengths: Mapping[Name, int]  # frames of each sequence
    classes: tuple[Name, ...]
    xp: Namespace  # NumPy

    def __reduce__(self) -> tuple[Any, ...]:
        """Without NumPy, which is a module and cannot be pickled."""
        return _frames, self[:-1]

    def where(self, side: FrameRows, place: int) -> str:
        """Sequence, frame and id of a row, for an error."""
        frame = side.frames[place]
        sequence = self.named[self.units[frame]][0]
        of = "" if sequence == ONE_SEQUENCE else f"sequence {sequence!r}, "
        id = side.names[side.ids[place]]
        return f"{of}frame {self.numbers[frame]}, id {id.item() if hasattr(id, 'item') else id!r}"


def _frames(*fields: Any) -> Frames:
    return Frames._make([*fields, backends.numpy_namespace()])


class _Columns(NamedTuple):
    """The columns of one table that say where a row belongs."""

    frames: Any
    ids: Any
    labels: Any
    sequences: Any


TABLES = ("ground_truth", "tracks")


def read(
    ground_truth: Tracks[Any],
    tracks: Tracks[Any],
    /,
    *,
    classes: Iterable[Name] | None = None,
    sequences: Mapping[Name, int] | None = None,
) -> Frames:
    """Sort both tables by unit and frame.

    Raises
    ------
    TypeError, ValueError
        If a column does not fit, an id occurs twice in a frame, a sequence is in one table only and not in
        `sequences`, or labels may be padding.
    """
    xp = backends.numpy_namespace()
    both = [_columns(name, table, xp=xp) for name, table in zip(TABLES, (ground_truth, tracks), strict=True)]
    for name, one in (("labels", ONE_CLASS), ("sequences", ONE_SEQUENCE)):
        both = _given_in_both(both, name, one, xp=xp)
    chosen = None if classes is None else checks.items("classes", classes, "a list of integers or names")
    if chosen is None:
        check_padding({f"{which}.labels": x.labels for which, x in zip(TABLES, both, strict=True)})
    of_class = coded("labels", both[0].labels, both[1].labels, chosen or (), xp=xp)
    checks.instance("sequences", sequences, Mapping | None, "a mapping of names to numbers of frames")
    listed = () if sequences is None else tuple(sequences)
    of_sequence = coded("sequences", both[0].sequences, both[1].sequences, listed, xp=xp)
    if sequences is None:
        _check_in_both(of_sequence)
    elif unknown := [x for x in of_sequence.values if x not in sequences]:
        raise ValueError(f"`sequences` must have all sequences of the tables, but has no {unknown[0]!r}")
    kept = [_of_classes(x, of_class.values, chosen, xp=xp) for x in of_class[1:]]
    keys, numbers = _keys(both, of_sequence, of_class, kept, xp=xp)
    # Frames that occur, rising by unit and then by number.
    every, place = numbered(xp.concatenate(keys), xp=xp)
    units, frames = every // max(1, numbers.size), every % max(1, numbers.size)
    different, units = numbered(units, xp=xp)
    count = max(1, len(of_class.values))
    named = [(of_sequence.values[x // count], of_class.values[x % count]) for x in different.tolist()]
    places = place[: keys[0].size], place[keys[0].size :]
    sides = [
        _side(rows, at, table.ids, units, every.size, xp=xp) for rows, at, table in zip(kept, places, both, strict=True)
    ]
    lengths = _lengths(both, of_sequence, sequences, xp=xp)
    known = tuple(of_class.values) if chosen is None else tuple(dict.fromkeys(chosen))
    out = Frames(
        truth=sides[0],
        tracks=sides[1],
        units=units,
        numbers=numbers[frames],
        named=named,
        lengths=lengths,
        classes=known or (ONE_CLASS,),
        xp=xp,
    )
    for name, side in zip(TABLES, sides, strict=True):
        _check_ids(name, side, out)
    return out


def _columns(name: str, table: Any, /, *, xp: Namespace) -> _Columns:
    if not isinstance(table, Tracks):
        raise TypeError(f"`{name}` must be Tracks, or a list of frames, got {type(table).__name__}")
    read = {"frames": column(f"{name}.frames", table.frames, xp=xp, names=False)}
    for field in ("ids", "labels", "sequences"):
        given = getattr(table, field)
        read[field] = None if given is None else column(f"{name}.{field}", given, xp=xp)
    lengths = {field: x.size for field, x in read.items() if x is not None}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{length} in `{field}`" for field, length in lengths.items())
        raise ValueError(f"columns of `{name}` must have one length, got {listing}")
    return _Columns(**read)


def _given_in_both(both: list[_Columns], name: str, one: str, /, *, xp: Namespace) -> list[_Columns]:
    """Columns with one name for all rows, where neither table has the column."""
    given = [getattr(x, name) is not None and getattr(x, name).size > 0 for x in both]
    if not any(given):
        return [x._replace(**{name: xp.full(x.frames.size, one)}) for x in both]
    out = []
    for which, x in zip(TABLES, both, strict=True):
        if getattr(x, name) is None and x.frames.size:
            raise ValueError(f"`{name}` must be in both tables or in none, but `{which}.{name}` is None")
        out.append(x if getattr(x, name) is not None else x._replace(**{name: x.frames}))
    return out


def _check_in_both(of: CodedColumns, /) -> None:
    if len(of.values) < 2 and ONE_SEQUENCE in of.values:
        return
    for name, x, other in ((TABLES[0], of.first, TABLES[1]), (TABLES[1], of.second, TABLES[0])):
        only = {of.values[k] for k in range(len(of.values))} - {of.values[k] for k in set(x.tolist())}
        if only:
            first = min(only)
            raise ValueError(
                f"`{name}` has no rows of the sequence {first!r}, which `{other}` has; if that is intended, list all "
                f"sequences with their numbers of frames: sequences={{{first!r}: ...}}"
            )


def _of_classes(numbers: Any, values: list[Any], chosen: tuple[Name, ...] | None, /, *, xp: Namespace) -> Any:
    """Rows of the classes that are evaluated."""
    if chosen is None:
        return xp.arange(numbers.size)
    wanted = xp.asarray([value in chosen for value in values], dtype=bool)
    return xp.nonzero(wanted[numbers])[0]


def _keys(
    both: list[_Columns], of_sequence: CodedColumns, of_class: CodedColumns, kept: list[Any], /, *, xp: Namespace
) -> tuple[list[Any], Any]:
    """One number for each kept row, which rises by sequence, class and frame; and the frames that occur.

    With 2 classes and 10 frames, sequence 1, class 0 and frame 3 are (1 * 2 + 0) * 10 + 3 = 23.
    """
    numbers, at = numbered(xp.concatenate([x.frames for x in both]), xp=xp)
    ats = at[: both[0].frames.size], at[both[0].frames.size :]
    count = max(1, len(of_class.values))
    codes = zip(of_sequence[1:], of_class[1:], ats, kept, strict=True)
    return [(s[rows] * count + c[rows]) * max(1, numbers.size) + f[rows] for s, c, f, rows in codes], numbers


def _side(rows: Any, place: Any, ids: Any, units: Any, frames: int, /, *, xp: Namespace) -> FrameRows:
    # Stable: rows of a frame keep their order, which decides between assignments of equal similarity.
    order = ordering.rising(place, frames, xp=xp)
    place, rows = place[order], rows[order]
    starts = xp.searchsorted(place, xp.arange(frames + 1))
    names, numbers = numbered(ids[rows], xp=xp)
    keys, numbers = numbered(units[place] * max(1, names.size) + numbers, xp=xp)
    # Ids count in the order in which they come, so no sum depends on their values. Of two places, the last is written.
    first = xp.zeros(keys.size, dtype=xp.int64)
    first[numbers[::-1]] = xp.arange(numbers.size)[::-1]
    order = xp.argsort(first)
    keys, numbers = keys[order], xp.argsort(order)[numbers]
    return FrameRows(
        rows=rows,
        frames=place,
        starts=starts,
        ids=numbers,
        units=keys // max(1, names.size),
        names=names[keys % max(1, names.size)],
    )


def _lengths(
    both: list[_Columns], of: CodedColumns, sequences: Mapping[Name, int] | None, /, *, xp: Namespace
) -> dict[Name, int]:
    """Frames of each sequence: as given, or those that occur."""
    out: dict[Name, int] = {}
    for number, name in enumerate(of.values):
        frames = [x.frames[codes == number] for x, codes in zip(both, of[1:], strict=True)]
        occur = int(indexing.distinct(xp.concatenate(frames), xp=xp).shape[0])
        length = occur if sequences is None else checks.plain(sequences[name])
        if type(length) is not int or length < occur:
            raise ValueError(
                f"`sequences[{name!r}]` must be the number of frames, at least the {occur} that occur, got {length!r}"
            )
        out[name] = length
    return out or {ONE_SEQUENCE: 0}


def _check_ids(name: str, side: FrameRows, frames: Frames, /) -> None:
    """Raise, if an id occurs twice in a frame."""
    xp = frames.xp
    keys = side.frames * max(1, side.units.size) + side.ids
    rising = xp.sort(keys)
    if xp.any(rising[1:] == rising[:-1]):
        order = xp.argsort(keys, kind="stable")
        twice = xp.nonzero(keys[order][1:] == keys[order][:-1])[0]
        first, second = sorted(order[twice[0] : twice[0] + 2].tolist())
        _raise_twice(name, side, frames, first, second)


def _raise_twice(name: str, side: FrameRows, frames: Frames, first: int, second: int, /) -> NoReturn:
    raise ValueError(
        f"`{name}.ids` must differ within a frame, but {frames.where(side, first)} occurs in the rows "
        f"{side.rows[first]} and {side.rows[second]}"
    )
