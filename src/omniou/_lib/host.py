"""Arrays on the host, for work whose shapes depend on values, and that no gradient flows through."""

import contextlib
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import array_api_compat as compat

from omniou._lib import backends, carried, tracers
from omniou._lib.types import Namespace


def to_host(
    arrays: dict[str, Any], /, *, always: bool = False
) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    """Arrays of one library -> its namespace, the arrays, and what brings a result home.

    Tensors of torch on a CPU become zero-copy views of NumPy. JAX arrays become NumPy's, since JAX would compile each
    step anew for each shape, and results go back to their device; with 64-bit numbers switched off they are rounded
    there, not before. All other arrays stay as and where they are. Where NumPy is `always` needed, tensors of a device
    come by one copy, and CuPy's arrays by one each.
    """
    first = next(iter(arrays.values()))
    numpy = sys.modules.get("numpy")
    if numpy is not None and {*map(type, arrays.values())} == {numpy.ndarray}:
        return lean(backends.numpy_namespace()), arrays, as_it_is
    check_values(arrays)
    if compat.is_jax_array(first):
        return _from_jax(first, arrays)
    if compat.is_torch_array(first) and (always or first.device.type == "cpu"):
        return _from_torch(first, arrays)
    if always and compat.is_cupy_array(first):
        home = functools.partial(to_cupy, device=first.device.id)
        return lean(backends.numpy_namespace()), {name: x.get() for name, x in arrays.items()}, home
    return namespace_of(first), arrays, as_it_is


def to_numpy(arrays: dict[str, Any], /) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    """Do the same as `to_host`, in NumPy regardless of the library; arrays of a device come by one copy."""
    import numpy as np

    _, near, home = to_host(arrays, always=True)
    first = next(iter(arrays.values()))
    if isinstance(next(iter(near.values())), np.ndarray):
        return lean(backends.numpy_namespace()), near, home
    xp, device = backends.array_namespace(first), backends.device(first, xp=backends.array_namespace(first))

    def back(x: Any, /) -> Any:
        return xp.asarray(x, device=device)

    near = {name: np.from_dlpack(x) if hasattr(x, "__dlpack__") else np.asarray(x) for name, x in arrays.items()}
    return lean(backends.numpy_namespace()), near, back


def column(name: str, x: Any, /) -> Any:
    """An array of any library, or a column of a frame, in NumPy; lists and all else as they are."""
    x = carried.plain(name, x)
    if hasattr(x, "to_numpy"):
        return x.to_numpy()
    if not compat.is_array_api_obj(x) or compat.is_numpy_array(x):
        return x
    backends.check_not_lazy(name, backends.array_namespace(x))
    return to_numpy({name: x})[1][name]


def check_values(arrays: Mapping[str, Any], /) -> None:
    """Raise for arrays that are traced, or lazy: their values are not known yet."""
    for name, x in arrays.items():
        if compat.is_array_api_obj(x):  # tensors of TensorFlow, which are registered, are not lazy
            backends.check_not_lazy(name, namespace_of(x))
        if not tracers.has_values(x):
            raise TypeError(
                f"`{name}` is traced, by jit, vmap, make_fx or the like, and this function needs its values, on the "
                "host: call it outside, on the results. Inside, use functions whose shapes do not depend on values: "
                "omniou_integrations.jax.DetectionAP for AP, scores of `omniou.masks` such as `boundary_iou` for "
                "outlines, `omniou.segmentation` for label maps, losses without `check`"
            )


def fetched(arrays: Sequence[Any], /, *, xp: Namespace) -> tuple[Namespace, list[Any], Callable[[Any], Any]]:
    """Arrays in NumPy, from a device of torch in one copy; everything else stays as it is.

    Shapes that depend on values would wait for the device again and again.
    """
    first = arrays[0]
    if not compat.is_torch_array(first) or first.device.type == "cpu":
        return xp, list(arrays), as_it_is
    near = [x.numpy() for x in on_cpu(arrays)]
    return lean(backends.numpy_namespace()), near, functools.partial(to_torch, device=first.device)


def on_cpu(tensors: Sequence[Any], /) -> list[Any]:
    """Tensors of torch on the CPU, without gradients: from each device in one copy."""
    import torch

    out = [x.detach() for x in tensors]
    for device in {x.device for x in out if x.device.type != "cpu"}:
        # The widest first, so that each starts at a multiple of its size.
        rows = sorted((k for k, x in enumerate(out) if x.device == device), key=lambda k: -out[k].dtype.itemsize)
        parts = [out[k].contiguous().reshape(-1).view(torch.uint8) for k in rows]
        packed, stop = torch.cat(parts).cpu(), 0
        for k, part in zip(rows, parts, strict=True):
            start, stop = stop, stop + part.shape[0]
            out[k] = packed[start:stop].view(out[k].dtype).reshape(out[k].shape)
    return out


def to_torch(x: Any, /, *, device: Any) -> Any:
    """An array of NumPy or a tensor -> a tensor on a device; in float32 where it has no float64."""
    import torch

    out = x if isinstance(x, torch.Tensor) else torch.asarray(x, device="cpu")  # whatever the default device is
    narrow = out.dtype == torch.float64 and not backends.has_float64(device, xp=backends.array_namespace(out))
    return (out.float() if narrow else out).to(device)


def to_cupy(x: Any, /, *, device: int) -> Any:
    """An array of NumPy -> CuPy's, on one of its devices."""
    import cupy

    with cupy.cuda.Device(device):
        return cupy.asarray(x)


def namespace_of(x: Any, /) -> Namespace:
    """The namespace to work on an array with, which is here already."""
    xp = backends.array_namespace(x)
    return lean(xp) if compat.is_numpy_namespace(xp) else xp


def quiet(xp: Namespace, /) -> contextlib.AbstractContextManager[Any]:
    """Silence NumPy's warnings of numbers, for arrays of another library, which does not warn."""
    numpy = sys.modules.get("numpy")
    return contextlib.nullcontext() if numpy is None or compat.is_numpy_namespace(xp) else numpy.errstate(all="ignore")


def as_it_is(x: Any, /) -> Any:
    """Return a result that needs no way home unchanged."""
    return x


@functools.cache
def lean(xp: Namespace, /) -> Namespace:
    """NumPy's namespace with what is called most as it is: on few elements a wrapper costs as much again."""

    def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
        if not include_initial:
            return x.cumsum(axis=axis, dtype=dtype)
        if axis is not None:
            return xp.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=True)
        out = xp.empty(x.shape[0] + 1, dtype=dtype or (x.dtype if x.dtype.kind == "f" else xp.int64))
        out[0] = 0
        x.cumsum(dtype=dtype, out=out[1:])
        return out

    return backends.Namespace(xp, take=_take, repeat=_repeat, cumulative_sum=cumulative_sum)


def _take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    return x.take(indices, axis=axis)


def _repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    return x.repeat(repeats, axis=axis)


def _from_jax(first: Any, arrays: dict[str, Any]) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    import numpy as np

    # A sharding over several devices fits only the shape it was made for: results then go to the default device.
    device = first.sharding if len(first.devices()) == 1 else None
    return (
        lean(backends.numpy_namespace()),
        {name: np.asarray(x) for name, x in arrays.items()},
        _ToJax(device),
    )


class _ToJax:
    """Brings arrays to a device, or a sharding of one. JAX cannot pickle either: platform and number say which."""

    def __init__(self, device: Any, /) -> None:
        self._device = device

    def __call__(self, x: Any, /) -> Any:
        import jax

        return jax.device_put(x, self._device)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._device is None:
            return _ToJax, (None,)
        (device,) = self._device.device_set
        return _to_jax, (device.platform, device.id)


def _to_jax(platform: str, number: int, /) -> _ToJax:
    """Return a function to that device, or to the default one if it does not exist."""
    import jax

    known = [device for device in jax.devices() if (device.platform, device.id) == (platform, number)]
    return _ToJax(jax.sharding.SingleDeviceSharding(known[0]) if known else None)


def _from_torch(first: Any, arrays: dict[str, Any]) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    import torch

    # bfloat16, which NumPy does not know, is exact in float32.
    near = [x.float() if x.dtype == torch.bfloat16 else x for x in on_cpu(list(arrays.values()))]
    return (
        lean(backends.numpy_namespace()),
        {name: x.numpy(force=True) for name, x in zip(arrays, near, strict=True)},
        functools.partial(to_torch, device=first.device),
    )
