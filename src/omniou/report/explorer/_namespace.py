"""A symbolic array library: its numbers are graphs, which record what is computed.

It has the functions of the array API standard that omniou's formulas call, so omniou's public functions accept its
arrays. The one floating dtype is float64, as in JavaScript.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from omniou.report.explorer._graph import Node, build
from omniou.report.explorer._operations import OPERATIONS

FLOAT, BOOL = np.dtype("float64"), np.dtype("bool")


class SymbolicArray:
    """An array of nodes and numbers."""

    device = None

    def __init__(self, values: Any, dtype: Any = FLOAT) -> None:
        self.values, self.dtype = np.asarray(values, dtype=object), dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return xp

    def __getitem__(self, key: Any, /) -> "SymbolicArray":
        return SymbolicArray(self.values[key], self.dtype)

    def __bool__(self) -> bool:
        raise TypeError("a value must not decide what is computed: this array is a record of operations")

    __float__ = __int__ = __index__ = __bool__

    def __neg__(self) -> "SymbolicArray":
        return _elementwise("neg", self)

    def __abs__(self) -> "SymbolicArray":
        return _elementwise("abs", self)

    def __invert__(self) -> "SymbolicArray":
        return _elementwise("not", self)


def _elementwise(op: str, *operands: Any) -> SymbolicArray:
    """Apply an operation with broadcasting; Python's numbers are constants."""
    arrays = [x.values if isinstance(x, SymbolicArray) else _constant(x) for x in operands]
    function = np.frompyfunc(lambda *xs: build(op, *xs), len(arrays), 1)
    return SymbolicArray(function(*arrays), _dtype(op, operands))


def _dtype(op: str, operands: Sequence[Any]) -> Any:
    if op == "where":
        return BOOL if all(getattr(x, "dtype", None) == BOOL for x in operands[1:]) else FLOAT
    return BOOL if OPERATIONS[op].boolean else FLOAT


def _constant(x: Any) -> Any:
    """Return a number as an object array without axes, which NumPy broadcasts."""
    out = np.empty((), dtype=object)
    out[()] = x if isinstance(x, bool) else float(x)
    return out


def _operator(op: str, *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def call(self: SymbolicArray, other: Any) -> Any:
        if not isinstance(other, SymbolicArray | float | int):
            return NotImplemented
        return _elementwise(op, other, self) if swapped else _elementwise(op, self, other)

    return call


_OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "and": "and", "or": "or"}
for _name, _op in _OPERATORS.items():
    setattr(SymbolicArray, f"__{_name}__", _operator(_op))
    setattr(SymbolicArray, f"__r{_name}__", _operator(_op, swapped=True))
for _op in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(SymbolicArray, f"__{_op}__", _operator(_op))
SymbolicArray.__hash__ = None  # type: ignore[assignment, method-assign]


class Info:
    """The array API's `__array_namespace_info__`: the dtypes of the library."""

    def dtypes(self, *, kind: Any = None, **_: Any) -> dict[str, Any]:
        """Dtypes of a kind, by name."""
        every: dict[Any, dict[str, Any]] = {"real floating": {"float64": FLOAT}, "bool": {"bool": BOOL}}
        return every.get(kind, {})


class RecordingNamespace:
    """The functions of the standard that omniou's formulas call. Other names raise an AttributeError."""

    __name__ = "javascript"
    float64, bool, pi = FLOAT, BOOL, np.pi
    finfo, isdtype = staticmethod(np.finfo), staticmethod(np.isdtype)

    def __array_namespace_info__(self) -> Info:
        return Info()

    def __getattr__(self, name: str) -> Any:
        if name in _SAME_NAME:
            return lambda *operands: _elementwise(_SAME_NAME[name], *operands)
        raise AttributeError(f"the library of the explorer has no function {name!r}: add it to {__name__}")

    @staticmethod
    def asarray(x: Any, *, dtype: Any = None, **_: Any) -> SymbolicArray:
        """An array of numbers and nodes."""
        values = np.asarray(x, dtype=object)
        if any(not isinstance(v, Node | float | int) for v in values.ravel()):
            raise TypeError("expected an array of numbers")
        whole = [v if isinstance(v, Node | bool) else float(v) for v in values.ravel()]
        flat = np.empty(len(whole), dtype=object)
        flat[:] = whole
        return SymbolicArray(flat.reshape(values.shape), FLOAT if dtype is None else dtype)

    @staticmethod
    def astype(x: SymbolicArray, dtype: Any, **_: Any) -> SymbolicArray:
        """The same array: conditions are 1 and 0 as numbers."""
        if x.dtype == BOOL and dtype == FLOAT:
            return _elementwise("where", x, 1.0, 0.0)
        return SymbolicArray(x.values, dtype)

    @staticmethod
    def zeros_like(x: SymbolicArray) -> SymbolicArray:
        """Zeros."""
        return SymbolicArray(np.full(x.shape, 0.0, dtype=object))

    @staticmethod
    def ones_like(x: SymbolicArray) -> SymbolicArray:
        """Ones."""
        return SymbolicArray(np.full(x.shape, 1.0, dtype=object))

    @staticmethod
    def full_like(x: SymbolicArray, value: float) -> SymbolicArray:
        """A constant."""
        return SymbolicArray(np.full(x.shape, float(value), dtype=object))

    @staticmethod
    def stop_gradient(x: SymbolicArray) -> SymbolicArray:
        """Return the same values as constants, for `omniou._lib.backends.stop_gradient`."""
        return _elementwise("detach", x)

    def sum(self, x: SymbolicArray, *, axis: int | None = None) -> SymbolicArray:
        """Sums along an axis, in order."""
        return self._reduced("add", x, axis)

    def max(self, x: SymbolicArray, *, axis: int | None = None) -> SymbolicArray:
        """Maxima along an axis, as one operation each: its derivative is shared evenly by equal ones."""
        return _joined("max", x, axis)

    def min(self, x: SymbolicArray, *, axis: int | None = None) -> SymbolicArray:
        """Minima along an axis, as `max`."""
        return _joined("min", x, axis)

    def any(self, x: SymbolicArray, *, axis: int | None = None) -> SymbolicArray:
        """Whether any of the conditions along an axis holds."""
        return self._reduced("or", x, axis)

    @staticmethod
    def _reduced(op: str, x: SymbolicArray, axis: int | None) -> SymbolicArray:
        first, *rest = _slices(x, axis)
        for one in rest:
            first = _elementwise(op, first, one)
        return first

    @staticmethod
    def stack(arrays: Sequence[SymbolicArray], *, axis: int = 0) -> SymbolicArray:
        """Stack arrays along a new axis."""
        return SymbolicArray(np.stack([x.values for x in arrays], axis=axis), arrays[0].dtype)

    @staticmethod
    def concat(arrays: Sequence[SymbolicArray], *, axis: int = 0) -> SymbolicArray:
        """Concatenate arrays."""
        return SymbolicArray(np.concatenate([x.values for x in arrays], axis=axis), arrays[0].dtype)

    @staticmethod
    def flip(x: SymbolicArray, *, axis: int | None = None) -> SymbolicArray:
        """Reverse the order along an axis."""
        return SymbolicArray(np.flip(x.values, axis=axis), x.dtype)

    @staticmethod
    def permute_dims(x: SymbolicArray, axes: Sequence[int]) -> SymbolicArray:
        """Axes in another order."""
        return SymbolicArray(np.transpose(x.values, axes), x.dtype)

    @staticmethod
    def reshape(x: SymbolicArray, shape: Sequence[int]) -> SymbolicArray:
        """Return the array in another shape."""
        return SymbolicArray(np.reshape(x.values, shape), x.dtype)

    @staticmethod
    def broadcast_to(x: SymbolicArray, shape: Sequence[int]) -> SymbolicArray:
        """Return the array repeated to a shape."""
        return SymbolicArray(np.broadcast_to(x.values, tuple(shape)), x.dtype)

    @staticmethod
    def broadcast_arrays(*arrays: SymbolicArray) -> list[SymbolicArray]:
        """Broadcast arrays to one shape."""
        return [
            SymbolicArray(x, y.dtype)
            for x, y in zip(np.broadcast_arrays(*(y.values for y in arrays)), arrays, strict=True)
        ]

    @staticmethod
    def result_type(*_: Any) -> Any:
        """The one floating dtype."""
        return FLOAT


# Functions of the standard that are one operation.
_SAME_NAME = {name: name for name in ("sqrt", "cos", "sin", "atan2", "exp", "log", "expm1", "log1p", "abs", "sign")}
_SAME_NAME |= {"maximum": "max", "minimum": "min", "where": "where"}


def _slices(x: SymbolicArray, axis: int | None) -> list[SymbolicArray]:
    """Return the slices along an axis; all single elements if it is None."""
    values = x.values.ravel() if axis is None else np.moveaxis(x.values, axis, 0)
    return [SymbolicArray(v, x.dtype) for v in (values[k, ...] for k in range(values.shape[0]))]


def _joined(op: str, x: SymbolicArray, axis: int | None) -> SymbolicArray:
    slices = _slices(x, axis)
    return slices[0] if len(slices) == 1 else _elementwise(op, *slices)


xp = RecordingNamespace()


def inputs(*names: str) -> SymbolicArray:
    """Return an array (K,) of K named inputs."""
    return SymbolicArray([Node("input", (name,)) for name in names])
