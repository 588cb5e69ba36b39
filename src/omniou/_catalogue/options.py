"""Declare options: type, default, description, role and bounds of each, once.

Options are declared in groups, as `TypedDict` (`shape_options.py`, `pixel_options.py`). `takes` gives a function the
options of some groups: signature, defaults, errors and documentation.
"""

import enum
import functools
import inspect
import math
import types
from collections.abc import Callable, Collection, Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from omniou._lib import checks, docs, near, tracers
from omniou._lib.arrays import Operand

F = TypeVar("F", bound=Callable[..., Any])


class Role(enum.Enum):
    """The part of a computation that an option belongs to."""

    READING = enum.auto()  # how the numbers of a shape are read
    FORMULA = enum.auto()  # of the formula of a score
    MODIFIER = enum.auto()  # of every formula; it changes nothing at its default
    LOSS = enum.auto()  # from scores to losses
    COUNTING = enum.auto()  # what is counted, of scores of pixels


READING, FORMULA, MODIFIER, LOSS, COUNTING = Role


class Option(NamedTuple):
    """The declaration of an option, in addition to its type."""

    default: Any
    text: str
    role: Role = FORMULA
    array: Operand | None = None  # of an option that is an array, and may be traced
    least: float = -math.inf
    above: float = -math.inf
    below: float = math.inf
    nan: bool = False  # whether a number may be NaN


Declared: TypeAlias = Mapping[str, tuple[Any, Option]]
Check: TypeAlias = Callable[[Any], Any]


@functools.cache
def declared(*groups: Any) -> dict[str, tuple[Any, Option]]:
    """Name -> type and option, in the order of their declarations."""
    options_by_name: dict[str, tuple[Any, Option]] = {}
    for group in groups:
        hints = get_type_hints(group, include_extras=True)
        options_by_name |= {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return options_by_name


def arrays_in(options: Declared, /) -> dict[str, Operand]:
    """Return the options that are arrays."""
    return {name: option.array for name, (_, option) in options.items() if option.array is not None}


def of_role(options: Declared, role: Role, given: Mapping[str, Any], /) -> dict[str, Any]:
    """The values of the options of one role; modifiers without those that change nothing."""
    return {
        name: x
        for name, x in given.items()
        if options[name][1].role is role and not (role is MODIFIER and x == options[name][1].default)
    }


def checks_of(options: Declared, /) -> dict[str, Check]:
    """Return functions that check a value against the type and the bounds of each option, except for arrays.

    Made when a function is declared, not when it is called: tracers do not follow the inspection of types.
    """
    return {name: _check(name, hint, option) for name, (hint, option) in options.items() if option.array is None}


def _check(name: str, hint: Any, option: Option) -> Check:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if _several(kinds):
        return functools.partial(checks.labels, name)
    check = _check_of_kind(name, kinds[0], option)
    return (lambda value: value if value is None else check(value)) if types.NoneType in kinds else check


def _several(kinds: tuple[Any, ...]) -> bool:
    """Whether an option is one label or a collection of labels."""
    return any(get_origin(kind) is Collection for kind in kinds)


def _check_of_kind(name: str, kind: Any, option: Option) -> Check:
    if get_origin(kind) is Literal:
        return functools.partial(checks.choice, name, allowed=get_args(kind))
    if kind is bool:
        return functools.partial(checks.flag, name)
    if kind is int:
        return functools.partial(checks.count if option.least >= 1 else checks.integer, name)
    if kind is float:
        return functools.partial(
            checks.number,
            name,
            least=option.least,
            above=option.above,
            below=option.below,
            nan=option.nan,
        )
    return lambda value: value


def takes(options: Declared, /) -> Callable[[F], F]:
    """Make a function with ``**options`` take these alone, at their defaults where they are not given.

    Its signature names each of them, as `help`, editors and the reference pages show it. In the docstring, the line
    ``**options`` becomes the description of each.
    """
    defaults = {name: option.default for name, (_, option) in options.items()}

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def public(*args: Any, **given: Any) -> Any:
            if tracers.symbolic(*args, *given.values()):
                return tracers.leaf(public, *args, **given)
            for name in given:
                if name not in defaults and name not in by_name:
                    known = [*by_name, *defaults]
                    listed, guess = ", ".join(known), near.argument_hint(name, known)
                    raise TypeError(
                        f"{public.__name__}() got an unexpected keyword argument {name!r}; it takes {listed}{guess}"
                    )
            return function(*args, **{**defaults, **given})

        own = inspect.signature(function)
        required = [x for x in own.parameters.values() if x.kind is not inspect.Parameter.VAR_KEYWORD]
        by_name = [x.name for x in required if x.kind is not inspect.Parameter.POSITIONAL_ONLY and x.name != "self"]
        optional = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=_shown(hint))
            for name, (hint, _) in options.items()
        ]
        signed = cast("Any", public)
        # `__wrapped__` stays, so `inspect.getsource` shows `function`. Its options are in `__signature__`.
        signed.__signature__ = own.replace(parameters=[*required, *optional])
        signed.options = options
        return cast("F", docs.described(described(options))(public))

    return decorate


def filled(function: str, options: Declared, given: Mapping[str, Any], /) -> dict[str, Any]:
    """All options, those that were not given at their defaults."""
    for name in given:
        if name not in options:
            raise TypeError(
                f"{function}() got an unexpected keyword argument {name!r}; it takes {', '.join(options)}"
                f"{near.argument_hint(name, options)}"
            )
    return {name: given.get(name, option.default) for name, (_, option) in options.items()}


def named(function: Any, name: str, module: str, doc: str, /) -> Any:
    """The function under a name, in a module, with documentation."""
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = module, doc
    return function


def described(options: Declared, /) -> dict[str, docs.Entry]:
    """The entries of a docstring's section of parameters, by name."""
    return {
        name: docs.Entry((name,), _type(hint), docs.wrapped(option.text)) for name, (hint, option) in options.items()
    }


def documented(options: Declared, /) -> str:
    """The lines on options of a docstring's section of parameters."""
    return "\n".join(map(str, described(options).values()))


def _shown(hint: Any) -> Any:
    """A type as a signature shows it: many choices would fill the screen."""
    return str if get_origin(hint) is Literal and len(get_args(hint)) > 6 else hint


def _type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        return "str" if len(choices) > 6 else "{" + ", ".join(map(_quoted, choices)) + "}"
    if _several(get_args(hint)):
        return "int or list of int, optional"
    return "optional" if hint is Any else getattr(hint, "__name__", None) or str(hint)


def _quoted(choice: Any) -> str:
    return f'"{choice}"'
