"""Files of a head and named columns: archives of NumPy, and Arrow, which is mapped into memory."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou.data import _arrow

Column = npt.NDArray[Any]
Content = tuple[dict[str, Any], dict[str, Column]]

ARROW, _ARCHIVE = b"ARROW1", b"PK"
_HEAD = b"omniou"
_COMPRESSED = "it is compressed, as omniou writes none"


def write_npz(file: IO[bytes], head: Mapping[str, Any], columns: Mapping[str, Column]) -> None:
    """Write an uncompressed archive, with the head as bytes of JSON in the array ``head``."""
    text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {**columns, "head": text}
    np.savez(file, **arrays)


def read_npz(file: IO[bytes]) -> Content:
    """Read what `write_npz` wrote. Compressed archives are refused: 1 MB may unpack to 1 GB."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if any(x.compress_type != zipfile.ZIP_STORED for x in members) or sum(x.file_size for x in members) > size:
            raise ValueError(_COMPRESSED)
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        columns = {name: archive[name] for name in archive.files}
    return json.loads(columns.pop("head").tobytes()), columns


def write_arrow(file: IO[bytes], head: Mapping[str, Any], columns: Mapping[str, Column]) -> None:
    """Write one row, in which each column is a list. The head is JSON in the metadata of the schema."""
    extras.check("pyarrow", "a state in a file .arrow")
    import pyarrow as pa  # type: ignore[import-untyped]

    lists, fields = [], []
    for name, x in columns.items():
        flat = np.ascontiguousarray(x).reshape(-1)
        lists.append(pa.LargeListArray.from_arrays(pa.array([0, flat.size], pa.int64()), pa.array(flat)))
        shape = {b"shape": json.dumps(x.shape).encode()}
        fields.append(pa.field(name, lists[-1].type, nullable=False, metadata=shape))
    schema = pa.schema(fields, metadata={_HEAD: json.dumps(head).encode()})
    with pa.ipc.new_file(file, schema) as writer:
        writer.write_batch(pa.record_batch(lists, schema=schema))


def read_arrow(source: Path | bytes) -> Content:
    """Read what `write_arrow` wrote. The columns of a file are views of its map in memory."""
    extras.check("pyarrow", "a state in a file .arrow")
    import pyarrow as pa

    if _arrow.unpacked(source):
        raise ValueError(_COMPRESSED)
    reader = pa.ipc.open_file(pa.BufferReader(_arrow.mapped(source) if isinstance(source, Path) else source))
    batch, schema = reader.get_batch(0), reader.schema
    batch.validate(full=True)  # Arrow does not check offsets: a damaged file could make it read beyond its buffers
    columns = {
        field.name: list_.values.to_numpy(zero_copy_only=True).reshape(json.loads(field.metadata[b"shape"]))
        for field, list_ in zip(schema, batch.columns, strict=True)
    }
    return json.loads(schema.metadata[_HEAD]), columns


def read(path: Path) -> Content:
    """Read a file of either kind, by its content."""
    with path.open("rb") as file:  # opened here, for NumPy leaves a file open that is no archive
        if _is_archive(file.read(len(ARROW))):
            file.seek(0)
            return read_npz(file)
    return read_arrow(path)


def read_bytes(data: bytes) -> Content:
    """Read the bytes of a file of either kind."""
    return read_npz(io.BytesIO(data)) if _is_archive(data) else read_arrow(data)


def _is_archive(start: bytes) -> bool:
    if not start.startswith((ARROW, _ARCHIVE)):
        raise ValueError("neither an archive of NumPy nor a file of Arrow")
    return start.startswith(_ARCHIVE)
