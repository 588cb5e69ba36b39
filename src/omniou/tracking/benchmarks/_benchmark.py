"""What a data set declares: its classes and its rules; and the rows that its rules keep."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from omniou._doctor.columns import Column, np
from omniou._lib.brief import Brief
from omniou.tracking._tables import Tracks
from omniou.tracking.benchmarks._table import BothTables


class KeptRows:
    """Which rows of a table remain, and why the others do not.

    Parameters
    ----------
    classes : array of str, shape (N,)
        The class that each row is evaluated as.
    """

    def __init__(self, classes: Column) -> None:
        self.classes = classes
        self.rows = np.ones(len(classes), dtype=bool)
        self.dropped: dict[str, Column] = {}

    def drop(self, which: Column, reason: str) -> None:
        """Exclude the rows of a mask, unless they are excluded already."""
        now = which & self.rows
        if now.any():
            before = self.dropped.get(reason, np.empty(0, dtype=np.int64))
            self.dropped[reason] = np.sort(np.concatenate([before, np.flatnonzero(now)]))
            self.rows &= ~now

    def drop_rows(self, rows: Column, reason: str) -> None:
        """Exclude rows by number."""
        which = np.zeros(len(self.rows), dtype=bool)
        which[rows] = True
        self.drop(which, reason)

    def drop_other_classes(self, classes: tuple[str, ...]) -> None:
        """Exclude classes that are not evaluated, each counted by its name."""
        for name in np.unique(self.classes[self.rows & ~np.isin(self.classes, classes)]):
            self.drop(self.classes == name, f"class {name}")


BenchmarkRules: TypeAlias = Callable[[BothTables], tuple[KeptRows, KeptRows]]


@dataclasses.dataclass(frozen=True, slots=True)
class Benchmark:
    """A data set, as its module declares it.

    Attributes
    ----------
    name : str
        Its name for `protocol` and ``--protocol``.
    title : str
        A description in a few words.
    rules : callable
        Takes both tables and returns the rows of each that remain, and why the others do not.
    classes : tuple of str
        Classes to evaluate, each separately; empty for all classes that occur.
    files : str
        The format of its files.
    first_frame : int
        The number of the first frame of a sequence.
    sequences : str
        A regular expression that the names of its sequences match; empty if the names have no pattern.
    averaged : bool
        Whether the data set averages over classes. Classes that neither side has then count as 0.
    groups : mapping of str to tuple of str
        Classes that are also evaluated together.
    """

    name: str
    title: str
    rules: BenchmarkRules
    classes: tuple[str, ...] = ()
    files: str = "mot"
    first_frame: int = 1
    sequences: str = ""
    averaged: bool = False
    groups: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)


class DroppedRows(NamedTuple):
    """Rows that the rules exclude.

    Attributes
    ----------
    side : str
        "ground_truth" or "tracks".
    reason : str
    rows : array of integers, shape (K,)
        Rising.
    """

    side: str
    reason: str
    rows: Any


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class PreparedTracks(Brief):
    """The rows of both tables that the rules of a data set keep, and all that they exclude.

    Attributes
    ----------
    benchmark : str
        Name of the data set.
    ground_truth, tracks : Tracks
        The rows that remain, in NumPy, with classes by name.
    classes : tuple of str
        Classes to evaluate; empty for all classes that occur.
    dropped : list of DroppedRows
        Each row that was excluded, once.
    """

    benchmark: str
    ground_truth: Tracks[Any]
    tracks: Tracks[Any]
    classes: tuple[str, ...]
    dropped: list[DroppedRows]

    def counts(self) -> dict[str, dict[str, int]]:
        """How many rows were excluded, by table and reason."""
        out: dict[str, dict[str, int]] = {"ground_truth": {}, "tracks": {}}
        for x in self.dropped:
            out[x.side][x.reason] = len(x.rows)
        return out
