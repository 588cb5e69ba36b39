"""Reading of the imports of src and integrations, from their source: nothing is imported."""

import ast
import functools
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.places import ROOT

ROOTS = ("src", "integrations")


class Import(NamedTuple):
    """One import of one module by another."""

    name: str
    line: int
    late: bool  # inside a function: it runs after the import of its module
    typed: bool  # inside `if TYPE_CHECKING`: only type checkers read it


class Module(NamedTuple):
    """Source of a module."""

    name: str
    path: Path
    is_package: bool

    @property
    def imports(self) -> list[Import]:
        return imports_of(self.path.read_text("utf-8"), self.name, is_package=self.is_package)


@functools.cache
def modules() -> tuple[Module, ...]:
    """Return every module below both import roots."""
    return tuple(
        _module(path.relative_to(ROOT / root), path)
        for root in ROOTS
        for path in sorted((ROOT / root).glob("omniou*/**/*.py"))
    )


def _module(inside: Path, path: Path) -> Module:
    parts = inside.with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path, is_package)


def imports_of(source: str, module: str, *, is_package: bool = False) -> list[Import]:
    """Return the imports of a module with this source."""
    package = module if is_package else module.rpartition(".")[0]
    return [
        Import(name, node.lineno, late, typed)
        for node, late, typed in _statements(ast.parse(source))
        for name in _imported(node, package)
    ]


def _statements(node: ast.AST, *, late: bool = False, typed: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        inner_late = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        inner_typed = typed or (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"))
        yield child, inner_late, inner_typed
        yield from _statements(child, late=inner_late, typed=inner_typed)


def _imported(node: ast.AST, package: str) -> list[str]:
    """Return the full names of the modules that a statement imports."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = importlib.util.resolve_name("." * level + (module or ""), package) if level else str(module)
            inside = [f"{base}.{alias.name}" for alias in names if _is_module(f"{base}.{alias.name}")]
            return inside if len(inside) == len(names) else [base, *inside]
        case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[ast.Constant(value)]):
            return [str(value)]
    return []


@functools.cache
def _is_module(name: str) -> bool:
    paths = [ROOT / root / Path(*name.split(".")) for root in ROOTS]
    return any(path.is_dir() or path.with_suffix(".py").exists() for path in paths)


def loops(graph: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """Return the strongly connected components of two modules or more: each can reach all others of its component.

    If a imports b, b imports c and c imports a, the three are one component, as is a fourth that imports a and is
    imported by b.
    """
    reached = {name: _reached(graph, name) for name in graph}
    return {
        frozenset(other for other in names if name in reached.get(other, ()))
        for name, names in reached.items()
        if name in names
    }


def _reached(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = {*graph.get(waiting.pop(), ())} - found
        found |= new
        waiting += new
    return found
