"""What conventions say of suppression, against the libraries themselves."""

import numpy as np
import pytest

from omniou import boxes, conventions
from tests.suppression_scenes import THRESHOLDS, assert_same_kept

SQUARE = [0.0, 0.0, 10.0, 10.0]


def supervision():
    module = pytest.importorskip("supervision", reason="supervision is not installed")

    def keep(rows, scores, threshold):
        kept = module.box_non_max_suppression(np.column_stack([rows, scores]), threshold)
        return np.flatnonzero(kept)

    return keep


def powerboxes():
    module = pytest.importorskip("powerboxes", reason="powerboxes is not installed")
    return lambda rows, scores, threshold, least=0.0: module.nms(rows, scores, threshold, least)


def lsnms():
    module = pytest.importorskip("lsnms", reason="lsnms is not installed")
    return lambda rows, scores, threshold, least=0.0: module.nms(rows, scores, threshold, least)


def sahi():
    module = pytest.importorskip("sahi.postprocess._numpy_backend", reason="SAHI is not installed")

    def keep(rows, scores, threshold):
        return module.nms_numpy(np.column_stack([rows, scores, np.zeros(len(scores))]), "IOU", threshold)

    return keep


def opencv():
    module = pytest.importorskip("cv2", reason="OpenCV is not installed")

    def keep(rows, scores, threshold, least=0.0):
        sides = boxes.convert(rows, "xyxy", "xywh")
        return np.asarray(module.dnn.NMSBoxes(sides, scores, least, threshold)).ravel()

    return keep


def ensemble_boxes():
    module = pytest.importorskip("ensemble_boxes.ensemble_boxes_nms", reason="ensemble-boxes is not installed")
    return module.nms_float_fast


def monai():
    module = pytest.importorskip("monai.data.box_utils", reason="MONAI is not installed")
    return module.non_max_suppression


PEERS = {x.__name__: x for x in (supervision, powerboxes, lsnms, sahi, opencv, ensemble_boxes, monai)}
every_peer = pytest.mark.parametrize("name", PEERS)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:monai", "ignore::DeprecationWarning")


def kept(name, rows, scores, *rest):
    return [int(i) for i in PEERS[name]()(np.asarray(rows, float), np.asarray(scores, float), *rest)]


def by_score(rows, scores):
    """As they came, or of a mask by falling score."""
    return sorted(rows, key=lambda i: -scores[i]) if rows == sorted(rows) else rows


@every_peer
def test_box_at_the_threshold(name):
    """IoU of exactly 0.5, at 0.5: kept, unless the convention says that it suppresses."""
    inclusive = conventions[name].nms["inclusive"]
    assert sorted(kept(name, [SQUARE, [0, 0, 10, 5]], [0.9, 0.8], 0.5)) == ([0] if inclusive else [0, 1])


@every_peer
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_options_of_suppression_keep_the_same_boxes(name, threshold):
    assert_same_kept(name, lambda *args: by_score(kept(name, *args), args[1]), threshold)


@every_peer
def test_order_of_equal_scores(name):
    """Not 17 of them: where the order is not defined, the convention promises none."""
    rule = conventions[name].rules["ties"]
    low, high = [20.0, 0.0, 30.0, 10.0], SQUARE
    first, second = (kept(name, pair, [0.5, 0.5], 0.5) for pair in ([SQUARE, SQUARE], [low, high]))
    if "later" in rule:
        assert first == [1]
    elif "first" in rule:
        assert first == [0]
    else:
        assert name == "sahi"
        assert second == [1, 0]  # by coordinates


@pytest.mark.parametrize("name", ["powerboxes", "lsnms", "opencv"])
def test_score_at_the_filter(name):
    rule = conventions[name].rules["score filter"]
    keep = kept(name, [SQUARE, [20, 20, 30, 30]], [0.75, 0.5], 0.5, 0.5)
    assert keep == ([0, 1] if rule.startswith("At or above") else [0])
    assert rule.startswith(("At or above", "Above"))


@pytest.mark.parametrize(
    ("name", "expected"), [("lsnms", [0]), ("sahi", [0]), ("powerboxes", [0, 1]), ("monai", [0, 1])]
)
def test_boxes_that_touch_at_threshold_0(name, expected):
    assert kept(name, [SQUARE, [10, 0, 20, 10]], [0.9, 0.8], 0.0) == expected
