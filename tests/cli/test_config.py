"""Files of options of another shape, asked for by `--config` or lying in the working directory."""

import os
from pathlib import Path

import pytest

from tests.cli import cases


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return cases.files(tmp_path)


WRONG = {
    "tool = 3 # tool.omniou": (2, "'tool' must be a table of options, got 3"),
    "[tool]\nomniou = 3 # tool.omniou": (2, "'tool.omniou' must be a table of options, got 3"),
    "[tool.omniou]\neval = 5": (2, "'eval' must be a table of options, got 5"),
    "[tool.omniou]\neval = [1]": (2, "'eval' must be a table of options, got [1]"),
    "[tool.omniou.evl]\nquick = true": (2, "'evl' is a table, but no command of omniou: did you mean 'eval'?"),
    "[tool.omniou]\nkind = { a = 1 }": (2, "'kind' is a table, but no command of omniou"),
    "[tool.omniou]\nkind = [[1]]": (2, "'[1]' is not a kind of eval"),
    "[tool.omniou]\nkind = 'trakcs'": (2, "did you mean 'tracks'?; give --kind on the command line"),
    "[tool.omniou]\nweakest = 'yes'": (2, "'weakest' must be true or false, got 'yes'"),
    "[tool.omniou]\nsamples = 1979-05-27": (2, "'1979-05-27' is not a valid int"),
    "[tool.omniou]\nsamples = nan": (2, "'nan' is not a valid int"),
    '[tool.omniou]\nimages = "a\\u0000b"': (2, "'images' has a null character"),
    "[tool.omniou]\nx = " + "[" * 5000: (3, "not valid TOML"),
    "[tool.omniou": (3, "not valid TOML"),
}


@pytest.mark.parametrize("asked", [False, True], ids=["lying there", "asked for"])
@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:40])
def test_options_of_another_shape_are_one_line(paths, text, asked):
    Path("pyproject.toml").write_text(text)

    done = cases.run("eval", *paths, *(["--config", "pyproject.toml"] if asked else []))

    code, message = WRONG[text]
    assert done.exit_code == code, done.output
    assert isinstance(done.exception, SystemExit)
    assert message in done.stderr


def test_options_that_are_not_utf_8_are_one_line(paths):
    Path("pyproject.toml").write_bytes(b"[tool.omniou]\nclasses = 'caf\xe9'\n")

    done = cases.run("eval", *paths)
    assert (done.exit_code, done.stderr) == (3, "Error: pyproject.toml: not valid TOML: not UTF-8 text (byte 28)\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the pipes of POSIX")
def test_pipe_in_place_of_a_project_is_not_waited_for(paths):
    os.mkfifo("pyproject.toml")

    assert cases.run("eval", *paths).exit_code == 0


def test_kind_of_a_project_that_a_command_lacks_is_named_with_its_file(paths):
    Path("pyproject.toml").write_text("[tool.omniou]\nkind = 'tracks'\n")

    done = cases.run("nms", paths[1])
    assert (done.exit_code, "pyproject.toml: 'kind': 'tracks' is not a kind of nms" in done.stderr) == (2, True)
    assert cases.run("nms", paths[1], "--kind", "bbox").exit_code == 0
