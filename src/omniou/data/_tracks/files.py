"""Files of tracks as one table, and the two functions that read them."""

import dataclasses
import fnmatch
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from omniou._lib import checks, near
from omniou._lib.brief import Brief
from omniou.data import _files
from omniou.data._errors import InputError, OptionError
from omniou.data._formats.file_rows import Place
from omniou.data._options import DEFAULT, Options
from omniou.data._tracks import formats, pairing, sequence_files
from omniou.data._tracks.formats import TrackFormat
from omniou.data._tracks.frame_names import FrameNames
from omniou.data._tracks.pairing import FrameRange
from omniou.data._tracks.protocols import chosen
from omniou.data._tracks.track_rows import GROUND_TRUTH, TRACKS, Role, TrackRows
from omniou.tracking import Tracks, benchmarks


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class TrackFiles(Brief):
    """The tracks, or the ground truth, of one file or of a directory of files.

    Attributes
    ----------
    path : Path
        The file or the directory.
    tracks : Tracks
        All rows of all sequences, in the order of the files. Boxes are corners (x, y, x, y), frames have the numbers of
        the data set, sequences their names.
    format : str
        One of `TRACK_FORMATS`.
    kind : str
        What it has: "bbox" or "segm", as `omniou.tracking.evaluate` is told.
    protocol : str
        The rules that fit, one of `omniou.tracking.benchmarks.NAMES`.
    lengths : mapping of str to int
        Number of frames of each sequence, as `omniou.tracking.evaluate` takes it as `sequences`.
    files : mapping of str to Path
        The file of each sequence.
    notes : list of str
        What was assumed, a sentence each.
    ranges : mapping of str to FrameRange
        Which frames each sequence has.
    first_frame : int
        What the files call the first frame.
    order : str
        The order of the four numbers of a box in the files, where they have no names.
    frame_names : FrameNames, optional
        The frames by their names, where the files have names.
    place : callable
        Row and field -> file, and place in the file.
    """

    path: Path
    tracks: Tracks[Any]
    format: str
    kind: str
    protocol: str
    lengths: Mapping[str, int]
    files: Mapping[str, Path]
    notes: list[str]
    ranges: Mapping[str, FrameRange]
    first_frame: int
    order: str
    frame_names: FrameNames | None
    place: Callable[[int, str], Place]


class _ReadRows(NamedTuple):
    """What the files of a path hold, and their format."""

    format: TrackFormat
    rows: TrackRows


def read_ground_truth_tracks(
    path: Path | str,
    format: str | None = None,
    *,
    protocol: str | None = None,
    sequences: Sequence[str] | None = None,
    options: Options = DEFAULT,
) -> TrackFiles:
    """Read the ground truth of tracks: a file of one sequence, or a directory of many.

    Parameters
    ----------
    path : path
        MOTChallenge's folders with ``gt/gt.txt`` and ``seqinfo.ini``, or one of them, or files called as their
        sequences; KITTI's ``label_02``; files of MOTS; Scalabel's JSON. Files may be compressed by gzip.
    format : str, optional
        One of `TRACK_FORMATS`. Default: as the content tells.
    protocol : str, optional
        The rules of a data set, one of `omniou.tracking.benchmarks.NAMES`. Default: as the format, the names of the
        sequences and the classes tell.
    sequences : sequence of str, optional
        Sequences to read: names, or patterns such as ``"*-FRCNN"``. Default: all.
    options : Options
        `max_unpacked` and `track`.

    Returns
    -------
    TrackFiles

    Raises
    ------
    InputError
        The message names the file, the line and the field: a frame that is not a whole number, or outside of its
        sequence, an id twice in a frame, a box that is empty or not finite, masks that overlap.
    OptionError
        If a name is unknown, or the files fit two data sets whose rules differ.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou import data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "TUD-Campus.txt").write_text("1,1,10,20,30,60,1,-1,-1,-1")
    ...     truth = data.read_ground_truth_tracks(folder)
    >>> truth.tracks.boxes.tolist(), truth.lengths, truth.protocol
    ([[10.0, 20.0, 40.0, 80.0]], {'TUD-Campus': 1}, 'mot15')
    """
    if protocol is not None:
        protocol = checks.choice("protocol", protocol, benchmarks.NAMES)
    _check_options(options)
    path = _files.checked(path)
    with _files.unpacking(options.max_unpacked):
        read = _read(path, format, options, GROUND_TRUTH)
    rows = read.rows if sequences is None else pairing.only(read.rows, _known(path, sequences, read.rows.names))
    rule, why = (protocol, "") if protocol is not None else chosen(read.format.name, rows)
    if rule != "plain" and (files := benchmarks.declared(rule).files) != read.format.name:
        raise OptionError(
            f"protocol {rule!r} is for files of format {files!r}, got {read.format.name!r}; 'plain' is for all"
        )
    notes = [f"omniou applies the rules of {rule}: {why}."] if why else []
    usual = benchmarks.declared(rule).first_frame if rule != "plain" else read.format.first_frame
    first = pairing.first_frame(rows, usual)
    ranges, more = pairing.ranges(rows, first)
    pairing.check_frames(rows, ranges)
    if first != usual:
        more.insert(0, f"The frames of {path.name} count from {first}, though {rule} counts from {usual}.")
    return _of(path, read, rows, protocol=rule, ranges=ranges, first=first, notes=[*notes, *more])


def read_tracks(
    path: Path | str,
    truth: TrackFiles,
    format: str | None = None,
    *,
    first_frame: int | None = None,
    options: Options = DEFAULT,
) -> TrackFiles:
    """Read the results of a tracker, for a ground truth.

    Parameters
    ----------
    path : path
        A directory with a file for each sequence, called as the sequence, or one file.
    truth : TrackFiles
        The result of `read_ground_truth_tracks`.
    format : str, optional
        One of `TRACK_FORMATS`. Default: as the content tells.
    first_frame : int, optional
        The number of the first frame in these files, where they count otherwise than the ground truth.
    options : Options
        `max_unpacked` and `track`.

    Returns
    -------
    TrackFiles
        With the sequences of the ground truth. Other sequences are excluded, with a warning. If nothing says how long a
        sequence is, `lengths` ends with the last frame of both.

    Raises
    ------
    InputError
        The same as `read_ground_truth_tracks`; also if a sequence has no file. A tracker that found nothing in a
        sequence has an empty file.
    OptionError
        If a name is unknown, or masks are to be compared with boxes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou import data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("gt", "results"):
    ...         pathlib.Path(folder, name).mkdir()
    ...         _ = pathlib.Path(folder, name, "TUD-Campus.txt").write_text("1,1,10,20,30,60,1,-1,-1,-1")
    ...     truth = data.read_ground_truth_tracks(f"{folder}/gt")
    ...     found = data.read_tracks(f"{folder}/results", truth)
    >>> found.tracks.ids.tolist(), found.tracks.sequences.tolist()
    ([1], ['TUD-Campus'])
    """
    checks.instance("truth", truth, TrackFiles, "TrackFiles, as `read_ground_truth_tracks` returns them")
    if first_frame is not None:
        first_frame = checks.integer("first_frame", first_frame)
    _check_options(options)
    path = _files.checked(path)
    with _files.unpacking(options.max_unpacked):
        read = _read(path, format, options, TRACKS, truth.format)
    if read.format.kind != truth.kind:
        kinds = " and ".join(f"{x.name} ({x.title})" for x in (formats.declared(truth.format), read.format))
        raise OptionError(f"masks and boxes cannot be compared: the ground truth and the tracks are {kinds}")
    rows, notes = pairing.paired(read.rows.as_in(truth.frame_names), truth.path, list(truth.ranges), path)
    start = next((x.first for x in truth.ranges.values()), truth.first_frame)
    first = start if first_frame is None else first_frame
    if start != first:
        rows = dataclasses.replace(rows, frames=rows.frames + float(start - first))
    pairing.check_frames(rows, truth.ranges, first)
    rows = pairing.of_one_size(rows, truth.tracks, truth.place)
    ranges = pairing.extended(truth.ranges, rows)
    return _of(path, read, rows, protocol=truth.protocol, ranges=ranges, first=first, notes=notes)


def _check_options(options: Options) -> None:
    checks.instance("options", options, Options, "Options")
    unused = {f.name for f in dataclasses.fields(Options)} - {"max_unpacked", "track"}
    settled = dataclasses.replace(options, kind=None if options.kind == "bbox" else options.kind)
    if given := sorted(name for name in unused if getattr(settled, name) != getattr(DEFAULT, name)):
        raise OptionError(f"`options.{given[0]}` is not for files of tracks, which take `max_unpacked` and `track`")


def _read(path: Path, name: str | None, options: Options, role: Role, of_empty: str | None = None) -> _ReadRows:
    """The rows of all files; files that are all empty have the format `of_empty`."""
    files = sequence_files.in_path(path, role)
    if name is None:
        name = formats.recognised(path, files) or of_empty
    if name is None:
        raise InputError(path, "the file is empty" if path.is_file() else "all files are empty")
    format = formats.declared(name)
    return _ReadRows(format, format.read(files, role, options))


def _of(
    path: Path,
    read: _ReadRows,
    rows: TrackRows,
    *,
    protocol: str,
    ranges: Mapping[str, FrameRange],
    first: int,
    notes: list[str],
) -> TrackFiles:
    return TrackFiles(
        path=path,
        tracks=rows.tracks(),
        format=read.format.name,
        kind=read.format.kind,
        protocol=protocol,
        lengths={name: x.length for name, x in ranges.items()},
        files={name: rows.files[name] for name in rows.names if name in rows.files},
        notes=notes,
        ranges=ranges,
        first_frame=first,
        order=read.format.order,
        frame_names=read.rows.frame_names,
        place=rows.place,
    )


def _known(path: Path, asked: Sequence[str], names: Sequence[str]) -> list[str]:
    """The sequences of names and patterns, in the order of the files."""
    found: set[str] = set()
    for pattern in checks.items("sequences", asked, "a sequence of names or patterns"):
        matching = fnmatch.filter(names, pattern)
        if not matching:
            raise OptionError(f"{path}: there is no sequence {pattern!r}{near.hint(pattern, names)}")
        found.update(matching)
    return [name for name in names if name in found]
