"""Jobs that may run side by side: in the threads of `omniou._accel`, or one after the other without it."""

import contextlib
import contextvars
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from omniou._lib import accel

# With fewer jobs for each thread than this, starting the thread costs more than it saves.
FEW = 4

_LIMIT: contextvars.ContextVar[int | None] = contextvars.ContextVar("most threads", default=None)


def most() -> int:
    """Threads that omniou may use: as `limited` says, else the variable ``OMNIOU_THREADS``, else one for each CPU."""
    if (limit := _LIMIT.get()) is not None:
        return limit
    given = os.environ.get("OMNIOU_THREADS")
    if not given:
        return os.cpu_count() or 1
    if not given.isdecimal() or int(given) < 1:
        raise ValueError(f"the environment variable OMNIOU_THREADS must be a positive integer, got {given!r}")
    return int(given)


@contextlib.contextmanager
def limited(count: int) -> Iterator[None]:
    """Inside it, no more than that many: for engines whose own threads are those that compute."""
    token = _LIMIT.set(count)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def each(work: Callable[..., None], jobs: Sequence[tuple[Any, ...]], *, threads: int, few: int | None = None) -> None:
    """Do all jobs, at least a few in each thread; what one raises is raised."""
    threads = min(threads, most(), len(jobs) // (few or FEW))
    if threads > 1 and (pool := accel.module("threads")):
        pool.each(work, jobs, threads)
        return
    for job in jobs:
        work(*job)


def mapped(work: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], *, threads: int) -> list[Any]:
    """Results in the order of the jobs; of several errors, that of the first job is raised."""
    results: dict[int, Any] = {}
    errors: dict[int, Exception] = {}

    def keep(number: int, job: tuple[Any, ...]) -> None:
        # Jobs after the first failure are skipped; an earlier job may still fail.
        if any(failed < number for failed in list(errors)):
            return
        try:
            results[number] = work(*job)
        except Exception as error:  # noqa: BLE001  # whatever it is, another may come first
            errors[number] = error

    each(keep, list(enumerate(jobs)), threads=threads, few=1)
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in range(len(jobs))]
