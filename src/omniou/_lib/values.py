"""Checks of values, which wait for the device: made by the functions called `check`, and of what is `visible`."""

from collections.abc import Mapping
from typing import Any

import array_api_compat as compat

from omniou._lib import backends
from omniou._lib.types import Namespace


def visible(*arrays: Any) -> bool:
    """Whether the values of all arrays can be looked at: on the CPU, and neither traced, mapped nor lazy."""
    return not backends.compiling() and all(map(_is_visible, arrays))


def _is_visible(x: Any) -> bool:
    if compat.is_torch_array(x):
        import torch

        return (
            type(x) in (torch.Tensor, torch.nn.Parameter)
            and x.device.type == "cpu"
            and not torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]
            and not torch._C._len_torch_dispatch_stack()  # noqa: SLF001  (no public name says whether a mode is on)
            and not backends.is_transformed(x, torch)
        )
    if compat.is_jax_array(x):
        import jax

        if isinstance(x, jax.core.Tracer):
            return False
        return x.is_fully_addressable and all(device.platform == "cpu" for device in x.devices())
    return compat.is_numpy_array(x) or type(x).__module__.startswith("array_api_strict")


def raise_first(name: str, x: Any, faults: Mapping[str, Any], /, *, hint: str = "", xp: Namespace) -> None:
    """Raise for the first of the rows (..., K) that has a fault; `faults` are booleans (...) by description."""
    for fault, bad in faults.items():
        rows = xp.reshape(bad, (-1,))
        if not xp.any(rows):
            continue
        first = int(xp.argmax(xp.astype(rows, xp.uint8)))
        row = xp.reshape(x, (-1, x.shape[-1]))[first, ...]
        numbers = [float(row[k]) for k in range(row.shape[0])]
        msg = f"`{name}{position(first, bad.shape)}` {fault} in {numbers}{hint}"
        raise ValueError(msg)


def position(flat: int, shape: tuple[int, ...]) -> str:
    """Index into the flattened array -> `[i, j]`, or nothing for a single row."""
    index: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.insert(0, rest)
    return str(index) if index else ""
