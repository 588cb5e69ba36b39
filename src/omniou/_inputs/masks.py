"""Masks as shapes: run lengths, or their boundaries."""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from omniou._inputs.shapes import Pairs, Shapes
from omniou._kernels.boxes import Bounds
from omniou._lib import checks, indexing
from omniou._lib.types import Namespace
from omniou.rle import Masks, overlap


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class MaskShapes(Shapes):
    """Masks of objects, as run lengths in NumPy."""

    masks: Masks
    corners: Any  # (N, 4) of the tightest boxes
    area: Any
    xp: Namespace

    @classmethod
    def read(cls, masks: Masks, /, *, xp: Namespace) -> Self:
        """Shapes of a table of masks."""
        return cls(masks, masks.boxes(), xp.astype(masks.area(), xp.float64), xp)

    def take(self, rows: Any, /) -> Self:
        numbers = self.xp.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return dataclasses.replace(
            self, masks=self.masks.take(numbers), corners=self.corners[rows, :], area=self.area[rows]
        )

    def concat(self, others: Sequence[Self], /) -> Self:
        tables = (self, *others)
        corners, area = (self.xp.concat([getattr(x, name) for x in tables]) for name in ("corners", "area"))
        masks = Masks.concat([x.masks for x in tables])
        return dataclasses.replace(self, masks=masks, corners=corners, area=area)

    def owned(self) -> Self:
        return self  # a table of masks cannot be written to

    def bounds(self, rows: Any, /) -> Bounds:
        corners = self.xp.permute_dims(self.xp.take(self.corners, rows, axis=0), (1, 0))
        return Bounds(corners[:2, :], corners[2:, :], self.xp.take(self.area, rows))

    def pixels(self, row: int, /) -> Any:
        left, top, right, bottom = (int(x) for x in self.corners[row, :])
        return self.masks.take(self.xp.asarray([row])).to_dense()[0, top:bottom, left:right], (left, top)

    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:
        return overlap(self.masks, pairs.detections, targets.masks, pairs.targets, pairs.crowd, least=least)


class BoundaryShapes(MaskShapes):
    """Masks that overlap as much as they do, or as their boundaries do, whichever is less.

    Cheng et al., Boundary IoU, CVPR 2021.
    """

    # Width of a boundary as a share of the diagonal of the image.
    DILATION: ClassVar[float] = 0.02

    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:
        xp, whole = self.xp, super().overlap(targets, pairs, least)
        # Boundaries are drawn only of masks that overlap enough in some pair.
        some = xp.nonzero(whole >= least)[0]
        detections, objects, crowd = (xp.take(x, some) for x in pairs)
        of_detections, first = self._boundaries(detections)
        of_targets, second = targets._boundaries(objects)
        edges = overlap(of_detections, first, of_targets, second, crowd, least=least)
        return indexing.put(whole, some, xp.minimum(xp.take(whole, some), edges), xp=xp)

    def _boundaries(self, rows: Any, /) -> tuple[Masks, Any]:
        """Boundaries of the masks that occur in rows (P,), each once, and the number of each row's boundary (P,)."""
        used = indexing.distinct(rows, xp=self.xp)
        return self.masks.take(used).boundary(self.DILATION), indexing.place(used, rows, xp=self.xp)[0]


def read(name: str, shapes: type[MaskShapes], column: str, masks: Any, /, *, xp: Namespace) -> Shapes:
    """Shapes of a column of masks, which kind `name` compares."""
    checks.instance(column, masks, Masks, f"omniou.rle.Masks for kind {name!r}")
    return shapes.read(masks, xp=xp)
