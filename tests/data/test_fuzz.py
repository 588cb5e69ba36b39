"""The session `fuzz` of nox: it knows every format and option, finds what is broken, and a seed is a case."""

import pytest

pytest.importorskip("PIL", reason="Pillow is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from omniou.cli import _files as files
from omniou.data import FORMATS
from tests.fuzz import __main__ as fuzz
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


def test_files_of_options_are_options():
    known = {name for command in GROUP.values() for name in options_of(command)}

    assert set(FILES) <= known


def test_seed_is_a_case(corpus, tmp_path):
    first, again, other = (words(seed, corpus, tmp_path / str(k)) for k, seed in enumerate((7, 7, 8)))

    assert first == again
    assert first != other


def test_fault_of_a_reader_is_found(monkeypatch, capsys):
    kept = "area"

    def broken(*_, **__):
        raise KeyError(kept)

    monkeypatch.setattr(files, "read", broken)
    monkeypatch.setattr("sys.argv", ["fuzz", "--seed", "0", "--count", "12", "--seconds", "60"])

    assert fuzz.main() == 1
    out = capsys.readouterr().out
    assert "KeyError: 'area'" in out
    assert "seeds 0 to 11: " in out


def test_a_few_cases_pass(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fuzz", "--seed", "0", "--count", "30", "--seconds", "60"])

    assert fuzz.main() == 0, capsys.readouterr().out
