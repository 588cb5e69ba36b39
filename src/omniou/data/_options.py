"""Options of readers."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from omniou._lib.formats import BoxFormat


def _plain(files: Sequence[Path], _: str) -> Iterable[Path]:
    return files


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read a file where it does not say so itself.

    Attributes
    ----------
    boxes : str, optional
        Order of the four numbers of a box, where the file deviates from its format: "xyxy", "yxyx", "xywh", "cxcywh",
        or one of these with ``rel_`` in front, for fractions of the image's sides.
    image_size : (height, width), optional
        Of the images whose size the ground truth does not say: for boxes that are relative.
    images : path, optional
        Directory of the images, where such sizes are looked up otherwise (by Pillow).
    classes : path, optional
        Text file with the name of a class in each line; numbers of classes count these lines from 0.
    image_set : path, optional
        Text file whose lines begin with the images to read, such as ``ImageSets/Main/val.txt``: for ground truth that
        has a file for each image. Names may have a folder and an ending, and flags of a class may follow.
    difficulty : {"easy", "moderate", "hard"}, optional
        KITTI's level: harder objects need not be found.
    masks : bool
        Whether to read the masks of objects and detections, of formats that have them.
    track : callable
        Wraps a list of files that are read one by one, and a word for them: shows progress.
    """

    boxes: BoxFormat | None = None
    image_size: tuple[float, float] | None = None
    images: Path | None = None
    classes: Path | None = None
    image_set: Path | None = None
    difficulty: Literal["easy", "moderate", "hard"] | None = None
    masks: bool = False
    track: Callable[[Sequence[Path], str], Iterable[Path]] = _plain


DEFAULT = Options()

# Of KITTI's benchmark; what each means is in its reader.
DIFFICULTIES = ("easy", "moderate", "hard")
