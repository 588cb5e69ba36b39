"""The few places where libraries differ: one function each, with a fallback in the standard alone."""

import functools
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou._lib.types import Namespace

# Elements in a tile of all pairs: the temporaries of a score should stay in cache, and the calls stay few.
TILE_NUMPY = 2**15
TILE_EAGER = 2**18
TILE_ACCELERATOR = 2**24


def run(kernel: Callable[..., Any], /, *arrays: Any, xp: Namespace, **static: Any) -> Any:
    """Call a kernel; for JAX arrays compiled once for each set of options, since eager JAX is 40 times slower."""
    if compat.is_jax_namespace(xp):
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
    return _jax_divide()(n, d) if compat.is_jax_namespace(xp) else n / d


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


def stop_gradient(x: Any, *, xp: Namespace) -> Any:
    """The same values, as a constant; the standard has no word for it, and libraries without gradients need none."""
    if compat.is_torch_namespace(xp):
        return x.detach()
    if compat.is_jax_namespace(xp):
        import jax

        return jax.lax.stop_gradient(x)
    stop = getattr(xp, "stop_gradient", None)  # a facade, such as the Keras adapter's
    return x if stop is None else stop(x)


def contiguous(x: Any, *, xp: Namespace) -> Any:
    """The same values with unit stride along the last axis, where a library computes faster so."""
    if compat.is_numpy_namespace(xp):
        return xp.asarray(x, order="C")
    return x.contiguous() if compat.is_torch_namespace(xp) else x


def spread(x: Any, shape: tuple[int, ...], *, xp: Namespace) -> Any:
    """`x` written out to `shape` where that is faster than broadcasting, else as it is.

    NumPy's minimum and maximum use SIMD only where both operands are contiguous.
    """
    return x + xp.zeros(shape, dtype=x.dtype) if compat.is_numpy_namespace(xp) else x


def tile_elements(*arrays: Any, xp: Namespace) -> int | None:
    """How many results to compute at once, or None where the library must see one expression.

    JAX and Dask fuse or chunk it themselves, and a result filled in place would break autograd and tracing.
    """
    if compat.is_numpy_namespace(xp):
        return TILE_NUMPY
    if compat.is_jax_namespace(xp) or compat.is_dask_namespace(xp):
        return None
    if compat.is_torch_namespace(xp):
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
    return TILE_EAGER if all(x.device.type == "cpu" for x in arrays) else TILE_ACCELERATOR
