"""How many threads omniou may use."""

import os

import pytest

from omniou._lib import threads


@pytest.fixture(autouse=True)
def four_cpus(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.delenv("OMNIOU_THREADS", raising=False)


def test_threads_are_the_cpus_unless_told():
    assert threads.most() == 4


def test_variable_says_how_many(monkeypatch):
    monkeypatch.setenv("OMNIOU_THREADS", "2")
    assert threads.most() == 2
    for wrong in ("0", "-1", "two"):
        monkeypatch.setenv("OMNIOU_THREADS", wrong)
        with pytest.raises(ValueError, match=f"OMNIOU_THREADS must be a positive integer, got '{wrong}'"):
            threads.most()


def test_limited_goes_before_the_variable(monkeypatch):
    monkeypatch.setenv("OMNIOU_THREADS", "3")
    with threads.limited(1):
        assert threads.most() == 1
        with threads.limited(2):
            assert threads.most() == 2
        assert threads.most() == 1
    assert threads.most() == 3


def test_each_in_one_thread_keeps_the_order():
    done = []
    with threads.limited(1):
        threads.each(done.append, [(k,) for k in range(20)], threads=4, few=1)
    assert done == list(range(20))
