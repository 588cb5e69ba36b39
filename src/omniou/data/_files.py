"""Files as bytes, and the files of a folder; a fault is one message that names the file."""

import errno
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from omniou.data._errors import InputError

GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 2**20
# How many bytes of a file are read to recognise its format.
HEAD = 2**16
_PIPE = "is no file that can be read twice: a pipe, perhaps"


def read_text(path: Path, *, expected: str = "file") -> bytes:
    """The bytes of a file, checked to be UTF-8: decompressed if need be, and without a byte order mark."""
    data = b"".join(_chunks(path, expected, size=-1)).removeprefix(_BYTE_ORDER_MARK)
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
    if path.is_file():
        return [path]
    try:
        return sorted(x for x in path.iterdir() if x.is_file() and not x.name.startswith("."))
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except NotADirectoryError:
        what = _PIPE if path.exists() else "no such file"
        raise InputError(path, what) from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def line_of(data: bytes, byte: int) -> str:
    """Where a byte is, in words."""
    line = data.count(b"\n", 0, byte) + 1
    return f"line {line}, byte {byte}"


def _chunks(path: Path, expected: str, *, size: int = _CHUNK) -> Iterator[bytes]:
    try:
        with path.open("rb", buffering=0) as file:  # else what is read whole is copied once more
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            source = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file
            while chunk := source.read(size):
                yield chunk
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(path, "the gzip archive is damaged or was cut off") from None
    except OSError as error:
        if error.errno == errno.ESPIPE:
            raise InputError(path, _PIPE) from None
        if path.is_dir():  # which systems report in different ways
            raise InputError(path, f"is a directory; a {expected} was expected") from None
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None
