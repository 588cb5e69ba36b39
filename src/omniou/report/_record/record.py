"""The record of an evaluation: plain values, a versioned schema, JSON and back."""

import dataclasses
import json
from typing import Any

import msgspec

from omniou._catalogue.geometry import Words
from omniou._inputs.kinds import words_of
from omniou.data import Finding

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
class Counts:
    """How much was compared."""

    images: int
    categories: int
    annotations: int
    crowds: int
    detections: int


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
        Images that hold an object of a class, the harmonic mean over the classes.
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


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Bootstrap over images.

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
        if measured is None or measured.low is None or measured.high is None:
            return True
        # Records of earlier versions have only the words.
        return measured.doubtful or bool(self.doubt and not any(x.doubtful for x in self.numbers.values()))


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
class Record:
    """An evaluation as plain values, from which every output is made.

    Attributes
    ----------
    schema : int
        `SCHEMA`.
    omniou : str
        Version of the library.
    summary : dict of str to float
        The numbers by name, in COCO's order; None where there is nothing to average over.
    counts : Counts
    per_class : list of dict
        "id", "name", "objects" (those that count) and the numbers of `summary` of each class, in the order of ids.
    areas : list of dict
        "name", "low", "high" (None: no end), "objects", "AP" and "AR" of each area range, at the last limit.
    images : str
        SHA-256 of the sorted ids of the images in decimal, one a line: equal for evaluations of the same images.
    kind : str
        What was compared: "bbox", "segm" or another; with the score, where that is not IoU.
    protocol : dict
        The fields of `omniou.detection.Protocol`, and its "name" where it is one of the presets.
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
    intervals : Intervals, optional
    gates : list of Gate
    analyses : dict
        By the names of `ANALYSES`, as far as they were asked for: JSON's values.

    Examples
    --------
    >>> from omniou import detection, report
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.5]}]
    >>> record = report.record(detection.evaluate(truth, found), names={1: "cat"})
    >>> round(record.summary["AP50"], 3), record.per_class[0]["name"], record.counts.detections
    (1.0, 'cat', 1)
    >>> report.Record.from_json(record.to_json()) == record
    True
    """

    summary: dict[str, float | None]
    counts: Counts
    per_class: list[dict[str, Any]]
    areas: list[dict[str, Any]]
    images: str
    kind: str
    protocol: dict[str, Any]
    omniou: str
    schema: int = SCHEMA
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    inputs: list[Input] = dataclasses.field(default_factory=list)
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    warnings: list[Finding] = dataclasses.field(default_factory=list)
    assumptions: list[str] = dataclasses.field(default_factory=list)
    intervals: Intervals | None = None
    gates: list[Gate] = dataclasses.field(default_factory=list)
    analyses: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def words(self) -> Words:
        """What output calls things: intervals are in videos."""
        return words_of(self.kind)

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, numbers in full precision; null where there is no data.

        Parameters
        ----------
        indent : int, optional
            None for one line.
        """
        head = {"schema": self.schema, "omniou": self.omniou}
        return json.dumps(head | dataclasses.asdict(self), indent=indent, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, /) -> "Record":
        """The record that `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not JSON, is not a record, is of another version of the schema, or does not fit itself.
        """
        data = text.encode() if isinstance(text, str) else text
        try:
            head = msgspec.json.decode(data, type=_Head)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"`text` must be the JSON of a record: {error}") from None
        if head.comparison:
            raise ValueError(
                "`text` is a comparison that `omniou compare --format json` wrote: records are the elements in it"
            )
        version = head.schema
        if version is None and isinstance(head.kind, str):
            raise ValueError(f"`text` is an evaluation of kind {head.kind!r}: only records of detections are read back")
        if version != SCHEMA:
            known = "no record that `omniou eval --format json` wrote" if version is None else f"of schema {version}"
            raise ValueError(
                f"`text` must be a record of schema {SCHEMA}, got one {known}" if version else f"`text` is {known}"
            )
        from omniou.report._record.checks import fault_of

        try:
            record = msgspec.json.decode(data, type=cls)
        except msgspec.ValidationError as error:
            raise ValueError(f"`text` must be the JSON of a record: {error}") from None
        if fault := fault_of(record):
            raise ValueError(f"`text` must be the JSON of a record: {fault}")
        return record


class _Head(msgspec.Struct):
    """Enough to tell a record from other JSON."""

    schema: Any = None
    kind: Any = None
    comparison: Any = None
