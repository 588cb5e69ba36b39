"""Scalabel's JSON of tracks, which BDD100K uses: frames of videos with labels, whose "id" is the same in all frames.

A frame has its video as "videoName", and its number as "frameIndex" or "index", from 0. Where they are missing, the
names of frames tell: "b1c66a42-6f7d68ca-0000001.jpg" is frame 1 of a video, and tracks follow the ground truth's names.
Labels of the ground truth with "crowd" or "ignored" among their attributes are regions.
"""

import dataclasses
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
from omniou.data._tracks.frame_names import FrameKey, FrameNames, of_names
from omniou.data._tracks.sequence_files import SequenceFile
from omniou.data._tracks.track_rows import GROUND_TRUTH, Role, TrackRows

__all__ = ["FORMAT"]

_CROWD = ("crowd", "Crowd", "ignored")
_CORNERS = ("x1", "y1", "x2", "y2")


class _GivenFrame(NamedTuple):
    """A frame as its file states it, with the place of its record."""

    video: str | None
    number: int | None
    file: str  # the name of the file's sequence
    frame: ScalabelFrame
    place: Place


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
    of_files = [list(_frames(paths[path])) for path in options.track(list(paths), role)]
    given = [frame for frames in of_files for frame in frames]
    numbered = [frame for frames in of_files for frame in _numbered(frames)]

    def renumbered(known: FrameNames) -> TrackRows:
        return _rows([_as_in(known, x, own.video) for x, own in zip(given, numbered, strict=True)], role)

    names = FrameNames(
        ((x.frame.name, FrameKey(x.video, x.number)) for x in numbered),
        videos=all(x.video is not None for x in given),
        numbers=all(x.number is not None for x in given),
    )
    return dataclasses.replace(_rows(numbered, role), frame_names=names, renumbered=renumbered)


def _rows(frames: Sequence[_FrameOfVideo], role: Role) -> TrackRows:
    listed: dict[str, dict[int, str]] = {}
    for x in frames:
        field = next((name for name in ("frameIndex", "index") if getattr(x.frame, name) is not None), "name")
        if (first := listed.setdefault(x.video, {}).setdefault(x.number, x.place.place)) != x.place.place:
            way = ': write "videoName" and "frameIndex" of each frame' if field == "name" else ""
            what = f"frame {x.number} of {x.video!r} is already in {first}{way}"
            raise InputError(x.place.path, what, place=f"{x.place.place}.{field}")
    code = {name: k for k, name in enumerate(listed)}
    labels = [label for frame in frames for label in _labels(frame)]
    numbers = np.array([[getattr(x.label.box2d, name) for name in _CORNERS] for x in labels], dtype=np.float64)
    numbers = numbers.reshape(-1, 4)
    crowd = np.array([role == GROUND_TRUTH and _is_crowd(x.label) for x in labels], dtype=bool)
    scores = [x.label.score for x in labels]
    return TrackRows(
        sequence=np.array([code[x.video] for x in labels], dtype=np.int64),
        names=list(listed),
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


def _frames(file: SequenceFile) -> Iterator[_GivenFrame]:
    """The frames of a file as it states them."""
    content, prefix = scalabel.decoded_frames(file.path)
    for k, frame in enumerate(content.frames):
        place = Place(file.path, f"{prefix}[{k}]" if prefix is not None else "frame")
        number = frame.frameIndex if frame.frameIndex is not None else frame.index
        yield _GivenFrame(frame.videoName or None, number, file.name, frame, place)


def _numbered(frames: Sequence[_GivenFrame]) -> Iterator[_FrameOfVideo]:
    """The frames of a file by what it states, or else by their names.

    Frames whose names have no numbers count from 0 in their order; tracks then follow the names of the ground truth.
    """
    videos = _videos(frames)
    of_video: dict[str, list[_GivenFrame]] = {}
    for video, x in zip(videos, frames, strict=True):
        of_video.setdefault(video, []).append(x)
    numbers = {video: iter(_numbers(some)) for video, some in of_video.items()}
    for video, x in zip(videos, frames, strict=True):
        yield _FrameOfVideo(video, next(numbers[video]), x.frame, x.place)


def _videos(frames: Sequence[_GivenFrame]) -> list[str]:
    """The video of each frame: the file's, unless the names tell several videos."""
    keys = of_names([x.frame.name for x in frames if x.video is None]) or []
    videos = {x.video for x in keys}
    # With a video for nearly each frame, the names end with something else than a number.
    names = iter([x.video for x in keys] if 1 < len(videos) <= len(keys) / 2 else [])
    return [x.video if x.video is not None else next(names, x.file) for x in frames]


def _numbers(frames: Sequence[_GivenFrame]) -> list[int]:
    """The number of each frame of a video."""
    stated = [x for x in frames if x.number is not None]
    if stated and len(stated) < len(frames):
        place = next(x.place for x in frames if x.number is None)
        fault = f"missing, but {stated[0].place.place} of this video has it"
        raise InputError(place.path, fault, place=f"{place.place}.frameIndex")
    if stated:
        return [x.number for x in frames if x.number is not None]
    keys = of_names([x.frame.name for x in frames])
    return list(range(len(frames))) if keys is None else [x.number for x in keys]


def _as_in(known: FrameNames, x: _GivenFrame, video: str) -> _FrameOfVideo:
    """A frame with the video and the number of the ground truth's frame of its name; of several, of this video."""
    found = known.find(x.frame.name, x.video)
    if len(found) > 1:
        found = [key for key in found if key.video == video] or found
    if len(found) != 1:
        which = f"the name of {len(found)} frames" if found else "not the name of a frame"
        fault = f'{x.frame.name!r} is {which} of the ground truth: write "videoName" and "frameIndex" of each frame'
        raise InputError(x.place.path, fault, place=f"{x.place.place}.name")
    return _FrameOfVideo(*found[0], x.frame, x.place)


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
