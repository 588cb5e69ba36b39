"""What a format of tracks declares, all of them by name, and which of them a file has, by its content."""

import dataclasses
import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from omniou._lib import near
from omniou.data import _files
from omniou.data._errors import InputError, OptionError
from omniou.data._formats import Fields, text_lines
from omniou.data._options import Options
from omniou.data._peek import Peek
from omniou.data._tracks import TRACK_FORMATS
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import Role, TrackRows

# How many lines are read to recognise a format.
_LINES = 50


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TrackFormat:
    """A format of files of tracks, as its module declares it.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        What it is, in a few words.
    read : callable
        Of files, whether they are ground truth or tracks, and options.
    first_frame : int
        The number of the first frame of a sequence.
    kind : str
        What it has, of the kinds that `omniou.tracking.evaluate` compares.
    order : str
        The order of the four numbers of a box, where they have no names.
    splits : callable, optional
        A line of text -> its fields.
    fits : callable, optional
        Whether the fields of a line are an object of such a file.
    recognises : callable, optional
        Whether a file is one, by its first bytes.
    """

    name: str
    title: str
    read: Callable[[Sequence[SequenceFile], Role, Options], TrackRows]
    first_frame: int
    kind: str = "bbox"
    order: str = ""
    splits: Callable[[str], Fields] = str.split
    fits: Callable[[Fields], bool] | None = None
    recognises: Callable[[Peek], bool] | None = None


def declared(name: str) -> TrackFormat:
    """The format of a name, one of `TRACK_FORMATS`."""
    if name not in TRACK_FORMATS:
        listed = ", ".join(map(repr, TRACK_FORMATS))
        raise OptionError(f"`format` must be one of {listed} for tracks, got {name!r}{near.hint(name, TRACK_FORMATS)}")
    format: TrackFormat = importlib.import_module(f"omniou.data._tracks.{name}").FORMAT
    return format


def every() -> Iterator[TrackFormat]:
    """All formats, one after the other."""
    return map(declared, TRACK_FORMATS)


def recognised(path: Path, files: Sequence[SequenceFile]) -> str | None:
    """The name of the format of files by their content; None where all are empty.

    Raises
    ------
    InputError
        If no format fits.
    """
    lines: list[str] = []
    for file in files:
        head = _files.head(file.path)
        if what := _files.what_else(head):
            raise InputError(file.path, what)
        start = head.lstrip()
        if start.startswith((b"{", b"[")):
            return _by_start(file.path, Peek(start))
        own = head.decode("utf-8", "replace").splitlines()
        whole = own if len(head) < _files.HEAD else own[:-1]  # the last line may be cut off
        lines += [x for x in whole or own if x.strip() and not x.startswith("#")]
        if len(lines) >= _LINES:
            break
    return _by_lines(path, lines[:_LINES]) if lines else None


def _by_start(path: Path, peek: Peek) -> str:
    for format in every():
        if format.recognises is not None and format.recognises(peek):
            return format.name
    raise InputError(path, f"is JSON, but has no tracks: {_choices()}")


def _by_lines(path: Path, lines: Sequence[str]) -> str:
    """The first format of those that fit most lines; its reader says what is wrong with the others."""
    fitting = [x for x in every() if x.fits is not None]
    counts = [sum(x.fits(x.splits(line)) for line in lines) for x in fitting if x.fits is not None]
    best = max(range(len(fitting)), key=counts.__getitem__)
    if counts[best]:
        return fitting[best].name
    # MOTChallenge's are the only lines that have nothing but numbers.
    mot = declared("mot")
    if any(text_lines.are_numbers(mot.splits(line)) for line in lines):
        return mot.name
    raise InputError(path, f"the format is not recognised from lines such as {lines[0][:80]!r}: {_way(lines[0])}")


def _way(line: str) -> str:
    """What to do about a line that no format fits: another separator, or another format."""
    mot = declared("mot")
    if ";" in line and mot.fits is not None and mot.fits(mot.splits(line.replace(",", "."))):
        return "numbers have a point, not a comma"
    for separator, name in ((",", "commas"), (";", "semicolons"), ("|", "bars"), (":", "colons")):
        blanks = line.replace(separator, " ")
        for format in every():
            if separator in line and format.fits is not None and format.fits(blanks.split()):
                ours = "commas" if format.name == "mot" else "blanks"
                return f"it is {format.name} with {name} between the fields: write {ours}"
    return _choices()


def _choices() -> str:
    titles = "; ".join(f"{x.name} ({x.title})" for x in every())
    return f"tracks are read from {titles}"
