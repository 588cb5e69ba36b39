"""The few places where libraries differ: one function each, with a fallback in the standard alone."""

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._lib.types import Namespace

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
        return remembered(*args) if not compiling() and _is_key(args) else function(*args)

    return call


def _is_key(args: tuple[Any, ...]) -> bool:
    """Whether a function may be remembered by these: of a list, say, that is no option, it says so itself."""
    try:
        hash(args)
    except TypeError:
        return False
    return True


def compiling() -> bool:
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


def divide(n: Any, d: Any, least: float, *, share: bool, xp: Namespace) -> Any:
    """n / d, and 0 with gradient 0 where d < least; NaN passes through. `share`: n is part of d.

    JAX has a derivative of its own here. Its usual one goes through d**-2, which overflows float32 for areas below
    1e-19 where n / d is still exact.
    """
    if library(xp) == "jax":
        return _jax_divide(share=share)(n, d, least)
    # Written this way round so that a NaN is not tiny.
    tiny = d < least
    # The inner `where` keeps 0 / 0 out of the graph, whose gradient would be NaN however it is masked after.
    return xp.where(tiny, 0.0, n / xp.where(tiny, 1.0, d))


@functools.cache
def _jax_divide(*, share: bool) -> Callable[[Any, Any, float], Any]:
    import jax
    import jax.numpy as jnp

    def masked(d: Any, least: float) -> Any:
        # By infinity both the quotient and its derivatives are 0: one mask in place of one for each.
        return jnp.where(d < least, jnp.inf, d)

    @functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
    def divide(n: Any, d: Any, least: float) -> Any:
        # A part of what is tiny is tinier, and flushed to 0: so it need not be masked, which takes longer.
        return n / (jnp.maximum(d, least) if share else masked(d, least))

    @divide.defjvp
    def _(least: float, primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
        n, d = primals
        dn, dd = tangents
        q = divide(n, d, least)
        return q, (dn - q * dd) / masked(d, least)

    return divide


@functools.cache
def _jax_extremes() -> dict[str, Callable[[Any, Any], Any]]:
    """Maximum and minimum with JAX's derivatives, half to each of two equal ones, but without its divisions."""
    import jax
    import jax.numpy as jnp

    def extreme(function: Any, wins: Any) -> Callable[[Any, Any], Any]:
        call = jax.custom_jvp(function)

        @call.defjvp
        def _(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
            x, y = primals
            dx, dy = tangents
            first = jnp.where(x == y, 0.5, jnp.where(wins(x, y), 1.0, 0.0))
            return function(x, y), dx * first + dy * (1.0 - first)

        return call

    return {"maximum": extreme(jnp.maximum, jnp.greater), "minimum": extreme(jnp.minimum, jnp.less)}


@remember
def fast(xp: Namespace) -> Namespace:
    """The namespace to compute in: a library's own functions, where those of array-api-compat only cost more.

    Kernels hand over arrays of one dtype, so that torch need not align them first.
    """
    match library(xp):
        case "numpy":
            return variant(xp, unstack=_rows, permute_dims=_transpose, spread=spread, fills=True, sees_values=True)
        case "jax":
            return variant(xp, **_jax_extremes())
        case "torch" if not compiling():
            import torch

            names = ("maximum", "minimum", "where", "atan2")
            return variant(xp, unstack=torch.unbind, **{name: getattr(torch, name) for name in names})
    return xp


def _rows(x: Any) -> list[Any]:
    return [x[i] for i in range(len(x))]  # half the time of `unstack`, and of `list`


def _transpose(x: Any, axes: tuple[int, ...]) -> Any:
    return x.transpose(axes)  # a fifth of the time of `permute_dims`


def spreads(xp: Namespace) -> bool:
    """Whether a few numbers are better written out along an axis than broadcast, which costs NumPy a call's time."""
    return "spread" in vars(xp)


def spread(columns: Any, other: Any, axis: int, /) -> Any:
    """Columns (K, ...) along an axis (..., K) of another array, where theirs is of length 1."""
    return columns.repeat(other.shape[axis - 1], axis)


def variant(xp: Namespace, /, **functions: Any) -> Namespace:
    variant = types.ModuleType(xp.__name__)
    vars(variant).update(vars(xp) | functions)
    return variant


@remember
def _at_hand(xp: Namespace, place: str) -> Namespace:
    """The namespace for results that may be filled in place, and on the CPU looked at."""
    return variant(xp, fills=True, sees_values=place == "cpu")


def surely_above(x: Any, least: float, *, xp: Namespace) -> bool:
    """Whether no element is below `least`, or NaN, where asking is cheaper than masking.

    Asked only where values are at hand: not of a library that traces, differentiates, or computes elsewhere.
    """
    if answer := vars(xp).get("surely_above"):
        return bool(answer(x, least))
    if not vars(xp).get("sees_values") or 0 in x.shape:
        return False
    # The place first: for few numbers a quarter of the time of NumPy's minimum, for many as long. NaN counts as least.
    return float(x.item(x.argmin()) if library(xp) == "numpy" else x.min()) >= least


def is_transformed(x: Any, torch: Any) -> bool:
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


def _torch_computes_now(arrays: tuple[Any, ...]) -> str | None:
    """Type of the device, where tensors are neither traced nor differentiated."""
    import torch

    if compiling():
        return None
    differentiates = torch.is_grad_enabled()
    place = None
    for x in arrays:
        if x is None:
            continue
        place = x.device.type
        if is_transformed(x, torch) or place == "meta" or (differentiates and x.requires_grad):
            return None
    return place
