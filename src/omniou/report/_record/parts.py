"""The parts of a record: inputs, intervals, gates, and groups of rows."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from omniou._results.shown import lower_is_better
from omniou.report._record.tables import Best, BestCount, Cell, Table
from omniou.report._record.values import plain

# Decimals of numbers in tables.
_SHOWN = 3

# Counts for which neither lower nor higher is better.
_NEITHER = r"PT|PTR|(GT_)?(Dets|IDs)|n|n_(th|st)|CLR_TP|IDTP|MT"


def ranked(number: str, values: Sequence[float | None], *, is_lower: bool = False) -> list[float]:
    """Return the different values of a number, the best first; none if they are equal, or neither end is better.

    `is_lower` says that the lowest is best, of a number that `lower_is_better` does not know. Values come as they are
    shown, since 50.51 and 50.49 rank equal where both are 50.5.
    """
    if re.fullmatch(_NEITHER, number):
        return []
    known = sorted({x for x in values if x is not None}, reverse=not (is_lower or lower_is_better(number)))
    return known if len(known) > 1 else []


def marked(number: str, values: Sequence[float | None]) -> list[Cell]:
    """Return values of models as cells, the best ones marked."""
    shown = [None if x is None else round(x, _SHOWN) for x in values]
    best = next(iter(ranked(number, shown)), None)
    kind = BestCount if all(isinstance(x, int) for x in values if x is not None) else Best
    return [kind(x) if x is not None and y == best else x for x, y in zip(values, shown, strict=True)]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A file or a directory that was read.

    Attributes
    ----------
    role : str
        "ground truth" or "detections".
    path : str
        As it was given; "-" is the standard input.
    format : str
        The name of its format, one of `omniou.data.FORMATS`.
    sha256 : str
        SHA-256 of a file. For a directory, SHA-256 of lines ``sha256  name`` of its files, sorted by name.
    files, bytes : int
        How many files, and their size together.
    """

    role: str
    path: str
    format: str
    sha256: str
    files: int
    bytes: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number with its interval: see `omniou.detection.Interval`; None where there is none.

    Attributes
    ----------
    value, low, high, error, bias, corrected : float or None
    samples : list of float
        The number in each sample, rounded to 7 digits; None if a sample has no objects. Records with the same images
        and seed have the same samples of images, so their differences are a paired bootstrap.
    doubtful : bool
        Whether the interval is unreliable. Others hold the true number in 90 to 95 % of sets, where 95 % is asked for.
    images_per_class : float or None
        Images, or other units, that hold an object of a class: the harmonic mean over the classes.
    least, most : float or None
        The ends of the number; None for no end.
    """

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    bias: float | None
    corrected: float | None
    samples: list[float | None] = dataclasses.field(default_factory=list, repr=False)
    doubtful: bool = False
    images_per_class: float | None = None
    least: float | None = 0.0
    most: float | None = 1.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Bootstrap over the units of an evaluation: images, sequences, videos.

    Attributes
    ----------
    samples, seed, confidence
        As `omniou.detection.bootstrap` was told.
    numbers : dict of str to Measured
        By the names of the summary.
    doubt : str
        Why the intervals are unreliable, such as few objects of many classes; empty if they are reliable. If this
        concerns only some of the numbers, it starts with their names.
    """

    samples: int
    seed: int
    confidence: float
    numbers: dict[str, Measured]
    doubt: str = ""

    def is_hidden(self, name: str) -> bool:
        """Return whether the interval of a number is hidden by default: there is none, or it is doubtful."""
        measured = self.numbers.get(name)
        return measured is None or measured.low is None or measured.high is None or measured.doubtful


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A condition that a build depends on.

    Attributes
    ----------
    condition : str
        Such as "AP50 >= 0.6".
    value : float or None
        What the number is.
    passed : bool
        Whether the condition holds; False if there is no number.
    detail : str
        More about it, such as the interval of a drop; may be empty.
    """

    condition: str
    value: int | float | None
    passed: bool
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The same numbers of each class, sequence or image.

    Attributes
    ----------
    key : str
        Its name in JSON, such as "per_class".
    title : str
        Of the table, such as "Each class".
    rows : list of dict
        "name", by which gates choose a row, and numbers or words by name; all rows have the same names.
    columns : tuple of str
        Names of what tables show, in order. Default: all of the first row.
    heading : str
        Of the column of names.
    printed : bool
        Whether the terminal shows it by default; ``--per-class`` and pages show all.
    """

    key: str
    title: str
    rows: list[dict[str, Any]]
    columns: tuple[str, ...] = ()
    heading: str = "name"
    printed: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", plain(self.rows))

    @property
    def names(self) -> list[str]:
        """Names of all numbers and words of a row."""
        return [x for x in (self.rows[0] if self.rows else ()) if x != "name"]

    @property
    def table(self) -> Table:
        """A line for each row."""
        names = list(self.columns or self.names)
        cells = [[row["name"], *(_cell(row.get(name)) for name in names)] for row in self.rows]
        return Table(self.title, [self.heading, *(x.replace("_", " ") for x in names)], cells)


def _cell(x: Any) -> Cell:
    return ("yes" if x else "no") if isinstance(x, bool) else x
