"""Boxes around masks."""

from omniou._kernels import boxes as kernels
from omniou._lib import backends, formats
from omniou._lib.arrays import Operand, agree, arrays_of, widest_floating
from omniou._lib.types import ArrayT
from omniou._lib.values import check_two_values

_MASKS = Operand("booleans or real numbers", ("bool", "integral", "real floating"), decides=False)


def from_masks(masks: ArrayT, /, *, offset: float = 0.0) -> ArrayT:
    """Tightest xyxy box around the true pixels of each mask.

    Parameters
    ----------
    masks : array, shape (..., height, width)
        Booleans, or numbers that are 0 or one other number, such as torchvision takes. Probabilities:
        ``from_masks(x > 0.5)``.
    offset : float
        0: maximum corners lie at the far edge of the last pixel, so a mask of one pixel has area 1.
        1: maximum corners name the last pixel inside.

    Returns
    -------
    array, shape (..., 4)
        In the widest float of the library; [0, 0, 0, 0] (with offset 1: [0, 0, -1, -1]) for an empty mask.

    Raises
    ------
    TypeError
        If the masks are neither booleans nor real numbers.
    ValueError
        If they have fewer than two axes or no pixels, or `offset` is neither 0 nor 1; and, where values can be
        checked, if a mask has more than one number other than 0.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.zeros((5, 8), dtype=bool)
    >>> mask[1:3, 2:7] = True
    >>> boxes.from_masks(mask).tolist()
    [2.0, 1.0, 7.0, 3.0]
    """
    (array,), facts = arrays_of({"masks": _MASKS}, masks=masks)
    xp = facts[0].namespace
    agree(facts)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise ValueError(f"`masks` must have shape (..., height, width), got {tuple(array.shape)}")
    check_two_values("masks", array)
    layout, _ = formats.layout("xyxy", offset)
    return backends.run(kernels.from_masks, array, layout=layout, dtype=widest_floating(xp, facts[0].device), xp=xp)
