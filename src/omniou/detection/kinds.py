"""What is compared: boxes, masks, or the boundaries of masks. A kind gives bounds and areas, and overlaps of pairs."""

from typing import Any, Literal, TypeAlias

from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib import checks, indexing
from omniou._lib.types import Namespace
from omniou.detection import parts
from omniou.detection.match import Overlap
from omniou.detection.parts import Columns
from omniou.rle import Masks, overlap

Kind: TypeAlias = Literal["bbox", "segm", "boundary"]

KINDS = ("bbox", "segm", "boundary")

# Share of the image's diagonal that a boundary is wide: Cheng et al., Boundary IoU, CVPR 2021.
DILATION = 0.02


def check(kind: str) -> None:
    """Check the name of a kind."""
    checks.choice("kind", kind, KINDS)


def bounds(masks: Masks, /, *, xp: Namespace) -> Boxes:
    """Boxes around masks, with the areas of the masks."""
    corners = xp.permute_dims(masks.boxes(), (1, 0))
    return Boxes(corners[:2, :], corners[2:, :], xp.astype(masks.area(), xp.float64))


def overlaps(columns: Columns, kind: Kind, least: float, /) -> Overlap:
    """What tells the overlap of given rows of both tables; one below `least` may be given as 0."""
    if kind == "bbox":
        return _of_boxes(columns)
    return _of_masks(columns, least) if kind == "segm" else _of_boundaries(columns, least)


def _of_boxes(columns: Columns, /) -> Overlap:
    xp = columns.xp

    def of_boxes(found: Any, wanted: Any, crowd: Any) -> Any:
        ours, theirs = parts.take(columns.found.boxes, found, xp=xp), parts.take(columns.truth.boxes, wanted, xp=xp)
        return kernels.overlap(ours, theirs, crowd, xp=xp)

    return of_boxes


def _of_masks(columns: Columns, least: float, /) -> Overlap:
    def of_masks(found: Any, wanted: Any, crowd: Any) -> Any:
        return overlap(columns.found.masks, found, columns.truth.masks, wanted, crowd, least=least)

    return of_masks


def _of_boundaries(columns: Columns, least: float, /) -> Overlap:
    """The lower of the overlaps of masks and of boundaries, as published."""
    xp, of_masks = columns.xp, _of_masks(columns, least)

    def of_boundaries(found: Any, wanted: Any, crowd: Any) -> Any:
        whole = of_masks(found, wanted, crowd)
        # Boundaries are drawn only of masks that overlap enough, in any pair.
        pairs = xp.nonzero(whole >= least)[0]
        ours, first = _boundary(columns.found.masks, xp.take(found, pairs), xp=xp)
        theirs, second = _boundary(columns.truth.masks, xp.take(wanted, pairs), xp=xp)
        edges = overlap(ours, first, theirs, second, xp.take(crowd, pairs), least=least)
        return indexing.put(whole, pairs, xp.minimum(xp.take(whole, pairs), edges), xp=xp)

    return of_boundaries


def _boundary(masks: Masks, rows: Any, /, *, xp: Namespace) -> tuple[Masks, Any]:
    """The boundaries of the masks that occur in rows (P,), and where the one of each row is (P,)."""
    used = indexing.distinct(rows, xp=xp)
    return masks.take(used).boundary(DILATION), indexing.place(used, rows, xp=xp)[0]
