"""Names that a user got wrong: the nearest one that exists, for every error about a choice, an option or a module."""

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def nearest(given: Any, known: Iterable[Any], /) -> str | None:
    """Return the known name that is most like the given one, regardless of case, or None."""
    if not isinstance(given, str):
        return None
    from omniou._lib import elsewhere  # tables that only an error needs

    by_case = {name.lower(): name for name in known if isinstance(name, str)}
    word = given.lower().replace("-", "_")
    for name in (word, *elsewhere.OPTIONS.get(word, ())):
        if name in by_case:
            return by_case[name]
    import difflib  # 5 ms that only an error needs

    match = difflib.get_close_matches(word, list(by_case), n=1)
    return by_case[match[0]] if match else None


def hint(given: Any, known: Iterable[str], /) -> str:
    """Return the end of an error about an unknown name: "; did you mean 'giou'?", or an empty text."""
    name = nearest(given, known)
    return "" if name is None else f"; did you mean {name!r}?"


def argument_hint(given: str, known: Iterable[str], /) -> str:
    """Return the end of an error about an unknown argument: "; write kind='bbox'", or that of `hint`."""
    from omniou._lib import elsewhere

    known = list(known)
    name = nearest(given, known) or ""
    way = elsewhere.EXAMPLES.get(f"{given}={name}") or elsewhere.EXAMPLES.get(name)
    return f"; write {way}" if way else hint(given, known)


def reader_hint(value: Any, table: str, /) -> str:
    """Return the end of an error about a path instead of a table: the reader of the file, or an empty text."""
    if not isinstance(value, (str, os.PathLike)):
        return ""
    from omniou._lib import elsewhere

    way = elsewhere.READERS.get(table)
    return f" {os.fspath(value)!r}; write {way}" if way else ""


def explained(function: F, /) -> F:
    """Make the error about an argument of another library name that of omniou: ``evaluate(iou_type=)``.

    Python raises for missing arguments first, and for any argument without a hint: this looks before. Options that
    `function` passes on to a score are those of boxes, unless the caller gives the score.
    """
    code = function.__code__
    passes_on = bool(code.co_flags & _VARKEYWORDS)
    named = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    known = [*(name for name in named if name != "self"), *(_OF_BOXES if passes_on else ())]
    accepted = frozenset(known)

    @functools.wraps(function)
    def public(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in accepted and not (passes_on and "score" in given):
                guess = argument_hint(name, known)
                raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {name!r}{guess}")
        return function(*args, **given)

    return cast("F", public)


# Options of the scores of boxes.
_OF_BOXES = ("format", "offset", "image_size", "eps", "power", "inner")
_VARKEYWORDS = 0x08  # inspect.CO_VARKEYWORDS


def attributes(
    module: str, names: Iterable[str], /, late: Mapping[str, str] | None = None, hints: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module that loads names late, or has hints for names that do not exist.

    Any other module needs only a `__dir__` that returns `__all__`: Python itself then names the nearest attribute.

    `late`: names that are imported when they are first used -> their module, by its full name or below this one; a
    module itself has its own path. `hints`: names that users look for -> the end of the error.
    """
    late, hints = late or {}, hints or {}

    def get(name: str) -> Any:
        if name not in late:
            # Python adds its own guess to an error with `obj`: one of both would be said twice. An import of a private
            # module asks for it here first.
            guess = "" if name.startswith("_") else hints.get(name) or _way_or_hint(module, name, names)
            raise AttributeError(f"module {module!r} has no attribute {name!r}{guess}")
        below = late[name] if late[name].startswith("omniou.") else f"{module}.{late[name]}"
        inside = importlib.import_module(below)
        # A module that is asked for by its own name may hold a function of that name.
        is_module = below.rpartition(".")[2] == name and name not in vars(inside)
        value = inside if is_module else getattr(inside, name)
        setattr(sys.modules[module], name, value)
        return value

    return get, lambda: sorted(names)


def _way_or_hint(module: str, name: str, names: Iterable[str], /) -> str:
    from omniou._lib import elsewhere

    known = list(names)
    return (
        hint(name, known)
        if name.lower() in map(str.lower, known)
        else elsewhere.way_of(module, name) or hint(name, known)
    )


def late_names(modules: Mapping[str, Iterable[str]], /) -> dict[str, str]:
    """Names by module -> module by name."""
    return {name: module for module, names in modules.items() for name in names}
