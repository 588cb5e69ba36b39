"""The command as a process of its own: pipes, the standard input, a full disk, and what is not installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from omniou import __version__
from tests.cli.test_eval import FILES, PUBLISHED, run


def process(*args, code="from omniou.cli import main; main()", **options):
    """The command as a process of its own, in which a warning is an error."""
    command = [sys.executable, "-W", "error", "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8", **options)


def test_eval_process_prints_json():
    done = process("eval", *FILES, "--format", "json")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"] == pytest.approx(PUBLISHED, abs=1e-12)


def test_eval_process_without_terminal_in_ascii():
    done = process(
        "eval", *FILES, "--per-class", "--full", env=os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "20"}
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "\N{ESCAPE}" not in done.stdout
    assert "small (to 32^2)" in done.stdout
    # A name keeps 16 letters, and a number stands beside it: 20 columns are too few for that, by a little.
    assert max(map(len, done.stdout.split("\nRead")[0].splitlines())) <= 36


def test_eval_process_of_missing_file_prints_one_line():
    done = process("eval", "nowhere.json", FILES[1])

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "Error: nowhere.json: no such file\n"


def test_version_process():
    done = process("--version")

    assert (done.returncode, done.stdout) == (0, f"omniou, version {__version__}\n")


@pytest.mark.parametrize("lacking", ["click", "msgspec", "numpy", "rich"])
def test_command_without_extra_names_missing_package(lacking):
    code = f"import sys; sys.modules[{lacking!r}] = None; from omniou.cli import main; main()"

    done = process("--version", code=code)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'omniou: the command needs {lacking}: pip install ".[cli]" in a clone of omniou\n'


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("yes", "the environment variable OMNIOU_ACCEL must be one of off, on, numba, got 'yes'"),
        ("numba", 'OMNIOU_ACCEL is "numba", but numba cannot be used: pip install ".[fast]" in a clone of omniou ('),
    ],
)
def test_eval_with_invalid_accel_switch_fails_before_reading(said, why):
    code = "import sys; sys.modules['numba'] = None; from omniou.cli import main; main()"

    done = process(
        "eval", "--format", "json", "nowhere.json", "nowhere.json", code=code, env=os.environ | {"OMNIOU_ACCEL": said}
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"Error: {why}")


def test_eval_into_closed_pipe_fails_without_traceback():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from omniou.cli import main; main()", "eval", *FILES]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, text=True)
    os.close(writer)

    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--per-class",)])
def test_eval_onto_full_disk_fails_without_traceback(options):
    command = [sys.executable, "-c", "from omniou.cli import main; main()", "eval", *FILES, *options]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, text=True)

    assert done.returncode == 3
    assert done.stderr == "Error: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="only POSIX systems name what is open")
@pytest.mark.parametrize("options", [(), ("--dt-format", "coco")])
def test_eval_of_pipe(options):
    command = f"{sys.executable} -m omniou eval {FILES[0]} <(cat {FILES[1]}) --format json {' '.join(options)}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    output = json.loads(done.stdout)
    assert output["summary"] == pytest.approx(PUBLISHED, abs=1e-12)
    assert output["inputs"][1]["path"].startswith("/dev/fd/")


@pytest.mark.parametrize("place", [0, 1])
def test_eval_of_standard_input(place):
    names = [*FILES]
    names[place] = "-"
    with Path(FILES[place]).open("rb") as source:
        command = [sys.executable, "-m", "omniou", "eval", *names, "--format", "json"]
        done = subprocess.run(command, stdin=source, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    output = json.loads(done.stdout)
    assert output["summary"] == pytest.approx(PUBLISHED, abs=1e-12)
    assert (output["inputs"][place]["path"], output["inputs"][place]["bytes"]) == (
        "-",
        Path(FILES[place]).stat().st_size,
    )
    assert "- has the format coco, by its content." in output["assumptions"]


def test_eval_names_the_standard_input_in_errors():
    command = [sys.executable, "-m", "omniou", "eval", FILES[0], "-"]
    done = subprocess.run(command, input="[{", capture_output=True, check=False, text=True)

    assert done.returncode == 3
    assert done.stderr.startswith("Error: -: the JSON ends inside a value")


def test_eval_of_standard_input_twice_fails():
    done = run("-", "-")

    assert done.exit_code == 2
    assert "only one of the files can be the standard input, '-'" in done.stderr
