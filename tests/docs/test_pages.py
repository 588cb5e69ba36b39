"""Pages keep their promises: blocks of code need nothing hidden, and generated pages are complete."""

import builtins
import doctest
import html
import json
import os
import re
import symtable
import sys
from pathlib import Path

import pytest

DOCS = Path("docs").resolve()
ROOT = Path(os.environ.get("OMNIOU_HTML", "docs/_build/html")).resolve()
PAGES = [Path("README.md").resolve(), *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)]
# Every block of these has its own imports: people copy single ones.
COPIED = {"README.md", "quickstart.md"}
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOTEBOOK = DOCS / "examples" / "first_hour.ipynb"
needs_pages = pytest.mark.skipif(not ROOT.is_dir(), reason=f"no built pages in {ROOT}: OMNIOU_HTML names them")


@pytest.fixture
def tools(monkeypatch):
    """The modules of docs can be imported."""
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def source(block):
    """The code of a block, without prompts and output."""
    if block.lstrip().startswith(">>>"):
        return "".join(example.source for example in doctest.DocTestParser().get_examples(block))
    return block


def names(code):
    """Global names that code reads without binding them, and those that it binds."""
    bound, read = set(), set()
    tables = [symtable.symtable(code, "block", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        at_top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if at_top and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            elif symbol.is_referenced() and (at_top or symbol.is_global()):
                read.add(symbol.get_name())
    return read - bound - set(dir(builtins)), bound


def test_names_of_a_block_are_those_that_it_does_not_bind():
    assert names("import a\nfrom b import c as d\nx = [y for y in d]\ndef f(z=u):\n    return z, a, g(len(x))") == (
        {"g", "u"},
        {"a", "d", "x", "f"},
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda x: x.stem)
def test_blocks_use_what_readers_see_above_them(page):
    """Sybil runs the blocks of a page in order, with hidden ones between them: those may bind nothing that is shown."""
    seen, lacking = set(), []
    for block in PYTHON.findall(page.read_text("utf-8")):
        read, bound = names(source(block))
        lacking += [(name, block.partition("\n")[0]) for name in read - seen]
        seen = set() if page.name in COPIED else seen | bound
    assert lacking == []


@pytest.mark.parametrize("page", PAGES, ids=lambda x: x.stem)
def test_pages_say_where_the_files_of_their_commands_are(page):
    text = page.read_text("utf-8")
    if re.search(r"(?<![/\w])(ground_truth|detections)\.json", "".join(CONSOLE.findall(text))):
        assert "coco-val2014-100" in text


@pytest.mark.usefixtures("tools")
def test_notebook_runs_and_is_stored_without_output():
    import matplotlib as mpl
    import notebook_pages

    mpl.use("agg")
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
    done = notebook_pages.run(NOTEBOOK)
    printed = "".join(text for _, _, text, _ in done)
    assert "100 images, 80 classes, 734 detections" in printed
    assert r"\begin{tabular}" in printed
    assert [round(value, 3) for _, _, _, value in done if isinstance(value, float)] == [0.697]  # AP50
    assert sum(hasattr(value, "figure") for *_, value in done) == 3


@needs_pages
def test_cheat_sheet_is_one_page_of_paper():
    pdf = (ROOT / "omniou-cheat-sheet.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert re.search(rb"/MediaBox \[ 0 0 841\.\d+ 595\.\d+ \]", pdf)  # A4


@pytest.mark.usefixtures("tools")
def test_cheat_sheet_that_is_too_long_is_refused(tmp_path, monkeypatch):
    import cheat_sheet

    monkeypatch.setattr(cheat_sheet, "parts", lambda: [("code", "x = 1\n" * 300)])
    with pytest.raises(ValueError, match=r"does not fit one page: 301 lines"):
        cheat_sheet.pdf(tmp_path / "sheet.pdf")
    assert not (tmp_path / "sheet.pdf").exists()


@needs_pages
def test_gallery_has_each_kind_of_plot():
    from omniou.report._charts.analysis_pictures import PICTURES
    from omniou.report._charts.overlaid import OVERLAID
    from omniou.report._charts.plots import CHARTS

    text = html.unescape(re.sub(r"<[^>]*>", "", (ROOT / "gallery.html").read_text("utf-8")))
    assert [kind for kind in CHARTS if f'.plot("{kind}"' not in text] == []
    assert [kind for kind in OVERLAID if f'report.plot({{"A": result, "B": other}}, "{kind}")' not in text] == []
    kinds = {picture.kind for picture in PICTURES.values()} - {*CHARTS}
    assert [kind for kind in kinds if f".{kind}().plot()" not in text] == []


@needs_pages
def test_reference_pages_keep_the_anchors_of_what_has_a_page_now():
    pages = list((ROOT / "reference" / "generated").glob("*.html"))
    assert len(pages) > 400
    old = (ROOT / "reference" / "detection.html").read_text("utf-8")
    for name in ("evaluate", "Result", "Result.summary", "Sketch", "sketch"):
        assert f'id="omniou.detection.{name}"' in old
    assert (ROOT / "reference" / "generated" / "omniou.detection.Sketch-class.html").exists()


@pytest.mark.usefixtures("tools")
def test_each_word_of_the_search_has_one_page_that_exists():
    import search_pages

    keys = [search_pages.key(query) for queries in search_pages.ANSWERS.values() for query in queries.split(",")]
    assert sorted(keys) == sorted(search_pages.answers())
    assert [page for page in search_pages.ANSWERS if not (DOCS / f"{page}.md").exists()] == []
    assert search_pages.key("P-values of Boxes") == "p value of box"


@pytest.mark.usefixtures("tools")
def test_speed_chart_has_the_numbers_of_the_benchmarks():
    import speed_chart

    old = [path.name for path, text in speed_chart.pictures().items() if path.read_text("utf-8") != text]
    assert old == [], "run: python docs/speed_chart.py"


@pytest.mark.usefixtures("tools")
def test_speed_chart_shows_where_omniou_is_slower():
    import speed_chart

    found = {
        "processor": "P",
        "cpus": 2,
        "date": "D",
        "speed": [{"title": title, "seconds": {"omniou": 2.0, "omniou, numba": 1.0, "other": 0.5}}
                  for task in speed_chart.TASKS for title in task.titles],
        "exactness": [{"title": "HOTA, MOTA and IDF1", "reference": "R", "differences": {"omniou": 1e-16, "other": 0}}],
    }  # fmt: skip
    assert speed_chart.bars(found, speed_chart.TASKS[0]) == {"other": 0.25}
    text = speed_chart.svg(found, 1, speed_chart.COLOURS["dark"])
    assert text.count(">0.25x<") == text.count('class="slower"') == len(speed_chart.TASKS)
    assert 'class="faster"' not in text
    assert text.count("within 1e-16 of R") == 1
