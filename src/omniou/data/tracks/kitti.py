"""KITTI's text for tracking: the frame and the id before the fields of an object; frames count from 0.

``frame id class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the score for tracks.
A region "DontCare" has the id -1.
"""

from collections.abc import Sequence

import numpy as np

from omniou.data._options import Options
from omniou.data.formats import Fields, _text
from omniou.data.formats._kitti_rows import BOX, FIELDS, REGION
from omniou.data.formats._text import Line
from omniou.data.tracks import _rows
from omniou.data.tracks._format import TrackFormat
from omniou.data.tracks._rows import GROUND_TRUTH, Role, TrackRows
from omniou.data.tracks._sequences import SequenceFile

__all__ = ["FORMAT"]

LINE = Line(("frame", "id", *FIELDS), ("score",), headings=("#",))


def _read(files: Sequence[SequenceFile], role: Role, options: Options) -> TrackRows:
    table = _rows.lines(files, LINE, role, options)
    scores = table.numbers("score")
    if role == GROUND_TRUTH and not np.isnan(scores).all():
        row = int((~np.isnan(scores)).argmax())
        raise table.fault(row, "score", "the ground truth has no scores: are these the tracks?")
    numbers = table.numbers(*BOX)
    classes = table.words["class"]
    return TrackRows(
        **_rows.of_table(table, files),
        region=np.asarray([x.lower() == REGION.lower() for x in classes], dtype=bool),
        boxes=numbers,
        numbers=numbers,
        fields=BOX,
        labels=classes,
        scores=None if role == GROUND_TRUTH or np.isnan(scores).all() else scores,
        columns={name: table.numbers(name) for name in ("truncated", "occluded")} if role == GROUND_TRUTH else {},
        by_class=True,
    )


def _is_line(fields: Fields) -> bool:
    return (
        len(fields) in {17, 18} and _text.are_numbers([*fields[:2], *fields[3:]]) and not _text.are_numbers(fields[2:3])
    )


FORMAT = TrackFormat(
    name="kitti",
    title="KITTI tracking: frame, id, and the 15 fields of an object",
    read=_read,
    first_frame=0,
    order="xyxy",
    fits=_is_line,
)
