"""Read what torchmetrics' detection metrics take: two lists with a dictionary of tensors for each image."""

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from torch import Tensor

from omniou._inputs import dicts
from omniou._inputs.dicts import Key, Values
from omniou._inputs.kinds import ROWS, ShapeRows
from omniou._lib import carried
from omniou._lib.host import on_cpu
from omniou.boxes import GEOMETRY

NUMBERS = GEOMETRY.length("xyxy")


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


def read(side: str, samples: Sequence[Any], declared: Sequence[Key], num_classes: int | None) -> list[Values]:
    """Check the samples: tensors of each image by column."""
    names = [key.names[0] for key in declared]
    for i, sample in enumerate(samples):
        if type(sample) is not dict and not isinstance(sample, Mapping):
            continue  # the reader raises for it
        for name in names:
            if not isinstance(x := sample.get(name), Tensor) and x is not None:
                raise TypeError(f"`{side}[{i}][{name!r}]` must be a tensor, got {type(x).__name__}")
    rows = dicts.read(side, samples, declared)
    if num_classes is not None:
        _check_classes(side, rows, num_classes)
    return rows


def _check_classes(side: str, rows: Sequence[Values], num_classes: int) -> None:
    """Raise unless all labels lie in 0 ... num_classes - 1. It waits for the device, unless that is the CPU."""
    for i, row in enumerate(rows):
        labels = row["labels"]
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
