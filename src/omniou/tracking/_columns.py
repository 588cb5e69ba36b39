"""Columns of a table on the host: integers, or names."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._lib import host, indexing
from omniou._lib.types import Namespace


class CodedColumns(NamedTuple):
    """The distinct values of two columns, rising, and the number of the value of each row."""

    values: list[Any]
    first: Any  # (N,)
    second: Any  # (M,)


def column(name: str, given: Any, /, *, xp: Namespace, names: bool = True) -> Any:
    """An array of any library, or a list -> int64 or strings (N,) in NumPy."""
    x = xp.asarray(host.column(name, given))
    if x.size == 0 and x.ndim <= 2:
        return xp.zeros(0, dtype=xp.int64)
    what = "integers or names" if names else "integers"
    if x.ndim != 1:
        raise ValueError(f"`{name}` must be {what} of shape (N,), got shape {x.shape}")
    if x.dtype.kind == "O":
        x = _of_objects(x, xp=xp)
    if x.dtype.kind == "u" and int(x.max()) >= 2**63:
        raise ValueError(f"`{name}` must be below 2**63, got {int(x.max())}")
    if x.dtype.kind in "iu":
        return x.astype(xp.int64)
    if names and x.dtype.kind in "UT":
        return x.astype(str)
    hint = ": convert them by `astype(int)`" if x.dtype.kind == "f" else ""
    raise TypeError(f"`{name}` must be {what}, got dtype {given.dtype if hasattr(given, 'dtype') else x.dtype}{hint}")


def _of_objects(x: Any, /, *, xp: Namespace) -> Any:
    """Python objects of one kind, names or integers, as an array of that kind."""
    for kind, dtype in ((str, str), (int, xp.int64)):
        if all(isinstance(value, kind) and not isinstance(value, bool) for value in x):
            return x.astype(dtype)
    return x


def numbered(x: Any, /, *, xp: Namespace) -> tuple[Any, Any]:
    """The distinct values of a column (N,), rising, and the number of the value of each row (N,)."""
    if x.dtype.kind != "i":
        values, numbers = xp.unique(x, return_inverse=True)
        return values, numbers
    values = indexing.distinct(x, xp=xp)
    return values, indexing.place(values, x, xp=xp)[0]


def coded(name: str, first: Any, second: Any, more: Sequence[Any] = (), /, *, xp: Namespace) -> CodedColumns:
    """Two columns of one meaning, and further values that occur."""
    listed = column(name, list(more), xp=xp)
    filled = [x for x in (first, second, listed) if x.size]
    if len({x.dtype.kind for x in filled}) > 1:
        raise TypeError(f"`{name}` must be integers everywhere, or names everywhere, got both")
    if not filled:
        none = xp.zeros(0, dtype=xp.int64)
        return CodedColumns([], none, none)
    values, numbers = numbered(xp.concatenate(filled), xp=xp)
    return CodedColumns(values.tolist(), numbers[: first.size], numbers[first.size : first.size + second.size])
