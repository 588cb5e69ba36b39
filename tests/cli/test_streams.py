"""What the command does with closed, full and endless streams, with signals, and with names that are not UTF-8."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli import cases

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the streams of POSIX")

COMMAND = [sys.executable, "-m", "omniou"]
NULL, ZERO, FULL = 3, 5, 7


@pytest.fixture
def paths(tmp_path):
    return cases.files(tmp_path)


@pytest.fixture
def device(tmp_path):
    def make(number):
        path = tmp_path / f"device-{number}"
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, number))
            path.open("rb").close()
        except OSError:
            pytest.skip("only root makes devices")
        return path

    return make


def shell(line, *args, **more):
    """A line of shell, in which "$@" is the command."""
    words = ["sh", "-c", line, "sh", *COMMAND, *map(str, args)]
    return subprocess.run(words, capture_output=True, check=False, timeout=120, **more)


@pytest.mark.parametrize("words", [["formats"], ["--help"], ["eval", "--help"], ["--version"], ["info"]])
@pytest.mark.parametrize("full", [False, True], ids=["closed", "full"])
def test_standard_output_that_cannot_be_written_exits_with_3(device, words, full):
    done = shell('"$@" > "$GOAL"' if full else '"$@" >&-', *words, env=os.environ | {"GOAL": str(device(FULL))})

    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1
    assert b"cannot be written" in done.stderr


def test_closed_standard_output_is_not_needed_with_output(paths, tmp_path):
    done = shell('"$@" >&-', "eval", *paths, "-o", tmp_path / "out.json")

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((tmp_path / "out.json").read_text())["counts"]["images"] == 40


def test_closed_standard_error_keeps_the_exit_code(paths):
    assert shell('"$@" 2>&-', "eval", *paths, "--fail-under", "AP>1").returncode == 1
    assert shell('"$@" 2>&-', "eval", "nowhere", paths[1]).returncode == 3


def test_closed_standard_input_exits_with_3(paths):
    done = shell('"$@" <&-', "eval", "-", paths[1])

    assert (done.returncode, done.stderr) == (3, b"Error: -: cannot be read: it is closed\n")


def test_reader_that_goes_away_exits_with_141():
    with subprocess.Popen([*COMMAND, "explore", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signal_removes_the_copy_of_standard_input(tmp_path, paths, name):
    number, folder = getattr(signal, name), tmp_path / "tmp"
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("this process ignores the signal, as under nohup, and so do those that it starts")
    folder.mkdir()
    words = [*COMMAND, "eval", "-", str(paths[1])]
    with subprocess.Popen(words, stdin=subprocess.PIPE, env=os.environ | {"TMPDIR": str(folder)}) as process:
        process.stdin.write(b"{")
        process.stdin.flush()
        for _ in range(600):
            if list(folder.glob("*/input-0")):
                break
            time.sleep(0.1)
        assert list(folder.glob("*/input-0"))
        process.send_signal(number)
        assert process.wait() == 128 + number
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "truth.json", "found.json", "--config", "ZERO"],
        ["eval", "truth.json", "found.json", "--baseline", "ZERO", "--max-drop", "1", "--max-unpacked", "1"],
        ["eval", "truth.json", "found.json", "--image-set", "ZERO", "--max-unpacked", "1"],
        ["eval", "truth.json", "found.json", "--hierarchy", "ZERO", "--protocol", "open_images"],
        ["eval", "truth.json", "found.json", "--dt-classes", "ZERO", "--max-unpacked", "1"],
        ["eval", "ZERO", "found.json", "--gt-format", "coco", "--max-unpacked", "1"],
        ["eval", "ZERO", "ZERO", "--kind", "panoptic", "--max-unpacked", "1"],
        ["eval", "--from-state", "ZERO"],
        ["report", "ZERO", "-o", "page.html"],
        ["compare", "ZERO", "ZERO"],
    ],
    ids=" ".join,
)
def test_endless_input_is_one_line(device, paths, monkeypatch, words):
    monkeypatch.chdir(paths[0].parent)
    zero = str(device(ZERO))

    done = cases.run(*[zero if word == "ZERO" else word for word in words])

    assert done.exit_code == 3, done.output
    assert done.stderr.startswith(("Error: ", "Warning: "))
    assert done.stderr.count("\n") == 1
    assert stat.S_ISCHR(Path(zero).stat().st_mode)


def test_endless_pipe_is_not_copied_without_limit(device, paths):
    with device(ZERO).open("rb") as zero:
        done = subprocess.run(
            [*COMMAND, "eval", "-", str(paths[1]), "--max-unpacked", "2"], stdin=zero, capture_output=True, check=False
        )

    assert done.returncode == 3
    assert done.stderr.startswith(b"Error: -: does not end after 2 MB")


@pytest.mark.parametrize("words", [["--state", "GOAL"], ["-o", "GOAL"], ["--html", "GOAL"]], ids=lambda x: x[0])
def test_outputs_do_not_replace_a_device(device, paths, words):
    null = device(NULL)

    done = cases.run("eval", *paths, *[null if word == "GOAL" else word for word in words])

    assert done.exit_code == 0, done.output
    assert stat.S_ISCHR(null.stat().st_mode)


@pytest.fixture
def latin(tmp_path):
    """A folder of labels whose image has a name in Latin-1."""
    folder = tmp_path / "labels"
    folder.mkdir()
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("cat 1 2 3 4\n")
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    return folder


@pytest.mark.parametrize("style", ["table", "json", "csv", "md", "junit"])
def test_eval_of_names_that_are_not_utf_8(latin, tmp_path, style):
    found = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9t"))
    found.mkdir()
    (found / next(latin.iterdir()).name).write_text("cat .5 1 2 3 4\n")
    out = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9sult"))

    page = ["--html", tmp_path / "page.html"] if style == "json" else []
    done = shell('"$@"', "eval", latin, found, "--format", style, "-o", out, *page)

    assert (done.returncode, done.stderr) == (0, b"")
    text = out.read_bytes().decode("utf-8")
    if style == "json":
        record = json.loads(text)
        assert record["summary"]["AP"] == pytest.approx(1)
        assert record["inputs"][1]["path"].endswith("/d?t")
        assert shell('"$@"', "report", out, "-o", tmp_path / "again.html").returncode == 0
    done = shell('"$@"', "eval", latin, found, "--format", style)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("name", "code"), [("text", 0), ("kitti", 0), ("coco", 2), ("voc", 2), ("parquet", 2), ("open-images", 2)]
)
def test_convert_of_names_that_are_not_utf_8(latin, tmp_path, name, code):
    done = shell('"$@"', "convert", latin, tmp_path / "out", "--to", name, "--image-size", "9x9")

    assert done.returncode == code, done.stderr
    if code:
        assert b"is not in UTF-8: rename its file" in done.stderr
        assert not (tmp_path / "out").exists()
    else:
        assert [os.fsencode(x.name) for x in (tmp_path / "out").iterdir()] == [b"caf\xe9.txt"]


def test_convert_to_standard_output_of_a_name_with_control_characters(tmp_path, paths):
    truth = json.loads(paths[0].read_text())
    truth["categories"][0]["name"] = "c\u0001at"
    paths[0].write_text(json.dumps(truth))

    done = cases.run("convert", paths[0], tmp_path / "out", "--to", "voc")
    assert done.exit_code == 2
    assert "has the character U+0001, which XML cannot hold" in done.stderr
    assert not (tmp_path / "out").exists()
