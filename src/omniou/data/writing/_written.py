"""What writers of files share: rows with names, shapes in the order that a format asks for, and what gets lost."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._catalogue import shape_calls as calls
from omniou._lib.findings import Finding
from omniou.boxes import GEOMETRY as UPRIGHT
from omniou.data._errors import OptionError
from omniou.data._paths import shortest
from omniou.data._rest import Rest, Source
from omniou.data._truth import GroundTruth
from omniou.detection import Detections, Targets
from omniou.rotated import GEOMETRY as ROTATED

Column = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Content:
    """Objects, or detections, of a ground truth, to be written.

    Attributes
    ----------
    truth : GroundTruth
    table : Targets or Detections
    rest : Rest, optional
        The records of the rows, with the fields that tables have not.
    path : Path, optional
        The file that the rows were read from. Default: the file of the ground truth.
    lost : list of Finding
        What the format cannot hold: filled by the writer.
    """

    truth: GroundTruth
    table: Targets[Any] | Detections[Any]
    rest: Rest | None = None
    path: Path | None = None
    lost: list[Finding] = dataclasses.field(default_factory=list)

    @property
    def source(self) -> Source | None:
        """What reads the records again."""
        return None if self.rest is None else self.rest.source

    @property
    def are_objects(self) -> bool:
        """Whether the rows are objects, not detections."""
        return not isinstance(self.table, Detections)

    @property
    def scores(self) -> Column | None:
        """Scores of detections; None for objects, and for detections without scores."""
        scores = getattr(self.table, "scores", None)
        return None if scores is None else np.asarray(scores)

    @property
    def labels(self) -> Column:
        """Ids of classes."""
        return np.asarray(self.table.labels)

    @property
    def images(self) -> Column:
        """Ids of images."""
        return np.asarray(self.table.images)

    def flags(self, name: str) -> Column:
        """A column of booleans; False where there is none, as in detections."""
        column = getattr(self.table, name, None)
        flags = np.zeros(len(self.labels), dtype=bool) if column is None else np.asarray(column, dtype=bool)
        return flags | self.truth.flagged if name == "ignore" and self.are_objects else flags

    def lose(self, what: str, count: int) -> None:
        """Note what the format cannot hold."""
        if count:
            self.lost.append(Finding(code="lost", text=f"{count} {what}", path=str(self.path or self.truth.path)))

    def upright(self, format: str) -> Column:
        """Upright boxes (N, 4) in pixels, or in fractions with ``rel_`` in front."""
        if self.truth.geometry is not UPRIGHT:
            raise OptionError(
                f"only upright boxes can be written so, got {self.truth.geometry.name}: read them as kind 'bbox'"
            )
        return self._sized(np.asarray(self.table.boxes), self.truth.format, format)

    def _sized(self, boxes: Column, source: str, target: str) -> Column:
        relative = UPRIGHT.is_relative(target)
        if relative == self.truth.relative:
            given = f"rel_{source}" if relative else source
            return np.asarray(calls.converted(UPRIGHT, boxes, given, target, image_size=np.ones((len(boxes), 2))))
        sizes = self._known_sizes("fractions" if relative else "pixels")
        given = f"rel_{source}" if self.truth.relative else source
        return np.asarray(calls.converted(UPRIGHT, boxes, given, target, image_size=sizes))

    def corners(self) -> Column:
        """Four corners (N, 8)."""
        boxes, format = np.asarray(self.table.boxes), self.truth.format
        if self.truth.geometry is UPRIGHT:
            x1, y1, x2, y2 = self.upright("xyxy").T
            return np.stack([x1, y1, x2, y1, x2, y2, x1, y2], axis=1)
        if self.truth.geometry is ROTATED:
            return np.asarray(calls.converted(ROTATED, boxes, format, "xyxyxyxy"))
        if boxes.shape[1] != 8:
            raise OptionError(f"only quadrilaterals can be written so, got polygons of {boxes.shape[1] // 2} corners")
        return boxes

    def _known_sizes(self, why: str) -> Column:
        sizes = self.sizes()
        if np.isnan(sizes).any():
            raise OptionError(f"the sizes of images are needed to write {why}: `image_size` or `images` gives them")
        return sizes

    def relative_corners(self) -> Column:
        """Four corners (N, 8) in fractions of the image's sides."""
        corners = self.corners()
        if self.truth.relative:
            return corners
        return corners / np.tile(self._known_sizes("fractions")[:, ::-1], 4)

    def sizes(self) -> Column:
        """Height and width of the image of each row (N, 2), NaN where unknown."""
        if self.truth.sizes is None:
            return np.full((len(self.labels), 2), np.nan)
        order = np.argsort(self.truth.images)
        return self.truth.sizes[order[np.searchsorted(self.truth.images, self.images, sorter=order)]]

    def by_image(self) -> Iterator[tuple[str, Column]]:
        """The name of a file for each image, those without rows included, and the rows that it has."""
        names = self.image_names()
        order = np.argsort(self.images, kind="stable")
        rising = self.images[order]
        for id, name in names.items():
            low, high = np.searchsorted(rising, [id, id + 1])
            yield name, order[low:high]

    def by_class(self, *, blanks: bool) -> Iterator[tuple[str, Column]]:
        """The name of each class and its rows."""
        names = [x if blanks else _one_word(x) for x in self.truth.categories.values()]
        _check_names(names, "class")
        for id, name in zip(self.truth.categories, names, strict=True):
            yield name, np.flatnonzero(self.labels == id)

    def words(self) -> list[str]:
        """The class of each row as one word, for formats whose fields are between blanks."""
        names = {id: _one_word(name) for id, name in self.truth.categories.items()}
        changed = sum(names[id] != name for id, name in self.truth.categories.items())
        self.lose("names of classes have blanks, which became underscores", changed)
        if len(set(names.values())) < len(names):
            raise OptionError("names of classes are the same without blanks")
        return [names[int(x)] for x in self.labels]

    def image_names(self) -> dict[int, str]:
        """Names of images by id, without folder and ending if the names stay distinct."""
        ids = self.truth.images.tolist()
        names = shortest([self.truth.image_names.get(id, str(id)) for id in ids])
        _check_names(names, "image", folders=True)
        return dict(zip(ids, names, strict=True))


def number(x: float) -> str:
    """The shortest text that is read back to the same bits."""
    return repr(int(x)) if float(x).is_integer() and abs(x) < 2**53 else repr(float(x))


def numbers(row: Sequence[float]) -> str:
    """Numbers with blanks between them."""
    return " ".join(map(number, row))


def _one_word(name: str) -> str:
    return "_".join(name.split()) or "_"


def _check_names(names: Sequence[str], what: str, *, folders: bool = False) -> None:
    """Names of files must differ, and lie in the folder, or in `folders` of it."""
    for name in names:
        parts = name.split("/") if folders else [name]
        if any(part in {"", ".", ".."} or set(part) & set("/\\\0") for part in parts):
            raise OptionError(f"{what} {name!r} cannot be the name of a file")
    if len({x.lower() for x in names}) < len(names):
        twice = next(x for x in names if [y.lower() for y in names].count(x.lower()) > 1)
        raise OptionError(
            f"two {'classes' if what == 'class' else f'{what}s'} are called {twice!r}: their files would be the same"
        )
