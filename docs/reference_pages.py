"""Sphinx directive of docs/reference: what a module has, at a glance."""

import importlib
import inspect
import re

import metric_pages
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import omniou


def first_line(doc):
    """The summary of a docstring."""
    return " ".join((doc or "").strip().split("\n\n")[0].split())


class Names(SphinxDirective):
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
        node = nodes.container(classes=["metric", "names"])
        lines = StringList(["| name | what it is |", "|---|---|", *rows], source=self.get_source_info()[0])
        self.state.nested_parse(lines, self.content_offset, node)
        return [node]


def setup(app):
    app.add_directive("names", Names)
    return {"parallel_read_safe": True}
