"""Convert arguments to arrays of one library, on one device, with one floating dtype.

What is checked are static facts alone, types, dtypes, devices and shapes, so a check runs once for each set of
facts and is remembered.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from omniou._lib import backends, carried, tracers
from omniou._lib.types import Namespace


@dataclasses.dataclass(frozen=True, eq=False, slots=True)  # hashed by identity: it is part of the key of each call
class Operand:
    """The dtypes that an argument may have, and whether the dtype of the result follows it."""

    holds: str = "integers or real floating numbers"
    kinds: tuple[str, ...] = ("integral", "real floating")
    decides: bool = True
    optional: bool = False


NUMBERS = Operand()
PIXELS = Operand("numbers or booleans", ("bool", "integral", "real floating"))
LABELS = Operand("labels, integers or booleans", ("bool", "integral"), decides=False)
# Optional arguments, which are used in the dtype of the others.
BESIDE = Operand(decides=False, optional=True)
BOOLEANS = Operand("booleans", ("bool",), decides=False, optional=True)
INTEGERS = Operand("integers", ("integral",), decides=False, optional=True)


class Fact(NamedTuple):
    """Facts about an argument that need no look at its values."""

    name: str
    operand: Operand
    namespace: Namespace
    dtype: Any
    shape: tuple[Any, ...]
    device: Any
    setting: Any  # of the library, where it decides on dtypes: JAX's x64


_NAMESPACES: dict[type, Namespace] = {}


def arrays_of(operands: Mapping[str, Operand] = MappingProxyType({}), /, **named: Any) -> Any:
    """Arguments by name -> a list of arrays, and the facts of those that are given.

    Lists and numbers join the library of the arrays among the others, or become NumPy arrays, and so do NumPy arrays
    as options. `operands`: what is not `NUMBERS`.
    """
    return facts_of(operands, {name: carried.plain(name, x) for name, x in named.items()})


def facts_of(operands: Mapping[str, Operand], named: dict[str, Any], /) -> Any:
    """What `arrays_of` returns, for arrays that carry nothing but numbers, or are spread over devices."""
    facts: list[Fact] = []
    for name, x in named.items():
        operand = operands.get(name, NUMBERS)
        if x is None and operand.optional:
            continue
        if not hasattr(x, "dtype"):
            return facts_of(operands, _without_lists(operands, named))
        xp = namespace_of(name, x)
        if backends.library(xp) == "numpy":
            if operand.optional and facts and facts[0].namespace is not xp:
                return facts_of(operands, {**named, name: _joined(x, facts[0])})
            facts.append(Fact(name, operand, xp, x.dtype, x.shape, None, None))
            continue
        facts.append(
            Fact(name, operand, xp, x.dtype, tracers.shape(x), backends.device(x, xp=xp), backends.setting(xp))
        )
    return list(named.values()), tuple(facts)


@backends.remember
def agree(facts: tuple[Fact, ...], /) -> tuple[Any, Any]:
    """Check that arguments fit together; the dtypes to compute in and to return."""
    _one("library", {f.name: backends.library(f.namespace) for f in facts})
    # Traced arrays, and arrays sharded over devices, have no single device: the library checks those itself.
    _one("device", {f.name: str(f.device) for f in facts if f.device is not None})
    xp = facts[0].namespace
    for fact in facts:
        if not xp.isdtype(fact.dtype, fact.operand.kinds):
            raise TypeError(f"`{fact.name}` must hold {fact.operand.holds}, got dtype {fact.dtype}")
    deciding = [f.dtype for f in facts if f.operand.decides]
    floating = [dtype for dtype in deciding if xp.isdtype(dtype, "real floating")]
    result = _promoted(facts, floating) if floating else widest_floating(xp, _device(facts))
    # float16 and bfloat16 overflow at the area of a 256 pixel box and have 3 digits: compute in float32.
    compute = xp.float32 if xp.finfo(result).bits < 32 else result
    return compute, result


def _promoted(facts: tuple[Fact, ...], floating: list[Any]) -> Any:
    xp = facts[0].namespace
    try:
        return functools.reduce(xp.result_type, floating)
    except (RuntimeError, ValueError):  # of torch, and of JAX, for floating numbers of 8 bits next to others
        names = " and ".join(f"`{f.name}`" for f in facts if f.operand.decides)
        listing = " and ".join(sorted({str(dtype) for dtype in floating}))
        raise TypeError(f"{names} have dtypes that are not combined, {listing}: cast them to one of these") from None


def loss_dtype(reduction: str, compute: Any, result: Any) -> Any:
    """The dtype of a loss: the sum or the mean of 16-bit losses is float32, which they are computed in.

    float16 ends at 65,504, where a scaled loss is infinite, and a mean in bfloat16 has 3 digits.
    """
    return result if reduction == "none" else compute


def namespace_of(name: str, x: Any) -> Namespace:
    """The array-API namespace of one array."""
    kind = type(x)
    if kind.__module__ == "torch":
        # As array-api-compat does, without its caches, of which torch.compile warns.
        import array_api_compat.torch

        return array_api_compat.torch
    if kind not in _NAMESPACES:
        try:
            _NAMESPACES[kind] = backends.array_namespace(x)
        except TypeError:
            raise TypeError(
                f"`{name}` must be an array of a library that follows the array API standard, got {kind.__name__}"
            ) from None
    if kind.__module__ == "numpy" and x.dtype.kind == "V":
        raise TypeError(
            f"`{name}` must be of a dtype of NumPy itself, got {x.dtype}: pass `x.astype(numpy.float32)`, or integers"
        )
    return _NAMESPACES[kind]


def register(kind: type, xp: Namespace) -> None:
    """Let arrays of a library that does not follow the standard pass, with a namespace that does it for them.

    Its ``shows(x)``, if it has one, says whether the values of an array can be checked.
    """
    _NAMESPACES[kind] = xp


def shown(x: Any) -> bool:
    """Whether the namespace that an array was registered with lets its values be looked at."""
    shows = getattr(_NAMESPACES.get(type(x)), "shows", None)
    return shows is not None and bool(shows(x))


def widest_floating(xp: Namespace, device: Any = None) -> Any:
    """float64 where library and device have it (JAX without x64 and Apple's devices do not), else float32."""
    floats = xp.__array_namespace_info__().dtypes(kind="real floating")
    return floats["float64"] if "float64" in floats and backends.has_float64(device, xp=xp) else xp.float32


def _device(facts: tuple[Fact, ...]) -> Any:
    return next((f.device for f in facts if f.device is not None), None)


def widest_integer(xp: Namespace) -> Any:
    """int64 where the library has it (JAX without x64 does not), else int32."""
    integers = xp.__array_namespace_info__().dtypes(kind="signed integer")
    return integers.get("int64", xp.int32)


def ranked(x: Any, rank: int, *, xp: Namespace) -> Any:  # noqa: ARG001  (as the others)
    """`x` with axes of length 1 in front, up to `rank`."""
    # By an index, because a graph may not know the sizes to reshape to.
    return x if x.ndim >= rank else x[(None,) * (rank - x.ndim) + (...,)]


def known(*shape: Any) -> tuple[Any, ...]:
    """A shape to reshape to, of which a graph may not know one size yet."""
    return tuple([-1 if size is None else size for size in shape])


def is_floating(x: Any, xp: Namespace) -> bool:
    return bool(xp.isdtype(x.dtype, "real floating"))


def cast(x: Any, dtype: Any, *, xp: Namespace) -> Any:
    return x if x.dtype == dtype else xp.astype(x, dtype)


def columns_of(x: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """(..., K) -> K arrays (...), or an array (K, ...), in the dtype to compute in."""
    library = backends.library(xp)
    # XLA computes with slices in place, and copies what is transposed or stacked.
    if library == "jax" or backends.are_few(x, xp=xp):
        x = cast(x, dtype, xp=xp)
        return tuple([x[..., k] for k in range(x.shape[-1])])
    stacked = stacked_columns_of(x, dtype=dtype, xp=xp)
    # What dispatches each operation to a device pays by their number: one for all axes.
    return axes(stacked) if library == "numpy" else stacked


def stacked_columns_of(x: Any, /, *, dtype: Any, xp: Namespace) -> Any:
    """(..., K) -> (K, ...) in the dtype to compute in."""
    if backends.library(xp) == "jax":
        return xp.stack(columns_of(x, dtype=dtype, xp=xp))
    return cast(backends.contiguous(xp.permute_dims(x, (x.ndim - 1, *range(x.ndim - 1))), xp=xp), dtype, xp=xp)


def axes(x: Any, /) -> tuple[Any, ...]:
    """An array (D, ...), or its parts already -> D arrays (...)."""
    return tuple(x) if isinstance(x, (tuple, list)) else tuple([x[axis, ...] for axis in range(x.shape[0])])


def each(function: Callable[[Any], Any], form: Any, /) -> Any:
    """A named tuple of arrays, or of tuples of arrays -> the same with a function of each array."""
    parts = [tuple([function(y) for y in x]) if isinstance(x, tuple) else function(x) for x in form]
    return type(form)(*parts)


def _without_lists(operands: Mapping[str, Operand], named: dict[str, Any]) -> dict[str, Any]:
    arrays = {name: x for name, x in named.items() if hasattr(x, "dtype")}
    like = next(iter(arrays.values()), None)
    xp = _numpy() if like is None else namespace_of(*next(iter(arrays.items())))
    out: dict[str, Any] = {}
    for name, x in named.items():
        operand = operands.get(name, NUMBERS)
        ready = name in arrays or (x is None and operand.optional)
        out[name] = x if ready else _from_python(name, operand, x, like, xp)
    return out


def _joined(x: Any, like: Fact) -> Any:
    """A NumPy array in the library of another argument and on its device."""
    # A copy in this machine's byte order, since torch shares memory, and warns of arrays that cannot be written.
    return like.namespace.asarray(x.astype(x.dtype.newbyteorder("=")), device=like.device)


def _from_python(name: str, operand: Operand, x: Any, like: Any, xp: Namespace) -> Any:
    # Numbers take the dtype of a floating neighbour, so that a list never widens the result.
    carried.check_list(name, x)
    follow = like is not None and "real floating" in operand.kinds and is_floating(like, xp)
    device = None if like is None else backends.device(like, xp=xp)
    try:
        # Without a dtype at first: with one, NumPy turns None into NaN.
        out = xp.asarray(x, device=device)
    except (TypeError, ValueError, RuntimeError):
        out = None
    if out is not None:
        namespace_of(name, out)  # raises for a dtype that is not NumPy's own
    if out is None or not xp.isdtype(out.dtype, ("bool", "numeric")):
        text = " ".join(repr(x).split())  # arrays inside have several lines
        text = text if len(text) <= 60 else f"{text[:57]}..."
        raise TypeError(f"`{name}` must be an array or nested lists of numbers of one shape, got {text}")
    return xp.asarray(x, dtype=like.dtype, device=device) if follow else out


def _one(what: str, by_name: dict[str, str]) -> None:
    if len(set(by_name.values())) > 1:
        names = " and ".join(f"`{name}`" for name in by_name)
        listing = ", ".join(f"{x} for `{name}`" for name, x in by_name.items())
        raise TypeError(f"{names} must be arrays of one {what}, got {listing}")


def _numpy() -> Namespace:
    try:
        return backends.numpy_namespace()
    except ImportError:
        raise TypeError(
            "lists and numbers become NumPy arrays, and NumPy is not installed: `pip install numpy`, or pass an array"
        ) from None
