"""Map and reduce by Dask: a tree of merges of fixed fan-in, which ends in the calling process."""

import contextlib
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import dask
from distributed import Client, LocalCluster, as_completed, get_client
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from omniou._lib import threads

S = TypeVar("S")
T = TypeVar("T")

# States that one task merges.
FAN_IN = 8
# Of glibc: arrays that are given back stay with the process. Dask's own setting hands each to the system, whose pages
# are then faulted in again.
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
_KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(2**30), "MALLOC_MMAP_THRESHOLD_": str(2**30)}
# Seconds to wait for an answer of the scheduler.
TIMEOUT = 10.0
# How often a cluster on this machine is started: a worker may be killed while it starts.
STARTS = 2
# Workers import the script that starts them.
_GUARD = 'a script that starts workers needs `if __name__ == "__main__":`'


class EngineError(RuntimeError):
    """A cluster could not end its work: no scheduler, a scheduler that went away, or workers that died.

    Or workers of this machine that do not start.
    """


def reduce(
    shards: Sequence[S],
    make_state: Callable[[S], T],
    merge: Callable[[Sequence[T]], T],
    *,
    client: Client | str | None = None,
    fan_in: int = FAN_IN,
    told: Callable[[T], Any] | None = None,
    progress: Callable[[int, int, Any], None] | None = None,
) -> T:
    """Make a state of each shard, and merge all of them: in any order, on the workers of a cluster.

    No task holds more than `fan_in` states. The last ones are merged by the caller.

    Parameters
    ----------
    shards : sequence
        What `make_state` takes: a name of a file, or what Dask computes, such as a partition of a DataFrame.
    make_state : callable
        A shard -> its state. The threads of omniou are 1 in it: how many shards are worked on at a time is said by the
        threads of Dask's workers alone.
    merge : callable
        A list of states, in the order of their shards -> one state.
    client : distributed.Client, or str, optional
        Or the address of a scheduler. Default: the client of this process, if it has one; else the workers of a cluster
        on this machine, a process for each CPU, for as long as the call takes.
    fan_in : int
    told : callable, optional
        A state -> a few values about it, for `progress`.
    progress : callable, optional
        Called after each shard, with the number of those that are done, of all, and what was `told`.

    Returns
    -------
    The state of all shards.

    Raises
    ------
    ValueError
        If there are no shards, or `fan_in` is less than 2.
    EngineError
        If no scheduler answers, it goes away, or workers die again and again.

    Examples
    --------
    Confusion counts, which add:

    >>> import numpy as np
    >>> from omniou import segmentation
    >>> from omniou_integrations.dask import reduce
    >>> def counts(seed):
    ...     labels = np.random.default_rng(seed).integers(2, size=(2, 8, 8))
    ...     return segmentation.confusion(*labels, num_classes=2)
    >>> whole = reduce(range(5), counts, sum, client=client)  # doctest: +SKIP
    """
    states = reduced(shards, make_state, merge, client=client, fan_in=fan_in, told=told, progress=progress)
    return states[0] if len(states) == 1 else merge(states)


def reduced(
    shards: Sequence[S],
    make_state: Callable[[S], T],
    merge: Callable[[Sequence[T]], T],
    *,
    client: Client | str | None,
    fan_in: int,
    levels: int | None = None,
    told: Callable[[T], Any] | None,
    progress: Callable[[int, int, Any], None] | None,
) -> list[T]:
    """The states that are left after so many levels of merges; by default as many as leave at most `fan_in`."""
    shards = list(shards)
    if not shards:
        raise ValueError("`shards` must not be empty")
    if fan_in < 2:
        raise ValueError(f"`fan_in` must be at least 2, got {fan_in}")
    with connected(client) as cluster:
        run = secrets.token_hex(4)
        level = [
            cluster.submit(_limited, make_state, shard, key=f"omniou-{run}-shard-{k}") for k, shard in enumerate(shards)
        ]
        reports = [
            cluster.submit(_nothing if told is None else told, x, key=f"omniou-{run}-told-{k}")
            for k, x in enumerate(level)
        ]
        depth = 0
        while len(level) > fan_in and depth != levels:
            depth += 1
            level = [
                cluster.submit(_limited, merge, level[k : k + fan_in], key=f"omniou-{run}-merge-{depth}-{k}")
                for k in range(0, len(level), fan_in)
            ]
        try:
            for done, (_, report) in enumerate(as_completed(reports, with_results=True), start=1):
                if progress is not None:
                    progress(done, len(shards), report)
            states: list[T] = cluster.gather(level)
        except BaseException:
            with contextlib.suppress(Exception):
                cluster.cancel([*reports, *level], force=True)
            raise
        return states


@contextlib.contextmanager
def connected(client: Client | str | None, *, workers: int | None = None) -> Iterator[Client]:
    """The client to use; what is begun here ends with the context. A cluster that fails is an EngineError there."""
    with _client(client, workers) as there, _engine_errors(there):
        yield there


@contextlib.contextmanager
def _client(client: Client | str | None, workers: int | None) -> Iterator[Client]:
    if isinstance(client, Client):
        yield client
        return
    if client is None and workers is None and (known := _known_client()) is not None:
        yield known
        return
    if isinstance(client, str):
        with _connected_to(client) as there:
            yield there
        return
    # One thread each: calls of NumPy are short, and would wait for each other. What workers log is raised here.
    environment = dask.config.get(_ENVIRONMENT, {}) | _KEEP_MEMORY
    with (
        dask.config.set({_ENVIRONMENT: environment}),
        _started(workers) as cluster,
        Client(cluster) as here,
    ):
        yield here


def _started(workers: int | None) -> LocalCluster:
    """A cluster on this machine, whose workers are all there."""
    for left in reversed(range(STARTS)):
        try:
            return LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
            )
        except Exception as error:
            if not left:
                told = f"the workers on this machine do not start: {str(error).rstrip('.')}; {_GUARD}"
                raise EngineError(told) from error
    raise AssertionError  # the last failure was raised


def _known_client() -> Client | None:
    """The client of this process."""
    try:
        return get_client()
    except ValueError:
        return None


@contextlib.contextmanager
def _connected_to(address: str) -> Iterator[Client]:
    try:
        client = Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise EngineError(f"no scheduler answers at {address} within {TIMEOUT:g} s: {error}") from None
    with client:
        yield client


@contextlib.contextmanager
def _engine_errors(client: Client) -> Iterator[None]:
    """Raise errors of Dask as `EngineError`, in words."""
    try:
        yield
    except EngineError:
        raise
    except KilledWorker as error:
        raise EngineError(f"workers died again and again on {error.task}, perhaps of too little memory") from error
    except Exception as error:
        # A client that lost its scheduler may still call itself running.
        if client.status == "running" and not isinstance(error, CommClosedError | FutureCancelledError):
            raise
        raise EngineError("the scheduler went away in the middle of the run") from error


def _limited(work: Callable[[Any], Any], what: Any) -> Any:
    with threads.limited(1):
        return work(what)


def _nothing(_: Any) -> None:
    """Do nothing with a state."""
