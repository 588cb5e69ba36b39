"""The few places where libraries differ: one function each, with a fallback in the standard alone."""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import array_api_compat as compat

from omniou._lib.types import Namespace

# Elements in a tile of all pairs: the temporaries of a score should stay in cache, and the calls stay few.
TILE_NUMPY = 2**15
TILE_EAGER = 2**18
TILE_ACCELERATOR = 2**24

# Sets of static facts to remember: enough for a program with many shapes, little enough to forget those of a long one.
REMEMBERED = 1024

P = ParamSpec("P")
T = TypeVar("T")


def library(xp: Namespace) -> str:
    """The name that a user knows a namespace by."""
    # array-api-compat answers by functions with a cache, each of which torch.compile warns of.
    return str(xp.__name__).removeprefix("array_api_compat.").partition(".")[0]


def device(x: Any, *, xp: Namespace) -> Any:
    """Where an array lies; None where there is one place only, or none can be told."""
    match library(xp):
        case "numpy":
            return None
        case "torch":
            return x.device
        case "jax":
            return _jax_device(x)
    return compat.device(x)


def _jax_device(x: Any) -> Any:
    try:
        devices = x.devices()
    except Exception:  # noqa: BLE001  (a tracer has no devices, and says so differently in each JAX)
        return None
    # An array that is spread over devices has no single one.
    return next(iter(devices)) if len(devices) == 1 else None


def remember(function: Callable[P, T]) -> Callable[P, T]:
    """Keep the results of a function of hashable arguments, but for torch.compile, which runs it once anyway."""
    remembered = functools.lru_cache(REMEMBERED)(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs) if _compiling() else remembered(*args, **kwargs)

    return call


def _compiling() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def run(kernel: Callable[..., Any], /, *arrays: Any, xp: Namespace, **static: Any) -> Any:
    """Call a kernel; for JAX arrays compiled once for each set of options, since eager JAX is 40 times slower."""
    if library(xp) == "jax":
        return _jitted(kernel, xp, tuple(sorted(static.items())))(*arrays)
    return kernel(*arrays, xp=xp, **static)


@functools.cache
def _jitted(kernel: Callable[..., Any], xp: Namespace, static: tuple[tuple[str, Any], ...]) -> Any:
    import jax

    return jax.jit(functools.partial(kernel, xp=xp, **dict(static)))


def divide(n: Any, d: Any, *, xp: Namespace) -> Any:
    """n / d, with a derivative that lives as long as the quotient does.

    JAX differentiates through d**-2, which overflows float32 for areas below 1e-19 where n / d is still exact.
    """
    return _jax_divide()(n, d) if library(xp) == "jax" else n / d


@functools.cache
def _jax_divide() -> Callable[[Any, Any], Any]:
    import jax

    @jax.custom_jvp
    def divide(n: Any, d: Any) -> Any:
        return n / d

    @divide.defjvp
    def _(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
        n, d = primals
        dn, dd = tangents
        q = divide(n, d)
        return q, (dn - q * dd) / d

    return divide  # type: ignore[no-any-return]


def fast(xp: Namespace) -> Namespace:
    """The namespace to compute in: a library's own functions, where those of array-api-compat only cost more.

    Kernels hand over arrays of one dtype, so that torch need not align them first.
    """
    if library(xp) == "torch" and not _compiling():
        return _torch(sees_values=False)
    if library(xp) == "numpy":
        import numpy as np

        return np if hasattr(np, "permute_dims") else xp
    return xp


@functools.cache
def _torch(*, sees_values: bool) -> Namespace:
    import array_api_compat.torch
    import torch

    xp = types.ModuleType("array_api_compat.torch")
    vars(xp).update(vars(array_api_compat.torch))
    for name in ("maximum", "minimum", "where", "atan2"):
        setattr(xp, name, getattr(torch, name))
    xp.sees_values = sees_values  # type: ignore[attr-defined]
    return xp


def eager(x: Any, *, xp: Namespace) -> Namespace:
    """The namespace for values that `tile_elements` found to be at hand: not traced, and without a gradient."""
    here = library(xp) == "torch" and x.device.type == "cpu"
    return _torch(sees_values=True) if here else xp


def surely_none(mask: Any, *, xp: Namespace) -> bool:
    """Whether no element is true, where asking is cheaper than masking (seven divisions in NumPy).

    Not asked of a library that traces, differentiates, or computes elsewhere.
    """
    if library(xp) == "numpy":
        return not xp.count_nonzero(mask)
    return getattr(xp, "sees_values", False) and not mask.any()


def stop_gradient(x: Any, *, xp: Namespace) -> Any:
    """The same values, as a constant; the standard has no word for it, and libraries without gradients need none."""
    if library(xp) == "torch":
        return x.detach()
    if library(xp) == "jax":
        import jax

        return jax.lax.stop_gradient(x)
    stop = getattr(xp, "stop_gradient", None)  # a facade, such as the Keras adapter's
    return x if stop is None else stop(x)


def contiguous(x: Any, *, xp: Namespace) -> Any:
    """The same values with unit stride along the last axis, where a library computes faster so."""
    if library(xp) == "numpy":
        return xp.ascontiguousarray(x)
    return x.contiguous() if library(xp) == "torch" else x


def spread(x: Any, block: tuple[int, ...], *, xp: Namespace) -> Any:
    """`x` with its last axes written out to `block` where that is faster than broadcasting, else as it is.

    NumPy's minimum and maximum use SIMD only where both operands are contiguous. Its sum does not mind, so that
    columns without an axis in front, the areas, stay as they are.
    """
    if library(xp) != "numpy" or x.ndim == len(block):
        return x
    return xp.ascontiguousarray(xp.broadcast_to(x, (*x.shape[: -len(block)], *block)))


def keep_temporaries(tile: int, dtype: Any, *, xp: Namespace) -> None:
    """Let the allocator keep the memory of NumPy's temporaries from one tile to the next.

    glibc hands blocks above a threshold back to the system, where each page costs a fault when it is next touched;
    it raises the threshold to the largest block that it has seen freed. This one is never touched.
    """
    if library(xp) == "numpy":
        xp.empty(64 * tile, dtype=dtype)


def tile_elements(size: int, /, *arrays: Any, xp: Namespace) -> int | None:
    """How many of `size` results to compute at once; None for all of them, in one expression.

    JAX and Dask fuse or chunk it themselves, and a result filled in place would break autograd and tracing.
    """
    if size <= TILE_NUMPY:
        return None
    if library(xp) == "numpy":
        return TILE_NUMPY
    if library(xp) in ("jax", "dask"):
        return None
    if library(xp) == "torch":
        return _torch_tile(*arrays)
    return TILE_EAGER


def _torch_tile(*arrays: Any) -> int | None:
    import torch

    if torch.compiler.is_compiling() or any(x.device.type == "meta" for x in arrays):
        return None
    # Public torch has no way to ask whether a transform of torch.func holds a tensor.
    if any(torch._C._functorch.is_functorch_wrapped_tensor(x) for x in arrays):  # noqa: SLF001
        return None
    if torch.is_grad_enabled() and any(x.requires_grad for x in arrays):
        return None
    if any(x.device.type != "cpu" for x in arrays):
        return TILE_ACCELERATOR
    return TILE_EAGER
