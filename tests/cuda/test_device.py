"""On the device, torch's results equal those of the CPU and stay there; what promises no wait waits for nothing.

CUDA refuses each wait for which it is told so. On the CPU these tests only show that they run.
"""

import contextlib

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from omniou import boxes, losses, nms, pairwise  # noqa: E402
from tests.integrations import narrow_devices as narrow  # noqa: E402
from tests.integrations.devices import computed  # noqa: E402
from tests.integrations.samples import pairs  # noqa: E402
from tests.integrations.test_torchmetrics_narrow_devices import COMPUTES, FUNCTIONS, UPDATES, bound  # noqa: E402
from tests.matching.devices import CALLS  # noqa: E402


def moved(x, device):
    return torch.utils._pytree.tree_map(lambda y: y.to(device) if isinstance(y, torch.Tensor) else y, x)


def tensors(x):
    return [y for y in torch.utils._pytree.tree_leaves(x) if isinstance(y, torch.Tensor)]


@contextlib.contextmanager
def no_wait(device):
    """CUDA raises where a program waits for it, or copies from or to it and waits."""
    if torch.device(device).type == "cuda":
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        if torch.device(device).type == "cuda":
            torch.cuda.set_sync_debug_mode("default")


def compare(actual, expected, device, **bounds):
    for x in tensors(actual):
        assert x.device.type == torch.device(device).type
    actual = moved(actual, "cpu")
    torch.testing.assert_close(actual, expected, equal_nan=True, **bounds)


@pytest.mark.parametrize("name", narrow.functions())
def test_functions_equal_cpu(name, device):
    function, kind = narrow.functions()[name]
    args = narrow.given()[kind]
    on_device = moved(args, device)
    compare(function(*on_device), function(*args), device, rtol=1e-4, atol=1e-5)
    if name not in FUNCTIONS:
        with no_wait(device):
            function(*on_device)


@pytest.mark.parametrize("name", narrow.cases())
def test_metrics_equal_cpu(name, device):
    make, kind = narrow.cases()[name]
    batch = narrow.batch_of(kind)
    metric, expected, on_device = make().to(device), make(), moved(batch, device)
    expected.update(*batch)
    metric.update(*on_device)
    torch.testing.assert_close(
        moved(metric.compute(), "cpu"), expected.compute(), rtol=1e-5, atol=1e-6, equal_nan=True, check_dtype=False
    )
    if not bound(UPDATES, name):
        with no_wait(device):
            metric.update(*on_device)
    if not bound(COMPUTES, name):
        metric._computed = None
        with no_wait(device):
            metric.compute()


def test_float64_scores_losses_and_evaluations_equal_cpu(device):
    given = pairs()
    compare(computed(*moved(given, device)), computed(*given), device, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", CALLS)
def test_matching_equals_cpu(name, device):
    actual, expected = CALLS[name](lambda x: x.to(device)), CALLS[name](lambda x: x)
    compare(tuple(tensors(actual)), tuple(tensors(expected)), device)


SUPPRESSIONS = {
    "hard": lambda x, s, **given: nms.hard(x, s, 0.5, **given),
    "soft": lambda x, s, **given: nms.soft(x, s, **given).scores,
    "matrix": lambda x, s, **given: nms.matrix(x, s, **given).scores,
    "weighted_fusion": lambda x, s: nms.weighted_fusion(x, s, 0.5).boxes,
    "merge": lambda x, s: nms.merge(x, s, 0.5).boxes,
}


@pytest.mark.parametrize("name", SUPPRESSIONS)
def test_suppression_equals_cpu(name, device):
    generator = torch.Generator().manual_seed(0)
    low = torch.rand(300, 2, generator=generator, dtype=torch.float64) * 100
    x, s = torch.cat([low, low + 20], dim=1), torch.rand(300, generator=generator, dtype=torch.float64)
    function = SUPPRESSIONS[name]
    compare(function(*moved((x, s), device)), function(x, s), device, rtol=1e-9, atol=1e-9)
    if name in {"hard", "soft", "matrix"}:
        compare(function(*moved((x, s), device), size=50), function(x, s, size=50), device, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["iou", "giou", "ciou"])
def test_pairs_wait_for_nothing(name, device):
    a, b, *_ = moved(pairs(), device)
    score = getattr(boxes, name)
    compare(pairwise(score, a, b), pairwise(score, a.cpu(), b.cpu()), device)
    with no_wait(device):
        pairwise(score, a, b)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_losses_under_autocast_are_float32(dtype, device):
    a, b, *_ = moved(pairs(), device)
    pred = a.float().requires_grad_()
    with torch.autocast(torch.device(device).type, dtype=getattr(torch, dtype)):
        loss = losses.ciou(pred, b.float(), reduction="mean")
    loss.backward()
    assert loss.dtype == torch.float32
    assert pred.grad.isfinite().all()


def test_cuda_graph_captures_a_loss_and_its_gradient(device):
    if torch.device(device).type != "cuda":
        pytest.skip("only CUDA has graphs")
    a, b, *_ = moved(pairs(), device)
    pred, target = a.float().requires_grad_(), b.float()

    def step():
        pred.grad = None
        loss = losses.giou(pred, target, reduction="mean", where=target[:, 0] >= 0)
        loss.backward()
        return loss

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    with torch.no_grad():
        pred += 1
    graph.replay()
    captured, gradient = loss.clone(), pred.grad.clone()
    torch.testing.assert_close(captured, step())
    torch.testing.assert_close(gradient, pred.grad)
