"""Plain English in what people read: pages, docstrings, and the texts of the command (`nox -s docs`).

Each word of the table has something that is easier to read. A match that is right goes into quotes or code.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import ROOT

# Words in pages, docstrings and texts, and what to write instead.
WORDS = {
    r"in (?:the|its|their) place of": "instead of",
    r"but for": "except, except for",
    r"beside": "next to, in addition to",
    r"whatever": "any, regardless of",
    r"mend(?:s|ed|ing)?": "fix",
    r"plays? no part": "has no effect",
    r"points of recall": "recall thresholds",
    r"false alarms?": "false positives",
    r"(?:low|high) corners?": "top-left, bottom-right; minimum, maximum corner",
    r"whole or not at all": "atomically",
    r"as of(?= `)": "as in",
    r"what (?:more )?is to be \w+": "a noun, such as checks or rules",
    r"(?:is|are) to be (?:said|told|read|looked)": "must be, or an active verb",
    r"(?<!here\s)(?:is|are) no (?!longer|more|less|data|such)\w+": "is not a, are not, invalid",
}
# Words in pages and in texts of the command. Docstrings of the inner functions may have them.
OF_PAGES = {
    r"alone": "only",
    r"those of(?= \w)": "repeat the noun",
    r"that of(?= \w)": "repeat the noun",
    r"left out": "excluded, ignored, dropped, skipped",
    r"hardly": "almost not, nearly, or a number",
    r"come of|comes of": "result from",
    r"(?<=,) so that": "a new sentence, or: so",
    r"(?:is|are) told": "an active verb",
    r"the kinds of errors|kind of error": "error types, error type",
}
CODE = re.compile(r"^```.*?^```|^<!---.*?-->|`[^`]*`", re.DOTALL | re.MULTILINE)
EXAMPLES = re.compile(r"^ *>>>.*?(?=^ *$|\Z)|``.*?``|`[^`]*`", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"[\"“][^\"”\n]*[\"”]")
# The changelog tells of names that are gone.
PAGES = [x for x in (ROOT / "docs").rglob("*.md") if x.name != "changelog.md" and "_build" not in x.parts]
TEXTS = {"cli", "data", "detection", "_catalogue"}


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with empty lines and a placeholder instead of what matches, so that places stay."""
    return pattern.sub(lambda x: "x" + "\n" * x[0].count("\n"), text)


def pages() -> Iterator[tuple[Path, int, str]]:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(PAGES)]:
        yield path, 1, blanked(CODE, path.read_text("utf-8"))


@functools.cache
def sources() -> list[tuple[Path, list[ast.AST]]]:
    files = [path for folder in ("src", "integrations") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(path, list(ast.walk(ast.parse(path.read_bytes())))) for path in files]


def docstrings() -> Iterator[tuple[Path, int, str]]:
    """Those of modules, classes and functions, without their examples."""
    for path, nodes in sources():
        for node in nodes:
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
                text = ast.get_docstring(node, clean=False) or ""
                yield path, node.body[0].lineno, blanked(EXAMPLES, text)


def texts() -> Iterator[tuple[Path, int, str]]:
    """Messages, help and descriptions of options: strings of some words that are no docstrings."""
    for path, nodes in sources():
        if not path.is_relative_to(ROOT / "src/omniou") or path.relative_to(ROOT / "src/omniou").parts[0] not in TEXTS:
            continue
        said = {id(x.value) for x in nodes if isinstance(x, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                yield path, node.lineno, blanked(EXAMPLES, node.value)


def found(passages: Iterator[tuple[Path, int, str]], words: dict[str, str]) -> list[str]:
    """Each place with the word and what to write."""
    spread = "|".join(f"({x})" for x in words).replace(" ", r"\s+")  # over two lines, too
    any_word = re.compile(rf"(?<![\w-])(?:{spread})\b", re.IGNORECASE)
    instead = list(words.values())
    out = []
    for path, line, text in passages:
        for match in any_word.finditer(blanked(QUOTED, text)):
            place = line + text.count("\n", 0, match.start())
            out.append(
                f"{path.relative_to(ROOT)}:{place}: {match[0].strip()!r}; write: {instead[(match.lastindex or 1) - 1]}"
            )
    return out


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("A label that is no class.", "is no class"),
        ("It has 101 points of\n    recall.", "points of\n    recall"),
        ("The mean alone, of those of all classes.", "alone"),
        ("It is fast, so that nobody waits.", "so that"),
    ],
)
def test_found_names_each_word_of_the_table(sentence, word):
    (first, *_) = found(iter([(ROOT / "x.md", 7, sentence)]), WORDS | OF_PAGES)
    assert first.startswith(f"x.md:7: {word!r}; write: ")


@pytest.mark.parametrize(
    "sentence", ["There is no class.", 'A column "beside".', "Sort them so that they rise.", "Only it."]
)
def test_found_passes_what_is_right(sentence):
    assert found(iter([(ROOT / "x.md", 7, sentence)]), WORDS | OF_PAGES) == []


def test_words_of_pages():
    assert found(pages(), WORDS | OF_PAGES) == []


def test_words_of_texts():
    assert found(texts(), WORDS | OF_PAGES) == []


def test_words_of_docstrings():
    assert found(docstrings(), WORDS) == []


# Pages of the release itself, and the one that says that this line finds nothing yet.
ABOUT_INDEX = {"install.md", "releasing.md", "changelog.md"}


def test_install_lines_do_not_ask_an_index_for_omniou():
    files = [
        *ROOT.glob("*.md"),
        *(x for folder in ("docs", "src", "integrations") for x in (ROOT / folder).rglob("*.*")),
    ]
    texts = [
        x for x in files if x.suffix in {".md", ".py", ".j2", ".js", ".ipynb", ".yml"} and x.name not in ABOUT_INDEX
    ]
    asked = re.compile(r"\bpip3? install [^\n`&]*?(?<![./\w-])omniou(?![/\w])")
    assert len(texts) > 300
    found = [x for x in texts if "_build" not in x.parts and asked.search(re.sub(" #.*", "", x.read_text("utf-8")))]
    assert found == []
