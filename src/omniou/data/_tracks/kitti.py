"""KITTI's text for tracking: the frame and the id before the fields of an object; frames count from 0.

``frame id class truncated occluded alpha x1 y1 x2 y2 height width length x y z rotation``, and the score for tracks.
A region "DontCare" has the id -1.
"""

from collections.abc import Sequence

import numpy as np

from omniou.data._formats import Fields, text_lines
from omniou.data._formats.kitti_rows import BOX, FIELDS, REGION
from omniou.data._formats.text_lines import Line
from omniou.data._options import Options
from omniou.data._tracks import track_rows
from omniou.data._tracks.formats import TrackFormat
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import GROUND_TRUTH, Role, TrackRows

__all__ = ["FORMAT"]

LINE = Line(("frame", "id", *FIELDS), ("score",), headings=("#",))


def _read(files: Sequence[SequenceFile], role: Role, options: Options) -> TrackRows:
    table = track_rows.lines(files, LINE, role, options)
    scores = table.numbers("score")
    if role == GROUND_TRUTH and not np.isnan(scores).all():
        row = int((~np.isnan(scores)).argmax())
        raise table.fault(row, "score", "the ground truth has no scores: are these the tracks?")
    numbers = table.numbers(*BOX)
    classes = table.words["class"]
    return TrackRows(
        **track_rows.of_table(table, files),
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
        len(fields) in {17, 18}
        and text_lines.are_numbers([*fields[:2], *fields[3:]])
        and not text_lines.are_numbers(fields[2:3])
    )


FORMAT = TrackFormat(
    name="kitti",
    title="KITTI tracking: frame, id, and the 15 fields of an object",
    read=_read,
    first_frame=0,
    order="xyxy",
    fits=_is_line,
)
