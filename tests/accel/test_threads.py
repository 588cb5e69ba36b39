"""The pool of threads: errors, nesting and forks."""

import os
import subprocess
import sys
import threading

import pytest

from omniou._lib import accel, threads

pytestmark = pytest.mark.skipif(accel.SWITCH == "off", reason="OMNIOU_ACCEL=off: there are no threads")


@pytest.mark.parametrize("by_caller", [True, False])
def test_each_raises_exception_of_a_job(monkeypatch, by_caller):
    monkeypatch.setattr(threads, "FEW", 1)
    both_work = threading.Barrier(2)

    def work(_):
        both_work.wait(timeout=60)
        if (threading.current_thread() is threading.main_thread()) == by_caller:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        threads.each(work, [(0,), (1,)], threads=2)


NESTED = """
import os, threading
from omniou._lib import threads

os.cpu_count = lambda: 2
both_work, done = threading.Barrier(2), []

def work(number):
    both_work.wait(timeout=30)
    threads.each(lambda k: done.append((number, k)), [(k,) for k in range(4)], threads=4, few=1)
    both_work.wait(timeout=30)

threads.each(work, [(0,), (1,)], threads=2, few=1)
assert sorted(done) == [(number, k) for number in range(2) for k in range(4)]
"""


def test_each_inside_a_job_does_not_deadlock():
    """A job that waits for jobs of its own does them itself where every thread is busy."""
    subprocess.run([sys.executable, "-c", NESTED], check=True, timeout=120)


FORKED = """
import os, sys, threading
from omniou._lib import threads

def both_work():
    barrier = threading.Barrier(2)
    threads.each(lambda _: barrier.wait(timeout=30), [(0,), (1,)], threads=2, few=1)

both_work()
child = os.fork()
if child == 0:
    both_work()
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_each_after_fork_starts_new_threads():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)
