"""Jobs that spend their time inside a library that lets other threads run."""

import collections
import contextvars
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
    # Loaded late: few calls need it, and `import omniou` is to be quick.
    from concurrent.futures import ThreadPoolExecutor

    left = collections.deque(jobs)

    def work_on() -> None:
        while True:
            try:
                job = left.popleft()
            except IndexError:
                return
            work(*job)

    # The caller works too. The others do so in copies of its context, which holds NumPy's handling of errors.
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(contextvars.copy_context().run, work_on) for _ in range(threads - 1)]
        try:
            work_on()
        finally:
            left.clear()  # if the caller failed, the others need not go on
        for done in others:
            done.result()
