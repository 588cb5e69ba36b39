"""`omniou explore`: where the page goes, and what stops it."""

from pathlib import Path

import pytest

pytest.importorskip("click.testing", reason="the extra cli is not installed")

from omniou.cli import _explore as explore
from omniou.report import explorer
from tests.cli.cases import run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explore.webbrowser, "open", lambda _: pytest.fail("a browser was opened"))
    return tmp_path


def test_explore_writes_page_and_says_where():
    done = run("explore")
    assert done.exit_code == 0
    assert done.stdout == "explorer.html: open it in a browser\n"
    assert Path("explorer.html").read_text("utf-8") == explorer.html()


def test_explore_to_a_named_file_replaces_it():
    Path("page.html").write_text("old", "utf-8")
    assert run("explore", "-o", "page.html").exit_code == 0
    assert Path("page.html").read_text("utf-8").startswith("<!doctype html>")
    assert [path.name for path in Path().iterdir()] == ["page.html"]


def test_explore_to_standard_output():
    done = run("explore", "--output", "-")
    assert done.exit_code == 0
    assert done.stdout == explorer.html()
    assert list(Path().iterdir()) == []


def test_explore_opens_browser(folder, monkeypatch):
    opened = []
    monkeypatch.setattr(explore.webbrowser, "open", lambda url: opened.append(url) or True)
    assert run("explore", "--open").exit_code == 0
    assert opened == [(folder / "explorer.html").as_uri()]


def test_explore_without_a_browser_says_so(monkeypatch):
    monkeypatch.setattr(explore.webbrowser, "open", lambda _: False)
    done = run("explore", "--open")
    assert done.exit_code == 3
    assert "omniou cannot start a browser: open explorer.html yourself" in done.stderr
    assert Path("explorer.html").exists()


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["-o", "no/such/page.html"], 3, "--output no/such/page.html: no/such is not a directory that can be"),
        (["-o", "."], 3, "--output .: is a directory"),
        (["-o", "-", "--open"], 2, "--open opens a file"),
        (["page.html"], 2, "unexpected extra argument"),
        (["--format", "html"], 2, "No such option"),
    ],
)
def test_explore_of_bad_arguments_writes_nothing(args, code, words):
    done = run("explore", *args)
    assert (done.exit_code, done.stdout) == (code, "")
    assert words in done.stderr
    assert list(Path().iterdir()) == []
