"""A pool of threads for jobs that spend their time inside a library that lets other threads run."""

import collections
import contextvars
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any


def each(work: Callable[..., None], jobs: Sequence[tuple[Any, ...]], threads: int) -> None:
    """Do all jobs; what one raises is raised."""
    left = collections.deque(jobs)

    def work_on() -> None:
        while True:
            try:
                job = left.popleft()
            except IndexError:
                return
            work(*job)

    # The calling thread works too. The others run in copies of its context, which holds NumPy's error handling.
    others = [_pool().submit(contextvars.copy_context().run, work_on) for _ in range(threads - 1)]
    try:
        work_on()
    finally:
        left.clear()  # if the caller failed, the others need not go on
        # A job that has not begun is waiting for a busy thread and is no longer needed.
        begun = [other for other in others if not other.cancel()]
        failures = [other.exception() for other in begun]
    for failure in filter(None, failures):
        raise failure


@functools.cache
def _pool() -> Any:
    """The other threads. They stay: memory that a new thread allocates is handed out anew, page by page."""
    # Loaded late: few calls need it, and `import omniou` is to be quick.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), thread_name_prefix="omniou")


if hasattr(os, "register_at_fork"):
    # A forked process has none of the threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
