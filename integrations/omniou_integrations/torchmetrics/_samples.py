"""Read what torchmetrics' detection metrics take: two lists with a dictionary of tensors for each image."""

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from omniou._inputs import dicts
from omniou._inputs.dicts import Key, Values
from omniou._inputs.kinds import ROWS, ShapeRows
from omniou._lib import carried
from omniou._lib.host import on_cpu
from omniou.boxes import GEOMETRY

NUMBERS = GEOMETRY.length("xyxy")

# What to do about padding with `compat`.
COUNTS = "torchmetrics counts it as a class, so leave its rows out, or `compat`"


@functools.cache
def keys(
    table: Literal["targets", "detections"],
    *shapes: str,
    numbers: int | str = NUMBERS,
    rows: ShapeRows = ROWS,
) -> tuple[Key, ...]:
    """Return the keys that torchmetrics knows, without omniou's aliases: there, other keys may have any meaning."""
    declared = dicts.keys(table, *shapes, numbers=numbers, rows=rows)
    return tuple(key._replace(names=key.names[:1]) for key in declared if key.column != "ignore")


class Columns(NamedTuple):
    """Values of all images by column, on the CPU, and how many boxes each image has."""

    values: Values
    lengths: list[int]


def at_once(
    lists: Mapping[str, Sequence[Any]], declared: Mapping[str, Sequence[Key]], num_classes: int | None
) -> dict[str, Columns] | None:
    """Concatenate the tensors of all images, and check each column as that of one image.

    None unless the images are alike: then `read`, six times as slow, checks each, and names the first one with a fault.
    """
    found: dict[str, Columns] = {}
    for side, samples in lists.items():
        try:
            columns = _concatenated(side, samples, declared[side])
        except (TypeError, ValueError, IndexError, RuntimeError):
            columns = None
        if columns is None:
            return None
        found[side] = columns
    near = iter(on_cpu([x for columns in found.values() for x in columns.values.values()]))
    for columns in found.values():
        columns.values.update({name: next(near) for name in columns.values})
        labels = columns.values["labels"].numpy()
        if labels.min() < 0 or (num_classes is not None and labels.max() >= num_classes):
            return None
    return found


def _concatenated(side: str, samples: Sequence[Any], declared: Sequence[Key]) -> Columns | None:
    values: Values = {}
    lengths: list[int] | None = None
    if set(map(type, samples)) != {dict}:
        return None
    for key in declared:
        given = [sample.get(key.names[0]) for sample in samples]
        kinds = set(map(type, given))
        if key.optional and kinds == {type(None)}:
            continue
        if kinds != {Tensor}:  # subclasses may mean more than numbers
            return None
        counts = [x.shape[0] for x in given]
        lengths = counts if lengths is None else lengths
        # Images without boxes may have tensors of any dtype, and of one axis.
        full, empty = ([x for x, n in zip(given, counts, strict=True) if bool(n) is some] for some in (True, False))
        if counts != lengths or len({x.dtype for x in full}) != 1:
            return None
        values[key.names[0]] = x = torch.cat(full)
        if x.layout != torch.strided or any(e.shape[1:] not in {(), x.shape[1:]} for e in empty):
            return None
    return Columns(dicts.checked(side, values, declared), lengths or [])


def read(
    side: str, samples: Sequence[Any], declared: Sequence[Key], num_classes: int | None, *, instead: str = ""
) -> list[Values]:
    """Check the samples: tensors of each image by column, without padding; or `instead` says what to do about it."""
    names = [key.names[0] for key in declared]
    for i, sample in enumerate(samples):
        if type(sample) is not dict and not isinstance(sample, Mapping):
            continue  # the reader raises for it
        for name in names:
            if not isinstance(x := sample.get(name), Tensor) and x is not None:
                raise TypeError(f"`{side}[{i}][{name!r}]` must be a tensor, got {type(x).__name__}")
    rows = dicts.read(side, samples, declared, instead=instead)
    if num_classes is not None:
        _check_classes(side, rows, num_classes)
    return rows


def _check_classes(side: str, rows: Sequence[Values], num_classes: int) -> None:
    """Raise unless all labels lie in 0 ... num_classes - 1. It waits for the device, unless that is the CPU."""
    for i, row in enumerate(rows):
        labels = row.get("labels", ())  # None may stand for the labels of an image without boxes
        if len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= num_classes):
            raise ValueError(
                f"`{side}[{i}]['labels']` must lie in 0 ... {num_classes - 1}, "
                f"got {int(labels.min())} ... {int(labels.max())}"
            )


def fetched(lists: Mapping[str, Any], names: Collection[str], /) -> dict[str, Any]:
    """Copy the tensors of some keys to the CPU, with one copy from each device.

    Values decide the shapes of later arrays; on a device, each such step would wait for it.
    """
    out = {side: [dict(x) if isinstance(x, Mapping) else x for x in samples] for side, samples in lists.items()}
    mappings = [x for samples in out.values() for x in samples if isinstance(x, dict)]
    given = [(sample, name) for sample in mappings for name in names if isinstance(sample.get(name), Tensor)]
    found = [(sample, name) for sample, name in given if carried.is_plain(sample[name])]
    for sample, name in given:
        if carried.boxes_of(sample[name]) is not None:
            sample[name] = sample[name].to("cpu")  # alone: a packed copy has no format
    for (sample, name), x in zip(found, on_cpu([sample[name] for sample, name in found]), strict=True):
        sample[name] = x
    return out
