"""Columns of any library, checked and brought to NumPy: numbers, integers, names and ids."""

from collections.abc import Sequence
from typing import Any

from omniou._lib import backends, host, near
from omniou._lib.brief import counted, shortened


def numbers(name: str, given: Any, *, widths: Sequence[int], nan: bool = False, least: float | None = None) -> Any:
    """A column of real numbers (N,), or (N, K) where `widths` has K, as float64."""
    xp = backends.numpy_namespace()
    x = array(name, given)
    if x.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` must hold numbers, got dtype {x.dtype}")
    x = x.astype(xp.float64)
    if x.ndim == 1 and not x.shape[0] and widths:
        x = x.reshape(0, widths[0])
    if x.ndim != (2 if widths else 1) or (widths and x.shape[1] not in widths):
        shape = " or ".join(f"(N, {k})" for k in widths) or "(N,)"
        raise ValueError(f"`{name}` must have shape {shape}, got {tuple(x.shape)}")
    bad = ~xp.isfinite(x) & ~(xp.isnan(x) & nan)
    raise_first(name, x, xp.any(bad, axis=1) if widths else bad, "must be finite" + " or NaN" * nan)
    if least is not None:
        raise_first(name, x, x < least, f"must be at least {least:g}")
    return x


def integers(name: str, given: Any, *, least: int) -> Any:
    x = array(name, given)
    if not x.shape[0]:
        return x.astype("int64")
    if x.dtype.kind not in "iu" or x.ndim != 1:
        raise TypeError(f"`{name}` must hold integers (N,), got {x.dtype} {tuple(x.shape)}")
    raise_first(name, x, x < least, f"must be at least {least}")
    return x.astype("int64")


def labels(name: str, given: Any, names: Sequence[str], *, least: int) -> Any:
    """Names or places -> places (N,), the first of `names` having the place `least`."""
    xp = backends.numpy_namespace()
    x = _words(name, array(name, given))
    if x.dtype.kind == "U":
        place = {word: k + least for k, word in enumerate(names)}
        words, inverse = xp.unique(x, return_inverse=True)
        for k, word in enumerate(words.tolist()):
            if word not in place:
                row = int(xp.argmax(inverse == k))
                raise ValueError(
                    f"`{name}[{row}]` must be one of the rules' names, got {word!r}{near.hint(word, names)}"
                )
        return xp.asarray([place[word] for word in words.tolist()], dtype=xp.int64)[inverse]
    x = integers(name, x, least=least)
    most = len(names) + least
    raise_first(name, x, x >= most, f"must be below {most}, the number of the rules' names")
    return x


def ids(name: str, given: Any) -> Any:
    """Ids of samples: integers or strings (N,)."""
    x = _words(name, array(name, given))
    if x.shape[0] and (x.dtype.kind not in "iuU" or x.ndim != 1):
        raise TypeError(f"`{name}` must hold integers or strings (N,), got {x.dtype} {tuple(x.shape)}")
    return x


def samples_of(given: Any, named: dict[str, Any]) -> Any:
    """The ids of all samples, rising. Raises where a table has others than those that were asked for."""
    xp = backends.numpy_namespace()
    filled = {name: x for name, x in named.items() if x.shape[0]}
    if given is not None:
        filled["samples"] = ids("samples", given)
    kinds = {name: "strings" if x.dtype.kind == "U" else "integers" for name, x in filled.items()}
    if len(set(kinds.values())) > 1:
        listing = " and ".join(f"{kind} in `{name}`" for name, kind in kinds.items())
        raise TypeError(f"ids of samples must be all integers or all strings, got {listing}")
    if given is None:
        return xp.unique(xp.concatenate(list(filled.values()))) if filled else xp.zeros(0, dtype=xp.int64)
    known = xp.unique(filled["samples"])
    for name, x in filled.items():
        if (strange := xp.setdiff1d(x, known)).shape[0]:
            listing = shortened(strange.tolist())
            raise ValueError(
                f"`{name}` has {counted(strange.shape[0], 'samples')} that `samples` does not list: {listing}"
            )
    return known


def _words(name: str, x: Any) -> Any:
    """Objects of Python (N,), as frames have them, which must be strings; other columns as they are."""
    if x.dtype.kind != "O":
        return x
    for row, word in enumerate(x.tolist()):
        if not isinstance(word, str):
            raise TypeError(f"`{name}[{row}]` must be a string or an integer, got {word!r}")
    return x.astype(str)


def array(name: str, given: Any) -> Any:
    """An array of any library, a column of a frame, or a list -> NumPy, of one axis or more."""
    x = _array(name, given)
    if not x.ndim:
        raise TypeError(f"`{name}` must have a row for each box, got one value, {given!r}")
    return x


def _array(name: str, given: Any) -> Any:
    xp = backends.numpy_namespace()
    x = host.column(name, given)
    try:
        return xp.asarray(x)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be an array or a list of one shape, got {type(given).__name__}") from None


def raise_first(name: str, x: Any, bad: Any, fault: str) -> None:
    """Raise for the first bad row of booleans (N,)."""
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"`{name}[{row}]` {fault}, got {x[row].tolist()}")
