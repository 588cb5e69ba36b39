"""Convert segment ids to colours of PNG files, and back."""

from typing import Any

from omniou._lib.arrays import arrays_of, widest_integer
from omniou._lib.types import ArrayLike, ArrayT


def from_rgb(colours: ArrayT | ArrayLike, /) -> ArrayT:
    """Convert the colours of COCO's panoptic PNG files to segment ids.

    Parameters
    ----------
    colours : array of integers, shape (..., 3)
        Red, green and blue, from 0 to 255.

    Returns
    -------
    array of integers, shape (...)
        ``red + 256 * green + 65536 * blue``.

    Raises
    ------
    ValueError
        If the size of the last axis is not 3.

    Examples
    --------
    >>> from omniou import panoptic
    >>> panoptic.from_rgb([[1, 0, 0], [0, 1, 0], [255, 255, 255]]).tolist()
    [1, 256, 16777215]
    """
    (x,), facts = arrays_of(colours=colours)
    if x.ndim == 0 or x.shape[-1] != 3:
        raise ValueError(f"`colours` must have shape (..., 3), got {tuple(x.shape)}")
    xp = facts[0].namespace
    red, green, blue = (xp.astype(x[..., k], widest_integer(xp)) for k in range(3))
    return red + 256 * green + 65536 * blue


def to_rgb(ids: ArrayT | ArrayLike, /) -> ArrayT:
    """Convert segment ids to the colours of COCO's panoptic PNG files.

    Parameters
    ----------
    ids : array of integers, shape (...)
        From 0 to 16,777,215.

    Returns
    -------
    array of uint8, shape (..., 3)
        Red, green and blue.

    Raises
    ------
    TypeError
        If the ids are not integers.

    Examples
    --------
    >>> from omniou import panoptic
    >>> panoptic.to_rgb([1, 256, 16777215]).tolist()
    [[1, 0, 0], [0, 1, 0], [255, 255, 255]]
    """
    (x,), facts = arrays_of(ids=ids)
    xp: Any = facts[0].namespace
    if not xp.isdtype(x.dtype, "integral"):
        raise TypeError(f"`ids` must hold integers, got dtype {x.dtype}")
    wide = xp.astype(x, widest_integer(xp))
    return xp.astype(xp.stack([wide & 255, (wide >> 8) & 255, (wide >> 16) & 255], axis=-1), xp.uint8)
