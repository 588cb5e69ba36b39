"""Sphinx: MyST pages, numpydoc docstrings, nothing loaded from a network."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figures
import search_pages

project = "omniou"
author = "The omniou authors"
copyright = "2026, the omniou authors"  # noqa: A001  (Sphinx asks for this name)
version = release = metadata.version("omniou")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
# Directives of this documentation.
extensions += ["metric_pages", "benchmark_pages", "reference_pages", "convention_pages", "supported_pages"]
extensions += ["gallery_pages", "notebook_pages", "cheat_sheet", "llms_pages", "search_pages"]
# The example brings data and its own attribution, which are no pages.
exclude_patterns = ["_build", "_figures", "examples"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # the docstrings say shapes and meaning, which types cannot
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = f"omniou {release}"
html_copy_source = False
html_show_sourcelink = False
# The header has the sections, which are the entries of index.md; the sidebar has the pages of a section.
html_sidebars = {"index": [], "search": [], "genindex": [], "py-modindex": [], "**": ["sidebar-nav-bs"]}
html_theme_options = {
    "show_toc_level": 2,
    "collapse_navigation": True,  # the names of one module of the reference, not of all
    "show_prev_next": False,
    "navbar_align": "left",
    "article_header_start": [],
    "header_links_before_dropdown": 7,
}
templates_path = ["_templates"]
html_css_files = ["omniou.css"]
html_search_scorer = str(search_pages.scorer())

# One file of MathJax, from the package that carries it.
mathjax_path = "tex-svg.js"
_mathjax = metadata.distribution("sphinx-mathjax-offline").locate_file("sphinx-mathjax-offline/static/mathjax")
html_static_path = ["_static", f"{_mathjax}/{mathjax_path}"]
# The report of the example is a page of its own.
figures.PAGES.mkdir(parents=True, exist_ok=True)
html_extra_path = [figures.PAGES.relative_to(figures.HERE).as_posix()]


def setup(app):
    app.connect("builder-inited", lambda _: figures.make())
