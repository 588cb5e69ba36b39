"""A network that finds the rectangle in a picture. At first it answers with a box outside of the picture: the GIoU loss
leads it in, the IoU loss leaves it there.

python docs/examples/flax_shapes/train.py
"""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from omniou_integrations.flax import BoxScore
from omniou_integrations.jax import giou_loss, iou_loss

SIDE, BATCH, STEPS = 24, 128, 1500


def pictures(key):
    """Pictures (BATCH, SIDE, SIDE) of a filled rectangle each, and its box (BATCH, 4)."""
    corners = jax.random.randint(key, (BATCH, 2, 2), 0, SIDE - 5)
    low, high = corners.min(axis=1), corners.max(axis=1) + 6
    place = jnp.arange(SIDE)
    inside = (place >= low[..., None]) & (place < high[..., None])  # (BATCH, 2, SIDE)
    filled = inside[:, 1, :, None] & inside[:, 0, None, :]
    return filled.astype(float), jnp.concat([low, high], axis=-1).astype(float)


class Finder(nnx.Module):
    """Picture -> box, at first one in a corner outside of it."""

    def __init__(self, rngs):
        self.hidden = nnx.Linear(SIDE * SIDE, 256, rngs=rngs)
        self.box = nnx.Linear(256, 4, rngs=rngs)
        self.box.bias.set_value(jnp.asarray([-16.0, -16.0, -8.0, -8.0]))

    def __call__(self, x):
        return self.box(nnx.relu(self.hidden(x.reshape(len(x), -1))))


def train(loss):
    """Mean IoU on pictures that the network has not seen, before and after."""
    model = Finder(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(optax.cosine_decay_schedule(1e-2, STEPS)), wrt=nnx.Param)

    @nnx.jit
    def step(model, optimizer, key):
        images, target = pictures(key)
        gradient = nnx.grad(lambda model: loss(model(images), target, reduction="mean"))(model)
        optimizer.update(model, gradient)

    before = tested(model)
    for key in jax.random.split(jax.random.key(1), STEPS):
        step(model, optimizer, key)
    return before, tested(model)


def tested(model):
    """Mean IoU of 10 batches."""
    metric = BoxScore()

    @nnx.jit
    def step(model, metric, key):
        images, target = pictures(key)
        metric.update(pred=model(images), target=target)

    for key in jax.random.split(jax.random.key(2), 10):
        step(model, metric, key)
    return float(metric.compute())


def main():
    for loss in (giou_loss, iou_loss):
        before, after = train(loss)
        print(f"{loss.__name__}: mean IoU {before:.3f} -> {after:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
