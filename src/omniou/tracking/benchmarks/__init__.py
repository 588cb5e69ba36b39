"""Rules of data sets for tracking: which objects and tracks count.

A module declares the data sets that share its rules, as its `BENCHMARKS`. `apply` takes both tables and gives the rows
that remain, with the number of rows that each rule excluded.
"""

import importlib
from typing import TYPE_CHECKING, Any

from omniou._lib import checks, near

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from omniou.tracking._tables import Tracks
    from omniou.tracking.benchmarks._benchmark import Benchmark, DroppedRows, PreparedTracks
    from omniou.tracking.benchmarks._table import RuleError

__all__ = ["NAMES", "Benchmark", "DroppedRows", "PreparedTracks", "RuleError", "apply", "declared", "every"]

# In the order in which files are recognised by the names of their sequences.
_MODULES = {
    **dict.fromkeys(("mot15", "mot16", "mot17", "mot20", "dancetrack", "sportsmot"), "_mot_challenge"),
    "kitti": "_kitti",
    **dict.fromkeys(("mots", "kitti_mots"), "_mots"),
    "bdd100k": "_bdd100k",
    "plain": "_plain",
}
NAMES = tuple(_MODULES)
"""Names of all data sets, and ``"plain"`` for none."""


def declared(name: str) -> "Benchmark":
    """The data set of a name, one of `NAMES`."""
    checks.choice("name", name, NAMES)
    benchmarks: Sequence[Benchmark] = importlib.import_module(f"{__name__}.{_MODULES[name]}").BENCHMARKS
    return next(x for x in benchmarks if x.name == name)


def every() -> "Iterator[Benchmark]":
    """All data sets, one after the other."""
    return map(declared, NAMES)


def apply(
    name: str, ground_truth: "Tracks[Any]", tracks: "Tracks[Any]", /, *, format: str = "xyxy"
) -> "PreparedTracks":
    """Apply the rules of a data set: exclude objects and tracks that do not count.

    Parameters
    ----------
    name : str
        One of `NAMES`. "dancetrack" and "sportsmot" have the rules of "mot17".
    ground_truth, tracks : Tracks
        Both tables, of all sequences. The rules use `labels` (numbers of MOTChallenge and MOTS, or names) and of
        `columns` "confidence" (MOTChallenge), "occluded" and "truncated" (KITTI) and "crowd" (BDD100K).
    format : str
        Format of the boxes: "xyxy", "xywh" or "cxcywh".

    Returns
    -------
    PreparedTracks
        The rows that remain, for `tracking.evaluate`, and in `dropped` all others with the reason.

    Raises
    ------
    ValueError
        If the name is unknown, or boxes, masks or classes are missing.
    RuleError
        A ValueError that has the row, if its class is not one of the data set's.

    Notes
    -----
    The rules equal TrackEval 1.3.0. Tracks are matched with objects by IoU from one half on. Confidences of
    tracks are never used.

    References
    ----------
    Milan et al., MOT16: A Benchmark for Multi-Object Tracking, arXiv 2016. Geiger et al., Are we ready for autonomous
    driving? The KITTI vision benchmark suite, CVPR 2012. Voigtlaender et al., MOTS: Multi-Object Tracking and
    Segmentation, CVPR 2019. Yu et al., BDD100K, CVPR 2020.

    Examples
    --------
    A track on a static person (class 7) does not count, and neither does the static person:

    >>> from omniou import tracking
    >>> from omniou.tracking import benchmarks
    >>> boxes = [[0, 0, 10, 20], [50, 0, 60, 20]]
    >>> truth = tracking.Tracks(boxes=boxes, frames=[1, 1], ids=[1, 2], labels=[1, 7])
    >>> tracks = tracking.Tracks(boxes=boxes, frames=[1, 1], ids=[5, 6])
    >>> prepared = benchmarks.apply("mot17", truth, tracks)
    >>> prepared.tracks.ids.tolist()
    [5]
    >>> prepared.counts()
    {'ground_truth': {'class static person': 1}, 'tracks': {'matched to an object of class static person': 1}}
    """
    from omniou import boxes
    from omniou._doctor.columns import np
    from omniou.tracking._tables import Tracks
    from omniou.tracking.benchmarks._benchmark import DroppedRows, PreparedTracks
    from omniou.tracking.benchmarks._table import both, taken

    benchmark = declared(name)
    boxes.GEOMETRY.check_format(format)
    checks.instance("ground_truth", ground_truth, Tracks, "Tracks")
    checks.instance("tracks", tracks, Tracks, "Tracks")
    tables = both(ground_truth, tracks, format)
    kept = benchmark.rules(tables)
    rest = [
        taken(table, np.flatnonzero(x.rows), x.classes[x.rows])
        for table, x in zip((ground_truth, tracks), kept, strict=True)
    ]
    dropped = [
        DroppedRows(table.side, reason, rows)
        for table, x in zip(tables, kept, strict=True)
        for reason, rows in x.dropped.items()
    ]
    return PreparedTracks(benchmark.name, rest[0], rest[1], benchmark.classes, dropped)


if not TYPE_CHECKING:
    # The command line needs only the names of the data sets: modules are imported when they are asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names({"_benchmark": ["Benchmark", "DroppedRows", "PreparedTracks"], "_table": ["RuleError"]}),
    )
