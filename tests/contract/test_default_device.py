"""Torch's default device says nothing of the arrays that are given: results are theirs, on their device."""

import pytest

from omniou import boxes, detection, losses, masks, matching, nms, pairwise, segmentation

torch = pytest.importorskip("torch", reason="torch is not installed")

A = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 9], [20, 20, 40, 40]])
B = torch.tensor([[1.0, 0, 10, 10], [0, 2, 10, 9], [20, 22, 40, 40]])
SCORE = torch.tensor([0.9, 0.8, 0.7])
LABELS = torch.tensor([0, 1, 1])
LOGITS = torch.tensor([[[0.5, -1.0, 2.0], [0.1, 0.2, -0.3]]])
ON = LOGITS > 0.15
OBJECTS = [{"boxes": A, "labels": LABELS}]
FOUND = [{"boxes": B, "labels": LABELS, "scores": SCORE}]

CALLS = {name: lambda name=name: getattr(boxes, name)(A, B) for name in ("iou", "giou", "diou", "ciou", "siou")}
CALLS |= {f"loss {name}": lambda name=name: getattr(losses, name)(A, B) for name in CALLS if hasattr(losses, name)}
CALLS |= {
    "pairwise": lambda: pairwise(boxes.iou, A, B),
    "hard": lambda: nms.hard(A, SCORE, 0.5),
    "soft": lambda: nms.soft(A, SCORE),
    "weighted_fusion": lambda: nms.weighted_fusion(A, SCORE, threshold=0.5),
    "hungarian": lambda: matching.hungarian(1 - pairwise(boxes.iou, A, B)),
    "max_iou": lambda: matching.max_iou(A, B),
    "lovasz_hinge": lambda: losses.masks.lovasz_hinge(LOGITS, ON),
    "lovasz_softmax": lambda: losses.masks.lovasz_softmax(LOGITS[:, None].sigmoid(), ON.long()),
    "dice": lambda: losses.masks.dice(LOGITS[:, None].sigmoid(), ON[:, None]),
    "masks.iou": lambda: masks.iou(ON, ~ON),
    "confusion": lambda: segmentation.confusion(LABELS, LABELS.flip(0), 2),
    "evaluate": lambda: list(detection.evaluate(OBJECTS, FOUND).summary.values()),
}


@pytest.fixture
def on_meta():
    torch.set_default_device("meta")
    yield
    torch.set_default_device(None)


@pytest.mark.parametrize("name", CALLS)
def test_default_device_changes_nothing(name, request):
    expected = CALLS[name]()
    request.getfixturevalue("on_meta")
    actual = CALLS[name]()
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
