"""The few places where libraries differ: one function each, with a fallback in the standard alone."""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._lib.types import Namespace

# Elements in a tile of all pairs: the temporaries of a score should stay in cache, and the calls stay few.
TILE_NUMPY = 2**15
TILE_EAGER = 2**18
TILE_ACCELERATOR = 2**24

# Sets of static facts to remember: enough for a program with many shapes, little enough to forget those of a long one.
REMEMBERED = 1024

T = TypeVar("T")


def library(xp: Namespace) -> str:
    """The name that a user knows a namespace by."""
    # array-api-compat answers by functions with a cache, each of which torch.compile warns of.
    return str(xp.__name__).removeprefix("array_api_compat.").partition(".")[0]


def device(x: Any, *, xp: Namespace) -> Any:
    """Where an array lies; None where there is one place only, or none can be told."""
    match library(xp):
        case "numpy" | "tensorflow":  # one place, and one that TensorFlow sees to itself
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


def remember(function: Callable[..., T]) -> Callable[..., T]:
    """Keep the results of a function of hashable arguments, but for torch.compile, which runs it once anyway."""
    remembered = functools.lru_cache(REMEMBERED)(function)

    @functools.wraps(function)
    def call(*args: Any) -> T:
        return function(*args) if _compiling() else remembered(*args)

    return call


def _compiling() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def run(kernel: Callable[..., Any], /, *arrays: Any, xp: Namespace, **static: Any) -> Any:
    """Call a kernel; for JAX arrays compiled once for each set of options, since eager JAX is 40 times slower."""
    if library(xp) == "jax":
        return _jitted(kernel, xp, tuple(sorted(static.items())))(*arrays)
    if library(xp) == "torch" and (place := _torch_computes_now(arrays)):
        xp = _at_hand(xp, place)
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

    return divide


@remember
def fast(xp: Namespace) -> Namespace:
    """The namespace to compute in: a library's own functions, where those of array-api-compat only cost more.

    Kernels hand over arrays of one dtype, so that torch need not align them first.
    """
    match library(xp):
        case "numpy":
            return _variant(xp, unstack=list, fills=True, sees_values=True)
        case "torch" if not _compiling():
            import torch

            names = ("maximum", "minimum", "where", "atan2")
            return _variant(xp, unstack=torch.unbind, **{name: getattr(torch, name) for name in names})
    return xp


def _variant(xp: Namespace, /, **functions: Any) -> Namespace:
    variant = types.ModuleType(xp.__name__)
    vars(variant).update(vars(xp) | functions)
    return variant


@remember
def _at_hand(xp: Namespace, place: str) -> Namespace:
    """The namespace for results that may be filled in place, and on the CPU looked at."""
    return _variant(xp, fills=True, sees_values=place == "cpu")


def surely_above(x: Any, least: float, *, xp: Namespace) -> bool:
    """Whether no element is below `least`, or NaN, where asking is cheaper than masking.

    Asked only where values are at hand: not of a library that traces, differentiates, or computes elsewhere.
    """
    return getattr(xp, "sees_values", False) and 0 not in x.shape and bool(x.min() >= least)


def stop_gradient(x: Any, *, xp: Namespace) -> Any:
    """The same values, as a constant; the standard has no word for it, and libraries without gradients need none."""
    if library(xp) == "torch":
        return x.detach()
    if library(xp) == "jax":
        import jax

        return jax.lax.stop_gradient(x)
    stop = getattr(xp, "stop_gradient", None)  # a facade, such as the Keras adapter's
    return x if stop is None else stop(x)


def contiguous(x: Any, *, xp: Namespace, least: int = 0) -> Any:
    """The same values side by side in memory, if there are at least `least`, where a library computes faster so."""
    match library(xp):
        case "numpy":
            return xp.ascontiguousarray(x) if x.size >= least else x
        case "torch":
            return x.contiguous() if x.numel() >= least else x
    return x


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


def tile_elements(size: int, /, *, xp: Namespace) -> int | None:
    """How many of `size` results to compute at once; None for all of them, in one expression.

    JAX and Dask fuse or chunk it themselves, and a result filled in place would break autograd and tracing.
    """
    if size <= TILE_NUMPY:
        return None
    match library(xp):
        case "jax" | "dask":
            return None
        case "numpy":
            return TILE_NUMPY
        case "torch" if not getattr(xp, "fills", False):
            return None
        case "torch" if not xp.sees_values:
            return TILE_ACCELERATOR
    return TILE_EAGER


def _torch_computes_now(arrays: tuple[Any, ...]) -> str | None:
    """Type of the device, where tensors are neither traced nor differentiated."""
    import torch

    if _compiling():
        return None
    differentiates = torch.is_grad_enabled()
    place = None
    for x in arrays:
        if x is None:
            continue
        place = x.device.type
        # Public torch has no way to ask whether a transform of torch.func holds a tensor.
        wrapped = torch._C._functorch.is_functorch_wrapped_tensor(x)  # noqa: SLF001
        if wrapped or place == "meta" or (differentiates and x.requires_grad):
            return None
    return place
