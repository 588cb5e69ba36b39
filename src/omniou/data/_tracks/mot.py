"""MOTChallenge's text: ``frame,id,x,y,width,height,confidence`` and more, a line for each object in each frame.

Frames count from 1, and a box is its top-left corner and its size in pixels. MOT16, MOT17 and MOT20 have the class and
the visibility behind these fields in the ground truth; MOT15, and results, have the position in the world, or -1.
Confidence 0 marks objects of the ground truth that do not count. DanceTrack and SportsMOT have the same files.
"""

from collections.abc import Sequence

import numpy as np

from omniou.boxes import convert
from omniou.data._formats import Fields, text_lines
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._options import Options
from omniou.data._tracks import track_rows
from omniou.data._tracks.formats import TrackFormat
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import GROUND_TRUTH, TRACKS, Column, Role, TrackRows

__all__ = ["FORMAT"]

_BOX = ("x", "y", "width", "height")
_FEWEST, _MOST = 7, 10
LINE = Line(("frame", "id", *_BOX, "confidence"), ("class_id", "visibility", "more"), headings=("#",), commas=True)
_CLASSES = range(1, 14)


def _read(files: Sequence[SequenceFile], role: Role, options: Options) -> TrackRows:
    table = track_rows.lines(files, LINE, role, options)
    numbers = table.numbers(*_BOX)
    confidence = table.numbers("confidence")
    columns = {"confidence": confidence}
    if role == GROUND_TRUTH:
        columns["visibility"] = table.numbers("visibility")
    return TrackRows(
        **track_rows.of_table(table, files),
        region=np.zeros(len(table.at), dtype=bool),
        boxes=convert(numbers, "xywh", "xyxy"),
        numbers=numbers,
        fields=_BOX,
        labels=_classes(table, role),
        scores=None if role == GROUND_TRUTH else confidence,
        columns=columns if role == GROUND_TRUTH else {},
    )


def _classes(table: TextTable, role: Role) -> Column | None:
    """The class of each row; None where the files have none, or a coordinate instead of the class."""
    given = table.numbers("class_id")
    if role == TRACKS:
        # 0 and -1 stand for no class, and what is not a whole number is a coordinate.
        labels = np.where(np.isnan(given), -1.0, given)
        are_classes = (labels == np.floor(labels)).all() and (labels > 0).any()
        return _integers(table, labels) if are_classes else None
    missing = np.isnan(given)
    in_world = ~np.isnan(table.numbers("more"))
    if missing.all() or (in_world.all() and not np.isin(given, _CLASSES).all()):
        return None
    if missing.any():
        raise table.fault(int(missing.argmax()), "class_id", "missing: other lines have it")
    return _integers(table, np.trunc(given))


def _integers(table: TextTable, labels: Column) -> Column:
    bad = ~np.isfinite(labels)
    if bad.any():
        row = int(bad.argmax())
        raise table.fault(row, "class_id", f"expected finite number, got {labels[row]:g}")
    return labels.astype(np.int64)


def _is_line(fields: Fields) -> bool:
    return _FEWEST <= len(fields) <= _MOST and text_lines.are_numbers(fields)


FORMAT = TrackFormat(
    name="mot",
    title="MOTChallenge: frame,id,x,y,width,height,confidence,...",
    read=_read,
    first_frame=1,
    order="xywh",
    splits=LINE.split,
    fits=_is_line,
)
