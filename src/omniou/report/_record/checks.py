"""Whether the analyses of a record can be shown."""

from collections.abc import Iterator
from typing import Any

import msgspec


class _Best(msgspec.Struct):
    """The threshold of scores of a class."""

    id: int
    name: str
    f1: float | None
    score: float | None


def faults_of_analyses(record: Any) -> Iterator[tuple[str, str]]:
    """Each analysis shows itself: what its tables and its picture take needs no schema next to them."""
    from omniou.report._record.analyses import ANALYSES

    for name in ANALYSES:
        if name not in record.analyses:
            continue
        try:
            _show(name, record)
        except Exception as error:  # noqa: BLE001  (values of any kind, in functions that expect those of `compute`)
            yield f"analyses.{name}", f"not what omniou writes ({type(error).__name__}: {error})"


def _show(name: str, record: Any) -> None:
    from omniou.report._charts import svg
    from omniou.report._images import crops, frames
    from omniou.report._record.analyses import ANALYSES

    value, analysis = record.analyses[name], ANALYSES[name]
    for table in analysis.tables(value, record):
        msgspec.convert([list(row) for row in table.rows], type=list[list[str | int | float | None]])
        if any(len(row) != len(table.headings) for row in table.rows):
            raise ValueError("rows of different lengths")
    if analysis.chart is not None:
        svg.figure(name, analysis.chart(value))
    if name == "worst_images":
        frames.section(value, record, None)
    if name == "label_errors":
        crops.section(value, record, None)
    if name == "thresholds":
        msgspec.convert(value["per_class"], type=list[_Best])
    if name == "pr" and not value["iou_thresholds"]:
        raise ValueError("no thresholds")
