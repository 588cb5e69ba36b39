"""Tensors of torch on the CPU, lent to NumPy: the same memory, whose calls take half as long."""

import sys
from collections.abc import Callable
from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace

# Numbers in a tensor for which torch's threads do not pay.
FEW = 2**12


def lend(*arrays: Any, many: bool) -> list[Any] | None:
    """Tensors as NumPy arrays that share their memory; or None. `many`: long ones too.

    Not those that are traced, differentiated, computed elsewhere, of a class of their own or a dtype of torch alone.
    """
    torch = sys.modules.get("torch")
    if torch is None or type(arrays[0]) is not torch.Tensor:  # most calls, so nothing else is asked before
        return None
    if "numpy" not in sys.modules or torch.compiler.is_compiling():
        return None
    for x in arrays:
        if type(x) is not torch.Tensor or x.requires_grad or not x.is_cpu or not (many or x.numel() <= FEW):
            return None
        if x.dtype not in (torch.float32, torch.float64) or x.is_neg() or backends.is_transformed(x, torch):
            return None
    return [x.numpy() for x in arrays]


def run(kernel: Callable[..., Any], /, *arrays: Any, xp: Namespace, **static: Any) -> Any:
    """Call a kernel in NumPy as torch would: by as many threads, and silent where numbers overflow."""
    return silent(backends.run, kernel, *arrays, xp=_threaded(xp, sys.modules["torch"].get_num_threads()), **static)


def silent(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """Call a function without NumPy's warnings, which torch does not know."""
    with sys.modules["numpy"].errstate(all="ignore"):
        return function(*args, **options)


@backends.remember
def _threaded(xp: Namespace, threads: int) -> Namespace:
    return backends.variant(xp, threads=threads)


def give_back(x: Any) -> Any:
    """A NumPy array or scalar as the tensor that shares its memory."""
    torch, numpy = sys.modules["torch"], sys.modules["numpy"]
    return torch.from_numpy(numpy.asarray(x))
