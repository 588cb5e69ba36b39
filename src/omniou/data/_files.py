"""Files as bytes, and the files of a folder; a fault is one message that names the file."""

import contextlib
import errno
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from omniou.data._errors import InputError

GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 2**20
# How many bytes of a file are read to recognise its format.
HEAD = 2**16
# Bytes that an archive may unpack to unless options say otherwise: so many, or so many times its own size. Files of
# detections shrink to a tenth or so; what shrinks to a thousandth is a mistake, or meant to fill the memory.
_UNPACKED, _TIMES = 2**28, 100
_PIPE = "is no file that can be read twice: a pipe, perhaps"


def read_text(path: Path, *, expected: str = "file", max_unpacked: int | None = None) -> bytes:
    """The bytes of a file, checked to be UTF-8: decompressed if need be, and without a byte order mark."""
    data = b"".join(_chunks(path, expected, whole=True, max_unpacked=max_unpacked)).removeprefix(_BYTE_ORDER_MARK)
    try:
        if not data.isascii():
            data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(path, f"not UTF-8 text ({line_of(data, error.start)})") from None
    return data


def head(path: Path) -> bytes:
    """The first bytes of a file, decompressed, or fewer."""
    data = b""
    for chunk in _chunks(path, "file"):
        data += chunk
        if len(data) >= HEAD:
            break
    return data[:HEAD].removeprefix(_BYTE_ORDER_MARK)


def in_folder(path: Path) -> list[Path]:
    """The files of a folder, but hidden ones, by name; or the file itself."""
    with _named(path):
        if path.is_file():
            return [path]
        return sorted(x for x in path.iterdir() if x.is_file() and not x.name.startswith("."))


def is_folder(path: Path) -> bool:
    """Whether it is one that can be looked into; reading says what is wrong with a path that is nothing."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether it is a file, as far as the system tells."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def decimal_comma(text: str) -> str:
    """A hint where a number is written as it is in many countries."""
    return "; write 0.5, not 0,5" if re.fullmatch(r"[-+]?\d*,\d+", text.strip()) else ""


@contextlib.contextmanager
def _named(path: Path, expected: str = "file") -> Iterator[None]:
    """What the system says of a path, as the error of a reader."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except NotADirectoryError:
        raise InputError(path, _PIPE if path.exists() else "no such file") from None
    except OSError as error:
        if error.errno == errno.ESPIPE:
            raise InputError(path, _PIPE) from None
        if is_folder(path) and error.errno != errno.EACCES:  # which systems report in different ways
            raise InputError(path, f"is a directory; a {expected} was expected") from None
        shown = path if error.errno != errno.ENAMETOOLONG else f"{str(path)[:80]}..."
        raise InputError(shown, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        if "null" not in str(error):
            raise
        raise InputError(repr(str(path)), "is no path: it has a null character") from None


def line_of(data: bytes, byte: int) -> str:
    """Where a byte is, in words."""
    line = data.count(b"\n", 0, byte) + 1
    return f"line {line}, byte {byte}"


def _chunks(path: Path, expected: str, *, whole: bool = False, max_unpacked: int | None = None) -> Iterator[bytes]:
    """The bytes of a file, decompressed: of a plain one all at once if asked for, which saves a copy."""
    with _named(path, expected), path.open("rb", buffering=0) as file:  # a buffer costs one more copy
        packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if packed:
            yield from _unpacked(path, file, max_unpacked)
            return
        while chunk := file.read(-1 if whole else _CHUNK):
            yield chunk


def _unpacked(path: Path, file: IO[bytes], max_unpacked: int | None) -> Iterator[bytes]:
    """The bytes of an archive, as long as they are not too many."""
    most = max(_UNPACKED, _TIMES * path.stat().st_size) if max_unpacked is None else max_unpacked
    count = 0
    try:
        with gzip.GzipFile(fileobj=file) as source:
            while chunk := source.read(_CHUNK):
                count += len(chunk)
                if count > most:
                    fault = (
                        f"the archive unpacks to more than {most} bytes: --max-unpacked, or `max_unpacked`, allows it"
                    )
                    raise InputError(path, fault)
                yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(path, "the gzip archive is damaged or was cut off") from None
