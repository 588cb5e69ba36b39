"""Scores as ONNX graphs of any number of boxes, by ndonnx: onnxruntime's results equal NumPy's."""

import ndonnx as ndx
import numpy as np
import onnxruntime
import pytest

from omniou import boxes, losses, pairwise
from tests.functions import cases, shapes
from tests.hand_worked import HAND_WORKED

CASES = {name: x for name, x in cases().items() if not x.loss and x.geometry not in ("maps", "masks")}
# One of each formula; the other scores of these geometries have the same terms.
FEWER = {"boxes3d": ["iou", "giou"], "polygons": ["iou", "giou"], "gaussian": ["kld"]}


def chosen(name):
    module, _, score = name.partition(".")
    return score in FEWER.get(module, [score])


def computed(function, a, b, *, rows="N", columns="N"):
    """A function of two float32 arrays, built for arrays of any length and run by onnxruntime."""
    given = [ndx.argument(shape=(n, *x.shape[1:]), dtype=ndx.float32) for n, x in ((rows, a), (columns, b))]
    model = ndx.build(dict(zip("ab", given, strict=True)), {"out": function(*given)})
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {"a": a, "b": b})[0]


@pytest.mark.proves("graph", library="onnx")
@pytest.mark.parametrize("name", [name for name in CASES if chosen(name)])
def test_scores_and_pairs_equal_those_of_numpy(name):
    case = CASES[name]
    a, b = (shapes(case.geometry, seed, 7).astype(np.float32) for seed in (1, 2))
    for function, rows, columns in (
        (case.function, "N", "N"),
        (lambda a, b: pairwise(case.function, a, b), "N", "M"),
    ):
        expected = function(a, b[: 5 if columns == "M" else 7])
        actual = computed(function, a, b[: expected.shape[-1]], rows=rows, columns=columns)
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=3e-6, atol=3e-5)


def test_hand_worked_values():
    a, b = (np.asarray([box], dtype=np.float32) for box in ([0, 0, 2, 2], [0, 0, 2, 1]))
    assert computed(boxes.iou, a, b).tolist() == [0.5]
    # atan2, which ONNX has not: v = 4 / pi^2 (atan(1) - atan(2))^2, alpha = v / (1 - 0.5 + v), distance 0.25 / 8
    v = 4 / np.pi**2 * (np.arctan(1) - np.arctan(2)) ** 2
    np.testing.assert_allclose(computed(boxes.ciou, a, b), [0.5 - 0.25 / 8 - v * v / (0.5 + v)], rtol=1e-6)
    assert "ciou" in HAND_WORKED


def test_mean_over_an_unknown_number_of_boxes():
    a = np.asarray([[0, 0, 2, 2], [0, 0, 1, 1]], dtype=np.float32)
    b = np.asarray([[0, 0, 2, 1], [3, 3, 4, 4]], dtype=np.float32)
    loss = computed(lambda a, b: losses.iou(a, b, reduction="mean"), a, b)
    assert float(loss) == 0.75
    assert computed(lambda a, b: losses.iou(a, b, reduction="mean"), a[:0], b[:0]) == 0
