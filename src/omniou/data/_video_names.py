"""Names of videos that tools write in several ways: ActivityNet's "v_" in front, the ending of a file behind."""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from omniou._lib.findings import Finding
from omniou.data._errors import InputError, InputWarning
from omniou.data._names import Key
from omniou.data._truth import GroundTruth

_STEM = re.compile(r"(?:.*/)?(?:v_)?(.+?)(?:\.(?:mp4|mkv|avi|mov|webm|m4v|flv))?", re.IGNORECASE | re.DOTALL)


def stem(video: Key) -> Key:
    """The name of a video without its folder, prefix and ending: "v_abc.mp4" is "abc"."""
    match = _STEM.fullmatch(video) if isinstance(video, str) else None
    return match[1] if match else video


def as_in(truth: GroundTruth, path: Path, videos: Sequence[Key]) -> list[Key]:
    """Return the names of the videos of detections as the ground truth has them; warn if they differ.

    Raises
    ------
    InputError
        If two names are the same video.
    """
    known = [*truth.image_names.values(), *truth.image_naming.others]
    counts = Counter(map(stem, known))
    own, same = set(known), {stem(x): x for x in known if counts[stem(x)] == 1}
    names = [video if video in own else same.get(stem(video), video) for video in videos]
    times = Counter(names)
    changed = {video: name for video, name in zip(videos, names, strict=True) if video != name}
    for video, name in changed.items():
        if times[name] > 1:
            other = next(x for x, y in zip(videos, names, strict=True) if y == name and x != video)
            raise InputError(path, f"{video!r} and {other!r} are both the video {name!r} of {truth.path}")
    if changed:
        first = next(iter(changed.items()))
        text = f"names of {len(changed)} videos differ from the ground truth's: {first[0]!r} is read as {first[1]!r}"
        finding = Finding(code="video-names", text=text, hint="write the names of the ground truth", path=str(path))
        warnings.warn(InputWarning(finding), stacklevel=3)
    return names
