"""The arguments of reduced and sparse pairs: two sets, their groups, a threshold, and the way to the host and back."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from omniou._catalogue.score import Declaration
from omniou._catalogue.shape_calls import in_format
from omniou._lib import backends, checks, host, indexing, tracers
from omniou._lib.arrays import INTEGERS, Operand, agree, arrays_of, cast, ranked
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import Namespace

# A function made of scores may take anything; the score itself says what it takes.
_ANYTHING = Operand("numbers or booleans", ("bool", "integral", "real floating"))


class Sets(NamedTuple):
    """Two sets, and how they are compared."""

    score: Callable[..., Any]
    options: Mapping[str, Any]
    declaration: Declaration | None
    higher_is_better: bool
    xp: Namespace
    result: Any  # dtype of scores
    a: Any
    b: Any
    groups_a: Any  # or None, as `groups_b`
    groups_b: Any

    def has_values(self) -> bool:
        """Whether values may decide shapes."""
        arrays = (self.a, self.b, self.groups_a, self.groups_b)
        return all(x is None or tracers.has_values(x) for x in arrays) and not tracers.recording()

    def dense(self, a: Any, b: Any, /) -> Any:
        """Scores of all pairs (..., N, M)."""
        return self.score(Rows(a), Columns(b), **self.options)

    def axes(self) -> int:
        """How many axes a set without leading axes has."""
        if self.declaration is not None and self.declaration.geometry is not None:
            return self.declaration.geometry.axes + 1
        # The score knows: for sets without rows, the result has the leading axes and two more.
        rank = max(self.a.ndim, self.b.ndim)
        empty = self.dense(*(ranked(x, rank, xp=self.xp)[:0, ...] for x in (self.a, self.b)))
        return int(rank - empty.ndim + 2)

    def of_pairs(self, i: Any, j: Any, /) -> Any:
        """Rows (P,), (P,) -> scores (P,)."""
        a, b = (self.xp.take(x, rows, axis=0) for x, rows in ((self.a, i), (self.b, j)))
        return self.score(a, b, **self.options)

    def of_runs(self) -> bool:
        """Whether the sets are tables of run lengths."""
        return self.declaration is not None and self.declaration.runs

    def follows_gradients(self) -> bool:
        """Whether torch records what is done with the sets."""
        return backends.library(self.xp) == "torch" and not backends.torch_computes_now((self.a, self.b))


def read(
    score: Callable[..., Any],
    a: Any,
    b: Any,
    options: Mapping[str, Any],
    /,
    *,
    groups: tuple[Any, Any] = (None, None),
    higher_is_better: bool | None = None,
) -> Sets:
    """Read the arguments of a call as arrays of one library; the score checks its own options."""
    checks.scoring("score", score)
    while isinstance(score, functools.partial) and not score.args:
        options = {**score.keywords, **options}
        score = score.func
    declaration = getattr(score, "declaration", None)
    if higher_is_better is None:
        if declaration is None:
            raise ValueError(
                "`higher_is_better` must be given for a function made of scores: which way is better is unknown"
            )
        higher_is_better = bool(declaration.higher_is_better)
    higher_is_better = checks.flag("higher_is_better", higher_is_better)
    if (groups[0] is None) != (groups[1] is None):
        given, missing = ("groups_a", "groups_b") if groups[1] is None else ("groups_b", "groups_a")
        raise ValueError(f"`{missing}` must be given with `{given}`, got None")
    if declaration is not None and declaration.geometry is not None:
        both, options = in_format(declaration.geometry, {"a": a, "b": b}, options)
        a, b = _lists_of_shapes(declaration, both["a"], both["b"], options)
    if declaration is not None and declaration.runs:
        return _of_runs(Sets(score, options, declaration, higher_is_better, None, None, a, b, *groups))
    named = {"a": a, "b": b, "groups_a": groups[0], "groups_b": groups[1]}
    operands = {"a": _ANYTHING, "b": _ANYTHING, "groups_a": INTEGERS, "groups_b": INTEGERS}
    arrays, facts = arrays_of(operands, **named)
    _, result = agree(facts)
    backends.check_not_lazy("a", facts[0].namespace)
    return Sets(score, options, declaration, higher_is_better, facts[0].namespace, result, *arrays)


def _of_runs(sets: Sets, /) -> Sets:
    """Tables of run lengths, which are NumPy's."""
    named = {"groups_a": sets.groups_a, "groups_b": sets.groups_b}
    xp = host.lean(backends.numpy_namespace())
    if sets.groups_a is not None:
        (groups_a, groups_b), facts = arrays_of({"groups_a": INTEGERS, "groups_b": INTEGERS}, **named)
        agree(facts)
        if (library := backends.library(facts[0].namespace)) != "numpy":
            raise TypeError(
                f"`groups_a` and `groups_b` of run lengths must be lists or NumPy arrays, got arrays of {library}"
            )
        sets = sets._replace(groups_a=groups_a, groups_b=groups_b)
    return sets._replace(xp=xp, result=xp.float64)


def _lists_of_shapes(declaration: Declaration, a: Any, b: Any, options: Mapping[str, Any], /) -> tuple[Any, Any]:
    """Return arrays unchanged, and lists as the geometry reads them: an empty list has no second axis."""
    if hasattr(a, "dtype") and hasattr(b, "dtype"):
        return a, b
    assert declaration.prepared is not None  # noqa: S101  (with a geometry)
    _, (x, y, *_) = declaration.prepared(a, b, **options)
    if declaration.geometry is not None and declaration.geometry.axes == 2:
        xp = backends.array_namespace(x)
        x, y = (xp.reshape(z, (*z.shape[:-1], z.shape[-1] // 2, 2)) for z in (x, y))
    return x, y


def check_groups(sets: Sets, n: int, m: int, leading: tuple[int, ...] = (), /) -> None:
    """Raise unless groups have one number for each row: their leading axes broadcast to those of the result."""
    for name, x, count in (("groups_a", sets.groups_a, n), ("groups_b", sets.groups_b, m)):
        if x is None:
            continue
        shape = tuple(x.shape)
        fits = len(shape) <= len(leading) + 1 and shape[-1:] == (count,)
        if not fits or checks.broadcast(leading=leading, **{name: shape[:-1]}) != leading:
            expected = ", ".join(map(str, (*leading, count))) + ("," if not leading else "")
            raise ValueError(f"`{name}` must have shape ({expected}): one group for each row, got {shape}")


class Above(NamedTuple):
    """A threshold: which scores are better."""

    threshold: float
    inclusive: bool
    higher_is_better: bool

    def __call__(self, values: Any, /) -> Any:
        """Scores (...) -> booleans (...), false for NaN. The threshold is compared in their dtype."""
        if self.higher_is_better:
            return values >= self.threshold if self.inclusive else values > self.threshold
        return values <= self.threshold if self.inclusive else values < self.threshold


def matrix(sets: Sets, /) -> tuple[Any, Any]:
    """Scores (..., N, M), and which pairs are compared, booleans (..., N, M) or None for all."""
    scores = sets.dense(sets.a, sets.b)
    *leading, n, m = scores.shape
    check_groups(sets, n, m, tuple(leading))
    if sets.groups_a is None:
        return scores, None
    a, b = sets.groups_a, sets.groups_b
    return scores, sets.xp.broadcast_to(a[..., :, None] == b[..., None, :], scores.shape)


class Grouped(NamedTuple):
    """Groups of both sets as numbers from 0 on, -1 where there is no partner."""

    a: Any  # (N,)
    b: Any  # (M,)
    number: int


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
