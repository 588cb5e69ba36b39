"""What is compared: boxes, masks, or the boundaries of masks. A kind gives bounds and areas, and overlaps of pairs."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from omniou import boxes
from omniou._kernels import matching as kernels
from omniou._kernels.boxes import Boxes
from omniou._lib import checks, formats, indexing
from omniou._lib.types import Namespace
from omniou._scores import scores
from omniou.detection.candidates import Overlap, Pairs
from omniou.detection.parts import Columns, Given
from omniou.rle import Masks, overlap

Kind: TypeAlias = Literal["bbox", "segm", "boundary"]

# Corners (P, 2 * D) of detections and of objects -> (P,).
Score: TypeAlias = Callable[[Any, Any], Any]

KINDS = ("bbox", "segm", "boundary")

# Share of the image's diagonal that a boundary is wide: Cheng et al., Boundary IoU, CVPR 2021.
DILATION = 0.02


def check(kind: str, score: Any) -> None:
    """Check the name of a kind, and that a score is for boxes."""
    checks.choice("kind", kind, KINDS)
    if not (score is None or callable(score)):
        msg = f"`score` must be a function of two arrays of boxes, such as omniou.boxes.giou, got {score!r}"
        raise TypeError(msg)
    if score is not None and kind != "bbox":
        msg = f"`score` compares boxes: `kind` must then be 'bbox', got {kind!r}"
        raise ValueError(msg)


def score_of(score: Score | str | None, /) -> Score | None:
    """The function of a score, which may be given by its name in `omniou.scores`."""
    if not isinstance(score, str):
        return score
    checks.choice("score", score, scores)
    function: Score = getattr(boxes, score)
    return function


def name(kind: str, score: Score | None) -> str:
    """What a state says it was compared by."""
    return kind if score is None else f"{kind}: {getattr(score, '__name__', 'score')}"


def bounds(masks: Masks, /, *, xp: Namespace) -> Given:
    """Boxes around masks, with the areas of the masks."""
    layout, _ = formats.layout("xyxy", 0)
    return Given(masks.boxes(), xp.astype(masks.area(), xp.float64), layout)


def overlaps(columns: Columns, kind: str, score: Score | None, least: float, /) -> Overlap:
    """What tells the overlap of given rows of both tables; one below `least` may be given as 0."""
    if kind == "bbox":
        return _of_boxes(columns, score)
    return _of_masks(columns, least) if kind == "segm" else _of_boundaries(columns, least)


def _of_boxes(columns: Columns, score: Score | None, /) -> Overlap:
    xp = columns.xp

    def of_boxes(pairs: Pairs) -> Any:
        ours, theirs = pairs.bounds()
        usual = kernels.overlap(ours, theirs, pairs.crowd, xp=xp)
        if score is None:
            return usual
        # A crowd is not one object: what covers it is the share of the detection in it, whatever the score.
        other = xp.astype(score(_corners(ours, xp=xp), _corners(theirs, xp=xp)), usual.dtype)
        return xp.where(pairs.crowd, usual, other)

    return of_boxes


def _corners(boxes: Boxes, /, *, xp: Namespace) -> Any:
    return xp.permute_dims(xp.concat([boxes.low, boxes.high]), (1, 0))


def _of_masks(columns: Columns, least: float, /) -> Overlap:
    def of_masks(pairs: Pairs) -> Any:
        found, wanted, crowd, _ = pairs
        return overlap(columns.found.masks, found, columns.truth.masks, wanted, crowd, least=least)

    return of_masks


def _of_boundaries(columns: Columns, least: float, /) -> Overlap:
    """The lower of the overlaps of masks and of boundaries, as published."""
    xp, of_masks = columns.xp, _of_masks(columns, least)

    def of_boundaries(pairs: Pairs) -> Any:
        whole = of_masks(pairs)
        # Boundaries are drawn only of masks that overlap enough, in any pair.
        some = xp.nonzero(whole >= least)[0]
        found, wanted, crowd = (xp.take(x, some) for x in (pairs.found, pairs.wanted, pairs.crowd))
        ours, first = _boundary(columns.found.masks, found, xp=xp)
        theirs, second = _boundary(columns.truth.masks, wanted, xp=xp)
        edges = overlap(ours, first, theirs, second, crowd, least=least)
        return indexing.put(whole, some, xp.minimum(xp.take(whole, some), edges), xp=xp)

    return of_boundaries


def _boundary(masks: Masks, rows: Any, /, *, xp: Namespace) -> tuple[Masks, Any]:
    """The boundaries of the masks that occur in rows (P,), and where the one of each row is (P,)."""
    used = indexing.distinct(rows, xp=xp)
    return masks.take(used).boundary(DILATION), indexing.place(used, rows, xp=xp)[0]
