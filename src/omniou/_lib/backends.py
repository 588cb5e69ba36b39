"""The few places where libraries differ: one function each, with a fallback in the standard alone."""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._lib.types import Namespace

# Elements in a tile of all pairs: the temporaries of a score should stay in cache, and the calls stay few.
TILE_NUMPY = 2**17
TILE_EAGER = 2**17
TILE_ACCELERATOR = 2**24

# Numbers in a tensor that are copied in less time than a call takes.
FEW = 2**12

# Sets of static facts to remember: enough for a program with many shapes, little enough to forget those of a long one.
REMEMBERED = 1024

T = TypeVar("T")


def library(xp: Namespace) -> str:
    """The name that a user knows a namespace by."""
    # array-api-compat answers by functions with a cache, each of which torch.compile warns of.
    name: str = xp.__name__
    return _LIBRARIES.get(name) or name.removeprefix(_COMPAT).partition(".")[0]


_COMPAT = "array_api_compat."
_LIBRARIES = {f"{_COMPAT}numpy": "numpy", f"{_COMPAT}torch": "torch", "jax.numpy": "jax"}


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


def setting(xp: Namespace) -> Any:
    """What a library was told that changes its dtypes from one call to the next."""
    if library(xp) != "jax":
        return None
    import jax

    return jax.config.jax_enable_x64  # type: ignore[attr-defined]


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
            return _variant(xp, unstack=_rows, fills=True, sees_values=True)
        case "torch" if not _compiling():
            import torch

            names = ("maximum", "minimum", "where", "atan2")
            return _variant(xp, unstack=torch.unbind, **{name: getattr(torch, name) for name in names})
    return xp


def _rows(x: Any) -> list[Any]:
    return [x[i] for i in range(len(x))]  # half the time of `unstack`, and of `list`


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
    if not getattr(xp, "sees_values", False) or 0 in x.shape:
        return False
    least_of_all = xp.minimum.reduce(x, axis=None) if library(xp) == "numpy" else x.min()
    return float(least_of_all) >= least


def lend(*arrays: Any) -> list[Any] | None:
    """Small tensors as NumPy arrays that share their memory, since a call of NumPy takes half as long; or None.

    Not those that are traced, differentiated, computed elsewhere, of a class of their own or a dtype of torch alone.
    """
    torch = sys.modules.get("torch")
    if torch is None or "numpy" not in sys.modules or torch.compiler.is_compiling():
        return None
    for x in arrays:
        if type(x) is not torch.Tensor or x.requires_grad or x.numel() > FEW or not x.is_cpu:
            return None
        if x.dtype not in (torch.float32, torch.float64) or _is_transformed(x, torch):
            return None
    return [x.numpy() for x in arrays]


def give_back(x: Any) -> Any:
    """A NumPy array or scalar as the tensor that shares its memory."""
    torch, numpy = sys.modules["torch"], sys.modules["numpy"]
    return torch.from_numpy(numpy.asarray(x))


def _is_transformed(x: Any, torch: Any) -> bool:
    # Public torch has no way to ask whether a transform of torch.func holds a tensor.
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(x))  # noqa: SLF001


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
    """The same values side by side in memory, where a library lets one see it."""
    match library(xp):
        case "numpy":
            return xp.ascontiguousarray(x)
        case "torch":
            return x.contiguous()
    return x


def columnar(x: Any, *, xp: Namespace) -> Any:
    """The same values side by side, where it makes the arithmetic that follows faster: not for little in torch."""
    return x if library(xp) == "torch" and x.numel() < FEW else contiguous(x, xp=xp)


def spread(x: Any, block: tuple[int, ...], *, xp: Namespace) -> Any:
    """`x` with its last axes written out to `block` where that is faster than broadcasting, else as it is.

    NumPy's minimum and maximum use SIMD only where both operands are contiguous. Its sum does not mind, so that
    columns without an axis in front, the areas, stay as they are.
    """
    if library(xp) != "numpy" or x.ndim == len(block):
        return x
    return xp.ascontiguousarray(xp.broadcast_to(x, (*x.shape[: -len(block)], *block)))


def keep_temporaries(*, xp: Namespace) -> None:
    """Let the allocator keep the memory of temporaries from one tile to the next.

    glibc hands blocks above a threshold back to the system, where each page costs a fault when it is next touched;
    it raises the threshold to the largest block below 32 MiB that it has seen freed. This one is never touched.
    """
    if library(xp) in ("numpy", "torch"):
        xp.empty(2**24, dtype=xp.uint8)


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
        if _is_transformed(x, torch) or place == "meta" or (differentiates and x.requires_grad):
            return None
    return place
