"""Both sides of some images as columns, and as one tensor: what metrics keep that look at the boxes again."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from omniou.rle import Masks
from omniou_integrations._parts import in_turns, pack_columns, unpack_columns


class Table(NamedTuple):
    """One side, in NumPy; None for what it has not."""

    boxes: Any
    masks: Any
    labels: Any
    images: Any
    scores: Any = None
    crowd: Any = None  # 0 for objects that are none
    area: Any = None  # 0 for objects whose own it is


class Images(NamedTuple):
    """Images that are numbered from 0 in the order they came."""

    number: int
    truth: Table
    found: Table


def pack_images(images: Images, *, narrow: bool = False) -> Tensor:
    """One flat tensor of bytes, as few as hold the values if these are made `narrow`."""
    columns = {"number": np.asarray(images.number)}
    for side in ("truth", "found"):
        for name, x in getattr(images, side)._asdict().items():
            if isinstance(x, Masks):
                columns |= {f"{side}/masks/{f.name}": getattr(x, f.name) for f in dataclasses.fields(x)}
            elif x is not None:
                columns[f"{side}/{name}"] = x
    return pack_columns(columns, narrow=narrow)


def unpack_images(packed: Tensor) -> Images:
    """What was packed."""
    columns = unpack_columns(packed)
    number, sides = int(columns.pop("number")), []
    for side in ("truth", "found"):
        mine = {name.partition("/")[2]: x for name, x in columns.items() if name.startswith(f"{side}/")}
        masks = {name.partition("/")[2]: mine.pop(name) for name in list(mine) if name.startswith("masks/")}
        every = dict.fromkeys(Table._fields) | mine | {"masks": Masks(**masks) if masks else None}
        sides.append(Table(**every))
    return Images(number, *sides)


def joined_images(parts: Sequence[Images]) -> Images:
    """The images of all parts, one part after the other."""
    return parts[0] if len(parts) == 1 else _renumbered(parts, np.arange(sum(part.number for part in parts)))


def dealt_images(parts: Sequence[Images]) -> Images:
    """The images of all parts in turns."""
    return _renumbered(parts, in_turns([part.number for part in parts]))


def _renumbered(parts: Sequence[Images], numbers: Any) -> Images:
    """All parts as one, with new numbers for their images, one part after the other."""
    new = np.split(numbers, np.cumsum([part.number for part in parts])[:-1])
    sides = []
    for side in ("truth", "found"):
        tables = [getattr(part, side) for part in parts]
        moved = [x._replace(images=of[x.images]) for x, of in zip(tables, new, strict=True)]
        lengths = [len(x.labels) for x in moved]
        sides.append(Table(*(_concatenated(list(column), lengths) for column in zip(*moved, strict=True))))
    return Images(len(numbers), *sides)


def _concatenated(columns: list[Any], lengths: list[int]) -> Any:
    given = [x for x in columns if x is not None]
    if not given:
        return None
    if isinstance(given[0], Masks):
        return Masks.concat(columns)
    pairs = zip(columns, lengths, strict=True)
    return np.concatenate([np.zeros(n, given[0].dtype) if x is None else x for x, n in pairs])
