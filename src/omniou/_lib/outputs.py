"""The one way to write a file or a directory: atomically where it has a name of its own, straight through elsewhere.

A regular file is replaced when all of its bytes are on the disk, and keeps its permissions. A symbolic link stays, and
the file that it leads to is replaced. Devices, named pipes and what a process has open, such as ``/dev/stdout``, are
written to and never replaced.
"""

import contextlib
import errno
import io
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

# Links in which Linux and macOS show the files that a process has open.
_DESCRIPTORS = ("/proc/", "/dev/fd")
# Endings of names that say what a file holds. Other endings say nothing, and any output may have them.
_MEANING = {
    *(".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".yaml", ".yml", ".toml"),
    *(".txt", ".md", ".rst", ".tex", ".htm", ".html", ".xhtml", ".pdf", ".docx", ".xls", ".xlsx"),
    *(".png", ".jpg", ".jpeg", ".svg", ".gif", ".bmp", ".tif", ".tiff", ".webp"),
    *(".parquet", ".arrow", ".feather", ".npy", ".npz", ".pkl", ".pt", ".h5", ".hdf5"),
    *(".gz", ".bz2", ".xz", ".zst", ".zip", ".tar"),
}
# Linux follows no more links than this.
_MOST_LINKS = 40
# A longer first line is no header.
_LONGEST_LINE = 2**24
# Windows locks bytes, also behind the end of a file.
_FAR = 2**40


class _Goal(NamedTuple):
    path: Path
    through: bool  # whether it is written to as it is, never replaced


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to; `path` has its content when the context ends well, and nothing of it otherwise.

    Raises
    ------
    OSError
        If the path is a directory, or cannot be written.
    """
    goal = _goal(path)
    if goal.through:  # only then, since half of a result in a pipe looks like a whole one
        buffer = io.BytesIO()
        yield buffer
        with os.fdopen(os.open(goal.path, os.O_WRONLY | os.O_APPEND), "wb") as file:
            file.write(buffer.getbuffer())
        return
    if goal.path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if goal.path.exists() and not os.access(goal.path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with _replacing(goal.path) as temporary, temporary.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def write(path: Path, data: bytes) -> None:
    """Bytes, as `writing` does."""
    with writing(path) as file:
        file.write(data)


def append(path: Path, lines: Callable[[bytes, bytes], bytes]) -> None:
    """Append to a file what `lines` returns for its first line and its last byte, one process after the other.

    Both are empty for a new file, and for a device or a pipe, which is not read.

    Raises
    ------
    OSError
        If the path is a directory, or cannot be written. A file then keeps its size.
    """
    goal = _goal(path)
    if goal.through:
        write(path, lines(b"", b""))
        return
    with goal.path.open("a+b", buffering=0) as file, _locked(file):
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        end = file.read(1)
        file.seek(0)
        data = memoryview(lines(file.readline(_LONGEST_LINE), end))
        try:
            while data:
                data = data[file.write(data) :]
        except OSError:
            file.truncate(size)
            raise


def start(path: Path) -> bytes:
    """The first line of a file; empty for a new file, and for a device or a pipe, which is not read."""
    goal = _goal(path)
    if goal.through or not goal.path.exists():
        return b""
    with goal.path.open("rb") as file:
        return file.readline(_LONGEST_LINE)


@contextlib.contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
    """Wait until no other process appends to a file; the operating system ends that when a process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(_FAR)  # locked bytes cannot be read
        getattr(msvcrt, "locking")(file.fileno(), getattr(msvcrt, "LK_LOCK"), 1)  # noqa: B009  (no stubs on Linux)
        try:
            yield
        finally:
            file.seek(_FAR)
            getattr(msvcrt, "locking")(file.fileno(), getattr(msvcrt, "LK_UNLCK"), 1)  # noqa: B009
    else:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def writing_folder(path: Path) -> Iterator[Path]:
    """A directory to fill, which takes the place of `path`, new or an empty directory, when the context ends well.

    Raises
    ------
    FileExistsError
        If the path is something else: the message says what it must be.
    OSError
        If it cannot be written.
    """
    check_folder(path)
    with _replacing(_goal(path).path) as temporary:
        temporary.mkdir()
        yield temporary


def check_folder(path: Path) -> None:
    """Raise FileExistsError unless `path` is new or an empty directory."""
    goal = _goal(path)
    there = goal.through or goal.path.exists()
    if there and not (goal.path.is_dir() and not any(goal.path.iterdir())):
        raise FileExistsError(f"{path} must be a directory that is new or empty")
    if there and goal.path == Path.cwd():  # which would be deleted below the shell that is in it
        raise FileExistsError(f"{path} must not be the working directory: name a new one in it")


def refusal(path: Path) -> str:
    """Why no file can be written to a path, as far as that is known before; empty otherwise."""
    try:
        goal = _goal(path)
        if goal.path.is_dir():
            return "is a directory"
        if not goal.through and goal.path.exists() and not os.access(goal.path, os.W_OK):
            return f"cannot be written: {os.strerror(errno.EACCES)}"
        if goal.through or (goal.path.parent.is_dir() and os.access(goal.path.parent, os.W_OK)):
            return ""
    except OSError as error:
        return f"cannot be written: {error.strerror or error}"
    return f"{(goal.path if path.is_symlink() else path).parent} is not a directory that can be written to"


def _goal(path: Path) -> _Goal:
    """Where the bytes go."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:  # or a link that leads nowhere yet
        return _Goal(Path(os.path.realpath(path)), through=False)
    except ValueError as error:  # a null byte, which no path can have
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)) or _is_descriptor(path):
        return _Goal(path, through=True)
    return _Goal(Path(os.path.realpath(path)), through=False)


def _is_descriptor(path: Path) -> bool:
    """Whether a path leads to what a process has open: it would not see a file that took the name of that one."""
    for _ in range(_MOST_LINKS):
        if f"{os.path.realpath(path.parent)}/".startswith(_DESCRIPTORS):
            return True
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return False


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Where to write what takes the place of `path` when the context ends well."""
    # Not by `tempfile`, whose files only the owner may read; of a short name, since 255 bytes may be all a name has.
    temporary = path.with_name(f".omniou-{os.urandom(8).hex()}")
    try:
        yield temporary
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary)
        else:
            temporary.unlink(missing_ok=True)


def misnamed(path: Path, *endings: str) -> str:
    """Why the ending of a name does not fit an output that has one of these endings; empty if it fits, or says nothing.

    Without endings, the output is a directory. Devices and pipes may have any name.
    """
    ending = path.suffix.lower()
    if ending not in _MEANING or ending in endings or (path.exists() and not path.is_file()):
        return ""
    if not endings:
        return f"the ending {ending} is of a file, and the output is a directory: call it {path.stem}"
    name = path.stem if path.stem.endswith(endings[0]) else path.with_suffix(endings[0]).name  # of a.json.gz, a.json
    return f"the ending {ending} is of another format: call it {name}"
