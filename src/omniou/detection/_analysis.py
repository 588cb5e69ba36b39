"""The base of all analyses of a result: a line of text, a picture, and a pandas `DataFrame`."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from omniou._lib import extras
from omniou._lib.extras import frame_of
from omniou._lib.indexing import to_list
from omniou._results.base import pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False, kw_only=True)
class ResultAnalysis:
    """An analysis of a result. `str` and `repr` are one line; notebooks show it with a picture.

    Attributes
    ----------
    class_names : tuple of str
        Names of the K classes, as far as the result knows them; else their labels.
    overlap : str
        What thresholds are about: "IoU", "OKS" of keypoints, "tIoU" of intervals, or the name of another score.
    holder : str
        What detections are in: "image", or "video" of intervals.
    """

    class_names: tuple[str, ...] = ()
    overlap: str = "IoU"
    holder: str = "image"

    def _line(self) -> str:
        """Its numbers in a few words."""
        raise NotImplementedError

    def _columns(self) -> dict[str, Any]:
        """Columns by name, the first of which names the rows."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self._line()}"

    def _repr_html_(self) -> str | None:
        """The line and the picture, for notebooks; None without the extra that draws it."""
        if not (extras.has("markupsafe") and extras.has("numpy")):
            return None
        html: str = pictures().html(self)
        return html

    def plot(self, *, ax: Axes | None = None, label: str | None = None) -> Axes:
        """Draw it by matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        label : str, optional
            Name of the model in the legend. Calls with the same `ax` draw several models over each other: see
            `omniou.report.plot`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is a `label`, and the picture can only have one model.
        """
        axes: Axes = pictures().plot_analysis(self, ax, label)
        return axes

    def to_pandas(self) -> Any:
        """Return its table as a pandas `DataFrame`: a row for each class, type of error, or bin.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which omniou does not install.
        """
        columns = self._columns()
        return frame_of(columns).set_index(next(iter(columns)))


def shown(x: float, /) -> str:
    """A number with three decimals, or a dash."""
    return "-" if math.isnan(x) else f"{x:.3f}"


def by_threshold(thresholds: tuple[float, ...], names: tuple[str, ...], /, **tables: Any) -> dict[str, Any]:
    """Arrays (T, K) by name -> columns with a row for each class at each threshold."""
    rows = {name: [x for k in range(len(thresholds)) for x in to_list(table[k, :])] for name, table in tables.items()}
    return {
        "name": list(names) * len(thresholds),
        "iou_threshold": [x for x in thresholds for _ in names],
        **rows,
    }
