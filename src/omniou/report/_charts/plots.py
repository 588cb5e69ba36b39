"""Plot a result, or several: `plot(result, kind)` draws one picture into axes.

`_record/analysis_charts.py` and `overlaid.py` describe each chart; `mpl.py` draws a description.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from omniou._inputs.kinds import words_of
from omniou._lib import checks, extras
from omniou.detection import Result
from omniou.report._charts.mpl import drawn, models_in
from omniou.report._charts.overlaid import OVERLAID, STYLES, GroupedBars, Model
from omniou.report._record import analysis_charts, charts, points
from omniou.report._record.analyses import ANALYSES, Source
from omniou.report._record.analyses import per_class as rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from omniou.report._record.record import Record

__all__ = ["plot"]

Evaluation: TypeAlias = "Result[Any] | Record"


class PlotKind(NamedTuple):
    """What `plot` draws: the analysis, how its values are computed, and how their chart is described."""

    analysis: str
    compute: Callable[..., Any]
    chart: Callable[[Any, str], charts.Drawable]


CHARTS: Mapping[str, PlotKind] = MappingProxyType(
    {
        **{name: PlotKind(name, x.compute, x.chart) for name, x in ANALYSES.items() if x.chart},
        "skeleton": PlotKind("points", ANALYSES["points"].compute, points.skeleton),
        "per_class": PlotKind("per_class", rows_of, lambda rows, _: analysis_charts.per_class(rows)),
    }
)
"""Charts by kind."""


def plot(
    result: "Evaluation | Mapping[str, Evaluation]",
    kind: str = "pr",
    /,
    *,
    ax: "Axes | None" = None,
    label: str | None = None,
    names: Mapping[int, str] | None = None,
    **options: Any,
) -> "Axes":
    """Draw one picture of a result, or of several models over each other.

    Parameters
    ----------
    result : Result, Record, or mapping of str to these
        A result of `evaluate`, or a record that holds the analysis. All except "pr", "f1", "calibration", "froc",
        "miss_rate", "top_k", "empty_images" and "per_class" need the boxes of a result. A mapping names up to six
        models, which differ in colour, lightness, dash, marker and hatch.
    kind : str
        "pr": precision over recall. "f1": precision, recall and F1 over the threshold of scores. "confusion": true
        classes by detected ones. "iou": IoU (OKS) of the true positives. "scores": scores of true and false positives.
        "calibration": precision over scores. "errors": the AP that each kind of error costs. "proposals":
        average recall by number of proposals. "points" and "skeleton": the error of each keypoint, as bars and on the
        skeleton. "froc" and "miss_rate": recall and miss rate over false positives for each image. "top_k": precision
        and recall of the best detections. "empty_images": F1 over images, and images without objects. "per_class": AP
        of each class. All except "pr", "proposals" and "per_class" use the first IoU threshold of the protocol. For
        several models, "pr" draws the mean over IoU thresholds and "f1" draws F1 only; "confusion", "scores", "points",
        "skeleton", "top_k" and "empty_images" cannot be drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.
    label : str, optional
        Name of one model in the legend. Draws it as a mapping of this one model, so that a call with the same `ax` adds
        another one.
    names : mapping of int to str, optional
        Names of the classes by label. Default: the names that the result knows, else the labels. Not for records.
    **options
        `score`, the least score of a detection, for "confusion" (default: where the mean F1 is best) and "calibration"
        (0); `bins` for "iou", "scores" and "calibration" (20, 20 and 10). Not for records.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If the kind or an option is unknown, the boxes are not kept, a record does not hold the analysis, or several
        models have no common picture or other IoU thresholds.

    Examples
    --------
    >>> from omniou import detection, report
    >>> result = detection.evaluate(
    ...     [{"boxes": [[0, 0, 10, 10]], "labels": [1]}], [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.8]}]
    ... )
    >>> report.plot(result, "pr", names={1: "cat"}).get_xlabel()
    'Recall'
    >>> ax = report.plot({"baseline": result, "new": result}, "pr")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['baseline (AP 0.700)', 'new (AP 0.700)']
    """
    models = result if isinstance(result, Mapping) else {"" if label is None else label: result}
    for name, x in models.items():
        what = f"result[{name!r}]" if isinstance(result, Mapping) else "result"
        checks.instance(what, x, _evaluations(), "a Result, such as `evaluate` gives, or a Record")
    if isinstance(result, Mapping) and label is not None:
        raise TypeError("`label` is for a single result: a mapping has the names of its models")
    kind = checks.choice("kind", kind, CHARTS)
    checks.mappings(names=names)
    extras.check("matplotlib", "a plot")
    known = list(inspect.signature(CHARTS[kind].compute).parameters)[1:]
    if unknown := [name for name in options if name not in known]:
        raise TypeError(f"`{unknown[0]}` is no option of kind {kind!r}, which has {', '.join(known) or 'none'}")
    if label is None and not isinstance(result, Mapping):
        return drawn(CHARTS[kind].chart(_values(result, kind, names, options), _overlap(result)), ax)
    _check_thresholds(models)
    described = [
        Model(name, _values(x, kind, names, options), _first_number(x), _overlap(x)) for name, x in models.items()
    ]
    return draw_models(described, kind, ax)


def draw_models(models: Sequence[Model], kind: str, ax: "Axes | None") -> "Axes":
    """Draw models over each other, and over the models that the axes already show."""
    first = 0 if ax is None else models_in(ax)
    if kind not in OVERLAID:
        raise ValueError(
            f"`kind` {kind!r} draws one model: give each its axes, as in plot(a, {kind!r}, ax=axes[0]); several models "
            f"have {', '.join(map(repr, OVERLAID))}"
        )
    if not models or len(models) + first > len(STYLES):
        raise ValueError(
            f"`result` must name 1 to {len(STYLES)} models, which can be told apart, got {len(models) + first}"
        )
    chart = OVERLAID[kind](models, first)
    if first and isinstance(chart, GroupedBars):
        raise ValueError(
            f"`ax` already shows a model, and bars need to know all of them: draw all with plot({{...}}, {kind!r})"
        )
    return drawn(chart, ax)


def _evaluations() -> tuple[type, ...]:
    """Return the types that `plot` takes: results, and records if msgspec is installed, which a plot does not need."""
    if not extras.has("msgspec"):
        return (Result,)
    from omniou.report._record.record import Record

    return Result, Record


def _values(x: Evaluation, kind: str, names: Mapping[int, str] | None, options: Mapping[str, Any]) -> Any:
    """Return the values that the chart of a kind is described from."""
    if isinstance(x, Result):
        return CHARTS[kind].compute(Source(x, x.names if names is None else names, {}), **options)
    if options or names is not None:
        raise TypeError(
            f"`{'names' if names is not None else next(iter(options))}` is for results: a record is drawn as it is"
        )
    if kind == "per_class":
        return x.per_class
    analysis = CHARTS[kind].analysis
    if analysis not in x.analyses:
        known = ", ".join(map(repr, (*(name for name, y in CHARTS.items() if y.analysis in x.analyses), "per_class")))
        raise ValueError(
            f"`result` is a record without the analysis {analysis!r}, it has {known}: make it with "
            f"`report.record(result, analyses=[{analysis!r}])` or `omniou eval --{analysis} --format json`"
        )
    return x.analyses[analysis]


def _check_thresholds(models: Mapping[str, Evaluation]) -> None:
    """Raise unless all models have the same IoU thresholds."""
    thresholds = {name: tuple(_thresholds(x)) for name, x in models.items()}
    one, expected = next(iter(thresholds.items()), ("", ()))
    for name, given in thresholds.items():
        if given != expected:
            raise ValueError(
                f"models must have the same IoU thresholds, got {expected} of {one!r} and {given} of {name!r}"
            )


def _overlap(x: Evaluation) -> str:
    return words_of(x.state.kind if isinstance(x, Result) else x.kind).overlap


def _thresholds(x: Evaluation) -> Sequence[float]:
    if isinstance(x, Result):
        return x.protocol.iou_thresholds
    thresholds: Sequence[float] = () if isinstance(x.protocol, str) else x.protocol["iou_thresholds"]
    return thresholds


def _first_number(x: Evaluation) -> str:
    """Return the first number of the summary with its name, such as "AP 0.505"."""
    name, value = next(iter(x.summary.items()))
    return f"{name} -" if value is None or value != value else f"{name} {value:.3f}"  # noqa: PLR0124  (NaN)
