"""A list of the images to read: of the files, where there is one for each image; else of what was read."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou.data import _files, _names
from omniou.data._errors import InputError
from omniou.data._names import Listed
from omniou.data._options import Options
from omniou.data._truth import GroundTruth
from omniou.detection import Targets

Column = npt.NDArray[Any]


class ImageSet(NamedTuple):
    """The images that were asked for, and the line of each in its file; None for all."""

    path: Path | None = None  # where they are listed; none, where they were given by name
    lines: dict[str, int] | None = None

    def files(self, files: Sequence[Path]) -> list[Path]:
        """Those of the images that were asked for."""
        return [file for file in files if self.lines is None or file.stem in self.lines]

    def listed(self, names: Iterable[str], folder: Path) -> Listed:
        """The images of these names that were asked for, each of which must be among them."""
        if self.lines is None:
            return _names.counted(names, complete=True)
        known = set(names)
        for name, line in self.lines.items():
            if name not in known:
                raise self.fault(line, f"{name!r} has no file in {folder}")
        return _names.counted(self.lines, complete=False)

    def fault(self, line: int, what: str) -> InputError:
        """An error in one of the images."""
        return InputError("image_set" if self.path is None else self.path, what, place=f"line {line}")


def read(options: Options) -> ImageSet:
    """What was asked for."""
    path = options.image_set
    if path is None:
        return ImageSet()
    if not isinstance(path, Path | str):
        return ImageSet(None, {_names.stem(word): number for number, word in enumerate(path, start=1)})
    path = Path(path)
    lines = _files.read_text(path).decode().splitlines()
    # Pascal VOC's lists for a class have 1, 0 or -1 behind each name.
    words = [(number, fields[0]) for number, line in enumerate(lines, start=1) if (fields := line.split())]
    if not words:
        raise InputError(path, "the file is empty; the name of an image in each line was expected")
    return ImageSet(path, {_names.stem(word): number for number, word in words})


def of_images(truth: GroundTruth, options: Options) -> GroundTruth:
    """The part of a ground truth that is of the images in the list: each must be there, by its name or its id."""
    chosen = read(options)
    if chosen.lines is None:
        return truth
    by_stem = {_names.stem(name): id for id, name in reversed(truth.image_names.items())}
    by_stem |= {str(id): id for id in truth.image_names if str(id) in chosen.lines and str(id) not in by_stem}
    for name, line in chosen.lines.items():
        if name not in by_stem:
            raise chosen.fault(line, f"{name!r} is not among the images of {truth.path}")
    ids = np.array(sorted(by_stem[name] for name in chosen.lines), dtype=np.int64)
    kept, shown = np.isin(truth.targets.images, ids), np.isin(truth.images, ids)
    pairs: Any = truth.targets.negative
    present = None if truth.present is None else truth.present[np.isin(pairs[:, 0], ids)]
    return dataclasses.replace(
        truth,
        targets=_of_images(truth.targets, kept, ids),
        images=truth.images[shown],
        flagged=truth.flagged[kept],
        image_names={id: name for id, name in truth.image_names.items() if id in set(ids.tolist())},
        sizes=None if truth.sizes is None else truth.sizes[shown],
        present=present,
        image_naming=truth.image_naming._replace(complete=False),
    )


def _of_images(targets: Targets[Column], kept: Column, ids: Column) -> Targets[Column]:
    columns: dict[str, Any] = {f.name: getattr(targets, f.name) for f in dataclasses.fields(targets)}
    for name, column in columns.items():
        if column is None:
            continue
        if name in {"negative", "not_exhaustive"}:
            columns[name] = column[np.isin(column[:, 0], ids)]
        else:
            columns[name] = column.take(np.flatnonzero(kept)) if name == "masks" else column[kept]
    return Targets(**columns)
