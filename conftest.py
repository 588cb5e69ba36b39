"""Runs what the documentation shows: `pytest README.md docs src integrations` (`nox -s docs`).

- ```` ```python ```` blocks of a page run in order and share one namespace;
- ```` ```console ```` blocks run the lines after `$ ` in a shell and compare what is printed. They run in a new folder,
  which has the two files of the example, `ground_truth.json` and `detections.json`, and the folder `docs`;
- the examples of a docstring are one test, which starts with the public names of omniou and nothing else.

Expected output may shorten with `...`. Blocks in other languages (```` ```shell ```` for set-up) are not run.
"""

import atexit
import doctest
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
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
    "cv2|dask|evaluate|flax|ignite|jax|keras|lightning|mlflow|ndonnx|onnxruntime|optax|supervision|tensorboardX|"
    "tensorflow|torch|torchmetrics|torchvision|ultralytics|wandb"
)
# Their examples run with their tests. ultralytics asks for torchvision, which torchmetrics would import, and which fits
# no CPU build. mlflow and wandb bring too much for a session: what is shown of them runs where they are installed.
# The lines after an import of cv2 need it, too.
APART = {"cv2", "mlflow", "ndonnx", "ultralytics", "wandb"}
DOCS = Path(__file__).parent / "docs"
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


@functools.cache
def folder_of(page: str) -> Path:
    """The folder that the commands of a page share, so that one may read what another wrote."""
    folder = Path(tempfile.mkdtemp(prefix=f"omniou-{Path(page).stem}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "docs").symlink_to(DOCS, target_is_directory=True)
    for name in ("ground_truth.json", "detections.json"):
        (folder / name).symlink_to(DOCS / "examples" / "coco-val2014-100" / name)
    return folder


def run_console(example: Example) -> str | None:
    checker = doctest.OutputChecker()
    here = os.environ | {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}
    if roots := os.environ.get("PYTHONPATH"):  # may be relative to where the tests were started
        here["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, roots.split(os.pathsep)))
    for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, want = part.partition("\n")
        done = subprocess.run(  # noqa: S602
            command, shell=True, cwd=folder_of(example.path), env=here, capture_output=True, text=True, check=False
        )
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
            page, start = item.example.document.text, item.example.start
            # The end of a line of a block is some characters too early.
            shown = USES.findall(page[start : page.find("\n", item.example.end)])
            # Each line after `>>>` is an item of its own, and needs what the page has imported before it.
            needed = (APART & {*shown, *USES.findall(page[:start])}) | (set() if strict else {*shown})
            lacking = [name for name in needed if not importlib.util.find_spec(name)]
            if lacking:
                item.add_marker(pytest.mark.skip(f"needs {', '.join(sorted(lacking))}"))


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the figures of a page: pyplot keeps those of all pages, and warns of more than twenty."""
    if "matplotlib.pyplot" in sys.modules and (nextitem is None or nextitem.path != item.path):
        sys.modules["matplotlib.pyplot"].close("all")
