"""Files are replaced atomically; devices, pipes and links are written through."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from omniou import data, detection
from omniou._lib import outputs
from omniou.data import states
from tests import places

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the pipes of POSIX")

NULL = (1, 3)
EXAMPLE = places.EXAMPLE / "ground_truth.json"


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*NULL))
        path.write_bytes(b"")
    except OSError:
        pytest.skip("only root makes devices")
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def interrupted(path):
    with outputs.writing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt


def test_write_replaces_a_file_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "out.json"
    path.write_bytes(b"before")
    path.chmod(0o640)
    before = path.stat().st_ino

    outputs.write(path, b"after")

    assert path.read_bytes() == b"after"
    assert path.stat().st_ino != before  # whoever reads it now reads all of what was there before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["out.json"]


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "図" * 85], ids=["ascii", "two bytes", "three bytes"])
def test_write_to_the_longest_names(tmp_path, name):
    outputs.write(tmp_path / name, b"1")

    assert (tmp_path / name).read_bytes() == b"1"


def test_write_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"before")

    with pytest.raises(KeyboardInterrupt):
        interrupted(path)

    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["out"]


def test_write_through_a_device(tmp_path, device):
    outputs.write(device, b"gone")

    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_rdev == os.makedev(*NULL)
    assert names(tmp_path) == ["null"]


@pytest.mark.parametrize("linked", [False, True])
def test_write_through_a_pipe(tmp_path, linked):
    pipe = path = tmp_path / "pipe"
    os.mkfifo(pipe)
    if linked:
        path = tmp_path / "link"
        path.symlink_to("pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()

    outputs.write(path, b"abc")
    reader.join()

    assert got == [b"abc"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == (["link", "pipe"] if linked else ["pipe"])


def test_write_that_fails_puts_nothing_into_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    with pytest.raises(KeyboardInterrupt):
        interrupted(pipe)

    assert os.read(end, 10) == b""
    os.close(end)


@pytest.mark.parametrize("there", [False, True])
def test_write_through_links_replaces_what_they_lead_to(tmp_path, there):
    target = tmp_path / "kept" / "real.json"
    target.parent.mkdir()
    if there:
        target.write_bytes(b"before")
    (tmp_path / "first").symlink_to("kept/real.json")
    (tmp_path / "second").symlink_to("first")

    outputs.write(tmp_path / "second", b"after")

    assert target.read_bytes() == b"after"
    assert (tmp_path / "second").readlink().name == "first"
    assert (tmp_path / "first").is_symlink()
    assert names(target.parent) == ["real.json"]


def test_write_through_a_loop_of_links_raises(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(OSError, match="symbolic links"):
        outputs.write(tmp_path / "a", b"1")
    assert "symbolic links" in outputs.refusal(tmp_path / "a")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_write_to_an_open_file_appends_to_it(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        code = "import pathlib; from omniou._lib import outputs; outputs.write(pathlib.Path('/dev/stdout'), b'after')"
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True)
        log.write(b"")

    assert (tmp_path / "log").read_bytes() == b"before after"


def test_folder_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    with outputs.writing_folder(tmp_path / "link") as folder:
        (folder / "a").write_text("1")

    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["a"]


def test_folder_in_place_of_something_else_raises(tmp_path, device, monkeypatch):
    (tmp_path / "file").touch()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    for path in (device, tmp_path / "file"):
        with pytest.raises(FileExistsError, match="must be a directory that is new or empty"):
            outputs.writing_folder(path).__enter__()
    with pytest.raises(FileExistsError, match="must not be the working directory"):
        outputs.writing_folder(tmp_path / "here").__enter__()
    assert names(tmp_path) == ["file", "here", "null"]


def test_states_and_converted_files_do_not_replace_a_device(tmp_path, device):
    evaluator = detection.Evaluator()
    truth = data.read_ground_truth(EXAMPLE)

    states.save(evaluator.state, device)
    data.write_ground_truth(truth, device, "coco")

    assert stat.S_ISCHR(device.stat().st_mode)
    assert names(tmp_path) == ["null"]


def test_state_through_a_pipe_is_a_state(tmp_path):
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()

    states.save(detection.Evaluator().state, pipe)
    reader.join()

    assert states.loads(got[0]).surplus == 0
