"""Scalabel's JSON of tracks, which BDD100K uses: frames of videos with labels, whose "id" is the same in all frames.

A frame has its video as "videoName", or the file is one video, and its number as "frameIndex" or "index", from 0.
Labels of the ground truth with "crowd" or "ignored" among their attributes are regions.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou.data._errors import InputError
from omniou.data._formats import scalabel
from omniou.data._formats.file_rows import Place
from omniou.data._formats.scalabel import ScalabelFrame, ScalabelLabel
from omniou.data._options import Options
from omniou.data._peek import Peek
from omniou.data._tracks.formats import TrackFormat
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import GROUND_TRUTH, Role, TrackRows

__all__ = ["FORMAT"]

_CROWD = ("crowd", "Crowd", "ignored")
_CORNERS = ("x1", "y1", "x2", "y2")


class _FrameOfVideo(NamedTuple):
    """A frame, with the place of its record."""

    video: str
    number: int
    frame: ScalabelFrame
    place: Place


class _LabelOfFrame(NamedTuple):
    """A label that has a box."""

    video: str
    number: int
    label: ScalabelLabel
    place: Place


def _read(files: Sequence[SequenceFile], role: Role, options: Options) -> TrackRows:
    paths = {x.path: x for x in files}
    frames = [frame for path in options.track(list(paths), role) for frame in _frames(paths[path])]
    names = list(dict.fromkeys(x.video for x in frames))
    code = {name: k for k, name in enumerate(names)}
    labels = [label for frame in frames for label in _labels(frame)]
    numbers = np.array([[getattr(x.label.box2d, name) for name in _CORNERS] for x in labels], dtype=np.float64)
    numbers = numbers.reshape(-1, 4)
    crowd = np.array([role == GROUND_TRUTH and _is_crowd(x.label) for x in labels], dtype=bool)
    scores = [x.label.score for x in labels]
    listed: dict[str, list[int]] = {name: [] for name in names}
    for x in frames:
        listed[x.video].append(x.number)
    return TrackRows(
        sequence=np.array([code[x.video] for x in labels], dtype=np.int64),
        names=names,
        files={x.video: x.place.path for x in frames},
        frames=np.array([x.number for x in labels], dtype=np.float64),
        ids=[str(x.label.id) for x in labels],
        place=lambda row, field: _field(labels[row].place, field),
        region=crowd,
        boxes=numbers,
        numbers=numbers,
        fields=_CORNERS,
        labels=[str(x.label.category) for x in labels],
        scores=None if role == GROUND_TRUTH or any(x is None for x in scores) else np.array(scores, dtype=np.float64),
        columns={"crowd": crowd} if role == GROUND_TRUTH else {},
        by_class=True,
        listed={name: sorted(numbers) for name, numbers in listed.items()},
    )


def _field(place: Place, field: str) -> Place:
    return place._replace(place=f"{place.place}.{f'box2d.{field}' if field in _CORNERS else field}")


def _frames(file: SequenceFile) -> Iterator[_FrameOfVideo]:
    """The frames of a file; those without a number count from 0 in their order."""
    content, prefix = scalabel.decoded_frames(file.path)
    seen: dict[tuple[str, int], str] = {}
    count: dict[str, int] = {}
    for k, frame in enumerate(content.frames):
        place = f"{prefix}[{k}]" if prefix is not None else "frame"
        video = frame.videoName or file.name
        given = frame.frameIndex if frame.frameIndex is not None else frame.index
        number = count.get(video, 0) if given is None else given
        count[video] = count.get(video, 0) + 1
        if (first := seen.setdefault((video, number), place)) != place:
            field = "index" if frame.frameIndex is None else "frameIndex"
            raise InputError(file.path, f"frame {number} of {video!r} is already in {first}", place=f"{place}.{field}")
        yield _FrameOfVideo(video, number, frame, Place(file.path, place))


def _labels(frame: _FrameOfVideo) -> Iterator[_LabelOfFrame]:
    for k, label in enumerate(frame.frame.labels or []):
        place = frame.place._replace(place=f"{frame.place.place}.labels[{k}]")
        for name, value in (("id", label.id), ("category", label.category), ("box2d", label.box2d)):
            if value is None:
                raise InputError(place.path, "missing", place=f"{place.place}.{name}")
        yield _LabelOfFrame(frame.video, frame.number, label, place)


def _is_crowd(label: ScalabelLabel) -> bool:
    attributes: dict[str, Any] = label.attributes or {}
    return any(attributes.get(name) for name in _CROWD)


def _is_scalabel(peek: Peek) -> bool:
    return bool(peek.keys & {"[].labels", "frames[].labels", "[].videoName", "frames[].videoName", "[].name"})


FORMAT = TrackFormat(
    name="scalabel",
    title="Scalabel, BDD100K: JSON of frames of videos",
    read=_read,
    first_frame=0,
    order="xyxy",
    recognises=_is_scalabel,
)
