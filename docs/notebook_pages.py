"""Notebooks as pages: a directive that runs the cells of a notebook, and shows them with what they return."""

import ast
import contextlib
import html
import io
import json
from pathlib import Path
from types import MappingProxyType

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent


def cells(path):
    """(kind, source) of each cell."""
    found = json.loads(Path(path).read_text("utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in found]


def run(path):
    """Run a notebook in its folder: for each cell its kind, its source, what it prints, and its last value or None."""
    names, done = {"__name__": "__main__"}, []
    every = cells(path)
    with contextlib.chdir(Path(path).parent):
        for kind, source in every:
            printed, value = io.StringIO(), None
            if kind == "code":
                with contextlib.redirect_stdout(printed):
                    value = _run(source, names)
            done.append((kind, source, printed.getvalue(), value))
    return done


def _run(source, names):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307


class Notebook(SphinxDirective):
    """The first cell of a notebook without its title (`:intro:`), or all others with their output.

    Two directives, since the sections of the cells become children of the page before a directive returns.
    """

    required_arguments = 1
    option_spec = MappingProxyType({"intro": directives.flag})

    def run(self):
        path = HERE / self.arguments[0]
        self.env.note_dependency(str(path))
        if "intro" in self.options:
            return self._parsed(cells(path)[0][1].partition("\n")[2], path)
        made = []
        for k, (kind, source, printed, value) in enumerate(run(path)[1:]):
            if kind == "markdown":
                made.append(source)
            else:
                made.append(f"```python\n{source}\n```")
                made += [f"```text\n{printed.rstrip()}\n```"] if printed else []
                made += _shown(value, self.env.docname, k)
        return self._parsed("\n\n".join(made), path, match_titles=1)

    def _parsed(self, text, path, **options):
        node = nodes.container()
        self.state.nested_parse(StringList(text.split("\n"), source=str(path)), self.content_offset, node, **options)
        return node.children


def _shown(value, page, k):
    """A value as a notebook shows it."""
    if value is None:
        return []
    if hasattr(value, "figure"):  # axes
        from matplotlib import pyplot as plt

        name = f"{page}-{k}.png"
        value.figure.savefig(HERE / "_figures" / name, dpi=72)
        plt.close(value.figure)
        return [f"![{html.escape(value.get_title().partition(chr(10))[0])}](_figures/{name})"]
    if hasattr(value, "_repr_html_"):
        return [f"```{{raw}} html\n{value._repr_html_()}\n```"]
    return [f"```text\n{value!r}\n```"]


def setup(app):
    app.add_directive("notebook", Notebook)
    return {"parallel_read_safe": True}
