"""Cases with values worked out by hand, functions for each backend, and small models for the Keras tests."""

import math
from typing import NamedTuple

import keras
import numpy as np
from keras import ops

import omniou_integrations.keras as adapter
from omniou import boxes, losses, scores
from omniou_integrations.keras import BoxIoU, DetectionCallback, IoULoss
from tests.hand_worked import HAND_WORKED, LOSS_VALUES, NEEDED

BACKEND = keras.backend.backend()


class Case(NamedTuple):
    """A public loss or metric, the function that it must agree with, and its values for the boxes above."""

    make: type
    options: dict
    function: object
    values: list

    @property
    def is_loss(self):
        return issubclass(self.make, keras.losses.Loss)

    @property
    def declared(self):
        return self.make.score if self.is_loss else scores[self.options["score"]]

    def build(self, **more):
        return self.make(**{**self.options, **more})

    def mean(self, **more):
        """Function of targets, predictions and weights that keeps no state, to be compiled."""
        if self.is_loss:
            return self.build(reduction="mean_with_sample_weight", **more)
        metric = self.build(**more)
        start = [ops.zeros((), dtype="float32")] * 2

        def mean(target, pred, weight=None):
            return metric.stateless_result(metric.stateless_update_state(start, target, pred, weight))

        return mean


IOU, GIOU, DIOU = (HAND_WORKED[name] for name in ("iou", "giou", "diou"))
CASES = {"IoULoss log": Case(IoULoss, {"log": True}, losses.iou, [-math.log(0.4), -math.log(1e-6), 0, -math.log(1e-6)])}
CASES |= {
    f"{score.label}Loss": Case(
        getattr(adapter, f"{score.label}Loss"), NEEDED.get(name, {}), getattr(losses, name), LOSS_VALUES[name]
    )
    for name, score in scores.items()
}
CASES |= {
    f"BoxIoU {name}": Case(BoxIoU, {"score": name, **NEEDED.get(name, {})}, getattr(boxes, name), values)
    for name, values in HAND_WORKED.items()
}
LOSSES = {name: case for name, case in CASES.items() if case.is_loss}
# One of each kind that differs in the adapter: an option of its own, a term that is detached, the size of the image,
# a score that tells target from prediction, and Gaussians. The formulas have tests of their own.
SOME = {
    name: CASES[name]
    for name in (
        *("IoULoss log", "CIoULoss", "MPDIoULoss", "WIoULoss", "KLDLoss"),
        *("BoxIoU iou", "BoxIoU mpdiou", "BoxIoU kld"),
    )
}


def tensor(x, dtype="float32"):
    return ops.convert_to_tensor(x, dtype=dtype)


def numbers(x):
    return np.asarray(ops.convert_to_numpy(ops.cast(x, "float32")), np.float64)


def compiled(function):
    """The function of tensors in the backend's compiled form."""
    if BACKEND == "jax":
        import jax

        return jax.jit(function)
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.function(function, jit_compile=True)
    import torch

    torch._dynamo.reset()  # functions compiled by other tests count against a limit
    # Traced and differentiated, but not compiled to C++, which takes half a minute: one test does that.
    return torch.compile(function, backend="aot_eager", dynamic=False)


def gradient(loss, target, pred):
    """Gradient of the sum of the losses by `pred`, by the backend's automatic differentiation."""
    x, target = np.asarray(pred, np.float32), np.asarray(target, np.float32)
    if BACKEND == "torch":
        import torch

        x = torch.tensor(x, requires_grad=True)
        loss(target, x).sum().backward()
        return x.grad.numpy()
    if BACKEND == "jax":
        import jax

        return np.asarray(jax.jit(jax.grad(lambda x: loss(target, x).sum()))(x))
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def run(target, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(loss(target, x))
        return tape.gradient(value, x)

    return run(tf.constant(target), tf.constant(x)).numpy()


def random_boxes(*shape, seed=0):
    random = np.random.default_rng(seed)
    corner, side = random.uniform(0, 100, (*shape, 2)), random.uniform(5, 50, (*shape, 2))
    return np.concatenate([corner, corner + side], -1).astype(np.float32)


X = np.zeros((64, 1), np.float32)
Y = np.tile(np.asarray([2.0, 2.0, 4.0, 5.0], np.float32), (64, 1))


def tiny_model(loss, optimizer=None, **compiling):
    """A box of four free parameters, whose initial value is disjoint from the targets."""
    keras.utils.set_random_seed(0)
    start = keras.initializers.Constant([0.0, 0.0, 1.0, 1.0])
    model = keras.Sequential(
        [
            keras.layers.Input((1,)),
            keras.layers.Dense(4, kernel_initializer="zeros", bias_initializer=start),
        ]
    )
    optimizer = keras.optimizers.Adam(0.1) if optimizer is None else optimizer
    model.compile(optimizer, loss=loss, metrics=[BoxIoU(), BoxIoU(score="giou")], **compiling)
    return model


class Echo(keras.layers.Layer):
    """A model whose output is its input."""

    def call(self, x):
        return x


def echoing(data, **options):
    """A callback whose model predicts its input."""
    callback = DetectionCallback(data, **options)
    callback.set_model(keras.Sequential([Echo()]))
    return callback


def scored(detections, truth, **options):
    """Results for a model that predicts `detections`; called without logs, as a custom training loop may."""
    callback = echoing((detections, truth), **options)
    callback.on_epoch_end(0)
    return callback.results


# Two images; class 0 counts, the label -1 is padding. The first image: a match of class 0 with IoU 1 and a missed box;
# the second: a match of class 2 with IoU 1/2, GIoU 1/2, and a false positive.
DETECTIONS = {
    "boxes": np.asarray([[[0, 0, 4, 4], [9, 9, 9, 9]], [[0, 0, 2, 2], [5, 5, 8, 8]]], np.float32),
    "labels": np.asarray([[0, -1], [2, 0]]),
    "scores": np.asarray([[0.9, 1.0], [0.8, 0.3]], np.float32),
}
TRUTH = {
    "boxes": np.asarray([[[0, 0, 4, 4], [5, 5, 8, 8]], [[0, 0, 2, 1], [0, 0, 0, 0]]], np.float32),
    "labels": np.asarray([[0, 0], [2, -1]]),
}
# AP of class 0: 1 of 2 objects before a false positive, 51 of 101 recall points; of class 2: 1 at IoU 0.5 alone.
MEANS = {"val_iou": (1 + 0 + 0.5 + 0) / 4, "val_giou": (1 - 1 + 0.5 - 1) / 4}
EXPECTED = MEANS | {
    "val_map": (51 / 101 + 0.1) / 2,
    "val_map_50": (51 / 101 + 1) / 2,
    "val_map_75": (51 / 101 + 0) / 2,
}
