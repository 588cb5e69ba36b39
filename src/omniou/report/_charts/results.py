"""Draw results and analyses: `omniou._results.base` loads this module when a picture is asked for."""

import functools
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from omniou import detection, tracking
from omniou._lib import checks
from omniou._results.base import EvaluationResult
from omniou.report._charts import actions, over, tracking_charts
from omniou.report._charts.analysis_pictures import html
from omniou.report._charts.analysis_pictures import plot as plot_analysis
from omniou.report._charts.mpl import drawn
from omniou.report._charts.plots import plot as plot_detection
from omniou.report._record.charts import Drawable, RankedBars, number
from omniou.spotting import Spotting
from omniou.tracking.single import SingleResult
from omniou.tracking.video_objects import VideoObjectResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["html", "plot", "plot_analysis"]

# More bars than these cannot be read.
_MOST_BARS = 40
# Rounding may bring a share slightly above 1.
_ONE = 1 + 1e-9


def plot(result: EvaluationResult, kind: str = "", /, *, ax: "Axes | None" = None, **options: Any) -> "Axes":
    """Draw one picture of a result of any evaluation: a kind that only its class has, or bars of a group of rows."""
    if isinstance(result, detection.Result):
        return plot_detection(result, kind or "pr", ax=ax, **options)
    own = _own_kinds(result, options)
    bars = [*result.rows, "summary"]
    kind = kind or bars[0]
    kind = checks.choice("kind", kind, [*own, *bars])
    if options and kind not in {"timeline", "frames"}:
        own_options = "results of detections and the kinds 'timeline' and 'frames'"
        raise TypeError(f"`{next(iter(options))}` is for {own_options}, got kind {kind!r}")
    return drawn(own[kind]() if kind in own else _bars(result, kind), ax)


def _own_kinds(result: EvaluationResult, options: Mapping[str, Any]) -> dict[str, Callable[[], Drawable]]:
    """Return the pictures that only one class of results has, by kind."""
    if isinstance(result, tracking.Result):
        return {
            "timeline": functools.partial(tracking_charts.timeline, result, **options),
            "hota": functools.partial(tracking_charts.hota, result),
        }
    if isinstance(result, Spotting):
        return {"timeline": functools.partial(actions.timeline, result, **options)}
    if isinstance(result, VideoObjectResult):
        return {"frames": functools.partial(over.frames, result, **options)}
    if isinstance(result, SingleResult):
        return {name: functools.partial(tracking_charts.curve, result, name) for name in tracking_charts.CURVES}
    return {}


def _bars(result: EvaluationResult, group: str) -> RankedBars:
    """Describe bars: the first number of each row of a group, or each number of the summary.

    Of more than `_MOST_BARS` rows, only the lowest are drawn.
    """
    if group == "summary":
        title, label = "Summary", ""
        rows = [(name, float(x)) for name, x in result.summary.items() if not isinstance(x, int)]
    else:
        table = result.rows[group]
        label = next((name for row in table for name, x in row.items() if isinstance(x, float)), "")
        title = f"{label} of each {group.removeprefix('per_')}"
        rows = [(str(row["name"]), row[label]) for row in table]
        if len(rows) > _MOST_BARS:
            rows = sorted((row for row in rows if not math.isnan(row[1])), key=lambda row: row[1])[:_MOST_BARS]
            title = f"{title}, the {len(rows)} lowest of {len(table)}"
    known = [(name, None if math.isnan(x) else x) for name, x in rows]
    return RankedBars(
        title=title,
        x_label=label,
        rows=[(name, x, number(x)) for name, x in known],
        bounded=all(x is None or 0 <= x <= _ONE for _, x in known),
    )
