"""Reports of an evaluation: a record, made once, and its tables, pages and plots. It needs the extra `omniou[cli]`.

A `Record` holds an evaluation of any kind as plain values that go to JSON and back; `record` makes one from a result.
Tables, CSV, Markdown, JUnit, pages and plots are made from it. `ANALYSES` lists what a record of detections may hold
next to the numbers.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.report._charts.against_iou import against_iou
    from omniou.report._charts.plots import plot
    from omniou.report._comparison.compare import compare
    from omniou.report._comparison.contrast import Contrast, Delta
    from omniou.report._images.draw import draw
    from omniou.report._images.mosaic import Mosaic, mosaic
    from omniou.report._logging.boxes_for import fiftyone_detections, wandb_boxes
    from omniou.report._logging.figures import figures
    from omniou.report._logging.scalars import scalars
    from omniou.report._pages.html import html
    from omniou.report._record.analyses import ANALYSES, Analysis, Source
    from omniou.report._record.make import digest, record
    from omniou.report._record.parts import Gate, Group, Input, Intervals, Measured
    from omniou.report._record.record import SCHEMA, Record
    from omniou.report._record.tables import Table
    from omniou.report._text.paper import PaperTable, table

__all__ = [
    "ANALYSES",
    "SCHEMA",
    "Analysis",
    "Contrast",
    "Delta",
    "Gate",
    "Group",
    "Input",
    "Intervals",
    "Measured",
    "Mosaic",
    "PaperTable",
    "Record",
    "Source",
    "Table",
    "against_iou",
    "compare",
    "digest",
    "draw",
    "fiftyone_detections",
    "figures",
    "html",
    "mosaic",
    "plot",
    "record",
    "scalars",
    "table",
    "wandb_boxes",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_charts.against_iou": ["against_iou"],
                "_record.analyses": ["ANALYSES", "Analysis", "Source"],
                "_comparison.compare": ["compare"],
                "_comparison.contrast": ["Contrast", "Delta"],
                "_images.draw": ["draw"],
                "_logging.boxes_for": ["fiftyone_detections", "wandb_boxes"],
                "_logging.figures": ["figures"],
                "_pages.html": ["html"],
                "_record.make": ["digest", "record"],
                "_images.mosaic": ["Mosaic", "mosaic"],
                "_text.paper": ["PaperTable", "table"],
                "_charts.plots": ["plot"],
                "_record.parts": ["Gate", "Group", "Input", "Intervals", "Measured"],
                "_record.record": ["SCHEMA", "Record"],
                "_logging.scalars": ["scalars"],
                "_record.tables": ["Table"],
            }
        ),
    )
