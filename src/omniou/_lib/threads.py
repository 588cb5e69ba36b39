"""Jobs that spend their time inside a library that lets other threads run."""

import contextvars
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def each(work: Callable[..., None], jobs: Iterable[tuple[Any, ...]], *, threads: int) -> None:
    """Do all jobs; what one raises is raised."""
    if threads == 1:
        for job in jobs:
            work(*job)
        return
    with ThreadPoolExecutor(threads) as pool:
        # In copies of the caller's context, which holds NumPy's handling of errors.
        for done in [pool.submit(contextvars.copy_context().run, work, *job) for job in jobs]:
            done.result()


def available() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1
