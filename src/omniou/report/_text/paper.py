"""Tables for papers: models next to each other in LaTeX, Markdown and pandas, the best of each column in bold."""

import dataclasses
import html
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from omniou._lib import carried, checks, near
from omniou._lib.extras import frame_of
from omniou.report._record.parts import ranked
from omniou.report._record.record import Record
from omniou.report._record.tables import Table
from omniou.report._text.text import render

# Columns that papers show, by kind of evaluation. The first line is used whose first number all models have.
_USUAL = (
    ("F1", "precision", "recall", "AP", "AP50"),  # of detections without scores
    ("AP", "AP50", "AP75", "APs", "APm", "APl"),
    ("HOTA", "DetA", "AssA", "MOTA", "IDF1", "IDSW"),
    ("NDS", "mAP", "mATE", "mASE", "mAOE", "mAVE", "mAAE"),
    ("PQ", "SQ", "RQ"),
)
_MOST = 6
# Numbers that are not shown in percent: errors in metres and other units, and counts per frame.
_UNITS = re.compile(r"m?A[TSOVA]E|FP_per_frame")


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class PaperTable:
    """A table of numbers of several models, made by `table`. `str` returns it as text, and notebooks show it.

    Attributes
    ----------
    models, numbers : tuple of str
        Names of the rows and of the columns.
    values : tuple of tuple of float or None
        The numbers of each model, not rounded.
    errors : tuple of tuple of float or None
        Half the width of each interval; None where there is none.
    percent : bool
        Whether rates are shown in percent.
    digits : int
        Decimals of numbers in percent; other numbers have two more.
    """

    models: tuple[str, ...]
    numbers: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    errors: tuple[tuple[float | None, ...], ...]
    lower: frozenset[str] = frozenset()
    percent: bool = True
    digits: int = 1

    def to_latex(self) -> str:
        r"""Return a ``tabular`` of the package booktabs: best values in ``\textbf``, second ones underlined."""
        rows = [[_latex(model), *cells] for model, cells in self._rows(_LATEX)]
        lines = [" & ".join(row) + r" \\" for row in rows]
        head = " & ".join(["", *map(_latex_number, self.numbers)]) + r" \\"
        body = [r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
        return "\n".join([rf"\begin{{tabular}}{{l{'r' * len(self.numbers)}}}", *body, r"\end{tabular}"]) + "\n"

    def to_markdown(self) -> str:
        """Return a table of GitHub's Markdown: best values in bold, second ones underlined."""
        rows = [[_markdown(model), *cells] for model, cells in self._rows(_HTML_IN_MARKDOWN)]
        head = ["", *self.numbers]
        lines = [head, ["---", *["---:"] * len(self.numbers)], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def to_pandas(self) -> Any:
        """Return a pandas `DataFrame` of the values as they were computed, a row for each model.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which omniou does not install.
        """
        columns = {name: [row[k] for row in self.values] for k, name in enumerate(self.numbers)}
        return frame_of({"model": list(self.models), **columns}).set_index("model")

    def __str__(self) -> str:
        """The table as text."""
        return "\n".join(render(Table("", ["", *self.numbers], [[m, *cells] for m, cells in self._rows(_PLAIN)]), 100))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(x)}</th>" for x in ("", *self.numbers))
        rows = "".join(
            f"<tr><th>{html.escape(model)}</th>{''.join(f'<td>{x}</td>' for x in cells)}</tr>"
            for model, cells in self._rows(_HTML)
        )
        return f"<table><tr>{head}</tr>{rows}</table>"

    def _rows(self, marks: "_Marks", /) -> list[tuple[str, list[str]]]:
        columns = [self._column(k, marks) for k in range(len(self.numbers))]
        return [(model, [column[i] for column in columns]) for i, model in enumerate(self.models)]

    def _column(self, k: int, marks: "_Marks", /) -> list[str]:
        name = self.numbers[k]
        values = [row[k] for row in self.values]
        counts = all(isinstance(x, int) for x in values if x is not None)
        scale = 100 if self.percent and not counts and not _UNITS.fullmatch(name) else 1
        places = 0 if counts else self.digits if scale == 100 else self.digits + 2
        shown = [None if x is None or math.isnan(x) else round(scale * x, places) for x in values]
        ranks = ranked(name, shown, is_lower=name in self.lower)
        out = []
        for x, row in zip(shown, self.errors, strict=True):
            if x is None:
                out.append(marks.none)
                continue
            text = f"{x:.{places}f}"
            error = row[k]
            if error is not None:
                text += marks.interval(f"{scale * error:.{places}f}")
            place = ranks.index(x) if x in ranks else 2
            out.append((marks.best, marks.second, str)[min(place, 2)](text))
        return out


@dataclasses.dataclass(frozen=True)
class _Marks:
    """How a format writes emphasis."""

    best: Callable[[str], str]
    second: Callable[[str], str]
    interval: Callable[[str], str]
    none: str = "-"


_LATEX = _Marks(r"\textbf{{{}}}".format, r"\underline{{{}}}".format, r" $\pm$ {}".format, "--")
_HTML = _Marks("<b>{}</b>".format, "<u>{}</u>".format, " ± {}".format)
_HTML_IN_MARKDOWN = dataclasses.replace(_HTML, best="**{}**".format)
_PLAIN = _Marks("{}*".format, str, " ± {}".format)


class HasRecords(Protocol):
    """A comparison, such as `compare` makes."""

    @property
    def records(self) -> Mapping[str, Any]:
        """The records of the models by name."""


def table(
    results: Mapping[str, Any] | HasRecords,
    numbers: Sequence[str] | None = None,
    /,
    *,
    percent: bool = True,
    digits: int = 1,
    intervals: bool = True,
    lower_is_better: Iterable[str] = (),
) -> PaperTable:
    r"""Make a table for a paper: a row for each model, the best of each column in bold, the second best underlined.

    Parameters
    ----------
    results : mapping of str to result, or Contrast
        What `compare` made; or models by name: results of any evaluation, such as `detection.evaluate` or
        `panoptic.count`, records, anything else with a `summary`, or mappings of numbers by name.
    numbers : sequence of str, optional
        Columns. Default: the numbers that papers show, such as AP, AP50, AP75, APs, APm and APl, if all models have
        them.
    percent : bool
        Show rates times 100.
    digits : int
        Decimals. Values that are equal after rounding rank equal.
    intervals : bool
        Add half the width of intervals, for records with reliable intervals.
    lower_is_better : iterable of str
        Columns of your own whose lowest value is best. omniou knows errors and switches.

    Returns
    -------
    PaperTable

    Raises
    ------
    TypeError, ValueError
        If a model has no summary, or a number is unknown.

    Examples
    --------
    >>> from omniou import report
    >>> made = report.table({"A": {"AP": 0.4049, "IDSW": 7}, "B_1": {"AP": 0.4213, "IDSW": 12}}, ["AP", "IDSW"])
    >>> print(made)  # the best has a star
            AP  IDSW
    A     40.5    7*
    B_1  42.1*    12
    >>> print(made.to_latex().splitlines()[5])
    B\_1 & \textbf{42.1} & \underline{12} \\
    """
    models: Any = getattr(results, "records", results)  # of a comparison
    percent = checks.flag("percent", percent)
    intervals = checks.flag("intervals", intervals)
    digits = checks.integer("digits", digits)
    if digits < 0:
        raise ValueError(f"`digits` must be at least 0, got {digits}")
    lower = frozenset(checks.items("lower_is_better", lower_is_better, "names of numbers"))
    if numbers is not None:
        numbers = checks.items("numbers", numbers, "names of numbers")
    checks.instance("results", models, Mapping, "a mapping of names to results, or what `report.compare` returns")
    if not models:
        raise ValueError("`results` must name at least one model, got none")
    summaries = {name: summary_of(f"results[{name!r}]", x) for name, x in models.items()}
    chosen = _usual(summaries) if numbers is None else list(numbers)
    for name, summary in summaries.items():
        for number in chosen:
            if number not in summary:
                raise ValueError(f"`results[{name!r}]` has no number {number!r}{near.hint(number, list(summary))}")
    errors = [_errors(x, chosen) if intervals else [None] * len(chosen) for x in models.values()]
    return PaperTable(
        models=tuple(map(str, summaries)),
        numbers=tuple(chosen),
        values=tuple(tuple(summary[x] for x in chosen) for summary in summaries.values()),
        errors=tuple(map(tuple, errors)),
        lower=lower,
        percent=percent,
        digits=digits,
    )


def summary_of(argument: str, result: Any) -> Mapping[str, Any]:
    """Return the numbers by name, of a result or a mapping."""
    summary = result if isinstance(result, Mapping) else getattr(result, "summary", None)
    if not isinstance(summary, Mapping):
        raise TypeError(f"`{argument}` must be a result with a summary, or a mapping of numbers, got {result!r}")
    for name, x in summary.items():
        carried.plain(f"{argument}[{name!r}]", x)
    return summary


def _usual(summaries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    common = [x for x in next(iter(summaries.values())) if all(x in summary for summary in summaries.values())]
    for names in _USUAL:
        if names[0] in common:
            return [x for x in names if x in common]
    return common[:_MOST]


def _errors(result: Any, names: Sequence[str]) -> list[float | None]:
    drawn = result.intervals if isinstance(result, Record) else None
    known = {} if drawn is None else {x: drawn.numbers[x] for x in names if not drawn.is_hidden(x)}
    return [None if (x := known.get(name)) is None else (x.high - x.low) / 2 for name in names]  # type: ignore[operator]


def _latex(text: str) -> str:
    """Escape text for LaTeX."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(x, f"\\{x}" if x in "&%$#_{}" else x) for x in text)


def _latex_number(name: str) -> str:
    """Write AP50 as AP with an index, as papers do: "AP$_{50}$"."""
    match = re.fullmatch(r"(AP|AR)([0-9]+|[smlrcf])", name)
    return f"{match[1]}$_{{{match[2].upper() if match[2].isalpha() else match[2]}}}$" if match else _latex(name)


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`\[\]])", r"\\\1", html.escape(text, quote=False))
