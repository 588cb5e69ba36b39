"""Checks of what torchmetrics' detection metrics take: two lists with a dict for each image."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Entry(NamedTuple):
    """What a value of a sample must be."""

    shape: str  # after the number of boxes
    ndim: int
    kind: str  # "real", "integers" or "booleans"
    last: int | None = None  # length of the last axis


SCORES = AREA = Entry("", 1, "real")
LABELS = Entry("", 1, "integers")
CROWD = Entry("", 1, "booleans")
MASKS = Entry(", height, width", 3, "booleans")

_WANTED = {
    "real": "integers or real floating numbers",
    "integers": "integers",
    "booleans": "booleans or integers",
}


def boxes_of(size: int) -> Entry:
    """Boxes of so many numbers each."""
    return Entry(f", {size}", 2, "real", size)


def check_sides(preds: Any, target: Any) -> None:
    """Raise unless both are lists of one length."""
    for side, samples in (("preds", preds), ("target", target)):
        if not isinstance(samples, Sequence) or isinstance(samples, str):
            msg = f"`{side}` must be a list with a dict for each image, got {type(samples).__name__}"
            raise TypeError(msg)
    if len(preds) != len(target):
        msg = f"`preds` and `target` must have one length, got {len(preds)} and {len(target)}"
        raise ValueError(msg)


def check_samples(
    side: str, samples: Sequence[Any], needed: Mapping[str, Entry], optional: Mapping[str, Entry] | None = None
) -> None:
    """Raise unless every sample has all that is needed, with as many rows as the first of it."""
    first = next(iter(needed))
    for i, sample in enumerate(samples):
        name = f"{side}[{i}]"
        if not isinstance(sample, Mapping):
            msg = f"`{name}` must be a dict, got {type(sample).__name__}"
            raise TypeError(msg)
        given = [(key, entry) for key, entry in (optional or {}).items() if key in sample]
        count = None
        for key, entry in (*needed.items(), *given):
            if key not in sample:
                msg = f"`{name}` must have the key {key!r}, got {sorted(map(str, sample))}"
                raise ValueError(msg)
            x = sample[key]
            if not isinstance(x, Tensor):
                msg = f"`{name}[{key!r}]` must be a tensor, got {type(x).__name__}"
                raise TypeError(msg)
            _check_entry(f"{name}[{key!r}]", x, entry, first, count)
            count = x.shape[0] if count is None else count


def _check_entry(name: str, x: Tensor, entry: Entry, first: str, count: int | None) -> None:
    """Raise unless a value fits; `count` is the number of rows of the first one, None for that one itself."""
    # `torch.tensor([])` is how many write that there is nothing, of whatever kind.
    if x.shape == (0,) and not count:
        return
    wrong = x.ndim != entry.ndim or (count is not None and x.shape[0] != count)
    if wrong or (entry.last is not None and x.shape[-1] != entry.last):
        rows, why = ("N", "") if count is None else (count, f" as there are {first}")
        comma = "," if entry.ndim == 1 else ""
        msg = f"`{name}` must have shape ({rows}{entry.shape}{comma}){why}, got {tuple(x.shape)}"
        raise ValueError(msg)
    if x.shape[0] and not _is(x, entry.kind):
        hint = ", say `x > 0.5`" if entry is MASKS else ""
        msg = f"`{name}` must hold {_WANTED[entry.kind]}{hint}, got {x.dtype}"
        raise TypeError(msg)


def _is(x: Tensor, kind: str) -> bool:
    if x.dtype == torch.bool:
        return kind == "booleans"
    return not x.is_complex() and (kind == "real" or not x.is_floating_point())


def check_classes(side: str, samples: Sequence[Any], num_classes: int) -> None:
    """Raise unless all labels lie in 0 ... num_classes - 1. A wait for the device, where that is none of the host."""
    for i, sample in enumerate(samples):
        labels = sample["labels"]
        if len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= num_classes):
            msg = (
                f"`{side}[{i}]['labels']` must lie in 0 ... {num_classes - 1}, "
                f"got {int(labels.min())} ... {int(labels.max())}"
            )
            raise ValueError(msg)
