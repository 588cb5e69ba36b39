"""Arrays on the CPU, lent to NumPy, which shares their memory: where it computes sooner than their own library."""

import math
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._lib import backends
from omniou._lib.types import Namespace

# Numbers in a tensor for which torch's threads do not pay: NumPy's calls take half as long.
FEW = 2**12

# Bytes of a result that glibc never keeps. NumPy asks for large pages then; in JAX half of the time goes by until the
# system has cleared the small ones.
LARGE = 2**25


class Loan(NamedTuple):
    """What NumPy is to compute with, and for whom."""

    arrays: list[Any]
    owner: str
    device: Any


def lend(a: Any, b: Any, /, *, pairs: bool) -> Loan | None:
    """Two arrays as NumPy's, if that is quicker. `pairs`: for all pairs of them.

    Not those that are traced, differentiated, computed elsewhere, of a class of their own or a dtype of one library.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or type(a) is numpy.ndarray:
        return None
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and _torch_lends(a, torch, many=pairs) and _torch_lends(b, torch, many=pairs):
        return Loan([a.numpy(), b.numpy()], "torch", None)
    if jax is not None and pairs and _jax_lends(a, jax) and _jax_lends(b, jax) and a.device == b.device:
        return Loan([numpy.asarray(a), numpy.asarray(b)], "jax", a.device) if _large(a, b) else None
    return None


def _torch_lends(x: Any, torch: Any, *, many: bool) -> bool:
    if torch.compiler.is_compiling():
        return False
    if type(x) is not torch.Tensor or x.requires_grad or not x.is_cpu or not (many or x.numel() <= FEW):
        return False
    return x.dtype in (torch.float32, torch.float64) and not (x.is_neg() or backends.is_transformed(x, torch))


def _jax_lends(x: Any, jax: Any) -> bool:
    if not isinstance(x, jax.Array) or isinstance(x, jax.core.Tracer) or x.ndim < 2:
        return False
    if len(x.devices()) > 1 or x.device.platform != "cpu" or jax.config.jax_debug_nans:
        return False
    return str(x.dtype) in ("float32", "float64")


def _large(a: Any, b: Any, /) -> bool:
    """Whether all pairs of (..., N, K) and (..., M, K) take much memory."""
    batch = max(math.prod(a.shape[:-2]), math.prod(b.shape[:-2]))
    return bool(batch * a.shape[-2] * b.shape[-2] * a.dtype.itemsize >= LARGE)


def run(loan: Loan, kernel: Callable[..., Any], /, *arrays: Any, xp: Namespace, **static: Any) -> Any:
    """Call a kernel in NumPy as the owner would: by as many threads, and silent where numbers overflow."""
    threads = sys.modules["torch"].get_num_threads() if loan.owner == "torch" else _processors()
    return silent(backends.run, kernel, *arrays, xp=_threaded(xp, threads), **static)


def _processors() -> int:
    """How many this process may use, where a system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def silent(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """Call a function without NumPy's warnings, which the owners do not know."""
    with sys.modules["numpy"].errstate(all="ignore"):
        return function(*args, **options)


@backends.remember
def _threaded(xp: Namespace, threads: int) -> Namespace:
    return backends.variant(xp, threads=threads, empty=_aligned)


def _aligned(shape: tuple[int, ...], /, *, dtype: Any, device: Any = None) -> Any:  # noqa: ARG001  (as in the standard)
    """Memory that begins where JAX wants it, so that the result need not be copied."""
    numpy = sys.modules["numpy"]
    size, line = math.prod(shape) * numpy.dtype(dtype).itemsize, 64
    raw = numpy.empty(size + line, dtype=numpy.uint8)
    start = -raw.ctypes.data % line
    return raw[start : start + size].view(dtype).reshape(shape)


def give_back(loan: Loan, x: Any, /) -> Any:
    """A NumPy array or scalar as an array of the owner, which shares its memory."""
    if loan.owner == "jax":
        return sys.modules["jax"].device_put(x, loan.device)
    return sys.modules["torch"].from_numpy(sys.modules["numpy"].asarray(x))
