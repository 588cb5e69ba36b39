"""The record of an evaluation: plain values, a versioned schema, JSON and back."""

import dataclasses
import json
from typing import Any

from omniou import __version__
from omniou._catalogue.geometry import Words
from omniou._inputs.kinds import words_of
from omniou.data import Finding
from omniou.report._record.tables import Cell, Table, counted
from omniou.report._record.values import plain

SCHEMA = 1
"""Version of the layout of `Record.to_json`: a reader takes this one alone. Fields may be added without a new one."""


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
        Of the bytes of a file. Of a directory, that of the lines ``sha256  name`` of its files, by name.
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
        In the order of drawing, rounded to 7 digits, None where a sample has no objects: of two records of the same
        images and seed, differences of samples are those of the paired bootstrap.
    doubtful : bool
        Whether the interval holds less often than it says.
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
        Why the intervals may not hold what they say, such as few objects of many classes; empty where nothing is known
        against them. If it concerns some of the numbers only, it starts with their names.
    """

    samples: int
    seed: int
    confidence: float
    numbers: dict[str, Measured]
    doubt: str = ""

    def is_hidden(self, name: str) -> bool:
        """Whether the interval of a number is not shown unasked: there is none, or it is doubtful."""
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
        Never, where there is no number.
    detail : str
        More about it, such as the interval of a drop; may be empty.
    """

    condition: str
    value: float | None
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
        "name", which gates ask for, and numbers or words by name; all rows have the same names. JSON may have an "id",
        which tables leave out.
    columns : tuple of str
        Names of what tables show, in order. Default: all of the first row.
    heading : str
        Of the column of names.
    printed : bool
        Whether the terminal shows it unasked; ``--per-class`` and pages show all.
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
        return [x for x in (self.rows[0] if self.rows else ()) if x not in {"id", "name"}]

    @property
    def table(self) -> Table:
        """A line for each row."""
        names = list(self.columns or self.names)
        cells = [[row["name"], *(_cell(row.get(name)) for name in names)] for row in self.rows]
        return Table(self.title, [self.heading, *(x.replace("_", " ") for x in names)], cells)


def _cell(x: Any) -> Cell:
    return ("yes" if x else "no") if isinstance(x, bool) else x


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An evaluation of any kind as plain values, from which every output is made.

    Attributes
    ----------
    schema : int
        `SCHEMA`.
    omniou : str
        Version of the library.
    kind : str
        What was compared, as ``omniou eval --kind`` names it: "bbox", "tracks"; with the score, where that is not IoU.
    protocol : dict or str
        Of detections the fields of `omniou.detection.Protocol`, and its "name" where it is one of the presets. Of other
        kinds the name of the rules; empty where a kind has only one way.
    title : str
        What was evaluated, in a line. Default: the counts and the kind.
    units : str
        What a bootstrap draws and a comparison exchanges, in the plural: "images", "sequences", "videos".
    images : str
        SHA-256 of the sorted ids of the units, one a line: equal for evaluations of the same images or sequences. Empty
        where they are not known.
    summary : dict of str to float
        The numbers by name, the one that decides first; None where there is nothing to average over.
    words : dict of str to str
        What numbers are, in a few words, by name: the ones that tables show, in order.
    counts : dict of str to int
        How much was compared: "images", "detections", "frames".
    groups : list of Group
        By class, by sequence and so on. JSON has their rows by their keys.
    areas : list of dict
        Of detections: "name", "low", "high" (None: no end), "objects", "AP" and "AR" of each area range, at the last
        limit. Else empty.
    tables : list of Table
        What else is shown.
    charts : dict of str to Chart
        By name, as pages draw them.
    intervals : Intervals, optional
    analyses : dict
        Of detections, by the names of `ANALYSES`, as far as they were asked for: JSON's values.
    details : dict
        What only JSON has, by name.
    gates : list of Gate
    options : dict
        Options that were given, by name.
    inputs : list of Input
        Empty where the evaluation was of arrays.
    versions : dict of str to str
        Of Python and the libraries that computed.
    warnings : list of Finding
        What makes the numbers doubtful.
    assumptions : list of str
        What was assumed because nothing said otherwise, a sentence each.

    Examples
    --------
    >>> from omniou import detection, report
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.5]}]
    >>> record = report.record(detection.evaluate(truth, found), names={1: "cat"})
    >>> round(record.summary["AP50"], 3), record.per_class[0]["name"], record.counts["detections"]
    (1.0, 'cat', 1)
    >>> report.Record.from_json(record.to_json()) == record
    True
    >>> own = report.Record(kind="semantic", summary={"mIoU": 0.75}, words={"mIoU": "mean IoU of classes"})
    >>> own.title, report.Record.from_json(own.to_json()) == own
    ('Semantic', True)
    """

    kind: str
    summary: dict[str, float | None]
    words: dict[str, str]
    schema: int = SCHEMA
    omniou: str = __version__
    protocol: dict[str, Any] | str = ""
    title: str = ""
    units: str = "images"
    images: str = ""
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    groups: list[Group] = dataclasses.field(default_factory=list)
    areas: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    tables: list[Table] = dataclasses.field(default_factory=list)
    charts: dict[str, Any] = dataclasses.field(default_factory=dict)
    intervals: Intervals | None = None
    analyses: dict[str, Any] = dataclasses.field(default_factory=dict)
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    gates: list[Gate] = dataclasses.field(default_factory=list)
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    inputs: list[Input] = dataclasses.field(default_factory=list)
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    warnings: list[Finding] = dataclasses.field(default_factory=list)
    assumptions: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """JSON's values in place of others: None for NaN, lists for tuples."""
        for name in ("summary", "counts", "details", "options"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        for name in ("groups", "gates", "inputs", "warnings", "assumptions"):
            object.__setattr__(self, name, list(getattr(self, name)))
        tables = [Table(x.title, list(x.headings), plain(list(map(list, x.rows))), x.note) for x in self.tables]
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "title", self.title or self._counted())

    def _counted(self) -> str:
        told = ", ".join(counted(value, name.replace("_", " ")) for name, value in self.counts.items())
        rules = f"{self.kind}, the rules of {self.rules}" if self.rules else self.kind
        return f"{told} ({rules})" if told else rules.capitalize()

    @property
    def rules(self) -> str:
        """The name of the protocol; empty where it has none."""
        return self.protocol if isinstance(self.protocol, str) else self.protocol.get("name") or ""

    @property
    def head(self) -> str:
        """The first number, which decides."""
        return next(iter(self.summary))

    @property
    def per_class(self) -> list[dict[str, Any]]:
        """Rows of the group "per_class": of detections "id", "name", "objects" (those that count) and the numbers."""
        return next((group.rows for group in self.groups if group.key == "per_class"), [])

    @property
    def size(self) -> int:
        """How many units there are."""
        return self.counts.get(self.units, self.counts.get("images", 0))

    @property
    def shapes(self) -> Words:
        """What output calls the shapes of detections and what they are in: intervals are in videos."""
        return words_of(self.kind)

    def to_dict(self) -> dict[str, Any]:
        """JSON's values: of each group the rows by its key, and what describes it in "groups"."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        details, groups = fields.pop("details"), fields.pop("groups")
        head = {name: fields.pop(name) for name in _FIRST}
        declared = [{name: x for name, x in plain(group).items() if name != "rows"} for group in groups]
        rows = {group.key: group.rows for group in groups}
        charts = {name: {"type": type(x).__name__} | plain(x) for name, x in fields.pop("charts").items()}
        return head | rows | details | plain(fields) | {"charts": charts, "groups": declared}

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, numbers in full precision; null where there is no data.

        Parameters
        ----------
        indent : int, optional
            None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, /) -> "Record":
        """The record that `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not JSON, is not a record, is of another version of the schema, or does not fit itself.
        """
        from omniou.report._record.reading import read

        return read(text)


# Fields at the start of JSON.
_FIRST = ("schema", "omniou", "kind", "protocol", "title", "summary", "words", "counts")
