"""From one object for each image, as other libraries have them, to the columns of a table. In NumPy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from omniou.rle import Masks


def part(side: str, image: int, name: str, one: Any) -> Any:
    """What an image has under a name, None only where it has no boxes."""
    column = getattr(one, name)
    if column is None and len(one):
        msg = f"`{side}[{image}]` must have `{name}`, got None"
        raise ValueError(msg)
    return column


def image_column(ids: Sequence[int], parts: Sequence[Any]) -> Any:
    """The id of its image for each box."""
    return np.repeat(np.asarray(ids, np.int64), [len(x) for x in parts])


def joined(parts: Sequence[Any], nothing: Any) -> Any:
    """One column; an image without boxes has no say in its dtype."""
    some = [x for x in parts if x is not None and len(x)]
    return np.concatenate(some) if some else nothing


def joined_masks(tables: Sequence[Masks]) -> Masks:
    """One table of masks, which may be of no image."""
    return Masks.concat(tables) if tables else Masks.from_coco([])
