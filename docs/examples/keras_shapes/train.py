"""Train a small detector of drawn shapes with Keras, on any backend: `KERAS_BACKEND=jax python train.py`.

Squares and discs of random size lie in noisy images. Each cell of a grid says what lies with its centre in it, and
where. The boxes learn by `GIoULoss`, and the training stops when the AP of the validation images no longer rises.
"""

import keras
import numpy as np
from keras import layers, ops

from omniou_integrations.keras import DetectionCallback, GIoULoss

SIZE, CELLS, SHAPES = 32, 4, 2  # pixels of a side, cells of a side, shapes in an image
CELL = SIZE // CELLS
NAMES = ["square", "disc"]


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
    images = len(boxes)
    cells = {
        "boxes": np.zeros((images, CELLS**2, 4), "float32"),
        "classes": np.zeros((images, CELLS**2), "int32"),  # 0 is nothing, and a label is one less than its class
    }
    image, shape = np.nonzero(labels >= 0)
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2
    column, row = (centre[image, shape] // CELL).astype(int).T
    cells["boxes"][image, row * CELLS + column] = boxes[image, shape]
    cells["classes"][image, row * CELLS + column] = labels[image, shape] + 1
    counts = {"boxes": (cells["classes"] > 0).astype("float32"), "classes": np.ones((images, CELLS**2), "float32")}
    return cells, counts


def detector():
    """A model that gives boxes (B, CELLS**2, 4), in pixels, and logits (B, CELLS**2, 1 + classes)."""
    image = layers.Input((SIZE, SIZE, 1))
    x = image
    for filters in (16, 32, 64):
        x = layers.Conv2D(filters, 3, strides=2, padding="same", use_bias=False)(x)
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
        row, column = np.divmod(np.arange(CELLS**2), CELLS)
        centre = ops.convert_to_tensor(np.stack([column, row], axis=-1) + 0.5, sides.dtype)
        return CELL * ops.concatenate([centre - sides[..., :2], centre + sides[..., 2:]], axis=-1)


def decode(predicted):
    """A detection for each cell: its likeliest shape, however unlikely."""
    logits = predicted["classes"]
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shapes = odds[..., 1:] / odds.sum(axis=-1, keepdims=True)
    return {"boxes": predicted["boxes"], "labels": shapes.argmax(axis=-1), "scores": shapes.max(axis=-1)}


def main(images=1024, epochs=25, verbose=0):
    """Train, and give what `fit` gives."""
    keras.utils.set_random_seed(0)
    pictures, boxes, labels = draw(images, seed=1)
    cells, counts = to_cells(boxes, labels)
    unseen, true_boxes, true_labels = draw(200, seed=2)

    model = detector()
    model.compile(
        keras.optimizers.Adam(3e-3),
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
