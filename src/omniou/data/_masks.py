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
    lengths = [row for row, x in enumerate(segmentations) if isinstance(x, Lengths)]
    polygons = [row for row, x in enumerate(segmentations) if not isinstance(x, Lengths)]
    for row in polygons:
        if np.isnan(sizes[row]).any():
            raise fault(row, "segmentation", "polygons need the height and width of their image")
    records = [{"size": x.size, "counts": x.counts} for x in segmentations if isinstance(x, Lengths)]
    drawn = [segmentations[row] for row in polygons]
    tables = [
        _table(lengths, lambda: Masks.from_coco(records), fault),
        _table(polygons, lambda: Masks.from_polygons(drawn, sizes[polygons].astype(np.int64)), fault),
    ]
    masks = Masks.concat(tables).take(np.argsort(np.array([*lengths, *polygons], dtype=np.int64)))
    _check_sizes(masks, sizes, fault)
    return masks


def _table(rows: Sequence[int], make: Callable[[], Masks], fault: Fault) -> Masks:
    if not rows:
        return Masks.from_coco([])
    try:
        return make()
    except MaskError as error:
        dot = "." if error.field and not error.field.startswith("[") else ""
        raise fault(rows[error.row], f"segmentation{dot}{error.field}", error.fault) from None


def _check_sizes(masks: Masks, sizes: npt.NDArray[Any], fault: Fault) -> None:
    """A mask is of the size that its image has, where that is known."""
    bad = ((masks.sizes != sizes) & ~np.isnan(sizes)).any(axis=1)
    if bad.any():
        row = int(bad.argmax())
        height, width = sizes[row].astype(int)
        wanted = f"expected the image's height and width, [{height}, {width}]"
        raise fault(row, "segmentation.size", f"{wanted}, got {masks.sizes[row].tolist()}")
