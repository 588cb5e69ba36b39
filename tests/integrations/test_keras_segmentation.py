"""Mean IoU of label maps, on the backend that KERAS_BACKEND names."""

import math

import keras
import numpy as np
import pytest
from keras.src.backend import set_keras_mask

from omniou import pixel_scores, segmentation
from omniou_integrations.keras import MeanIoU, SegmentationScore
from tests.hand_worked_pixels import PIXELS, A, B
from tests.integrations.keras_cases import BACKEND, numbers, tensor
from tests.places import vectors

# Keras converts torch tensors and its variables by `__array__`, which lacks NumPy's argument `copy`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")


def maps(shape=(6, 5, 4)):
    """Label maps in which 4 is no class."""
    return np.random.default_rng(0).integers(0, 5, (2, *shape))


def result(target, pred, *, weight=None, **options):
    metric = MeanIoU(**{"num_classes": 4, "ignore_class": 4, **options})
    metric.update_state(target, pred, weight)
    return float(metric.result())


def expected(target, pred, *, ignore_index=4, **options):
    void = {4, ignore_index}
    counts = segmentation.confusion(
        np.asarray(target), np.asarray(pred), 4, outside="column", ignore_index=sorted(void), **options
    )
    return float(segmentation.iou(counts, average="macro"))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32"])
def test_batches_add_to_the_mean_iou_of_the_data_set(dtype):
    if (BACKEND, dtype) == ("jax", "int64"):
        pytest.skip("JAX has no int64 by default")
    target, pred = maps()
    metric = MeanIoU(4, ignore_class=4)
    for k in range(0, 6, 2):
        metric.update_state(tensor(target[k : k + 2], dtype), tensor(pred[k : k + 2], dtype))
    assert float(metric.result()) == pytest.approx(expected(target, pred), abs=1e-6)
    metric.reset_state()
    assert math.isnan(float(metric.result()))


@pytest.mark.parametrize("ignored", [0, 4, 255, -1])
def test_ignored_class_is_left_out_of_targets(ignored):
    target, pred = maps()
    target[0, 0, 0] = ignored
    assert result(target, pred, ignore_class=[4, ignored]) == pytest.approx(
        expected(target, pred, ignore_index=ignored)
    )


def test_scores_of_classes():
    target, pred = (np.minimum(x, 3) for x in maps())
    hot = np.eye(4, dtype=np.float32)
    options = {"sparse_y_true": False, "sparse_y_pred": False}
    assert result(hot[target], hot[pred] * 3 - 1, **options) == pytest.approx(expected(target, pred))
    moved = np.moveaxis(hot[pred], -1, 1)
    assert result(target, moved, sparse_y_pred=False, axis=1) == pytest.approx(expected(target, pred))


def test_weights_are_floats():
    target, pred = maps()
    each = np.random.default_rng(1).random(target.shape).astype(np.float32)
    assert result(target, pred, weight=each) == pytest.approx(expected(target, pred, weight=each), abs=1e-6)
    # One weight for each image.
    of_images = np.asarray([0.3, 0.3, 0.3, 0.1, 0.0, 2.5], np.float32)
    whole = np.broadcast_to(of_images[:, None, None], target.shape)
    assert result(target, pred, weight=of_images) == pytest.approx(expected(target, pred, weight=whole), abs=1e-6)
    assert result([0, 0, 1, 1], [0, 1, 0, 1], weight=[0.3, 0.3, 0.3, 0.1]) == pytest.approx(0.2380952)


def test_mask_leaves_pixels_out():
    target, pred = maps()
    mask = np.random.default_rng(1).random(target.shape) < 0.5
    masked = tensor(pred, "int32")
    set_keras_mask(masked, tensor(mask, "bool"))
    metric = MeanIoU(4, ignore_class=4)
    metric.update_state(target, masked)
    assert float(metric.result()) == pytest.approx(expected(target, pred, where=mask), abs=1e-6)


def test_targets_that_are_neither_classes_nor_ignored_raise():
    with pytest.raises(ValueError, match=r"`y_true` must be a class from 0 to 2 or ignored, got 3: subtract 1 .*"):
        MeanIoU(3).update_state([1, 2, 3], [1, 2, 3])
    assert result([0, 1, 255], [0, 1, 1], weight=[1.0, 1.0, 0.0]) == 1.0  # pixels without weight do not count


def test_counts_do_not_wrap_at_2_to_31():
    """Keras' own metric counts in int32, and loses the class."""
    metric = MeanIoU(2)
    many = np.asarray([[2.0**31 - 1, 0, 0], [1, 2.0**31, 0]])
    high = many.astype(np.float32)
    metric.counts.assign(high)
    metric.rest.assign((many - high).astype(np.float32))
    for _ in range(3):
        metric.update_state([0, 1, 1], [0, 0, 1])
    total = numbers(metric.counts) + numbers(metric.rest)
    assert total.tolist() == [[2**31 + 2, 0, 0], [4, 2**31 + 3, 0]]


def test_many_small_counts_are_exact():
    metric = MeanIoU(1)
    metric.counts.assign(np.asarray([[2.0**24, 0]], np.float32))
    for _ in range(7):
        metric.update_state([0], [0])
    assert (numbers(metric.counts) + numbers(metric.rest)).tolist() == [[2**24 + 7, 0]]


def test_sums_of_many_weights_are_accurate():
    labels = np.zeros(2**18, np.int32)
    metric = MeanIoU(2)
    metric.update_state(labels, labels, np.full(labels.shape, 0.3, np.float32))
    assert numbers(metric.counts)[0, 0] == pytest.approx(0.3 * 2**18, rel=1e-5)


def test_metric_of_a_model_is_compiled_saved_and_loaded(tmp_path):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Input((4, 4, 3)), keras.layers.Conv2D(5, 1)])
    metric = MeanIoU(5, ignore_class=255, sparse_y_pred=False)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=255)
    model.compile("sgd", loss=loss, metrics=[metric], jit_compile=BACKEND != "torch")
    x = np.random.default_rng(0).random((10, 4, 4, 3)).astype(np.float32)
    y = np.random.default_rng(1).integers(0, 5, (10, 4, 4))
    y[0, 0] = 255
    model.fit(x, y, batch_size=4, verbose=0)
    value = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)["mean_iou"]
    found = model.predict(x, verbose=0).argmax(-1)
    counts = segmentation.confusion(y, found, 5, ignore_index=255)
    assert value == pytest.approx(float(segmentation.iou(counts, average="macro")), abs=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    again = loaded.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)["mean_iou"]
    assert again == pytest.approx(value, abs=1e-6)
    assert MeanIoU.from_config(metric.get_config()).get_config() == metric.get_config()


def test_half_precision_does_not_reach_the_counts():
    target = np.zeros(5000, np.int32)
    metric = MeanIoU(1, dtype="float16")
    metric.update_state(target, target)
    assert numbers(metric.counts).tolist() == [[5000, 0]]
    assert "float16" in str(metric.result().dtype)


def test_number_of_classes_is_checked():
    with pytest.raises(ValueError, match="`num_classes` must be a positive integer, got 0"):
        MeanIoU(0)


@pytest.mark.parametrize("case", vectors("keras_semantic_iou", lambda x: "pred" in x["inputs"] and x["inputs"]["gt"]))
def test_mean_iou_equals_published_value(case):
    given = case["inputs"]
    classes = given["num_classes"]
    actual = result(
        given["gt"], given["pred"], weight=given.get("weight"), num_classes=classes, ignore_class=[-1, classes]
    )
    assert actual == pytest.approx(case["published"], abs=case["tol"])


@pytest.mark.parametrize("name", [name for name, score in pixel_scores.items() if not score.joins])
def test_every_score_by_hand_and_of_its_configuration(name):
    """Of the class that is on; accuracy is that of all classes."""
    metric = SegmentationScore(2, name, average="weighted", ignore_class=None)
    metric.update_state(np.asarray(B[0]), np.asarray(A[0]))
    again = SegmentationScore.from_config(metric.get_config())
    again.update_state(np.asarray(B[0]), np.asarray(A[0]))
    assert float(again.result()) == float(metric.result())
    counts = segmentation.confusion(B[0], A[0], 2)
    each = getattr(segmentation, name)(counts)
    expected = each if name == "accuracy" else (each * [8 / 12, 4 / 12]).sum()
    assert float(metric.result()) == pytest.approx(float(expected), abs=1e-6)
    assert (each if name == "accuracy" else each[1]) == pytest.approx(PIXELS[name][0])


def test_unknown_score_raises_with_the_nearest():
    with pytest.raises(ValueError, match=r"did you mean 'dice'\?"):
        SegmentationScore(2, "Dice")
