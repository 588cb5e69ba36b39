"""No function, class or constant of a module, and no private method, is there for nobody: such code can never run.

A name is used if its module reads it, another module imports it from there, or any module reads an attribute of this
name. Tests do not count. mypy finds lines that cannot be reached (`warn_unreachable`).
"""

import ast
import importlib.util
from collections.abc import Iterator

import pytest

from tests.house.imports import modules

# Parts of src whose modules declare what other modules find by a string.
BY_STRING = ("omniou.cli.", "omniou.data.writing.", "omniou._inputs.masks")
# Methods that a framework calls.
CALLED = {"_compute", "_info", "_reduce_states", "_repr_html_", "_repr_png_", "_sync_dist"}


def unused(sources: dict[str, str], packages: frozenset[str] = frozenset()) -> list[str]:
    """Name of a module -> source. The names that nothing uses, as "module.name"."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    nodes = {module: list(ast.walk(tree)) for module, tree in trees.items()}
    strings = {x.value for module in trees for x in nodes[module] if isinstance(x, ast.Constant)}
    imported, attributes = set[str](), set[str]()
    for module in trees:
        places = _imported(nodes[module], module, is_package=module in packages)
        imported |= {*places.values()}
        for x in nodes[module]:
            if isinstance(x, ast.Attribute):
                place = places.get(x.value.id) if isinstance(x.value, ast.Name) else None
                if place in trees:  # a module: the attribute is a name of this module alone
                    imported.add(f"{place}.{x.attr}")
                else:
                    attributes.add(x.attr)
    found = []
    for module, tree in trees.items():
        known = attributes | {x.id for x in nodes[module] if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)}
        known |= strings if module.startswith(BY_STRING) else _public(tree)
        names = [name for name in _bound(tree) if name not in known and f"{module}.{name}" not in imported]
        methods = [name for name in _private_methods(nodes[module]) if name not in attributes | strings | CALLED]
        found += [f"{module}.{name}" for name in names + methods]
    return found


def _imported(nodes: list[ast.AST], module: str, *, is_package: bool) -> dict[str, str]:
    """What a module imports by `from`: its name there -> the full name."""
    package = module if is_package else module.rpartition(".")[0]
    places = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(start, package) if node.level else start
            places |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    return places


def _public(tree: ast.Module) -> set[str]:
    """The strings of `__all__`."""
    lists = [x for x in tree.body if "__all__" in {y.id for y in ast.walk(x) if isinstance(y, ast.Name)}]
    return {x.value for y in lists for x in ast.walk(y) if isinstance(x, ast.Constant)}


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [x.id for x in targets if isinstance(x, ast.Name)]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        yield from (name for name in names if not name.startswith("__"))


def _private_methods(nodes: list[ast.AST]) -> Iterator[str]:
    for owner in nodes:
        if isinstance(owner, ast.ClassDef):
            names = [x.name for x in owner.body if isinstance(x, ast.FunctionDef)]
            yield from (name for name in names if name.startswith("_") and not name.startswith("__"))


def test_nothing_is_unused():
    packages = frozenset(x.name for x in modules() if x.is_package)
    assert unused({x.name: x.path.read_text("utf-8") for x in modules()}, packages) == []


@pytest.mark.parametrize(
    "source",
    ["def f(): pass", "class f: pass", "f = 1", "f: int = 1", "class A:\n    def _f(self): pass\nA()"],
)
@pytest.mark.parametrize("other", ["", "f = 2\nf", "from omniou.b import f", "def g(f): f"])
def test_what_nobody_uses_is_found(source, other):
    found = unused({"omniou.a": source, "omniou.c": f"{other}\n__all__ = ['f', 'g']"})
    assert [x.rpartition(".")[2].strip("_") for x in found] == ["f"]


@pytest.mark.parametrize(
    ("source", "other"),
    [
        ("def f(): pass\nf()", ""),
        ("f = 1\n__all__ = ['f']", ""),
        ("f = 1", "from omniou.a import f"),
        ("f = 1", "from .a import f as g"),
        ("f = 1", "from omniou import a\na.f"),
        ("class A:\n    def _f(self): pass\nA()", "import omniou\nomniou.a.A()._f()"),
    ],
)
def test_what_somebody_uses_is_not_found(source, other):
    assert unused({"omniou.a": source, "omniou.c": other}) == []
