"""The few places where libraries differ: one function each, with a fallback that needs only the standard."""

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._lib import meshes, types
from omniou._lib.tracers import compiling, is_fake, is_transformed, recording

# Entries of each cache of static facts: bounded, so that long programs with many shapes do not grow.
REMEMBERED = 1024

T = TypeVar("T")


def library(xp: types.Namespace) -> str:
    """The name that a user knows a namespace by."""
    # torch.compile warns of the caches in array-api-compat's functions.
    name: str = xp.__name__
    return _LIBRARIES.get(name) or name.removeprefix(_COMPAT).partition(".")[0]


_COMPAT = "array_api_compat."
_LIBRARIES = {"numpy": "numpy", f"{_COMPAT}numpy": "numpy", f"{_COMPAT}torch": "torch", "jax.numpy": "jax"}


@functools.cache
def numpy_namespace() -> Any:
    """NumPy itself, which follows the standard from 2.1 on: array-api-compat's wrapper takes 0.1 s to import."""
    import numpy as np

    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1):
        return np
    import array_api_compat.numpy

    return array_api_compat.numpy


def array_namespace(x: Any) -> Any:
    """The namespace of an array, as array-api-compat has it except for NumPy's."""
    return numpy_namespace() if type(x).__module__ == "numpy" else compat.array_namespace(x)


def device(x: Any, *, xp: types.Namespace) -> Any:
    """Device of an array; None where a library has one device only, or the device is unknown."""
    match library(xp):
        case "numpy" | "tensorflow":  # NumPy has one device, and TensorFlow places tensors itself
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
    # An array that is sharded over devices has no single device.
    return next(iter(devices)) if len(devices) == 1 else None


def has_float64(device: Any, *, xp: types.Namespace) -> bool:
    """Whether a device has 64-bit floats, if the library has them."""
    if device is None or library(xp) in {"jax", "dask"}:
        return True
    # The standard's own question makes an array of every dtype, which cannot be compiled.
    return str(device.type) != "mps" if compiling() else _makes_float64(xp, device)


@functools.lru_cache(REMEMBERED)
def _makes_float64(xp: types.Namespace, device: Any) -> bool:
    try:
        xp.empty(0, dtype=xp.float64, device=device)
    except Exception:  # noqa: BLE001  (each library refuses in its own way)
        return False
    return True


def check_not_lazy(name: str, xp: types.Namespace) -> None:
    """Raise for arrays that have no values yet: of Dask, or a graph of ndonnx."""
    if (own := library(xp)) in ("dask", "ndonnx"):
        raise TypeError(
            f"`{name}` must be an array that is computed at once, got one of {own}: compute it, or map over its blocks"
        )


def computes_at_once(xp: types.Namespace) -> bool:
    """Whether each operation is computed when it is called.

    JAX, Dask and torch.compile fuse, or chunk, what is one expression. ndonnx makes a graph of it, of unknown sizes.
    """
    return library(xp) not in ("jax", "dask", "ndonnx") and not recording()


def setting(xp: types.Namespace) -> Any:
    """The setting that changes the dtypes of a library between calls: JAX's x64."""
    if library(xp) != "jax":
        return None
    import jax

    return jax.config.jax_enable_x64  # type: ignore[attr-defined]


def remember(function: Callable[..., T]) -> Callable[..., T]:
    """Keep the results of a function of hashable arguments, except for torch.compile, which runs it once anyway."""
    remembered = functools.lru_cache(REMEMBERED)(function)

    @functools.wraps(function)
    def call(*args: Any) -> T:
        return remembered(*args) if not compiling() and is_key(args) else function(*args)

    return call


def is_key(args: tuple[Any, ...]) -> bool:
    """Whether a function may be remembered by these: of a list, say, that is not an option, it says so itself."""
    try:
        hash(args)
    except TypeError:
        return False
    return True


def run(kernel: Callable[..., Any], /, *arrays: Any, xp: types.Namespace, reduces: bool = False, **static: Any) -> Any:
    """Call a kernel; for JAX arrays compiled once for each set of options, since eager JAX is 40 times slower.

    `reduces`: whether it sums pixels, which JAX's compiler may then do on any mesh.
    """
    if library(xp) == "jax":
        return _jitted(kernel, xp, tuple(sorted(static.items())), reduces)(*arrays)
    return kernel(*arrays, xp=xp, **static)


@functools.lru_cache(REMEMBERED)  # options may be numbers that change from call to call
def _jitted(
    kernel: Callable[..., Any],
    xp: types.Namespace,
    static: tuple[tuple[str, Any], ...],
    reduces: bool,  # noqa: FBT001
) -> Any:
    import jax

    function = functools.partial(kernel, xp=xp, **dict(static))
    return jax.jit(meshes.automatic(function) if reduces else function)


def sign(x: Any, *, xp: types.Namespace) -> Any:
    """-1, 0 or 1; NaN for NaN. For torch, array-api-compat's function writes into its result, in five operations."""
    return xp.where(x == x, x.sign(), x) if library(xp) == "torch" else xp.sign(x)  # noqa: PLR0124  (NaN)


def divide(n: Any, d: Any, least: float, *, xp: types.Namespace) -> Any:
    """n / d, and 0 with gradient 0 where d < least; NaN passes through.

    JAX has a derivative of its own here. Its usual one goes through d**-2, which overflows float32 for areas below
    1e-19 where n / d is still exact.
    """
    if library(xp) == "jax":
        return _jax_divide()(n, d, least)
    # `d < least` is false for NaN, so NaN passes through.
    tiny = d < least
    # The inner `where` keeps 0 / 0 out of the graph, whose gradient would be NaN however it is masked after.
    return xp.where(tiny, 0.0, n / xp.where(tiny, 1.0, d))


@functools.cache
def _jax_divide() -> Callable[[Any, Any, float], Any]:
    import jax
    import jax.numpy as jnp

    def masked(d: Any, least: float) -> Any:
        # A quotient by infinity is 0: one mask serves, where XLA would write and read a second one.
        return jnp.where(d < least, jnp.inf, d)

    @functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
    def divide(n: Any, d: Any, least: float) -> Any:
        return n / masked(d, least)

    @divide.defjvp
    def _(least: float, primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
        n, d = primals
        dn, dd = tangents
        q = divide(n, d, least)
        # Kept for the gradient is the reciprocal, 0 where `masked` is infinity: that stops programs under
        # `jax_debug_infs`.
        return q, (dn - q * dd) * (1.0 / masked(d, least))

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

    return {
        "maximum": extreme(jnp.maximum, jnp.greater),
        "minimum": extreme(jnp.minimum, jnp.less),
        "max": _jax_reduction(jnp.max, jnp.argmax),
        "min": _jax_reduction(jnp.min, jnp.argmin),
    }


def _jax_reduction(function: Callable[..., Any], place: Callable[..., Any], /) -> Callable[..., Any]:
    """The extreme along axes, with JAX's derivative, in equal parts to equal values, one of which is at `place`.

    JAX's own looks for the values that equal the result. XLA may compute them twice and round them otherwise the second
    time, and then none does.
    """
    import jax
    import jax.numpy as jnp

    @functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
    def differentiable(x: Any, axis: Any, keepdims: bool) -> Any:  # noqa: FBT001
        return function(x, axis=axis, keepdims=keepdims)

    @differentiable.defjvp
    def _(axis: Any, keepdims: bool, primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, ...]:  # noqa: FBT001
        (x,), (dx,) = primals, tangents
        for k in range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,):
            y, at = function(x, axis=k, keepdims=True), place(x, axis=k, keepdims=True)
            equal = (x == y) | (at == jax.lax.broadcasted_iota(at.dtype, x.shape, k % x.ndim))
            parts = jnp.astype(equal, x.dtype) / jnp.sum(equal, axis=k, keepdims=True, dtype=x.dtype)
            x, dx = y, jnp.sum(parts * dx, axis=k, keepdims=True)
        return (x, dx) if keepdims else (jnp.squeeze(x, axis=axis), jnp.squeeze(dx, axis=axis))

    def call(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
        if jnp.issubdtype(x.dtype, jnp.floating):
            return differentiable(x, axis, keepdims)
        return function(x, axis=axis, keepdims=keepdims)

    return call


class Namespace:
    """The functions that kernels call: those of a library in the standard, except for some of its own.

    Built once for each library. `arithmetic`: what `_kernels.arithmetic` is to be computed by, if not by itself.
    """

    def __init__(self, xp: Any, /, *, arithmetic: Any = None, **own: Any) -> None:
        self.base, self.arithmetic, self.__name__ = xp, arithmetic, xp.__name__
        vars(self).update(own)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.base, name)
        vars(self)[name] = function  # looked up once
        return function


@remember
def kernel_namespace(xp: Any) -> Any:
    """The namespace to compute in: a library's own functions, where wrappers only cost more.

    Kernels hand over arrays of one dtype, so torch need not align them first.
    """
    match library(xp):
        case "jax":
            return Namespace(xp, **_jax_extremes())
        case "ndonnx":
            return Namespace(xp, atan2=functools.partial(_atan2, xp=xp))
        case "torch" if not compiling():
            import torch

            return Namespace(xp, **{name: getattr(torch, name) for name in ("maximum", "minimum", "where", "atan2")})
    return xp


def _atan2(y: Any, x: Any, /, *, xp: types.Namespace) -> Any:
    """The angle of (x, y), by the arctangent, where a library has no other: ONNX."""
    half_turn = math.pi * xp.where(y < 0, -xp.ones_like(y), xp.ones_like(y))
    origin = (x == 0) & (y == 0)
    return xp.atan(y / xp.where(origin, 1.0, x)) + xp.where(x < 0, half_turn, 0.0)


def element_count(x: Any, /, *, xp: types.Namespace) -> Any:
    """The number of elements, at least 1: an array () in a graph whose sizes are not known yet."""
    if None not in x.shape:
        return max(1, math.prod(x.shape))
    count = xp.sum(xp.ones_like(x))
    return xp.maximum(count, xp.ones_like(count))


def stop_gradient(x: Any, *, xp: types.Namespace) -> Any:
    """Return the values as a constant for gradients. The standard has no function for it."""
    if library(xp) == "torch":
        return x.detach()
    if library(xp) == "jax":
        import jax

        return jax.lax.stop_gradient(x)
    stop = getattr(xp, "stop_gradient", None)  # a facade, such as the Keras adapter's
    return x if stop is None else stop(x)


def sigmoid(x: Any, *, xp: types.Namespace) -> Any:
    """1 / (1 + exp(-x)), which overflows nowhere."""
    match library(xp):
        case "torch":
            return x.sigmoid()
        case "jax":
            import jax

            return jax.nn.sigmoid(x)
    return xp.exp(xp.minimum(x, xp.zeros_like(x))) / (1.0 + xp.exp(-xp.abs(x)))


def softmax(x: Any, *, axis: int, xp: types.Namespace) -> Any:
    """exp(x) as a share of its sum along an axis."""
    match library(xp):
        case "torch":
            return x.softmax(axis)
        case "jax":
            import jax

            return jax.nn.softmax(x, axis=axis)
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


def matrix_product(a: Any, b: Any, *, xp: types.Namespace) -> Any:
    """a @ b in their own dtype, where torch's autocast rounds float32 to 16 bits, and JAX does to TF32 on a GPU."""
    if library(xp) == "jax":
        return xp.matmul(a, b, precision="highest")
    if library(xp) == "torch":
        import torch

        kind = a.device.type
        if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
            with torch.autocast(kind, enabled=False):
                return a @ b
    return a @ b


def cumulative_sum(x: Any, *, dtype: Any, xp: types.Namespace) -> Any:
    """Along the last axis; torch.compile warns of array-api-compat's function."""
    return x.cumsum(-1, dtype=dtype) if library(xp) == "torch" else xp.cumulative_sum(x, axis=-1, dtype=dtype)


def contiguous(x: Any, *, xp: types.Namespace) -> Any:
    """Return the values side by side in memory, where a library shows its strides."""
    match library(xp):
        case "numpy":
            return xp.ascontiguousarray(x)
        case "torch":
            return x.contiguous()
    return x


# Numbers of an array up to which a copy costs more than strides do.
_FEW = 2**7


def are_few(x: Any, *, xp: types.Namespace) -> bool:
    """Whether a slice of an array of NumPy is as good as a copy; results have the same order in memory."""
    return library(xp) == "numpy" and x.size <= _FEW and (x.ndim < 3 or x.flags.c_contiguous)


def torch_computes_now(arrays: tuple[Any, ...]) -> bool:
    """Whether tensors are neither traced nor differentiated."""
    import torch

    if recording():
        return False
    differentiates = torch.is_grad_enabled()
    return not any(is_transformed(x, torch) or is_fake(x) or (differentiates and x.requires_grad) for x in arrays)
