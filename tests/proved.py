"""Which function was tested with which library and how: what tests with `proves` passed, for docs/supported.json.

    @pytest.mark.proves("gradient", "boxes.{name}", library="{gradient.__name__}")

The names of functions, and the library, may be parameters of the test. Without names, it is the parameter `name`, where
that is a function; without a library, it is that of `xp`. A test that is skipped, fails or is expected to fail proves
nothing. `OMNIOU_PROVED=FILE` saves what a run proved. `python -m tests.proved FILES` compares what they hold together
with docs/supported.json, and `--write` writes that. It imports nothing but the standard library; without files, which
compares rows and columns alone, omniou.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

DOCS = Path(__file__).parents[1] / "docs"
TABLE, GPU = DOCS / "supported.json", DOCS / "gpu.json"
# The columns: how a function is called with the arrays of a library, and what that means.
MODES = {
    "numpy": {"eager": "called with NumPy's arrays", "16 bits": "float16"},
    "strict": {
        "eager": "array-api-strict, on the device `device1`, whose arrays become NumPy's only where omniou says so"
    },
    "torch": {
        "eager": "called with tensors of the CPU",
        "gradient": "gradients, by autograd or `torch.func.grad`",
        "vmap": "`torch.func.vmap`",
        "compile": "`torch.compile(fullgraph=True)`",
        "16 bits": "bfloat16",
        "no float64": "a device without float64, as that of Apple",
        "CUDA": "a GPU",
    },
    "jax": {
        "eager": "called with JAX's arrays; functions compile themselves",
        "jit": "`jax.jit` around the call",
        "gradient": "`jax.grad`",
        "vmap": "`jax.vmap`",
        "export": "`jax.export` lowers it for CUDA and TPU, where it is not run; of losses the gradient, too",
        "no float64": "without `jax_enable_x64`",
        "CUDA": "a GPU",
    },
    "dask": {"lazy": "no value is computed before `compute`"},
    "onnx": {"graph": "an ONNX graph by ndonnx, which onnxruntime runs"},
    "cupy": {"CUDA": "a GPU"},
}
# What a test says of a cell; the first of several counts.
VALUES = ("yes", "none", "refused")
MEND = "`nox -r -t proving && nox -s supported -- --write` writes docs/supported.json"
SHOWN = 20  # faults that are printed; a table that is old has hundreds
Cell = tuple[str, str, str]  # function without `omniou.`, library, mode


def functions() -> list[str]:
    """The public functions that take arrays, without `omniou.`."""
    import importlib
    import inspect

    from tests.house.public_names import PUBLIC

    # What reads files or results, names or checks something, or takes tables instead of arrays.
    others = ("data", "report", "geometry", "conventions", "cli", "pairs", "rle", "spotting", "tracking.benchmarks")
    found = []
    for path, names in PUBLIC.items():
        module = path.removeprefix("omniou").removeprefix(".")
        if path.split(".")[0] != "omniou" or module.startswith(others):
            continue
        here = [x for x in names if inspect.isroutine(getattr(importlib.import_module(path), x))]
        if "evaluate" in here:  # the others take results
            here = [x for x in here if x in {"evaluate", "average_precision", "pr_curve"}]
        found += [f"{module}.{x}".removeprefix(".") for x in here]
    return [x for x in found if x not in {"losses.get", "masks.reading"} and not x.endswith(".check")]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proves(mode, *functions, library, value): a cell of docs/supported.json")
    config.pluginmanager.register(Proved(config), "omniou-proved")


class Proved:
    """What the tests of a run prove."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.known = config, frozenset(functions())
        self.cells: dict[str, list[tuple[Cell, str]]] = {}  # id of a test -> what it would prove
        self.passed: dict[str, bool] = {}
        self._save(failed=True)  # until it ends

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if any(item.iter_markers("proves")):
                self.cells[item.nodeid] = list(self._claims(item))

    def _claims(self, item: pytest.Item) -> Iterator[tuple[Cell, str]]:
        params = getattr(getattr(item, "callspec", None), "params", {})
        for marker in item.iter_markers("proves"):
            mode, *names = marker.args
            library = str(marker.kwargs.get("library", params.get("xp", ""))).format(**params)
            library, mode = self._column(library, mode)
            for name in names or ["{name}"]:
                function = name.format(**params)
                if function in self.known:
                    yield (function, library, mode), marker.kwargs.get("value", "yes")
                elif names:
                    raise ValueError(f"{item.nodeid} proves something of {function!r}, which is no public function")

    def _column(self, library: str, mode: str) -> tuple[str, str]:
        """`eager` is what the library of `xp` and its device make of it."""
        device = self.config.getoption("--device", None) or "cpu"
        library = library.partition("_")[0]
        if mode == "eager" and device.startswith("cuda"):
            mode = "CUDA"
        elif mode == "eager" and library == "dask":
            mode = "lazy"
        if mode not in MODES.get(library, ()):
            raise ValueError(f"no column of the table is {mode!r} of {library!r}: see MODES in {__file__}")
        return library, mode

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid in self.cells:
            fine = report.outcome == "passed" and not hasattr(report, "wasxfail")
            self.passed[report.nodeid] = fine and self.passed.get(report.nodeid, True)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._save(failed=exitstatus != 0)

    def _save(self, *, failed: bool) -> None:
        path = os.environ.get("OMNIOU_PROVED")
        if not path:
            return
        rows = [
            [*cell, value, test.removeprefix("tests/")]
            for test, fine in self.passed.items()
            for cell, value in (self.cells[test] if fine else ())
        ]
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"failed": failed, "functions": sorted(self.known), "proved": sorted(rows)}, indent=0)
        Path(path).write_text(text + "\n", "utf-8")


class Part:
    """What runs proved together: the functions, and the tests that say of a cell what they say."""

    def __init__(self, paths: list[Path]) -> None:
        self.functions: set[str] = set()
        self.failed: list[str] = []  # runs of which a test failed, or that did not end
        self.tests: dict[Cell, dict[str, list[str]]] = {}
        for path in paths:
            found = json.loads(path.read_text("utf-8"))
            self.functions |= set(found["functions"])
            self.failed += [path.stem] * found["failed"]
            self._take(found["proved"])
        if GPU.exists():  # of a run of `python -m tests.cuda` what was done on the GPU
            steps = json.loads(GPU.read_text("utf-8"))["steps"]
            self._take([row for step in steps for row in step.get("proved", ()) if row[2] == "CUDA"])

    def _take(self, rows: list[list[str]]) -> None:
        for function, library, mode, value, test in rows:
            self.tests.setdefault((function, library, mode), {}).setdefault(value, []).append(test)

    def table(self) -> dict[str, Any]:
        """Function -> library -> mode -> what is said of it, and the first test that says so."""
        rows: dict[str, Any] = {name: {} for name in sorted(self.functions)}
        for (function, library, mode), said in sorted(self.tests.items()):
            value = min(said, key=VALUES.index)
            rows.setdefault(function, {}).setdefault(library, {})[mode] = f"{value}: {min(said[value])}"
        return {"modes": MODES, "functions": rows}

    def faults(self, committed: dict[str, Any]) -> list[str]:
        """What the table says that these runs did not prove, and what it lacks."""
        out = []
        now, before = (_cells(x) for x in (self.table(), committed))
        for cell, told in sorted(before.items()):
            value, _, test = told.partition(": ")
            if test not in self.tests.get(cell, {}).get(value, ()):
                out.append(f"{' / '.join(cell)}: {test} did not prove {value!r}")
        for cell, told in sorted(now.items()):
            if told.partition(": ")[0] != before.get(cell, "").partition(": ")[0]:
                out.append(f"{' / '.join(cell)}: it is {told}, which the table does not say")
        return out + faults_of_rows(self.functions, committed)


def faults_of_rows(known: set[str], committed: dict[str, Any]) -> list[str]:
    """Functions without a row, and rows without a function; columns that are not those of `MODES`."""
    out = [] if committed["modes"] == MODES else ["the columns are not those of MODES"]
    rows = set(committed["functions"])
    out += [f"{name}: a function without a row" for name in sorted(known - rows)]
    return out + [f"{name}: a row of no public function" for name in sorted(rows - known)]


def _cells(table: dict[str, Any]) -> dict[Cell, str]:
    return {
        (function, library, mode): told
        for function, row in table["functions"].items()
        for library, modes in row.items()
        for mode, told in modes.items()
    }


def text_of(table: dict[str, Any]) -> str:
    """JSON with a line for each function."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table["functions"].items())
    return f'{{\n "modes": {json.dumps(table["modes"])},\n "functions": {{\n{rows}\n }}\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.proved", description=__doc__)
    parser.add_argument(
        "files", nargs="*", type=Path, help="what OMNIOU_PROVED saved, of every run that proves something"
    )
    parser.add_argument("--write", action="store_true", help="write docs/supported.json")
    given = parser.parse_args()
    if given.write and not given.files:
        parser.error("--write needs files")
    part = Part(given.files)
    if part.failed:
        sys.stdout.write(f"docs/supported.json was not compared: these runs failed: {', '.join(part.failed)}\n")
        return 1
    if given.write:
        TABLE.write_text(text_of(part.table()), "utf-8")
        return 0
    committed = json.loads(TABLE.read_text("utf-8"))
    faults = part.faults(committed) if given.files else faults_of_rows(set(functions()), committed)
    for fault in faults[:SHOWN]:
        sys.stdout.write(fault + "\n")
    if faults:
        more = f" ({len(faults) - SHOWN} are not shown)" * (len(faults) > SHOWN)
        sys.stdout.write(
            f"docs/supported.json is stale in {len(faults)} places{more}. If the tests are right: {MEND}\n"
        )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
