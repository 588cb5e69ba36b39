"""A list of the images to read. It chooses files if each image has one, otherwise rows that were read."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._inputs.inputs import columns_of
from omniou.data import _files, _names, _rest
from omniou.data._errors import InputError
from omniou.data._names import Listed
from omniou.data._options import Options
from omniou.data._paths import names_in
from omniou.data._truth import GroundTruth, Naming
from omniou.detection import Targets

Column = npt.NDArray[Any]


class ImageSet(NamedTuple):
    """The images that were asked for, and the line of each in its file; None for all."""

    path: Path | None = None  # where they are listed; none, where they were given by name
    lines: dict[str, int] | None = None

    def files(self, root: Path, files: Sequence[Path]) -> list[Path]:
        """The files of the images that were asked for."""
        if self.lines is None:
            return list(files)
        chosen = self._chosen(Listed(dict(enumerate(names_in(root, files))), _BY_NAME))
        return [files[k] for k in sorted(set(chosen.values()))]

    def listed(self, names: Sequence[str], folder: Path) -> Listed:
        """The images that were asked for, among these names. Raise if one is missing."""
        if self.lines is None:
            return _names.counted(names, complete=True)
        ids = self.ids(Listed(dict(enumerate(names)), _BY_NAME), f"has no file in {folder}")
        listed = _names.counted((names[k] for k in ids), complete=False)
        return listed._replace(naming=listed.naming._replace(others=_others(enumerate(names), ids)))

    def ids(self, listed: Listed, lacking: str) -> list[int]:
        """The ids of the images that were asked for; `lacking` says that there is none of a name."""
        chosen = self._chosen(listed)
        for name, line in (self.lines or {}).items():
            if name not in chosen:
                raise self.fault(line, f"{name!r} {lacking}")
        return sorted(set(chosen.values()))

    def _chosen(self, listed: Listed) -> dict[str, int]:
        """The ids of names, as far as there are such images."""
        lines = self.lines or {}
        match = _names.matched(list(lines), listed, paths=True)
        for place, line in enumerate(lines.values()):
            if place in match.unclear:
                raise self.fault(line, match.unclear[place])
        return {name: id for name, id, known in zip(lines, match.ids.tolist(), match.known, strict=True) if known}

    def fault(self, line: int, what: str) -> InputError:
        """An error in one of the images."""
        return InputError("image_set" if self.path is None else self.path, what, place=f"line {line}")


_BY_NAME = Naming(own=False)


def _others(names: Iterable[tuple[int, str]], ids: Sequence[int]) -> tuple[str, ...]:
    """Names of images that were not asked for."""
    chosen = set(ids)
    return tuple(name for id, name in names if id not in chosen)


def read(options: Options) -> ImageSet:
    """What was asked for."""
    path = options.image_set
    if path is None:
        return ImageSet()
    if not isinstance(path, Path | str):
        return ImageSet(None, {word: number for number, word in enumerate(path, start=1)})
    path = Path(path)
    lines = _files.read_text(path).decode().splitlines()
    # Pascal VOC's lists for a class have 1, 0 or -1 behind each name.
    words = [(number, fields[0]) for number, line in enumerate(lines, start=1) if (fields := line.split())]
    if not words:
        raise InputError(path, "the file is empty; the name of an image in each line was expected")
    return ImageSet(path, {word: number for number, word in words})


def of_images(truth: GroundTruth, options: Options) -> GroundTruth:
    """The part of a ground truth in the listed images. Each must be there, by its name or its id."""
    chosen = read(options)
    if chosen.lines is None:
        return truth
    listed = Listed(truth.image_names, truth.image_naming)
    ids = np.array(chosen.ids(listed, f"is not among the images of {truth.path}"), dtype=np.int64)
    kept, shown = np.isin(truth.targets.images, ids), np.isin(truth.images, ids)
    _rest.narrow(kept)
    pairs: Any = truth.targets.negative
    present = None if truth.present is None else truth.present[np.isin(pairs[:, 0], ids)]
    return dataclasses.replace(
        truth,
        targets=_of_images(truth.targets, kept, ids),
        images=truth.images[shown],
        flagged=truth.flagged[kept],
        image_names={id: name for id, name in truth.image_names.items() if id in set(ids.tolist())},
        sizes=None if truth.sizes is None else truth.sizes[shown],
        durations=None if truth.durations is None else truth.durations[shown],
        present=present,
        image_naming=truth.image_naming._replace(
            complete=False, others=_others(truth.image_names.items(), ids.tolist())
        ),
    )


def _of_images(targets: Targets[Column], kept: Column, ids: Column) -> Targets[Column]:
    columns = columns_of(targets)
    for name, column in columns.items():
        if column is None:
            continue
        if name in {"negative", "not_exhaustive"}:
            columns[name] = column[np.isin(column[:, 0], ids)]
        else:
            columns[name] = column.take(np.flatnonzero(kept)) if name == "masks" else column[kept]
    return dataclasses.replace(targets, **columns)
