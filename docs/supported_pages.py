"""Sphinx directives of docs/supported.json: which function was tested with which library and how.

The tests write it (`python -m tests.proved --write`), and the session `supported` fails where it is stale.
"""

import functools
import html
import inspect
import json
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

DATA = Path(__file__).parent / "supported.json"
LIBRARIES = {
    "numpy": "NumPy",
    "strict": "array-api-strict, device1",
    "torch": "PyTorch",
    "jax": "JAX",
    "dask": "Dask",
    "onnx": "ONNX",
    "cupy": "CuPy",
}
# What a test says of a cell: symbol and word.
VALUES = {
    "yes": ("●", "yes"),
    "none": ("○", "no gradient: counts, choices and indices have none"),
    "refused": ("✕", "refused, with an error that says so"),
    "": ("·", "not tested"),
}


@functools.cache
def table():
    return json.loads(DATA.read_text("utf-8"))


def columns():
    """(Library, mode) of each column."""
    return [(library, mode) for library, modes in table()["modes"].items() for mode in modes]


def cell(function, library, mode):
    """What is said of it, and the test that says so; twice nothing where there is none."""
    value, _, test = table()["functions"][function].get(library, {}).get(mode, "").partition(": ")
    return value, test


def groups():
    """Module without `omniou` -> its functions."""
    found = {}
    for name in table()["functions"]:
        found.setdefault(name.rpartition(".")[0] or "pairs", []).append(name)
    return found


def _link(function):
    module, _, name = function.rpartition(".")
    page = f"reference/generated/omniou.{module or 'pairs'}.{name}.html"
    return f'<a href="{page}"><code>{name}</code></a>'


def _head():
    modes = table()["modes"]
    first = "".join(f'<th colspan="{len(x)}">{LIBRARIES[library]}</th>' for library, x in modes.items())
    second = "".join(
        f'<th title="{html.escape(text)}"><span>{mode}</span></th>' for x in modes.values() for mode, text in x.items()
    )
    return f'<thead><tr><th rowspan="2">function</th>{first}</tr><tr class="modes">{second}</tr></thead>'


def _symbol(value, test):
    symbol, word = VALUES[value]
    title = html.escape(word + (f": tests/{test}" if test else ""))
    return f'<td class="{value or "untested"}" title="{title}" aria-label="{word}">{symbol}</td>'


def of_module(name, functions):
    """A table of the functions of a module, to be opened."""
    rows = "".join(
        f"<tr><th>{_link(x)}</th>" + "".join(_symbol(*cell(x, *column)) for column in columns()) + "</tr>"
        for x in functions
    )
    return (
        f"<details><summary><code>omniou.{name}</code>, {len(functions)}</summary>"
        f'<div class="supported"><table>{_head()}<tbody>{rows}</tbody></table></div></details>'
    )


def summary():
    """How many functions each column has of each value."""
    rows = []
    for library, mode in columns():
        counts = dict.fromkeys(VALUES, 0)
        for function in table()["functions"]:
            counts[cell(function, library, mode)[0]] += 1
        numbers = "".join(f"<td>{x or ''}</td>" for x in counts.values())
        meaning = html.escape(table()["modes"][library][mode].replace("`", ""))
        rows.append(f"<tr><td>{LIBRARIES[library]}</td><td>{mode}</td>{numbers}<td>{meaning}</td></tr>")
    words = "".join(f"<th>{symbol} {word.partition(':')[0].partition(',')[0]}</th>" for symbol, word in VALUES.values())
    head = f"<tr><th>library</th><th>how</th>{words}<th>that is</th></tr>"
    return f'<div class="supported counts"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


class Supported(SphinxDirective):
    """The counts of all columns, and the table of each module."""

    def run(self):
        self.env.note_dependency(str(DATA))
        parts = [summary(), *(of_module(*x) for x in groups().items())]
        return [nodes.raw("", part, format="html") for part in parts]


class Row(SphinxDirective):
    """The row of a function on its own page: the modes of each library by what was seen."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(DATA))
        function = self.arguments[0]
        rows = []
        for library, modes in table()["modes"].items():
            said = {value: [] for value in VALUES}
            for mode in modes:
                value, test = cell(function, library, mode)
                title = f' title="tests/{html.escape(test)}"' if test else ""
                said[value].append(f"<span{title}>{mode}</span>")
            refused = [*said["refused"], *(f"{x} (has none)" for x in said["none"])]
            cells = "".join(f"<td>{', '.join(x)}</td>" for x in (said["yes"], refused, said[""]))
            rows.append(f"<tr><td>{LIBRARIES[library]}</td>{cells}</tr>")
        head = "<tr><th>library</th><th>tested</th><th>refused</th><th>not tested</th></tr>"
        title = '<p class="rubric"><a href="../../supported.html#functions-and-libraries">Tested with</a></p>'
        body = f'<div class="supported row"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'
        return [nodes.raw("", title + body, format="html")]


def row_of(path, x):
    """The lines of a function's page that show its row; none for what has no row."""
    function = path.removeprefix("omniou.").removeprefix("pairs.")
    return f"\n.. supported-row:: {function}\n" if inspect.isroutine(x) and function in table()["functions"] else ""


def setup(app):
    app.add_directive("supported-table", Supported)
    app.add_directive("supported-row", Row)
    return {"parallel_read_safe": True}
