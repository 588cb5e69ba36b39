"""Dask DataFrames of objects and detections: regrouped by image, and evaluated partition by partition."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.dataframe as dd
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
from distributed import Client

from omniou.data import InputError
from omniou.data._formats import parquet
from omniou.data._names import Listed
from omniou.data.shards import Part

# Columns that hold integers or strings; all others hold numbers.
_IDS = ("image_id", "category_id")
# Where a row was before it was regrouped: rows of an image count in the order that they came, where scores are equal.
_ORDER = ("omniou_partition", "omniou_row")
_GROUP = "omniou_group"


class Partition(NamedTuple):
    """One partition of both, which Dask computes before a task gets it."""

    name: str
    targets: Any
    detections: Any


def is_frame(x: Any) -> bool:
    """Whether it is a DataFrame of Dask."""
    return isinstance(x, dd.DataFrame)


def of_files(files: Sequence[Path]) -> Any:
    """Files of Parquet or Arrow as one DataFrame, a partition each."""
    return dd.from_map(_read, list(files), meta=_read(files[0]).iloc[:0])


def partitions(targets: Any, detections: Any, client: Client, *, split: str, count: int | None) -> list[Partition]:
    """Partitions of both that hold the same images, regrouped unless `split` is "error"."""
    if split == "regroup":
        count = count or max(targets.npartitions, detections.npartitions)
        targets, detections = (_regrouped(x, count) for x in (targets, detections))
    elif targets.npartitions != detections.npartitions:
        raise ValueError(
            "`targets` and `detections` must have as many partitions, which hold the same images, for split='error', "
            f"got {targets.npartitions} and {detections.npartitions}"
        )
    target_parts, detection_parts = (client.compute(x.to_delayed()) for x in (targets, detections))
    return [
        Partition(f"partition {k}", *both) for k, both in enumerate(zip(target_parts, detection_parts, strict=True))
    ]


def listing(targets: Any) -> Listed:
    """The classes of all objects."""
    _check_columns(targets)
    column = targets["category_id"].dropna().unique().compute()
    keys = [x if isinstance(x, str) else int(x) for x in column.tolist()]
    return parquet.listed(keys, complete=False)


def evaluate(partition: Partition, rules: Any, categories: Listed | None) -> Part:
    """The part of one partition."""
    name, *both = partition
    tables = [_table(f"{name} of the {role}", x) for role, x in zip(("objects", "detections"), both, strict=True)]
    part: Part = rules.part_of_tables(name, *tables, categories)
    return part


def _check_columns(frame: Any) -> None:
    for name in _IDS:
        if name not in frame.columns:
            raise ValueError(f"a DataFrame must have the column {name!r}, got {', '.join(map(str, frame.columns))}")


def _regrouped(frame: Any, count: int) -> Any:
    _check_columns(frame)
    placed = frame.map_partitions(_placed, meta=_placed(frame._meta))  # noqa: SLF001  (Dask's own way to say it)
    # By tasks, which Dask reruns where a worker dies.
    return placed.shuffle(on=_GROUP, npartitions=count, shuffle_method="tasks")


def _placed(frame: Any, partition_info: Any = None) -> Any:
    """Add columns with the place of a row and its partition: by its image as text, regardless of its type."""
    number = partition_info["number"] if partition_info else 0
    codes, images = pd.factorize(frame["image_id"])
    hashes = pd.util.hash_array(images.astype(str).to_numpy(dtype=object))
    return frame.assign(
        **{_ORDER[0]: number, _ORDER[1]: range(len(frame)), _GROUP: hashes.take(codes) if len(frame) else hashes}
    )


def _read(path: Path) -> Any:
    """A file as a frame whose columns have one type in all files, with any nulls; the shapes are its payload."""
    table = parquet.read_table(path)
    columns = {}
    for field in table.drop_columns([name for name in table.column_names if name == "payload"]).schema:
        x, kind = table[field.name], field.type
        if pa.types.is_dictionary(kind):
            x, kind = x.cast(kind.value_type), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            columns[field.name] = x.cast(pa.large_string())
        elif field.name in _IDS and (pa.types.is_integer(kind) or pa.types.is_null(kind)):
            columns[field.name] = x.cast(pa.int64())
        elif any(
            is_(kind) for is_ in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
        ):
            columns[field.name] = x.cast(pa.float64())
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _table(name: str, frame: Any) -> Any:
    """A frame of pandas as a table of Arrow; ids that pandas made floats, for there are nulls, are integers again."""
    if _GROUP in frame.columns:
        frame = frame.sort_values(list(_ORDER)).drop(columns=[*_ORDER, _GROUP])
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise InputError(name, f"has values that no column of Arrow holds: {' '.join(map(str, error.args))}") from None
    for column in _IDS:
        if column in table.column_names and pa.types.is_floating(table[column].type):
            place = table.column_names.index(column)
            table = table.set_column(place, column, table[column].cast(pa.int64()))
    return table
