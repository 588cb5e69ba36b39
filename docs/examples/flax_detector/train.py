"""A small detector of squares and discs in JAX: each step of training and of validation is one compiled function.

omniou assigns the points of a grid to the shapes, has the loss of the boxes, removes duplicates and evaluates.

python docs/examples/flax_detector/train.py
"""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from omniou import matching, nms
from omniou_integrations.flax import DetectionAP
from omniou_integrations.jax import giou_loss

SIDE, STRIDE, SHAPES, CLASSES = 32, 4, 2, 2  # pixels of a side and of a cell of the grid; shapes in an image at most
BATCH, STEPS = 32, 400
STEPS_OF_GRID = jnp.arange(0, SIDE, STRIDE) + STRIDE / 2
POINTS = jnp.stack(jnp.meshgrid(STEPS_OF_GRID, STEPS_OF_GRID), axis=-1).reshape(-1, 2)


def scenes(key):
    """Images (BATCH, SIDE, SIDE, 1) of a shape or none in each half, boxes, labels, and which shapes are there."""
    keys = jax.random.split(key, 5)
    half = jax.random.uniform(keys[0], (BATCH, SHAPES), minval=3, maxval=7)
    x = jax.random.uniform(keys[1], (BATCH, SHAPES), minval=half, maxval=SIDE / SHAPES - half)
    x = x + jnp.arange(SHAPES) * SIDE / SHAPES
    y = jax.random.uniform(keys[2], (BATCH, SHAPES), minval=half, maxval=SIDE - half)
    labels = jax.random.randint(keys[3], (BATCH, SHAPES), 0, CLASSES)
    there = jax.random.uniform(keys[4], (BATCH, SHAPES)) < 0.8
    pixel = jnp.arange(SIDE) + 0.5
    across, down = jnp.abs(pixel - x[..., None, None]), jnp.abs(pixel[:, None] - y[..., None, None])
    extent = half[..., None, None]
    square, disc = jnp.maximum(across, down) < extent, across**2 + down**2 < extent**2
    drawn = jnp.where(labels[..., None, None] == 0, square, disc) & there[..., None, None]
    images = drawn.any(axis=1) + 0.2 * jax.random.normal(key, (BATCH, SIDE, SIDE))
    return images[..., None], jnp.stack([x - half, y - half, x + half, y + half], axis=-1), labels, there


class Detector(nnx.Module):
    """Images -> logits (B, A, CLASSES), and boxes (B, A, 4) by the distances of their sides from the points."""

    def __init__(self, rngs):
        widths, strides = (1, 16, 32, 64, 64), (2, 2, 1, 1)
        pairs = zip(widths[:-1], widths[1:], strides, strict=True)
        self.layers = nnx.List([nnx.Conv(a, b, (3, 3), strides=s, rngs=rngs) for a, b, s in pairs])
        self.last = nnx.Conv(widths[-1], CLASSES + 4, (3, 3), rngs=rngs)

    def __call__(self, x):
        for layer in self.layers:
            x = nnx.relu(layer(x))
        out = self.last(x).reshape(len(x), -1, CLASSES + 4)
        sides = STRIDE * nnx.softplus(out[..., CLASSES:])
        return out[..., :CLASSES] - 2, jnp.concat([POINTS - sides[..., :2], POINTS + sides[..., 2:]], axis=-1)


def loss(model, images, objects, labels, there):
    """Of classes and boxes, for the points that each shape takes."""
    logits, boxes = model(images)
    fixed = jax.lax.stop_gradient((boxes, nnx.sigmoid(logits)))
    assigned = matching.task_aligned(*fixed, POINTS, objects, labels, where=there, topk=4)
    wanted = assigned.scores[..., None] * (assigned.take(labels)[..., None] == jnp.arange(CLASSES))
    of_classes = optax.sigmoid_binary_cross_entropy(logits, wanted).sum()
    of_boxes = giou_loss(boxes, assigned.take(objects), where=assigned.objects >= 0) * assigned.scores
    return (of_classes + 2 * of_boxes.sum()) / jnp.maximum(assigned.scores.sum(), 1)


def main(steps=STEPS):
    """Train, and return AP, AP50, AP75 and AR of scenes that the network has not seen."""
    model = Detector(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(optax.cosine_decay_schedule(3e-3, steps)), wrt=nnx.Param)

    @nnx.jit
    def train(model, optimizer, key):
        optimizer.update(model, nnx.grad(loss)(model, *scenes(key)))

    for key in jax.random.split(jax.random.key(1), steps):
        train(model, optimizer, key)

    metric = DetectionAP(CLASSES)

    @nnx.jit
    def validate(model, metric, key):
        images, objects, labels, there = scenes(key)
        logits, boxes = model(images)
        scores, classes = nnx.sigmoid(logits).max(axis=-1), logits.argmax(axis=-1)
        # The best 20 of each image: what `update` takes grows with their number.
        kept = nms.hard(boxes, scores, 0.6, groups=classes, size=20)
        rows = jnp.maximum(kept.indices, 0)
        found = {
            "boxes": jnp.take_along_axis(boxes, rows[..., None], axis=1),
            "scores": kept.scores,
            "labels": jnp.take_along_axis(classes, rows, axis=1),
            "where": kept.indices >= 0,
        }
        metric.update(targets={"boxes": objects, "labels": labels, "where": there}, detections=found)

    for key in jax.random.split(jax.random.key(2), 10):
        validate(model, metric, key)
    return {name: float(value) for name, value in metric.compute().items()}


if __name__ == "__main__":
    print(", ".join(f"{name} {value:.3f}" for name, value in main().items()))  # noqa: T201
