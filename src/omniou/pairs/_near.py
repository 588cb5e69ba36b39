"""Both sets where their values can be checked, and the way back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._lib import backends, host, indexing
from omniou._lib.arrays import cast
from omniou._lib.types import Namespace
from omniou.pairs._arguments import Sets
from omniou.pairs._search import Grouped


class Near(NamedTuple):
    """Sets in NumPy, or on torch's device, and where results go."""

    sets: Sets
    given: Sets
    home: Callable[[Any], Any]

    def returned(self, values: Any, /) -> Any:
        """Scores as the caller's library has them."""
        return cast(self.home(values), self.given.result, xp=self.given.xp)

    def rounded(self, values: Any, /) -> Any:
        """Scores in the dtype of the result, as thresholds are compared with them, where the host has no such dtype."""
        if _name(values.dtype) == _name(self.given.result):
            return values
        if (narrow := getattr(self.sets.xp, _name(self.given.result), None)) is not None:
            return cast(values, narrow, xp=self.sets.xp)
        back = cast(self.home(values), self.given.result, xp=self.given.xp)
        return host.to_host({"values": cast(back, self.given.xp.float32, xp=self.given.xp)})[1]["values"]


def near(sets: Sets, /) -> Near:
    """Tensors on a CPU and JAX arrays in NumPy, all else as it is."""
    if sets.of_runs():
        return Near(sets, sets, host.as_it_is)
    xp = sets.xp
    a, b = (_readable(x, sets) for x in (sets.a, sets.b))
    beside = {name: x for name, x in sets.options.items() if hasattr(x, "dtype")}
    arrays = {"a": a, "b": b, "groups_a": sets.groups_a, "groups_b": sets.groups_b, **beside}
    xp, arrays, home = host.to_host({name: x for name, x in arrays.items() if x is not None})
    options = {name: arrays.get(name, x) for name, x in sets.options.items()}
    a, b, groups_a, groups_b = (arrays.get(name) for name in ("a", "b", "groups_a", "groups_b"))
    moved = sets._replace(xp=xp, options=options, a=a, b=b, groups_a=groups_a, groups_b=groups_b)
    return Near(moved, sets, home)


def _readable(x: Any, sets: Sets, /) -> Any:
    """Integers in the dtype that the library computes them in, and bfloat16, which NumPy does not know, in float32."""
    xp = sets.xp
    if sets.declaration is not None and sets.declaration.geometry is not None and xp.isdtype(x.dtype, "integral"):
        x = xp.astype(x, sets.result)
    return xp.astype(x, xp.float32) if _name(x.dtype) == "bfloat16" else x


def _name(dtype: Any) -> str:
    """Name of a dtype, also of NumPy's class that stands for it: float64."""
    return str(dtype).rpartition(".")[2].removesuffix("'>")


def group_numbers(sets: Sets, n: int, m: int, /) -> Grouped:
    """Groups as numbers from 0 on (N,), (M,), -1 where the second set has none such; and how many they are."""
    xp = sets.xp
    if sets.groups_a is None:
        device = backends.device(sets.a, xp=xp)
        a, b = (xp.zeros(size, dtype=xp.int64, device=device) for size in (n, m))
        return Grouped(a, b, 1)
    a, b = (_signed(name, getattr(sets, name), xp=xp) for name in ("groups_a", "groups_b"))
    ids = indexing.distinct(b, xp=xp)
    if ids.shape[0] == 0 or n == 0:
        return Grouped(xp.full_like(a, -1), xp.full_like(b, -1), 1)
    at, there = indexing.place(ids, a, xp=xp)
    partnered = xp.where(there, at, xp.full_like(at, -1))
    return Grouped(partnered, indexing.place(ids, b, xp=xp)[0], int(ids.shape[0]))


def _signed(name: str, x: Any, /, *, xp: Namespace) -> Any:
    """Integers as int64, which has all but the upper half of uint64."""
    if _name(x.dtype) == "uint64" and bool(xp.any(x > 2**63 - 1)):
        raise ValueError(f"`{name}` must be below 2**63, got {int(xp.max(x))}")
    return xp.astype(x, xp.int64)
