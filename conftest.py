"""Runs what the documentation shows: `pytest README.md docs src integrations` (`nox -s docs`).

- ```` ```python ```` blocks of a page run in order and share one namespace;
- ```` ```console ```` blocks run the lines after `$ ` in a shell and compare what is printed;
- the examples of a docstring are one test, which starts with the public names of omniou and nothing else.

Expected output may shorten with `...`. Blocks in other languages (```` ```shell ```` for set-up) are not run.
"""

import doctest
import importlib.util
import os
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.document import PythonDocStringDocument
from sybil.evaluators.doctest import DocTestRunner
from sybil.integration.pytest import SybilItem
from sybil.integration.pytest import pytest_integration as integration
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

import omniou

FRAMEWORKS = (
    "dask|evaluate|flax|ignite|jax|keras|lightning|optax|supervision|tensorflow|torch|torchmetrics|torchvision|"
    "ultralytics"
)
# Asks for torchvision, which torchmetrics would import, and which fits no CPU build: its examples run with its tests.
APART = {"ultralytics"}
# What libraries do when they are imported: no greeting into the output of an example, nothing at home, no network.
AWAY = str(Path(tempfile.gettempdir(), "omniou-tests"))
HUSH = {
    "YOLO_VERBOSE": "false",
    "YOLO_OFFLINE": "true",
    "YOLO_CONFIG_DIR": AWAY,
    "HF_HOME": AWAY,
    "HF_HUB_OFFLINE": "1",
}
for name, value in HUSH.items():
    os.environ.setdefault(name, value)
USES = re.compile(rf"\b(?:import|from|omniou_integrations\.)\s*({FRAMEWORKS})\b")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Docstrings(PythonDocStringDocument):
    """The docstrings of a file that is not imported: nothing comes from its namespace."""

    __init__ = Document.__init__


def docstring_examples(document: Document) -> Iterator[Region]:
    if examples := doctest.DocTestParser().get_examples(document.text):
        yield Region(0, len(document.text), examples, run_docstring)


def run_docstring(example: Example) -> str:
    runner = DocTestRunner(FLAGS)
    names = {name: getattr(omniou, name) for name in omniou.__all__}
    test = doctest.DocTest(example.parsed, {"__name__": "__main__", **names}, example.path, example.path, 0, None)
    report: list[str] = []
    runner.run(test, out=report.append)
    return "".join(report)


def run_console(example: Example) -> str | None:
    checker = doctest.OutputChecker()
    here = os.environ | {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}
    for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, want = part.partition("\n")
        done = subprocess.run(command, shell=True, env=here, capture_output=True, text=True, check=False)  # noqa: S602
        got = done.stdout + done.stderr
        if done.returncode or (want.strip() and not checker.check_output(want, got, FLAGS)):
            return f"$ {command}\nexpected:\n{want}\ngot, with exit status {done.returncode}:\n{got}"
    return None


pages = Sybil(
    [PythonCodeBlockParser(doctest_optionflags=FLAGS), CodeBlockParser("console", run_console)],
    pattern="*.md",
)
docstrings = [
    Sybil([docstring_examples], path=root, pattern="*.py", document_types={".py": Docstrings})
    for root in ("src", "integrations")
]
pytest_collect_file = integration(pages, *docstrings)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips", action="store_true", help="a snippet that lacks its framework fails, unless that is tested apart"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    strict = config.getoption("--no-skips")
    for item in items:
        if isinstance(item, SybilItem):
            shown = item.example.document.text[item.example.start : item.example.end]
            needed = [name for name in USES.findall(shown) if not strict or name in APART]
            lacking = [name for name in needed if not importlib.util.find_spec(name)]
            if lacking:
                item.add_marker(pytest.mark.skip(f"needs {', '.join(lacking)}"))
