"""Where commands write: never over an input or another output, and nowhere that a found file of options names."""

import json
import os
import threading
from pathlib import Path

import pytest

from omniou.report._logging.loggers import LOGGERS
from tests.cli import cases


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """``truth.json`` and ``found.json`` under several names, and a directory of labels."""
    monkeypatch.chdir(tmp_path)
    cases.files(tmp_path, images=2)
    os.link("found.json", "hard.json")
    Path("soft.json").symlink_to("found.json")
    Path("here").symlink_to(tmp_path)
    Path("labels").mkdir()
    Path("labels/0.txt").write_text("0 .5 .5 .2 .2\n")
    Path("linked.txt").write_text("0 .5 .5 .2 .2\n")
    Path("labels/1.txt").symlink_to("../linked.txt")
    Path("record.json").write_text(cases.run("eval", "truth.json", "found.json", "--format", "json").stdout)
    Path("options.toml").write_text("samples = 20\n")
    return tmp_path


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


EVAL = "eval truth.json found.json"
LABELS = "eval labels labels --image-size 9x9"
SAME = "would replace"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        *(
            (f"{EVAL} {option}{path}", SAME)
            for option in ("-o ", "--html ", "--state ", "--plots ", "--log csv:")
            for path in ("found.json", "hard.json")
        ),
        *((f"{EVAL} -o {path}", SAME) for path in ("truth.json", "soft.json", "here/found.json", "no/../found.json")),
        (f"{EVAL} --log tensorboard:here/truth.json", SAME),
        (f"{EVAL} --config options.toml -o options.toml", "would replace --config options.toml"),
        (f"{EVAL} --baseline record.json --max-drop 0 -o record.json", "would replace --baseline record.json"),
        (f"{EVAL} -o new.json --html here/new.json", "--output new.json and --html here/new.json are one place"),
        (f"{LABELS} -o labels/0.txt", "--output labels/0.txt is inside labels"),
        (f"{LABELS} --plots labels/new", "--plots labels/new is inside labels"),
        (f"{LABELS} --plots labels", SAME),
        (f"{LABELS} -o linked.txt", "would replace a file of labels"),
        (f"{EVAL} --images labels -o labels/0.png --format json", "is inside --images labels"),
        ("nms found.json -o hard.json", SAME),
        ("nms found.json -o truth.json --ground-truth truth.json", SAME),
        ("fuse found.json record.json -o found.json", SAME),
        ("convert truth.json truth.json --to coco", SAME),
        ("convert truth.json found.json soft.json --to coco", SAME),
        ("convert labels labels/new.json --to coco --image-size 9x9", "labels/new.json is inside labels"),
        ("check truth.json found.json -o found.json", SAME),
        ("compare truth.json found.json hard.json --html truth.json", SAME),
        ("report record.json -o record.json", SAME),
    ],
)
def test_output_that_is_an_input_or_another_output_is_refused(folder, line, what):
    before = content(folder)
    done = cases.run(*line.split())

    assert (done.exit_code, done.stdout) == (2, "")
    assert what in done.stderr
    assert content(folder) == before


@pytest.mark.usefixtures("folder")
def test_outputs_next_to_inputs_are_written_again_and_again():
    picture = pytest.importorskip("PIL.Image", reason="Pillow is not installed").new("L", (100, 100))
    for name in ("0.jpg", "1.jpg"):
        picture.save(name)
    for _ in range(2):
        done = cases.run(*EVAL.split(), "--images", ".", "-o", "new.json", "--html", "new.html")
        assert done.exit_code == 0, done.stderr
    assert cases.run(*EVAL.split(), "-o", os.devnull, "--html", os.devnull).exit_code == 0


@pytest.mark.parametrize("table", ["[tool.omniou]", "[tool.omniou.eval]"])
@pytest.mark.parametrize(
    "text",
    [
        *(f"{name} = 'new'" for name in ("output", "html", "state", "plots", "checkpoint", "scheduler")),
        *("log = 'csv:new'", "log = ['mlflow:http://localhost']"),
    ],
)
def test_options_found_in_the_working_directory_name_no_place(folder, text, table):
    Path("pyproject.toml").write_text(f"{table}\nsamples = 20\n{text}\n")
    before, key = content(folder), text.split()[0]
    done = cases.run(*EVAL.split())

    assert done.exit_code == 2
    assert f"pyproject.toml: {key!r} names where" in done.stderr
    assert f"give --{key} on the command line, or --config pyproject.toml" in done.stderr
    assert content(folder) == before


def test_named_file_of_options_names_places_but_no_other_file(folder):
    Path("pyproject.toml").write_text("[tool.omniou.eval]\noutput = 'new.json'\n")
    assert cases.run(*EVAL.split(), "--config", "pyproject.toml").exit_code == 0
    assert json.loads((folder / "new.json").read_text())["kind"] == "bbox"
    Path("pyproject.toml").write_text("[tool.omniou]\nconfig = 'options.toml'\n")
    for more in ((), ("--config", "pyproject.toml")):
        done = cases.run(*EVAL.split(), *more)
        assert (done.exit_code, "a file of options cannot name another one" in done.stderr) == (2, True)


@pytest.mark.usefixtures("folder")
def test_result_is_written_before_a_log_refuses_its_columns():
    """Of columns, only those of classes are unknown before the evaluation: other numbers are asked for before."""
    Path("log.csv").write_text("step,AP/dog\n")
    done = cases.run(*EVAL.split(), "--log", "csv:log.csv", "-o", "new.json", "--html", "new.html")
    assert (done.exit_code, Path("new.json").exists(), Path("new.html").exists()) == (3, False, False)
    assert "has other columns than this evaluation, such as 'AP'" in done.stderr

    assert cases.run(*EVAL.split(), "--log", "csv:full.csv").exit_code == 0
    header = Path("full.csv").read_text().splitlines()[0].replace("AP/cat", "AP/dog")
    Path("log.csv").write_text(f"{header}\n")
    done = cases.run(*EVAL.split(), "--log", "csv:log.csv", "-o", "new.json")
    assert done.exit_code == 3
    assert "such as 'AP/cat'" in done.stderr
    assert json.loads(Path("new.json").read_text())["kind"] == "bbox"
    assert Path("log.csv").read_text() == f"{header}\n"


def test_log_to_csv_of_several_runs_keeps_all_rows(tmp_path):
    path = tmp_path / "log.csv"

    def log(run):
        for step in range(20):
            LOGGERS["csv"].write(str(path), {"AP": run / 10}, {}, step)

    runs = [threading.Thread(target=log, args=(run,)) for run in range(8)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    header, *rows = path.read_text().splitlines()
    assert header == "step,AP"
    assert sorted(rows) == sorted(f"{step},{run / 10}" for run in range(8) for step in range(20))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the pipes of POSIX")
def test_log_to_csv_through_a_pipe_has_a_header_and_a_row(tmp_path):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_text()))
    reader.start()
    LOGGERS["csv"].check(str(path), ["AP"])
    LOGGERS["csv"].write(str(path), {"AP": 0.5}, {}, 3)
    reader.join()
    assert got == ["step,AP\n3,0.5\n"]
