"""Losses and metrics for JAX. Losses are in optax's manner: pure functions, options by keyword. Metrics are pytrees.

They take and give JAX arrays, work under `jit`, `grad`, `vmap`, `scan` and `shard_map`, and have finite values
and gradients for boxes that are empty, inverted, identical or disjoint. Options that are not arrays (`format`,
`reduction`, `axis`, ...) are static: under `jit` they must be Python values.

``where`` excludes padding, even NaN; so batches keep their shape and nothing is compiled
again:

>>> import jax, jax.numpy as jnp, optax
>>> from omniou_integrations.jax import giou_loss
>>> pred = jnp.asarray([[0.0, 0.0, 1.0, 1.0], [jnp.nan, jnp.nan, jnp.nan, jnp.nan]])
>>> target = jnp.asarray([[1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
>>> def loss(pred, target, where):
...     return giou_loss(pred, target, where=where, reduction="mean")
>>> value, gradient = jax.jit(jax.value_and_grad(loss))(pred, target, jnp.asarray([True, False]))
>>> float(value), gradient[1].tolist()
(1.5, [0.0, 0.0, 0.0, 0.0])

Where a batch lies on several devices, the mean of the means of its shards is not its mean. Under `jit` alone there is
nothing to do; inside `shard_map` take `mean` with the name of the mesh axis, as its example shows.
"""

from omniou._lib import extras

extras.check_adapter(__name__, "jax")

from omniou_integrations.jax import _written
from omniou_integrations.jax._detection import DetectionAP
from omniou_integrations.jax._metrics import BoxScore, MeanIoU
from omniou_integrations.jax._sums import mean, sum_and_count
from omniou_integrations.jax._written import *  # noqa: F403  (all losses of scores)

__all__ = ["BoxScore", "DetectionAP", "MeanIoU", "mean", "sum_and_count"]
__all__ += _written.__all__


def __dir__() -> list[str]:
    return __all__
