"""`BootStrapper`: samples of images for every metric."""

import pytest
import torch
from torchmetrics import MeanMetric, Metric, SumMetric, wrappers

from omniou import detection
from omniou_integrations.torchmetrics import BootStrapper, IntersectionOverUnion, MeanAveragePrecision
from tests.integrations.metrics import EVERY, data, evaluate
from tests.integrations.samples import sample


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def recorded(monkeypatch):
    """Indices that each copy draws, copy after copy for each update."""
    drawn, sampled = [], BootStrapper._sample

    def recording(self, size):
        drawn.append(sampled(self, size).tolist())
        return torch.tensor(drawn[-1], dtype=torch.int64)

    monkeypatch.setattr(BootStrapper, "_sample", recording)
    return drawn


def scalars(result):
    return {name: x for name, x in result.items() if torch.is_tensor(x) and x.ndim == 0 and x.is_floating_point()}


@pytest.mark.parametrize("strategy", ["poisson", "multinomial"])
@pytest.mark.parametrize("name", EVERY)
def test_samples_equal_metrics_of_drawn_images(name, strategy, monkeypatch):
    drawn, (preds, target) = recorded(monkeypatch), data()
    metric = BootStrapper(EVERY[name].make(), num_bootstraps=3, raw=True, sampling_strategy=strategy)
    for rows in (slice(7), slice(7, 12)):
        metric.update(preds[rows], target=target[rows])

    alone = []
    for first, second in zip(drawn[:3], drawn[3:], strict=True):
        alone.append(EVERY[name].make())
        rows = [*first, *(7 + k for k in second)]
        alone[-1].update([preds[k] for k in rows], [target[k] for k in rows])
    result, expected = metric.compute(), [scalars(x.compute()) for x in alone]
    assert set(result) == {f"{key}_{what}" for key in expected[0] for what in ("mean", "std", "raw")}
    for key in expected[0]:
        values = torch.stack([x[key] for x in expected])
        assert torch.equal(result[f"{key}_raw"].nan_to_num(-7), values.nan_to_num(-7))


def test_statistics_of_tensor_result():
    metric = BootStrapper(
        IntersectionOverUnion(output="tensor"), num_bootstraps=40, raw=True, quantile=torch.tensor([0.05, 0.95])
    )
    metric.update(*data())
    result = metric.compute()

    assert list(result) == ["mean", "std", "quantile", "raw"]
    assert result["raw"].shape == (40,)
    assert torch.equal(result["mean"], result["raw"].mean())
    assert result["quantile"][0] < result["mean"] < result["quantile"][1]


def test_bootstrap_of_tensors_equals_torchmetrics():
    results = []
    for cls in (BootStrapper, wrappers.BootStrapper):
        torch.manual_seed(1)
        metric = cls(SumMetric(), num_bootstraps=30, quantile=torch.tensor([0.1, 0.9]), raw=True)
        for k in range(3):
            metric.update(torch.arange(50.0) + k)
        results.append(metric.compute())
    torch.testing.assert_close(*results, rtol=0, atol=0)


def test_standard_deviation_equals_that_of_detection_bootstrap():
    preds, target = data()
    metric = BootStrapper(MeanAveragePrecision(output="tensor"), num_bootstraps=200, sampling_strategy="multinomial")
    metric.update(preds, target)
    other = detection.bootstrap(evaluate(preds, target, "bbox"), "AP", samples=200)

    assert metric.compute()["std"].item() == pytest.approx(other.error, rel=0.3)


def test_multinomial_of_small_batches_warns_once():
    metric = BootStrapper(SumMetric(), num_bootstraps=4, sampling_strategy="multinomial")
    with pytest.warns(UserWarning, match='batches of 1 have no spread at all. Use "poisson"'):
        metric.update(torch.ones(1))
    metric.update(torch.ones(1))
    assert metric.compute()["std"] == 0
    metric = BootStrapper(SumMetric(), num_bootstraps=4, sampling_strategy="multinomial")
    metric.update(torch.ones(2))
    with pytest.warns(UserWarning, match="batches of 2 have 71% of the spread"):
        metric.update(torch.ones(2))


def test_poisson_of_batches_of_one_has_the_spread_of_images():
    # A sum of 50 ones, each seen a number of times whose variance is 1.
    torch.manual_seed(0)
    metric = BootStrapper(SumMetric(), num_bootstraps=200)
    for _ in range(50):
        metric.update(torch.ones(1))
    assert metric.compute()["std"].item() == pytest.approx(50**0.5, rel=0.2)


def test_forward_keeps_earlier_batches(monkeypatch):
    drawn = recorded(monkeypatch)
    metric = BootStrapper(SumMetric(), num_bootstraps=2, raw=True)
    metric.update(torch.ones(10))
    result = metric(torch.ones(20))

    sizes = [len(rows) for rows in drawn]
    assert result["raw"].tolist() == sizes[2:]
    assert metric.compute()["raw"].tolist() == [a + b for a, b in zip(sizes[:2], sizes[2:], strict=True)]


def test_empty_samples_give_nan(monkeypatch):
    monkeypatch.setattr(torch, "poisson", torch.zeros_like)
    metric = BootStrapper(IntersectionOverUnion(), num_bootstraps=2)
    metric.update(*data())
    assert metric.compute()["iou_mean"].isnan()


def test_invalid_update_leaves_state_unchanged():
    metric = BootStrapper(IntersectionOverUnion(), num_bootstraps=2, raw=True)
    metric.update(*data())
    before = metric.compute()["iou_raw"]
    good = sample([[0, 0, 1, 1]])
    with pytest.raises(ValueError, match=r"`preds\[5\]\['boxes'\]`"):
        metric.update([good] * 5 + [{"boxes": torch.ones(3), "labels": good["labels"]}], [good] * 6)
    with pytest.raises(ValueError, match="`preds` and `target`"):
        metric.update([good], [good] * 2)
    assert torch.equal(metric.compute()["iou_raw"], before)


def test_reset_of_mean_metric():
    metric = BootStrapper(MeanMetric(), num_bootstraps=3)
    metric.update(torch.full((5,), 9.0), weight=torch.ones(5))
    metric.reset()
    metric.update(torch.full((50,), 2.0))
    assert metric.compute()["mean"] == 2


class Differing(Metric):
    """Accepts any arguments."""

    def update(self, *args):
        self.seen = args

    def compute(self):
        return torch.zeros(())


@pytest.mark.parametrize(("args", "sizes"), [((torch.ones(3), [1, 2]), r"\[3, 2\]"), ((1.0,), "none")])
def test_arguments_of_different_lengths_raise(args, sizes):
    with pytest.raises(ValueError, match=f"all arguments must be of as many images, got {sizes}"):
        BootStrapper(Differing()).update(*args)


def test_scalar_arguments_are_passed_on():
    metric = BootStrapper(MeanMetric(), num_bootstraps=3)
    metric.update(torch.full((9,), 4.0), weight=2.0)
    assert metric.compute()["mean"] == 4
