"""The record of an evaluation, made once, and what renders it. It needs the extra `omniou[cli]`.

`record` makes a `Record` of a `Result`: plain values that go to JSON and back. Tables, CSV, Markdown, JUnit, pages and
plots are made of it. `ANALYSES` is the one table of what a record may hold next to the numbers.
"""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.report._analyses import ANALYSES, Analysis, Source
    from omniou.report._draw import draw
    from omniou.report._html import html
    from omniou.report._make import digest, record
    from omniou.report._paper import PaperTable, table
    from omniou.report._plots import against_iou, plot
    from omniou.report._record import SCHEMA, Counts, Gate, Input, Intervals, Measured, Record
    from omniou.report._scores import Group, Scores
    from omniou.report._tables import Table

__all__ = [
    "ANALYSES",
    "SCHEMA",
    "Analysis",
    "Counts",
    "Gate",
    "Group",
    "Input",
    "Intervals",
    "Measured",
    "PaperTable",
    "Record",
    "Scores",
    "Source",
    "Table",
    "against_iou",
    "digest",
    "draw",
    "html",
    "plot",
    "record",
    "table",
]

if not TYPE_CHECKING:
    # Modules are imported when one of their names is first asked for.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_analyses": ["ANALYSES", "Analysis", "Source"],
                "_draw": ["draw"],
                "_html": ["html"],
                "_make": ["digest", "record"],
                "_paper": ["PaperTable", "table"],
                "_plots": ["against_iou", "plot"],
                "_record": ["SCHEMA", "Counts", "Gate", "Input", "Intervals", "Measured", "Record"],
                "_scores": ["Group", "Scores"],
                "_tables": ["Table"],
            }
        ),
    )
