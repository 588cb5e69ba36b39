"""Names from files cannot move a cursor, turn the direction of writing, or end a line of a table."""

import csv
import io

import pytest

from omniou import detection, report
from omniou._lib.visible import visible

pytest.importorskip("msgspec", reason="the extra cli is not installed")

from omniou.report._record.sections import Shown
from omniou.report._text.render import RENDERERS, csv_of

HIDDEN = ["\x00", "\x1b", "\x7f", "\x9b", "\u061c", "\u200b", "\u200e", "\u202e", "\u2028", "\u2066", "\ufeff"]
TRUTH = [{"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [1, 2]}] * 2
FOUND = [{"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.5]}] * 2


@pytest.mark.parametrize("letter", [*HIDDEN, "\udce9", "\U000e0041"], ids=ascii)
def test_visible_of_a_character_that_hides(letter):
    assert visible(f"a{letter}b") == "a\ufffdb"


@pytest.mark.parametrize(
    "text",
    ["traffic light", "Ampel für Züge", "\u0645\u06cc\u200c\u062e\u0648", "👩\u200d🚒", "信号", "e\u0301"],
    ids=ascii,
)
def test_visible_of_other_text_is_the_same(text):
    assert visible(text) == text


@pytest.mark.parametrize("style", ["table", "csv", "md", "junit"])
def test_outputs_show_no_character_that_hides(style):
    name = f"a{''.join(HIDDEN)}|\nb"
    record = report.record(
        detection.evaluate(TRUTH, FOUND), names={1: name, 2: "=1+1"}, analyses=["thresholds", "confusion"]
    )
    record.gates.append(report.Gate(condition=f"{name}.AP >= 1", value=0.5, passed=False))

    text = RENDERERS[style](record, Shown(per_class=True, analyses=record.analyses))

    assert not set(HIDDEN) & set(text)
    assert "a\ufffd" in text or "a&#" in text


def test_page_shows_no_character_that_hides():
    record = report.record(detection.evaluate(TRUTH, FOUND), names={1: f"a{''.join(HIDDEN)}b"}, analyses=["confusion"])

    page = report.html(record)

    assert not set(HIDDEN) & set(page)
    assert f"a{len(HIDDEN) * chr(0xFFFD)}b" in page


@pytest.mark.parametrize("name", ["=1", "+1", "-1", "@a", "\t=1", " =1", "\r=1", "\uff1d1", "\n=1"])
def test_csv_runs_no_formula(name):
    (_, row) = csv.reader(io.StringIO(csv_of(report.Table("", ["name"], [[name]]))))

    assert row[0].startswith("'")
    assert row[0].isprintable()
