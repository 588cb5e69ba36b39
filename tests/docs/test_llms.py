"""llms.txt and llms-full.txt: conventions first, snippets that run, links that lead somewhere."""

import doctest
import os
import re
import sys
from pathlib import Path

import pytest

DOCS = Path("docs").resolve()
ROOT = Path(os.environ.get("OMNIOU_HTML", "docs/_build/html")).resolve()
BLOCK = re.compile(r"^```(?:python|console)\n.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    import llms_pages

    return llms_pages


def test_conventions_come_first(pages):
    text = "\n".join(pages.short())
    headings = re.findall(r"^##+ (.*)$", text, re.MULTILINE)
    assert headings[:2] == ["Conventions", "Box formats"]
    for word in ("xyxy", "cxcywh", "height and width", "radians", "clockwise", "negative label", "0 to 79"):
        assert word in text.partition("## Quickstart")[0]
    assert re.findall(r"https?://[^ )]*omniou", text) == []  # it has no public address


def test_snippets_of_llms_run_by_themselves(pages):
    text = "\n".join(pages.short())
    names, out = {}, []
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 8
    assert {language for language, _ in blocks} == {"python"}
    for _, block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "llms.txt", None, 0)
        test.globs = names
        assert test.examples
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
            test, out=out.append, clear_globs=False
        )
    assert out == []


def test_snippets_of_llms_full_are_those_of_pages(pages):
    """The session runs all blocks of pages and docstrings, and the tests of examples run their files."""
    text = "\n".join(pages.full())
    run = "".join(path.read_text("utf-8") for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.py")])
    blocks = BLOCK.findall(text)
    assert len(blocks) > 200
    assert [x for x in blocks if x not in run and x.removeprefix("```python\n").removesuffix("```") not in run] == []
    assert "```{" not in text


@pytest.mark.skipif(not ROOT.is_dir(), reason=f"no built pages in {ROOT}: OMNIOU_HTML names them")
def test_links_of_llms_lead_to_pages(pages):
    assert (ROOT / "llms.txt").read_text("utf-8") == "\n".join(pages.short())
    links = {path for name in ("llms.txt", "llms-full.txt") for path in LINK.findall((ROOT / name).read_text("utf-8"))}
    links = {path for path in links if path.endswith(".html")}
    assert len(links) > 80
    assert [path for path in links if not (ROOT / path).exists()] == []
