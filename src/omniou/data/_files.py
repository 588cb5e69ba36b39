"""Files as bytes, and the files of a folder; a fault is one message that names the file."""

import contextlib
import contextvars
import errno
import gzip
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from omniou._lib import checks
from omniou.data import _faults
from omniou.data._errors import InputError

GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 2**20
# How many bytes of a file are read to recognise its format.
HEAD = 2**16
_PICKLE = "is a pickle, which is not read since it may run code: write COCO's JSON from Python"
_PIPE = "is not a file that can be read twice: a pipe, perhaps"


def read_text(path: Path, *, expected: str = "file") -> bytes:
    """The bytes of a file, checked to be UTF-8: decompressed if need be, and without a byte order mark."""
    data = read_bytes(path, expected=expected)
    if what := what_else(data):
        raise InputError(path, what)
    try:
        if not data.isascii():
            data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(path, f"not UTF-8 text ({line_of(data, error.start)})") from None
    faults = _faults.collected()
    return data if faults is None else faults.without_lines(path, data)


def read_bytes(path: Path, *, expected: str = "file") -> bytes:
    """The bytes of a file, decompressed if need be, and without the byte order mark of UTF-8."""
    return b"".join(_chunks(path, expected, size=-1)).removeprefix(_BYTE_ORDER_MARK)


def read_once(path: Path, *, expected: str = "file") -> bytes:
    """The bytes of a file, or of a pipe, that is read once and may be no text."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise InputError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return b"".join(_chunks(path, expected, size=-1, once=True))


# The first bytes of other types of files, the names of these types, and what to do.
_OTHERS = (
    (b"PK\x03\x04", "is a ZIP archive: unpack it first"),
    (b"\xff\xfe", "is text in UTF-16: convert it to UTF-8, as by `iconv -f UTF-16 -t UTF-8`"),
    (b"\xfe\xff", "is text in UTF-16: convert it to UTF-8, as by `iconv -f UTF-16 -t UTF-8`"),
    (b"\x80\x02}", _PICKLE),
    (b"\x80\x03", _PICKLE),
    (b"\x80\x04", _PICKLE),
    (b"\x80\x05", _PICKLE),
    (b"\xfd7zXZ\x00", "is compressed by xz: unpack it first, as by `unxz`"),
    (b"BZh", "is compressed by bzip2: unpack it first, as by `bunzip2`"),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it first, as by `unzstd`"),
    (b"\x93NUMPY", "is an array of NumPy: write a format of `omniou formats` with its columns"),
    (b"\x89PNG", "is a picture: --kind semantic and --kind panoptic read label maps, in directories of PNG files"),
    (b"\xff\xd8\xff", "is a picture, and no file of objects"),
    (b"\x89HDF", "is an HDF5 file: write a format of `omniou formats` with its columns"),
)


def what_else(data: bytes) -> str:
    """What a file is that no reader reads, and the way out; empty for all others."""
    return next((what for start, what in _OTHERS if data.startswith(start)), "")


def head(path: Path) -> bytes:
    """The first bytes of a file, decompressed, or fewer."""
    data = b""
    for chunk in _chunks(path, "file"):
        data += chunk
        if len(data) >= HEAD:
            break
    return data[:HEAD].removeprefix(_BYTE_ORDER_MARK)


def in_folder(path: Path) -> list[Path]:
    """The files below a folder, but hidden ones, in the order of their paths; or the file itself."""
    if path.is_file():
        return [path]
    try:
        return list(_below(path, {path.resolve()}))
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except NotADirectoryError:
        what = _PIPE if path.exists() else "no such file"
        raise InputError(path, what) from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def lacking(folder: Path, what: str) -> InputError:
    """An error for a folder without files of a type; it tells what the folder has."""
    endings = {x.suffix.lower() or x.name for x in in_folder(folder)}
    folders = [x.name for x in sorted(folder.iterdir()) if x.is_dir()]
    has = (
        f"files such as {min(endings)}"
        if endings
        else f"directories without files, such as {folders[0]!r}"
        if folders
        else ""
    )
    return InputError(folder, f"the directory has no {what}{f', only {has}' if has else ''}")


def _below(folder: Path, above: set[Path]) -> Iterator[Path]:
    # Names in order give paths in order. To compare names takes a tenth of the time that to compare paths does.
    for entry in sorted(os.scandir(folder), key=lambda entry: os.path.normcase(entry.name)):
        if entry.name.startswith("."):
            continue
        path = folder / entry.name
        if entry.is_file():
            yield path
        # A link to a folder that this one is in would be followed for ever.
        elif entry.is_dir() and (real := path.resolve()) not in above:
            yield from _below(path, above | {real})


def count(files: Sequence[Path]) -> str:
    """How many files, and in how many folders where there are several."""
    folders = len({file.parent for file in files})
    words = f"{len(files)} file{'s' * (len(files) != 1)}"
    return words if folders < 2 else f"{words} in {folders} folders"


def line_of(data: bytes, byte: int) -> str:
    """Where a byte is, in words."""
    line = data.count(b"\n", 0, byte) + 1
    return f"line {line}, byte {byte}"


def checked(path: Path | str) -> Path:
    """Return a path that exists. Raise InputError otherwise, also for a byte that no path can have."""
    path = Path(checks.instance("path", path, str | os.PathLike, "a path"))
    try:
        path.stat()
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except NotADirectoryError:
        raise InputError(path, "no such file: a part of the path is not a directory") from None
    except OSError as error:
        raise InputError(_shortened(path), f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(str(path).encode("unicode_escape").decode(), f"is not a path: {error}") from None
    return path


def _shortened(path: Path) -> str:
    text = str(path)
    return text if len(text) <= _LONG else f"{text[:_LONG]}..."


# Most bytes that a compressed file may unpack to; None: as many times its size, or as many at least.
_MOST: contextvars.ContextVar[int | None] = contextvars.ContextVar("most bytes unpacked", default=None)
_TIMES, _AT_LEAST = 100, 2**26
# Most bytes of a pipe that is copied, since nothing tells its size.
_MOST_PIPED = 2**31
_ALLOWS_MORE = "if it is what it should be, --max-unpacked (`max_unpacked` of Options) allows more"
_LONG = 200


@contextlib.contextmanager
def unpacking(most: int | None) -> Iterator[None]:
    """Readers unpack no more than that; None changes nothing."""
    token = _MOST.set(_MOST.get() if most is None else most)
    try:
        yield
    finally:
        _MOST.reset(token)


def check_unpacked(path: Path, total: int, what: str, *, stored: int | None = None) -> None:
    """Raise if stored bytes, by default the bytes of the file, unpack to implausibly many."""
    if total > (most := _allowed(path.stat().st_size if stored is None else stored)):
        raise InputError(path, f"{what} to more than {most / 1e6:,.0f} MB: {_ALLOWS_MORE}")


def copy_pipe(source: IO[bytes], path: Path, goal: IO[bytes]) -> None:
    """Copy what comes through a pipe of that name, unless it does not end."""
    most = _MOST_PIPED if (given := _MOST.get()) is None else given
    total = 0
    while True:
        try:
            chunk = source.read(_CHUNK)
        except OSError as error:
            why = "it is closed" if error.errno == errno.EBADF else error.strerror or error
            raise InputError(path, f"cannot be read: {why}") from None
        if not chunk:
            return
        total += len(chunk)
        if total > most:
            raise InputError(path, f"does not end after {most / 1e6:,.0f} MB: {_ALLOWS_MORE}")
        goal.write(chunk)


def _allowed(stored: int) -> int:
    given = _MOST.get()
    return max(_TIMES * stored, _AT_LEAST) if given is None else given


def _unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The content of a gzip archive, of a size that is plausible for it."""
    stored = os.fstat(file.fileno()).st_size
    source, total = cast("IO[bytes]", gzip.GzipFile(fileobj=file)), 0
    while chunk := source.read(_CHUNK):
        total += len(chunk)
        check_unpacked(path, total, "the gzip archive unpacks", stored=stored)
        yield chunk


def _endless(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The content of a device or a pipe, whose size nothing tells."""
    total, most = 0, _allowed(0)
    while chunk := file.read(_CHUNK):
        total += len(chunk)
        if total > most:
            what = f"is a device or a pipe, and does not end after {most / 1e6:,.0f} MB: copy it to a file first"
            raise InputError(path, what)
        yield chunk


def _content(path: Path, file: IO[bytes], size: int, *, once: bool) -> Iterator[bytes]:
    if not once:
        packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if packed:
            yield from _unpacked(path, file)
            return
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        yield from _endless(path, file)
        return
    while chunk := file.read(size):
        yield chunk


def _chunks(path: Path, expected: str, *, size: int = _CHUNK, once: bool = False) -> Iterator[bytes]:
    """Yield the content of a file. With `once`, also of a pipe, and without unpacking."""
    try:
        with path.open("rb", buffering=0) as file:  # else what is read whole is copied once more
            yield from _content(path, file, size, once=once)
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(path, "the gzip archive is damaged or was cut off") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path).encode("unicode_escape").decode(), f"is not a path: {error}") from None
    except OSError as error:
        if error.errno == errno.ESPIPE:
            raise InputError(path, _PIPE) from None
        if path.is_dir():  # which systems report in different ways
            raise InputError(path, f"is a directory; a {expected} was expected") from None
        raise InputError(_shortened(path), f"cannot be read: {error.strerror or error}") from None
