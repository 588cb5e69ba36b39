"""Draw all pictures of an evaluation by matplotlib, as figures outside pyplot or as bytes of files."""

import io
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from omniou._lib import checks, extras
from omniou.detection import Result
from omniou.report._charts import fonts
from omniou.report._charts.mpl import drawn, unregistered_axes
from omniou.report._charts.plots import CHARTS
from omniou.report._record import analysis_charts, charts
from omniou.report._record.analyses import Source, unasked
from omniou.report._record.record import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from omniou import tracking
    from omniou.tracking.single import SingleResult

__all__ = ["figures"]

# Without a date, so that the same numbers give the same bytes.
_WITHOUT_DATE = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
_DOTS = 150


@fonts.told()
def figures(
    result: "Result[Any] | Record | tracking.Result | SingleResult",
    /,
    *,
    kinds: Iterable[str] | None = None,
    names: Mapping[int, str] | None = None,
) -> "dict[str, Figure]":
    """Draw all pictures that an evaluation has data for, for a logger or for files.

    Parameters
    ----------
    result : Result or Record
        A result of `detection.evaluate`, `tracking.evaluate` or `tracking.single.evaluate`; or a record, which has the
        pictures of its kind and of its analyses.
    kinds : iterable of str, optional
        Names of pictures, as `plot` has them. Default: all that the data allows. For example, scores that are not
        probabilities have no calibration.
    names : mapping of int to str, optional
        Names of the classes of a result by label. Default: the names that it knows.

    Returns
    -------
    dict of str to matplotlib.figure.Figure
        By the names of `kinds`. pyplot does not hold the figures: they are freed as other objects are.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError
        If something else is given, or a picture that was asked for cannot be drawn.

    Examples
    --------
    >>> from omniou import detection, report
    >>> result = detection.evaluate(
    ...     [{"boxes": [[0, 0, 10, 10]], "labels": [1]}], [{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.8]}]
    ... )
    >>> list(report.figures(result))
    ['errors', 'confusion', 'calibration', 'pr', 'f1', 'scores', 'iou', 'per_class']
    >>> report.figures(result, kinds=["pr"])["pr"].axes[0].get_xlabel()
    'Recall'
    """
    from omniou import tracking

    tracked = tracking.Result | tracking.single.SingleResult
    checks.instance("result", result, Result | Record | tracked, "a Result or a Record")
    checks.mappings(names=names)
    if kinds is not None:
        kinds = checks.items("kinds", kinds, "names of figures")
    extras.check("matplotlib", "a plot")
    made: Mapping[str, charts.Drawable]
    if isinstance(result, Result):
        made = _of_result(result, kinds, names)
    else:
        every = charts_of(result) if isinstance(result, Record) else _of_tracks(result)
        made = _chosen(every, kinds)
    return {name: drawn(chart, new=unregistered_axes).figure for name, chart in made.items()}  # type: ignore[misc]


def charts_of(made: Record) -> dict[str, charts.Drawable]:
    """Describe the pictures of a record by name: charts of its kind, of its analyses and of its rows."""
    analyses, overlap = made.analyses, made.shapes.overlap
    known = {name: x.chart(analyses[x.analysis], overlap) for name, x in CHARTS.items() if x.analysis in analyses}
    shown = [x for x in made.groups if x.key == "per_class" or x.printed] or made.groups[:1]
    rows = {x.key: analysis_charts.per_class(x.rows, x.title.lower(), of_classes=x.key == "per_class") for x in shown}
    return dict(made.charts) | known | rows


def encoded(figure: "Figure", format: str, /) -> bytes:
    """Return a figure as the bytes of a file in a format."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    # Venues refuse fonts of type 3, matplotlib's default.
    # Text in place of outlines of letters is drawn with the fonts of the browser.
    letters = "none" if format == "svg" and fonts.lacks(figure) else "path"
    with (
        mpl.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "omniou", "svg.fonttype": letters}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing")  # `fonts` has warned
        figure.savefig(buffer, format=format, dpi=_DOTS, metadata=_WITHOUT_DATE.get(format))
    return buffer.getvalue()


def _of_result(
    result: Result[Any], kinds: Iterable[str] | None, names: Mapping[int, str] | None
) -> dict[str, charts.Drawable]:
    source, made = Source(result, result.names if names is None else names, {}), {}
    known = {*unasked(result), "per_class"}
    chosen = [name for name, x in CHARTS.items() if x.analysis in known] if kinds is None else list(kinds)
    for kind in chosen:
        checks.choice("kinds", kind, CHARTS)
        try:
            made[kind] = CHARTS[kind].chart(CHARTS[kind].compute(source), source.overlap)
        except ValueError:
            if kinds is not None:
                raise
    return made


def _of_tracks(result: "tracking.Result | SingleResult") -> "Mapping[str, charts.Drawable]":
    """Describe timelines of the sequences with most switches, or curves of single-object tracking."""
    from omniou.report._charts import tracking_charts as tracked
    from omniou.tracking.single import SingleResult

    if isinstance(result, SingleResult):
        return {kind: tracked.curve(result, kind) for kind in tracked.CURVES}
    return tracked.timelines(result)


def _chosen(every: "Mapping[str, charts.Drawable]", kinds: Iterable[str] | None) -> Mapping[str, charts.Drawable]:
    if kinds is None:
        return every
    for kind in (chosen := list(kinds)):
        checks.choice("kinds", kind, every)
    return {kind: every[kind] for kind in chosen}
