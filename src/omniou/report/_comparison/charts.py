"""Describe charts of a comparison: curves on common axes, errors next to each other, differences by class."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from omniou._lib.brief import counted, reached, threshold
from omniou._results.shown import FEW_OF_CLASS, lower_is_better
from omniou.detection._protocol import labelled
from omniou.report._charts import overlaid
from omniou.report._charts.overlaid import Model, Overlaid
from omniou.report._charts.svg import short
from omniou.report._comparison.contrast import Contrast, Delta, importance
from omniou.report._record import series
from omniou.report._record.analysis_charts import from_score
from omniou.report._record.charts import Chart, Curve, HeatMap, Plane
from omniou.report._record.detections import protocol_of
from omniou.report._record.record import Record
from omniou.report._record.tables import Cell, Table

# The most classes of a chart of differences, and of a heat map, which sums up the others in one more row.
_MOST_ROWS, _MOST_CLASSES = 20, 14
# Steps between the rows of a table of curves.
_POINTS = 10


class DifferenceRow(NamedTuple):
    """A class: its number of objects, the difference, its interval if there is one, and whether it is certain."""

    name: str
    objects: int | None
    difference: float
    low: float | None
    high: float | None
    is_certain: bool
    is_better: bool

    @property
    def called(self) -> str:
        """The name, which may be cut, with the number of objects, if that is known: "cat (12)"."""
        return short(self.name) + ("" if self.objects is None else f" ({self.objects})")

    @property
    def style(self) -> str:
        """Style of the bar: paler if the interval contains 0."""
        unsure = self.low is not None and not self.is_certain
        return ("better" if self.is_better else "worse") + (" unsure" if unsure else "")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceBars(Chart):
    """Bars to the right and to the left of 0, with intervals as lines; `reach` is the end of the axis on both sides."""

    rows: Sequence[DifferenceRow]
    reach: float

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Styles of bars and their meaning; the caption explains the intervals."""
        words = {"better": "better than the reference", "worse": "worse than the reference"}
        words |= {f"{style} unsure": f"{told}, the interval contains 0" for style, told in words.items()}
        shown = {row.style for row in self.rows}
        return [(style, told) for style, told in words.items() if style in shown]


def overlaid_models(contrast: Contrast) -> list[str]:
    """Return the models that charts show: all, or the reference and the best others if there are too many."""
    first, *others = contrast.names
    values = {name: contrast.records[name].summary.get(contrast.head) for name in others}
    best = sorted(others, key=lambda name: -1.0 if (x := values[name]) is None else -x)
    kept = {first, *best[: len(overlaid.STYLES) - 1]}
    return [name for name in contrast.names if name in kept]


def curves(contrast: Contrast) -> dict[str, Overlaid]:
    """Describe charts by name, for the analyses that all shown models have."""
    names, overlap = overlaid_models(contrast), contrast.reference.shapes.overlap
    out: dict[str, Overlaid] = {}
    for name, draw in _OVERLAID.items():
        values = {x: contrast.records[x].analyses.get(name) for x in names}
        if all(value is not None for value in values.values()):
            told = {x: f"{contrast.head} {_number(contrast.records[x].summary[contrast.head])}" for x in names}
            out[name] = draw([Model(x, value, told[x], overlap) for x, value in values.items()])
    if "pr" in out and len(protocol_of(contrast.reference).iou_thresholds) > 1:
        first = _precision_at_first([(x, contrast.records[x]) for x in names])
        out = {"pr": first, "pr-mean": out.pop("pr")} | out
    return out


_OVERLAID: Mapping[str, Callable[[Sequence[Model]], Overlaid]] = MappingProxyType(
    {
        "pr": overlaid.precision_recall,
        "f1": overlaid.f1,
        "calibration": overlaid.calibration,
        "errors": overlaid.errors,
    }
)


def _precision_at_first(records: Sequence[tuple[str, Record]]) -> Overlaid:
    """Describe precision over recall at the first of several thresholds, as the mean over classes."""
    reference, models = records[0][1], []
    overlap, lowest = reference.shapes.overlap, protocol_of(reference).iou_thresholds[0]
    number = f"AP{labelled(protocol_of(reference), lowest)}"
    for name, record in records:
        value = record.analyses["pr"]
        known = [x for x in value["mean"][0] if x is not None]
        # Curves are rounded: the number of the summary is exact.
        ap = record.summary.get(number, sum(known) / len(known) if known else None)
        first = dict(value) | {"iou_thresholds": [lowest], "mean": value["mean"][:1]}
        models.append(Model(name, first, f"{number} {_number(ap)}", overlap))
    title = f"Precision over recall at {overlap} {threshold(lowest)}"
    return dataclasses.replace(overlaid.precision_recall(models), title=title)


def points_of(chart: Plane) -> Table | None:
    """Make a table of about ten points of all curves; None if the curves have different values of x."""
    lines = [mark for mark in chart.marks if isinstance(mark, Curve) and mark.label]
    axes = [[x for x, _ in line.points] for line in lines]
    if not axes or any(axis != axes[0] for axis in axes):
        return None
    step = max(1, (len(axes[0]) - 1) // _POINTS)
    rows: list[list[Cell]] = [
        [f"{axes[0][k]:.3g}", *(line.points[k][1] for line in lines)] for k in range(0, len(axes[0]), step)
    ]
    return Table(chart.title, (chart.x_label, *(line.label for line in lines)), rows)


def differences(contrast: Contrast) -> dict[str, DifferenceBars]:
    """Describe a chart for each model except the first: the classes that differ most, on a common axis."""
    lower = lower_is_better(contrast.class_number)
    chosen = {
        name: _chosen([x for x in contrast.per_class if x.model == name], lower=lower) for name in contrast.names[1:]
    }
    reach = max([0.05, *(abs(row.difference) for rows, _, _ in chosen.values() for row in rows)])
    out = {}
    for name, (rows, many, few) in chosen.items():
        which = f"the {len(rows)} of {many} classes that differ most" if len(rows) < many else "all classes that differ"
        counts = ", with numbers of objects" if any(row.objects is not None for row in rows) else ""
        counts += f"; {counted(few, 'classes')} of fewer than {FEW_OF_CLASS} are in the table only" if few else ""
        lines = ". Lines are intervals, adjusted for the numbers of classes and of models, and cut off at the edge"
        out[name] = DifferenceBars(
            title=f"{contrast.class_number} of {name} minus {contrast.class_number} of {contrast.names[0]}",
            note=f"{which[0].upper()}{which[1:]}{counts}{lines if any(row.low is not None for row in rows) else ''}",
            x_label=f"Difference of {contrast.class_number}",
            rows=rows,
            reach=min(1.0, reach * 1.1),
        )
    return out


def _chosen(deltas: Sequence[Delta], *, lower: bool) -> tuple[list[DifferenceRow], int, int]:
    """Return the rows of a chart, how many classes differ, and how many of these have too few objects.

    Classes of few objects differ most by chance: they are drawn where they are certain, or where there are no others.
    """
    differing = [(x, x.difference) for x in deltas if x.difference]
    known = [(x, gap) for x, gap in differing if x.is_certain or x.objects is None or x.objects >= FEW_OF_CLASS]
    known = known or differing
    most = sorted(known, key=lambda x: importance(x[0]))[:_MOST_ROWS]
    rows = [DifferenceRow(x.name, x.objects, gap, x.low, x.high, x.is_certain, (gap < 0) is lower) for x, gap in most]
    return sorted(rows, key=lambda row: -row.difference), len(known), len(differing) - len(known)


def error_counts(contrast: Contrast) -> Table | None:
    """Make a table of error types: the AP that each costs and its count, for all models."""
    known = {name: x.analyses["errors"] for name, x in contrast.records.items() if "errors" in x.analyses}
    if len(known) < len(contrast.records):
        return None
    first = next(iter(known.values()))
    at = f"{contrast.reference.shapes.overlap} {threshold(first['iou_threshold'])}"
    rows: list[list[Cell]] = [
        [kind, *(cell for value in known.values() for cell in (value["cost"][kind], value["counts"][kind]))]
        for kind in first["counts"]
    ]
    headings = ("error", *(heading for name in known for heading in (f"{name}: AP lost", "count")))
    return Table(f"AP at {at} that each type of error costs, and its count", headings, rows)


def confusions(contrast: Contrast) -> dict[str, HeatMap]:
    """Describe the confusion matrix of each model, with the same classes in the same order; others are summed up."""
    values = {name: x.analyses["confusion"] for name, x in contrast.records.items() if "confusion" in x.analyses}
    if len(values) < len(contrast.records):
        return {}
    classes = list(dict.fromkeys(x["name"] for value in values.values() for x in value["classes"]))
    place = {name: k for k, name in enumerate(classes)}
    cells = {name: _placed(value, place) for name, value in values.items()}
    every = [cell for of_model in cells.values() for cell in of_model]
    kept, _ = series.folded(len(classes), _summed(every), _MOST_CLASSES)
    rest = len(classes) - len(kept)
    shown = [classes[k] for k in kept] + ([f"{rest} others"] if rest else [])
    # A class that is not kept is among the others; background comes last.
    new = {old: k for k, old in enumerate(kept)} | {len(classes): len(shown)}
    out = {}
    overlap = contrast.reference.shapes.overlap
    for name, value in values.items():
        folded = _summed([[new.get(i, len(kept)), new.get(j, len(kept)), n] for i, j, n in cells[name]])
        out[name] = HeatMap(
            title=f"{name}: what objects were taken for",
            note=from_score(value["score"], reached(overlap, value["iou_threshold"])),
            x_label="Detected",
            y_label="True",
            classes=shown,
            cells=folded,
        )
    return out


def _placed(value: Mapping[str, Any], place: Mapping[str, int]) -> list[list[int]]:
    """Return the cells of a model, with places among the classes of all models."""
    own = [place[x["name"]] for x in value["classes"]] + [len(place)]
    return [[own[i], own[j], n] for i, j, n in value["cells"]]


def _summed(cells: Sequence[Sequence[int]]) -> list[list[int]]:
    """Sum cells with the same true and detected class: (0, 1, 3) and (0, 1, 2) become (0, 1, 5)."""
    sums: dict[tuple[int, int], int] = {}
    for i, j, n in cells:
        sums[i, j] = sums.get((i, j), 0) + n
    return [[i, j, n] for (i, j), n in sums.items()]


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"
