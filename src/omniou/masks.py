"""Masks as arrays of pixels, of any library. For masks as run lengths, far smaller and faster, see `omniou.rle`.

A mask is the last two axes of an array, height and width: booleans, or numbers of which all but 0 are on.
"""

from typing import Any

from omniou._kernels import masks as kernels
from omniou._lib import backends, checks
from omniou._lib.arrays import agree, arrays_of
from omniou._lib.types import ArrayLike, ArrayT

__all__ = ["iou", "pairwise_iou"]


def iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /) -> ArrayT:
    """Intersection over union, mask by mask.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size. Leading axes broadcast.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both masks are empty. Library and device follow the input; the dtype is that of masks in
        floating numbers, else the widest float of the library.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or the masks are no numbers.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from omniou import masks
    >>> float(masks.iou([[1, 1], [0, 0]], [[1, 0], [1, 0]]))
    0.3333333333333333
    """
    return _score(kernels.iou, a, b, 2)


def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /) -> ArrayT:
    """Intersection over union of all pairs of two sets.

    Parameters
    ----------
    a : array, shape (..., N, height, width)
        First set.
    b : array, shape (..., M, height, width)
        Second set, of masks of the same size. Leading axes broadcast.

    Returns
    -------
    array, shape (..., N, M)
        As of `iou`.

    Raises
    ------
    TypeError
        If the libraries or devices differ, or the masks are no numbers.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.pairwise_iou([[[1, 1], [0, 0]]], [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]).tolist()
    [[1.0, 0.0]]
    """
    return _score(kernels.pairwise_iou, a, b, 3)


def _score(kernel: Any, a: Any, b: Any, axes: int) -> Any:
    (a, b), facts = arrays_of(a=a, b=b)
    xp = facts[0].namespace
    # Booleans are masks, but no numbers.
    as_numbers = (f._replace(dtype=xp.uint8) if xp.isdtype(f.dtype, "bool") else f for f in facts)
    compute, result = agree(tuple(as_numbers))
    _check_shapes(facts, axes)
    return backends.run(kernel, a, b, compute=compute, result=result, xp=xp)


def _check_shapes(facts: Any, axes: int) -> None:
    wanted = "(..., height, width)" if axes == 2 else "(..., masks, height, width)"
    shapes = {f.name: tuple(f.shape) for f in facts}
    for name, shape in shapes.items():
        if len(shape) < axes:
            msg = f"`{name}` must have shape {wanted}, got {shape}"
            raise ValueError(msg)
    if len({shape[-2:] for shape in shapes.values()}) > 1:
        listing = " and ".join(f"{shape} for `{name}`" for name, shape in shapes.items())
        msg = f"masks must have one size, got {listing}"
        raise ValueError(msg)
    checks.broadcast(**{name: shape[:-axes] for name, shape in shapes.items()})
