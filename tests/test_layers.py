"""Imports point one way: _lib <- _kernels <- _accel <- _catalogue <- public modules <- data, report, cli.

Integrations stand outside.
"""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(ROOT.glob("src/omniou/**/*.py"))

LIB, KERNELS, ACCEL, CATALOGUE, PUBLIC, TOP = range(6)
LAYERS = {
    "_lib": LIB,
    "_kernels": KERNELS,
    "_accel": ACCEL,
    "_catalogue": CATALOGUE,
    **dict.fromkeys(("data", "report", "cli", "__main__"), TOP),
}

# What a module may import when it is loaded, beside the standard library and lower layers.
ALLOWED = {
    LIB: {"array_api_compat"},
    KERNELS: {"array_api_compat"},
    ACCEL: {"array_api_compat", "numba", "numpy"},
    CATALOGUE: {"array_api_compat"},
    PUBLIC: {"array_api_compat"},
    TOP: {"array_api_compat", "click", "jinja2", "markupsafe", "matplotlib", "msgspec", "numpy", "rich"},
}
# Inside functions a shim, a reader and a command may load the library they are about; kernels and public modules not.
LATE = {LIB, TOP}
# Public classes of adapters, one of each framework; and of evaluations, of detections and of tracks.
SHARED = {"BoxScore", "DetectionAP", "Evaluator", "MeanIoU", "Result", "SegmentationScore", "State"}
# What starts a cluster of an integration for a command, when the command asks for it.
ENGINES = {"omniou.cli._engine"}


def layer(module: str) -> int:
    """Name of a module below omniou -> its layer."""
    return LAYERS.get(f"{module}.".split(".")[1], PUBLIC)


def is_module(name: str) -> bool:
    paths = [ROOT / folder / Path(*name.split(".")) for folder in ("src", "integrations")]
    return any(path.is_dir() or path.with_suffix(".py").exists() for path in paths)


def module_of(path: Path, folder: str = "src") -> tuple[str, bool]:
    """Full name of the module of a file, and whether it is a package."""
    parts = path.relative_to(ROOT / folder).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


def imported(node: ast.AST, package: str) -> list[str]:
    """Full names of the modules that a statement imports."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = importlib.util.resolve_name("." * level + (module or ""), package) if level else str(module)
            inside = [f"{base}.{alias.name}" for alias in names if is_module(f"{base}.{alias.name}")]
            return inside if len(inside) == len(names) else [base, *inside]
        case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[ast.Constant(value)]):
            return [str(value)]
    return []


def is_typing_block(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def statements(node: ast.AST, *, late: bool = False, typed: bool = False):
    """Every node below `node`, with two flags: it runs after the import of its module; only type checkers read it."""
    for child in ast.iter_child_nodes(node):
        inner_late = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        inner_typed = typed or is_typing_block(child)
        yield child, inner_late, inner_typed
        yield from statements(child, late=inner_late, typed=inner_typed)


def import_violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Imports of a module that the layers forbid, one line each."""
    here = layer(module)
    package = module if is_package else module.rpartition(".")[0]
    violations = []
    for node, late, typed in statements(ast.parse(source)):
        for name in imported(node, package):
            root = name.partition(".")[0]
            if root == "omniou":
                # Only `_lib.accel` loads `_accel`, by name, so that the package could be deleted.
                above = layer(name) > here and not (typed and module == "omniou")  # which names all of its parts
                bad = above or (layer(name) == ACCEL != here)
            elif root == "omniou_integrations":
                bad = not (late and module in ENGINES)
            else:
                known = root in sys.stdlib_module_names or root in ALLOWED[here]
                bad = not (known or typed or (late and here in LATE))
            if bad:
                violations.append(f"{module}:{node.lineno} imports {name}")
    return violations


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_import_only_lower_layers(path):
    module, is_package = module_of(path)
    assert import_violations(path.read_text("utf-8"), module, is_package=is_package) == []


def test_no_two_classes_share_a_name():
    places: dict[str, list[str]] = {}
    for path in [*SOURCES, *sorted(ROOT.glob("integrations/**/*.py"))]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert "Geometry" in places
    twice = {name: x for name, x in places.items() if len(x) > 1}
    assert {name: x for name, x in twice.items() if name not in SHARED} == {}


def mutual_imports(sources: dict[tuple[str, bool], str]) -> set[frozenset[str]]:
    """Pairs of modules that import each other, inside functions and for type checkers too."""
    imports = {
        (module, name)
        for (module, is_package), source in sources.items()
        for node, _, _ in statements(ast.parse(source))
        for name in imported(node, module if is_package else module.rpartition(".")[0])
    }
    return {frozenset(pair) for pair in imports if pair[::-1] in imports}


def test_no_two_modules_import_each_other():
    sources = {
        module_of(path, folder): path.read_text("utf-8")
        for folder in ("src", "integrations")
        for path in sorted(ROOT.glob(f"{folder}/omniou*/**/*.py"))
    }
    assert {name.partition(".")[0] for name, _ in sources} == {"omniou", "omniou_integrations"}

    assert mutual_imports(sources) == set()


@pytest.mark.parametrize(
    "source",
    [
        "from omniou.cli import _eval",
        "def f():\n    from omniou.cli._eval import command",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import omniou.cli._eval",
        "from . import _eval",
    ],
)
def test_mutual_imports_finds_late_and_relative_import(source):
    one, other = ("omniou.cli._config", False), ("omniou.cli._eval", False)

    assert mutual_imports({one: source, other: "from omniou.cli import _config"}) == {frozenset({one[0], other[0]})}
    assert mutual_imports({one: source, other: "from omniou.cli import _files"}) == set()


def test_sources_include_lib_and_kernels():
    assert {layer(f"omniou.{path.relative_to(ROOT / 'src' / 'omniou').parts[0]}") for path in SOURCES} >= {LIB, KERNELS}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("omniou._kernels.boxes", "import numpy as np"),
        ("omniou._kernels.boxes", "def f():\n    import jax"),
        ("omniou._kernels.boxes", "import array_api_compat.numpy, numpy.linalg"),
        ("omniou._lib.arrays", "try:\n    import torch\nexcept ImportError:\n    torch = None"),
        ("omniou._lib.arrays", "class A:\n    import scipy.sparse"),
        ("omniou._lib.arrays", "import importlib\nnp = importlib.import_module('numpy')"),
        ("omniou._lib.arrays", "from omniou._kernels import boxes"),
        ("omniou._lib.arrays", "from omniou import _kernels"),
        ("omniou._kernels.boxes", "from .. import losses"),
        ("omniou._kernels.boxes", "def f():\n    from omniou.boxes import iou"),
        ("omniou._kernels.boxes", "from omniou import __version__"),
        ("omniou._kernels.masks", "from omniou._accel import tiles"),
        ("omniou._accel.rle", "import torch"),
        ("omniou.pairs", "from omniou._accel import tiles"),
        ("omniou.boxes", "from keras import ops"),
        ("omniou.rle._overlap", "import numba"),
        ("omniou.boxes", "def f():\n    import torch"),
        ("omniou.rle._table", "def f():\n    import pycocotools.mask"),
        ("omniou.detection.curves._state", "from omniou.data import coco"),
        ("omniou.detection.curves._state", "import numpy"),
        ("omniou.cli", "import torch"),
        ("omniou.cli", "def f():\n    from omniou_integrations import jax"),
        ("omniou.cli._engine", "from omniou_integrations import dask"),
        ("omniou.data._formats.coco", "import dask"),
    ],
)
def test_import_violations_finds_forbidden_import(module, source):
    assert import_violations(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("omniou._lib.arrays", "import functools, array_api_compat as compat\nfrom omniou._lib.types import Array"),
        ("omniou._lib.arrays", "def f():\n    import jax"),
        ("omniou._kernels.boxes", "from omniou._lib import types\nfrom omniou._kernels import scores"),
        ("omniou._accel.tiles", "import numba\nfrom omniou._kernels import apply"),
        ("omniou.boxes", "from omniou import _kernels, _lib\nfrom omniou.pairs import pairwise"),
        ("omniou.boxes", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("omniou.data._formats.coco", "import numpy as np, msgspec\nfrom omniou import detection"),
        ("omniou.cli", "def f():\n    import torch"),
    ],
)
def test_import_violations_accepts_allowed_import(module, source):
    assert import_violations(source, module) == []


def test_importing_omniou_loads_no_framework():
    program = "import sys, omniou.rle, omniou.detection; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())

    assert "omniou" in loaded
    assert not loaded & {"dask", "jax", "keras", "numba", "numpy", "scipy", "tensorflow", "torch", "torchmetrics"}


def test_import_omniou_gives_access_to_submodules():
    program = "import omniou; print(omniou.detection.COCO.max_detections, omniou.masks.iou.__name__, dir(omniou))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(1, 10, 100) iou ['__version__', 'boxes', 'boxes3d', 'centres', 'conventions', ")
    wrong = subprocess.run(
        [sys.executable, "-c", "import omniou; omniou.box"], capture_output=True, text=True, check=False
    )
    assert "module 'omniou' has no attribute 'box'" in wrong.stderr
