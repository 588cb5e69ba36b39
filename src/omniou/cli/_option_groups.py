"""Declare groups of options: a dataclass has a field for each, ``name: type = option(help, ...)``.

A field whose type is another group stands for the options of that group. `takes` makes a group for a command. The help
of a command lists options below the `SECTION` of their group, common options first.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, dataclass_transform

import click

T = TypeVar("T")

COMMON = ""
"""The first section of the help."""


class Option(click.Option):
    """An option that knows its section of the help."""

    def __init__(self, *args: Any, section: str = COMMON, **settings: Any) -> None:
        """Keep the section."""
        super().__init__(*args, **settings)
        self.section = section


def option(
    words: str, kind: Any = None, *, names: tuple[str, ...] = (), section: str | None = None, **settings: Any
) -> Any:
    """Declare an option: its help, click's type, and other settings of `click.option`.

    The option has the name of the field, ``--max-drop`` for ``max_drop``, unless other names are given, and stands in
    the section of its group, unless another one is given.
    """
    told = {"help": words, "type": kind, **settings}
    return dataclasses.field(metadata={"names": names, "section": section, "settings": told})


def flags(words: Mapping[str, str]) -> Any:
    """Declare several flags as one field, which holds the names of the flags that are given; `words` has their help."""
    return dataclasses.field(metadata={"flags": words})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option, flags))
def option_group(cls: type[T]) -> type[T]:
    """Make a dataclass. For type checkers it is frozen, and fields of `option` have no default: click passes values."""
    return dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)


def option_names(of: type[Any]) -> frozenset[str]:
    """Return the names of the fields of a group."""
    return frozenset(field.name for field in dataclasses.fields(of))


def given_on_line(name: str) -> bool:
    """Whether an option of the command that runs stands on the command line, by the name of its field."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def takes(of: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of a group to a command, which gets the group as `options` instead of their values."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def called(*args: Any, **values: Any) -> Any:
            options = _taken(of, values)
            return command(*args, options=options, **values)

        # click's help lists options in reverse order of their declaration.
        for declare in reversed(list(_declared(of))):
            declare(called)
        return called

    return decorate


def _declared(of: type[Any], outer: str = COMMON) -> Iterator[Callable[..., Any]]:
    section = getattr(of, "SECTION", outer)
    for field in dataclasses.fields(of):
        if "settings" in field.metadata:
            spelled, own = field.metadata["names"] or (_spelled(field.name),), field.metadata["section"]
            own = section if own is None else own
            yield click.option(*spelled, field.name, cls=Option, section=own, **field.metadata["settings"])
        elif "flags" in field.metadata:
            for name, words in field.metadata["flags"].items():
                yield click.option(_spelled(name), cls=Option, section=section, is_flag=True, help=words)
        else:
            yield from _declared(field.type, section)  # type: ignore[arg-type]  # a group, never an annotation's text


def _spelled(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _taken(of: type[Any], values: dict[str, Any]) -> Any:
    """Make a group from the values that click passes by name, and remove these values."""
    taken: dict[str, Any] = {}
    for field in dataclasses.fields(of):
        if "settings" in field.metadata:
            taken[field.name] = values.pop(field.name)
        elif "flags" in field.metadata:
            taken[field.name] = frozenset({name for name in field.metadata["flags"] if values.pop(name)})
        else:
            taken[field.name] = _taken(field.type, values)  # type: ignore[arg-type]
    return of(**taken)
