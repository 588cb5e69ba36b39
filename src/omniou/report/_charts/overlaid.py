"""Describe charts of several models on common axes, from the values that `_record/analysis_charts.py` takes for one."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from omniou._lib.brief import counted, threshold
from omniou.report._record import rates, series
from omniou.report._record.analysis_charts import ERRORS
from omniou.report._record.charts import Chart, Curve, Plane

STYLES = ("m1", "m2", "m3", "m4", "m5", "m6")
"""Styles of models, in order: readers cannot tell more than six apart in print."""
# More bars than these cannot be read.
_MOST_BARS = 60


class Model(NamedTuple):
    """A model: its name in the legend, and its values of one analysis."""

    label: str
    value: Any
    number: str  # the first number of its summary, such as "AP 0.505"
    overlap: str = "IoU"  # what its thresholds are about


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GroupedBars(Chart):
    """Horizontal bars in groups: in each row a bar for each model, with words at its end."""

    models: Sequence[tuple[str, str]]  # style and words of the legend
    rows: Sequence[tuple[str, Sequence[tuple[float | None, str]]]]
    bounded: bool = False  # whether the numbers end at 1

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The models."""
        return list(self.models)


Overlaid: TypeAlias = Plane | GroupedBars


def _styled(models: Sequence[Model], first: int) -> list[tuple[str, Model]]:
    return list(zip(STYLES[first:], models, strict=False))


def precision_recall(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe precision over recall of each model, as the mean over classes and IoU thresholds."""
    thresholds = models[0].value["iou_thresholds"]
    marks = []
    for style, model in _styled(models, first):
        mean = series.mean_of_all(model.value["mean"])
        points = list(zip(model.value["recall"], mean, strict=True))
        marks.append(Curve(points, style, f"{model.label} ({model.number})"))
    first_of_all, several = f"{models[0].overlap} {threshold(thresholds[0])}", len(thresholds) > 1
    at = f"and of {first_of_all} to {threshold(thresholds[-1])}" if several else f"at {first_of_all}"
    return Plane(
        title="Precision over recall",
        note=f"Mean of the classes {at}",
        x_label="Recall",
        y_label="Precision",
        curves=marks,
    )


def f1(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe F1 over the score threshold of each model."""
    marks, spans = [], []
    for style, model in _styled(models, first):
        value, best = model.value, model.value["best_score"]
        told = "no F1" if best is None else f"best F1 {value['best_f1']:.3f} at {threshold(best)}"
        marks.append(Curve(list(zip(value["scores"], value["f1"], strict=True)), style, f"{model.label} ({told})"))
        spans += value["scores"]
    return Plane(
        title=f"F1 over the threshold of scores at {_threshold(models)}",
        note="Mean of the classes",
        x=_span(spans),
        x_label="Threshold of scores",
        y_label="F1",
        curves=marks,
    )


def iou(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe the histogram of overlaps of each model as an outline."""
    marks: list[Curve] = []
    for style, model in _styled(models, first):
        edges, counts, mean = model.value["edges"], model.value["counts"], model.value["mean"]
        # Each bin is level: (0, 0), (0, 3), (1, 3), (1, 5), (2, 5), (2, 0) for counts of 3 and 5.
        levels = [0, *itertools.chain.from_iterable((x, x) for x in counts), 0]
        along = itertools.chain.from_iterable((x, x) for x in edges)
        told = counted(sum(counts), "true positives") + ("" if mean is None else f", mean {mean:.3f}")
        marks.append(Curve(list(zip(along, levels, strict=True)), style, f"{model.label} ({told})"))
    top = max([1.0, *(y for mark in marks for _, y in mark.points if y is not None)])
    return Plane(
        title=f"{models[0].overlap} of the true positives at {_threshold(models)}",
        x=_span([x for mark in marks for x, _ in mark.points if x is not None]),
        y=(0, top * 1.05),
        x_label=models[0].overlap,
        y_label="True positives",
        curves=marks,
    )


def calibration(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe the precision of each score bin of each model, and the diagonal."""
    marks = []
    for style, model in _styled(models, first):
        value = model.value
        points = [(x, y) for x, y in zip(value["confidence"], value["precision"], strict=True) if x is not None]
        error = "no detections" if value["error"] is None else f"error {value['error']:.3f}"
        marks.append(Curve(points, style, f"{model.label} ({error})", dots=True))
    return Plane(
        title=f"Precision by score at {_threshold(models)}",
        note="In brackets: the expected calibration error",
        x_label="Mean score",
        y_label="Precision",
        curves=[*marks, Curve([(0, 0), (1, 1)], "ideal", "calibrated")],
    )


def proposals(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe average recall over the number of proposals of each model."""
    marks = []
    for style, model in _styled(models, first):
        numbers, recall, area = (model.value[name] for name in ("numbers", "average_recall", "area"))
        told = "no proposals" if area is None else f"area {area:.3f}"
        marks.append(Curve(list(zip(numbers, recall, strict=True)), style, f"{model.label} ({told})"))
    return Plane(
        title="Average recall by number of proposals",
        x_label="Mean number of proposals",
        y_label="Average recall",
        x=(0.0, max([1.0, *(model.value["numbers"][-1] for model in models)])),
        curves=marks,
    )


def froc(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe recall over false positives for each image of each model."""
    return _over_rates(models, first, "mean", title="FROC: recall by false positives", y_label="Recall")


def miss_rate(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe the miss rate over false positives for each image of each model."""
    return _over_rates(models, first, "log_average", title="Miss rate by false positives", y_label="Miss rate")


def _over_rates(models: Sequence[Model], first: int, mean: str, *, title: str, y_label: str) -> Plane:
    numbers = sorted({x for model in models for x in model.value["rates"]})
    return Plane(
        title=f"{title} at {_threshold(models)}",
        note=f"All classes together; in brackets: the {mean.replace('_', '-')}",
        y_label=y_label,
        curves=[
            Curve(model.value["curve"], style, f"{model.label} ({_or_dash(model.value[mean])})")
            for style, model in _styled(models, first)
        ],
        **rates.over_numbers(numbers, f"False positives for each {models[0].value['holder']}"),
    )


def errors(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe the AP that each error type costs: a group for each type, a bar for each model."""
    return GroupedBars(
        title="What each type of error costs",
        note=f"In brackets: AP at {_threshold(models)}, and numbers of errors",
        x_label="AP that would be gained",
        models=[(style, f"{x.label} (AP {_or_dash(x.value['ap'])})") for style, x in _styled(models, first)],
        rows=[
            (kind, [(cost := x.value["cost"][kind], f"{_or_dash(cost)} ({x.value['counts'][kind]})") for x in models])
            for kind in ERRORS
        ],
    )


def per_class(models: Sequence[Model], first: int = 0) -> Overlaid:
    """Describe the first number of each class, the class with the lowest mean over the models first."""
    name = models[0].number.partition(" ")[0]
    by_model = [{row["id"]: row for row in model.value} for model in models]
    labels = list(dict.fromkeys(label for rows in by_model for label in rows))
    known = {label: [rows[label][name] for rows in by_model if label in rows] for label in labels}
    numbers = {label: [x for x in values if x is not None] for label, values in known.items()}
    scored = sorted((x for x in labels if numbers[x]), key=lambda x: math.fsum(numbers[x]) / len(numbers[x]))
    worst = scored[: max(1, _MOST_BARS // len(models))]
    rows = []
    for label in worst:
        values = [row[label][name] if label in row else None for row in by_model]
        rows.append((_class_name(label, models, by_model), [(x, _or_dash(x)) for x in values]))
    which = f"the {len(worst)} weakest of {len(scored)} classes" if len(worst) < len(scored) else "each class"
    return GroupedBars(
        title=f"{name} of {which}",
        x_label=name,
        models=[(style, f"{model.label} ({model.number})") for style, model in _styled(models, first)],
        rows=rows,
        bounded=True,
    )


def _class_name(label: int, models: Sequence[Model], by_model: Sequence[Mapping[int, Any]]) -> str:
    """Return the name of a class, which must be the same for all models; a label counts as no name."""
    called = {rows[label]["name"]: model.label for rows, model in zip(by_model, models, strict=True) if label in rows}
    names = [x for x in called if x != str(label)]
    if len(names) > 1:
        (a, b), (first, second) = names[:2], [called[x] for x in names[:2]]
        raise ValueError(
            f"class {label} is {a!r} in {first!r} and {b!r} in {second!r}: the models must have the same classes"
        )
    return names[0] if names else str(label)


OVERLAID: Mapping[str, Callable[[Sequence[Model], int], Overlaid]] = MappingProxyType(
    {
        "pr": precision_recall,
        "f1": f1,
        "iou": iou,
        "calibration": calibration,
        "errors": errors,
        "proposals": proposals,
        "froc": froc,
        "miss_rate": miss_rate,
        "per_class": per_class,
    }
)
"""Functions by kind: models, and the place of the first model's style in `STYLES` -> the description of a chart."""


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _threshold(models: Sequence[Model]) -> str:
    return f"{models[0].overlap} {threshold(models[0].value['iou_threshold'])}"


def _or_dash(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"
