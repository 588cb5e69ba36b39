"""A deprecated name warns at the user's line."""

import importlib
import inspect
import warnings

import pytest

import omniou
from omniou._lib import deprecation

SOURCE = """
from omniou._lib import deprecation

def measure(a, old=None, new=None):
    if old is not None:
        deprecation.warn("`old` of `measure`", instead="`new`", since="0.2", until="0.4")
    return a

def length(a):
    deprecation.warn("`length`", instead="`measure`", since="0.2", until="0.4")
    return a

def all_lengths(*arrays):
    return [length(a) for a in arrays]
"""


@pytest.fixture
def made():
    """A module of omniou with deprecated names."""
    names = {"__name__": "omniou.made"}
    exec(SOURCE, names)  # noqa: S102
    return names


def here():
    return inspect.stack()[1].lineno


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda made: (made["length"](1), here()),
            "`length` is deprecated since 0.2 and will be removed in 0.4: use `measure`",
        ),
        (
            lambda made: (made["all_lengths"](1), here()),
            "`length` is deprecated since 0.2 and will be removed in 0.4: use `measure`",
        ),
        (
            lambda made: (made["measure"](1, old=2), here()),
            "`old` of `measure` is deprecated since 0.2 and will be removed in 0.4: use `new`",
        ),
    ],
)
def test_warning_names_both_and_points_to_the_line_of_the_user(made, call, text):
    with pytest.warns(DeprecationWarning, match="is deprecated since 0.2") as caught:
        _, line = call(made)
    assert [(str(x.message), x.filename, x.lineno) for x in caught] == [(text, __file__, line)]


def test_argument_that_is_not_passed_does_not_warn(made):
    assert made["measure"](1, new=2) == 1


def test_deprecated_module_warns_at_its_import(tmp_path, monkeypatch):
    body = 'from omniou._lib import deprecation\ndeprecation.warn("`omniou.was`", instead="`omniou.boxes`", '
    (tmp_path / "was.py").write_text(body + 'since="0.2", until="0.4")\n', "utf-8")
    monkeypatch.setattr(omniou, "__path__", [*omniou.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    with pytest.warns(DeprecationWarning, match=r"^`omniou\.was` is deprecated") as caught:
        import omniou.was as _  # type: ignore[import-not-found]  # noqa: F401
    assert [(x.filename, x.lineno) for x in caught] == [(__file__, here() - 1)]


def test_default_filter_shows_each_name_once_for_each_line(made):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            made["length"](1), made["measure"](1, old=2)
    assert [str(x.message).partition(" is ")[0] for x in caught] == ["`length`", "`old` of `measure`"]


def test_program_outside_any_function_is_found():
    names = {"__name__": "omniou", "deprecation": deprecation}
    with pytest.warns(DeprecationWarning, match="^a is deprecated") as caught:
        exec("deprecation.warn('a', instead='b', since='1', until='2')", names)  # noqa: S102
    assert caught[0].filename == __file__
