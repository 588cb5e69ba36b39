"""Jobs that spend their time inside a library that lets other threads run."""

import contextvars
from collections.abc import Callable, Iterable
from typing import Any


def each(work: Callable[..., None], jobs: Iterable[tuple[Any, ...]], *, threads: int) -> None:
    """Do all jobs; what one raises is raised."""
    if threads == 1:
        for job in jobs:
            work(*job)
        return
    # Loaded late: few calls need it, and `import omniou` is to be quick.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        # In copies of the caller's context, which holds NumPy's handling of errors.
        for done in [pool.submit(contextvars.copy_context().run, work, *job) for job in jobs]:
            done.result()
