"""Tables in files of Parquet or Arrow: a row for each object or detection, columns known by name."""

import bisect
import dataclasses
import itertools
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib import checks, extras, threads
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data import _arrow, _files, _names
from omniou.data._errors import MISSING_SCORES, InputError, OptionError
from omniou.data._formats import Format, Reader, file_rows, text_lines
from omniou.data._formats.column_words import known_columns, renaming
from omniou.data._formats.file_rows import FileRows, Place, in_radians
from omniou.data._names import Coded, Listed
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth, Naming
from omniou.detection import Detections

Column = npt.NDArray[Any]

_CORNERS = ("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4")
# Kind -> columns of a box, and the format that they are in.
_BOXES: dict[str, dict[tuple[str, ...], str]] = {
    "bbox": {("x", "y", "width", "height"): "xywh", ("xmin", "ymin", "xmax", "ymax"): "xyxy"},
    "rotated": {("cx", "cy", "width", "height", "angle"): "cxcywhr", _CORNERS: "xyxyxyxy"},
    "polygons": {_CORNERS: "vertices"},
}
# Columns made of the lists in a column "bbox".
_LISTED = tuple(f"bbox[{k}]" for k in range(4))
_ROWS = "write a row for each object, with columns such as image_id, category_id, x, y, width, height"
# Whole numbers below are exact as floats.
_EXACT = 2**53
_IDS = ("image_id", "category_id")
# What a function `similarity` is called with.
_PAYLOAD = "payload"


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a table of objects."""
    return truth_of(_ParquetTable(*_tables(Path(path), options, "ground truth"), options, ()))


def truth_of(table: "_ParquetTable") -> GroundTruth:
    """The ground truth of a table that was read, or that is in memory."""
    options, path = table.options, table.path
    objects = ~table.is_empty()
    known = text_lines.names_of_classes(options)
    rows = table.rows(objects)
    images = listed(table.ids("image_id", np.ones_like(objects)).keys, complete=True)
    categories = known or listed(rows.labels.keys, complete=False)
    truth = file_rows.truth(path, rows, images, categories, options)
    without = dataclasses.replace(truth.targets, boxes=None, format=None)
    return truth if table.box else dataclasses.replace(truth, targets=without)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read a table of detections."""
    return detections_of(_ParquetTable(*_tables(Path(path), options, "detections"), options, ("score",)), truth)


def detections_of(table: "_ParquetTable", truth: GroundTruth) -> Detections[Column]:
    """The detections of a table that was read, or that is in memory."""
    path = table.path
    rows = table.rows(np.ones(table.length, dtype=bool))
    scores = np.full(table.length, np.nan) if rows.scores is None else rows.scores
    rows = file_rows.with_scores(rows, scores, np.isnan(scores), table.options)
    found = file_rows.detections(path, rows, truth, table.options)
    return found if table.box else dataclasses.replace(found, boxes=None, format=None)


class _ParquetTable:
    """All rows of all tables. Messages name the file of each table."""

    def __init__(
        self,
        path: Path,
        files: Sequence[Path],
        tables: Sequence[Any],
        options: Options,
        needed: tuple[str, ...],
        *,
        payload: bool = False,
    ) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]

        self.path, self.files, self.tables = path, files, tables
        tables = [_with_known_columns(file, table, options) for file, table in zip(files, tables, strict=True)]
        for file, table in zip(self.files, tables, strict=True):
            wanted = () if options.missing_scores else needed
            _check_columns(file, table.column_names, wanted, options.read_kind, payload=payload)
        self.options, self.box = options, _box_of(tables[0].column_names, options.read_kind)
        self.first = [0, *itertools.accumulate(table.num_rows for table in tables)]
        self.length = self.first[-1]
        names = (*_IDS, *self.box, *needed, *(() if needed else ("iscrowd", "ignore", "area")))
        if payload and _PAYLOAD in tables[0].column_names:
            names = (*names, *(("area",) if needed else ()), _PAYLOAD)
        kept = [table.select([name for name in names if name in table.column_names]) for table in tables]
        try:
            self.data = pa.concat_tables(kept, promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError(path, f"the columns of the files do not fit together: {_one_line(error)}") from None

    def rows(self, kept: Column) -> FileRows:
        """The rows that have an object."""
        places = np.flatnonzero(kept)

        def place(row: int, field: str) -> Place:
            number = int(places[row])
            k = bisect.bisect_right(self.first, number) - 1
            return Place(self.files[k], f"row {number - self.first[k]}, {field}")

        names = self.data.column_names
        format = _BOXES[self.options.read_kind].get(self.box, self.options.boxes or "xywh")
        # Rows without a shape are read with boxes of zeros, which are taken away again.
        columns = [self.numbers(name)[kept] for name in self.box]
        boxes = np.stack(columns, axis=1) if columns else np.zeros((len(places), 4))
        return FileRows(
            images=self.ids("image_id", kept),
            labels=self.ids("category_id", kept),
            boxes=in_radians(boxes, format, self.options) if "angle" in self.box else boxes,
            format=format,
            geometry=self.options.geometry if self.box else UPRIGHT,
            place=place,
            fields=(*_IDS, *self.box),
            scores=self.numbers("score")[kept] if "score" in names else None,
            crowd=self.flags("iscrowd")[kept] if "iscrowd" in names else None,
            ignore=self.flags("ignore")[kept] if "ignore" in names else None,
            area=self.areas(places) if "area" in names else None,
            payload=self.data[_PAYLOAD].take(places).to_pylist() if _PAYLOAD in names else None,
            unread=lambda: self.unread(kept),
        )

    def areas(self, places: Column) -> Column:
        """The areas that rows state, NaN for the area of the box."""
        areas = self.numbers("area")[places]
        if not self.box and (missing := np.isnan(areas)).any():
            raise self._fault(int(places[missing.argmax()]), "area", "missing")
        return areas

    def unread(self, kept: Column) -> dict[str, Column]:
        """The columns that are passed over, and which rows have a value there."""
        known = {*self.data.column_names, "bbox"} | set(known_columns([*self.tables[0].column_names]).values())
        names = {name for table in self.tables for name in table.column_names} - known

        def there(table: Any, name: str) -> Column:
            has = name in table.column_names
            return ~table[name].is_null().to_numpy() if has else np.zeros(table.num_rows, dtype=bool)

        return {name: np.concatenate([there(x, name) for x in self.tables])[kept] for name in sorted(names)}

    def is_empty(self) -> Column:
        """Whether each row has only nulls next to the image: an image without objects."""
        empty = np.ones(self.length, dtype=bool)
        for name in ("category_id", *self.box, *{_PAYLOAD}.intersection(self.data.column_names)):
            empty &= self.data[name].is_null().to_numpy()
        return empty

    def ids(self, name: str, kept: Column) -> Coded:
        """A column of integers or strings."""
        import pyarrow as pa

        column = _plain(self.data[name])
        kind = column.type
        if pa.types.is_floating(kind):  # as pandas has integers with gaps
            kind, column = pa.int64(), self._as_integers(name, kept)
        if not (pa.types.is_integer(kind) or _is_text(kind)):
            # A column of nulls has no type.
            if not pa.types.is_null(kind):
                raise self._wrong(name, "integers or strings")
            column = column.cast(pa.int64())
        column = column.filter(pa.array(kept)).combine_chunks()
        if column.null_count:
            missing = np.flatnonzero(kept)[column.is_null().to_numpy(zero_copy_only=False).argmax()]
            raise self._fault(int(missing), name, "missing")
        coded = column.dictionary_encode()
        return Coded(coded.indices.to_numpy().astype(np.int64), coded.dictionary.to_pylist())

    def _as_integers(self, name: str, kept: Column) -> Any:
        """A column of floats that are whole where they are needed, null for NaN."""
        import pyarrow as pa

        values = self.numbers(name)
        fraction = kept & ~np.isnan(values) & ((values != np.floor(values)) | (np.abs(values) >= _EXACT))
        if fraction.any():
            row = int(fraction.argmax())
            raise self._fault(row, name, f"expected integer, got {values[row]:g}")
        known = np.isfinite(values) & (np.abs(values) < _EXACT)
        return pa.chunked_array([pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)])

    def numbers(self, name: str) -> Column:
        """A column of numbers, NaN for null."""
        import pyarrow as pa

        column = _plain(self.data[name])
        try:
            numbers = column.cast(pa.float64(), safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise self._wrong(name, "numbers") from None
        if _is_text(column.type):
            raise self._wrong(name, "numbers")
        return numbers.to_numpy()

    def flags(self, name: str) -> Column:
        """A column of booleans, of 0 and 1, or of words; false for null."""
        column = _plain(self.data[name])
        values = column.to_pylist() if _is_text(column.type) else np.nan_to_num(self.numbers(name)).tolist()
        return _names.flags(values, lambda row, what: self._fault(row, name, what))

    def _wrong(self, name: str, expected: str) -> InputError:
        return InputError(self.files[0], f"expected {expected}, got {self.data[name].type}", place=f"column {name}")

    def _fault(self, row: int, name: str, what: str) -> InputError:
        k = bisect.bisect_right(self.first, row) - 1
        return InputError(self.files[k], what, place=f"row {row - self.first[k]}, {name}")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(column: Any) -> Any:
    """A column without a dictionary, and with strings of the common type in place of views, as Polars writes them."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    return column.cast(pa.large_string()) if is_view(column.type) else column


def _with_known_columns(path: Path, table: Any, options: Options) -> Any:
    """A table with the numbers of a list column "bbox" in columns, and flags by their usual names."""
    import pyarrow as pa

    for name, role in (("iscrowd", "crowd"), ("ignore", "difficult")):
        other = known_columns(table.column_names).get(role)
        if name not in table.column_names and other is not None:
            table = table.append_column(name, table[other])
    named = _box_of(table.column_names, options.read_kind)
    if options.boxes is not None and (named or "bbox" not in table.column_names):
        fault = f"is for the numbers of a list column bbox, and {path} has columns {', '.join(named) or 'without it'}"
        raise OptionError(f"`boxes` {options.boxes!r} {fault}")
    if named or options.read_kind != "bbox" or "bbox" not in table.column_names:
        return table
    column = table["bbox"].combine_chunks()
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(is_list(column.type) for is_list in lists):
        raise InputError(path, f"expected lists of 4 numbers, got {column.type}", place="column bbox")
    if any(is_list(column.type.value_type) for is_list in lists):
        raise InputError(path, f"has a list of boxes in each row: {_ROWS}", place="column bbox")
    lengths = pa.compute.list_value_length(column)
    wrong = np.flatnonzero(np.nan_to_num(lengths.to_numpy(zero_copy_only=False), nan=4) != 4)
    if wrong.size:
        raise InputError(path, f"expected 4 numbers, got {lengths[int(wrong[0])]}", place=f"row {wrong[0]}, bbox")
    for k, name in enumerate(_LISTED):
        table = table.append_column(name, pa.compute.list_element(column, k))
    return table


def in_memory(
    name: str, table: Any, options: Options, needed: tuple[str, ...], *, payload: bool = False
) -> _ParquetTable:
    """A table of Arrow, called by a name in messages. With `payload`, a column of this name is read, if it is there."""
    checks.choice("kind", options.read_kind, _BOXES)
    return _ParquetTable(Path(name), [Path(name)], [table], options, needed, payload=payload)


def _tables(path: Path, options: Options, what: str) -> tuple[Path, list[Path], list[Any]]:
    """The path, its files, and their tables."""
    extras.check("pyarrow", "Parquet")
    files = shards(path)
    return path, files, [read_table(file) for file in options.track(files, what)]


def shards(path: Path) -> list[Path]:
    """The files of a directory, or the file itself."""
    files = [x for x in _files.in_folder(path) if x == path or x.suffix.lower() in {".parquet", ".arrow", ".feather"}]
    if not files:
        raise _files.lacking(path, "files that end in .parquet, .arrow or .feather")
    return files


def read_table(path: Path) -> Any:
    """A file as a table of Arrow."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    head = _files.head(path)[:6]
    try:
        if head.startswith(b"PAR1"):
            with _arrow.opened(path) as source:
                file = parquet.ParquetFile(source)
                _files.check_unpacked(path, _unpacked_bytes(file.metadata), "the table unpacks")
                table = file.read(use_threads=threads.most() > 1)
        else:
            _files.check_unpacked(path, _arrow.unpacked(path), "the table unpacks")
            with _arrow.opened(path) as source:
                table = (ipc.open_file if head == b"ARROW1" else ipc.open_stream)(source).read_all()
        # Arrow does not check offsets, so a damaged file could make it read beyond its buffers.
        table.validate(full=True)
        _ = table.column_names  # which may be no text
    except (pa.ArrowException, OSError, UnicodeDecodeError, struct.error) as error:
        raise InputError(path, f"not a file of Parquet or Arrow, or damaged: {_one_line(error)}") from None
    return table


def _unpacked_bytes(metadata: Any) -> int:
    """The least size in memory. A run of one value takes no space in a file, but 8 bytes a value in memory."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    columns = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(max(x.total_uncompressed_size, 8 * x.num_values) for x in columns)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _box_of(names: Sequence[str], kind: str) -> tuple[str, ...]:
    boxes = (*_BOXES[kind], *([_LISTED] if kind == "bbox" else []))
    return next((box for box in boxes if set(box) <= set(names)), ())


def _check_columns(
    path: Path, names: Sequence[str], needed: tuple[str, ...], kind: str, *, payload: bool = False
) -> None:
    for name in (*_IDS, *needed):
        if name not in names:
            hint = f": {MISSING_SCORES}" if name == "score" else ""
            names = [x for x in names if x not in _LISTED]
            if "objects" in names:
                raise InputError(path, f"has a row for each image, with its objects (Hugging Face): {_ROWS}")
            if other := renaming(name, names):
                hint = f": {other}"
            raise InputError(path, f"missing; there are {', '.join(names)}{hint}", place=f"column {name}")
    if not _box_of(names, kind) and not (payload and _PAYLOAD in names):
        if payload:
            raise InputError(path, "has neither a box nor what `similarity` is called with", place="column payload")
        ways = " or ".join(", ".join(box) for box in _BOXES[kind])
        other = renaming("bbox", names) if kind == "bbox" else ""
        raise InputError(path, f"columns of a box are missing: {ways}{f': {other}' if other else ''}")


def listed(keys: Sequence[int | str], *, complete: bool) -> Listed:
    """Integers as their own names, or strings by their number."""
    if any(isinstance(key, str) for key in keys):
        return _names.counted(map(str, keys), complete=complete)
    return Listed({int(key): str(key) for key in sorted(keys)}, Naming(complete=complete))


FORMAT = Format(
    "parquet",
    "Parquet or Arrow",
    Reader(read_ground_truth, tuple(_BOXES), numbered=True, lists=True, library="pyarrow"),
    Reader(read_detections, tuple(_BOXES), class_ids=True, lists=True, library="pyarrow"),
    starts=(b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"),
)
