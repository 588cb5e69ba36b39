"""The masks of COCO's records as one table."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou.data._records import Lengths
from omniou.data.errors import InputError
from omniou.rle import MaskError, Masks

# Record, field, what is wrong with it.
Fault: TypeAlias = Callable[[int, str, str], InputError]


def read(segmentations: Sequence[Any], sizes: npt.NDArray[Any], fault: Fault) -> Masks:
    """Run lengths and polygons, and the size (N, 2) of the image of each -> masks in their order."""
    flags = np.fromiter((isinstance(x, Lengths) for x in segmentations), dtype=bool, count=len(segmentations))
    lengths, polygons = np.flatnonzero(flags), np.flatnonzero(~flags)
    _check_drawable(polygons, sizes, fault)
    records = [{"size": x.size, "counts": x.counts} for x in segmentations if isinstance(x, Lengths)]
    drawn = [x for x in segmentations if not isinstance(x, Lengths)]
    tables = [
        _table(lengths, lambda: Masks.from_coco(records), fault),
        _table(polygons, lambda: Masks.from_polygons(drawn, sizes[polygons].astype(np.int64)), fault),
    ]
    masks = Masks.concat([x for x in tables if len(x)] or tables[:1])
    if min(lengths.size, polygons.size):
        masks = masks.take(np.argsort(np.concatenate([lengths, polygons])))
    _check_sizes(masks, sizes, fault)
    return masks


def _table(rows: npt.NDArray[Any], make: Callable[[], Masks], fault: Fault) -> Masks:
    if not rows.size:
        return Masks.from_coco([])
    try:
        return make()
    except MaskError as error:
        dot = "." if error.field and not error.field.startswith("[") else ""
        raise fault(int(rows[error.row]), f"segmentation{dot}{error.field}", error.fault) from None


def _check_drawable(rows: npt.NDArray[Any], sizes: npt.NDArray[Any], fault: Fault) -> None:
    """Polygons are of images whose sizes are known, in whole pixels."""
    known = sizes[rows]
    bad = ~((known == np.floor(known)) & (known < 2**53)).all(axis=1)  # written this way round, NaN is bad
    if bad.any():
        row = int(rows[bad.argmax()])
        height, width = sizes[row].tolist()
        got = "" if np.isnan(sizes[row]).any() else f" in whole pixels, got {height:.15g} and {width:.15g}"
        raise fault(row, "segmentation", f"polygons need the height and width of their image{got}")


def _check_sizes(masks: Masks, sizes: npt.NDArray[Any], fault: Fault) -> None:
    """A mask is of the size that its image has, where that is known."""
    bad = ((masks.sizes != sizes) & ~np.isnan(sizes)).any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        height, width = sizes[row].tolist()
        wanted = f"expected the image's height and width, [{height:.15g}, {width:.15g}]"
        raise fault(row, "segmentation.size", f"{wanted}, got {masks.sizes[row].tolist()}")
