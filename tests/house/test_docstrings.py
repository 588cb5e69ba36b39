"""Docstrings: `help` explains every option itself."""

import importlib
import inspect
import re

import pytest

from omniou._lib import docs
from tests.house.imports import modules
from tests.house.public_names import NEEDED, PUBLIC

CORE = [name for name in PUBLIC if name not in NEEDED and name != "omniou_integrations"]


def counted(a, b, *, mode="x", width=None):
    """Count.

    Parameters
    ----------
    a, b : array, shape (...)
        Two
        of them.
    mode : {"x", "y"}
        How.
    width : int, optional
        How wide.

    Returns
    -------
    int
    """


def test_described_writes_texts_in_place_of_their_names():
    @docs.described(docs.texts(mode='"x" or "y".'))
    def chosen(mode):
        """Do.

        Parameters
        ----------
        mode : {"x", "y"}
        """

    assert inspect.getdoc(chosen) == 'Do.\n\nParameters\n----------\nmode : {"x", "y"}\n    "x" or "y".'


def test_described_takes_the_named_parameters_of_the_source():
    @docs.described(counted)
    def other(b, width):
        """Do.

        Parameters
        ----------
        b, width
        more : float
            As of `something`.

        Raises
        ------
        ValueError
            As of `counted`.
        """

    assert inspect.getdoc(other) == (
        "Do.\n\nParameters\n----------\n"
        "b : array, shape (...)\n    Two\n    of them.\nwidth : int, optional\n    How wide.\n"
        "more : float\n    As of `something`.\n\n"
        "Raises\n------\nValueError\n    As of `counted`."
    )


def test_described_without_a_source_for_a_parameter_raises():
    def other(depth):
        """Do.

        Parameters
        ----------
        depth
        """

    with pytest.raises(LookupError, match="no source describes depth"):
        docs.described(counted)(other)


def public(module):
    """What a public module has: names and objects, methods among them."""
    for name in module.__all__:
        x = getattr(module, name)
        if inspect.isclass(x):
            own = {k: v for k, v in vars(x).items() if not k.startswith("_") and inspect.isfunction(v)}
            yield name, x
            yield from ((f"{name}.{k}", v) for k, v in own.items())
        elif inspect.isroutine(x):
            yield name, x


@pytest.fixture(params=CORE)
def module(request):
    if request.param.startswith(("omniou.data", "omniou.cli", "omniou.report")):
        pytest.importorskip("msgspec", reason="the extra cli is not installed")
    if request.param.startswith("omniou.report"):
        pytest.importorskip("jinja2", reason="the extra cli is not installed")
    return importlib.import_module(request.param)


def test_docstrings_refer_to_no_other_place_for_an_option(module):
    found = [("", inspect.getdoc(module) or ""), *((name, inspect.getdoc(x) or "") for name, x in public(module))]
    assert [name for name, doc in found if "the top of" in doc] == []
    assert [name for name, doc in found if re.search(r"Parameters\b.* are those of", doc)] == []
    assert [
        f"{name}: {', '.join(entry.names)}"
        for name, doc in found
        for entry in docs.parameters(doc)
        if re.match(r"(As|See) (of|for|at|the) |See `|\{|\*\*options$", entry.text.strip() or entry.names[0])
    ] == []


def test_docstrings_of_functions_describe_every_parameter(module):
    missing = []
    for name, x in public(module):
        doc = inspect.getdoc(x) or ""
        if inspect.isclass(x) or "Parameters\n-" not in doc:
            continue
        described = {found.lstrip("*") for entry in docs.parameters(doc) for found in entry.names}
        missing += [f"{name}: {x}" for x in inspect.signature(x).parameters if x not in {*described, "self", "cls"}]
    assert missing == []


def test_sources_of_adapters_refer_to_no_other_place():
    adapters = [module for module in modules() if module.name.startswith("omniou_integrations")]
    assert [x.name for x in adapters if "the top of `" in x.path.read_text("utf-8")] == []
