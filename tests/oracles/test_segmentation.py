"""Confusion counts and scores against scikit-learn, hotcoco, torchmetrics and MONAI."""

import math

import numpy as np
import pytest

from omniou import segmentation

COUNT = 6
IGNORED = 255


@pytest.fixture(params=range(3))
def maps(request):
    """Label maps of three images; class 5 is never there, and classes are missing from some images."""
    rng = np.random.default_rng(request.param)
    target = rng.integers(0, 5, (3, 8, 9)) * (rng.random((3, 8, 9)) < [[[0.2]], [[0.6]], [[0.9]]])
    prediction = np.where(rng.random(target.shape) < 0.6, target, rng.integers(0, 5, target.shape))
    target[rng.random(target.shape) < 0.1] = IGNORED
    return target, prediction


def counts_of(maps, **options):
    return segmentation.confusion(*maps, COUNT, ignore_index=IGNORED, **options)


def test_counts_and_scores_equal_scikit_learn(maps):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    counts, valid = counts_of(maps), maps[0] != IGNORED
    target, prediction = (x[valid] for x in maps)
    assert counts.tolist() == metrics.confusion_matrix(target, prediction, labels=range(COUNT)).tolist()
    for name in ("jaccard", "precision", "recall", "f1"):
        ours = getattr(segmentation, {"jaccard": "iou", "f1": "dice"}.get(name, name))
        theirs = getattr(metrics, f"{name}_score")
        for average in ("macro", "micro", "weighted"):
            expected = theirs(target, prediction, average=average, zero_division=0)
            actual = float(ours(counts, average=average, zero_division=0.0))
            assert actual == pytest.approx(expected, rel=1e-14)
    assert float(segmentation.accuracy(counts)) == pytest.approx(metrics.accuracy_score(target, prediction))


def test_counts_and_scores_equal_hotcoco(maps):
    metrics = pytest.importorskip("hotcoco.metrics", reason="hotcoco is not installed")
    counts = counts_of(maps)
    theirs = sum(
        metrics.pixel_confusion(t.astype(np.uint8), p.astype(np.uint8), COUNT, ignore_index=IGNORED)
        for t, p in zip(*maps, strict=True)
    )
    assert counts.tolist() == theirs.tolist()
    expected = metrics.mean_iou(theirs)
    assert float(segmentation.iou(counts, average="macro")) == pytest.approx(expected["mIoU"], rel=1e-14)
    assert float(segmentation.frequency_weighted_iou(counts)) == pytest.approx(expected["fwIoU"], rel=1e-14)
    assert float(segmentation.accuracy(counts)) == pytest.approx(expected["aAcc"], rel=1e-14)
    assert float(segmentation.recall(counts, average="macro")) == pytest.approx(expected["mAcc"], rel=1e-14)


def test_scores_equal_torchmetrics(maps):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import tests.integrations.conftest  # noqa: F401  (before torchmetrics)

    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    from torchmetrics.functional.classification import multiclass_confusion_matrix, multiclass_jaccard_index
    from torchmetrics.functional.segmentation import mean_iou

    target, prediction = (torch.from_numpy(x) for x in maps)
    counts = segmentation.confusion(target, prediction, COUNT, ignore_index=IGNORED)
    theirs = multiclass_confusion_matrix(prediction, target, COUNT, ignore_index=IGNORED)
    assert counts.tolist() == theirs.tolist()
    for average in ("macro", "micro", "weighted"):
        expected = multiclass_jaccard_index(prediction, target, COUNT, average, ignore_index=IGNORED)
        assert float(segmentation.iou(counts, average=average)) == pytest.approx(float(expected), abs=1e-6)
    target = torch.where(target == IGNORED, 0, target)  # which `mean_iou` does not know
    each = segmentation.iou(segmentation.confusion(target, prediction, COUNT, per_image=True))
    expected = mean_iou(prediction, target, COUNT, per_class=True, input_format="index")
    torch.testing.assert_close(each.nan_to_num(-1.0), expected.double(), rtol=0, atol=1e-6)


def test_scores_of_images_equal_monai(maps):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monai = pytest.importorskip("monai.metrics", reason="MONAI is not installed")
    target, prediction = (torch.from_numpy(np.where(x == IGNORED, 0, x)) for x in maps)
    hot = [torch.nn.functional.one_hot(x, COUNT).movedim(-1, 1) for x in (prediction, target)]
    counts = segmentation.confusion(target, prediction, COUNT, per_image=True)
    expected = monai.compute_iou(*hot)  # NaN where the class is not in the target
    ours = torch.where(counts.sum(-1) > 0, segmentation.iou(counts), math.nan)
    torch.testing.assert_close(ours, expected.double(), rtol=0, atol=1e-6, equal_nan=True)
    torch.testing.assert_close(
        segmentation.iou(counts, images="mean", present="target"),
        expected.double().nanmean(0),
        rtol=0,
        atol=1e-6,
        equal_nan=True,
    )
