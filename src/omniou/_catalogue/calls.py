"""Prepare a call of a kernel: convert the arrays to one library and dtype, check the options, and cache the plan.

Checks see static facts only (`_lib.arrays`), so each operation settles a set of facts once and remembers what follows.
"""

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from omniou._catalogue.options import Declared, arrays_in, checks_of, filled
from omniou._lib import accel, backends, carried, checks, near, tracers
from omniou._lib.arrays import Operand, facts_of, namespace_of
from omniou._lib.outer import Columns, Outer, Rows
from omniou._lib.types import Namespace

if TYPE_CHECKING:
    from omniou._catalogue.score import Declaration


@dataclasses.dataclass(frozen=True, eq=False)
class KernelRun:
    """A kernel of pixels with its static arguments."""

    kernel: Callable[..., Any]
    xp: Namespace
    static: dict[str, Any]

    def __call__(self, *arrays: Any, workers: int = 1) -> Any:  # noqa: ARG002  (`workers` are for tiles of pairs)
        return backends.run(self.kernel, *arrays, xp=self.xp, reduces=True, **self.static)


def _as_given(named: dict[str, Any], /) -> dict[str, Any]:
    return named


def _strictly(named: dict[str, Any], options: Mapping[str, Any], /) -> tuple[dict[str, Any], Mapping[str, Any]]:
    return named, options


def without_masks(
    axes: Mapping[str, tuple[int, ...]], named: dict[str, Any], options: Mapping[str, Any], /
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Arrays without NumPy's masks, which `where` takes; `axes`: those of each array that `where` does not have."""
    named, where = carried.counted(named, options["where"], axes)
    return named, {**options, "where": where}


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity: plans are cached by it
class Operation:
    """The computation of a public function.

    Attributes
    ----------
    settle : callable
        ``settle(facts, options, pairs=...)``: facts of the arguments and of the options that are arrays, values of the
        other options, and whether `pairwise` asks for all pairs -> a function of the arrays, such as a `KernelRun`.
    options : mapping
        Declared options.
    operands : mapping
        What the arguments may hold, where they are not numbers.
    read : callable
        Arguments by name -> the same, before they become arrays.
    unpack : callable
        Arguments by name and options -> the same, without what arrays carry next to numbers, as far as an option says
        it. It is called for such arrays only.
    views : bool
        Whether small CPU tensors may be computed as NumPy views.
    sizes : callable, optional
        ``sizes(shape of a, shape of b, pairs)``: what the checks of two NumPy arrays see of their shapes. Given where
        `read` returns arrays as they are.
    """

    settle: Callable[..., Callable[..., Any]]
    options: Declared
    operands: Mapping[str, Operand] = dataclasses.field(default_factory=dict)
    read: Callable[[dict[str, Any]], dict[str, Any]] = _as_given
    unpack: Callable[..., tuple[dict[str, Any], Mapping[str, Any]]] = _strictly
    views: bool = False
    sizes: Callable[..., Any] | None = None
    arrays: Mapping[str, Operand] = dataclasses.field(init=False)
    checks: Mapping[str, Callable[[Any], Any]] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        arrays = arrays_in(self.options)
        for name, x in (
            ("arrays", arrays),
            ("operands", arrays | dict(self.operands)),
            ("checks", checks_of(self.options)),
        ):
            object.__setattr__(self, name, x)

    def __call__(self, options: Mapping[str, Any], /, **named: Any) -> Any:
        """Compute the result for arguments by name, or for two sets that `pairwise` marked."""
        if tracers.scripting():
            with tracers.static_axes():
                return self._of_named(options, named)
        return self._of_named(options, named)

    def again(self, arrays: tuple[Any, ...], options: Mapping[str, Any], /) -> Any:
        """Compute the result in NumPy by what was settled for the same facts before; or None."""
        if self.sizes is None or tracers.compiling():
            return None
        a, b = arrays
        if pairs := type(a) is Rows and type(b) is Columns:
            a, b = a.array, b.array
        if (key := self._key(options, a, b, pairs)) is not None:
            run = _settled(key)
            return run and run(a, b)
        views = accel.module("views") if self.views else None
        if views is None or (shared := views.of_tensors(a, b, many=pairs)) is None:
            return None
        a, b = shared
        run = None if (key := self._key(options, a, b, pairs)) is None else _settled(key)
        return run and views.computed(run, a, b, workers=views.workers())

    def _of_named(self, options: Mapping[str, Any], named: dict[str, Any], /) -> Any:
        pairs, rows_first = False, True
        for x in named.values():
            if isinstance(x, Outer):
                pairs = True
        if pairs:
            named, rows_first = two_sets(named)
        views = accel.module("views") if self.views else None
        if views and not [name for name in self.arrays if options[name] is not None]:
            shared = views.of_tensors(*named.values(), many=pairs)
            if shared is not None:
                named = dict(zip(named, shared, strict=True))
                return views.computed(self._computed, named, options, pairs, rows_first, workers=views.workers())
        return self._computed(named, options, pairs, rows_first)

    def _computed(
        self,
        named: dict[str, Any],
        options: Mapping[str, Any],
        pairs: bool,  # noqa: FBT001
        rows_first: bool,  # noqa: FBT001
        /,
        workers: int = 1,
    ) -> Any:
        run, values = self.prepared(options, named, pairs=pairs)
        out = run(*values, workers=workers)
        # A caller's own score may pass its arguments in the other order, iof(b, a): the result is then transposed.
        return out if rows_first else namespace_of("out", out).matrix_transpose(out)

    def prepared(
        self, options: Mapping[str, Any], named: dict[str, Any], /, *, pairs: bool
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Return the settled function of the arrays, and the arrays: arguments, then options."""
        key = None
        if self.sizes is not None:
            a, b = named.values()
            key = self._key(options, a, b, pairs)
        if key is not None and (run := _known(key)) is not None:
            return run, list(named.values())
        arrays = {name: options[name] for name in self.arrays}
        given = named | arrays
        plain = key is not None or carried.are_plain(given.values())
        if not plain:
            named, options = self.unpack(named, options)
            named = {name: carried.plain(name, x, sharded=True) for name, x in named.items()}
            arrays = {name: carried.plain(name, options[name], sharded=True) for name in self.arrays}
        values, facts = facts_of(self.operands, self.read(named) | arrays)
        key = key or (facts, *self._given(options, pairs))
        if (run := _known(key)) is None:
            checked = {name: check(options[name]) for name, check in self.checks.items()}
            run = self.settle(facts, checked, pairs=pairs)
            _remember(key, run)
        return (run if plain else carried.guarded(run, given)), values

    def _key(self, options: Mapping[str, Any], a: Any, b: Any, pairs: bool, /) -> tuple[Any, ...] | None:  # noqa: FBT001
        """What decides on all checks of two plain NumPy arrays without other arrays; or None."""
        array = getattr(sys.modules.get("numpy"), "ndarray", None)
        if type(a) is not array or type(b) is not array or self.sizes is None:
            return None
        for name in self.arrays:
            if options[name] is not None:
                return None
        return a.dtype, b.dtype, self.sizes(a.shape, b.shape, pairs), *self._given(options, pairs)

    def _given(self, options: Mapping[str, Any], pairs: bool, /) -> tuple[Any, ...]:  # noqa: FBT001
        static = [options[name] for name in self.checks]
        types = tuple(map(type, static))
        if not checks.PLAIN.issuperset(types):  # a number of NumPy has the plan of the same number of Python
            static = list(map(checks.plain, static))
            types = tuple(map(type, static))
        # The key has types as well: 1 == True, and a wrong option must not find the plan of a right one.
        return self, pairs, tuple(static), types


class Deferred:
    """The operation of a public function, made when the function is first called.

    Attributes
    ----------
    make : callable
        Nothing -> what computes: ``operation(options, a=..., b=...)``, an `Operation` or a function like one.
    arguments : tuple of str
        Names of the arrays.
    declaration : Declaration, optional
        What functions of all pairs read of the public function.
    function : callable
        The public function, see `publish`.
    """

    def __init__(
        self, make: Callable[[], Any], arguments: tuple[str, ...] = ("a", "b"), declaration: "Declaration | None" = None
    ) -> None:
        self.make, self.arguments, self.declaration = make, arguments, declaration
        self.function: Any = None
        self.operation: Any = None

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Compute the result for arrays by position and all options by name."""
        self.prepare()  # first, because torch.compile keeps what it once read of `operation`
        if type(self.operation) is Operation and (out := self.operation.again(arrays, options)) is not None:
            return out
        if tracers.symbolic(*arrays, *options.values()):
            return tracers.leaf(self.function, *arrays, **options)
        return self.operation(options, **dict(zip(self.arguments, arrays, strict=True)))

    @tracers.not_traced
    def prepare(self) -> None:
        """Make the operation, unless it is made."""
        if self.operation is None:
            self.operation = self.make()

    def prepared(self, a: Any, b: Any, /, **given: Any) -> tuple[Callable[..., Any], list[Any]]:
        """Return the settled function for all pairs of two sets, and the arrays; options not given have defaults."""
        self.prepare()
        options = filled(self.function.__name__, self.operation.options, given)
        ready: tuple[Callable[..., Any], list[Any]] = self.operation.prepared(options, {"a": a, "b": b}, pairs=True)
        return ready


def publish(module: str, names: Mapping[str, Any], /) -> None:
    """Make the functions of a written module, `names`, those of a public one: `giou` calls the operation `_giou`."""
    for name in names["__all__"]:
        function, operation = names[name], names[f"_{name}"]
        function.__module__ = module
        operation.function = function
        if operation.declaration is not None:
            function.declaration = operation.declaration


def attributes_of(module: str, names: Sequence[str], /) -> tuple[Any, Any]:
    """Return `__getattr__` and `__dir__` of a module of scores, with a hint for `boxes.pairwise_giou`."""
    hints = {f"pairwise_{x}": f"; write pairwise({module.rpartition('.')[2]}.{x}, ...)" for x in names}
    return near.attributes(module, names, hints=hints)


# What was settled, by what decides on it. torch.compile does without: it runs a function once anyway.
_SETTLED: dict[Any, Callable[..., Any]] = {}


def _known(key: tuple[Any, ...], /) -> Callable[..., Any] | None:
    return None if tracers.compiling() else _settled(key)


def _settled(key: tuple[Any, ...], /) -> Callable[..., Any] | None:
    try:
        return _SETTLED.get(key)
    except TypeError:  # a list, say, that is not an option: the check of the option says so
        return None


def _remember(key: tuple[Any, ...], run: Callable[..., Any], /) -> None:
    if tracers.compiling() or not backends.is_key(key):
        return
    if len(_SETTLED) >= backends.REMEMBERED:
        _SETTLED.clear()
    _SETTLED[key] = run


def two_sets(named: dict[str, Any], /) -> tuple[dict[str, Any], bool]:
    """Return the two sets that `pairwise` marked, by name, and whether the first gives the rows of the result."""
    kinds = [type(x) for x in named.values()]
    if kinds not in ([Rows, Columns], [Columns, Rows]):
        raise TypeError("a function that `pairwise` takes must score its two arguments against each other, as they are")
    return {name: x.array for name, x in named.items()}, kinds[0] is Rows
