"""Lists of frames, one dictionary each, as tables."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from omniou._inputs import dicts
from omniou._inputs.dicts import FLAGS, REAL, Key
from omniou._inputs.kinds import Kind
from omniou.tracking._frames import ONE_SEQUENCE, TABLES, Name
from omniou.tracking._tables import Tracks

# What to do about padding where the caller gives similarities.
PADDED_MATRIX = "leave it out, here and in `similarity`"


class ListedFrames(NamedTuple):
    """Both tables of lists of frames, and the matrices of the caller's."""

    ground_truth: Tracks[Any]
    tracks: Tracks[Any]
    lengths: dict[Name, int]
    matrices: Sequence[Any] | None
    starts: tuple[list[int], list[int]]  # where the rows of each frame start, in both tables


class Video(NamedTuple):
    """The frames of one sequence."""

    ground_truth: Sequence[Mapping[str, Any]]
    tracks: Sequence[Mapping[str, Any]]
    matrices: Sequence[Any] | None
    numbers: Iterable[int]


def keys(kind: Kind | None) -> tuple[Key, ...]:
    """What the dictionary of a frame has; the shapes are missing where the caller gives similarities."""
    ids = Key("ids", ("ids",), ("integral",))
    labels = Key("labels", ("labels", "classes"), ("integral",), optional=True)
    if kind is None:
        return ids, labels
    of_masks = kind.column == "masks"
    shapes = (
        Key("masks", ("masks",), FLAGS, ("height", "width"))
        if of_masks
        else Key("boxes", ("boxes",), REAL, (kind.geometry.numbers,), rows=kind.rows)
    )
    return shapes, ids, labels


def videos(ground_truth: Any, tracks: Any, similarity: Any, /) -> dict[Name, Video]:
    """Lists of frames by sequence."""
    given = {"ground_truth": ground_truth, "tracks": tracks} | (
        {} if similarity is None else {"similarity": similarity}
    )
    by_name = [isinstance(x, Mapping) for x in given.values()]
    if not all(by_name):
        if any(by_name):
            raise TypeError(
                f"{', '.join(map('`{}`'.format, given))} must all be mappings of sequences, or all be lists of frames"
            )
        given = {name: {ONE_SEQUENCE: x} for name, x in given.items()}
    for name, x in given.items():
        if missing := given["ground_truth"].keys() ^ x.keys():
            lacking = name if missing - x.keys() else "ground_truth"
            raise ValueError(
                f"`{lacking}` must have all sequences, but has no {min(missing, key=str)!r}: give frames without rows"
            )
    out: dict[Name, Video] = {}
    for sequence in given["ground_truth"]:
        frames = {name: x[sequence] for name, x in given.items()}
        dicts.check_lists(**frames)
        matrices = frames.get("similarity")
        out[sequence] = Video(frames["ground_truth"], frames["tracks"], matrices, range(len(frames["tracks"])))
    return out


def listed(parts: Mapping[Name, Video], kind: Kind | None, /) -> ListedFrames:
    """The tables of all frames of some sequences."""
    declared, tables, starts = keys(kind), [], []
    instead = PADDED_MATRIX if kind is None else ""
    for which in TABLES:
        rows = [
            given
            for sequence, video in parts.items()
            for given in dicts.read(_called(which, sequence, parts), getattr(video, which), declared, instead=instead)
        ]
        lengths = dicts.lengths_of(rows, declared)
        columns: dict[str, Any] = {"boxes": None} | dicts.concatenated(which, rows, declared, lengths)
        at = [(sequence, number) for sequence, video in parts.items() for number in video.numbers]
        columns["frames"] = [number for (_, number), n in zip(at, lengths, strict=True) for _ in range(n)]
        names = [name for (name, _), n in zip(at, lengths, strict=True) for _ in range(n)]
        tables.append(Tracks(**columns, sequences=names))
        starts.append([0, *itertools.accumulate(lengths)])
    lengths_of = {sequence: len(video.tracks) for sequence, video in parts.items()}
    matrices = None if kind is not None else [x for video in parts.values() for x in video.matrices or ()]
    return ListedFrames(tables[0], tables[1], lengths_of, matrices, (starts[0], starts[1]))


def _called(table: str, sequence: Name, parts: Mapping[Name, Any]) -> str:
    """What an error calls the list of a sequence."""
    return table if parts.keys() == {ONE_SEQUENCE} else f"{table}[{sequence!r}]"
