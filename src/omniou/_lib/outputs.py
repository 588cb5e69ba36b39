"""The one way to write a file or a directory: atomically where it has a name of its own, straight through elsewhere.

A regular file is replaced when all of its bytes are on the disk, and keeps its permissions. A symbolic link stays, and
the file that it leads to is replaced. Devices, named pipes and what a process has open, such as ``/dev/stdout``, are
written to and never replaced.
"""

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

# Links in which Linux and macOS show the files that a process has open.
_DESCRIPTORS = ("/proc/", "/dev/fd")
# Linux follows no more links than this.
_MOST_LINKS = 40


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
    goal = _goal(path)
    there = goal.through or goal.path.exists()
    if there and not (goal.path.is_dir() and not any(goal.path.iterdir())):
        raise FileExistsError(f"{path} must be a directory that is new or empty")
    if there and goal.path == Path.cwd():  # which would be deleted below the shell that is in it
        raise FileExistsError(f"{path} must not be the working directory: name a new one in it")
    with _replacing(goal.path) as temporary:
        temporary.mkdir()
        yield temporary


def refusal(path: Path) -> str:
    """Why no file can be written to a path, as far as that is known before; empty otherwise."""
    try:
        goal = _goal(path)
        if goal.path.is_dir():
            return "is a directory"
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
    temporary = path.with_name(f".omniou-{secrets.token_hex(8)}")
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
