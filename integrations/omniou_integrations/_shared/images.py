"""Targets and detections of images as columns, and packed into one tensor: the state of metrics that keep boxes."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from omniou._inputs.inputs import of_one_length
from omniou.rle import Masks
from omniou_integrations._shared.parts import interleaved_numbers, pack_columns, unpack_columns


class ImageTable(NamedTuple):
    """Targets or detections, in NumPy; None for columns that are not there."""

    boxes: Any
    masks: Any
    labels: Any
    images: Any
    scores: Any = None
    crowd: Any = None
    area: Any = None  # 0 where the area is that of the mask or the box


class Images(NamedTuple):
    """Images that are numbered from 0 in the order of the calls."""

    number: int
    targets: ImageTable
    detections: ImageTable


def pack_images(images: Images, *, narrow: bool = False) -> Tensor:
    """Pack into one flat tensor of bytes, with `narrow` in the smallest dtypes that hold the values."""
    columns = {"number": np.asarray(images.number)}
    for table in ("targets", "detections"):
        for name, x in getattr(images, table)._asdict().items():
            if isinstance(x, Masks):
                columns |= {f"{table}/masks/{f.name}": getattr(x, f.name) for f in dataclasses.fields(x)}
            elif x is not None:
                columns[f"{table}/{name}"] = x
    return pack_columns(columns, narrow=narrow)


def unpack_images(packed: Tensor) -> Images:
    """Restore what `pack_images` packed."""
    columns = unpack_columns(packed)
    number, tables = int(columns.pop("number")), []
    for table in ("targets", "detections"):
        mine = {name.partition("/")[2]: x for name, x in columns.items() if name.startswith(f"{table}/")}
        masks = {name.partition("/")[2]: mine.pop(name) for name in list(mine) if name.startswith("masks/")}
        every = dict.fromkeys(ImageTable._fields) | mine | {"masks": Masks(**masks) if masks else None}
        tables.append(ImageTable(**every))
    return Images(number, *tables)


def joined_images(parts: Sequence[Images]) -> Images:
    """The images of all parts, one part after the other."""
    return parts[0] if len(parts) == 1 else _renumbered(parts, np.arange(sum(part.number for part in parts)))


def interleaved_images(parts: Sequence[Images]) -> Images:
    """The images of all parts, interleaved."""
    return _renumbered(parts, interleaved_numbers([part.number for part in parts]))


def _renumbered(parts: Sequence[Images], numbers: Any) -> Images:
    """All parts as one, with new numbers for their images, one part after the other."""
    new = np.split(numbers, np.cumsum([part.number for part in parts])[:-1])
    tables = []
    for table in ("targets", "detections"):
        given = [getattr(part, table) for part in parts]
        moved = [x._replace(images=of[x.images]) for x, of in zip(given, new, strict=True)]
        lengths = [len(x.labels) for x in moved]
        tables.append(ImageTable(*(_concatenated(list(column), lengths) for column in zip(*moved, strict=True))))
    return Images(len(numbers), *tables)


def _concatenated(columns: list[Any], lengths: list[int]) -> Any:
    given = [x for x in columns if x is not None]
    if not given:
        return None
    if isinstance(given[0], Masks):
        return Masks.concat(columns)
    if given[0].ndim == 2:  # rows of boxes: polygons may have more vertices in one part than in another
        return np.concatenate(of_one_length([x for x in given if len(x)] or given[:1], xp=np))
    pairs = zip(columns, lengths, strict=True)
    return np.concatenate([np.zeros(n, given[0].dtype) if x is None else x for x, n in pairs])
