"""The record of an evaluation, made once, and what renders it. It needs the extra `omniou[cli]`.

`record` makes a `Record` of a `Result`: plain values that go to JSON and back. Tables, CSV, Markdown, JUnit, pages and
plots are made of it. `ANALYSES` is the one table of what a record may hold beside the numbers.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omniou.report._analyses import ANALYSES, Analysis, Source
    from omniou.report._draw import draw
    from omniou.report._html import html
    from omniou.report._make import digest, record
    from omniou.report._plots import against_iou, plot
    from omniou.report._record import SCHEMA, Counts, Gate, Input, Intervals, Measured, Record
    from omniou.report._tables import Table

__all__ = [
    "ANALYSES",
    "SCHEMA",
    "Analysis",
    "Counts",
    "Gate",
    "Input",
    "Intervals",
    "Measured",
    "Record",
    "Source",
    "Table",
    "against_iou",
    "digest",
    "draw",
    "html",
    "plot",
    "record",
]

# Module of each name: it is imported when the name is first asked for.
_MODULES = {
    "ANALYSES": "_analyses",
    "Analysis": "_analyses",
    "Source": "_analyses",
    "draw": "_draw",
    "html": "_html",
    "digest": "_make",
    "record": "_make",
    "SCHEMA": "_record",
    "Counts": "_record",
    "Gate": "_record",
    "Input": "_record",
    "Intervals": "_record",
    "Measured": "_record",
    "Record": "_record",
    "Table": "_tables",
    "against_iou": "_plots",
    "plot": "_plots",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'omniou.report' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(importlib.import_module(f"omniou.report.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
