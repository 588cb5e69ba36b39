"""Which files are sequences, what these are called, and how many frames they have."""

import configparser
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from omniou.data import _files
from omniou.data._errors import InputError
from omniou.data._formats import text_lines
from omniou.data._numbers import as_integer, is_count

# Folders of data sets that hold the files of sequences, next to folders of other files.
_FOLDERS = ("label_02", "instances_txt", "data")
# MOTChallenge has a folder for each sequence: the ground truth in `gt/gt.txt`, detections of others in `det/det.txt`.
# CenterTrack and others write parts of the ground truth next to it, such as `gt/gt_val_half.txt`.
_CALLED = ("gt", "det")
_ENDINGS = (".txt", ".json")
# Lists of sequences: KITTI's "0000 empty 000000 000154".
_MAPS = ("evaluate_tracking.seqmap*", "evaluate_mots.seqmap*")


class SequenceFile(NamedTuple):
    """A file of one sequence, or of several that it names itself."""

    path: Path
    name: str
    length: int | None  # number of frames, where a file says it


def in_path(path: Path, role: str) -> list[SequenceFile]:
    """The files of a folder that hold sequences, or the file itself.

    Raises
    ------
    InputError
        If there are none, or two are of one sequence.
    """
    files = _files.in_folder(_folder(path)) if path.is_dir() else [path]
    if path.is_dir():
        files = [x for x in files if _bare(x.name).suffix.lower() in _ENDINGS and not text_lines.has_no_objects(x)]
        detections = [x for x in files if _is_of_folder(x) == "det"]
        of_truth = [x for x in files if _is_of_folder(x) == "gt"]
        whole = {x.parent for x in of_truth if _is_whole(x)}
        files = [x for x in of_truth if _is_whole(x) or x.parent not in whole] or [
            x for x in files if x not in detections
        ]
        if detections and not files:
            raise InputError(path, f"the directory has only det.txt, which are detections: name the files of {role}")
    if not files:
        raise InputError(path, f"the directory has no files of {role}, such as SEQUENCE.txt or SEQUENCE/gt/gt.txt")
    first: dict[str, Path] = {}
    for file in files:
        if (other := first.setdefault(_name(file), file)) is not file:
            raise InputError(
                file, f"is of the sequence {_name(file)!r}, as is {other}: name the directory of one, or the file"
            )
    return [SequenceFile(file, name, _length(file, name)) for name, file in first.items()]


def _folder(path: Path) -> Path:
    return next((path / name for name in _FOLDERS if (path / name).is_dir()), path)


def _bare(name: str) -> Path:
    return Path(name.removesuffix(".gz"))


def _is_of_folder(file: Path) -> str:
    """The folder of a sequence, "gt" or "det", if the file is called as the folder: gt.txt, or gt_val_half.txt."""
    folder = file.absolute().parent.name
    return folder if folder in _CALLED and _bare(file.name).stem.partition("_")[0] == folder else ""


def _is_whole(file: Path) -> bool:
    """Whether a file in the folder of a sequence is not a part of it, such as gt_val_half.txt."""
    return _bare(file.name).stem in _CALLED


def _name(file: Path) -> str:
    """The name of a file's sequence: its own, or the folder's if all files are called `gt.txt` or `det.txt`."""
    return file.absolute().parent.parent.name if _is_of_folder(file) else _bare(file.name).stem


def _length(file: Path, name: str) -> int | None:
    """The number of frames that `seqinfo.ini` or a list of sequences says; None of a part of a sequence."""
    if _is_of_folder(file) and not _is_whole(file):
        return None
    folder = file.absolute().parent
    for ini in (folder.parent / "seqinfo.ini", folder / name / "seqinfo.ini"):
        if ini.is_file() and (ini.parent.name == name or ini.parent == folder):
            return _of_ini(ini)
    return next((x for x in _of_maps(folder, name)), None)


def _of_ini(path: Path) -> int:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    try:
        parser.read_string(_files.read_text(path).decode())
        return as_integer(parser["Sequence"]["seqLength"])
    except (configparser.Error, KeyError):
        raise InputError(path, "expected a line seqLength=... below [Sequence]") from None
    except ValueError:
        raise InputError(path, "expected a whole number", place="seqLength") from None


def _of_maps(folder: Path, name: str) -> Iterator[int]:
    for pattern in _MAPS:
        for place in (folder, folder.parent):
            for path in sorted(place.glob(pattern)):
                # The fourth field is the number of frames, but in MOTS the number of the last frame.
                more = 1 if "mots" in pattern else 0
                for line in _files.read_text(path).decode().splitlines():
                    fields = line.split()
                    if len(fields) >= 4 and fields[0].lstrip("0") == name.lstrip("0") and is_count(fields[3]):
                        yield as_integer(fields[3]) + more


def are_named(names: Sequence[str], pattern: str) -> bool:
    """Whether all names of sequences match a regular expression."""
    return bool(pattern and names) and all(re.fullmatch(pattern, name) for name in names)
