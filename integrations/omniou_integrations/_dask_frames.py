"""Dask DataFrames of objects and detections: regrouped by image, and evaluated partition by partition."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.dataframe as dd
import pyarrow as pa  # type: ignore[import-untyped]
from distributed import Client

from omniou.data import parquet
from omniou.data._names import Listed
from omniou.data.shards import Part, Rules

# Columns that hold integers or strings.
_IDS = ("image_id", "category_id")


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
        msg = (
            "`targets` and `detections` must have as many partitions, which hold the same images, for split='error', "
            f"got {targets.npartitions} and {detections.npartitions}"
        )
        raise ValueError(msg)
    ours, theirs = (client.compute(x.to_delayed()) for x in (targets, detections))
    return [Partition(f"partition {k}", *both) for k, both in enumerate(zip(ours, theirs, strict=True))]


def listing(targets: Any) -> Listed:
    """The classes of all objects."""
    column = targets["category_id"].dropna().unique().compute()
    keys = [x if isinstance(x, str) else int(x) for x in column.tolist()]
    return parquet.listed(keys, complete=False)


def evaluate(partition: Partition, rules: Rules, categories: Listed | None) -> Part:
    """The part of one partition."""
    name, *both = partition
    return rules.part_of_tables(name, _table(both[0]), _table(both[1]), categories)


def _regrouped(frame: Any, count: int) -> Any:
    if "image_id" not in frame.columns:
        msg = f"a DataFrame must have the column 'image_id', got {', '.join(map(str, frame.columns))}"
        raise ValueError(msg)
    return frame.shuffle(on="image_id", npartitions=count)


def _read(path: Path) -> Any:
    return parquet.read_table(path).to_pandas()


def _table(frame: Any) -> Any:
    """A frame of pandas as a table of Arrow; ids that pandas made floats, for there are nulls, are integers again."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for name in _IDS:
        if name in table.column_names and pa.types.is_floating(table[name].type):
            place = table.column_names.index(name)
            table = table.set_column(place, name, table[name].cast(pa.int64()))
    return table
