"""The record of an evaluation: plain values with a versioned schema, which go to JSON and back."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from omniou import __version__
from omniou._catalogue.geometry import Words
from omniou._inputs.kinds import words_of
from omniou._lib.brief import counted
from omniou._results.shown import first_number
from omniou.data import Finding
from omniou.report._record.galleries import Gallery
from omniou.report._record.parts import Gate, Group, Input, Intervals
from omniou.report._record.tables import Table
from omniou.report._record.values import plain

SCHEMA = 1
"""Version of the layout of `Record.to_json`, the only one that is read. Fields may be added without a new version."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An evaluation of any kind as plain values, the source of every output.

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
        What a bootstrap draws and a comparison exchanges, in the plural: "images", "sequences", "videos". Default: the
        first of `counts`.
    images : str
        SHA-256 of the sorted ids of the units, one a line: equal for evaluations of the same images or sequences. Empty
        where they are not known.
    summary : dict of str to float or int
        The numbers by name, the one that decides first; None where there is nothing to average over.
    averaging : str
        Over which classes the summary is a mean, in words, where the kind has no one rule: "mean over car; neither side
        has pedestrian". Else empty.
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
    galleries : dict of str to Gallery
        Images with pictures side by side, such as label maps, by name.
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
    notes : list of str
        What else there is to know, such as what was left out, a sentence each.

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
    summary: Mapping[str, int | float | None]
    words: Mapping[str, str]
    schema: int = SCHEMA
    omniou: str = __version__
    protocol: dict[str, Any] | str = ""
    title: str = ""
    averaging: str = ""
    units: str = ""
    images: str = ""
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    groups: list[Group] = dataclasses.field(default_factory=list)
    areas: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    tables: list[Table] = dataclasses.field(default_factory=list)
    charts: dict[str, Any] = dataclasses.field(default_factory=dict)
    intervals: Intervals | None = None
    analyses: dict[str, Any] = dataclasses.field(default_factory=dict)
    galleries: dict[str, Gallery] = dataclasses.field(default_factory=dict)
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    gates: list[Gate] = dataclasses.field(default_factory=list)
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    inputs: list[Input] = dataclasses.field(default_factory=list)
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    warnings: list[Finding] = dataclasses.field(default_factory=list)
    assumptions: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """JSON's values in place of others: None for NaN, lists for tuples."""
        for name in ("summary", "words", "counts", "details", "options"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        for name in ("groups", "gates", "inputs", "warnings", "assumptions", "notes"):
            object.__setattr__(self, name, list(getattr(self, name)))
        tables = [Table(x.title, list(x.headings), plain(list(map(list, x.rows))), x.note) for x in self.tables]
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "title", self.title or self._counted())
        object.__setattr__(self, "units", self.units or next(iter(self.counts), "images"))

    def _counted(self) -> str:
        told = ", ".join(counted(value, name.replace("_", " ")) for name, value in self.counts.items())
        rules = f"{self.kind}, the rules of {self.rules}" if self.rules else self.kind
        rules += f"; {self.averaging}" if self.averaging else ""
        return f"{told} ({rules})" if told else rules.capitalize()

    @property
    def rules(self) -> str:
        """The name of the protocol; empty where it has none."""
        return self.protocol if isinstance(self.protocol, str) else self.protocol.get("name") or ""

    @property
    def is_scored(self) -> bool:
        """Whether detections have scores."""
        return isinstance(self.protocol, str) or not self.protocol.get("missing_scores")

    @property
    def head(self) -> str:
        """The first number, which decides."""
        return next(iter(self.summary))

    @property
    def per_class(self) -> list[dict[str, Any]]:
        """Rows of the group "per_class": of detections "id", "name", "objects" (those that count) and the numbers."""
        return next((group.rows for group in self.groups if group.key == "per_class"), [])

    @property
    def class_number(self) -> str:
        """The number by which a comparison compares classes: the first number of the summary, if rows have it."""
        rows = self.per_class
        return self.head if rows and self.head in rows[0] else first_number(rows)

    @property
    def size(self) -> int:
        """Number of units."""
        return self.counts.get(self.units, self.counts.get("images", 0))

    @property
    def shapes(self) -> Words:
        """Words for the shapes of detections and for what holds them: boxes in images, intervals in videos."""
        return words_of(self.kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the values of JSON: the rows of each group under its key, and the rest of the group in "groups".

        A group with the key "per_class" gives ``"per_class": [{"name": "cat", "AP": 0.5}]`` and ``"groups": [{"key":
        "per_class", "title": "Classes", ...}]``.
        """
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        details, groups = fields.pop("details"), fields.pop("groups")
        head = {name: fields.pop(name) for name in _FIRST}
        declared = [{name: x for name, x in plain(group).items() if name != "rows"} for group in groups]
        rows = {group.key: group.rows for group in groups}
        charts = {name: {"type": type(x).__name__} | plain(x) for name, x in fields.pop("charts").items()}
        return head | rows | details | plain(fields) | {"charts": charts, "groups": declared}

    def to_json(self, indent: int | None = 2) -> str:
        """Return JSON, with numbers in full precision, and null for no data.

        Parameters
        ----------
        indent : int, optional
            None for one line.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, /) -> "Record":
        """Read a record that `to_json` wrote.

        Raises
        ------
        ValueError
            If the text is not JSON, is not a record, has another version of the schema, or contradicts itself.
        """
        from omniou.report._record.reading import read

        return read(text, cls, SCHEMA)


# Fields at the start of JSON.
_FIRST = ("schema", "omniou", "summary", "words", "kind", "protocol", "title", "units", "images", "counts")
