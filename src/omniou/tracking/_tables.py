"""The table of a tracker or of the ground truth, one row for each object in each frame, and its columns on the host."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

from omniou._lib import host, indexing
from omniou._lib.brief import Brief
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou.rle import Masks


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Tracks(Brief, Generic[ArrayT]):
    """The objects, or a tracker's output, in all frames of all sequences: one row for each object in each frame.

    Rows of a frame keep their order: where similarities tie, the order is part of HOTA, as in TrackEval. The order of
    frames does not matter.

    Attributes
    ----------
    boxes : array, shape (N, K), optional
        Boxes in the `format` of `evaluate`, or the rows of another geometry. None where masks are compared.
    frames : array of integers, shape (N,)
        Number of the frame.
    ids : array of integers, or list of str, shape (N,)
        Identity of the object or of the track. An id occurs at most once in a frame of a class.
    labels : array of integers, or list of str, shape (N,), optional
        Class of each row. Each class is evaluated separately. Default: all rows are of one class. Negative labels next
        to others are refused as padding unless `classes` of `evaluate` names the classes.
    scores : array, shape (N,), optional
        Confidence of a detection. The metrics do not use it.
    masks : omniou.rle.Masks, optional
        N masks, for the kinds that compare masks.
    sequences : array of integers, or list of str, shape (N,), optional
        Name of the sequence (the video). Default: all rows are of one sequence.
    columns : mapping of str to array, shape (N,)
        Further columns, which the rules of a data set use: "confidence", "visibility", "occluded", "truncated",
        "crowd". `evaluate` does not use them.
    """

    boxes: ArrayT | ArrayLike | None
    frames: ArrayT | ArrayLike
    ids: ArrayT | ArrayLike
    labels: ArrayT | ArrayLike | None = None
    scores: ArrayT | ArrayLike | None = None
    masks: Masks | None = None
    sequences: ArrayT | ArrayLike | None = None
    columns: Mapping[str, Any] = dataclasses.field(default_factory=dict)


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
    if x.dtype.kind == "U" and not hasattr(given, "dtype") and (other := [y for y in given if not isinstance(y, str)]):
        word = next(y for y in given if isinstance(y, str))  # NumPy made words of the others: 7 became "7"
        raise TypeError(f"`{name}` must be integers everywhere, or names everywhere, got {other[0]!r} and {word!r}")
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
