"""The suppression of ONNX Runtime, and what its convention says of it."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from omniou import boxes, conventions
from tests.nms.scenes import THRESHOLDS, assert_same_kept

OURS = conventions["onnxruntime"]
SQUARE = [0, 0, 10, 10]


def suppressed(rows, scores, threshold, least=None, limit=100):
    """Indices that NonMaxSuppression keeps of boxes of one image and class."""
    values = {
        "boxes": (TensorProto.FLOAT, np.asarray([rows], np.float32)),
        "scores": (TensorProto.FLOAT, np.asarray([[scores]], np.float32)),
        "limit": (TensorProto.INT64, np.asarray([limit], np.int64)),
        "threshold": (TensorProto.FLOAT, np.asarray([threshold], np.float32)),
    }
    if least is not None:
        values["least"] = (TensorProto.FLOAT, np.asarray([least], np.float32))
    given = [helper.make_tensor_value_info(name, kind, x.shape) for name, (kind, x) in values.items()]
    out = helper.make_tensor_value_info("kept", TensorProto.INT64, [None, 3])
    graph = helper.make_graph([helper.make_node("NonMaxSuppression", list(values), ["kept"])], "nms", given, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {name: x for name, (_, x) in values.items()})[0][:, 2].tolist()


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_options_of_suppression_keep_the_same_boxes(threshold):
    def keep(rows, scores, threshold):
        return suppressed(boxes.convert(rows, "xyxy", OURS["format"]), scores, threshold)

    assert_same_kept("onnxruntime", keep, threshold)


def test_corners_come_in_either_order():
    first, second = OURS.examples[0].arguments
    assert suppressed([first, second], [0.9, 0.8], 0.99) == [0]  # IoU 1


@pytest.mark.parametrize(("least", "expected"), [(None, [0, 1]), (0.5, [0]), (0.25, [0, 1])])
def test_scores_above_the_filter_are_taken(least, expected):
    assert OURS.rules["score filter"].startswith("Above")
    assert suppressed([SQUARE, [20, 20, 30, 30]], [0.75, 0.5], 0.5, least) == expected


def test_without_a_limit_nothing_is_returned():
    assert OURS.defaults["nms.hard"]["limit"] == 0
    assert suppressed([SQUARE], [0.9], 0.5, limit=0) == []
