"""What conventions say of suppression, against the libraries themselves."""

import numpy as np
import pytest

from omniou import boxes, conventions, masks, nms
from tests.nms.scenes import THRESHOLDS, assert_same_kept
from tests.oracles import peer_sources

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


def scene(seed, n=40):
    """Normalised boxes in clumps, and scores of which no two are equal."""
    rng = np.random.default_rng(seed)
    middle, side = rng.uniform(0.3, 0.7, (8, 2)), rng.uniform(0.1, 0.3, (8, 2))
    near = rng.integers(8, size=n)
    rows = np.concatenate([middle[near] - side[near] / 2, middle[near] + side[near] / 2], axis=1)
    return np.clip(rows + rng.normal(0, 0.02, (n, 4)), 0, 1), rng.permutation(np.linspace(0.1, 0.9, n))


def members(clusters):
    """Numbers of clusters (N,) -> sets of inputs."""
    return {frozenset(np.flatnonzero(clusters == k).tolist()) for k in range(int(clusters.max()) + 1)}


@pytest.mark.parametrize("threshold", [0.3, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_groups_of_merging(seed, threshold):
    rows, scores = scene(seed)
    for name in ("supervision", "sahi"):
        ours = nms.merge(rows, scores, threshold, **conventions[name].of(nms.merge))
        if name == "supervision":
            module = pytest.importorskip(name, reason=f"{name} is not installed")
            theirs = module.box_non_max_merge(np.column_stack([rows, scores]), threshold)
        else:
            module = pytest.importorskip("sahi.postprocess._numpy_backend", reason=f"{name} is not installed")
            found = module.greedy_nmm_numpy(np.column_stack([rows, scores, 0 * scores]), "IOU", threshold)
            theirs = [[best, *others] for best, others in found.items()]
        assert members(ours.clusters) == {frozenset(map(int, group)) for group in theirs}
        assert len(theirs) < 30


def test_soft_suppression_of_opencv():
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    for seed in range(4):
        rows, scores = scene(seed)
        sides = boxes.convert(np.round(rows * 640), "xyxy", "xywh").astype(int)  # it takes integers only
        values, indices = cv2.dnn.softNMSBoxes(sides.tolist(), scores.tolist(), 0.05, 0.5)
        ours = nms.soft(sides, scores, score_threshold=0.05, **conventions["opencv"].of(nms.soft))
        assert ours.indices.tolist() == np.ravel(indices).tolist()
        np.testing.assert_allclose(ours.scores, np.ravel(values), rtol=1e-5)


def test_fusion_of_ensemble_boxes():
    module = pytest.importorskip("ensemble_boxes", reason="ensemble-boxes is not installed")
    for seed in range(4):
        rows, scores = scene(seed)
        models = np.arange(40) % 3
        parts = [models == k for k in range(3)]
        theirs = module.weighted_boxes_fusion(
            [rows[x].tolist() for x in parts], [scores[x].tolist() for x in parts], [[0] * int(x.sum()) for x in parts]
        )
        options = {**conventions["ensemble_boxes"].defaults["nms.weighted_fusion"]}
        ours = nms.weighted_fusion(
            rows, scores, models=models, **options, **conventions["ensemble_boxes"].of(nms.weighted_fusion)
        )
        # Clusters of equal scores are in no order.
        results = [np.column_stack([box, score]) for box, score in ((ours.boxes, ours.scores), theirs[:2])]
        first, second = (x[np.lexsort(np.round(x, 4).T)] for x in results)
        np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-6)


def test_matrix_suppression_of_mmdet():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    function = peer_sources.run("mmdet", "mmdet/models/layers/matrix_nms.py")["mask_matrix_nms"]
    rows, scores = scene(0, 20)
    y, x = (np.mgrid[:32, :32] + 0.5) / 32
    low, high = rows[:, :2, None, None], rows[:, 2:, None, None]
    shapes = (low[:, 0] <= x) & (x < high[:, 0]) & (low[:, 1] <= y) & (y < high[:, 1])
    given = torch.tensor(shapes).float(), torch.zeros(20, dtype=torch.int64), torch.tensor(scores).float()
    theirs = function(*given, mask_area=given[0].sum((1, 2)))
    ours = nms.matrix(shapes, scores, score=masks.iou, **conventions["mmdet"].of(nms.matrix))
    np.testing.assert_allclose(ours.scores, theirs[0], rtol=1e-5)
    assert ours.indices.tolist() == theirs[3].tolist()
