"""Checks of values, which wait for the device: made by the functions called `check`, and of what is `visible`."""

import math
import sys
from collections.abc import Mapping
from typing import Any

import array_api_compat as compat

from omniou._lib import arrays, host, tracers
from omniou._lib.brief import shortened
from omniou._lib.types import Namespace


def visible(*given: Any) -> bool:
    """Whether the values of all arrays can be checked: on the CPU, and neither traced, mapped nor lazy."""
    return not tracers.compiling() and all(map(_is_visible, given))


def _is_visible(x: Any) -> bool:
    if type(x) is getattr(sys.modules.get("numpy"), "ndarray", None):
        return True
    if not tracers.has_values(x):
        return False
    if compat.is_torch_array(x):
        import torch

        return type(x) in (torch.Tensor, torch.nn.Parameter) and x.device.type == "cpu" and not tracers.watched()
    if compat.is_jax_array(x):
        return x.is_fully_addressable and all(device.platform == "cpu" for device in x.devices())
    if compat.is_numpy_array(x) or type(x).__module__.startswith("array_api_strict"):
        return True
    return arrays.shown(x)


def raise_first(name: str, x: Any, faults: Mapping[str, Any], /, *, hint: str = "", xp: Namespace) -> None:
    """Raise for the first of the rows (..., K) that has a fault; `faults` are booleans (...) by description."""
    host.check_values({name: x})
    for fault, bad in faults.items():
        rows = xp.reshape(bad, (-1,))
        if not xp.any(rows):
            continue
        first = int(xp.argmax(xp.astype(rows, xp.uint8)))
        row = xp.reshape(x, (-1, x.shape[-1]))[first, ...]
        numbers = [float(row[k]) for k in range(row.shape[0])]
        raise ValueError(f"`{name}{position(first, bad.shape)}` {fault} in {numbers}{hint}")


def check_two_values(name: str, x: Any, /, *, spatial_axes: int = 2) -> None:
    """Raise for masks of more than two values, such as label maps, where values can be checked."""
    if 0 in x.shape or not visible(x):
        return
    xp = host.namespace_of(x)
    if x.dtype == xp.bool or (xp.min(x) == 0 and xp.max(x) == 1):
        return
    axes = tuple(range(-spatial_axes, 0))
    low, high = (extreme(x, axis=axes, keepdims=True) for extreme in (xp.min, xp.max))
    other = xp.where(high == 0, low, high)
    bad = xp.any((x != 0) & (x != other), axis=axes)
    if xp.any(bad):
        first = int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.uint8)))
        mask = xp.reshape(x, (-1, math.prod(x.shape[-spatial_axes:])))[first, :]
        listed = shortened(sorted(set(mask.tolist())))
        raise ValueError(
            f"`{name}{position(first, bad.shape)}` must be a mask, of 0 and one other number, got {listed}: of classes "
            f"or instances pass one mask each, such as `{name} == 1`; of probabilities or levels of grey, such as "
            f"`{name} > 0.5` or `{name} > 127`"
        )


def position(flat: int, shape: tuple[int, ...]) -> str:
    """Index into the flattened array -> `[i, j]`, or nothing for a single row."""
    index: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.insert(0, rest)
    return str(index) if index else ""


def check_padding(labels: Mapping[str, Any], /) -> None:
    """Raise for negative labels next to others, where nobody named the classes. `labels` are columns in NumPy."""
    numbers = {name: x for name, x in labels.items() if x.size and x.dtype.kind in "if"}
    if not any(x.max() >= 0 for x in numbers.values()):
        return
    for name, x in numbers.items():
        if (least := x.min()) < 0:
            raise ValueError(
                f"`{name}` must not be negative next to other labels unless `classes` names these labels, got {least}: "
                "leave rows of padding out, as by `labels >= 0`, or pass `classes`"
            )
