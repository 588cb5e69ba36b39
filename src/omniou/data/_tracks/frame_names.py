"""Videos and numbers of frames from the names of their pictures, where a file does not state them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# "b1c66a42-6f7d68ca-0000001" is frame 1 of "b1c66a42-6f7d68ca". Longer numbers, such as times, are no frames.
_NUMBERED = re.compile(r"(.*?)[-_./ ]*(?<![0-9])([0-9]{1,15})", re.DOTALL)


# The ending of a picture has a letter: "frame.0001" has none.
_ENDING = re.compile(r"\.[0-9]*[A-Za-z][A-Za-z0-9]*\Z")


class FrameKey(NamedTuple):
    """The video of a frame and its number."""

    video: str
    number: int


class FrameNames:
    """The frames of a ground truth by their names.

    Parameters
    ----------
    frames : iterable of pair
        The name of each frame, and its video and number.
    videos, numbers : bool
        Whether the files state the video, and the number, of each frame.
    """

    def __init__(self, frames: Iterable[tuple[str, FrameKey]], *, videos: bool, numbers: bool) -> None:
        self._has_videos, self.stated = videos, videos and numbers
        self._frames: dict[str, list[FrameKey]] = {}
        for name, key in frames:
            for each in {name, _bare(name)}:
                self._frames.setdefault(each, []).append(key)

    def find(self, name: str, video: str | None) -> list[FrameKey]:
        """Return the frames of a name, regardless of folder and ending if no frame has the whole name."""
        for each in (name, _bare(name)):
            if found := [x for x in self._frames.get(each, ()) if video in {None, x.video} or not self._has_videos]:
                return found
        return []


def of_names(names: Sequence[str]) -> list[FrameKey] | None:
    """Return videos and numbers as the names have them; None if a name does not end with a number."""
    found = [_NUMBERED.fullmatch(_ENDING.sub("", name)) for name in names]
    keys = [FrameKey(x[1], int(x[2])) for x in found if x is not None]
    return keys if len(keys) == len(names) else None


def _bare(name: str) -> str:
    """A name without folder and ending."""
    return _ENDING.sub("", name.rpartition("/")[2])
