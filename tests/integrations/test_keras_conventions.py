"""Keras' own overlaps on each backend, and TensorFlow's suppression where it is installed, by their conventions."""

import keras
import numpy as np
import pytest

from omniou import boxes, conventions, pairwise
from tests.nms.scenes import THRESHOLDS, assert_same_kept

# Keras converts torch tensors by `__array__`, which lacks NumPy's argument `copy`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")

SQUARE = [0.0, 0.0, 10.0, 10.0]
TENSORFLOW = conventions["tensorflow"]


def arrays(*values):
    return [keras.ops.convert_to_tensor(np.asarray(x, np.float32)) for x in values]


def test_overlaps_of_keras():
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 1, (2, 20, 2))
    a, b = np.concatenate([low, low + rng.uniform(0.1, 1, (2, 20, 2))], axis=-1).astype(np.float32)
    theirs = keras.utils.bounding_boxes.compute_iou(*arrays(a, b), "xyxy")
    ours = pairwise(boxes.iou, a, b, **conventions["keras"])
    np.testing.assert_allclose(ours, keras.ops.convert_to_numpy(theirs), rtol=1e-5, atol=1e-6)
    theirs = keras.utils.bounding_boxes.compute_ciou(*arrays(a, b), "xyxy")
    # A second 1e-7 in the union, and one on each height.
    ours = boxes.ciou(a, b, **conventions["keras"].of(boxes.ciou))
    np.testing.assert_allclose(ours, keras.ops.convert_to_numpy(theirs), rtol=0, atol=2e-5)


def test_tiny_boxes_of_keras():
    iou, ciou = conventions["keras"].examples
    a, b = (arrays([x])[0] for x in iou.arguments)
    assert float(keras.utils.bounding_boxes.compute_iou(a, b, "xyxy")[0, 0]) == pytest.approx(iou.value, rel=1e-5)
    a, b = (arrays([x])[0] for x in ciou.arguments)
    theirs = np.asarray(keras.ops.convert_to_numpy(keras.utils.bounding_boxes.compute_ciou(a, b, "xyxy")))
    assert float(theirs.reshape(())) == pytest.approx(ciou.value, rel=1e-5)


@pytest.fixture(scope="module")
def suppressed():
    """Indices that TensorFlow keeps."""
    image = pytest.importorskip("tensorflow", reason="TensorFlow is not installed").image

    def keep(rows, scores, threshold, least=float("-inf")):
        given = np.asarray(rows, np.float32), np.asarray(scores, np.float32)
        return image.non_max_suppression(*given, 100, threshold, least).numpy().tolist()

    return keep


def test_suppression_of_tensorflow(suppressed):
    for threshold in THRESHOLDS:
        assert_same_kept(
            "tensorflow", lambda rows, *rest: suppressed(boxes.convert(rows, "xyxy", "yxyx"), *rest), threshold
        )
    assert suppressed([SQUARE] * 17, [0.5] * 17, 0.5) == [0]
    assert TENSORFLOW.rules["ties"].startswith("The lower index wins")
    assert suppressed([SQUARE, [20, 20, 30, 30]], [0.75, 0.5], 0.5, 0.5) == [0]
    assert TENSORFLOW.rules["score filter"].startswith("Above")
    first, second = TENSORFLOW.examples[0].arguments
    assert suppressed([first, second], [0.9, 0.8], 0.99) == [0]  # corners in either order


def test_padded_suppression_of_tensorflow():
    tensorflow = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
    given = tensorflow.constant([[SQUARE, [0, 0, 5, 10]]]), tensorflow.constant([[0.9, 0.8]])
    tensorflow.config.run_functions_eagerly(True)  # its graph needs AutoGraph, which does not read Python 3.13
    try:
        kept, count = tensorflow.image.non_max_suppression_padded(*given, 2, 0.5, pad_to_max_output_size=True)
    finally:
        tensorflow.config.run_functions_eagerly(False)
    assert int(count[0]) == 1  # at the threshold
    assert kept.numpy()[0].tolist()[0] == 0
