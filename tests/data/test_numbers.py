"""Numbers in the text of files: one reader of them, for any number of digits."""

import json
import re
from pathlib import Path

import pytest

import omniou.data
from omniou.data._numbers import as_integer, as_number, as_numbers
from tests.cli import cases

LONG = "9" * 5000


@pytest.mark.parametrize(
    ("word", "value"), [("1", 1), ("-0.5", -0.5), ("1e3", 1000), (".5", 0.5), (LONG, float("inf"))]
)
def test_numbers_of_text(word, value):
    assert as_number(word) == value
    assert as_numbers([word, word]) == [value, value]


@pytest.mark.parametrize("word", ["1_000", "٣", "0x10", "", "one", "1,5"])
def test_other_text_is_no_number(word):
    for read in (as_number, as_integer, lambda x: as_numbers(["1", x])):
        with pytest.raises(ValueError, match=r"number|float"):
            read(word)


def test_whole_numbers_have_at_most_18_digits():
    assert as_integer(" -12 ") == -12
    assert as_integer("9" * 18) == 10**18 - 1
    for word in ("9" * 19, LONG, "1.0"):
        with pytest.raises(ValueError, match=r"number|float"):
            as_integer(word)


@pytest.mark.parametrize("time", [f"1 - {LONG}:00", f"1 - 00:{LONG}", f"{LONG} - 00:10", "1 - ٣:00"])
@pytest.mark.parametrize("more", [{}, {"position": 10_000}])
def test_time_of_an_action_of_too_many_digits_is_one_line(tmp_path, time, more):
    (tmp_path / "gt").mkdir()
    path = tmp_path / "gt" / "Labels-v2.json"
    path.write_text(json.dumps({"annotations": [{"gameTime": time, "label": "Goal", "visibility": "visible", **more}]}))
    done = cases.run("eval", tmp_path / "gt", tmp_path / "gt", "--kind", "spotting")
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 3
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("word", [LONG, "nan"])
def test_turn_of_a_box_that_is_not_finite_is_one_line(tmp_path, word):
    path = tmp_path / "a.xml"
    box = f'<box label="c" xtl="0" ytl="1" xbr="2" ybr="3" rotation="{word}"/>'
    path.write_text(f'<annotations><image name="a.jpg" width="9" height="9">{box}</image></annotations>')
    done = cases.run("check", path)
    assert (done.exit_code, "box 1, rotation: expected finite number, got" in done.stderr) == (3, True)


def test_length_of_a_sequence_of_too_many_digits_is_one_line(tmp_path):
    (tmp_path / "a" / "gt").mkdir(parents=True)
    (tmp_path / "a" / "gt" / "gt.txt").write_text("1,1,0,0,9,9,1,1,1\n")
    (tmp_path / "a" / "seqinfo.ini").write_text(f"[Sequence]\nseqLength={LONG}\n")
    done = cases.run("eval", tmp_path, tmp_path, "--kind", "tracks")
    assert (done.exit_code, "seqLength: expected a whole number" in done.stderr) == (3, True)


def test_readers_have_no_numbers_of_text_of_their_own():
    """`float` reads "1_000" and digits of any script: text goes through `_numbers`."""
    folder = Path(omniou.data.__file__).parent
    found = []
    for path in [*folder.glob("*.py"), *folder.glob("_formats/*.py"), *folder.glob("_tracks/*.py")]:
        if path.name in {"_numbers.py", "_json.py", "_label_counts.py", "doctor.py"}:
            continue
        lines = path.read_text("utf-8").splitlines()
        found += [
            f"{path.name}: {x}" for x in lines if "map(float" in x or re.search(r"(?<!\w)float\((word|text|x)\b", x)
        ]
    assert [x for x in found if "else float(word)" not in x] == []
