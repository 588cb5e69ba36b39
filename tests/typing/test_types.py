"""What type checkers say of the public names: each option of its own is accepted, every other name is refused.

Lines are written for every module and every declared score, and checked by mypy and by pyright (`nox -s typing`).
"""

import importlib
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from omniou._catalogue.sources.classes import ClassSource
from omniou._catalogue.write import ADAPTERS, CORE
from tests.house.public_names import PUBLIC

HEAD = """import torch
import jax
import omniou
{imports}

def check(x: torch.Tensor, m: omniou.rle.Masks, j: jax.Array) -> None:
"""
ARGUMENTS = {
    "omniou.rle": "m, m",
    "omniou.segmentation": "x",
    "omniou_integrations.jax": "j, j",
    "omniou_integrations.keras": "",
}


def installed(module):
    return importlib.util.find_spec(module.partition(".")[0]) is not None


def functions(module, sources):
    """Derived functions and classes by name, with the types of their options."""
    written = {x.name: options_of(x) for x in sources}
    for name in sorted(module.__all__):
        options = written.get(name) or getattr(getattr(module, name), "options", None)
        if isinstance(options, dict) and name not in {"convert", "confusion", "from_boxes", "accuracy", "boundary"}:
            yield name, {key: hint for key, (hint, _) in options.items()}


def options_of(source):
    """The declared options of a written function or class that are given by name only."""
    first = source.first if isinstance(source, ClassSource) else ()
    return {name: x for name, x in source.options.items() if name not in first}


def value_of(hint):
    """A value that a type accepts, as source."""
    if get_origin(hint) is Literal:
        return repr(get_args(hint)[0])
    return {float: "1.0", bool: "True", int: "1"}.get(hint, "None")


def cases():
    """Lines, and whether a checker is to accept them."""
    for path in PUBLIC:
        if path.startswith("omniou") and "__init__" not in path and path != "omniou_integrations":
            yield f"{path}.nonsense", False
    for path, sources in ((x.public, x.sources()) for x in (*CORE, *ADAPTERS)):
        module = importlib.import_module(path)
        of_module = dict(functions(module, sources))
        every = {key: hint for options in of_module.values() for key, hint in options.items()}
        for name, options in of_module.items():
            given = ARGUMENTS.get(path, "x" if name in {"area", "check", "corners", "volume"} else "x, x")
            comma = ", " if given else ""
            yield f"{path}.{name}({given})", True
            for key, hint in options.items():
                yield f"{path}.{name}({given}{comma}{key}={value_of(hint)})", True
            literals = [key for key, hint in options.items() if get_origin(hint) is Literal]
            for key in literals[-1:]:
                yield f"{path}.{name}({given}{comma}{key}='nonsense')", False
            others = [key for key in every if key not in options and key != "format"]
            for key in others[:1]:
                yield f"{path}.{name}({given}{comma}{key}={value_of(every[key])})", False


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The file, and the numbers of its lines that are wrong."""
    missing = [name for name in ("torch", "jax", "keras", "torchmetrics", "dask") if not installed(name)]
    if missing:
        pytest.skip(f"{', '.join(missing)} are not installed: types are checked by nox -s typing")
    imports = "\n".join(f"import {path}" for path in PUBLIC if path not in {"omniou", "omniou.pairs"})
    head = HEAD.format(imports=imports)
    file = tmp_path_factory.mktemp("typing") / "lines.py"
    written = list(cases())
    file.write_text(head + "".join(f"    {line}\n" for line, _ in written), "utf-8")
    first = head.count("\n") + 1
    return file, {number: line for number, (line, ok) in enumerate(written, first) if not ok}, len(written)


def compared(lines, found):
    file, wrong, count = lines
    text = file.read_text("utf-8").split("\n")
    assert count > 1000
    assert [wrong[number] for number in sorted(wrong.keys() - found)] == []  # accepted, and should not be
    assert [text[number - 1].strip() for number in sorted(found - wrong.keys())] == []  # refused


def test_mypy_accepts_own_options_and_refuses_other_names(lines):
    pytest.importorskip("mypy", reason="mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty", str(lines[0])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Messages from mypy's cache name the folder of the run that filled it.
    found = {int(number) for number in re.findall(r"/lines\.py:(\d+): error:", done.stdout)}
    assert found, done.stdout + done.stderr
    compared(lines, found)


def test_pyright_accepts_own_options_and_refuses_other_names(lines):
    pytest.importorskip("pyright", reason="pyright is not installed")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(lines[0])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    compared(lines, {x["range"]["start"]["line"] + 1 for x in found if x["severity"] == "error"})


def test_pyright_infers_the_array_type_of_each_library():
    pytest.importorskip("pyright", reason="pyright is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("jax", reason="jax is not installed")
    file = Path(__file__).with_name("arrays.py")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    assert [x["message"] for x in report["generalDiagnostics"] if x["severity"] == "error"] == []
