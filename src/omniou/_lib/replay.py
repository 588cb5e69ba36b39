"""Few numbers in NumPy: what a kernel calls is recorded once, and called again without all that stands in between.

At 10 x 10 boxes two thirds of the time go by on the way from one call of NumPy to the next. A recording holds for all
shapes of one rank: kernels look at how many numbers there are, and at values in `backends.surely_above` alone.
"""

import operator
import sys
from collections.abc import Callable, Hashable
from typing import Any

from omniou._lib import backends
from omniou._lib.types import Namespace

# Numbers in one array times numbers in the other, up to which calls cost more than arithmetic.
FEW = 2**16

# And up to which they are written out along both axes of all pairs: broadcasting costs NumPy another call's time.
FEWER = 2**14

Program = Callable[..., Any]

_PROGRAMS: dict[Hashable, Program] = {}


def again(what: tuple[Hashable, ...], a: Any, b: Any, /) -> Any:
    """What was recorded, done with two arrays; None where nothing was, or they do not fit."""
    try:
        program = _PROGRAMS.get(_key(what, a, b))
        return None if program is None else program(a, b)
    except (TypeError, ValueError):  # what cannot be a key, shapes that do not broadcast: whoever checks says it better
        return None


def record(what: tuple[Hashable, ...], kernel: Callable[..., Any], a: Any, b: Any, /, *, xp: Namespace) -> None:
    """Keep what a kernel calls for two arrays, if they are few numbers in NumPy."""
    key = _key(what, a, b)
    if key is None or a.ndim != b.ndim:
        return
    if len(_PROGRAMS) >= backends.REMEMBERED:
        _PROGRAMS.clear()
    with sys.modules["numpy"].errstate(all="ignore"):  # whoever makes the calls hears of it
        masked = _Tape(xp).program(kernel, a, b)
        _PROGRAMS[key] = _Tape(xp, otherwise=masked).program(kernel, a, b)


def _key(what: tuple[Hashable, ...], a: Any, b: Any, /) -> Hashable | None:
    numpy = sys.modules.get("numpy")
    if numpy is None or not type(a) is type(b) is numpy.ndarray or not 0 < a.size * b.size <= FEW:
        return None
    if backends.compiling():
        return None
    return (what, a.dtype, b.dtype, a.ndim, b.ndim, a.shape[-1:], b.shape[-1:], a.size * b.size <= FEWER)


class _Tape:
    """Calls, as lines of Python. `otherwise`: expect a yes from `surely_above`, and do this where one is a no."""

    def __init__(self, xp: Namespace, *, otherwise: Program | None = None) -> None:
        self._lines: list[str] = []
        self._constants: dict[str, Any] = {"otherwise": otherwise}
        self._xp = backends.variant(
            xp,
            # Of these no protocol tells.
            ascontiguousarray=lambda x: self.call(xp.ascontiguousarray, x),
            spread=lambda x, other, axis: self.call(xp.spread, x, other, axis),
            surely_above=lambda x, least: otherwise is not None and self._expect(x, least),
        )

    def program(self, kernel: Callable[..., Any], a: Any, b: Any) -> Program:
        out = kernel(_Recorded(self, a, "a"), _Recorded(self, b, "b"), xp=self._xp)
        # Defaults of arguments are locals, which are found faster than globals.
        words = ", ".join(["a", "b", *(f"{name}={name}" for name in self._constants)])
        source = "\n    ".join([f"def program({words}):", *self._lines, f"return {out.name}"])
        names = self._constants | {"__name__": __name__}
        exec(source, names)  # noqa: S102  (lines of our own making)
        program: Program = names["program"]
        return program

    def call(self, function: Callable[..., Any], *args: Any, **options: Any) -> "_Recorded":
        """Call a function now, and note it."""
        if function is operator.getitem:
            args = (args[0], _shortest(args[1]))
        words = [self._word(x) for x in args] + [f"{name}={self._word(x)}" for name, x in options.items()]
        line = _SIGNS[function].format(*words) if function in _SIGNS else f"{self._word(function)}({', '.join(words)})"
        name = f"v{len(self._lines)}"
        self._lines.append(f"{name} = {line}")
        return _Recorded(self, function(*map(_value, args), **{k: _value(x) for k, x in options.items()}), name)

    def _expect(self, x: "_Recorded", least: float) -> bool:
        self._lines.append(f"if not {x.name}.item({x.name}.argmin()) >= {least!r}: return otherwise(a, b)")
        return True

    def _word(self, x: Any) -> str:
        if isinstance(x, _Recorded):
            return x.name
        name = f"c{len(self._constants)}"
        self._constants[name] = x
        return name


class _Recorded:
    """An array that notes what is done with it."""

    def __init__(self, tape: _Tape, value: Any, name: str) -> None:
        self._tape, self.value, self.name = tape, value, name
        self.dtype, self.shape, self.ndim = value.dtype, value.shape, value.ndim

    def __len__(self) -> int:
        return len(self.value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> "_Recorded":
        # A ufunc is called faster than its method for that.
        return self._tape.call(ufunc if method == "__call__" else getattr(ufunc, method), *inputs, **options)

    def __array_function__(self, function: Any, _: Any, args: Any, options: Any) -> "_Recorded":
        return self._tape.call(function, *args, **options)

    def transpose(self, axes: tuple[int, ...]) -> "_Recorded":
        return self._tape.call(type(self.value).transpose, self, axes)

    def astype(self, **options: Any) -> "_Recorded":
        return self._tape.call(type(self.value).astype, self, **options)


_ARITHMETIC = {operator.add: "{} + {}", operator.sub: "{} - {}", operator.mul: "{} * {}", operator.truediv: "{} / {}"}
_SIGNS: dict[Any, str] = _ARITHMETIC | {operator.getitem: "{}[{}]", operator.lt: "{} < {}"}
for _function in tuple(_SIGNS):
    _name = _function.__name__
    setattr(_Recorded, f"__{_name}__", lambda self, other, f=_function: self._tape.call(f, self, other))
    if _function in _ARITHMETIC:
        setattr(_Recorded, f"__r{_name}__", lambda self, other, f=_function: self._tape.call(f, other, self))


# Not a sign, but shorter written out as well.
_SIGNS[backends.spread] = "{0}.repeat({1}.shape[{2} - 1], {2})"


def _shortest(index: Any) -> Any:
    """What means the same to NumPy, and takes half the time to be understood."""
    if isinstance(index, tuple) and index[-1] is ...:
        index = index[:-1]
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index


def _value(x: Any) -> Any:
    return x.value if isinstance(x, _Recorded) else x
