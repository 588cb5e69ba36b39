"""Scores of dense masks against pycocotools, scikit-learn, torchmetrics, MONAI, supervision and SciPy."""

import numpy as np
import pytest

from omniou import boxes, masks, pairwise, rle
from tests import places

pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:monai"),
]


def samples(seed, count=8):
    rng = np.random.default_rng(seed)
    out = rng.random((count, 40, 30)) < rng.uniform(0.05, 0.95, (count, 1, 1))
    out[0] = True
    out[1] = False
    return out


A, B = samples(0), samples(1)


def test_pairwise_iou_and_iof_equal_pycocotools():
    coco = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
    a, b = (coco.encode(np.asfortranarray(x.transpose(1, 2, 0).astype(np.uint8))) for x in (A, B))
    np.testing.assert_array_equal(masks.pairwise_iou(A, B), coco.iou(a, b, [0] * 8))
    np.testing.assert_array_equal(pairwise(masks.iof, A, B), coco.iou(a, b, [1] * 8))


def test_scores_equal_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    for p, q in zip(A[2:], B[2:], strict=True):
        assert float(masks.iou(p, q)) == pytest.approx(metrics.jaccard_score(q.ravel(), p.ravel()), rel=1e-14)
        assert float(masks.dice(p, q)) == pytest.approx(metrics.f1_score(q.ravel(), p.ravel()), rel=1e-14)
        expected = metrics.fbeta_score(q.ravel(), p.ravel(), beta=2)
        assert float(masks.tversky(p, q, alpha=0.2, beta=0.8)) == pytest.approx(expected, rel=1e-14)


def test_iou_equals_torchmetrics():
    torch = pytest.importorskip("torch")
    classification = pytest.importorskip("torchmetrics.functional.classification")
    p, q = torch.rand(50, 60, dtype=torch.float64), torch.rand(50, 60) < 0.3
    # A probability of 0.5 is off in both.
    p[:5] = 0.5
    theirs = classification.binary_jaccard_index(p, q.int(), threshold=0.5)
    assert float(masks.iou(p, q, threshold=0.5)) == pytest.approx(float(theirs), rel=1e-6)


def test_scores_and_empty_masks_equal_monai():
    torch = pytest.importorskip("torch")
    metrics = pytest.importorskip("monai.metrics", reason="MONAI is not installed")
    a, b = (torch.tensor(x)[:, None].float() for x in (A, B))
    for name, score in (("compute_iou", masks.iou), ("compute_dice", masks.dice)):
        theirs = getattr(metrics, name)(a, b, ignore_empty=False)[:, 0]
        np.testing.assert_allclose(score(A, B, zero_division=1.0), theirs, rtol=1e-6)
        skipped = getattr(metrics, name)(a, b, ignore_empty=True)[:, 0]
        kept = B.any(axis=(1, 2))
        assert float(masks.mean(score(A, B), where=kept)) == pytest.approx(float(skipped.nanmean()), rel=1e-6)


def test_pairwise_iou_equals_supervision():
    detection = pytest.importorskip("supervision.detection.utils.iou_and_nms", reason="supervision is not installed")
    theirs = detection.mask_iou_batch(A, B)
    np.testing.assert_allclose(masks.pairwise_iou(A, B), theirs, rtol=1e-6)


def test_boundary_equals_scipy_erosion():
    ndimage = pytest.importorskip("scipy.ndimage")
    for width in (1, 3):
        inner = [ndimage.binary_erosion(x, np.ones((3, 3)), iterations=width) for x in A]
        np.testing.assert_array_equal(masks.boundary(A, width=width), A & ~np.asarray(inner))


def test_areas_and_boxes_of_coco_panoptic_segments_equal_published():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    segments = places.expected("panopticapi-sample")["png_segment_check"]
    assert len(segments) == 50
    for segment in segments:
        path = places.shared("panopticapi-sample", "sample_data", "panoptic_examples", segment["file"])
        pixels = np.asarray(image.open(path).convert("RGB"), dtype=np.int64)
        mask = pixels @ [1, 256, 256**2] == segment["id"]
        runs = rle.Masks.from_dense(mask[None])
        assert int(masks.area(mask)) == int(runs.area()[0]) == segment["area_json"]
        x, y, w, h = segment["bbox_json"]
        assert boxes.from_masks(mask).tolist() == [x, y, x + w, y + h]
        assert runs.boxes("xywh").tolist() == [[x, y, w, h]]
