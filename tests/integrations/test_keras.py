"""Runs on the backend that KERAS_BACKEND names; the expected numbers are the same for all."""

import csv
import json
import math

import keras
import numpy as np
import pytest
from keras import ops

from omniou_integrations.keras import BoxIoU, CIoULoss, DetectionCallback, DIoULoss, GIoULoss, IoULoss

BACKEND = keras.backend.backend()
LOSSES = {"iou": IoULoss, "giou": GIoULoss, "diou": DIoULoss, "ciou": CIoULoss}

# Tensors of torch and variables of Keras, which Keras hands to NumPy, do not know NumPy's `copy` yet.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

PRED = [[0.0, 0.0, 4.0, 2.0], [0.0, 0.0, 1.0, 1.0], [3.0, 4.0, 5.0, 6.0], [2.0, 2.0, 2.0, 2.0]]
TARGET = [[1.0, 0.0, 3.0, 3.0], [1.0, 1.0, 2.0, 2.0], [3.0, 4.0, 5.0, 6.0], [2.0, 2.0, 2.0, 2.0]]
# Intersection 4, union 10, hull 12, centres 1/2 apart, hull diagonal squared 25; two squares corner to corner; a
# perfect match; a point. CIoU from the formula of the paper with 50 digits.
VALUES = {
    "iou": [1 - 4 / 10, 1, 0, 1],
    "giou": [1 - (4 / 10 - 2 / 12), 1.5, 0, 1],
    "diou": [1 - (4 / 10 - 0.25 / 25), 1 + 2 / 8, 0, 1],
    "ciou": [0.6268233613, 1.25, 0, 1],
}


def numbers(x):
    return np.asarray(ops.convert_to_numpy(x), np.float64)


def gradient(loss, target, pred):
    """Gradient of the sum of the losses by `pred`, by whatever the backend has for it."""
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

    @tf.function(input_signature=[tf.TensorSpec((None, 4))] * 2)
    def run(target, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(loss(target, x))
        return tape.gradient(value, x)

    return run(target, x).numpy()


def compiled(function):
    """The function of two tensors in the backend's compiled form; torch has none that is worth the wait."""
    if BACKEND == "jax":
        import jax

        return jax.jit(function)
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.function(function, jit_compile=True)
    return function


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("wrap", [lambda f: f, compiled], ids=["eager", "compiled"])
def test_values(name, wrap):
    found = wrap(LOSSES[name](reduction=None))(np.asarray(TARGET, np.float32), np.asarray(PRED, np.float32))

    assert numbers(found) == pytest.approx(VALUES[name], abs=1e-6)
    assert float(LOSSES[name]()(TARGET, PRED)) == pytest.approx(sum(VALUES[name]) / 4)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        # 1 - I/U and 1 - I/U + 1 - U/C by hand, where I = 4, U = 10, C = 12: one step of x1 makes the union 2 smaller
        # and the hull 3, of x2 larger; one of y2 makes the intersection 2 larger and the union 2. y1 is shared.
        (IoULoss(reduction=None), [-0.08, None, 0.08, -0.12]),
        (GIoULoss(reduction=None), [-0.08 + 2 / 12 - 30 / 144, None, 0.08 - 2 / 12 + 30 / 144, -0.12 - 2 / 12]),
        # Those of torchvision, which holds alpha constant, and of Keras' own function, which does not.
        (CIoULoss(reduction=None), [-0.08328, -0.02584, 0.08328, -0.15296]),
        (CIoULoss(reduction=None, detach_alpha=False), [-0.08687, -0.01440, 0.08687, -0.16108]),
    ],
    ids=["iou", "giou", "ciou", "ciou attached"],
)
def test_gradients(loss, expected):
    (found,) = gradient(loss, TARGET[:1], PRED[:1])

    for ours, theirs in zip(found, expected, strict=True):
        assert theirs is None or ours == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_at_the_edge(name):
    edges = [*PRED[1:], [5, 5, 5, 9], [9, 9, 5, 5], [1, 1, 2, 3], [0, 0, 1e-6, 1e-6], [0, 0, 1e6, 1e6]]
    targets = [*TARGET[1:], [5, 5, 5, 9], [5, 5, 9, 9], [1, 1, 2, 3], [0, 0, 1e-6, 2e-6], [0, 0, 1e6, 2e6]]
    found = gradient(LOSSES[name](reduction=None), targets, edges)

    assert np.isfinite(found).all()
    # A perfect match, a point on a point, and another match: exactly 0 whatever the backend makes of ties.
    assert not found[[1, 2, 5]].any()


def test_keras_own_functions_on_regular_boxes():
    random = np.random.default_rng(0)
    corner, side = random.uniform(0, 100, (2, 50, 2)), random.uniform(5, 50, (2, 50, 2))
    pred, target = np.concatenate([corner, corner + side], -1).astype(np.float32)
    bounding_boxes = keras.utils.bounding_boxes

    iou = numbers(bounding_boxes.compute_iou(pred, target, "xyxy"))
    ciou = numbers(bounding_boxes.compute_ciou(pred, target, "xyxy"))

    assert numbers(IoULoss(reduction=None)(target, pred)) == pytest.approx(1 - np.diag(iou), abs=1e-5)
    assert numbers(CIoULoss(reduction=None)(target, pred)) == pytest.approx(1 - ciou, abs=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtypes(dtype):
    if dtype == "float64" and BACKEND == "jax":
        pytest.skip("JAX has no float64 unless it is switched on")
    target, pred = 100 * np.asarray(TARGET), 100 * np.asarray(PRED)  # areas up to 80,000
    found = GIoULoss(reduction=None, dtype=dtype)(target, pred)

    assert keras.backend.standardize_dtype(found.dtype) == dtype
    assert numbers(ops.cast(found, "float32")) == pytest.approx(VALUES["giou"], abs=1e-2)


def test_options_reach_the_formula():
    relative = {"format": "rel_xywh", "image_size": (10, 30)}
    target, pred = [[0.1, 0.1, 0.2, 0.1]], [[0.1, 0.1, 0.2, 0.2]]

    assert float(IoULoss(**relative)(target, pred)) == pytest.approx(0.5)
    assert float(IoULoss("xywh", log=True)(target, pred)) == pytest.approx(0.693147, abs=1e-6)
    assert float(IoULoss(log=True, floor=1e-2)([[5, 5, 6, 6]], [[0, 0, 1, 1]])) == pytest.approx(4.605170, abs=1e-5)
    assert float(GIoULoss(offset=1)([[0, 0, 0, 0]], [[0, 0, 0, 0]])) == 0
    assert float(DIoULoss(eps=1.0)([[0, 0, 1, 1]], [[0, 0, 1, 1]])) == 0.5
    assert numbers(GIoULoss("xx", reduction=None)([[[0, 2], [1, 2]]], [[[0, 1], [1, 2]]])).tolist() == [[0.5, 0]]


def test_sample_weight():
    target, pred = [TARGET, TARGET], [PRED, PRED]
    weight = [[1.0, 0, 0, 0], [0, 3, 0, 0]]

    found = GIoULoss(reduction="mean_with_sample_weight")(target, pred, weight)

    assert float(found) == pytest.approx((VALUES["giou"][0] + 3 * 1.5) / 4)


@pytest.mark.parametrize("score", LOSSES)
def test_metric(score):
    metric = BoxIoU(score=score)

    assert metric.name == f"box_{score}"
    assert math.isnan(float(metric.result()))
    metric.update_state(TARGET, PRED)
    metric.update_state([TARGET[:2]], [PRED[:2]], [[0.0, 2.0]])
    expected = [1 - x for x in VALUES[score]]
    assert float(metric.result()) == pytest.approx((sum(expected) + 2 * expected[1]) / 6, abs=1e-6)
    metric.reset_state()
    metric.update_state(np.asarray(TARGET[:1]), PRED[:1])
    assert float(metric.result()) == pytest.approx(expected[0], abs=1e-6)


@pytest.mark.parametrize("shape", [(2,), (2, 1), (2, 3)])
def test_metric_leaves_out_what_has_no_weight(shape):
    metric = BoxIoU()
    target = np.tile(np.asarray([0.0, 0, 2, 1]), (2, 3, 1))
    pred = np.stack([np.tile([0.0, 0, 2, 2], (3, 1)), np.full((3, 4), np.nan)])
    metric.update_state(target, pred, np.zeros(shape) + np.asarray([1, 0]).reshape(2, *[1] * (len(shape) - 1)))

    assert float(metric.result()) == 0.5
    assert float(metric.count) == 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: GIoULoss("xxyy"), ValueError, "`format` must be one of"),
        (lambda: GIoULoss("rel_xyxy"), ValueError, "`image_size` must be given as (height, width)"),
        (lambda: GIoULoss(eps=-1), ValueError, "`eps` must be finite and at least 0"),
        (lambda: IoULoss(floor=2.0), ValueError, "`floor` must lie between 0 and 1"),
        (lambda: GIoULoss(formats="xyxy"), TypeError, "formats"),
        (lambda: GIoULoss()([[1.0, 2, 3]], [[1.0, 2, 3]]), ValueError, "must have shape (..., 2 or 4 or 6)"),
        (lambda: GIoULoss()(TARGET, PRED[:3]), ValueError, "leading axes must broadcast"),
        (lambda: BoxIoU(score="iouu"), ValueError, "`score` must be one of 'iou', 'giou', 'diou', 'ciou'"),
        (lambda: BoxIoU("xxyy"), ValueError, "`format` must be one of"),
        (lambda: DetectionCallback(None, scores=["map"]), ValueError, "`scores` must be one of"),
        (lambda: DetectionCallback(None, format="rel_xyxy"), ValueError, "`image_size` must be given"),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error) as raised:
        call()

    assert message in str(raised.value)


def tiny_model(loss, **compiling):
    """A box of four free parameters, from a start that touches no target."""
    keras.utils.set_random_seed(0)
    start = keras.initializers.Constant([0.0, 0.0, 1.0, 1.0])
    model = keras.Sequential(
        [
            keras.layers.Input((1,)),
            keras.layers.Dense(4, kernel_initializer="zeros", bias_initializer=start),
        ]
    )
    model.compile(keras.optimizers.Adam(0.1), loss=loss, metrics=[BoxIoU(), BoxIoU(score="giou")], **compiling)
    return model


X = np.zeros((64, 1), np.float32)
Y = np.tile(np.asarray([2.0, 2.0, 4.0, 5.0], np.float32), (64, 1))


def test_fit(tmp_path):
    model = tiny_model(GIoULoss(), jit_compile="auto" if BACKEND == "torch" else True)
    best, log = tmp_path / "best.keras", tmp_path / "log.csv"
    history = model.fit(
        X,
        Y,
        batch_size=16,
        epochs=60,
        verbose=0,
        callbacks=[
            DetectionCallback((X[:10], Y[:10]), batch_size=4),
            keras.callbacks.EarlyStopping("val_giou", mode="max", baseline=0.9, patience=10, start_from_epoch=20),
            keras.callbacks.ModelCheckpoint(best, "val_giou", mode="max", save_best_only=True),
            keras.callbacks.CSVLogger(log),
        ],
    ).history

    assert history["val_giou"][0] < 0
    assert max(history["val_giou"]) > 0.9
    assert len(history["val_giou"]) < 60, "EarlyStopping read the callback's number"
    with log.open() as file:
        logged = list(csv.DictReader(file))
    assert [float(row["val_giou"]) for row in logged] == pytest.approx(history["val_giou"])
    # The file holds the best epoch, with loss and metrics that are usable again.
    again = keras.models.load_model(best)
    scored = again.evaluate(X, Y, verbose=0, return_dict=True)
    assert scored["box_giou"] == pytest.approx(max(history["val_giou"]), abs=1e-5)
    assert scored["loss"] == pytest.approx(1 - scored["box_giou"], abs=1e-5)
    assert isinstance(again.loss, GIoULoss)


def test_plain_iou_stays_where_it_starts():
    model = tiny_model(IoULoss())
    history = model.fit(X, Y, epochs=3, verbose=0, callbacks=[DetectionCallback((X, Y))]).history

    assert history["val_iou"] == [0, 0, 0]
    assert history["loss"] == [1, 1, 1]
    assert len(set(history["val_giou"])) == 1


def test_the_callback_leaves_the_training_alone():
    runs = []
    for callbacks in ([], [DetectionCallback((X[:7], Y[:7]), batch_size=3)]):
        model = tiny_model(CIoULoss())
        losses = model.fit(X, Y, epochs=3, batch_size=10, verbose=0, callbacks=callbacks).history["loss"]
        runs.append((losses, model.get_weights()))

    assert runs[0][0] == runs[1][0]
    assert all(np.array_equal(*pair) for pair in zip(*(weights for _, weights in runs), strict=True))


class Echo(keras.layers.Layer):
    """A model that finds what it is given."""

    def call(self, x):
        return x


def scored(found, truth, **options):
    """Results of a callback, for a model that predicts `found`; called without logs as a loop of one's own may."""
    callback = DetectionCallback((found, truth), **options)
    callback.set_model(keras.Sequential([Echo()]))
    callback.on_epoch_end(0)
    return callback.results


# Two images; class 0 counts, the label -1 is padding. The first image: a match of class 0 with IoU 1 and a missed box;
# the second: a match of class 2 with IoU 1/2, GIoU 1/2, and a box found in vain.
FOUND = {
    "boxes": np.asarray([[[0, 0, 4, 4], [9, 9, 9, 9]], [[0, 0, 2, 2], [5, 5, 8, 8]]], np.float32),
    "labels": np.asarray([[0, -1], [2, 0]]),
    "scores": np.asarray([[0.9, 1.0], [0.8, 0.3]], np.float32),
}
TRUTH = {
    "boxes": np.asarray([[[0, 0, 4, 4], [5, 5, 8, 8]], [[0, 0, 2, 1], [0, 0, 0, 0]]], np.float32),
    "labels": np.asarray([[0, 0], [2, -1]]),
}
# AP of class 0: found 1 of 2 before anything wrong, 51 of 101 recall points; of class 2: 1 at the threshold 0.5 alone.
EXPECTED = {
    "val_iou": (1 + 0 + 0.5 + 0) / 4,
    "val_giou": (1 - 1 + 0.5 - 1) / 4,
    "val_map": (51 / 101 + 0.1) / 2,
    "val_map_50": (51 / 101 + 1) / 2,
    "val_map_75": (51 / 101 + 0) / 2,
}


@pytest.mark.parametrize("batch_size", [1, 2])
def test_detections(batch_size):
    assert scored(FOUND, TRUTH, batch_size=batch_size) == pytest.approx(EXPECTED)


def test_names_of_kerascv():
    found = {"boxes": FOUND["boxes"], "classes": np.asarray([[0, 1], [2, 0]]), "confidence": FOUND["scores"]}
    found["num_detections"] = np.asarray([1, 2])
    truth = {"boxes": TRUTH["boxes"], "classes": TRUTH["labels"].astype(np.float32)}

    assert scored(found, truth) == pytest.approx(EXPECTED)


def test_without_scores_no_average_precision():
    found = {key: FOUND[key] for key in ("boxes", "labels")}

    assert scored(found, TRUTH, scores=["giou"], prefix="") == pytest.approx({"giou": -0.125})


def test_a_diverged_model_gives_nan():
    broken = FOUND | {"boxes": FOUND["boxes"] * np.nan}

    assert all(math.isnan(x) for x in scored(broken, TRUTH).values())


def test_nothing_gives_nan():
    nothing = {key: x[:, :0] for key, x in FOUND.items()}

    found = scored(nothing, {key: nothing[key] for key in ("boxes", "labels")})

    assert found == pytest.approx(dict.fromkeys(EXPECTED, math.nan), nan_ok=True)


def test_decode_and_formats():
    relative = np.asarray([[[0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]], np.float32)
    truth = {"boxes": relative, "labels": np.asarray([[0, 1]])}

    def decode(raw):
        return {"boxes": raw[..., :4], "labels": raw[..., 4], "scores": np.ones(raw.shape[:2])}

    raw = np.concatenate([relative, np.asarray([[[0.0], [1.0]]], np.float32)], -1)
    options = {"format": "rel_xywh", "image_size": (200, 100), "decode": decode}
    assert scored(raw, truth, **options) == {"val_iou": 1, "val_giou": 1} | dict.fromkeys(
        ("val_map", "val_map_50", "val_map_75"), pytest.approx(1)
    )


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return np.asarray(PRED[2 * index : 2 * index + 2]), np.asarray(TARGET[2 * index : 2 * index + 2])


def test_datasets():
    expected = pytest.approx({"val_iou": (0.4 + 0 + 1 + 0) / 4}, abs=1e-6)
    for data in (Batches(), [Batches()[0], Batches()[1]], (np.asarray(PRED), np.asarray(TARGET))):
        callback = DetectionCallback(data, scores=["iou"])
        callback.set_model(keras.Sequential([Echo()]))
        for epoch in range(2):
            logs = {"loss": 1.0}
            callback.on_epoch_end(epoch, logs)
            assert logs.pop("loss") == 1
            assert logs == expected


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([(np.ones((1, 4)),)], ValueError, "`validation_data` must give pairs of inputs and targets, got tuple"),
        (iter([]), ValueError, "`validation_data` gave no batch"),
        ((np.ones((2, 4)), np.ones((2, 3, 4))), ValueError, "must have one shape, got (2, 4) and (2, 3, 4)"),
        (
            (np.ones((2, 4)), TRUTH),
            TypeError,
            "must both be arrays, or both dicts with 'boxes' and 'labels', got ndarray",
        ),
        (({"boxes": FOUND["boxes"]}, TRUTH), ValueError, "predictions must have the key 'labels' or 'classes', got"),
        ((FOUND | {"scores": np.ones((2, 1))}, TRUTH), ValueError, "scores of predictions must have shape (2, 2)"),
        ((FOUND, TRUTH | {"labels": np.ones((2, 3))}), ValueError, "labels of targets must have shape (2, 2)"),
    ],
)
def test_bad_data(data, error, message):
    callback = DetectionCallback(data)
    callback.set_model(keras.Sequential([Echo()]))

    with pytest.raises(error) as raised:
        callback.on_epoch_end(0, {})

    assert message in str(raised.value)


def test_a_reader_before_the_callback_is_warned_of():
    stop, csv_logger = keras.callbacks.EarlyStopping("loss"), keras.callbacks.CSVLogger("never-opened.csv")
    callback = DetectionCallback((X, Y))
    model = keras.Sequential([Echo()])

    with pytest.warns(UserWarning, match="stands after EarlyStopping, CSVLogger, which will not see its numbers"):
        keras.callbacks.CallbackList([stop, csv_logger, callback], add_history=True, model=model)
    keras.callbacks.CallbackList([keras.callbacks.TerminateOnNaN(), callback, stop], add_history=True, model=model)


@pytest.mark.parametrize(
    "thing",
    [
        GIoULoss("rel_cxcywh", image_size=(3, 4), eps=1e-7, reduction="sum", name="a", dtype="float16"),
        CIoULoss(detach_alpha=False, offset=1),
        IoULoss(log=True, floor=1e-3),
        DIoULoss(),
        BoxIoU("xywh", score="ciou", offset=1.0, name="b"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_serialisation(thing):
    kind = keras.losses if isinstance(thing, keras.losses.Loss) else keras.metrics
    saved = json.loads(json.dumps(kind.serialize(thing)))
    again = kind.deserialize(saved)

    assert type(again) is type(thing)
    assert again.get_config() == thing.get_config()
    assert (again.options, again.dtype) == (thing.options, thing.dtype)
