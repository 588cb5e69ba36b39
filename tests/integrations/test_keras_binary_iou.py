"""Binary IoU, several ignored labels, and labels that are none, on the backend that KERAS_BACKEND names."""

import math

import keras
import numpy as np
import pytest

from omniou_integrations.keras import BinaryIoU, MaskDiceLoss, MeanIoU, SegmentationScore
from tests.integrations.keras_cases import BACKEND

# Keras converts torch tensors and its variables by `__array__`, which lacks NumPy's argument `copy`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

TRUE, PRED = np.asarray([0, 1, 0, 1]), np.asarray([0.1, 0.2, 0.5, 0.7], np.float32)


def result(metric, *batch):
    metric.update_state(*batch)
    return float(metric.result())


# Values of `keras.metrics.BinaryIoU`, too.
# With a threshold of 0.5, which 0.5 reaches: [0, 0, 1, 1]. Weighted: background 0.2 / 0.9, mask 0.1 / 0.8.
@pytest.mark.parametrize(
    ("classes", "plain", "weighted"), [([0], 1 / 3, 0.2 / 0.9), ([1], 1 / 3, 0.1 / 0.8), ((0, 1), 1 / 3, 25 / 144)]
)
def test_binary_iou_by_hand(classes, plain, weighted):
    weight = np.asarray([0.2, 0.3, 0.4, 0.1], np.float32)
    assert result(BinaryIoU(classes), TRUE, PRED) == pytest.approx(plain, abs=1e-6)
    assert result(BinaryIoU(classes), TRUE, PRED, weight) == pytest.approx(weighted, abs=1e-6)


def test_binary_iou_of_one_sigmoid_channel_and_of_logits():
    target = np.zeros((2, 3, 4), np.uint8)
    target[0, 1:] = 1
    target[1, 0, 0] = 255
    pred = np.where(target == 1, 0.9, 0.2).astype(np.float32)[..., None]
    for y in (target, target[..., None]):
        assert result(BinaryIoU(ignore_class=255), y, pred) == 1
        assert result(BinaryIoU(threshold=0.0, ignore_class=[7, 255]), y, np.log(pred / (1 - pred))) == 1
    with pytest.raises(
        ValueError, match="`y_true` must be 0, 1 or ignored, got 255: pass `y > 0` for a mask of 0 and 255"
    ):
        BinaryIoU().update_state(target, pred)
    metric = BinaryIoU([1], 0.25, name="mask", ignore_class=[7, 255])
    assert BinaryIoU.from_config(metric.get_config()).get_config() == metric.get_config()
    for ids in ([], [2], [0, 1, 2]):
        with pytest.raises(ValueError, match=r"`target_class_ids` must be \[0\], \[1\] or \[0, 1\], got"):
            BinaryIoU(ids)


def test_several_labels_are_ignored():
    target, pred = np.asarray([0, 1, 1, 2, 255, 2], np.uint8), np.asarray([0, 1, 2, 0, 1, 2], np.uint8)
    # Class 0 is right; class 1 has 1 of 2; class 2 is left out, and predicted once, which is wrong: 0.
    for ignored in ([2, 255], (255, 2)):
        assert result(MeanIoU(3, ignore_class=ignored), target, pred) == pytest.approx(0.5)
    assert result(MeanIoU(256, ignore_class=[2, 255]), target, pred) == pytest.approx(0.5)
    for metric in (MeanIoU, SegmentationScore):
        saved = metric(3, ignore_class=[2, 255])
        assert result(metric.from_config(saved.get_config()), target, pred) == pytest.approx(0.5)


@pytest.mark.parametrize("ignored", ["255", True, 2.5, [2, "255"]])
def test_ignored_labels_are_integers(ignored):
    for make in (lambda: MeanIoU(3, ignore_class=ignored), lambda: BinaryIoU(ignore_class=ignored)):
        with pytest.raises(TypeError, match="`ignore_class` must be an integer, got"):
            make()


def test_scores_are_no_labels():
    pred = np.asarray([0.9, 0.2, 0.8, 0.1], np.float32)
    target = np.asarray([1, 0, 1, 0])
    with pytest.raises(
        ValueError, match=r"`y_pred` must have whole numbers, .*: use `BinaryIoU` for one score of each pixel"
    ):
        MeanIoU(2).update_state(target, pred)
    with pytest.raises(
        ValueError, match="`y_pred` has one score along axis -1, which is always the highest: use `BinaryIoU`"
    ):
        MeanIoU(2, sparse_y_pred=False).update_state(target, pred[:, None])
    with pytest.raises(ValueError, match="`y_true` has one score along axis -1"):
        MeanIoU(2, sparse_y_true=False).update_state(target[:, None], target)
    assert result(MeanIoU(2), target.astype(np.float32), target.astype(np.float16)) == 1


def test_scores_taken_for_labels_make_a_compiled_result_nan():
    model = keras.Sequential([keras.layers.Input((1,)), keras.layers.Rescaling(1.0)])
    model.compile(loss="mse", metrics=[MeanIoU(2, name="wrong"), BinaryIoU(name="right")])
    batch = np.asarray([[0.9], [0.2]]), np.asarray([[1.0], [0.0]])
    if BACKEND == "torch":  # which compiles nothing
        with pytest.raises(ValueError, match="use `BinaryIoU`"):
            model.evaluate(*batch, verbose=0)
        return
    values = model.evaluate(*batch, verbose=0, return_dict=True)
    assert math.isnan(values["wrong"])
    assert values["right"] == 1


def test_masks_of_0_and_255_are_no_target_of_a_loss():
    pred = np.full((1, 2, 2, 1), 0.5, np.float32)
    loss = MaskDiceLoss()
    assert float(loss(np.asarray([[[[1], [1]], [[0], [0]]]]), pred)) == pytest.approx(0.5)
    for mask in (np.asarray([[[[255], [255]], [[0], [0]]]], np.uint8), np.asarray([[[255, 255], [0, 0]]], np.uint8)):
        with pytest.raises(ValueError, match=r"\[255.0\]; for a mask of 0 and 255 pass `target > 0`"):
            loss(mask, pred)
    # Of an image that weighs nothing no pixel is looked at.
    assert float(loss(mask, pred, np.zeros(1))) == 0.0


@pytest.mark.skipif(BACKEND != "tensorflow", reason="graphs of TensorFlow")
def test_masks_of_0_and_255_make_a_loss_in_a_graph_nan():
    import tensorflow as tf

    pred, mask = np.full((1, 2, 2, 1), 0.5, np.float32), np.asarray([[[255, 255], [0, 0]]], np.uint8)
    # The target is an argument of the graph, and a constant in it.
    assert math.isnan(float(tf.function(MaskDiceLoss())(mask, pred)))
    constant = tf.constant(mask)
    assert math.isnan(float(tf.function(lambda x: MaskDiceLoss()(constant, x))(pred)))
