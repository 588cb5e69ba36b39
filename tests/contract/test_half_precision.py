"""Losses, scores and counts in 16 bits, and at the ends of float32: values, dtypes, and a step of GradScaler."""

import itertools

import pytest

import omniou
from omniou import boxes, losses, masks, pairwise

torch = pytest.importorskip("torch")
NARROW = (torch.float16, torch.bfloat16)
narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)
# A distance transform takes no labels, and hinge losses have slopes above 1, which overflow once more than others.
OF_LABELS = [name for name in losses.masks.__all__ if name not in {"check", "boundary", "lovasz_hinge"}]


@narrow
@pytest.mark.parametrize("reduction", ["sum", "mean", "none"])
def test_reduced_losses_are_float32(dtype, reduction):
    pred = torch.tensor([[0.0, 0, 2, 2]], dtype=dtype).expand(70_000, 4)
    target = torch.tensor([[0.0, 0, 6, 2]], dtype=dtype).expand(70_000, 4)
    for loss, each in ((losses.iou, 2 / 3), (losses.l1, 4.0)):
        out = loss(pred, target, reduction=reduction)
        assert out.dtype == (dtype if reduction == "none" else torch.float32)
        if reduction != "none":
            assert out.item() == pytest.approx(each * (70_000 if reduction == "sum" else 1), rel=1e-5)


@pytest.mark.parametrize(("reduction", "wide"), [("sum", True), ("mean", True), ("image", True), ("none", False)])
def test_reduced_mask_losses_are_float32(reduction, wide):
    pred, labels = torch.full((2, 3, 4, 4), 1 / 3, dtype=torch.bfloat16), torch.zeros((2, 4, 4), dtype=torch.int64)
    for name in OF_LABELS:
        out = getattr(losses.masks, name)(pred, labels, reduction=reduction)
        assert out.dtype == (torch.float32 if wide else torch.bfloat16), name


@narrow
def test_running_mean_reaches_its_limit(dtype):
    # IoU of 8 / 25.
    pred, target = torch.tensor([[0.0, 0, 25, 1]], dtype=dtype), torch.tensor([[0.0, 0, 8, 1]], dtype=dtype)
    mean = torch.ones((), dtype=dtype)
    for _ in range(100):
        mean = losses.running_mean(mean, pred, target, momentum=0.1)
    assert mean.dtype == torch.float32
    assert mean.item() == pytest.approx(0.68, abs=3e-3)


def step(net, loss_of, dtype):
    """Whether the first step of a training with a scaler changes the net."""
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD(net.parameters(), lr=0.1)
    before = net.bias.detach().clone()
    with torch.autocast("cpu", dtype=dtype):
        loss = loss_of(net)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return bool((net.bias != before).any()) and scaler.get_scale() == 65536


@narrow
@pytest.mark.parametrize("name", OF_LABELS)
def test_scaler_takes_first_step_of_mask_losses(dtype, name):
    torch.manual_seed(0)
    x, labels = torch.rand(2, 3, 16, 16), torch.randint(0, 2, (2, 16, 16))
    loss = getattr(losses.masks, name)
    assert step(torch.nn.Conv2d(3, 2, 1), lambda net: loss(net(x), labels, activation="softmax"), dtype)


@narrow
def test_scaler_takes_first_step_of_box_losses(dtype):
    torch.manual_seed(0)
    target, x = torch.tensor([[12.0, 8, 44, 44]] * 32, dtype=dtype), torch.rand(32, 8)
    for name, score in omniou.scores.items():
        net = torch.nn.Linear(8, 4)
        net.bias.data = torch.tensor([10.0, 10, 40, 50])
        options = {"image_size": (64, 64)} if score.of_image else {}
        loss = getattr(losses, name)
        assert step(net, lambda net: loss(net(x), target, reduction="mean", **options), dtype), name  # noqa: B023


@narrow
def test_counts_of_all_pairs_are_exact_under_autocast(dtype):
    a = torch.zeros((2, 300, 300), dtype=torch.bool)
    a[0, :257, 257:] = a[1, :, 256:] = True
    with torch.autocast("cpu", dtype=dtype):
        shared, soft = pairwise(masks.intersection, a, a), pairwise(masks.soft_dice, a.float(), a.float())
    assert shared.tolist() == [[257 * 43, 257 * 43], [257 * 43, 300 * 44]]
    assert soft[0, 1].item() == pytest.approx(2 * 257 * 43 / (257 * 43 + 300 * 44), rel=1e-6)


@pytest.mark.parametrize("name", ["bhattacharyya", "kld"])
def test_distances_beyond_float16_are_its_largest_number(name):
    a = torch.tensor([[0.0, 0, 2, 2]], dtype=torch.float16, requires_grad=True)
    b = torch.tensor([[2000.0, 2000, 2002, 2002]], dtype=torch.float16)
    out = getattr(boxes, name)(a, b)
    (slope,) = torch.autograd.grad(out.sum(), a)
    assert out.tolist() == [65504.0]  # of 3 and 4 million
    assert slope.isfinite().all()
    assert slope.sum() < 0  # towards the other box


@pytest.mark.parametrize("name", ["kld", "bhattacharyya"])
@pytest.mark.parametrize("degenerate", [[0.0, 0, 0, 2], [0.0, 0, 0, 0], [1.0, 1, 1, 1]])
def test_distances_of_degenerate_boxes_do_not_depend_on_dtype(name, degenerate):
    values = []
    for dtype in (torch.float32, torch.float64):
        a, b = (torch.tensor(x, dtype=dtype) for x in (degenerate, [0.0, 0, 2, 2]))
        values.append([getattr(boxes, name)(*pair).item() for pair in ((a, b), (b, a))])
    assert values[0] == pytest.approx(values[1], rel=1e-5)


SIZES = (0.0, 1e-30, 1e-15, 1e-3, 1.0, 1e3, 1e9, 9e17)


@pytest.mark.parametrize("name", ["iou", "giou"])
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_gradients_of_polygons_of_any_two_sizes_are_finite(name, shift):
    square = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    pairs = torch.tensor(list(itertools.product(SIZES, SIZES)))[..., None, None]
    p, q = ((square * pairs[:, k] + k * shift * pairs[:, k]).clamp(max=1e18).requires_grad_() for k in (0, 1))
    out = getattr(losses.polygons, name)(p, q)
    slopes = torch.autograd.grad(out.sum(), (p, q))
    assert all(x.isfinite().all() for x in (out, *slopes))


@pytest.mark.parametrize(("module", "limit", "axes"), [("boxes", 1e18, 2), ("rotated", 1e18, 2), ("boxes3d", 1e12, 3)])
def test_losses_are_finite_up_to_the_documented_size(module, limit, axes):
    places = torch.tensor([-0.5, 0.0, 0.5]) * limit
    sides = torch.tensor([1e-30, 1.0, limit])
    rows = [[x] * axes + [s] * axes for x, s in itertools.product(places.tolist(), sides.tolist())]
    if module == "boxes":
        rows = [[v for sign in (-0.5, 0.5) for v in (x + sign * s,) * 2] for x, _, s, _ in rows]
    else:
        rows = [[*row, 0.3] for row in rows]
    every = torch.tensor(rows)
    both = torch.cat([every.repeat_interleave(len(rows), 0)[:, None], every.repeat(len(rows), 1)[:, None]], dim=1)
    family = losses if module == "boxes" else getattr(losses, module)
    for name, score in omniou.scores.items():
        loss = getattr(family, name, None)
        if loss is None or (module != "boxes" and "hull" in score.terms):
            continue
        p, q = (both[:, k].clone().requires_grad_() for k in (0, 1))
        out = loss(p, q, **({"image_size": (limit, limit)} if score.of_image else {}))
        slopes = torch.autograd.grad(out.sum(), (p, q), allow_unused=True)
        assert all(x is None or bool(x.isfinite().all()) for x in (out, *slopes)), name
