"""Files for Arrow, and how many bytes their compressed buffers unpack to, before any of them is."""

import struct
from pathlib import Path
from typing import Any

# Places of fields in the tables of Arrow's format, https://arrow.apache.org/docs/format/Columnar.html.
_HEADER_TYPE, _HEADER = 1, 2
_DICTIONARY, _BATCH = 2, 3
_DATA_OF_DICTIONARY = 1
_BUFFERS, _COMPRESSION = 2, 3


def mapped(path: Path) -> Any:
    """The bytes of a file as a buffer of Arrow, mapped into memory where Arrow takes its name, which must be UTF-8."""
    import pyarrow as pa  # type: ignore[import-untyped]

    return pa.memory_map(str(path)).read_buffer() if _is_text(path) else pa.py_buffer(path.read_bytes())


def opened(path: Path) -> Any:
    """A file that Arrow reads; its name need not be UTF-8."""
    import pyarrow as pa

    return pa.OSFile(str(path)) if _is_text(path) else pa.PythonFile(path.open("rb"))


def _is_text(path: Path) -> bool:
    return not any("\ud800" <= x <= "\udfff" for x in str(path))


def unpacked(source: Path | bytes) -> int:
    """Bytes of all compressed buffers when unpacked; 0 of a file that has none.

    Raises
    ------
    struct.error, ArrowException, OSError
        If the file is damaged.
    """
    import pyarrow as pa

    data = mapped(source) if isinstance(source, Path) else pa.py_buffer(source)
    # A file is a stream between two marks of 8 bytes and more.
    stream = data.slice(8) if bytes(data[:6]) == b"ARROW1" else data
    total = 0
    reader = pa.ipc.MessageReader.open_stream(stream)
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return total
        total += _of_message(bytes(message.metadata), message.body)


def _of_message(head: bytes, body: Any) -> int:
    (root,) = struct.unpack_from("<I", head, 0)
    kind = head[at] if (at := _field(head, root, _HEADER_TYPE)) else 0
    table = _target(head, _field(head, root, _HEADER))
    if kind == _DICTIONARY:
        table = _target(head, _field(head, table, _DATA_OF_DICTIONARY))
    if kind not in {_DICTIONARY, _BATCH} or not _field(head, table, _COMPRESSION):
        return 0
    buffers = _target(head, _field(head, table, _BUFFERS))
    (count,) = struct.unpack_from("<I", head, buffers)
    total = 0
    for k in range(count):
        offset, length = struct.unpack_from("<qq", head, buffers + 4 + 16 * k)
        if length:  # the size when unpacked comes first, or -1 for a buffer that is as it is
            total += max(length, *struct.unpack_from("<q", body, offset))
    return total


def _field(head: bytes, table: int, number: int) -> int:
    """Where a field of a table is; 0 if it has none."""
    (back,) = struct.unpack_from("<i", head, table)
    (size,) = struct.unpack_from("<H", head, table - back)
    if 4 + 2 * number >= size:
        return 0
    (at,) = struct.unpack_from("<H", head, table - back + 4 + 2 * number)
    return table + at if at else 0


def _target(head: bytes, at: int) -> int:
    (offset,) = struct.unpack_from("<I", head, at)
    return at + int(offset)
