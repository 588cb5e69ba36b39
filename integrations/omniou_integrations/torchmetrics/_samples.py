"""Read what torchmetrics' detection metrics take: two lists with a dictionary of tensors for each image."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from torch import Tensor

from omniou.boxes import GEOMETRY
from omniou.detection.inputs import _dicts as dicts
from omniou.detection.inputs._dicts import Key, Values

NUMBERS = GEOMETRY.length("xyxy")


@functools.cache
def keys(table: Literal["targets", "detections"], *shapes: str, numbers: int | str = NUMBERS) -> tuple[Key, ...]:
    """The keys that torchmetrics knows, without aliases: other keys may have any meaning there."""
    declared = dicts.keys(table, *shapes, numbers=numbers)
    return tuple(key._replace(names=key.names[:1]) for key in declared if key.column != "ignore")


def read(side: str, samples: Sequence[Any], declared: Sequence[Key], num_classes: int | None) -> list[Values]:
    """Check the samples: tensors of each image by column."""
    names = [key.names[0] for key in declared]
    for i, sample in enumerate(samples):
        if type(sample) is not dict and not isinstance(sample, Mapping):
            continue  # which the reader refuses
        for name in names:
            if not isinstance(x := sample.get(name), Tensor) and x is not None:
                msg = f"`{side}[{i}][{name!r}]` must be a tensor, got {type(x).__name__}"
                raise TypeError(msg)
    rows = dicts.read(side, samples, declared)
    if num_classes is not None:
        _check_classes(side, rows, num_classes)
    return rows


def _check_classes(side: str, rows: Sequence[Values], num_classes: int) -> None:
    """Raise unless all labels lie in 0 ... num_classes - 1. It waits for the device, unless that is the CPU."""
    for i, row in enumerate(rows):
        labels = row["labels"]
        if len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= num_classes):
            msg = (
                f"`{side}[{i}]['labels']` must lie in 0 ... {num_classes - 1}, "
                f"got {int(labels.min())} ... {int(labels.max())}"
            )
            raise ValueError(msg)
