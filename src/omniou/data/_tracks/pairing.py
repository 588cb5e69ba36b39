"""Sequences and frames of both sides: which belong together, and which frames there are."""

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from omniou._inputs import mask_sizes
from omniou._lib import indexing, near
from omniou._lib.brief import counted, shortened
from omniou._lib.findings import Finding
from omniou.data import _faults
from omniou.data._errors import InputError, InputWarning
from omniou.data._formats.file_rows import Place
from omniou.data._tracks.track_rows import Column, TrackRows
from omniou.tracking import Tracks


class FrameRange(NamedTuple):
    """The frames of a sequence.

    Attributes
    ----------
    first : int
        Number of the first frame.
    length : int
        How many frames there are.
    stated : bool
        Whether a file says so; else the last frame with a row is the last.
    listed : frozenset of int, optional
        All numbers, where a file lists them and they are not consecutive.
    """

    first: int
    length: int
    stated: bool = True
    listed: frozenset[int] | None = None

    def outside(self, frames: Column) -> Column:
        """Which frames are none of the sequence."""
        if self.listed is not None:
            return ~np.isin(frames, list(self.listed))
        return (frames < self.first) | (self.stated & (frames >= self.first + self.length))

    @property
    def words(self) -> str:
        """Which frames there are."""
        if self.listed is not None:
            return f"{counted(self.length, 'frames')} from {min(self.listed)} to {max(self.listed)}"
        last = f" to {self.first + self.length - 1}" if self.stated else ""
        return f"frames from {self.first}{last}"


def first_frame(rows: TrackRows, usual: int) -> int:
    """The number of the first frame of all sequences: the usual one, or its neighbour if only then all frames fit."""
    for first in (usual, usual - 1, usual + 1):
        known = ranges(rows, first)[0]
        own = (rows.frames[rows.sequence == code] for code in range(len(rows.names)))
        fits = not any(known[name].outside(x[np.isfinite(x)]).any() for name, x in zip(rows.names, own, strict=True))
        if fits and (first == usual or (first >= 0 and (rows.frames == first).any())):
            return first
    return usual


def ranges(rows: TrackRows, first: int) -> tuple[dict[str, FrameRange], list[str]]:
    """The frames of each sequence of a ground truth, and what was assumed."""
    out, assumed = {}, []
    for code, name in enumerate(rows.names):
        if name in rows.listed:
            numbers = rows.listed[name]
            consecutive = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            out[name] = FrameRange(numbers[0], len(numbers), listed=None if consecutive else frozenset(numbers))
        elif name in rows.lengths:
            out[name] = FrameRange(first, rows.lengths[name])
        else:
            out[name] = FrameRange(first, _until_last(rows.frames[rows.sequence == code], first), stated=False)
            assumed.append(name)
    if not assumed:
        return out, []
    note = (
        f"No file says how many frames {shortened(assumed)} has: the last frame with an object or a track is the last."
    )
    return out, [note]


def extended(known: Mapping[str, FrameRange], rows: TrackRows) -> dict[str, FrameRange]:
    """The same, where nothing states the length up to the last frame of tracks."""
    out = dict(known)
    for code, name in enumerate(rows.names):
        if not known[name].stated:
            length = _until_last(rows.frames[rows.sequence == code], known[name].first)
            out[name] = known[name]._replace(length=max(length, known[name].length))
    return out


def _until_last(frames: Column, first: int) -> int:
    finite = frames[np.isfinite(frames)]
    return max(0, int(finite.max()) - first + 1) if len(finite) else 0


def check_frames(rows: TrackRows, known: Mapping[str, FrameRange], first: int | None = None) -> None:
    """Raise for frames that their sequence does not have. `first`: the file's first frame, where an option may say."""
    for code, name in enumerate(rows.names):
        own = np.flatnonzero(rows.sequence == code)
        frames = rows.frames[own]
        own, frames = own[np.isfinite(frames)], frames[np.isfinite(frames)]
        for k in np.flatnonzero(known[name].outside(frames)).tolist():
            given = "" if first in {None, known[name].first} else f" with --first-frame {first} (`first_frame={first}`)"
            way = _way(frames, known[name], first)
            what = f"frame {frames[k]:g}{given}, but {name!r} has {known[name].words}{way}"
            _faults.keep(rows.fault(int(own[k]), "frame", what))


def _way(frames: Column, known: FrameRange, first: int | None) -> str:
    """What frames count from instead, where a shift makes all of them fit."""
    low, high = int(frames.min()), int(frames.max())
    meant = None if first is None else first + low - known.first
    named = "" if meant is None else f" --first-frame {meant} (`first_frame={meant}`)"
    if low == known.first - 1 and (not known.stated or high - low < known.length):
        return f": the first frame is {known.first}; add 1 to each frame{named and ', or'}{named}"
    if low == known.first + 1 and high == known.first + known.length:
        return f": the frames seem to count from {low};{named or ' subtract 1 from each frame'}"
    return ""


def of_one_size(rows: TrackRows, truth: Tracks[Any], place: Callable[[int, str], Place]) -> TrackRows:
    """The rows whose masks have the size of the ground truth's masks of their frame; raise for others."""
    if rows.masks is None or truth.masks is None:
        return rows
    code = {name: k for k, name in enumerate(rows.names)}
    of_truth = [code[name] for name in np.asarray(truth.sequences).tolist()]
    keys = [np.stack([of_truth, np.asarray(truth.frames)]), np.stack([rows.sequence, np.nan_to_num(rows.frames)])]
    sizes = np.concatenate([truth.masks.sizes, rows.masks.sizes])
    groups = np.unique(np.concatenate(keys, axis=1), axis=1, return_inverse=True)[1].reshape(-1)
    again, first = indexing.unlike_first(sizes, groups, xp=np)
    bad = again - len(of_truth)
    for row, other in zip(bad.tolist(), first.tolist(), strict=True):
        at = place(other, "")
        what = of_other_size(rows.masks.sizes[row], sizes[other], f"{at.path}, {at.place.partition(',')[0]}")
        _faults.keep(rows.fault(row, "img_height", what))
    return rows.take(np.setdiff1d(np.arange(len(rows.frames)), bad)) if len(bad) else rows


def of_other_size(size: Column, other: Column, where: str) -> str:
    """What is wrong with a mask whose size differs from the size of another mask of its frame."""
    given, expected = (f"{height} high and {width} wide" for height, width in (size.tolist(), other.tolist()))
    return f"the image is {given}, but {expected} in {where}{mask_sizes.turned(size.tolist(), other.tolist())}"


def paired(rows: TrackRows, truth: Path, names: Sequence[str], path: Path) -> tuple[TrackRows, list[str]]:
    """Rows of the sequences that a ground truth has, in its order, and what was assumed.

    One file is compared with one file, regardless of their names.

    Raises
    ------
    InputError
        If a sequence has no tracks.
    """
    notes = []
    if len(names) == len(rows.names) == 1 and rows.names[0] != names[0] and path.is_file():
        notes = [f"The one sequence of {path.name} is compared with {names[0]!r} of {truth.name}."]
        rows = dataclasses.replace(rows, names=list(names), files={names[0]: path})
    missing = [name for name in names if name not in rows.names]
    if missing:
        others = [name for name in rows.names if name not in names]
        guess = near.hint(missing[0], others) if others else ""
        what = f"there are no tracks of {shortened(missing)}, which {truth} has{guess}"
        way = "a tracker that found nothing has an empty file, and --sequences (`sequences`) chooses others"
        _faults.keep(InputError(path, f"{what}; {way}"))
    if others := [name for name in rows.names if name not in names]:
        count = int(np.isin(rows.sequence, [rows.names.index(x) for x in others]).sum())
        text = f"{shortened(others)} excluded with {counted(count, 'rows')}: the ground truth does not have it"
        if len(others) > 1:
            text = f"{shortened(others)} excluded with {counted(count, 'rows')}: the ground truth does not have them"
        warnings.warn(InputWarning(Finding(code="sequences-without-truth", text=text, path=str(path))), stacklevel=2)
    return only(rows, list(names)), notes


def only(rows: TrackRows, names: list[str]) -> TrackRows:
    """The rows of some sequences; those without rows have none."""
    code = {name: k for k, name in enumerate(rows.names)}
    of_old = np.full(len(rows.names) + 1, -1)
    for k, name in enumerate(names):
        of_old[code.get(name, -1)] = k
    of_old[-1] = -1
    sequence = of_old[rows.sequence]
    kept = np.flatnonzero(sequence >= 0)
    if len(kept) == len(sequence):
        return dataclasses.replace(rows, names=names, sequence=sequence)
    return dataclasses.replace(rows.take(kept), names=names, sequence=sequence[kept])
