"""The pair of highest overlap first."""

from typing import Any

from omniou._kernels import assignment
from omniou._lib import backends, carried, checks
from omniou._lib.arrays import BOOLEANS, agree, arrays_of, cast, is_floating, ranked, widest_integer
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou.matching import _arguments as arguments


def greedy(
    overlap: ArrayT | ArrayLike,
    /,
    *,
    threshold: float | None = None,
    inclusive: bool = True,
    where: Any = None,
) -> ArrayT:
    """Match rows and columns one to one, the pair of the highest overlap first.

    If overlaps are equal, the first row wins, and then the first column.

    Parameters
    ----------
    overlap : array, shape (..., N, M)
        Overlaps of N detections with M objects, or any score whose highest value is the best: a distance as its
        negative. A value of -inf never matches.
    threshold : float, optional
        The least overlap of a pair, from -1 to 1. It is rounded to the dtype of `overlap` before it is compared.
    inclusive : bool
        Whether an overlap equal to `threshold` matches: ``>=``, or else ``>``.
    where : array of booleans, broadcasts to (..., N, M), optional
        Pairs that may match: padding and pairs of two classes are false.

    Returns
    -------
    array of integers, shape (..., N)
        Column of each row, -1 for none. int64; int32 in JAX without ``jax_enable_x64``.

    Raises
    ------
    TypeError
        If libraries or devices differ, `where` does not hold booleans, or an option has a wrong type.
    ValueError
        If shapes do not fit, `threshold` is out of range, or an overlap that may match is NaN. Where values are not
        known yet, in `jit`, `vmap` and `torch.compile`, NaN never matches.

    Notes
    -----
    The result has a fixed size. A round takes all pairs that are the best of their row and of their column. Few rounds
    suffice; there are at most min(N, M) rounds, which `torch.compile` and `torch.func.vmap` unroll.

    Examples
    --------
    >>> from omniou import matching
    >>> matching.greedy([[0.9, 0.8], [0.8, 0.1]]).tolist()
    [0, 1]
    >>> matching.greedy([[0.9, 0.8], [0.8, 0.1]], threshold=0.5).tolist()
    [0, -1]
    """
    given, where = carried.counted({"overlap": overlap}, where)
    (array, mask), facts = arrays_of({"where": BOOLEANS}, **given, where=where)
    xp = facts[0].namespace
    backends.check_not_lazy("overlap", xp)
    compute, _ = agree(facts)
    arguments.matrix_shape("overlap", facts[0].shape)
    arguments.same_leading(facts[0].shape, where=mask)
    inclusive = checks.flag("inclusive", inclusive)
    if threshold is not None:
        least, most = -1.0, 1.0
        threshold = checks.number("threshold", threshold)
        if not least <= threshold <= most:
            raise ValueError(f"`threshold` must be from -1 to 1, got {threshold!r}")
    if arguments.readable(array, mask) and is_floating(array, xp):
        unknown = xp.isnan(array) if mask is None else xp.isnan(array) & ranked(mask, array.ndim, xp=xp)
        arguments.raise_nan("overlap", unknown, xp=xp)
    options = {"threshold": threshold, "inclusive": inclusive, "compute": compute, "integer": widest_integer(xp)}
    out: ArrayT = backends.run(_matched, array, *([] if mask is None else [mask]), xp=xp, **options)
    return out


def _matched(
    overlap: Any,
    where: Any = None,
    /,
    *,
    threshold: float | None,
    inclusive: bool,
    compute: Any,
    integer: Any,
    xp: Namespace,
) -> Any:
    allowed = xp.ones_like(overlap, dtype=xp.bool)
    if threshold is not None:
        x = overlap if is_floating(overlap, xp) else cast(overlap, compute, xp=xp)
        # 0.6 in float32 exceeds 0.6 in float64: an overlap of 60 / 100 is not above it.
        least = xp.full((), threshold, dtype=x.dtype, device=backends.device(x, xp=xp))
        allowed = x >= least if inclusive else x > least
    if where is not None:
        allowed = allowed & ranked(where, overlap.ndim, xp=xp)
    return assignment.greedy(cast(overlap, compute, xp=xp), allowed, integer=integer, xp=xp)
