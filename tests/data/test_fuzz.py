"""The session `fuzz` of nox: it knows every format and option, finds what is broken, and a seed is a case."""

import os
import time

import pytest

pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from omniou.cli import _files as files
from omniou.cli._kinds import OTHER_KINDS
from omniou.data import FORMATS
from tests.fuzz import __main__ as fuzz
from tests.fuzz import limits
from tests.fuzz.cases import FILES, GROUP, Case
from tests.fuzz.corpus import Corpus, options_of


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return Corpus(tmp_path_factory.mktemp("corpus"))


def words(seed, corpus, folder):
    folder.mkdir()
    case = Case(seed, corpus, folder)
    return case.command, case.words, sorted((x.name, x.is_file() and x.read_bytes()) for x in folder.iterdir())


def test_corpus_has_files_of_every_format(corpus):
    assert {name for name, paths in corpus.truths.items() if paths} == set(FORMATS)
    assert {name for name, paths in corpus.detections.items() if paths} == set(FORMATS)


def test_corpus_has_models_of_every_kind(corpus):
    assert corpus.of_kinds.keys() == OTHER_KINDS.keys()


def test_files_of_options_are_options():
    known = {name for command in GROUP.values() for name in options_of(command)}

    assert set(FILES) <= known


def test_seed_is_a_case(corpus, tmp_path):
    first, again, other = (words(seed, corpus, tmp_path / str(k)) for k, seed in enumerate((7, 7, 8)))

    assert first == again
    assert first != other


def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (lambda: len(b"x" * 2**26), "MiB of memory, more than 8"),
        (lambda: spend(0.1), "seconds of computing, more than 0.05"),
        (lambda: os._exit(9), "ended without a word, exit code 9"),
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: time.sleep(60), "did not end within 1 seconds"),
    ],
)
def test_what_a_case_takes_is_limited(monkeypatch, function, fault):
    monkeypatch.setattr(limits, "MEMORY", 2**23)
    monkeypatch.setattr(limits, "SECONDS", 0.05)
    monkeypatch.setattr(limits, "PATIENCE", 1)

    assert fault in limits.run(function)[0].fault


def test_cases_within_their_limits_return_in_order():
    assert [x for x, fault in limits.run(lambda: 1, lambda: 2) if not fault] == [1, 2]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda folder: (folder / "truth.json").write_text("[]"), "an input is changed: ['truth.json']"),
        (lambda folder: (folder / "out.json").write_text("{}"), "exit code 2, and yet there are ['out.json']"),
        (lambda folder: (folder / ".omniou-1").touch(), "left behind"),
    ],
)
def test_file_that_a_command_must_not_write_is_a_fault(corpus, tmp_path, monkeypatch, change, fault):
    (tmp_path / "truth.json").write_text("{}")
    case = Case(7, corpus, tmp_path)
    case.times = 1
    monkeypatch.setattr(case, "_run", lambda: (2, "", change(tmp_path))[:2])

    assert fault in case.fault()


def test_fault_of_a_reader_is_found(monkeypatch, capsys):
    kept = "area"

    def broken(*_, **__):
        raise KeyError(kept)

    monkeypatch.setattr(files, "read", broken)
    monkeypatch.setattr("sys.argv", ["fuzz", "--seed", "0", "--count", "12", "--seconds", "300"])

    assert fuzz.main() == 1
    out = capsys.readouterr().out
    assert "KeyError: 'area'" in out
    assert "seeds 0 to 11: " in out


def test_a_few_cases_pass(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fuzz", "--seed", "0", "--count", "30", "--seconds", "300"])

    assert fuzz.main() == 0, capsys.readouterr().out
