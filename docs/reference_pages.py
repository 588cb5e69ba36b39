"""Sphinx directives of docs/reference: what a module has, at a glance, and the modules there are."""

import ast
import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import metric_pages
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import omniou

PAGES = Path(__file__).parent / "reference"


def first_line(doc):
    """The summary of a docstring."""
    return " ".join((doc or "").strip().split("\n\n")[0].split())


def summary_of_module(name):
    """The summary of a module that need not be imported, as its framework may be missing."""
    return first_line(ast.get_docstring(ast.parse(Path(importlib.util.find_spec(name).origin).read_text("utf-8"))))


class _Table(SphinxDirective):
    def parsed(self, lines):
        node = nodes.container(classes=["metric", "names"])
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return [node]


class Names(_Table):
    """Functions and classes of a module, in the order of `__all__`: summary, and the page of the metric."""

    required_arguments = 1

    def run(self):
        module = importlib.import_module(self.arguments[0])
        pages, rows = metric_pages.page_of(), []
        functions = {path: pages[name] for name, metric in metric_pages.OTHERS.items() for path in metric.functions}
        # Scores, and their losses; masks have scores of the same names that are others.
        scored = omniou.scores if hasattr(module, "GEOMETRY") or re.search("gaussian|losses", module.__name__) else ()
        scored = () if module.__name__ == "omniou.losses.masks" else scored
        for name in module.__all__:
            x = getattr(module, name)
            if inspect.ismodule(x) or not (inspect.isroutine(x) or inspect.isclass(x)):
                continue
            page = functions.get(f"{module.__name__}.{name}", pages.get(name) if name in scored else None)
            more = f" [More](../metrics/{page}.md)" if page else ""
            text = first_line(x.__doc__).replace("|", "\\|")
            rows.append(f"| {{py:obj}}`{name} <{module.__name__}.{name}>` | {text}{more} |")
        return self.parsed(["| name | what it is |", "|---|---|", *rows])


class Modules(_Table):
    """The pages of the reference, in the order of the toctree of their index, each with the summary of its module."""

    def run(self):
        tree = re.search(r"```\{toctree\}(.*?)```", (PAGES / "index.md").read_text("utf-8"), re.DOTALL)
        rows = []
        for page in (line for line in tree[1].split("\n") if re.fullmatch(r"\w+", line)):
            found = re.search(r"automodule:: ([\w.]+)", (PAGES / f"{page}.md").read_text("utf-8"))
            rows.append(f"| [](./{page}.md) | {summary_of_module(found[1]) if found else ''} |")
        return self.parsed(["| page | what it has |", "|---|---|", *rows])


def setup(app):
    app.add_directive("names", Names)
    app.add_directive("modules", Modules)
    return {"parallel_read_safe": True}
