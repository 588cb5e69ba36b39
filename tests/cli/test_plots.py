"""`omniou eval --plots`: pictures as files."""

import sys

import pytest

from omniou._lib import extras
from tests.cli import cases
from tests.cli.test_label_maps import semantic  # noqa: F401  (a fixture)
from tests.cli.test_tracks import mot  # noqa: F401  (a fixture)

EVERY = {"pr", "f1", "confusion", "scores", "iou", "calibration", "errors", "per_class"}


@pytest.fixture
def drawing():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.fixture
def few(monkeypatch):
    """Draw few pictures only."""
    from omniou.report._logging import figures

    every = figures.charts_of
    monkeypatch.setattr(figures, "charts_of", lambda made: {k: x for k, x in every(made).items() if k in {"iou", "f1"}})


@pytest.mark.usefixtures("drawing")
def test_plots_writes_every_picture_without_pyplot(tmp_path):
    pyplot = "matplotlib.pyplot" in sys.modules and sys.modules["matplotlib.pyplot"]
    before = pyplot.get_fignums() if pyplot else []
    done = cases.run("eval", *cases.files(tmp_path), "--plots", tmp_path / "plots")
    assert done.exit_code == 0, done.output
    assert {x.name for x in (tmp_path / "plots").iterdir()} == {f"{name}.png" for name in EVERY}
    assert (sys.modules["matplotlib.pyplot"].get_fignums() if pyplot else []) == before
    # The table is that of a call without pictures.
    assert "What AP at IoU" not in done.stdout


@pytest.mark.usefixtures("drawing", "few")
def test_plots_are_of_the_format_and_files_of_an_earlier_run_are_told(tmp_path):
    files = cases.files(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").touch()
    (tmp_path / "a" / "pr.svg").write_text("of an earlier run")
    done = cases.run("eval", *files, "--plots", tmp_path / "a", "--plots-format", "svg")
    assert done.exit_code == 0
    assert (tmp_path / "a" / "iou.svg").read_bytes().startswith(b"<?xml")
    assert sorted(x.name for x in (tmp_path / "a").iterdir()) == ["f1.svg", "iou.svg", "mine.txt", "pr.svg"]
    # A file that may be the user's own stays as it is.
    assert (tmp_path / "a" / "pr.svg").read_text() == "of an earlier run"
    assert "a: 'pr.svg' are not of this run, which has no such pictures" in done.stderr


@pytest.mark.usefixtures("drawing", "few")
def test_plots_of_a_state_say_what_is_not_drawn(tmp_path):
    assert cases.run("eval", *cases.files(tmp_path), "--state", tmp_path / "x.state").exit_code == 0
    done = cases.run("eval", "--from-state", tmp_path / "x.state", "--plots", tmp_path / "plots")
    assert [x.name for x in (tmp_path / "plots").iterdir()] == ["f1.png"]
    assert "holds no boxes, so there are no pictures of errors, confusion, scores and iou." in " ".join(
        done.stdout.split()
    )


@pytest.mark.usefixtures("drawing")
def test_plots_of_tracks_and_label_maps(tmp_path, semantic, mot):  # noqa: F811
    assert cases.run("eval", *mot, "--plots", tmp_path / "plots").exit_code == 0
    assert "timeline-1.png" in [x.name for x in (tmp_path / "plots").iterdir()]
    assert cases.run("eval", *semantic, "--plots", tmp_path / "maps").exit_code == 0
    assert sorted(x.name for x in (tmp_path / "maps").iterdir()) == ["confusion.png", "per_class.png"]


@pytest.mark.usefixtures("drawing")
def test_plots_fail_before_any_work(tmp_path, monkeypatch):
    files = cases.files(tmp_path)
    other = tmp_path / "other"
    other.write_text("kept")
    done = cases.run("eval", *files, "--plots", other)
    assert done.exit_code == 3
    assert f"--plots {other}: is not a directory" in done.stderr
    assert cases.run("eval", *files, "--plots", tmp_path / "no" / "such").exit_code == 3
    done = cases.run("eval", *files, "--plots-format", "pdf")
    assert done.exit_code == 2
    assert "--plots-format needs --plots DIR" in done.stderr
    known = extras.has
    monkeypatch.setattr(extras, "has", lambda library: library != "matplotlib" and known(library))
    done = cases.run("eval", *files, "--plots", tmp_path / "plots")
    assert done.exit_code == 2
    assert '--plots needs matplotlib: pip install ".[plot]"' in done.stderr
    assert not (tmp_path / "plots").exists()
