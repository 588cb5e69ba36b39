"""Imports point one way, from each floor of FLOORS to those before it. Integrations stand outside."""

import subprocess
import sys

import pytest

from tests.house.imports import ROOT, Module, imports_of, loops, modules

# Floors of src/omniou from the lowest to the highest, and what the modules of a floor may import when they are loaded,
# next to the standard library and lower floors. ARRAYS are the public modules that are not named here.
LIB, KERNELS, ACCEL, CATALOGUE, RESULTS, ARRAYS, INPUTS, EVALUATIONS, DATA, REPORT, CLI = range(11)
FLOORS = {
    **dict.fromkeys(["_lib"], LIB),
    **dict.fromkeys(["_kernels", "_doctor"], KERNELS),
    **dict.fromkeys(["_accel"], ACCEL),
    **dict.fromkeys(["_catalogue"], CATALOGUE),
    **dict.fromkeys(["_results"], RESULTS),
    **dict.fromkeys(["_inputs"], INPUTS),
    **dict.fromkeys(["detection", "tracking", "centres", "spotting"], EVALUATIONS),
    **dict.fromkeys(["data"], DATA),
    **dict.fromkeys(["report"], REPORT),
    **dict.fromkeys(["cli", "__main__"], CLI),
}
ALLOWED = {
    ACCEL: {"numba", "numpy"},
    DATA: {"msgspec", "numpy"},
    REPORT: {"jinja2", "markupsafe", "msgspec", "numpy"},
    CLI: {"click", "msgspec", "numpy"},
}
EVERYWHERE = {"array_api_compat"}
# Inside functions a shim, a reader and a command may load the library they are about; kernels and public modules not.
LATE = {LIB, DATA, REPORT, CLI}
# What starts a cluster of an integration for a command, when the command asks for it.
ENGINES = {"omniou.cli._engine"}
SOURCES = [module for module in modules() if module.name.partition(".")[0] == "omniou"]


def floor(module: str) -> int:
    """Name of a module of omniou -> its floor."""
    return FLOORS.get(f"{module}.".split(".")[1], ARRAYS)


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Imports of a module that the floors forbid, one line each."""
    here = floor(module)
    known = sys.stdlib_module_names | EVERYWHERE | ALLOWED.get(here, set())
    bad = []
    for name, line, late, typed in imports_of(source, module, is_package=is_package):
        root = name.partition(".")[0]
        if root == "omniou":
            # Only `_lib.accel` loads `_accel`, by name, so that the package could be deleted.
            above = floor(name) > here and not (typed and module == "omniou")  # which names all of its parts
            forbidden = above or (floor(name) == ACCEL != here)
        elif root == "omniou_integrations":
            forbidden = not (late and module in ENGINES)
        else:
            forbidden = not (root in known or typed or (late and here in LATE))
        if forbidden:
            bad.append(f"{module}:{line} imports {name}")
    return bad


@pytest.mark.parametrize("module", SOURCES, ids=lambda module: module.name)
def test_modules_import_only_lower_floors(module: Module):
    assert violations(module.path.read_text("utf-8"), module.name, is_package=module.is_package) == []


def test_sources_stand_on_every_floor():
    assert {floor(module.name) for module in SOURCES} == set(range(11))
    assert {path.stem for path in (ROOT / "src" / "omniou").iterdir()} >= {*FLOORS}


def test_no_name_in_a_private_folder_has_an_underscore():
    private = [[x.startswith("_") for x in module.name.split(".")] for module in modules()]
    assert any(map(any, private))
    assert [module.name for module, parts in zip(modules(), private, strict=True) if sum(parts) > 1] == []


def test_imports_make_no_loop():
    graph = {module.name: [x.name for x in module.imports if not x.typed] for module in modules()}
    assert {name.partition(".")[0] for name in graph} == {"omniou", "omniou_integrations"}

    assert loops(graph) == set()


@pytest.mark.parametrize(
    "source",
    [
        "from omniou.cli import _eval",
        "def f():\n    from omniou.cli._eval import command",
        "import importlib\ndef f():\n    importlib.import_module('omniou.cli._eval')",
        "from . import _eval",
    ],
)
@pytest.mark.parametrize("between", [[], ["omniou.cli._files"], ["omniou.cli._files", "omniou.cli._gates"]])
def test_loops_of_any_length_are_found(source, between):
    first, last = "omniou.cli._config", "omniou.cli._eval"
    graph = {first: [x.name for x in imports_of(source, first)]}
    graph |= {name: [after] for name, after in zip([last, *between], [*between, first], strict=True)}

    assert loops(graph) == {frozenset({first, last, *between})}
    assert loops(graph | {([last, *between])[-1]: ["omniou.cli._output"]}) == set()


def test_two_loops_that_share_no_module_are_two():
    assert loops({"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"]}) == {frozenset("ab"), frozenset("cd")}


def test_import_for_type_checkers_is_marked():
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import omniou.cli._eval"
    assert [(x.name, x.typed) for x in imports_of(source, "omniou.cli._config")][1:] == [("omniou.cli._eval", True)]


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
        ("omniou.boxes", "from omniou._inputs import kinds"),
        ("omniou.rle._overlap", "import numba"),
        ("omniou.boxes", "def f():\n    import torch"),
        ("omniou.rle._table", "def f():\n    import pycocotools.mask"),
        ("omniou._results.base", "from omniou import detection"),
        ("omniou._inputs.kinds", "from omniou.detection import _result"),
        ("omniou.detection.curves._state", "from omniou.data import coco"),
        ("omniou.detection.curves._state", "import numpy"),
        ("omniou.data.shards._shards", "def f():\n    from omniou import report"),
        ("omniou.data.shards._shards", "import jinja2"),
        ("omniou.report._record.record", "from omniou import cli"),
        ("omniou.cli", "import torch"),
        ("omniou.cli", "def f():\n    from omniou_integrations import jax"),
        ("omniou.cli._engine", "from omniou_integrations import dask"),
        ("omniou.data._formats.coco", "import dask"),
    ],
)
def test_violations_finds_forbidden_import(module, source):
    assert violations(source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("omniou._lib.arrays", "import functools, array_api_compat as compat\nfrom omniou._lib.types import Array"),
        ("omniou._lib.arrays", "def f():\n    import jax"),
        ("omniou._kernels.boxes", "from omniou._lib import types\nfrom omniou._kernels import scores"),
        ("omniou._accel.tiles", "import numba\nfrom omniou._kernels import apply"),
        ("omniou.boxes", "from omniou import _kernels, _lib\nfrom omniou.pairs import pairwise"),
        ("omniou.boxes", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("omniou.detection", "from omniou import _inputs, _results, rle"),
        ("omniou.data._formats.coco", "import numpy as np, msgspec\nfrom omniou import detection"),
        ("omniou.cli", "def f():\n    import torch"),
    ],
)
def test_violations_accepts_allowed_import(module, source):
    assert violations(source, module) == []


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
