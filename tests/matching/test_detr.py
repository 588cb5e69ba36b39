"""DETR's cost against its formulas written out pair by pair."""

import math
import tracemalloc

import numpy as np
import pytest

from omniou import boxes, losses, matching
from tests.helpers import array, assert_close, integers, numbers

pytestmark = pytest.mark.computes("blocks go to SciPy")

pytest.importorskip("scipy", reason="assignment is SciPy's")

B, N, C = 3, 4, 5
SIZES = [2, 0, 3]


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    logits, predicted = rng.normal(0, 2, (B, N, C)), rng.uniform(0.1, 0.6, (B, N, 4))
    return logits, predicted, rng.integers(0, C, sum(SIZES)), rng.uniform(0.1, 0.6, (sum(SIZES), 4))


def of_pair(logits, box, label, target, kind, weights, eps=1e-8):
    """The published formula of one pair."""
    if kind == "softmax":
        of_class = -math.exp(logits[label]) / sum(map(math.exp, logits))
    else:
        p = 1 / (1 + math.exp(-logits[label]))
        positive = 0.25 * (1 - p) ** 2 * -math.log(p + eps)
        of_class = positive - 0.75 * p**2 * -math.log(1 - p + eps)
    distance = sum(abs(x - y) for x, y in zip(box, target, strict=True))
    return (
        weights[0] * of_class
        + weights[1] * distance
        - weights[2] * float(boxes.giou(box.tolist(), target.tolist(), format="cxcywh"))
    )


@pytest.mark.proves("eager", "matching.detr_cost")
@pytest.mark.parametrize(("kind", "weights"), [("softmax", (1, 5, 2)), ("focal", (2, 5, 2))])
def test_detr_cost_equals_published_formula(xp, kind, weights):
    logits, predicted, labels, targets = inputs()
    image = np.repeat(np.arange(B), SIZES)
    expected = [
        [of_pair(logits[i, row], predicted[i, row], labels[k], targets[k], kind, weights) for k, i in enumerate(image)]
        for row in range(N)
    ]

    cost = matching.detr_cost(
        *(array(xp, logits), array(xp, predicted), xp.asarray(labels), array(xp, targets)),
        sizes=SIZES,
        kind=kind,
        weights=weights,
        eps=1e-8 if kind == "focal" else 0.0,
    )

    assert_close(cost, expected, like=array(xp, []), ulp=64)


def test_detr_cost_of_padded_images_equals_blocks(xp):
    logits, predicted, labels, targets = inputs()
    padded_labels, padded = np.zeros((B, 3), np.int64), np.ones((B, 3, 4))
    padded_labels[0, :2], padded_labels[2], padded[0, :2], padded[2] = labels[:2], labels[2:], targets[:2], targets[2:]
    given = array(xp, logits), array(xp, predicted)

    blocks = matching.detr_cost(*given, xp.asarray(labels), array(xp, targets), sizes=SIZES)
    cost = matching.detr_cost(*given, xp.asarray(padded_labels), array(xp, padded))

    assert_close(xp.concat([cost[0, :, :2], cost[2, :, :]], axis=1), numbers(blocks), ulp=64)
    where = xp.asarray(np.arange(3) < np.array(SIZES)[:, None])[:, None, :]
    matched = integers(matching.hungarian(cost, where=where))
    shifted = [[x + start if x >= 0 else -1 for x in row] for row, start in zip(matched, (0, 2, 2), strict=True)]
    assert integers(matching.hungarian(blocks, sizes=SIZES)) == shifted


def test_detr_cost_of_one_image_and_other_score(xp):
    logits, predicted, labels, targets = inputs()
    cost = matching.detr_cost(
        *(array(xp, logits[2]), array(xp, predicted[2]), xp.asarray(labels[2:]), array(xp, targets[2:])),
        weights=(0, 0, 1),
        score=boxes.ciou,
    )

    expected = -boxes.ciou(predicted[2][:, None], targets[2:][None], format="cxcywh")
    assert_close(cost, expected, ulp=16)


@pytest.mark.parametrize("logit", [-200.0, 200.0])
def test_focal_cost_is_finite_without_eps(xp, logit):
    box = array(xp, [[0.5, 0.5, 0.2, 0.2]])

    cost = matching.detr_cost(*(array(xp, [[logit]]), box, xp.asarray([0]), box), kind="focal", weights=(1, 0, 0))

    # 0.25 * 200 for a class that is surely not there, -0.75 * 200 for one that surely is.
    assert_close(cost, [[50.0 if logit < 0 else -150.0]])


def test_detr_cost_without_objects_is_empty(xp):
    logits, predicted, *_ = inputs()
    given = array(xp, logits, "float32"), array(xp, predicted, "float32")
    none = xp.zeros(0, dtype=xp.int64), xp.zeros((0, 4), dtype=xp.float32)

    cost = matching.detr_cost(*given, *none, sizes=[0, 0, 0])

    assert tuple(cost.shape) == (N, 0)
    assert cost.dtype == xp.float32
    assert integers(matching.hungarian(cost, sizes=[0, 0, 0])) == [[-1] * N] * B
    empty = matching.detr_cost(given[0][:0, ...], given[1][:0, ...], *none, sizes=[])
    assert tuple(empty.shape) == (N, 0)


def test_detr_cost_of_16_bits_is_computed_in_float32(xp):
    logits, predicted, labels, targets = (x if x.dtype == np.int64 else x.astype(np.float32) for x in inputs())
    if not hasattr(xp, "float16"):
        pytest.skip("the standard has no float16")
    narrow = [xp.astype(array(xp, x, "float32"), xp.float16) for x in (logits, predicted, targets)]

    cost = matching.detr_cost(narrow[0], narrow[1], xp.asarray(labels), narrow[2], sizes=SIZES)

    assert cost.dtype == xp.float32


def test_memory_grows_with_the_sum_of_objects():
    rng = np.random.default_rng(0)
    given = rng.normal(size=(64, 300, 20)), rng.uniform(0.2, 0.6, (64, 300, 4))
    objects = rng.integers(0, 20, 640), rng.uniform(0.2, 0.6, (640, 4))
    tracemalloc.start()
    cost = matching.detr_cost(*given, *objects, sizes=[10] * 64, kind="focal")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert cost.nbytes == 300 * 640 * 8
    assert peak < 5 * cost.nbytes  # all queries against all objects are 64 times as many


def test_training_step_by_cost_and_matching():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    logits, predicted, labels, targets = (torch.from_numpy(x) for x in inputs())
    predicted.requires_grad_()
    with torch.no_grad():
        cost = matching.detr_cost(logits, predicted, labels, targets, sizes=SIZES)
    matched = matching.hungarian(cost, sizes=SIZES)
    found = matched >= 0

    assert found.sum(1).tolist() == SIZES
    losses.giou(predicted[found], targets[matched[found]], format="cxcywh").sum().backward()
    assert torch.isfinite(predicted.grad).all()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {}, r"`labels` must have shape \(3, 'M'\), got \(5,\); images one after the other need `sizes`"),
        ({}, {"sizes": [2, 3]}, r"`logits` must have shape \(2, N, C\) with 2 `sizes`, got \(3, 4, 5\)"),
        ({}, {"sizes": [2, 1, 3]}, r"`labels` must have shape \(6,\), as `sizes` add up to, got \(5,\)"),
        ({}, {"sizes": (2.0, 0, 3)}, "`sizes` must be a list of integers"),
        ({}, {"sizes": SIZES, "weights": (1, 5)}, "`weights` must be three numbers, of class, L1 and score"),
        ({}, {"sizes": SIZES, "weights": (1, -5, 2)}, "`weights` must be finite and at least 0"),
        ({}, {"sizes": SIZES, "kind": "focus"}, "`kind` must be one of 'softmax', 'focal', got 'focus'"),
        ({}, {"sizes": SIZES, "kind": "focal", "gamma": -1}, "`gamma` must be finite and at least 0"),
        ({1: np.zeros((B, 3, 4))}, {"sizes": SIZES}, r"`boxes` must have shape \(3, 4, 'K'\), got \(3, 3, 4\)"),
        ({2: np.array([0, 1, 5, 0, 0])}, {"sizes": SIZES}, r"`labels\[2\]` must be a class from 0 to 4"),
        (
            {2: np.array([0, -100, 1, 0, 0])},
            {"sizes": SIZES},
            r"`labels\[1\]` must not be padding: leave it out and pass",
        ),
        ({2: np.array([0.0, 1, 2, 0, 0])}, {"sizes": SIZES}, "`labels` must hold integers"),
        ({3: np.zeros((4, 4))}, {"sizes": SIZES}, r"`target_boxes` must have shape \(5, 4\), got \(4, 4\)"),
    ],
)
def test_detr_cost_of_bad_argument_raises(change, options, message):
    given = [change.get(k, x) for k, x in enumerate(inputs())]

    with pytest.raises((TypeError, ValueError), match=message):
        matching.detr_cost(*given, **options)
