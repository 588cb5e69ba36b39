"""The comparison of models as plain values, with its verdict and tables as text, JSON, CSV, Markdown and LaTeX."""

import dataclasses
import json
import string
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from omniou._lib.brief import counted
from omniou._results.resampling import FEW_UNITS
from omniou._results.shown import FEW_OF_CLASS
from omniou.report._comparison.bounds import LEVEL, few_samples, pairs_of_best
from omniou.report._record.parts import marked
from omniou.report._record.record import SCHEMA, Record
from omniou.report._record.sections import headline_names
from omniou.report._record.tables import Cell, Table
from omniou.report._text.render import csv_of, markdown_of, text_of
from omniou.report._text.text import PLAIN, Style, needed, paragraph

# Classes that are shown by default: the classes that differ most.
_SHOWN = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A number of a model and of the reference.

    Attributes
    ----------
    name : str
        The name of the number, or of the class.
    model : str
        The model that is compared with the reference.
    first, second, difference : float or None
        The number of the reference and of the model. The difference is the second minus the first.
    low, high : float or None
        Its interval; None where there are no samples.
    p_value : float or None
        Adjusted for the number of models; of classes, also for the number of classes.
    objects : int, optional
        Number of objects of a class.
    """

    name: str
    model: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    objects: int | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the difference is significant: its p-value is below `LEVEL`."""
        return self.p_value is not None and self.p_value < LEVEL


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A comparison of models on the same images, or other units.

    Attributes
    ----------
    records : dict of str to Record
        By name of the model; the first one is the reference.
    numbers : list of Delta
        The numbers of the summary: for each number, a row for each model except the reference.
    per_class : list of Delta
        The first number of each class, in the order of ids, with the same rows.
    best : str
        The model with the highest first number.
    against_best : list of Delta
        The first number of each other model against the best one.
    verdict : str
        For two models: "first" or "second", the better one by the first number, or "none" if the difference is no more
        than the choice of the images explains. For more models: "best" if one is better than all others, "some" if it
        is better than some of them, or "none". Without a verdict: "too few images", "too few samples" or "no samples".
    remarks : list of str
        What makes the models hard to compare, such as classes that only some of the records have.
    images : list of dict
        For each model except the reference, the images where it has fewer or more errors.
    samples, seed, confidence
        The settings of the permutations, or of the bootstrap of records.
    """

    records: dict[str, Record]
    numbers: list[Delta]
    per_class: list[Delta]
    best: str
    against_best: list[Delta]
    verdict: str
    remarks: list[str]
    images: list[dict[str, Any]]
    samples: int
    seed: int
    confidence: float

    @property
    def names(self) -> list[str]:
        """Names of the models."""
        return list(self.records)

    @property
    def reference(self) -> Record:
        """The model that the others are compared with."""
        return next(iter(self.records.values()))

    @property
    def head(self) -> str:
        """The first number, which decides."""
        return self.reference.head

    @property
    def class_number(self) -> str:
        """The number of `per_class`."""
        return self.reference.class_number

    @property
    def same(self) -> str:
        """What all models have in common: "the detections", if their files are equal, "the numbers", or nothing."""
        of_models = [[x for x in record.inputs if x.role != "ground truth"] for record in self.records.values()]
        files = {tuple(x.sha256 for x in inputs) for inputs in of_models}
        if len(files) == 1 and of_models[0]:
            return f"the {of_models[0][0].role}"
        known = [x for x in (*self.numbers, *self.per_class) if x.difference is not None]
        return "the numbers" if known and not any(x.difference or x.low or x.high for x in known) else ""

    def to_json(self) -> str:
        """Return JSON, with the schema of its records. The records of two models are `first` and `second`."""
        records = [record.to_dict() for record in self.records.values()]
        values = dataclasses.asdict(dataclasses.replace(self, records={}))
        del values["records"]
        head = {"schema": SCHEMA, "comparison": True, "names": self.names}
        if len(records) == 2:
            head |= {"first": records[0], "second": records[1]}
            for row in (*values["numbers"], *values["per_class"]):
                del row["model"]
        else:
            head |= {"records": records}
        return json.dumps(head | values, indent=2, allow_nan=False)

    def __str__(self) -> str:
        """Tables of text."""
        return text(self).rstrip("\n")


def verdict(contrast: Contrast, called: Mapping[str, str] | None = None) -> str:
    """Return a sentence on the best model, and on the models that do not differ from it by more than chance."""
    names = called or {name: name for name in contrast.names}
    head, holders = contrast.head, contrast.reference.units
    chance = f"no more than the choice of the {holders} explains"
    if same := contrast.same:
        return f"No verdict: {same} of {'both' if len(names) == 2 else 'all'} models are the same."
    if why := _why_none(contrast):
        return f"No verdict: {why}."
    if len(names) > 2:
        return _of_many(contrast, names, chance)
    if contrast.verdict == "none":
        return f"No verdict: the difference of {head} is {chance}."
    other = next(name for name in names if name != contrast.best)
    return f"{names[contrast.best]} is better than {names[other]} by {head}."


def _why_none(contrast: Contrast) -> str:
    """Return why there is no verdict, such as too few images; empty if there may be one."""
    images, holders, models = contrast.reference.size, contrast.reference.units, len(contrast.names)
    if contrast.verdict == "too few images" and images < FEW_UNITS:
        return f"{counted(images, holders)} {'is' if images == 1 else 'are'} fewer than {FEW_UNITS}"
    if contrast.verdict == "too few images":
        return (
            f"objects of a class are in fewer than {FEW_UNITS} {holders} (harmonic mean over the classes), too few "
            "for the samples of records. Compare the files of detections: their permutation test holds"
        )
    if contrast.verdict == "too few samples":
        pairs = pairs_of_best(models, is_reference=contrast.best == contrast.names[0])
        return (
            f"{contrast.samples} samples are too few to compare {models} records. Make them with --samples "
            f"{few_samples(contrast.samples, pairs)}, or compare the files of detections"
        )
    if contrast.verdict == "no samples":
        return f"there are no samples of the same {holders} and seed in {'both' if models == 2 else 'all'}"
    return ""


def _of_many(contrast: Contrast, names: Mapping[str, str], chance: str) -> str:
    best, head = names[contrast.best], contrast.head
    worse, alike = ([names[x.model] for x in contrast.against_best if x.is_certain is told] for told in (True, False))
    if not alike:
        return f"{best} is better by {head} than all others."
    if not worse:
        return f"No verdict: {best} has the highest {head}, and its differences from the others are {chance}."
    differ = "differs" if len(alike) == 1 else "differ"
    return (
        f"{best} has the highest {head}. It is better than {_listed(worse)}. {_listed(alike)} {differ} from it by "
        f"{chance}."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def tables(contrast: Contrast, *, per_class: bool = False, called: Mapping[str, str] | None = None) -> list[Table]:
    """Make tables of the numbers, the differences from the first model, and the classes that differ most.

    `called` maps models to their names in the headings.
    """
    names = called or {name: name for name in contrast.names}
    shown = headline_names(contrast.reference)
    rows = [x for x in contrast.numbers if per_class or x.name in shown]
    numbers = _pair(contrast, rows, names) if len(names) == 2 else _many(contrast, rows, names)
    present = [x for x in contrast.per_class if x.difference is not None]
    if len({x.name for x in present}) <= 1 or (contrast.same and not per_class):
        return numbers
    if per_class and len(names) > 2:
        return [*numbers, _every_class(contrast, names)]
    return [*numbers, _classes(contrast, present if per_class else _first(present), present, names)]


def _compared(contrast: Contrast) -> str:
    counts, units = contrast.reference.counts, counted(contrast.reference.size, contrast.reference.units)
    if "annotations" not in counts:
        return units
    objects, record = counted(counts["annotations"] - counts["crowds"], "objects"), contrast.reference
    rules = f"the rules of {record.rules}" if record.rules else "custom rules"
    return f"{units}, {objects} ({record.kind}, {rules})"


def _share(contrast: Contrast) -> str:
    return f"{100 * contrast.confidence:g} % interval"


def _pair(contrast: Contrast, rows: Sequence[Delta], names: Mapping[str, str]) -> list[Table]:
    first, second = names.values()
    body = [(x.name, *marked(x.name, (x.first, x.second)), *_ends(x)) for x in rows]
    headings = ("", first, second, "difference", _share(contrast), "p")
    return [Table(f"{second} against {first}: {_compared(contrast)}", headings, body, verdict(contrast, names))]


def _many(contrast: Contrast, rows: Sequence[Delta], names: Mapping[str, str]) -> list[Table]:
    """Make a table of numbers with a column for each model, and a table of differences from the first model."""
    values: dict[str, list[float | None]] = {}
    for x in rows:
        values.setdefault(x.name, [x.first]).append(x.second)
    title = f"{len(names)} models: {_compared(contrast)}"
    first = next(iter(names.values()))
    note = "Intervals and p are adjusted for the number of models." if _are_tested(rows) else ""
    return [
        Table(
            title,
            ("", *names.values()),
            [(name, *marked(name, x)) for name, x in values.items()],
            verdict(contrast, names),
        ),
        Table(
            f"Differences from {first}",
            ("", "model", "difference", _share(contrast), "p"),
            [(x.name, names[x.model], *_ends(x)) for x in rows],
            note,
        ),
    ]


def _are_tested(rows: Sequence[Delta]) -> bool:
    return any(x.p_value is not None for x in rows)


def _first(present: Sequence[Delta]) -> list[Delta]:
    return sorted(present, key=importance)[:_SHOWN]


def importance(x: Delta) -> tuple[float, bool, float]:
    """Return the key that sorts classes: by p, then classes of few objects last, then by the size of the difference."""
    few = x.objects is not None and x.objects < FEW_OF_CLASS
    return (1.0 if x.p_value is None else x.p_value, few, -abs(x.difference or 0.0))


def _classes(contrast: Contrast, chosen: Sequence[Delta], present: Sequence[Delta], names: Mapping[str, str]) -> Table:
    """Make a table of the chosen classes, a row for each class and model; `present` has all rows with a difference."""
    first, *others = names.values()
    tested, many = _are_tested(present), len({x.name for x in present})
    number, which = contrast.class_number, f"the {len(chosen)}"
    # Comparisons of records have no p-values of classes.
    by = "smallest p" if tested else "largest size" if len(others) > 1 else "largest difference"
    if len(others) == 1:
        what = "all classes" if len(chosen) == len(present) else f"{which} classes of the {by}, of {many}"
        title, heading, adjusted = f"{number} of {what}", others[0], "for the number of classes"
    else:
        title = f"{number} by class: {which} differences from {first} of the {by}, of {many} classes"
        heading, adjusted = "model", "for the number of classes and of models"
    counted_objects = any(x.objects is not None for x in chosen)
    rows: list[tuple[Cell, ...]] = []
    for x in chosen:
        best, other = marked(number, (x.first, x.second))
        values = (best, other) if len(others) == 1 else (x.first, names[x.model])
        rows.append((x.name, *([x.objects] if counted_objects else []), *values))
    headings = ("class", *(["objects"] if counted_objects else []), first, heading)
    ends = ("difference", _share(contrast), "p")
    body = [(*row, *_ends(x)) for row, x in zip(rows, chosen, strict=True)]
    return Table(title, (*headings, *ends), body, f"Intervals and p are adjusted {adjusted}." if tested else "")


def _every_class(contrast: Contrast, names: Mapping[str, str]) -> Table:
    """Make a table of all classes, with a star where the difference from the first model is certain."""
    first, each = next(iter(names.values())), by_class(contrast)
    counted_objects = any(x[0].objects is not None for x in each)
    rows = [(x[0].name, *([x[0].objects] if counted_objects else []), x[0].first, *map(_starred, x)) for x in each]
    note = f"* differs from {first}: p below {LEVEL:g}, adjusted for the number of classes and of models."
    headings = ("class", *(["objects"] if counted_objects else []), *names.values())
    return Table(
        f"{contrast.class_number} of all classes", headings, rows, note if _are_tested(contrast.per_class) else ""
    )


def by_class(contrast: Contrast) -> list[list[Delta]]:
    """Return the rows of each class, one for each model except the first."""
    others = len(contrast.names) - 1
    return [contrast.per_class[start : start + others] for start in range(0, len(contrast.per_class), others)]


def _starred(x: Delta) -> str | None:
    return None if x.second is None else f"{x.second:.3f}{'*' if x.is_certain else ''}"


def bounds(x: Delta) -> str | None:
    """Return the interval of a difference as text, such as "+0.010 to +0.034"."""
    return None if x.low is None or x.high is None else f"{x.low:+.3f} to {x.high:+.3f}"


def signed(x: Delta) -> str | None:
    """Return a difference with its sign; that of counts has no decimals."""
    return None if x.difference is None else f"{x.difference:+{'d' if isinstance(x.difference, int) else '.3f'}}"


def _ends(x: Delta) -> tuple[Cell, Cell, Cell]:
    return signed(x), bounds(x), x.p_value


def text(
    contrast: Contrast,
    *,
    per_class: bool = False,
    width: int = 80,
    style: Style = PLAIN,
    more: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Print tables and remarks. If names of models are too wide for the columns, headings are letters with a key."""
    lists = {"Warnings": contrast.remarks} if more is None else more
    made = tables(contrast, per_class=per_class)
    if all(needed(table) <= width for table in made) or len(contrast.names) > len(string.ascii_uppercase):
        return text_of(made, lists.items(), width, style)
    called = dict(zip(contrast.names, string.ascii_uppercase, strict=False))
    made = tables(contrast, per_class=per_class, called=called)
    models = paragraph("Models", [f"{letter}: {name}" for name, letter in called.items()], width, style)
    return "\n".join(models) + "\n\n" + text_of(made, lists.items(), width, style)


def as_json(contrast: Contrast, **_: bool) -> str:
    """Return the whole comparison as JSON."""
    return contrast.to_json() + "\n"


def as_markdown(contrast: Contrast, *, per_class: bool = False) -> str:
    """Return the tables as GitHub's Markdown."""
    return markdown_of(tables(contrast, per_class=per_class), [("Warnings", contrast.remarks)])


def as_csv(contrast: Contrast, *, per_class: bool = False) -> str:
    """Return the numbers, or the classes, in full precision: a row for each model except the first."""
    chosen = contrast.per_class if per_class else contrast.numbers
    rows = [(x.name, x.objects, x.first, x.second, x.difference, x.low, x.high, x.p_value) for x in chosen]
    headings = ("name", "objects", "first", "second", "difference", "low", "high", "p_value")
    if len(contrast.names) == 2:
        return csv_of(Table("", headings, rows))
    models = [(x.model, contrast.names[0]) for x in chosen]
    of_models = [(*model, *row) for model, row in zip(models, rows, strict=True)]
    return csv_of(Table("", ("model", "against", *headings), of_models))


def as_latex(contrast: Contrast, **_: bool) -> str:
    """Return a LaTeX table with a row for each model."""
    from omniou.report._text.paper import table

    return table(contrast).to_latex()


RENDERERS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {"table": text, "json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}
)
"""Outputs by the value of `--format` of `omniou compare`."""
