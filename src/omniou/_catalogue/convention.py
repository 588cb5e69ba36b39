"""Declare a convention: the options with which omniou gives the numbers of another library. `peers` has the table."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from omniou._lib import near

Options = Mapping[str, Any]
PACKAGE = "omniou."


class Example(NamedTuple):
    """The smallest input on which another library differs from omniou."""

    function: str  # of omniou, with its module
    arguments: tuple[Any, ...]
    value: Any  # what the other library gives; an int, a float or a list, NaN as a float
    why: str
    reproduced: bool = True  # whether the options of the convention give that
    shared: Options = MappingProxyType({})  # options of the call on both sides


def _path(function: Callable[..., Any]) -> str:
    """Public module and name of a function: `omniou.nms._hard.hard` is `omniou.nms.hard`."""
    modules = [part for part in function.__module__.split(".") if not part.startswith("_")]
    return ".".join([*modules, function.__name__])


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Convention(Mapping[str, Any]):
    """The numbers of one other library.

    As a mapping it is the options of that library's IoU, so ``boxes.iou(a, b, **conventions["keras"])`` gives its
    values. `of` gives the options of other functions.

    Attributes
    ----------
    name : str
        The key of the table.
    label : str
        The name of the library as its authors write it.
    version : str
        Version or commit that the numbers are from.
    held : str
        "run": the tests compare with the library itself. "source": its source was read, and the tests compare with its
        formula.
    options : mapping
        Function of omniou with its module, such as "losses.ciou" -> options that give the library's values. The first
        entry is the library's IoU.
    defaults : mapping
        Function -> defaults of the library, such as the threshold of its suppression.
    rules : mapping
        Subject -> differences that no option reproduces, in words.
    examples : tuple of Example
        The smallest inputs on which the library differs from omniou.
    """

    name: str
    label: str
    version: str
    held: str
    options: Mapping[str, Options]
    examples: tuple[Example, ...]
    defaults: Mapping[str, Options] = dataclasses.field(default_factory=dict)
    rules: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        # One table for all callers: nobody can change it.
        for name in ("options", "defaults"):
            values = {key: MappingProxyType(dict(x)) for key, x in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(values))
        object.__setattr__(self, "rules", MappingProxyType(dict(self.rules)))

    def of(self, function: str | Callable[..., Any], /) -> Options:
        """Return the options of a function of omniou that give the values of the other library.

        Parameters
        ----------
        function : callable or str
            A score, a loss or another function, such as `losses.ciou`, or its name with its module, "losses.ciou".

        Raises
        ------
        ValueError
            If the convention says nothing about the function.

        Examples
        --------
        >>> dict(conventions["torchvision"].of(losses.giou))
        {'format': 'xyxy', 'eps': 1e-07, 'inverted': 'empty'}
        """
        name = (function if isinstance(function, str) else _path(function)).removeprefix(PACKAGE)
        if name not in self.options:
            known = ", ".join(self.options)
            raise ValueError(f"`function` must be one that convention {self.name!r} describes: {known}; got {name!r}")
        return self.options[name]

    @property
    def nms(self) -> Options:
        """Options of `nms.hard`: which box of two suppresses the other. Thresholds are in `defaults`."""
        return self.of("nms.hard")

    @property
    def angle(self) -> Options:
        """Options of `rotated.convert`: unit and sign of angles."""
        return self.of("rotated.convert")

    @property
    def _own(self) -> Options:
        return next(iter(self.options.values()))

    def __getitem__(self, key: str) -> Any:
        return self._own[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

    def __repr__(self) -> str:
        return f"Convention({self.name!r}, {dict(self._own)})"


class Conventions(Mapping[str, Convention]):
    """Conventions by name. An unknown name raises `KeyError` with the nearest one."""

    def __init__(self, *declared: Convention) -> None:
        self._by_name = {each.name: each for each in declared}
        if len(self._by_name) != len(declared):
            raise ValueError("two conventions have the same name")

    def __getitem__(self, name: str) -> Convention:
        if name not in self._by_name:
            raise KeyError(
                f"no convention {name!r}; known are {', '.join(self._by_name)}" + near.hint(name, self._by_name)
            )
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Conventions({', '.join(self._by_name)})"
