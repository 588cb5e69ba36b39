"""`omniou eval --log`: numbers and pictures in lab books."""

import contextlib
import csv
import importlib.machinery
import math
import sys
import types

import pytest

from omniou._lib import extras
from omniou.cli import _lab_books as lab_books
from omniou.report._logging import loggers
from tests.cli import cases


@pytest.fixture
def files(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    return cases.files(tmp_path)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Draw one picture only."""
    try:
        from omniou.report._logging import figures
    except ModuleNotFoundError:
        return
    every = figures.charts_of
    monkeypatch.setattr(figures, "charts_of", lambda made: {"iou": every(made)["iou"]})


def test_loggers_of_the_help_are_the_loggers():
    assert {name: x.where for name, x in loggers.LOGGERS.items()} == lab_books.KNOWN


def stub(monkeypatch, name, **members):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)


def test_log_to_csv_adds_a_line_at_each_step(files, tmp_path):
    log = tmp_path / "log.csv"
    for step in (0, 1):
        assert cases.run("eval", *files, "--log", f"csv:{log}", "--log-step", step).exit_code == 0
        log.write_text(log.read_text().rstrip("\n"))  # as some editors leave it
    rows = list(csv.DictReader(log.read_text().splitlines()))
    assert [row["step"] for row in rows] == ["0", "1"]
    assert float(rows[1]["AP50"]) > 0.8
    assert float(rows[1]["AP/traffic_light"]) > 0
    assert math.isnan(float(rows[0]["APl"]))


def test_log_to_csv_of_other_columns_is_refused_and_left_as_it_is(files, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("step,loss\n0,1.5\n")
    done = cases.run("eval", *files, "--log", f"csv:{log}")
    assert done.exit_code == 3
    assert "has other columns than this evaluation, such as 'AP'" in done.stderr
    assert log.read_text() == "step,loss\n0,1.5\n"


def test_logs_to_tensorboard_of_one_second_are_kept(tmp_path, monkeypatch):
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    monkeypatch.setattr("time.time", lambda: 1e9)
    for step in (1, 2):
        loggers.LOGGERS["tensorboard"].write(str(tmp_path / "runs"), {"AP": 0.5}, {}, step)
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_log_to_tensorboard_is_read_back(files, tmp_path):
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    from tensorboardX.proto.event_pb2 import Event

    done = cases.run("eval", *files, "--log", f"tensorboard:{tmp_path / 'runs'}", "--log-step", 7)
    assert done.exit_code == 0, done.output
    assert "NaN" not in done.stderr
    (path,) = (tmp_path / "runs").iterdir()
    data, logged = path.read_bytes(), {}
    while data:
        size = int.from_bytes(data[:8], "little")
        event = Event.FromString(data[12 : 12 + size])
        logged |= {value.tag: (event.step, value) for value in event.summary.value}
        data = data[16 + size :]
    assert logged["AP50"][0] == 7
    assert logged["AP50"][1].simple_value > 0.8
    assert logged["iou"][1].image.encoded_image_string.startswith(b"\x89PNG")


def test_log_to_mlflow_and_wandb_gives_what_they_take(files, monkeypatch):
    said = []

    class Run:
        def log(self, values, step):
            said.append(("wandb", values["AP50"] > 0.8, type(values["iou"]).__name__, step))

    stub(
        monkeypatch,
        "mlflow",
        set_tracking_uri=said.append,
        start_run=contextlib.nullcontext,
        log_metrics=lambda numbers, step: said.append((numbers["AP50"] > 0.8, step)),
        log_figure=lambda figure, name: said.append((type(figure).__name__, name)),
    )
    stub(
        monkeypatch,
        "wandb",
        init=lambda project: said.append(project) or contextlib.nullcontext(Run()),
        Image=lambda figure: figure,
    )
    done = cases.run("eval", *files, "--log", "mlflow:sqlite:///x.db", "--log", "wandb:mine", "--log-step", 2)
    assert done.exit_code == 0, done.output
    assert said == ["sqlite:///x.db", (True, 2), ("Figure", "iou.png"), "mine", ("wandb", True, "Figure", 2)]


def test_faults_of_a_logger_end_the_command_with_its_name(files, monkeypatch):
    def refuse(**_):
        raise ConnectionError("no network")

    stub(monkeypatch, "wandb", init=refuse)
    done = cases.run("eval", *files, "--log", "wandb:mine")
    assert done.exit_code == 3
    assert "Error: --log wandb:mine: ConnectionError: no network" in done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tensorbord:runs", "did you mean tensorboard?"),
        ("runs", "use tensorboard:DIR, mlflow:URI, wandb:PROJECT, csv:FILE"),
        ("csv:", "use tensorboard:DIR"),
    ],
)
def test_bad_log_is_a_usage_error(files, given, said):
    done = cases.run("eval", *files, "--log", given)
    assert done.exit_code == 2
    assert said in done.stderr


def test_missing_library_and_folder_are_named_before_any_work(files, monkeypatch, tmp_path):
    assert cases.run("eval", *files, "--log", f"csv:{tmp_path / 'no' / 'log.csv'}").exit_code == 3
    known = extras.has
    monkeypatch.setattr(extras, "has", lambda library: library != "wandb" and known(library))
    done = cases.run("eval", *files, "--log", "wandb:mine")
    assert done.exit_code == 2
    assert "--log wandb needs wandb: pip install wandb" in done.stderr
