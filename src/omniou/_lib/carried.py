"""Arrays that carry more than their numbers: the format of boxes, a mask of elements, a unit, a layout of their own.

They are told by what they have, without an import of their library. `plain` is the one way from such an array to its
numbers: it raises where these alone would be read as something else.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

Reader = Callable[[str, Any], Any]

_NUMBERS = {bool, int, float}
_NESTED = {list, tuple}
_AXES = 64  # the most that an array of NumPy or torch has; a list may hold itself


class Carried(NamedTuple):
    """What boxes say of themselves, as torchvision's `BoundingBoxes` do."""

    format: str  # in upper case, such as "CXCYWH"
    image_size: tuple[int, int]  # (height, width)


def are_plain(arrays: Iterable[Any], /) -> bool:
    """Whether all arrays carry nothing but their numbers."""
    return not [x for x in arrays if _reader(x) is not None]


def is_plain(x: Any, /) -> bool:
    """Whether an array carries nothing but its numbers."""
    return _reader(x) is None


def plain(name: str, x: Any, /, *, sharded: bool = False) -> Any:
    """The numbers of an array; boxes must be corners, "XYXY", where no format is asked for.

    `sharded`: whether a tensor over the devices of a mesh may stay as it is.
    """
    read = _reader(x)
    return x if read is None or (sharded and read is _gathered) else read(name, x)


def boxes_of(x: Any, /) -> Carried | None:
    """The format and the size of the image of boxes that know both."""
    if _reader(x) is not _corners:
        return None
    return Carried(str(getattr(x.format, "value", x.format)).upper(), tuple(x.canvas_size))


def tensor_of(x: Any, /) -> Any:
    """The tensor, without what its class adds; gradients flow through."""
    torch = sys.modules["torch"]
    # torch.compile knows no `as_subclass`; an index of torchvision's boxes is a tensor of torch's own class.
    return x[...] if torch.compiler.is_compiling() else x.as_subclass(torch.Tensor)


def counted(
    named: Mapping[str, Any], where: Any, /, axes: Mapping[str, tuple[int, ...]] = MappingProxyType({})
) -> tuple[dict[str, Any], Any]:
    """Arrays by name -> the same without NumPy's masks, and `where` with only what these leave.

    `axes`: those of an array that `where` does not have. One masked number excludes a whole box.
    """
    out = dict(named)
    for name, x in named.items():
        if _reader(x) is not _unmasked:
            continue
        if x.mask.any():
            kept = ~x.mask.any(axis=axes.get(name, ()))
            where = kept if where is None else kept & sys.modules["numpy"].asarray(plain("where", where))
        out[name] = x.data
    return out, where


def check_list(name: str, x: Any, /) -> None:
    """Raise for nested lists of arrays whose masks, units or formats would be lost when they become one array."""
    level = [x]
    for _ in range(_AXES):
        kinds = set(map(type, level)) - _NUMBERS
        if not kinds <= _NESTED:
            _check_each(name, x)
            return
        if not kinds:
            return
        level = [*chain.from_iterable([y for y in level if type(y) in _NESTED])]


def _check_each(name: str, x: Any, /) -> None:
    if not isinstance(x, list | tuple):
        plain(name, x)
        return
    for k, each in enumerate(x):
        if type(each) not in _NUMBERS:
            _check_each(f"{name}[{k}]", each)


def guarded(run: Callable[..., Any], named: Mapping[str, Any], /) -> Callable[..., Any]:
    """A function of arrays that names the tensor over several devices where torch cannot compute with such."""
    sharded = [name for name, x in named.items() if _reader(x) is _gathered]
    if not sharded:
        return run

    def call(*args: Any, **options: Any) -> Any:
        try:
            return run(*args, **options)
        except RuntimeError:
            _gathered(sharded[0], named[sharded[0]])

    return call


# By type. Types are few, and the first array of one decides.
_READERS: dict[type, Reader | None] = {}


def _reader(x: Any, /) -> Reader | None:
    """What reads the numbers of an array; None if it carries nothing else."""
    kind, torch = type(x), sys.modules.get("torch")
    if torch is not None and kind in (torch.Tensor, torch.nn.Parameter):  # those of one class may be dense or not
        return None if x.layout is torch.strided and not x.is_nested else _refused
    if x is None or (torch is not None and torch.compiler.is_compiling()):  # which compiles again after a write below
        return None if x is None else _reader_of(x)
    if kind not in _READERS:
        _READERS[kind] = _reader_of(x)
    return _READERS[kind]


def _reader_of(x: Any, /) -> Reader | None:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(x, torch.Tensor):
        marks: tuple[tuple[bool, Reader], ...] = (
            (hasattr(x, "canvas_size") and hasattr(x, "format"), _corners),
            (hasattr(x, "canvas_size"), _tensor),
            (hasattr(x, "full_tensor"), _gathered),
            (hasattr(x, "get_mask") or x.is_nested, _refused),
        )
    elif numpy is not None and isinstance(x, numpy.ndarray):
        marks = (
            (hasattr(x, "mask") and hasattr(x, "filled"), _unmasked),
            (hasattr(x, "unit") or hasattr(x, "units"), _refused),
            (isinstance(x, numpy.matrix), _array),
        )
    else:
        return None
    return next((read for is_such, read in marks if is_such), None)


def _corners(name: str, x: Any, /) -> Any:
    known = boxes_of(x)
    if known is None or known.format != "XYXY":
        raise TypeError(
            f"`{name}` holds boxes in the format {known and known.format}, which is not read here: convert them to "
            "XYXY, or pass their numbers, `x.as_subclass(torch.Tensor)`"
        )
    return tensor_of(x)


def _tensor(_: str, x: Any, /) -> Any:
    """Points that know the size of their image, whose class may not take the operations of a tensor."""
    return tensor_of(x)


def _unmasked(name: str, x: Any, /) -> Any:
    if x.mask.any():
        raise TypeError(
            f"`{name}` is a masked array, and {int(x.mask.sum())} of its numbers do not count: leave them out and pass "
            "`x.data`, with `where=~x.mask` if the function has this option"
        )
    return x.data


def _array(_: str, x: Any, /) -> Any:
    """A matrix, whose rows have two axes, as an array."""
    return sys.modules["numpy"].asarray(x)


def _gathered(name: str, x: Any, /) -> NoReturn:
    raise TypeError(
        f"`{name}` is a {type(x).__name__} over the devices of a mesh, which is not computed with here: pass "
        "`x.full_tensor()`, or `x.to_local()` for the part of this process"
    )


def _refused(name: str, x: Any, /) -> NoReturn:
    if (unit := getattr(x, "unit", None) or getattr(x, "units", None)) is not None:
        raise TypeError(
            f"`{name}` has a unit, {str(unit) or 'dimensionless'}, which no result follows: pass its numbers, `x.value`"
        )
    if hasattr(x, "get_mask"):
        what, cure = "a masked tensor", "`x.get_data()`, with `where=x.get_mask()` if the function has this option"
    elif x.is_nested:
        what, cure = "a nested tensor", "its parts, `x.unbind()`, one after the other or padded"
    else:
        what, cure = f"a sparse tensor, {x.layout}", "`x.to_dense()`"
    raise TypeError(f"`{name}` must be a dense array of numbers, got {what}: pass {cure}")
