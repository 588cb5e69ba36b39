"""Write the types of what is derived: ``python -m omniou._catalogue.stubs [--check]``.

Functions and classes that are made from declarations exist only at run time. Next to each module of them lies a stub
that says the same to type checkers and editors: the options of each with their types, and its first line. `nox -s
lint` fails where a stub is stale.
"""

import argparse
import importlib
import inspect
import re
import sys
import types
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from omniou._lib.types import ArrayLike

# Modules that are derived, and the modules whose aliases of types they use.
CORE = (
    "omniou.boxes",
    "omniou.boxes3d",
    "omniou.gaussian",
    "omniou.losses",
    "omniou.losses.boxes3d",
    "omniou.losses.masks",
    "omniou.losses.polygons",
    "omniou.losses.rotated",
    "omniou.masks",
    "omniou.polygons",
    "omniou.rle",
    "omniou.rotated",
    "omniou.segmentation",
)
ADAPTERS = ("omniou_integrations.jax", "omniou_integrations.keras")
ALIASES = (
    "omniou._lib.types",
    "omniou._lib.formats",
    "omniou._catalogue.shape_options",
    "omniou._catalogue.pixel_options",
)
OF_ADAPTERS = {
    "omniou_integrations.jax": ("jax.typing", "omniou_integrations.jax._sums"),
    "omniou_integrations.keras": (),
}

HEADER = "# Written by `python -m omniou._catalogue.stubs` from the declarations: change those.\n"


class Stub:
    """The stub of one module."""

    def __init__(self, name: str) -> None:
        self.module = importlib.import_module(name)
        self.imports: set[tuple[str, str, bool]] = set()  # module, name, whether it is public here
        self.aliases: list[tuple[Any, str, str]] = []  # type, module, name
        for source in (*OF_ADAPTERS.get(name, ()), *ALIASES):
            kinds = vars(importlib.import_module(source)).items()
            self.aliases += [(x, source, key) for key, x in kinds if get_origin(x) in (Literal, Union, types.UnionType)]

    def text(self) -> str:
        """All of it."""
        public = sorted(self.module.__all__)
        bodies = [self._of(name, getattr(self.module, name)) for name in public]
        lines = [f"from {module} import {self._names(module)}" for module in sorted({x[0] for x in self.imports})]
        listed = "".join(f"    {name!r},\n" for name in public).replace("'", '"')
        return HEADER + "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n" + "".join(f"\n{x}" for x in bodies if x)

    def _names(self, module: str) -> str:
        """What is imported from a module; what is public here is called so again, as type checkers ask for."""
        public = {x: named for source, x, named in sorted(self.imports) if source == module}
        return ", ".join(f"{x} as {x}" if named else x for x, named in public.items())

    def _of(self, name: str, x: Any) -> str:
        if getattr(x, "options", None) is not None and x.__module__ == self.module.__name__:
            return self._function(x)
        derived = isinstance(x, type) and hasattr(vars(x).get("__init__"), "options")
        if derived and self._source(name, x) is None:
            return self._class(x)
        return self._imported(name, x)

    def _imported(self, name: str, x: Any) -> str:
        source = self._source(name, x)
        if isinstance(x, types.ModuleType):
            source = x.__name__.rpartition(".")[0]
        if source is None:
            raise LookupError(f"where {self.module.__name__}.{name} is defined is not known")
        self.imports.add((source, name, True))
        return ""

    def _source(self, name: str, x: Any) -> str | None:
        """The module that a public name is written in, of this distribution."""
        root = self.module.__name__.partition(".")[0]
        inside = [
            key for key, module in sys.modules.items() if key.startswith(f"{root}.") and vars(module).get(name) is x
        ]
        written = re.compile(rf"^(?:(?:class|def) {name}\b|{name}\b[^\n=]*=)", re.MULTILINE)
        known = [
            key for key in inside if key != self.module.__name__ and written.search(inspect.getsource(sys.modules[key]))
        ]
        return min(known, default=None)

    def _function(self, x: Any, indent: str = "") -> str:
        signature = inspect.signature(x)
        lines, seen = [], set()
        for parameter in signature.parameters.values():
            kind = parameter.kind
            if (
                kind is not inspect.Parameter.POSITIONAL_ONLY
                and inspect.Parameter.POSITIONAL_ONLY in seen
                and "/" not in lines
            ):
                lines.append("/")
            if kind is inspect.Parameter.KEYWORD_ONLY and kind not in seen:
                lines.append("*")
            seen.add(kind)
            hint = x.options[parameter.name][0] if parameter.name in x.options else parameter.annotation
            shown = "" if hint is inspect.Parameter.empty else f": {self._type(hint)}"
            default = "" if parameter.default is inspect.Parameter.empty else f" = {_value(parameter.default)}"
            lines.append(f"{parameter.name}{shown}{default}")
        if seen == {inspect.Parameter.POSITIONAL_ONLY}:
            lines.append("/")
        returns = signature.return_annotation
        result = "None" if returns in (None, inspect.Signature.empty) else self._type(returns)
        inside = "".join(f"{indent}    {line},\n" for line in lines)
        return f"{indent}def {x.__name__}(\n{inside}{indent}) -> {result}:\n{indent}    {_first_line(x)}\n"

    def _class(self, x: type) -> str:
        base = x.__mro__[1]
        source = self._source(base.__name__, base) or base.__module__
        self.imports.add((source, base.__name__, False))
        method = self._function(x.__init__, "    ").rsplit("\n", 2)[0]  # type: ignore[misc]  # without documentation
        return f"class {x.__name__}({base.__name__}):\n    {_first_line(x)}\n\n{method[: method.rindex(':')]}: ...\n"

    def _type(self, hint: Any) -> str:
        for alias, module, name in self.aliases:
            if hint == alias:
                return self._used(module, name)
        if hint is Any:
            return self._used("typing", "Any")
        if isinstance(hint, TypeVar):
            return self._used("omniou._lib.types", hint.__name__)
        if get_origin(hint) in (Union, types.UnionType):
            return self._union(get_args(hint))
        if get_origin(hint) is Literal:
            return f"{self._used('typing', 'Literal')}[{', '.join(map(_value, get_args(hint)))}]"
        return self._named(hint)

    def _named(self, hint: Any) -> str:
        """A class, or None."""
        if hint in (None, types.NoneType):
            return "None"
        name, module = str(hint.__name__).rpartition(".")[2], str(hint.__module__)
        if module == "builtins":
            return name
        # `jax.Array` says that it is of jaxlib.
        return self._used(module if module.startswith("omniou") else module.partition(".")[0].removesuffix("lib"), name)

    def _used(self, module: str, name: str) -> str:
        public = name in self.module.__all__
        self.imports.add((module, name, public))
        return name

    def _union(self, parts: tuple[Any, ...]) -> str:
        """A union, whose parts may together be one that has a name: `ArrayT | ArrayLike`."""
        like = set(get_args(ArrayLike))
        if len(parts) > len(like) and like < set(parts):
            parts = (*(x for x in parts if isinstance(x, TypeVar)), ArrayLike, *(x for x in parts if x not in like))
        return " | ".join(dict.fromkeys(map(self._type, parts)))


def _value(x: Any) -> str:
    if isinstance(x, str):
        return '"' + x + '"'
    plain = x is None or isinstance(x, (bool, int)) or (isinstance(x, float) and x == x)  # noqa: PLR0124  (not NaN)
    return repr(x) if plain else "..."


def _first_line(x: Any) -> str:
    text = " ".join((inspect.cleandoc(x.__doc__ or "")).partition("\n\n")[0].split())
    return f'"""{text}"""'


def path_of(name: str) -> Path:
    """Where the stub of a module lies."""
    file = importlib.import_module(name).__file__
    return Path(str(file)).with_suffix(".pyi")


def main() -> None:
    """Write all stubs, or say which are stale."""
    parser = argparse.ArgumentParser(
        prog="python -m omniou._catalogue.stubs", description=str(__doc__).partition(":")[0]
    )
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a stub is stale")
    parser.add_argument("modules", nargs="*", default=[*CORE, *ADAPTERS], help="by default all")
    given = parser.parse_args()
    stale = []
    for name in given.modules:
        path, text = path_of(name), Stub(name).text()
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(str(path))
            if not given.check:
                path.write_text(text, "utf-8")
    if given.check and stale:
        sys.exit(f"stale, run `python -m omniou._catalogue.stubs`: {', '.join(stale)}")


if __name__ == "__main__":
    main()
