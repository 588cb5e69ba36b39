"""The map, docs/architecture.md, and CONTRIBUTING.md: the drawing is up to date, and every file and name exists."""

import re
from pathlib import Path

import pytest

from tests.house import floors
from tests.house.imports import ROOT, modules

PAGES = ["docs/architecture.md", "CONTRIBUTING.md"]
ROOTS = [ROOT, *(ROOT / x for x in ("src/omniou", "integrations/omniou_integrations", "tests", "docs"))]
# A path in backticks: it has a slash or ends as a file does. `<name>` stands for any word.
PATH = re.compile(r"`((?:[\w.<>*-]+/)*[\w.<>*-]+(?:\.py|\.md|\.toml|\.j2|/)|(?:[\w.<>*-]+/)+[\w.<>*-]+)`")


def paths(text: str) -> list[str]:
    return [x for x in PATH.findall(text) if not x.startswith(("/", "http"))]


def files(path: str) -> list[Path]:
    """What a path names below one of the roots; a name without a folder, anywhere below them."""
    pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
    found = [x for root in ROOTS for x in root.glob(pattern)]
    return found or [x for root in ROOTS[1:] if "/" not in pattern for x in root.rglob(pattern)]


def missing_names(text: str) -> list[str]:
    """Rows of a table with three columns whose names are in none of their files."""
    missing = []
    for row in re.findall(r"^\| .* \| (`.*`) \| (.*) \|$", text, re.MULTILINE):
        listed, names = (re.findall(r"`([^`]*)`", x) for x in row)
        content = "\n".join(found.read_text("utf-8") for x in listed for found in files(x))
        missing += [f"{listed}: {name}" for name in names if not re.search(rf"\b{re.escape(name)}\b", content)]
    return missing


def test_drawing_is_up_to_date():
    page = floors.PAGE.read_text("utf-8")
    assert page == floors.written(page), "run `python -m tests.house.floors`"


def test_floors_follow_from_imports():
    imports = {"d": {"b", "a"}, "c": {"a"}, "b": {"a"}, "a": set()}
    assert floors.floors(imports) == [["a"], ["b", "c"], ["d"]]
    with pytest.raises(ValueError, match=r"these import each other: \['b', 'd'\]"):
        floors.floors(imports | {"b": {"d"}})


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page):
    found = paths((ROOT / page).read_text("utf-8"))
    assert len(found) > 30
    assert [x for x in found if not files(x)] == []


def test_every_name_of_the_map_stands_in_its_file():
    text = (ROOT / PAGES[0]).read_text("utf-8")
    assert text.count("\n| ") > 40
    assert missing_names(text) == []


def test_every_name_of_contributing_stands_in_the_source():
    """Classes and constants, by the capital that they start with."""
    names = set(re.findall(r"`_?([A-Z]\w+)[^`]*`", (ROOT / PAGES[1]).read_text("utf-8")))
    assert len(names) > 20
    sources = [*(x.path for x in modules()), *ROOT.glob("tests/*/test_*.py"), *ROOT.glob("*.py")]
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text("utf-8"))}
    assert {x for x in names if not {x, f"_{x}"} & words} == set()


def test_wrong_paths_and_names_are_found():
    text = "`_lib/no.py`, `no.py`, `data/none`, `_kernels/boxes.py`, `near.py`, `tests/<area>/test_boxes.py`, `x / y`"
    assert [x for x in paths(text) if not files(x)] == ["_lib/no.py", "no.py", "data/none"]
    row = "| a | `_kernels/boxes.py`, `_lib/near.py` | `BoxTerms`, `nearest`, `nowhere` |\n"
    assert missing_names(row) == ["['_kernels/boxes.py', '_lib/near.py']: nowhere"]
