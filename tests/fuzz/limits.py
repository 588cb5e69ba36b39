"""Run a case in a process of its own, which is measured: what it allocates, computes, and how it ends."""

import multiprocessing
import resource
import time
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

MEMORY = 2**30  # bytes, beyond what this process has
SECONDS = 20.0  # of computing, not of waiting
PATIENCE = 300.0  # seconds of any kind, after which it hangs
_GUARD = 2**33  # bytes of addresses, for the machine's sake


class Ended(NamedTuple):
    """How a process ended: what its function returned, or what is wrong."""

    value: Any = None
    fault: str = ""


def run(*functions: Callable[[], Any]) -> list[Ended]:
    """Call functions at the same time, each in a fork."""
    context = multiprocessing.get_context("fork")
    started = []
    for function in functions:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_child, args=(function, sender))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of forks beside threads, by Python and by JAX: the child starts none
            process.start()
        sender.close()
        started.append((process, receiver))
    return [_ended(process, receiver) for process, receiver in started]


def _child(function: Callable[[], Any], sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_GUARD, _GUARD))
    before, begun = _peak(), time.process_time()
    try:
        value, fault = function(), ""
    except BaseException:  # noqa: BLE001  (whatever it is, it is the outcome)
        value, fault = None, traceback.format_exc()
    took, grown = time.process_time() - begun, _peak() - before
    if took > SECONDS:
        fault += f"took {took:.1f} seconds of computing, more than {SECONDS:g}\n"
    if grown > MEMORY:
        fault += f"took {grown / 2**20:,.0f} MiB of memory, more than {MEMORY / 2**20:,.0f}\n"
    sender.send(Ended(value, fault))


def _peak() -> int:
    """The most memory of this process so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _ended(process: multiprocessing.process.BaseProcess, receiver: Connection) -> Ended:
    try:
        if receiver.poll(PATIENCE):
            return receiver.recv()  # type: ignore[no-any-return]
        process.kill()
        return Ended(fault=f"did not end within {PATIENCE:g} seconds\n")
    except EOFError:
        process.join()
        return Ended(fault=f"the process ended without a word, exit code {process.exitcode}\n")
    finally:
        process.join()
        receiver.close()
