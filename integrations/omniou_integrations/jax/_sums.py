"""Sum and count losses and scores, over batches and devices."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from omniou._kernels.arithmetic import quotient
from omniou._lib.docs import described

Axis: TypeAlias = int | tuple[int, ...] | None
AxisName: TypeAlias = str | Sequence[str]


def sum_and_count(
    x: ArrayLike, *, where: ArrayLike | None = None, weight: ArrayLike | None = None, axis: Axis = None
) -> tuple[jax.Array, jax.Array]:
    """Sum of losses or scores, and of how much they count: a pair that adds up over batches and devices.

    Parameters
    ----------
    x : array
        Losses or scores, from a function that was given the same `where` but no `weight`.
    where : array of booleans, optional
        Which of them count; broadcasts with `x`.
    weight : array, optional
        Factor of each; broadcasts with `x`.
    axis : int or tuple of int, optional
        Which axes to sum over, by default all.

    Returns
    -------
    total, count : jax.Array
        At least float32, so neither ends at 65504 or 256.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import sum_and_count
    >>> total, count = sum_and_count(jnp.asarray([0.5, 1.5, 7.0]), where=jnp.asarray([True, True, False]))
    >>> float(total), float(count)
    (2.0, 2.0)
    """
    each = wide(x)
    share = jnp.ones_like(each) if weight is None else jnp.broadcast_to(jnp.asarray(weight, each.dtype), each.shape)
    # The product is masked before the sum, because excluded rows may hold NaN, also in their weights.
    counted = True if where is None else array(where)
    return jnp.sum(jnp.where(counted, each * share, 0), axis=axis), jnp.sum(jnp.where(counted, share, 0), axis=axis)


@described(sum_and_count)
def mean(
    x: ArrayLike,
    *,
    where: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    axis: Axis = None,
    axis_name: AxisName | None = None,
) -> jax.Array:
    """Compute the mean of losses or scores that `where` includes, also over a mesh axis; 0 if it includes none.

    Parameters
    ----------
    x, where, weight, axis
    axis_name : str or sequence of str, optional
        Inside `shard_map`, `vmap` or `pmap`: the sums and counts of this axis are added before the division. The
        gradient is the gradient of the whole mean.

    Returns
    -------
    jax.Array
        float32, or float64 where `x` is.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> from jax.sharding import AxisType, PartitionSpec as P
    >>> from omniou_integrations.jax import giou_loss, mean
    >>> mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
    >>> def loss(pred, target, where):
    ...     return mean(giou_loss(pred, target, where=where), where=where, axis_name="data")
    >>> sharded = jax.jit(jax.shard_map(loss, mesh=mesh, in_specs=P("data"), out_specs=P()))
    >>> pred, target = jnp.tile(jnp.asarray([0.0, 0, 1, 1]), (8, 1)), jnp.tile(jnp.asarray([1.0, 1, 2, 2]), (8, 1))
    >>> float(sharded(pred, target, jnp.arange(8) < 5))
    1.5
    """
    total, count = sum_and_count(x, where=where, weight=weight, axis=axis)
    if axis_name is not None:
        total, count = jax.lax.psum((total, count), axis_name)  # type: ignore[no-untyped-call]
    return quotient(total, count, xp=jnp)


def wide(x: ArrayLike) -> Any:
    """Numbers in the dtype to sum in."""
    given = array(x)
    # A cast to its own dtype would stop `jax.debug_nans` at NaN in the padding.
    return given if given.dtype in {jnp.dtype("float32"), jnp.dtype("float64")} else given.astype(jnp.float32)


def array(x: ArrayLike | None) -> Any:
    """A JAX array, or None."""
    # `asarray` copies an existing array, and `jax.debug_nans` then stops at NaN in the padding.
    return x if x is None or isinstance(x, jax.Array) else jnp.asarray(x)


def one_of(where: ArrayLike | None, mask: ArrayLike | None) -> ArrayLike | None:
    """Return one argument that has two names."""
    if where is not None and mask is not None:
        raise ValueError("`where` and `mask` mean the same, got both")
    return mask if where is None else where
