"""Label maps of videos: folders with a folder of PNG files for each sequence, as DAVIS has them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib import threads
from omniou.data import _files, _png

__all__ = ["read"]

Maps: TypeAlias = npt.NDArray[Any]


class _LabelVideos(Mapping[str, Maps]):
    """The label maps of each sequence (T, H, W), which are read when they are asked for.

    `first` has a picture of each sequence whose size all must have.
    """

    def __init__(self, frames: Mapping[str, list[Path]], first: Mapping[str, Path], max_unpacked: int | None) -> None:
        self._frames, self._first, self._max_unpacked = frames, first, max_unpacked

    def __getitem__(self, name: str) -> Maps:
        paths = self._frames[name]
        with _files.unpacking(self._max_unpacked):
            # Pillow decodes without holding Python's lock.
            maps = threads.mapped(_png.labels, [(path,) for path in paths], threads=threads.most())
            first = maps[0] if self._first[name] == paths[0] else _png.labels(self._first[name])
        for path, labels in zip(paths, maps, strict=True):
            _png.same_size(path, labels, self._first[name], first)
        return np.stack([x.astype(np.uint8) if x.dtype == bool else x for x in maps])

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


def _by_number(name: str) -> list[tuple[int, str]]:
    """A name by its words and numbers, so that the frame 2 comes before the frame 10."""
    return [(int(x), "") if x.isdecimal() else (-1, x) for x in re.split(r"(\d+)", name)]


def read(
    ground_truth: Path | str, predictions: Path | str, *, max_unpacked: int | None = None
) -> tuple[Mapping[str, Maps], Mapping[str, Maps]]:
    """Read label maps of videos for `omniou.tracking.video_objects.evaluate`.

    Parameters
    ----------
    ground_truth, predictions : path
        Folders with a folder of PNG files for each sequence, such as ``bike/00000.png``; or the folders of one sequence
        each. Pictures are grey, of 8 or 16 bits, or have a palette, whose numbers are the labels. Frames are sorted by
        the names of their files, in which 2 comes before 10.
    max_unpacked : int, optional
        Most bytes that a picture may unpack to. Default: 100 times the size of its file, and at least 64 MiB.

    Returns
    -------
    ground_truth, predictions : mapping of str to array, shape (T, H, W)
        A sequence is read when it is asked for, so memory holds few of them.

    Raises
    ------
    InputError
        If a sequence or a frame has no prediction; when a sequence is read, also if a picture has another size or mode.
    MissingLibraryError
        If Pillow is not installed.

    Warns
    -----
    InputWarning
        If there are predictions without ground truth: they are excluded.
    """
    truth, predicted = Path(ground_truth), Path(predictions)
    of_truth, of_predictions = _png.in_folder(truth), _png.in_folder(predicted)
    _png.check_paired(of_truth, of_predictions, truth, predicted, stacklevel=3)
    frames: tuple[dict[str, list[Path]], dict[str, list[Path]]] = ({}, {})
    for name in sorted(of_truth, key=_by_number):
        parent = str(PurePosixPath(name).parent)
        sequence = truth.name if parent == "." else parent
        for side, pictures in zip(frames, (of_truth, of_predictions), strict=True):
            side.setdefault(sequence, []).append(pictures[name])
    first = {name: paths[0] for name, paths in frames[0].items()}
    return _LabelVideos(frames[0], first, max_unpacked), _LabelVideos(frames[1], first, max_unpacked)
