"""Pictures of tracks, by matplotlib: results call this by name when `plot` is asked for."""

from typing import TYPE_CHECKING, Any

from omniou._lib import checks
from omniou.report._charts.mpl import drawn
from omniou.report._charts.tracking_charts import CURVES, MOST_OBJECTS, curve, timeline
from omniou.tracking import Result
from omniou.tracking.single import SingleResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    result: Result,
    kind: str = "timeline",
    /,
    *,
    sequence: Any = None,
    objects: int = MOST_OBJECTS,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the tracks of the objects of a sequence over time."""
    checks.choice("kind", kind, ("timeline",))
    return drawn(timeline(result, sequence, objects), ax)


def plot_single(result: SingleResult, kind: str = "success", /, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a curve of single-object tracking."""
    checks.choice("kind", kind, CURVES)
    return drawn(curve(result, kind), ax)
