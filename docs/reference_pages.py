"""Sphinx directive of docs/reference: the names of a module in groups, and a page for each of them.

`write` makes the pages before Sphinx reads its sources, in `reference/generated`: `omniou.boxes.iou.rst` and so on. The
page of a module has an anchor for each name: links to `boxes.html#omniou.boxes.iou` lead to its row.
"""

import importlib
import inspect
import re
from pathlib import Path
from types import MappingProxyType

import metric_pages
import supported_pages
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import omniou
from omniou import gaussian
from omniou._catalogue.pixel_score import pixel_scores

HERE = Path(__file__).parent / "reference"
GENERATED = HERE / "generated"
# The directive with its argument and options, where `write` looks for it.
DIRECTIVE = re.compile(r"^```\{api\} (\S+)\n((?::.*\n)*)```$", re.MULTILINE)
# The headings of a module's page, in their order.
SCORES, SOFT, GAUSSIAN = "Scores", "Soft scores, of probabilities", "Scores of shapes as Gaussians"
LOSSES, GAUSSIAN_LOSSES, PAIRS = "Losses", "Losses of shapes as Gaussians", "All pairs"
FUNCTIONS, CLASSES, CONSTANTS, ERRORS = "Functions", "Classes", "Constants", "Errors and warnings"
GROUPS = (SCORES, SOFT, GAUSSIAN, LOSSES, GAUSSIAN_LOSSES, PAIRS, FUNCTIONS, CLASSES, CONSTANTS, ERRORS)
PAGE = "{title}\n{line}\n\n.. auto{kind}:: {path}\n"


def first_line(doc):
    """The summary of a docstring."""
    return " ".join((doc or "").strip().split("\n\n")[0].split())


def names_of(module, members=""):
    """Functions, classes and documented constants of a module in the order of `__all__`, or those that are listed."""
    listed = re.split(r",\s*", members) if members else module.__all__
    found = {name: getattr(module, name) for name in listed}
    about = constants(module.__name__)
    return {name: x for name, x in found.items() if inspect.isroutine(x) or inspect.isclass(x) or name in about}


def constants(path):
    """Constants of a module with the text that follows them."""
    found = ModuleAnalyzer.for_module(path).find_attr_docs()
    return {name: " ".join(text) for (owner, name), text in found.items() if not owner}


def file_of(module, name):
    """The page of a name; `Record` and `record` would be one file on some disks."""
    twice = sum(x.lower() == name.lower() for x in module.__all__) > 1 and inspect.isclass(getattr(module, name))
    return f"{module.__name__}.{name}" + ("-class" if twice else "")


def write():
    """Write a page for each name, and remove the pages of names that are gone."""
    made = {}
    for page in sorted(HERE.glob("*.md")):
        for path, options in DIRECTIVE.findall(page.read_text("utf-8")):
            module = importlib.import_module(path)
            given = dict(re.findall(r"^:([\w-]+): *(.*)$", options, re.MULTILINE))
            for name, x in names_of(module, given.get("members", "")).items():
                made[file_of(module, name)] = _page(f"{path}.{name}", x, given.get("inherited-members", ""))
    GENERATED.mkdir(exist_ok=True)
    for old in GENERATED.glob("*.rst"):
        if old.stem not in made:
            old.unlink()
    for name, text in made.items():
        file = GENERATED / f"{name}.rst"
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")


def _page(path, x, inherited):
    title = path.replace("_", "\\_")
    kind = "function" if inspect.isroutine(x) else "data"
    if inspect.isclass(x):
        kind = "exception" if _is_error(x) else "class"
    text = PAGE.format(title=title, line="=" * len(title), kind=kind, path=path)
    if not inspect.isclass(x):
        return text + supported_pages.row_of(path, x)
    return text + "   :members:\n" + (f"   :inherited-members: {inherited}\n" if inherited else "")


def _is_error(x):
    return inspect.isclass(x) and issubclass(x, BaseException)


def _scores(module):
    """Names of the catalogue that a module has functions or losses of."""
    if hasattr(module, "GEOMETRY") or re.search("gaussian|losses", module.__name__):
        return set(omniou.scores) if not module.__name__.endswith("losses.masks") else set()
    return set()


def group_of(module, name, x):
    """The heading that a name stands under."""
    if inspect.isclass(x):
        return ERRORS if _is_error(x) else CLASSES
    if not inspect.isroutine(x):
        return CONSTANTS
    if name.startswith("pairwise"):
        return PAIRS
    of_pixels = {y for score in pixel_scores.values() for y in (score.name, score.loss_name)}
    of_masks = re.search("masks|rle|segmentation", module.__name__) and name.removeprefix("soft_") in of_pixels
    losses = ".losses" in module.__name__
    if name in _scores(module) and name in gaussian.__all__ and module is not gaussian:
        return GAUSSIAN_LOSSES if losses else GAUSSIAN
    if name in _scores(module) or of_masks:
        return LOSSES if losses else SOFT if name.startswith("soft_") else SCORES
    return FUNCTIONS


class Names(SphinxDirective):
    """The docstring of a module, and its functions and classes in groups: summary, and the page of the metric."""

    required_arguments = 1
    option_spec = MappingProxyType({"members": directives.unchanged, "inherited-members": directives.unchanged})

    def run(self):
        path = self.arguments[0]
        module, pages = importlib.import_module(path), metric_pages.page_of()
        functions = {x: pages[name] for name, metric in metric_pages.OTHERS.items() for x in metric.functions}
        groups, about = {name: [] for name in GROUPS}, constants(path)
        for name, x in names_of(module, self.options.get("members", "")).items():
            page = functions.get(f"{path}.{name}", pages.get(name) if name in _scores(module) else None)
            more = f" [More](../metrics/{page}.md)" if page else ""
            text = first_line(about.get(name, x.__doc__)).replace("|", "\\|")
            row = f"| {{py:obj}}`{name} <{path}.{name}>` | {text}{more} |"
            groups[group_of(module, name, x)].append((name, row))
        groups = {heading: rows for heading, rows in groups.items() if rows}
        made = [] if len(groups) < 2 else [nodes.rubric("", heading) for heading in groups]
        tables = [self._table(path, rows) for rows in groups.values()]
        blocks = [x for pair in zip(made, tables, strict=True) for x in pair] if made else tables
        entries = [f"{name} <generated/{file_of(module, name)}>" for rows in groups.values() for name, _ in rows]
        tree = ["```{toctree}", ":hidden:", "", *entries, "```"]
        return [*self._parsed(["```{eval-rst}", f".. automodule:: {path}", "```"]), *blocks, *self._parsed(tree)]

    def _parsed(self, lines):
        node = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.get_source_info()[0]), self.content_offset, node)
        return node.children

    def _table(self, path, rows):
        node = nodes.container(classes=["metric", "names"])
        lines = StringList(
            ["| name | what it is |", "|---|---|", *(x for _, x in rows)], source=self.get_source_info()[0]
        )
        self.state.nested_parse(lines, self.content_offset, node)
        body = next(iter(node.findall(nodes.tbody)))
        for (name, _), row in zip(rows, body.children, strict=True):
            row["names-of"] = f"{path}.{name}"
        return node


def keep_anchors(app, doctree, name):
    """Give each row the anchors of what its page describes: members of a class, too."""
    if not name.startswith("reference/"):
        return
    rows = [x for x in doctree.findall(nodes.row) if "names-of" in x]
    if not rows:
        return
    known = app.env.domains["py"].objects
    for row in rows:
        path = row["names-of"]
        ids = [x for x in known if x == path or x.startswith(f"{path}.")]
        row[0][0]["ids"] += ids  # of the paragraph in the first cell


def short_sidebar(app, name, _template, context, _doctree):
    """List the names of one module next to the page of each: the theme's tree would take a fifth of the build."""
    if name.startswith("reference/generated/"):
        includes = app.env.toctree_includes
        home = next(page for page in includes if name in includes[page])
        pages = [page for page in includes[home] if "/generated/" in page]
        module = pages[0].rpartition("/")[2].rpartition(".")[0]
        paths = {page: page.rpartition("/")[2].removesuffix("-class") for page in pages}
        context["home"] = home
        context["names"] = {x: path.removeprefix(f"{module}.").removeprefix("omniou.") for x, path in paths.items()}
        context["sidebars"] = ["names.html"]


def setup(app):
    app.connect("html-page-context", short_sidebar, priority=100)  # before the theme looks at the list
    app.add_directive("api", Names)
    app.connect("doctree-resolved", keep_anchors)
    app.connect("builder-inited", lambda _: write())
    return {"parallel_read_safe": True}
