"""What stands behind the table of docs/supported.md: a test that did not pass proves nothing, and the table follows."""

import json

import pytest

from tests import proved

pytest_plugins = ["pytester"]
TESTS = """
import pytest

proves = pytest.mark.proves("eager", "boxes.iou", library="numpy")

@pytest.mark.parametrize("name", ["boxes.giou", "no function"])
@pytest.mark.proves("16 bits", library="numpy")
def test_passes(name): pass

@pytest.mark.proves("eager", "losses.{name}", library="{xp}", value="refused")
@pytest.mark.parametrize(("name", "xp"), [("iou", "jax_jit"), ("ciou", "dask")])
def test_templates(name, xp): pass

@proves
def test_skipped(): pytest.skip("no")

@proves
@pytest.mark.xfail(strict=False)
def test_passes_against_expectation(): pass

@proves
@pytest.mark.xfail
def test_fails_as_expected(): assert 0

@proves
def test_fails(): assert 0

@pytest.fixture
def broken():
    yield
    assert 0

@proves
def test_is_torn_down_with_an_error(broken): pass
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """What tests prove, as saved: of the text of a file."""

    def save(text):
        monkeypatch.setenv("OMNIOU_PROVED", str(pytester.path / "out" / "part.json"))
        pytester.makepyfile(text)
        pytester.runpytest_inprocess("-p", "tests.proved", "-p", "no:cacheprovider")
        return pytester.path / "out" / "part.json"

    return save


def cells(path):
    return [row[:4] for row in json.loads(path.read_text())["proved"]]


def test_only_tests_that_passed_prove(run):
    assert cells(run(TESTS)) == [
        ["boxes.giou", "numpy", "16 bits", "yes"],
        ["losses.ciou", "dask", "lazy", "refused"],
        ["losses.iou", "jax", "eager", "refused"],
    ]


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ('"eager", "boxes.iuo", library="numpy"', "'boxes.iuo', which is no public function"),
        ('"vmap", "boxes.iou", library="numpy"', "no column of the table is 'vmap' of 'numpy'"),
    ],
)
def test_cells_that_do_not_exist_stop_the_run(pytester, marker, message):
    pytester.makepyfile(f"import pytest\n@pytest.mark.proves({marker})\ndef test_it(): pass")
    done = pytester.runpytest_inprocess("-p", "tests.proved")
    assert done.ret != 0
    assert message in done.stdout.str() + done.stderr.str()


def test_a_test_that_is_gone_or_new_makes_the_table_stale(run):
    before = proved.Part([run(TESTS)]).table()
    assert before["functions"]["boxes.giou"]["numpy"]["16 bits"].startswith("yes: test_a_test")
    assert proved.Part([run(TESTS)]).faults(before) == []
    less = proved.Part([run(TESTS.replace("def test_passes(", "def hidden("))])
    assert "numpy" not in less.table()["functions"]["boxes.giou"]
    (fault,) = less.faults(before)
    assert fault.startswith("boxes.giou / numpy / 16 bits: ")
    assert "did not prove 'yes'" in fault
    more = proved.Part([run(TESTS + "\n@proves\ndef test_new(): pass\n")])
    (fault,) = more.faults(before)
    assert fault.startswith("boxes.iou / numpy / eager: it is yes: ")
    assert proved.Part([run(TESTS)]).faults(before | {"modes": {}}) == ["the columns are not those of MODES"]
    assert proved.faults_of_rows({"boxes.new"}, {"modes": proved.MODES, "functions": ["boxes.old"]}) == [
        "boxes.new: a function without a row",
        "boxes.old: a row of no public function",
    ]


@pytest.mark.parametrize("write", [[], ["--write"]])
def test_a_run_that_failed_is_named_and_neither_compared_nor_written(run, monkeypatch, capsys, write):
    monkeypatch.setattr("sys.argv", ["proved", str(run(TESTS)), *write])
    capsys.readouterr()  # of the run
    before = proved.TABLE.read_bytes()
    assert proved.main() == 1
    assert capsys.readouterr().out == "docs/supported.json was not compared: these runs failed: part\n"
    assert proved.TABLE.read_bytes() == before


def test_what_is_refused_is_not_what_works(run):
    before = proved.Part([run(TESTS)]).table()
    works = proved.Part([run(TESTS.replace(', value="refused"', ""))]).faults(before)
    assert any("did not prove 'refused'" in x for x in works)


def test_a_gpu_fills_its_own_cells_alone(run, monkeypatch, tmp_path):
    rows = [["boxes.iou", "torch", mode, "yes", "t.py::test_it"] for mode in ("CUDA", "vmap")]
    (tmp_path / "gpu.json").write_text(json.dumps({"steps": [{"proved": rows}, {"status": "skipped"}]}))
    monkeypatch.setattr(proved, "GPU", tmp_path / "gpu.json")
    assert proved.Part([run(TESTS)]).table()["functions"]["boxes.iou"] == {"torch": {"CUDA": "yes: t.py::test_it"}}


def test_a_stale_table_names_the_command_that_mends_it(run, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["proved", str(run("def test_it(): pass"))])
    capsys.readouterr()  # of the run
    assert proved.main() == 1
    *shown, last = capsys.readouterr().out.splitlines()
    assert len(shown) == proved.SHOWN
    assert "nox -s supported -- --write" in last


def test_table_is_written_as_the_tool_writes_it():
    """`nox -s lint` compares its rows with the functions."""
    text = proved.TABLE.read_text("utf-8")
    assert proved.text_of(json.loads(text)) == text
