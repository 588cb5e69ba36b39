"""Write the functions that follow from declarations: ``python -m omniou._catalogue.write [--check]``.

Each written module belongs to a public one, which imports it: `omniou.boxes._written` to `omniou.boxes`. It is source
like any other, except that nobody edits it. `nox -s lint` fails where it is stale.
"""

import argparse
import importlib
import itertools
import math
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from omniou._catalogue.geometries import boxes, boxes3d, polygons, rotated
from omniou._catalogue.scores import scores
from omniou._catalogue.sources import gaussians, pixels, shapes
from omniou._catalogue.sources.classes import ClassSource
from omniou._catalogue.sources.function import FunctionSource
from omniou._lib.types import ArrayLike

HEADER = "# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.\n"
WIDTH = 120
# Modules with aliases of types, which written source uses by name.
ALIASES = (
    "omniou._lib.types",
    "omniou._lib.formats",
    "omniou._catalogue.shape_options",
    "omniou._catalogue.pixel_options",
)


class Written(NamedTuple):
    """A written module."""

    public: str  # the module that its functions belong to
    name: str
    sources: Callable[[], Iterable[FunctionSource | ClassSource]]
    home: str = ""  # the module of the geometry or of the constants that expressions name
    aliases: tuple[str, ...] = ()  # modules of aliases of types, in addition to those of all
    kind: str = "functions"
    publish: str = "omniou._catalogue.calls"


def _of_geometry(name: str, module: Any) -> tuple[Written, Written]:
    """The functions and the losses of a geometry."""
    home, losses = f"omniou._catalogue.geometries.{name}", f"omniou.losses.{name}".removesuffix(".boxes")

    def functions() -> Iterable[FunctionSource]:
        yield from shapes.function_sources(module.GEOMETRY)
        if name == "boxes3d":
            yield shapes.score_source(scores["iou"], module.BEV, name="bev_iou", variable="BEV")

    return (
        Written(f"omniou.{name}", f"omniou.{name}._written", functions, home),
        Written(losses, f"omniou.losses._written.{name}", lambda: shapes.loss_sources(module.GEOMETRY, losses), home),
    )


def _late(*modules: str) -> Callable[[], Iterable[Any]]:
    """The sources of modules that import public ones."""
    return lambda: [x for module in modules for x in importlib.import_module(module).sources()]


_PIXELS = "omniou._catalogue.pixel_operations"
CORE = [
    *_of_geometry("boxes", boxes),
    *_of_geometry("polygons", polygons),
    *_of_geometry("rotated", rotated),
    *_of_geometry("boxes3d", boxes3d),
    Written("omniou.gaussian", "omniou.gaussian._written", gaussians.function_sources),
    Written("omniou.masks", "omniou.masks._written", pixels.mask_sources, "omniou._catalogue.mask_calls"),
    Written("omniou.segmentation", "omniou.segmentation._written", pixels.class_sources),
    Written("omniou.rle", "omniou.rle._written", _late("omniou.rle._scores")),
    Written("omniou.losses.masks", "omniou.losses._written.masks", pixels.loss_sources, _PIXELS),
]
_JAX, _KERAS = "omniou_integrations.jax", "omniou_integrations.keras"
ADAPTERS = [
    Written(_JAX, f"{_JAX}._written", _late(f"{_JAX}._losses"), aliases=("jax.typing", f"{_JAX}._sums")),
    Written(
        _KERAS,
        f"{_KERAS}._written",
        _late(f"{_KERAS}._losses", f"{_KERAS}._mask_losses"),
        kind="losses",
        publish=f"{_KERAS}._base",
    ),
]
MODULES = {x.name: x for x in (*CORE, *ADAPTERS)}


class Types:
    """The source of types, and what must be imported for them."""

    def __init__(self, *more: str) -> None:
        self.imports: set[tuple[str, str]] = set()
        self.aliases: list[tuple[Any, str, str]] = []  # type, module, name
        for source in (*more, *ALIASES):
            kinds = vars(importlib.import_module(source)).items()
            self.aliases += [(x, source, key) for key, x in kinds if get_origin(x) in (Literal, Union, types.UnionType)]

    def used(self, module: str, name: str) -> str:
        """Import a name, and return it."""
        self.imports.add((module, name))
        return name

    def of(self, hint: Any) -> str:
        """The source of a type."""
        for alias, module, name in self.aliases:
            if hint == alias:
                return self.used(module, name)
        if hint is Any:
            return self.used("typing", "Any")
        if isinstance(hint, TypeVar):
            return self.used("omniou._lib.types", hint.__name__)
        if get_origin(hint) in (Union, types.UnionType):
            return self._union(get_args(hint))
        if get_origin(hint) is Literal:
            return f"{self.used('typing', 'Literal')}[{', '.join(map(self.value, get_args(hint)))}]"
        return self._named(hint)

    def _named(self, hint: Any) -> str:
        """A class, or None."""
        if hint in (None, types.NoneType):
            return "None"
        name, module = str(hint.__name__).rpartition(".")[2], str(hint.__module__)
        if module == "builtins":
            return name
        # The module of `jax.Array` is jaxlib's, but source imports it from jax.
        return self.used(module if module.startswith("omniou") else module.partition(".")[0].removesuffix("lib"), name)

    def _union(self, parts: tuple[Any, ...]) -> str:
        """A union, whose parts may together be one that has a name: `ArrayT | ArrayLike`."""
        like = set(get_args(ArrayLike))
        if len(parts) > len(like) and like < set(parts):
            parts = (*(x for x in parts if isinstance(x, TypeVar)), ArrayLike, *(x for x in parts if x not in like))
        return " | ".join(dict.fromkeys(map(self.of, parts)))

    def value(self, x: Any) -> str:
        """The source of a default."""
        if isinstance(x, float) and math.isnan(x):
            return self.used("math", "nan")
        return f'"{x}"' if isinstance(x, str) else repr(x)


def function_text(source: FunctionSource, names: Types) -> str:
    """The source of a function and of its operation."""
    arguments = [f"{name}: {names.of(hint)}" for name, hint in source.arguments.items()]
    slash = ["/"] if source.positional_only else []
    options = [f"{name}: {names.of(hint)} = {names.value(x.default)}" for name, (hint, x) in source.options.items()]
    signature = "".join(f"    {x},\n" for x in [*arguments, *slash, *(["*"] if options else []), *options])
    result = "None" if source.returns is None else names.of(source.returns)
    given = [*source.arguments, *(f"{name}={name}" for name in source.options)]
    head = f"    {'' if source.returns is None else 'return '}_{source.name}"
    return (
        f"_{source.name} = {source.expression}\n\n\ndef {source.name}(\n{signature}) -> {result}:\n"
        f"{docstring(source.doc)}{call(head, given)}"
    )


def class_text(source: ClassSource, names: Types) -> str:
    """The source of a loss of Keras."""
    names.used(source.base.__module__, source.base.__name__)
    of = {x: (hint, option.default) for x, (hint, option) in source.options.items()}
    by_name = {**source.own, **{x: y for x, y in of.items() if x not in source.first}}
    shown = {x: f"{x}: {names.of(hint)} = {names.value(default)}" for x, (hint, default) in {**of, **by_name}.items()}
    signature = ["self", *(shown[x] for x in source.first), "*", *(shown[x] for x in by_name)]
    given = [f"{x}={x}" for x in (*source.first, *by_name)]
    return (
        f"class {source.name}({source.base.__name__}):\n{docstring(source.doc)}\n    {source.attribute}\n\n"
        f"    def __init__(\n{''.join(f'        {x},{chr(10)}' for x in signature)}    ) -> None:\n"
        f"{call('        super().__init__', given)}"
    )


def call(head: str, given: list[str]) -> str:
    """A call, broken as ruff breaks it."""
    one, indent = f"{head}({', '.join(given)})\n", " " * (len(head) - len(head.lstrip()) + 4)
    if len(one) <= WIDTH + 1:
        return one
    two = f"{indent}{', '.join(given)}\n"
    inside = two if len(two) <= WIDTH + 1 else "".join(f"{indent}{x},\n" for x in given)
    return f"{head}(\n{inside}{indent[4:]})\n"


def docstring(doc: str, indent: str = "    ") -> str:
    """A docstring as source; paragraphs whose lines are too long are wrapped anew."""
    first, _, rest = doc.strip().partition("\n")
    lines = []
    for margin, group in itertools.groupby(rest.split("\n"), _margin):
        paragraph = [line.rstrip() for line in group]
        heading = 2 if len(paragraph) > 1 and set(paragraph[1]) == {"-"} else 0
        lines += [*paragraph[:heading], *_wrapped(paragraph[heading:], WIDTH - len(indent), " " * margin)]
    quotes = 'r"""' if "\\" in doc else '"""'
    return textwrap.indent("\n".join([f"{quotes}{first.rstrip()}", *lines, '"""\n']), indent)


def _wrapped(paragraph: list[str], width: int, margin: str) -> list[str]:
    """A paragraph of text, or lines of code as they are."""
    if max(map(len, paragraph), default=0) <= width or paragraph[0].lstrip().startswith((">>>", "...")):
        return paragraph
    text = " ".join(x.strip() for x in paragraph)
    return textwrap.wrap(text, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)


def _margin(line: str) -> int:
    """The indentation of a line, -1 of an empty one."""
    return len(line) - len(line.lstrip()) if line.strip() else -1


def import_lines(imports: Iterable[tuple[str, str]]) -> str:
    """Imports, sorted as ruff sorts them."""
    by_module: dict[str, set[str]] = {}
    for module, name in imports:
        by_module.setdefault(module, set()).add(name)
    own = {x for x in by_module if x.startswith("omniou")}
    standard = {x for x in by_module if x.partition(".")[0] in sys.stdlib_module_names}
    groups = (standard, by_module.keys() - own - standard, own)
    return "\n".join("".join(_import(x, by_module[x]) for x in sorted(group)) for group in groups if group)


def _import(module: str, names: set[str]) -> str:
    ordered = sorted(names, key=lambda x: (not x.isupper(), not x[0].isupper(), x))
    if ordered == [""]:
        return f"import {module}\n"
    one = f"from {module} import {', '.join(ordered)}\n"
    lines = "".join(f"    {x},\n" for x in ordered)
    return one if len(one) <= WIDTH + 1 else f"from {module} import (\n{lines})\n"


def text_of(module: Written) -> str:
    """The source of a written module."""
    names, sources = Types(*module.aliases), list(module.sources())
    bodies = [class_text(x, names) if isinstance(x, ClassSource) else function_text(x, names) for x in sources]
    names.used(module.publish, "publish")
    for source in sources:
        _import_made(source, module, names)
    listed = "".join(f'    "{x.name}",\n' for x in sources)
    blank = "\n" if isinstance(sources[0], ClassSource) else ""  # two lines before a class, one before an assignment
    return (
        f'{HEADER}"""The {module.kind} of `{module.public}` that follow from declarations."""\n\n'
        "from __future__ import annotations  # so that `help` shows the names of types\n\n"
        f"{import_lines(names.imports)}\n__all__: list[str] = [\n{listed}]\n\n{blank}"
        + "\n\n".join(bodies)
        + f'\n\npublish("{module.public}", globals())\n'
    )


def _import_made(source: FunctionSource | ClassSource, module: Written, names: Types) -> None:
    """Import the names that an operation or a class uses."""
    if isinstance(source, ClassSource):
        of_masks = "masks." in source.attribute
        names.used(*(("omniou.losses", "masks") if of_masks else ("omniou", "scores")))
        return
    maker = source.expression.partition(".")[0]
    names.used(module.name.rpartition(".")[0] if maker.startswith("_") else "omniou._catalogue", maker)
    names.imports |= {(module.home, x) for x in re.findall(r"\b[A-Z][A-Z_]+\b", source.expression)}


def path_of(module: Written) -> Path:
    """Return the path of a written module."""
    root, *inside = module.name.split(".")
    return Path(*importlib.import_module(root).__path__, *inside).with_suffix(".py")


def main() -> None:
    """Write all, or say which are stale."""
    parser = argparse.ArgumentParser(
        prog="python -m omniou._catalogue.write", description=str(__doc__).partition(":")[0]
    )
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a module is stale")
    parser.add_argument("modules", nargs="*", default=[*MODULES], help="by default all")
    given = parser.parse_args()
    stale, lacking = [], []
    for name in given.modules:
        try:
            path, text = path_of(MODULES[name]), text_of(MODULES[name])
        except ImportError as error:  # of JAX or Keras
            lacking.append(f"{name} ({error})")
            continue
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(str(path))
            if not given.check:
                path.write_text(text, "utf-8")
    if given.check and stale:
        sys.exit(f"stale, run `python -m omniou._catalogue.write`: {', '.join(stale)}")
    if lacking:
        sys.exit(f"skipped, install the groups `jax` and `keras` and set KERAS_BACKEND=jax: {', '.join(lacking)}")


if __name__ == "__main__":
    main()
