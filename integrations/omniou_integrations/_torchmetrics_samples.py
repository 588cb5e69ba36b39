"""Checks of what torchmetrics' detection metrics take: two lists with a dict for each image."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import torch
from torch import Tensor

_ALL = {x for x in vars(torch).values() if isinstance(x, torch.dtype)}
_REAL = frozenset(x for x in _ALL if x != torch.bool and not x.is_complex)
_INTEGERS = frozenset(x for x in _REAL if not x.is_floating_point)
_WANTED = {
    _REAL: "integers or real floating numbers",
    _INTEGERS: "integers",
    _INTEGERS | {torch.bool}: "booleans or integers",
}


class Entry(NamedTuple):
    """What a value of a sample must be."""

    shape: str  # after the number of boxes
    ndim: int
    dtypes: frozenset[torch.dtype]
    last: int | None = None  # length of the last axis


SCORES = AREA = Entry("", 1, _REAL)
LABELS = Entry("", 1, _INTEGERS)
CROWD = Entry("", 1, _INTEGERS | {torch.bool})
MASKS = Entry(", height, width", 3, _INTEGERS | {torch.bool})


def boxes_of(size: int) -> Entry:
    """Boxes of so many numbers each."""
    return Entry(f", {size}", 2, _REAL, size)


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
    side: str, samples: Sequence[Any], needed: dict[str, Entry], optional: dict[str, Entry] | None = None
) -> None:
    """Raise unless every sample has all that is needed, with as many rows as the first of it."""
    for i, sample in enumerate(samples):
        if not isinstance(sample, Mapping):
            msg = f"`{side}[{i}]` must be a dict, got {type(sample).__name__}"
            raise TypeError(msg)
        entries = needed if not optional else needed | {k: entry for k, entry in optional.items() if k in sample}
        count = None
        for key, entry in entries.items():
            x = sample.get(key)
            if not isinstance(x, Tensor):
                _name_missing(f"{side}[{i}]", sample, key)
            shape, (_, ndim, dtypes, last) = x.shape, entry
            fits = len(shape) == ndim and x.dtype in dtypes and (last is None or shape[-1] == last)
            if not fits or (count is not None and shape[0] != count):
                _check_entry(f"{side}[{i}][{key!r}]", x, entry, next(iter(needed)), count)
            count = shape[0] if count is None else count


def _name_missing(name: str, sample: Mapping[str, Any], key: str) -> NoReturn:
    if key not in sample:
        msg = f"`{name}` must have the key {key!r}, got {sorted(map(str, sample))}"
        raise ValueError(msg)
    msg = f"`{name}[{key!r}]` must be a tensor, got {type(sample[key]).__name__}"
    raise TypeError(msg)


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
    if x.shape[0] and x.dtype not in entry.dtypes:
        hint = ", say `x > 0.5`" if entry is MASKS else ""
        msg = f"`{name}` must hold {_WANTED[entry.dtypes]}{hint}, got {x.dtype}"
        raise TypeError(msg)


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
