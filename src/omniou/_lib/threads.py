"""Jobs that spend their time inside a library that lets other threads run."""

import collections
import contextvars
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

# Jobs for each thread, below which it costs more to start than it saves.
FEW = 4


def each(work: Callable[..., None], jobs: Sequence[tuple[Any, ...]], *, threads: int, few: int | None = None) -> None:
    """Do all jobs, at least a few in each thread; what one raises is raised."""
    threads = min(threads, len(jobs) // (few or FEW))
    if threads <= 1:
        for job in jobs:
            work(*job)
        return
    left = collections.deque(jobs)

    def work_on() -> None:
        while True:
            try:
                job = left.popleft()
            except IndexError:
                return
            work(*job)

    # The caller works too. The others do so in copies of its context, which holds NumPy's handling of errors.
    others = [_pool().submit(contextvars.copy_context().run, work_on) for _ in range(threads - 1)]
    try:
        work_on()
    finally:
        left.clear()  # if the caller failed, the others need not go on
        # Who has not begun is busy elsewhere, and not needed any more.
        begun = [other for other in others if not other.cancel()]
        failures = [other.exception() for other in begun]
    for failure in filter(None, failures):
        raise failure


def mapped(work: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], *, threads: int) -> list[Any]:
    """Results in the order of the jobs; of several errors, that of the first job is raised."""
    found: dict[int, Any] = {}
    errors: dict[int, Exception] = {}

    def keep(number: int, job: tuple[Any, ...]) -> None:
        # Behind one that failed there is nothing to do; of those before it, another may fail.
        if any(failed < number for failed in list(errors)):
            return
        try:
            found[number] = work(*job)
        except Exception as error:  # noqa: BLE001  # whatever it is, another may come first
            errors[number] = error

    each(keep, list(enumerate(jobs)), threads=threads, few=1)
    if errors:
        raise errors[min(errors)]
    return [found[number] for number in range(len(jobs))]


@functools.cache
def _pool() -> Any:
    """The other threads. They stay: what a new one allocates, the system has to hand out anew, page by page."""
    # Loaded late: few calls need it, and `import omniou` is to be quick.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), thread_name_prefix="omniou")


if hasattr(os, "register_at_fork"):
    # A forked process has none of the threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
