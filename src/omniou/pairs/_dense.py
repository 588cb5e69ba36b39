"""All pairs of two sets."""

from collections.abc import Callable
from typing import Any, cast

from omniou._lib import checks, tracers
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT

__all__ = ["pairwise"]


def pairwise(score: Callable[..., Any], a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Any) -> ArrayT:
    """Score of all pairs of two sets, without temporaries of the result's size.

    Parameters
    ----------
    score : callable
        A score, such as `boxes.giou`, or a function made of scores: ``lambda a, b: 1 - boxes.giou(a, b)``.
    a : array, shape (..., N, K)
        First set; for boxes K = 2 * D. Masks have the shape (..., N, height, width).
    b : array, shape (..., M, K)
        Second set. Leading axes broadcast.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    array, shape (..., N, M)
        Library, device and floating dtype of the input. Computed in tiles that fit the cache, so memory
        beyond the result stays small; where a gradient is taken, and for JAX and Dask, as one expression.

    Raises
    ------
    TypeError
        If `score` is not made of scores; otherwise what the score raises.

    Examples
    --------
    >>> from omniou import boxes, pairwise
    >>> pairwise(boxes.giou, [[0, 0, 1, 1]], [[0, 0, 1, 1], [1, 1, 2, 2]]).tolist()
    [[1.0, -0.5]]
    """
    if tracers.symbolic(a, b):
        return cast("ArrayT", tracers.leaf(_pairs_of(score), a, b, **options))
    return cast("ArrayT", checks.scoring("score", score)(Rows(a), Columns(b), **options))


def _pairs_of(score: Callable[..., Any]) -> Callable[..., Any]:
    """`pairwise` of one score: a graph of torch.fx holds no function as an argument."""

    def pairs(a: Any, b: Any, **options: Any) -> Any:
        return pairwise(score, a, b, **options)

    return pairs
