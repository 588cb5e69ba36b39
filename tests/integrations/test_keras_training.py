"""Losses, metrics and the callback in real training: compiled, in mixed precision, with masks, saved and reloaded."""

import csv
import subprocess
import sys

import keras
import numpy as np
import pytest

from omniou_integrations.keras import BoxIoU, CIoULoss, DetectionCallback, GIoULoss, IoULoss
from tests.hand_worked import PRED, TARGET
from tests.integrations.keras_cases import BACKEND, CASES, SOME, X, Y, tiny_model

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")


def test_fit_with_callback_and_reload(tmp_path):
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
    # The file holds the best epoch, with its loss and metrics.
    again = keras.models.load_model(best)
    scored = again.evaluate(X, Y, verbose=0, return_dict=True)
    assert scored["box_giou"] == pytest.approx(max(history["val_giou"]), abs=1e-5)
    assert scored["loss"] == pytest.approx(1 - scored["box_giou"], abs=1e-5)
    assert isinstance(again.loss, GIoULoss)


@pytest.mark.filterwarnings("ignore")  # torch's compiler raises warnings of its own
@pytest.mark.parametrize("compiled", [False, True])
def test_one_step_by_hand(compiled):
    # The box (0, 0, 1, 1) and the target (2, 2, 4, 5): I = 0, U = 7, C = 20, GIoU = -13 / 20. On the way to 0 of the
    # union, and of the hull, one step of x1 or y1 loses U -1 and C -5 or -4, and one of x2 or y2 gains U 1 alone.
    model = tiny_model(GIoULoss(), keras.optimizers.SGD(1.0), jit_compile=compiled)
    results = model.train_on_batch(X, Y, return_dict=True)

    assert results == pytest.approx({"loss": 1 + 13 / 20, "box_iou": 0, "box_giou": -13 / 20}, abs=1e-6)
    # loss = 2 - U / C, so its gradient is (U dC - C dU) / C^2.
    gradient = [(7 * -5 + 20) / 400, (7 * -4 + 20) / 400, -20 / 400, -20 / 400]
    assert model.get_weights()[1] == pytest.approx(np.asarray([0, 0, 1, 1]) - gradient, abs=1e-6)


def test_iou_loss_of_disjoint_boxes_does_not_train():
    model = tiny_model(IoULoss())
    history = model.fit(X, Y, epochs=3, verbose=0, callbacks=[DetectionCallback((X, Y))]).history

    assert history["val_iou"] == [0, 0, 0]
    assert history["loss"] == [1, 1, 1]
    assert len(set(history["val_giou"])) == 1


def test_callback_does_not_change_training():
    runs = []
    for callbacks in ([], [DetectionCallback((X[:7], Y[:7]), batch_size=3)]):
        model = tiny_model(CIoULoss())
        losses = model.fit(X, Y, epochs=3, batch_size=10, verbose=0, callbacks=callbacks).history["loss"]
        runs.append((losses, model.get_weights()))

    assert runs[0][0] == runs[1][0]
    assert all(np.array_equal(*pair) for pair in zip(*(weights for _, weights in runs), strict=True))


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_fit_in_mixed_precision(policy):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        model = tiny_model(GIoULoss())
        history = model.fit(X, Y, epochs=30, verbose=0, callbacks=[DetectionCallback((X, Y))]).history
    finally:
        keras.config.set_dtype_policy(before)

    assert keras.backend.standardize_dtype(model(X).dtype) == policy.removeprefix("mixed_")
    assert history["loss"][0] > 1
    assert history["loss"][-1] < 0.1
    assert history["box_giou"][-1] == pytest.approx(1 - history["loss"][-1], abs=1e-5)
    # Evaluated after the epoch, on corners in float16 or bfloat16.
    assert history["val_giou"][-1] > 0.9


def test_evaluate_with_mask_of_model():
    inputs = keras.layers.Input((3, 4))
    model = keras.Model(inputs, keras.layers.Masking(-1.0)(inputs))
    model.compile("sgd", loss=IoULoss(), metrics=[BoxIoU(), BoxIoU(score="giou")])
    # The third box of both samples, and the second of the first, are padding.
    pred, target = np.full((2, 3, 4), -1.0, np.float32), np.full((2, 3, 4), 7.0, np.float32)
    pred[0, :1], pred[1, :2], target[0, :1], target[1, :2] = PRED[:1], PRED[:2], TARGET[:1], TARGET[:2]

    results = model.evaluate(pred, target, verbose=0, return_dict=True)

    assert results["loss"] == pytest.approx((0.6 + 0.6 + 1) / 3)
    assert results["box_iou"] == pytest.approx((0.4 + 0.4 + 0) / 3)
    assert results["box_giou"] == pytest.approx((0.4 - 2 / 12) * 2 / 3 - 0.5 / 3, abs=1e-6)


def test_evaluate_with_sample_weights():
    inputs = keras.layers.Input((2, 4))
    model = keras.Model(inputs, keras.layers.Identity()(inputs))
    model.compile("sgd", loss=IoULoss(reduction="mean_with_sample_weight"), weighted_metrics=[BoxIoU()])
    pred, target = np.asarray([PRED[:2], PRED[1:3]], np.float32), np.asarray([TARGET[:2], TARGET[1:3]], np.float32)

    results = model.evaluate(pred, target, sample_weight=np.asarray([1.0, 3]), verbose=0, return_dict=True)

    assert results["box_iou"] == pytest.approx((0.4 + 0 + 3 * 0 + 3 * 1) / 8)
    assert results["loss"] == pytest.approx((0.6 + 1 + 3 * 1 + 3 * 0) / 8)


@pytest.mark.parametrize("custom_objects", [None, "by class name"])
def test_reloaded_model_evaluates_equally(tmp_path, custom_objects):
    every = list(SOME.values())
    losses = {f"out_{i}": case.build(dtype="float32") for i, case in enumerate(every) if case.is_loss}
    metrics = {f"out_{i}": [case.build(name="score")] for i, case in enumerate(every) if not case.is_loss}
    inputs = keras.layers.Input((4,))
    outputs = {f"out_{i}": keras.layers.Identity(name=f"out_{i}")(inputs) for i in range(len(every))}
    model = keras.Model(inputs, outputs)
    model.compile("sgd", loss=losses, metrics=metrics)
    pred, target = (np.asarray(x, np.float32) for x in (PRED, TARGET))
    expected = model.evaluate(pred, dict.fromkeys(outputs, target), verbose=0, return_dict=True)
    model.save(tmp_path / "model.keras")

    named = {case.make.__name__: case.make for case in every} if custom_objects else None
    again = keras.models.load_model(tmp_path / "model.keras", custom_objects=named)

    assert again.evaluate(pred, dict.fromkeys(outputs, target), verbose=0, return_dict=True) == expected
    for i, case in enumerate(every):
        name = f"out_{i}_loss" if case.is_loss else f"out_{i}_score"
        assert expected[name] == pytest.approx(sum(case.values) / 4, abs=1e-6)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_config_of_every_loss_and_metric_comes_back(case):
    way = keras.losses if case.is_loss else keras.metrics
    made = case.build(name="mine")
    again = way.deserialize(way.serialize(made))

    assert type(again) is case.make
    assert again.get_config() == made.get_config()
    assert case.options.items() <= again.get_config().items()


def test_load_model_in_another_process(tmp_path):
    path = tmp_path / "model.keras"
    tiny_model(GIoULoss(eps=1e-7)).save(path)
    code = f"import omniou_integrations.keras, keras; print(keras.models.load_model({str(path)!r}).loss.options['eps'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split()[-1] == "1e-07"


def test_serialized_module_is_public():
    saved = [keras.losses.serialize(GIoULoss()), keras.metrics.serialize(BoxIoU())]

    assert [x["module"] for x in saved] == ["omniou_integrations.keras"] * 2
    assert [x["registered_name"] for x in saved] == ["omniou>GIoULoss", "omniou>BoxIoU"]


def test_early_stopping_infers_direction_of_metric():
    model = tiny_model(GIoULoss())
    stop = keras.callbacks.EarlyStopping("val_box_giou", patience=1)  # no `mode`: the metric has a direction
    history = model.fit(X, Y, validation_data=(X, Y), epochs=5, verbose=0, callbacks=[stop]).history

    assert len(history["val_box_giou"]) == 5


@pytest.mark.skipif(BACKEND != "jax", reason="750 epochs of a property of the loss, not of the backend")
def test_training_with_penalty_ends_without_inverted_boxes():
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 0.6, (64, 2))
    target = np.concatenate([low, low + rng.uniform(0.1, 0.4, (64, 2))], axis=-1).astype(np.float32)
    features = (target @ rng.normal(size=(4, 8))).astype(np.float32)
    ends = {}
    for inverted, seed in (("penalise", 1), ("penalise", 2), ("empty", 1), ("empty", 2), ("empty", 3)):
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.layers.Dense(32, "relu"), keras.layers.Dense(4)])
        model.compile(keras.optimizers.Adam(0.01), loss=GIoULoss(inverted=inverted))
        model.fit(features, target, batch_size=64, epochs=150, verbose=0)
        pred = np.asarray(model.predict(features, verbose=0))
        ends[inverted] = ends.get(inverted, False) or bool((pred[:, :2] > pred[:, 2:]).any())
    assert ends == {"penalise": False, "empty": True}
