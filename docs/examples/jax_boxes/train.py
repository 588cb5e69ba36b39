"""Boxes that start far from their targets: the GIoU loss draws them there, the IoU loss leaves them where they are.

python docs/examples/jax_boxes/train.py
"""

import functools

import jax
import jax.numpy as jnp
import optax

from omniou_integrations.jax import BoxScore, giou_loss, iou_loss

ROOM, REAL, STEPS = 64, 50, 1000


def generated(key, low, high):
    """Boxes (ROOM, 4) with corners between the two, of which the first REAL are no padding."""
    corners = jax.random.uniform(key, (ROOM, 2, 2), minval=low, maxval=high)
    boxes = jnp.concat([corners.min(axis=1), corners.max(axis=1) + 1], axis=-1)
    return boxes.at[REAL:].set(jnp.nan)


def train(loss, start, target, where):
    """Mean IoU after each step (STEPS,), in one compiled loop."""
    optimizer = optax.adam(optax.cosine_decay_schedule(0.3, STEPS))

    def step(carry, _):
        pred, state = carry
        gradient = jax.grad(lambda pred: loss(pred, target, where=where, reduction="mean"))(pred)
        updates, state = optimizer.update(gradient, state)
        pred = optax.apply_updates(pred, updates)
        return (pred, state), BoxScore.empty().update(pred, target, where=where).compute()

    return jax.lax.scan(step, (start, optimizer.init(start)), length=STEPS)[1]


def main():
    keys = jax.random.split(jax.random.key(0))
    start, target = generated(keys[0], 0, 10), generated(keys[1], 12, 22)
    where = jnp.arange(ROOM) < REAL
    for loss in (giou_loss, iou_loss):
        reached = jax.jit(functools.partial(train, loss))(start, target, where)
        print(f"{loss.__name__}: mean IoU {float(reached[0]):.3f} -> {float(reached[-1]):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
