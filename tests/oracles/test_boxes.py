"""Boxes and losses against other libraries, and inputs where the others are wrong."""

import numpy as np
import pytest

from omniou import boxes, losses, pairwise

powerboxes = pytest.importorskip("powerboxes")
shapely = pytest.importorskip("shapely")
supervision = pytest.importorskip("supervision")
coco_masks = pytest.importorskip("pycocotools.mask")
torch = pytest.importorskip("torch")
from tests.torchvision_ops import ops  # noqa: E402


@pytest.fixture(params=["pixels", "normalised", "apart"])
def sets(request):
    rng = np.random.default_rng(0)
    size, side = {"pixels": (640, 300), "normalised": (1, 0.4), "apart": (5000, 10)}[request.param]
    low = rng.uniform(0, size, (2, 60, 2))
    a, b = np.concatenate([low, low + rng.uniform(side / 100, side, (2, 60, 2))], axis=-1)
    return a, b[:50]


def test_pairwise_iou_equals_peers(sets):
    a, b = sets
    out = boxes.pairwise_iou(a, b)
    peers = {
        "torchvision": ops.box_iou(torch.tensor(a), torch.tensor(b)).numpy(),
        "supervision": supervision.box_iou_batch(a, b),
        "powerboxes": 1 - powerboxes.iou_distance(a, b),
        "shapely": polygons(a, b),
    }
    for name, expected in peers.items():
        # supervision computes in float32
        slack = {"rtol": 1e-5, "atol": 1e-6} if name == "supervision" else {"rtol": 1e-9, "atol": 1e-12}
        np.testing.assert_allclose(out, expected, **slack, err_msg=name)


def polygons(a, b):
    p, q = shapely.box(*a.T)[:, None], shapely.box(*b.T)[None, :]
    inter = shapely.area(shapely.intersection(p, q))
    return inter / (shapely.area(p) + shapely.area(q) - inter)


def test_iou_and_iof_equal_pycocotools(sets):
    a, b = (boxes.convert(x, "xyxy", "xywh") for x in sets)
    expected = coco_masks.iou(a, b, np.zeros(len(b), dtype=np.uint8))
    np.testing.assert_allclose(pairwise(boxes.iou, a, b, format="xywh"), expected, rtol=1e-9, atol=1e-12)
    crowds = coco_masks.iou(a, b, np.ones(len(b), dtype=np.uint8))
    np.testing.assert_allclose(pairwise(boxes.iof, a, b, format="xywh"), crowds, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (boxes.giou, ops.generalized_box_iou),
        (boxes.diou, ops.distance_box_iou),
        (boxes.ciou, ops.complete_box_iou),
    ],
)
def test_scores_equal_torchvision(sets, ours, theirs):
    a, b = (torch.tensor(x) for x in sets)
    # torchvision adds 1e-7 to some of the denominators, which changes the scores of normalised boxes.
    torch.testing.assert_close(pairwise(ours, a, b), theirs(a, b), rtol=1e-5, atol=1e-5)


def test_giou_equals_powerboxes(sets):
    a, b = sets
    np.testing.assert_allclose(1 - pairwise(boxes.giou, a, b), powerboxes.giou_distance(a, b), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (losses.giou, ops.generalized_box_iou_loss),
        (losses.diou, ops.distance_box_iou_loss),
        (losses.ciou, ops.complete_box_iou_loss),
    ],
)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_and_gradients_equal_torchvision(sets, ours, theirs, reduction):
    scale = 1 if np.max(sets[0]) > 10 else 1000  # large enough that torchvision's eps is negligible
    pred, target = (torch.tensor(x[:50] * scale) for x in sets)
    results = []
    for loss in (ours, theirs):
        p = pred.clone().requires_grad_()
        value = loss(p, target, reduction=reduction)
        results.append((value, *torch.autograd.grad(value.sum(), p)))
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-7)


def test_iou_of_boxes_that_torchvision_gets_wrong():
    """Inputs from issue trackers. The wrong results are asserted too, so that a fix upstream fails here."""
    inverted, point = torch.tensor([[10.0, 40, 20, 20]]), torch.zeros(1, 4)
    other = torch.tensor([[60.0, 50, 40, 40]])
    assert ops.box_iou(point, point).isnan().all()  # vision 3404
    assert boxes.pairwise_iou(point, point).item() == 0
    assert boxes.pairwise_iou(inverted, other).item() == 0
    a, b = torch.tensor([[0, 0, 10, 10]], dtype=torch.uint8), torch.tensor([[100, 100, 250, 250]], dtype=torch.uint8)
    assert ops.box_iou(a, b).item() < 0  # unsigned differences wrap
    assert boxes.pairwise_iou(a, b).item() == 0
    a, b = (torch.tensor([x], dtype=torch.int32) for x in ([0, 0, 60000, 60000], [30000, 0, 90000, 60000]))
    assert ops.box_iou(a, b).item() > 1  # areas overflow; supervision 2485
    assert boxes.pairwise_iou(a, b).item() == pytest.approx(1 / 3)
    half = torch.tensor([[-60000.0, -60000, 60000, 60000]], dtype=torch.float16)
    assert ops.box_iou(half, half).isnan().all()  # vision 3371
    assert boxes.pairwise_iou(half, half).item() == 1


def test_ciou_gradient_that_torchvision_gets_wrong():
    """DIoU-pytorch-detectron 19: a box without height has a loss, and no gradient."""
    pred = torch.tensor([[200.0, 599, 300, 599]], requires_grad=True)
    target = torch.tensor([[100.0, 100, 200, 200]])
    (theirs,) = torch.autograd.grad(ops.complete_box_iou_loss(pred, target).sum(), pred)
    assert theirs.isnan().all()
    value = losses.ciou(pred, target)
    (ours,) = torch.autograd.grad(value.sum(), pred)
    assert value.item() == pytest.approx(1.782, abs=1e-3)
    assert ours.isfinite().all()
    assert ours.abs().max() > 0
