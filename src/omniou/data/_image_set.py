"""A list of the images to read, of ground truth that has a file for each image."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._names import Listed
from omniou.data._options import Options


class ImageSet(NamedTuple):
    """The images that were asked for, and the line of each in its file; None for all."""

    path: Path | None = None
    lines: dict[str, int] | None = None

    def files(self, files: Sequence[Path]) -> list[Path]:
        """Those of the images that were asked for."""
        return [file for file in files if self.lines is None or file.stem in self.lines]

    def listed(self, names: Iterable[str], folder: Path) -> Listed:
        """The images of these names that were asked for, each of which must be among them."""
        if self.lines is None or self.path is None:
            return _names.counted(names, complete=True)
        known = set(names)
        for name, line in self.lines.items():
            if name not in known:
                raise InputError(self.path, f"{name!r} has no file in {folder}", place=f"line {line}")
        return _names.counted(self.lines, complete=False)


def read(options: Options) -> ImageSet:
    """What was asked for."""
    path = options.image_set
    if path is None:
        return ImageSet()
    lines = _files.read_text(path).decode().splitlines()
    # Pascal VOC's lists for a class have 1, 0 or -1 behind each name.
    words = [(number, fields[0]) for number, line in enumerate(lines, start=1) if (fields := line.split())]
    if not words:
        raise InputError(path, "the file is empty; the name of an image in each line was expected")
    return ImageSet(path, {_names.stem(word): number for number, word in words})
