"""Train a small detector of drawn shapes with Keras, on any backend: `KERAS_BACKEND=jax python train.py`.

Squares and discs of random size lie in noisy images. Each cell of a grid says what lies around it, and where: omniou
assigns the cells to the shapes, and removes duplicates. The boxes learn by `GIoULoss`, and the training stops when the
AP of the validation images no longer rises.
"""

import keras
import numpy as np
from keras import layers, ops

from omniou import matching, nms
from omniou_integrations.keras import DetectionCallback, GIoULoss

SIZE, CELLS, SHAPES = 32, 8, 2  # pixels of a side, cells of a side, shapes in an image
CELL = SIZE // CELLS
NAMES = ["square", "disc"]
# A box of the usual size around the centre of each cell, (CELLS**2, 4).
CENTRES = CELL * (np.stack(np.divmod(np.arange(CELLS**2), CELLS)[::-1], axis=-1) + 0.5)
ANCHORS = np.concatenate([CENTRES - 5, CENTRES + 5], axis=-1)


def draw(images, seed):
    """Images (B, SIZE, SIZE, 1), boxes (B, SHAPES, 4) and labels (B, SHAPES); a label of -1 is no shape."""
    random = np.random.default_rng(seed)
    # Two shapes, one in the left half and one in the right: they may touch, but do not hide each other.
    half = random.uniform(3, 7, (images, SHAPES))
    x = random.uniform(half, SIZE / SHAPES - half) + np.arange(SHAPES) * SIZE / SHAPES
    y = random.uniform(half, SIZE - half)
    labels = random.choice([-1, 0, 1], (images, SHAPES), p=[0.2, 0.4, 0.4])

    pixel = np.arange(SIZE) + 0.5
    across, down = (np.abs(axis - centre[..., None, None]) for axis, centre in ((pixel, x), (pixel[:, None], y)))
    extent = half[..., None, None]
    square = np.maximum(across, down) < extent
    disc = across**2 + down**2 < extent**2
    kind = labels[..., None, None]
    drawn = ((kind == 0) & square) | ((kind == 1) & disc)

    pictures = drawn.any(axis=1) + random.normal(0, 0.2, (images, SIZE, SIZE))
    boxes = np.stack([x - half, y - half, x + half, y + half], axis=-1)
    return pictures[..., None].astype("float32"), boxes.astype("float32"), labels


def to_cells(boxes, labels):
    """What each cell shall say, (B, CELLS**2, 4) and (B, CELLS**2), and how much each loss of it counts."""
    assigned = matching.atss(ANCHORS, boxes, where=labels >= 0, keep_best=True)
    cells = {
        "boxes": assigned.take(boxes, background=0),
        "classes": assigned.take(labels, background=-1).astype("int32") + 1,  # 0 is nothing
    }
    counts = {"boxes": (cells["classes"] > 0).astype("float32"), "classes": np.ones((len(labels), CELLS**2))}
    return cells, counts


def detector():
    """A model that gives boxes (B, CELLS**2, 4), in pixels, and logits (B, CELLS**2, 1 + classes)."""
    image = layers.Input((SIZE, SIZE, 1))
    x = image
    for filters, stride in ((16, 2), (32, 2), (64, 1)):
        x = layers.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        x = layers.ReLU()(x)
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    sides = layers.Reshape((CELLS**2, 4))(layers.Conv2D(4, 1, activation="softplus")(x))
    logits = layers.Reshape((CELLS**2, 1 + len(NAMES)), name="classes")(layers.Conv2D(1 + len(NAMES), 1)(x))
    return keras.Model(image, {"boxes": Corners(name="boxes")(sides), "classes": logits})


@keras.saving.register_keras_serializable(package="keras_shapes")
class Corners(layers.Layer):
    """From distances to the four sides, in cells, to corners in pixels."""

    def call(self, sides):
        centre = ops.convert_to_tensor(CENTRES, sides.dtype)
        return ops.concatenate([centre - CELL * sides[..., :2], centre + CELL * sides[..., 2:]], axis=-1)


def decode(predicted):
    """A detection for each cell, its likeliest shape; those that overlap a better one have the score 0."""
    logits = predicted["classes"]
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shapes = odds[..., 1:] / odds.sum(axis=-1, keepdims=True)
    labels, scores = shapes.argmax(axis=-1), shapes.max(axis=-1)
    kept = nms.hard(predicted["boxes"], scores, 0.5, groups=labels, output="mask")
    return {"boxes": predicted["boxes"], "labels": labels, "scores": np.where(kept, scores, 0)}


def main(images=1024, epochs=25, rate=3e-3, verbose=0):
    """Train, and give what `fit` gives."""
    keras.utils.set_random_seed(0)
    pictures, boxes, labels = draw(images, seed=1)
    cells, counts = to_cells(boxes, labels)
    unseen, true_boxes, true_labels = draw(200, seed=2)

    model = detector()
    model.compile(
        keras.optimizers.Adam(rate),
        # Of the boxes only those count whose cell holds a shape: the mean is over these.
        loss={
            "boxes": GIoULoss(reduction="mean_with_sample_weight"),
            "classes": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        },
    )
    return model.fit(
        pictures,
        cells,
        sample_weight=counts,
        batch_size=64,
        epochs=epochs,
        verbose=verbose,
        callbacks=[
            DetectionCallback(
                (unseen, {"boxes": true_boxes, "labels": true_labels}),
                decode=decode,
                scores=(),
                class_names=NAMES,
                batch_size=200,
            ),
            keras.callbacks.EarlyStopping("val_map", mode="max", patience=5, restore_best_weights=True),
        ],
    )


if __name__ == "__main__":
    main(verbose=2)
