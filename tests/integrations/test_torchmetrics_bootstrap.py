"""Confidence of every metric by samples of images."""

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
    """What each copy draws, by turns."""
    drawn, sampled = [], BootStrapper._sample

    def kept(self, size):
        drawn.append(sampled(self, size).tolist())
        return torch.tensor(drawn[-1], dtype=torch.int64)

    monkeypatch.setattr(BootStrapper, "_sample", kept)
    return drawn


def scalars(result):
    return {name: x for name, x in result.items() if torch.is_tensor(x) and x.ndim == 0 and x.is_floating_point()}


@pytest.mark.parametrize("strategy", ["poisson", "multinomial"])
@pytest.mark.parametrize("name", EVERY)
def test_every_metric(name, strategy, monkeypatch):
    drawn, (preds, target) = recorded(monkeypatch), data()
    metric = BootStrapper(EVERY[name].make(), num_bootstraps=3, raw=True, sampling_strategy=strategy)
    for rows in (slice(7), slice(7, 12)):
        metric.update(preds[rows], target=target[rows])

    alone = []
    for first, second in zip(drawn[:3], drawn[3:], strict=True):
        alone.append(EVERY[name].make())
        rows = [*first, *(7 + k for k in second)]
        alone[-1].update([preds[k] for k in rows], [target[k] for k in rows])
    found, expected = metric.compute(), [scalars(x.compute()) for x in alone]
    assert set(found) == {f"{key}_{what}" for key in expected[0] for what in ("mean", "std", "raw")}
    for key in expected[0]:
        values = torch.stack([x[key] for x in expected])
        assert torch.equal(found[f"{key}_raw"].nan_to_num(-7), values.nan_to_num(-7))


def test_spread_of_a_tensor():
    metric = BootStrapper(
        IntersectionOverUnion(output="tensor"), num_bootstraps=40, raw=True, quantile=torch.tensor([0.05, 0.95])
    )
    metric.update(*data())
    found = metric.compute()

    assert list(found) == ["mean", "std", "quantile", "raw"]
    assert found["raw"].shape == (40,)
    assert torch.equal(found["mean"], found["raw"].mean())
    assert found["quantile"][0] < found["mean"] < found["quantile"][1]


def test_of_tensors_as_torchmetrics_own():
    found = []
    for cls in (BootStrapper, wrappers.BootStrapper):
        torch.manual_seed(1)
        metric = cls(SumMetric(), num_bootstraps=30, quantile=torch.tensor([0.1, 0.9]), raw=True)
        for k in range(3):
            metric.update(torch.arange(50.0) + k)
        found.append(metric.compute())
    torch.testing.assert_close(*found, rtol=0, atol=0)


def test_spread_equals_bootstrap_of_the_evaluator():
    preds, target = data()
    metric = BootStrapper(MeanAveragePrecision(output="tensor"), num_bootstraps=200, sampling_strategy="multinomial")
    metric.update(preds, target)
    other = detection.bootstrap(evaluate(preds, target, "bbox"), "AP", samples=200)

    assert metric.compute()["std"].item() == pytest.approx(other.error, rel=0.3)


def test_forward_keeps_what_was_seen(monkeypatch):
    drawn = recorded(monkeypatch)
    metric = BootStrapper(SumMetric(), num_bootstraps=2, raw=True)
    metric.update(torch.ones(10))
    found = metric(torch.ones(20))

    sizes = [len(rows) for rows in drawn]
    assert found["raw"].tolist() == sizes[2:]
    assert metric.compute()["raw"].tolist() == [a + b for a, b in zip(sizes[:2], sizes[2:], strict=True)]


def test_images_that_nothing_is_drawn_of(monkeypatch):
    monkeypatch.setattr(torch, "poisson", torch.zeros_like)
    metric = BootStrapper(IntersectionOverUnion(), num_bootstraps=2)
    metric.update(*data())
    assert metric.compute()["iou_mean"].isnan()


def test_bad_input():
    metric = BootStrapper(IntersectionOverUnion(), num_bootstraps=2, raw=True)
    metric.update(*data())
    before = metric.compute()["iou_raw"]
    good = sample([[0, 0, 1, 1]])
    with pytest.raises(ValueError, match=r"`preds\[5\]\['boxes'\]`"):
        metric.update([good] * 5 + [{"boxes": torch.ones(3), "labels": good["labels"]}], [good] * 6)
    with pytest.raises(ValueError, match="`preds` and `target`"):
        metric.update([good], [good] * 2)
    assert torch.equal(metric.compute()["iou_raw"], before)


def test_reset_and_other_metrics():
    metric = BootStrapper(MeanMetric(), num_bootstraps=3)
    metric.update(torch.full((5,), 9.0), weight=torch.ones(5))
    metric.reset()
    metric.update(torch.full((50,), 2.0))
    assert metric.compute()["mean"] == 2


class Differing(Metric):
    """Takes what it is given."""

    def update(self, *args):
        self.seen = args

    def compute(self):
        return torch.zeros(())


@pytest.mark.parametrize(("args", "sizes"), [((torch.ones(3), [1, 2]), r"\[3, 2\]"), ((1.0,), "none")])
def test_arguments_of_other_lengths(args, sizes):
    with pytest.raises(ValueError, match=f"all arguments must be of as many images, got {sizes}"):
        BootStrapper(Differing()).update(*args)


def test_arguments_that_are_no_lists_are_passed_on():
    metric = BootStrapper(MeanMetric(), num_bootstraps=3)
    metric.update(torch.full((9,), 4.0), weight=2.0)
    assert metric.compute()["mean"] == 4
