"""Prepare crops of labels that may be wrong for the page: shapes, over the picture if there is one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from omniou.report._images import frames, tags
from omniou.report._images.photos import Crop, crops, photo
from omniou.report._record.details import MOST_CROPS, window
from omniou.report._record.record import Record
from omniou.report._record.series import Series

# Lists of the analysis "label_errors", in the order of their tables, and the outcome whose style they are drawn in.
_STYLES = {"unmatched": "false", "other_class": "false", "unfound": "missed"}
# For intervals: width and height of a crop, in heights of a bar.
_LANES, _HIGH = 10, 5


class _Cut(NamedTuple):
    """The shapes to draw for an entry, and the visible part of its image: left, top, right, bottom."""

    shapes: frames.Rows
    view: Sequence[float]


def section(value: Series, record: Record, folder: Path | None) -> list[list[dict[str, Any]]]:
    """Return crops for each table of the analysis "label_errors"; rows without points have none."""
    kinds = frames.shapes_of(record, value.get("edges"))
    entries = [(style, entry) for name, style in _STYLES.items() for entry in value[name][:MOST_CROPS]]
    files = frames.files_of(folder, [entry["name"] for _, entry in entries])
    of_file = defaultdict(list)
    for number, path in enumerate(files):
        of_file[path].append(number)
    cuts: list[_Cut | None] = [None] * len(entries)
    photos: list[Crop | None] = [None] * len(entries)
    for path, numbers in of_file.items():  # each picture is opened once
        known = _with_picture(path, [entries[k] for k in numbers])
        for number, (cut, made) in zip(numbers, known, strict=True):
            cuts[number], photos[number] = cut, made
    shown = iter(_shown(entry, cut, made, kinds) for (_, entry), cut, made in zip(entries, cuts, photos, strict=True))
    return [[x for _ in value[name][:MOST_CROPS] if (x := next(shown)) is not None] for name in _STYLES]


def _with_picture(
    path: Path | None, entries: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[tuple[_Cut | None, Crop | None]]:
    size = entries[0][1].get("size")
    made = None if path is None or size else photo(path)
    cuts = [_cut(style, entry, (made.height, made.width) if made else None) for style, entry in entries]
    if path is None:
        return [(cut, None) for cut in cuts]
    known = [cut for cut in cuts if cut is not None]
    parts = iter(crops(path, size, [cut.view for cut in known]) or [None] * len(known))
    return [(cut, None if cut is None else next(parts)) for cut in cuts]


def _cut(style: str, entry: Mapping[str, Any], file: tuple[float, float] | None) -> _Cut | None:
    """Return the shapes of a crop and its window, cut to the image if its size is known."""
    if not entry["points"]:
        return None
    shapes: dict[str, list[Any]] = {name: list(rows) for name, rows in (entry.get("near") or {}).items()}
    if "labelled_points" in entry:
        shapes.setdefault("found", []).insert(0, [entry["labelled"], None, entry["labelled_points"]])
    shapes[style] = [[entry["class"], entry.get("score"), entry["points"]]]
    if len(entry["points"]) == 2:
        (left,), (right,) = (x.tolist() for x in window(*(np.asarray([x]) for x in entry["points"])))
        lane = (right - left) / _LANES
        return _Cut(frames.in_lanes(shapes, lane), (left, 0.0, right, lane * _HIGH))
    size = entry.get("size") or file
    drawn = shapes if entry.get("size") else frames.scaled(shapes, file)
    box = tags.extent(drawn[style][0][2])
    if box is None:
        return None
    low, high = window(np.asarray(box[:2]), np.asarray(box[2:]))
    if size is not None:
        within = np.maximum(low, 0.0), np.minimum(high, np.asarray(size[::-1]))
        low, high = within if (within[1] > within[0]).all() else (low, high)
    return _Cut(drawn, (*low.tolist(), *high.tolist()))


def _shown(
    entry: Mapping[str, Any], cut: _Cut | None, made: Crop | None, kinds: frames.ClassesDrawn
) -> dict[str, Any] | None:
    if cut is None:
        return None
    left, top, right, bottom = cut.view
    frame = (left, top, right - left, bottom - top)
    named = [
        tags.Tag(style, kinds.called(row), row[2])
        for style in ("false", "missed", "found", "hit")
        for row in cut.shapes.get(style, [])
        if row[2]
    ]
    words = tags.cut(kinds.called([entry["class"], entry.get("score")]))
    if "labelled" in entry:
        words = f"{words}, labelled {tags.cut(kinds.names[entry['labelled']])}"
    sides = made and {name: f"{getattr(made, name):g}" for name in ("x", "y", "width", "height")}
    return {
        "name": entry["name"],
        "words": words,
        "box": " ".join(f"{x:g}" for x in frame),
        "photo": made and sides and {"data": made.url, **sides},
        "groups": frames.groups(cut.shapes, frame, kinds, None),
        "tags": tags.placed(named, frame, is_crop=True),
    }
