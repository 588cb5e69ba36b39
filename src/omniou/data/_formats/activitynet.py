"""ActivityNet's JSON, which THUMOS14 and HACS share: videos with labelled segments, and results by video.

A segment ``[begin, end]`` in seconds stays as in the file: the reader does not clip it to the duration of the video.
"""

import bisect
import dataclasses
import functools
import itertools
import json
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from omniou._lib import brief, near
from omniou._lib.brief import shortened
from omniou._lib.findings import Finding
from omniou.data import _files, _json
from omniou.data import _video_names as video_names
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._formats import Format, Reader, file_rows
from omniou.data._formats.coco_truth import file_of
from omniou.data._formats.file_rows import FileRows, Place
from omniou.data._names import Coded, coded, counted, packed
from omniou.data._options import DEFAULT, Options
from omniou.data._peek import Peek
from omniou.data._truth import GroundTruth
from omniou.detection import Detections

Column = npt.NDArray[Any]
T = TypeVar("T")

# Keys next to videos, in files that have no key around the videos.
_HEADS = frozenset({"version", "external_data", "taxonomy"})
# How the videos of such a file begin: objects, or lists of predictions.
_STARTS = {"database": b"{", "results": b"["}
# Tools evaluate on the second if a file has both, as files of ActivityNet and HACS have.
_TRAINING, _VALIDATION = "training", "validation"


class _Action(msgspec.Struct, gc=False):
    segment: tuple[float, float]
    label: str | int


class _ActionVideo(msgspec.Struct):
    annotations: list[_Action] = []
    subset: str = ""
    duration: float | None = None


class _ActionFound(msgspec.Struct, gc=False):
    segment: tuple[float, float]
    score: float | None = None
    label: str | int | None = None  # proposals have none


class _ListedActions(NamedTuple, Generic[T]):
    """The records of all videos, one after the other."""

    videos: list[str]
    first: list[int]  # where the segments of each video start, and the end
    records: list[T]


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read the videos of a subset: by default the only one with annotations, or "validation" next to "training"."""
    path = file_of(Path(path))
    raw = _videos(path, "database", "results")
    every = {name: _decoded(path, _place(name), video, _ActionVideo) for name, video in raw.items()}
    subset, blocked = _subset(path, every, options.subset), _blocked(options.blocked)
    chosen = {name: x for name, x in every.items() if x.subset == subset and video_names.stem(name) not in blocked}
    listed = _listed({name: x.annotations for name, x in chosen.items()})
    videos = counted(chosen, complete=False)
    others = tuple(name for name in every if name not in chosen)
    videos = videos._replace(naming=videos.naming._replace(others=others))
    rows = _file_rows(path, listed, options, lambda video: f"{_place(video)}.annotations")
    truth = file_rows.truth(path, rows, videos, counted(map(str, rows.labels.keys), complete=False), options)
    known = [every[name].duration for name in videos.names.values()]
    durations = np.array([x if x is not None and x > 0 else np.nan for x in known], dtype=np.float64)
    return dataclasses.replace(truth, durations=durations, subset=subset)


def read_detections(path: Path | str, truth: GroundTruth, options: Options = DEFAULT) -> Detections[Column]:
    """Read predictions of segments; proposals without labels get the first class."""
    path = file_of(Path(path))
    raw = _videos(path, "results", "database")
    listed = _listed({name: _decoded(path, f"results.{name}", x, list[_ActionFound]) for name, x in raw.items()})
    rows = _file_rows(path, listed, options, lambda video: f"results.{video}")
    rows = _without_labels(path, rows, listed, truth) if any(x.label is None for x in listed.records) else rows
    missing = np.array([x.score is None for x in listed.records], dtype=bool)
    scores = packed([math.nan if x.score is None else x.score for x in listed.records], np.float64)
    return file_rows.detections(path, file_rows.with_scores(rows, scores, missing, options), truth, options)


def _place(video: str) -> str:
    return f"database.{video}"


def _videos(path: Path, name: str, other: str) -> dict[str, msgspec.Raw]:
    """What a file has of each video, undecoded: below the key `name`, or without it where no other key is there."""
    data = _json.read(path)
    outer = _json.decode(path, data, dict[str, msgspec.Raw])
    if name in outer:
        return _of_videos(path, name, bytes(outer[name]))
    videos = set(outer) - _HEADS
    are_videos = bool(videos) and all(bytes(outer[x]).startswith(_STARTS[name]) for x in videos)
    if other in outer or not are_videos:
        found = [x for x in outer if x not in _HEADS]
        hint = f": it has {other!r}, are the two files swapped?" if other in outer else f": it has {shortened(found)}"
        raise InputError(path, f"missing{hint}", place=name)
    whole = _of_videos(path, name, data)
    return {video: x for video, x in whole.items() if video in videos}


def _of_videos(path: Path, name: str, data: bytes) -> dict[str, msgspec.Raw]:
    """What an object has of each video. Of a name that is there twice, a decoder takes the last silently."""
    try:
        videos = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError as error:
        raise InputError(path, _json.fault_of(error)[0], place=name) from None
    between = len(data) - sum(len(json.dumps(key)) + len(bytes(x)) for key, x in videos.items())
    # Only braces, colons and commas are left, without blanks or with the blanks of Python's writer.
    if between not in {2 * len(videos) + 1, 4 * len(videos)}:
        json.loads(data, object_pairs_hook=functools.partial(_check_distinct, path, name))
    return videos


def _check_distinct(path: Path, name: str, pairs: Sequence[tuple[str, Any]]) -> None:
    counts = Counter(key for key, _ in pairs)
    if len(counts) < len(pairs):
        twice = next(key for key, count in counts.items() if count > 1)
        raise InputError(path, f"{twice!r} is there {counts[twice]} times in one object", place=name)


def _decoded(path: Path, place: str, data: msgspec.Raw, kind: type[T]) -> T:
    """The records of a video; a fault is named by it."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        fault, inside = _json.fault_of(error)
        dot = "." if inside and not inside.startswith("[") else ""
        raise InputError(path, fault, place=f"{place}{dot}{inside}") from None


def _listed(videos: Mapping[str, Sequence[T]]) -> _ListedActions[T]:
    first = [0, *itertools.accumulate(map(len, videos.values()))]
    return _ListedActions(list(videos), first, list(itertools.chain.from_iterable(videos.values())))


def _file_rows(path: Path, listed: _ListedActions[Any], options: Options, list_of: Callable[[str], str]) -> FileRows:
    def place(row: int, field: str) -> Place:
        k = bisect.bisect_right(listed.first, row) - 1
        return Place(path, f"{list_of(listed.videos[k])}[{row - listed.first[k]}].{field}")

    ends = list(itertools.chain.from_iterable(x.segment for x in listed.records))
    return FileRows(
        images=Coded(np.repeat(np.arange(len(listed.videos)), np.diff(listed.first)), listed.videos),
        labels=coded(str(x.label) for x in listed.records),
        boxes=packed(ends, np.float64).reshape(-1, 2),
        format="xx",
        place=place,
        fields=("video", "label", "segment[0]", "segment[1]"),
        geometry=options.geometry,
    )


def _without_labels(path: Path, rows: FileRows, listed: _ListedActions[_ActionFound], truth: GroundTruth) -> FileRows:
    """Give proposals, which have no classes, the first class, to compare them without classes."""
    lacking = [k for k, x in enumerate(listed.records) if x.label is None]
    if len(lacking) < len(listed.records) or not truth.categories:
        raise rows.fault(lacking[0], "label", "missing")
    first = next(iter(truth.categories.values()))
    text = f"predictions have no label, and are taken for class {first!r}: only numbers without classes mean anything"
    finding = Finding(code="no-labels", text=text, hint="--class-agnostic --proposals gives them", path=str(path))
    warnings.warn(InputWarning(finding), stacklevel=3)
    return dataclasses.replace(rows, labels=rows.labels._replace(keys=[first]))


def _subset(path: Path, videos: Mapping[str, _ActionVideo], given: str | None) -> str:
    """The subset to read: that which was asked for, in any case, or the one that is meant most likely."""
    counts = Counter(x.subset for x in videos.values())
    if given is not None:
        same = [x for x in counts if x == given] or [x for x in counts if x.casefold() == given.casefold()]
        if len(same) != 1:
            raise OptionError(
                f"`subset` must be one of {_named(counts)} in {path}, got {given!r}{near.hint(given, counts)}"
            )
        return same[0]
    annotated = {x.subset for x in videos.values() if x.annotations}
    plain = {x.casefold(): x for x in annotated}
    if len(annotated) == 1 or plain.keys() == {_TRAINING, _VALIDATION}:
        return plain.get(_VALIDATION) or next(iter(annotated))
    if not annotated:
        raise InputError(path, "no video has annotations", place="database")
    fault = f"several subsets have annotations, {_named(counts)}: --subset names the one to evaluate"
    raise InputError(path, fault, place="database")


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} ({brief.counted(count, 'videos')})" for name, count in counts.items())


def _blocked(path: Path | None) -> set[Any]:
    """Names in a JSON list, or in lines, without "v_" and endings."""
    if path is None:
        return set()
    text = _files.read_text(path)
    if text.lstrip().startswith(b"["):
        return set(map(video_names.stem, _json.decode(path, text, list[str])))
    return set(map(video_names.stem, text.decode().split()))


def _is_activitynet(peek: Peek) -> bool:
    keys = peek.keys
    if "results" in keys:
        return all(x.partition(".")[0] in {"results", "version", "external_data"} for x in keys)
    of_video = re.compile(r"database\..*\.(subset|duration|annotations)|[^\[\]]+(\.annotations)?\[\]\.segment")
    known = "annotations[].segment" not in keys and any(of_video.fullmatch(x) for x in keys)
    return known or "taxonomy[].nodeName" in keys


FORMAT = Format(
    "activitynet",
    "ActivityNet, THUMOS14, HACS: JSON of segments",
    Reader(read_ground_truth, ("intervals",), subsets=True),
    Reader(read_detections, ("intervals",)),
    recognises=_is_activitynet,
)
