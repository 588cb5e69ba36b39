"""Draw analyses such as `Calibration`, which load this module by name, for `plot` and in notebooks."""

import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._lib import extras
from omniou._lib.brief import threshold
from omniou.detection import (
    FROC,
    LRP,
    Breakdown,
    Calibration,
    Confusion,
    EmptyImages,
    HeadingAP,
    MissRate,
    OperatingPoints,
    Proposals,
    TopK,
)
from omniou.report._charts.mpl import drawn
from omniou.report._charts.overlaid import Model
from omniou.report._charts.plots import draw_models
from omniou.report._record import analysis_charts, charts, rates, series
from omniou.report._record.charts import RankedBars

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Picture(NamedTuple):
    """How an analysis is drawn."""

    kind: str  # a kind of `report.plot`
    values: Callable[[Any], Any]  # analysis -> the values that `chart` takes
    chart: Callable[[Any, str], charts.Drawable]


def lrp(value: Mapping[str, Any], overlap: str) -> RankedBars:
    """Describe bars of oLRP and its parts."""
    rows = [(series.LRP_PARTS[name], x, charts.number(x)) for name, x in value["summary"].items()]
    return RankedBars(
        title=f"Optimal LRP and its parts at {overlap} {threshold(value['iou_threshold'])}",
        note="Mean of the classes; lower is better",
        x_label="Error",
        rows=rows,
        bounded=True,
    )


def heading(value: Mapping[str, Any], overlap: str) -> RankedBars:
    """Describe bars of AP and APH, with the heading error in the note."""
    ap, aph, error = value["summary"].values()
    return RankedBars(
        title=f"AP by heading at {overlap} {threshold(value['iou_threshold'])}",
        note=f"Mean of the classes; mean heading error {charts.number(error)} radians",
        x_label="AP",
        rows=[("AP", ap, charts.number(ap)), ("APH", aph, charts.number(aph))],
        bounded=True,
    )


PICTURES: Mapping[type, Picture] = MappingProxyType(
    {
        Breakdown: Picture("errors", series.errors, analysis_charts.errors),
        Calibration: Picture("calibration", series.calibration, analysis_charts.calibration),
        Confusion: Picture("confusion", lambda x: series.confusion(x, x.class_names), analysis_charts.confusion),
        EmptyImages: Picture("empty_images", rates.empty_images, rates.empty_images_chart),
        FROC: Picture("froc", rates.froc, rates.froc_chart),
        HeadingAP: Picture("heading", series.of_summary, heading),
        LRP: Picture("lrp", series.of_summary, lrp),
        MissRate: Picture("miss_rate", rates.miss_rate, rates.miss_rate_chart),
        OperatingPoints: Picture("f1", series.f1, analysis_charts.f1),
        Proposals: Picture("proposals", series.proposals, analysis_charts.proposals),
        TopK: Picture("top_k", rates.top_k, rates.top_k_chart),
    }
)
"""How each analysis is drawn, by its class."""


def plot(analysis: Any, ax: "Axes | None", label: str | None, /) -> "Axes":
    """See `ResultAnalysis.plot`."""
    extras.check("matplotlib", "a plot")
    kind, values, chart = PICTURES[type(analysis)]
    value = values(analysis)
    if label is None:
        return drawn(chart(value, analysis.overlap), ax)
    return draw_models([Model(label, value, "", analysis.overlap)], kind, ax)


# The colours of the page's style sheet; text and axes in the colour of the notebook's text.
_STYLE = (
    ".omniou svg{display:block;max-width:30em;max-height:22em}.omniou text{font:12px sans-serif;fill:currentColor}"
    ".omniou .middle,.omniou .cell{text-anchor:middle}.omniou .end{text-anchor:end}.omniou .cell{font-size:10px}"
    ".omniou path{fill:none;stroke:currentColor}.omniou .grid{stroke-opacity:.15}"
    ".omniou .line{stroke:#0072b2;stroke-width:2}.omniou .line.b{stroke:#d55e00;stroke-dasharray:7 3}"
    ".omniou .line.c{stroke:#009e73;stroke-dasharray:2 3}"
    ".omniou .line.ideal{stroke:#777;stroke-width:1;stroke-dasharray:5 4}"
    ".omniou rect{fill:#0072b2;stroke:none}.omniou rect.b{fill:#d55e00}.omniou rect.pale{opacity:.35}"
    ".omniou .strong{fill:#fff}.omniou .key{margin-right:1em}.omniou .key.a{color:#0072b2}"
    ".omniou .key.b{color:#d55e00}.omniou .key.c{color:#009e73}"
)
_COUNT = itertools.count()


def html(analysis: Any, /) -> str:
    """Return the repr and the picture of an analysis as HTML."""
    from markupsafe import Markup

    from omniou.report._charts.svg import figure

    _, values, chart = PICTURES[type(analysis)]
    described = chart(values(analysis), analysis.overlap)
    keys = Markup().join(
        Markup('<span class="key {}">■ {}</span>').format(style.removeprefix("line "), words)
        for style, words in described.legend
    )
    style = Markup(_STYLE)  # noqa: S704  (our own)
    drawing = figure(f"omniou-{next(_COUNT)}", described).svg
    page = Markup('<div class="omniou"><style>{}</style><p>{}</p>{}<p>{}</p></div>')
    return str(page.format(style, repr(analysis), drawing, keys))
