"""The record of an evaluation, made once, and what renders it. It needs the extra `omniou[cli]`.

`record` makes a `Record` of a `Result`: plain values that go to JSON and back. Tables, CSV, Markdown, JUnit, pages and
plots are made of it. `ANALYSES` is the one table of what a record may hold next to the numbers.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.report._against_iou import against_iou
    from omniou.report._analyses import ANALYSES, Analysis, Source
    from omniou.report._boxes_for import fiftyone_detections, wandb_boxes
    from omniou.report._compare import compare
    from omniou.report._contrast import Contrast, Delta
    from omniou.report._draw import draw
    from omniou.report._figures import figures
    from omniou.report._html import html
    from omniou.report._make import digest, record
    from omniou.report._mosaic import Mosaic, mosaic
    from omniou.report._paper import PaperTable, table
    from omniou.report._plots import plot
    from omniou.report._record import SCHEMA, Counts, Gate, Input, Intervals, Measured, Record
    from omniou.report._scalars import scalars
    from omniou.report._scores import Group, Scores
    from omniou.report._tables import Table

__all__ = [
    "ANALYSES",
    "SCHEMA",
    "Analysis",
    "Contrast",
    "Counts",
    "Delta",
    "Gate",
    "Group",
    "Input",
    "Intervals",
    "Measured",
    "Mosaic",
    "PaperTable",
    "Record",
    "Scores",
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
                "_against_iou": ["against_iou"],
                "_analyses": ["ANALYSES", "Analysis", "Source"],
                "_compare": ["compare"],
                "_contrast": ["Contrast", "Delta"],
                "_draw": ["draw"],
                "_boxes_for": ["fiftyone_detections", "wandb_boxes"],
                "_figures": ["figures"],
                "_html": ["html"],
                "_make": ["digest", "record"],
                "_mosaic": ["Mosaic", "mosaic"],
                "_paper": ["PaperTable", "table"],
                "_plots": ["plot"],
                "_record": ["SCHEMA", "Counts", "Gate", "Input", "Intervals", "Measured", "Record"],
                "_scalars": ["scalars"],
                "_scores": ["Group", "Scores"],
                "_tables": ["Table"],
            }
        ),
    )
