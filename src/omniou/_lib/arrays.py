"""From whatever a caller holds to arrays of one library, on one device, with one floating dtype."""

import functools
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib.types import Namespace


# Arguments that are used in the dtype of the others, whatever their own.
_AUXILIARY = ("image_size", "weight", "where", "masks")

_NUMBERS = (("integral", "real floating"), "integers or real floating numbers")
_KINDS = {
    "where": (("bool",), "booleans"),
    "masks": (("bool", "integral"), "booleans or integers"),
}


class Arrays(NamedTuple):
    """Arguments that agree: `values` as they came, to be computed in `compute` and returned in `result`."""

    xp: Namespace
    values: tuple[Any, ...]
    compute: Any
    result: Any


def gather(**named: Any) -> Arrays:
    """Arguments by name -> arrays of one library and device, and the dtypes to compute and to return in.

    An argument may be None: it stays so. Masks hold booleans, the others numbers. Lists and numbers join the library of the arrays among the others.
    """
    given = {name: x for name, x in named.items() if x is not None}
    arrays = {name: x for name, x in given.items() if _is_array(x)}
    xp = _one_namespace(arrays) if arrays else _numpy()
    _one_device(arrays)
    like = next(iter(arrays.values()), None)
    for name, x in given.items():
        if name not in arrays:
            named[name] = _from_python(name, x, like, xp)
    dtypes = {name: x.dtype for name, x in named.items() if x is not None}
    for name, dtype in dtypes.items():
        kinds, wanted = _KINDS.get(name, _NUMBERS)
        if not xp.isdtype(dtype, kinds):
            msg = f"`{name}` must hold {wanted}, got dtype {dtype}"
            raise TypeError(msg)
    deciding = tuple(dtype for name, dtype in dtypes.items() if name not in _AUXILIARY)
    return Arrays(xp, tuple(named.values()), *_promotion(xp, deciding))


def is_floating(x: Any, xp: Namespace) -> bool:
    return bool(xp.isdtype(x.dtype, "real floating"))


def cast(x: Any, dtype: Any, *, xp: Namespace) -> Any:
    return x if x.dtype == dtype else xp.astype(x, dtype)


def _is_array(x: Any) -> bool:
    # A list has no dtype; NumPy scalars, JAX tracers and Dask arrays have one.
    return hasattr(x, "dtype") and hasattr(x, "shape")


def _one_namespace(arrays: dict[str, Any]) -> Namespace:
    namespaces = {}
    for name, x in arrays.items():
        try:
            namespaces[name] = compat.array_namespace(x)
        except TypeError:
            msg = f"`{name}` must be an array of a library that follows the array API standard, got {type(x).__name__}"
            raise TypeError(msg) from None
    xp = next(iter(namespaces.values()))
    if any(other is not xp for other in namespaces.values()):
        msg = f"{_names(namespaces)} must be arrays of one library, got {_listing(namespaces, _library)}"
        raise TypeError(msg)
    return xp


def _one_device(arrays: dict[str, Any]) -> None:
    if len(arrays) < 2:  # noqa: PLR2004  (two arrays are what can disagree)
        return
    devices = {}
    for name, x in arrays.items():
        # A JAX tracer or an array sharded over devices has no single one: the library itself judges those.
        if (device := _device(x)) is not None:
            devices[name] = device
    if len(set(map(str, devices.values()))) > 1:
        msg = f"{_names(devices)} must be on one device, got {_listing(devices, str)}"
        raise TypeError(msg)


def _device(x: Any) -> Any:
    if type(x).__module__.startswith("numpy"):  # the commonest case, at a tenth of the price
        return None
    if compat.is_jax_array(x):
        devices = getattr(x, "devices", None)
        try:
            found = devices() if devices is not None else ()
        except Exception:  # noqa: BLE001  (a tracer raises one of several errors here, by JAX version)
            return None
        return next(iter(found)) if len(found) == 1 else None
    return compat.device(x)


def _from_python(name: str, x: Any, like: Any, xp: Namespace) -> Any:
    # Floats take the dtype of a floating neighbour; integers too, so that a list never widens the result.
    dtype = like.dtype if like is not None and is_floating(like, xp) and name not in _KINDS else None
    device = None if like is None else _device(like)
    try:
        out = xp.asarray(x, dtype=dtype, device=device)
    except (TypeError, ValueError, RuntimeError):
        out = None
    if out is None or out.dtype == object:
        msg = f"`{name}` must be an array or nested lists of numbers of one shape, got {_short(x)}"
        raise TypeError(msg)
    return out


def _promotion(xp: Namespace, dtypes: tuple[Any, ...]) -> tuple[Any, Any]:
    """Dtypes of all arguments -> (dtype to compute in, dtype of the result)."""
    floating = [d for d in dtypes if xp.isdtype(d, "real floating")]
    result = functools.reduce(xp.result_type, floating) if floating else widest_floating(xp)
    # float16 and bfloat16 overflow at the area of a 256 pixel box and have 3 digits: compute in float32.
    compute = xp.float32 if xp.finfo(result).bits < 32 else result  # noqa: PLR2004
    return compute, result


def widest_floating(xp: Namespace) -> Any:
    """float64 where the library has it (JAX without x64 and some devices do not), else float32."""
    return xp.__array_namespace_info__().dtypes(kind="real floating").get("float64", xp.float32)


def _numpy() -> Namespace:
    try:
        import array_api_compat.numpy as xp
    except ImportError:
        msg = "lists and numbers become NumPy arrays, and NumPy is not installed: `pip install numpy`, or pass an array"
        raise TypeError(msg) from None
    return xp


def _names(named: dict[str, Any]) -> str:
    *head, last = (f"`{name}`" for name in named)
    return f"{', '.join(head)} and {last}"


def _listing(named: dict[str, Any], text: Any) -> str:
    return ", ".join(f"{text(x)} for `{name}`" for name, x in named.items())


def _library(xp: Namespace) -> str:
    return str(xp.__name__).removeprefix("array_api_compat.").partition(".")[0]


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004
