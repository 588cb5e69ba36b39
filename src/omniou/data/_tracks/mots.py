"""Text of MOTS: ``frame id class height width rle``, with masks as COCO's run lengths.

Frames count from 1 in MOTSChallenge, and from 0 in KITTI MOTS. Classes are 1 (car), 2 (pedestrian) and 10 (a region
that is ignored). In the data sets an id is the class times 1000 and a number. Masks of a frame must not overlap.
"""

from collections.abc import Sequence

import numpy as np

from omniou._lib import indexing
from omniou.data import _faults
from omniou.data._formats import Fields, text_lines
from omniou.data._formats.text_lines import Line, TextTable
from omniou.data._options import Options
from omniou.data._tracks import pairing, track_rows
from omniou.data._tracks.formats import TrackFormat
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import GROUND_TRUTH, Column, Role, TrackRows
from omniou.rle import MaskError, Masks, overlap

__all__ = ["FORMAT"]

LINE = Line(("frame", "id", "class_id", "img_height", "img_width", "rle"), headings=("#",))
_IGNORED = 10


def _read(files: Sequence[SequenceFile], role: Role, options: Options) -> TrackRows:
    table = track_rows.lines(files, LINE, role, options)
    classes = _whole(table, "class_id")
    region = (classes == _IGNORED) if role == GROUND_TRUTH else np.zeros(len(classes), dtype=bool)
    rows = TrackRows(
        **track_rows.of_table(table, files),
        region=region,
        masks=_masks(table),
        labels=classes,
    )
    _check_overlaps(rows)
    return rows


def _whole(table: TextTable, field: str) -> Column:
    numbers = table.numbers(field)
    bad = ~(np.isfinite(numbers) & (numbers == np.floor(numbers)))
    if bad.any():
        row = int(bad.argmax())
        raise table.fault(row, field, f"expected a whole number, got {numbers[row]:g}")
    return numbers.astype(np.int64)


def _masks(table: TextTable) -> Masks:
    sizes = np.stack([_whole(table, "img_height"), _whole(table, "img_width")], axis=1).tolist()
    words = table.words["rle"]
    try:
        return Masks.from_coco([{"size": size, "counts": x} for size, x in zip(sizes, words, strict=True)])
    except MaskError as error:
        field = "img_height" if error.field.startswith("size") else "rle"
        raise table.fault(error.row, field, error.fault) from None


def _check_overlaps(rows: TrackRows) -> None:
    """Raise for two masks that overlap: a frame where the sum of the areas exceeds the area of the union."""
    masks = rows.masks
    if masks is None or not len(masks):
        return
    keys = np.stack([rows.sequence, np.nan_to_num(rows.frames)])
    frame = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
    _check_sizes(rows, masks.sizes, frame)
    objects = np.flatnonzero(~rows.region)
    count = int(frame.max()) + 1
    total = np.bincount(frame[objects], masks.area()[objects], count)
    # Regions of a frame may overlap each other.
    if rows.region.any():
        numbers = np.unique(frame[rows.region])
        total[numbers] += masks.take(np.flatnonzero(rows.region)).merge(frame[rows.region]).area()
    for number in np.flatnonzero(total > masks.merge(frame).area()).tolist():
        first, again = _overlapping(rows, masks, np.flatnonzero(frame == number))
        before, ids = rows.place(first, "id").place.partition(",")[0], np.asarray(rows.ids)
        where = f"{before} (frame {rows.frames[again]:g})"
        what = f"the mask overlaps the mask of id {ids[first]:g} in {where}: a pixel is of one object"
        _faults.keep(rows.fault(again, "rle", what))


def _overlapping(rows: TrackRows, masks: Masks, of_frame: Column) -> tuple[int, int]:
    """The first two rows whose masks overlap and that are not both regions."""
    k, n = np.triu_indices(len(of_frame), 1)
    i, j = of_frame[k], of_frame[n]
    found = (overlap(masks, i, masks, j) > 0) & ~(rows.region[i] & rows.region[j])
    place = int(found.argmax())
    return int(i[place]), int(j[place])


def _check_sizes(rows: TrackRows, sizes: Column, frame: Column) -> None:
    again, first = indexing.unlike_first(sizes, frame, xp=np)
    if len(again):
        where = rows.place(int(first[0]), "").place.partition(",")[0]
        raise rows.fault(int(again[0]), "img_height", pairing.of_other_size(sizes[again[0]], sizes[first[0]], where))


def _is_line(fields: Fields) -> bool:
    return len(fields) == 6 and text_lines.are_numbers(fields[:5])  # run lengths may look like a number, too


FORMAT = TrackFormat(
    name="mots",
    title="MOTS: frame id class height width rle",
    read=_read,
    first_frame=1,
    kind="segm",
    fits=_is_line,
)
