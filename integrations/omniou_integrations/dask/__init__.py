"""Evaluation on Dask: shards of files, or DataFrames, to the same bits as in one process.

A script that lets `evaluate` start workers of its own must be guarded by ``if __name__ == "__main__":``, since the
workers import it.
"""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from omniou._lib import extras

extras.check_adapter(__name__, "dask", "distributed")

from omniou import detection
from omniou.data import InputWarning, Options
from omniou.data.shards import Rules
from omniou_integrations.dask._run import Progress, Run, findings, state_of
from omniou_integrations.dask._tree import FAN_IN, EngineError, connected, reduce

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["EngineError", "evaluate", "reduce", "state"]


def __dir__() -> list[str]:
    return __all__


def evaluate(
    targets: Any,
    detections: Any = None,
    *,
    protocol: detection.Protocol | str | None = None,
    kind: Any = None,
    **options: Any,
) -> detection.Result[Any]:
    """Average precision and recall of shards, on the workers of a cluster: the numbers of one process, to the bit.

    Parameters
    ----------
    targets, detections
        Of objects and detections: a file, a directory, a pattern such as ``"truth/*.parquet"``, a list of files, which
        go together by name or by order; a list of pairs of files as `targets`, without `detections`; or two DataFrames
        of Dask with the columns of Parquet files (docs/files.md). Workers must see the files.
    protocol : Protocol or str, optional
        The rules, as for `omniou.detection.evaluate`.
    kind : str or geometry
        What is compared, as there.
    **options
        The same as for `state`.

    Returns
    -------
    omniou.detection.Result
        The result of `omniou.detection.compute`: boxes are not kept.

    Raises
    ------
    InputError, ValueError, EngineError
        The same as `state`.

    Examples
    --------
    >>> from omniou_integrations.dask import evaluate
    >>> result = evaluate("truth/*.parquet", "found/*.parquet", client="tcp://10.0.0.1:8786")  # doctest: +SKIP
    """
    return detection.compute([state(targets, detections, protocol=protocol, kind=kind, **options)])


def state(
    targets: Any,
    detections: Any = None,
    *,
    protocol: detection.Protocol | str | None = None,
    kind: Any = None,
    score: Any = None,
    offset: float = 0.0,
    class_agnostic: bool = False,
    similarity: Callable[[Any, Any], Any] | None = None,
    thresholds: Sequence[float] | None = None,
    higher_is_better: bool = True,
    options: Options | None = None,
    formats: tuple[str | None, str | None] = (None, None),
    client: "Client | str | None" = None,
    workers: int | None = None,
    split: Literal["regroup", "error"] = "regroup",
    count: int | None = None,
    checkpoint: Path | str | None = None,
    skip_unreadable: bool = False,
    fan_in: int = FAN_IN,
    progress: Progress | None = None,
) -> Any:
    """The merged state of shards, as `omniou.detection.Evaluator.state` of all of them.

    Parameters
    ----------
    targets, detections, protocol, kind
        The same as for `evaluate`.
    score, offset, class_agnostic
        The same as for `omniou.detection.evaluate`.
    similarity : callable, optional
        A function, as there. It gets the column ``payload`` of DataFrames, as a list, which then need no shapes; else
        the shapes that were read. docs/dask.md has the way for matrices and pairs.
    thresholds, higher_is_better
        Of `similarity`, as there.
    options : Options, optional
        Options of the readers of files. Default: by `kind`.
    formats : pair of str or None
        Formats of both, of `omniou.data.FORMATS`. Default: as the content tells.
    client : distributed.Client, or str, optional
        Or the address of a scheduler. Default: the client of this process, or workers on this machine.
    workers : int, optional
        Processes on this machine to start for it, with a thread each, where there is no `client`.
    split : {"regroup", "error"}
        Where rows of an image are in two files of Parquet, or partitions of a DataFrame: regroup all rows by image,
        which sends them over the network, or raise SplitImageError. Files of other formats cannot be regrouped.
    count : int, optional
        How many shards there are where this is open: of directories with a file for each image, by default one for each
        500 of them; and after regrouping, by default as many as before.
    checkpoint : path, optional
        A directory that all workers see: what came of a shard is kept there, and is computed anew only if its files
        changed. Not for DataFrames, rows that must be regrouped, nor functions and geometries of your own, whose edits
        it would not see.
    skip_unreadable : bool
        Go on without the shards that cannot be read, with a warning for each, instead of raising InputError.
    fan_in : int
        States that one task merges.
    progress : callable, optional
        Called after each shard with the number of shards that are done and of all, and the `Size` of what was read so
        far.

    Raises
    ------
    InputError
        The message names the file, the record and the field; or the shards that do not go together.
    SplitImageError
        If an image is in two shards that are not regrouped.
    EngineError
        If no scheduler answers, it goes away, or workers die again and again. A checkpoint stays usable.
    TypeError, ValueError
        The same as `omniou.detection.evaluate`, or if an option is unknown.
    """
    if options is None:
        given: Any = kind if isinstance(kind, str) and kind != "similarity" else "bbox"  # Options checks it
        options = Options(kind=given)
    rules = Rules(
        protocol=protocol,
        kind=kind,
        score=score,
        offset=offset,
        class_agnostic=class_agnostic,
        options=options,
        formats=formats,
        similarity=similarity,
        thresholds=thresholds,
        higher_is_better=higher_is_better,
    )
    with connected(client, workers=workers) as cluster:
        run = Run(cluster, skip=skip_unreadable, fan_in=fan_in, progress=progress)
        whole = run(targets, detections, rules, split=split, count=count, checkpoint=checkpoint)
    merged = state_of(whole)
    for finding in findings(whole.part):
        warnings.warn(InputWarning(finding), stacklevel=2)
    return merged
