"""How torchmetrics' metrics of segmentation read masks, scores and logits, and which labels they leave out."""

import warnings

import pytest
import torch
from torchmetrics import segmentation as theirs

from omniou_integrations import torchmetrics as ours

# Of four pixels two are on, and three are predicted: IoU 2 / 3, Dice 4 / 5.
SCORES = torch.tensor([[[[0.9, 0.6, 0.8, 0.2]]]])
TARGET = torch.tensor([[[[1, 0, 1, 0]]]])
EXPECTED = {
    ours.MeanIoU: 2 / 3,
    ours.DiceScore: 0.8,
    ours.GeneralizedDiceScore: 0.8,
    ours.HausdorffDistance: 1.0,
}
every = pytest.mark.parametrize("metric", EXPECTED)


@every
def test_one_channel_of_floats_by_hand(metric):
    expected = pytest.approx(EXPECTED[metric], abs=1e-6)
    hard = SCORES > 0.5
    for preds in (hard, hard.int(), hard.float(), hard.half()):
        for target in (TARGET, TARGET.bool(), TARGET.float()):
            assert metric(num_classes=1)(preds, target).item() == expected
    assert metric(num_classes=1, threshold=0.5)(SCORES, TARGET).item() == expected
    assert metric(num_classes=1, threshold=0.0)(SCORES.logit(), TARGET).item() == expected
    mixed = metric(num_classes=1, threshold=0.5, input_format="mixed")
    assert mixed(SCORES, TARGET[:, 0]).item() == expected
    with pytest.raises(ValueError, match=r"`preds` has one channel of scores, .* pass `threshold`, such as 0.5"):
        metric(num_classes=1)(SCORES, TARGET)


@every
def test_channels_of_integers_are_0_and_1(metric):
    with pytest.raises(
        ValueError, match="`target` with classes along axis 1 must hold 0 and 1, got 255: pass `target > 0`"
    ):
        metric(num_classes=1)(SCORES > 0.5, 255 * TARGET)


def test_floats_of_0_and_1_are_masks():
    """The last pixel has no class, and another one both: neither is of class 0 by that."""
    preds = torch.tensor([[[1.0, 0, 1, 0], [0, 1, 1, 0]]])
    target = torch.tensor([[[1, 1, 0, 0], [0, 0, 1, 0]]])
    metric = ours.MeanIoU(2, per_class=True)
    for x in (preds, preds.bool(), preds.int()):
        assert metric(x, target).tolist() == pytest.approx([1 / 3, 1 / 2])


@pytest.mark.parametrize("first", [0, 1])
def test_reading_of_channels_must_not_change(first):
    masks, scores = torch.tensor([[[1.0, 0, 1], [1, 0, 0]]]), torch.tensor([[[0.9, 0.2, 1], [0.1, 0.8, 0]]])
    target = torch.tensor([[[1, 0, 1], [0, 1, 0]]])
    metric, other = ours.DiceScore(2), ours.DiceScore(2)
    batches = (masks, scores) if first == 0 else (scores, masks)
    metric.update(batches[0], target)
    other.update(batches[1], target)
    for call in (metric.update, metric):
        with pytest.raises(
            ValueError, match="floats of several channels must be the same in all batches, got masks of 0 and"
        ):
            call(batches[1], target)
    with pytest.raises(ValueError, match="must be the same in all batches"):
        metric.merge_state(other)
    assert metric.update_count == 1
    # Where each pixel has one class, both readings say the same.
    metric.update(target.float(), target)
    metric.reset()
    metric.update(batches[1], target)
    # After `forward` the host knows how the last batch was read. The state knows all, and `compute` looks there.
    metric.reset()
    metric(batches[0], target)
    metric(target.float(), target)
    metric.update(batches[1], target)
    with pytest.raises(ValueError, match="must be the same in all batches"):
        metric.compute()
    # With a threshold there is no guess.
    sure = ours.DiceScore(2, threshold=0.5)
    sure.update(masks, target)
    sure.update(scores, target)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("metric", [ours.BinaryJaccardIndex, ours.MultilabelJaccardIndex])
def test_guess_of_logits_must_not_change(metric, first):
    arguments = (2,) if metric is ours.MultilabelJaccardIndex else ()
    # As logits all four are right: sigmoid(0.3) is 0.57.
    probable, logits = torch.tensor([[0.3, 0.6]]), torch.tensor([[3.0, -2.0]])
    targets = torch.tensor([[1, 1]]), torch.tensor([[1, 0]])
    batches = list(zip((probable, logits), targets, strict=True))
    batches = batches if first == 0 else batches[::-1]
    fault = pytest.raises(
        ValueError, match="predictions must be the same in all batches, got probabilities in some and log"
    )
    guessing, late = metric(*arguments), metric(*arguments, validate_args=False)
    guessing.update(*batches[0])
    late.update(*batches[0])
    with fault:
        guessing.update(*batches[1])
    late.update(*batches[1])  # which may not wait for a device
    with fault:
        late.compute()
    sure = metric(*arguments, activation="sigmoid")
    for batch in batches:
        sure.update(*batch)
    assert sure.compute().item() == 1
    with pytest.raises(ValueError, match="`preds` must be probabilities from 0 to 1"):
        metric(*arguments, activation="none").update(logits, targets[1])
    assert metric(*arguments, activation="none")(probable, torch.tensor([[0, 1]])).isfinite()
    with pytest.raises(ValueError, match="`activation` must be one of 'none', 'sigmoid'"):
        metric(*arguments, activation="softmax")


def test_values_that_both_readings_agree_on_are_no_guess():
    metric = ours.JaccardIndex("binary")
    metric.update(torch.tensor([0.0, 1.0, 0.7]), torch.tensor([0, 1, 1]))
    metric.update(torch.tensor([-2.0, 3.0]), torch.tensor([0, 1]))
    assert metric.compute().item() == 1


# ---- ignored labels: classes 0 to 2, and two that are none

LABELS = torch.tensor([[[0, 0, 1, 2], [1, 255, 2, 7]]])
FOUND = torch.tensor([[[0, 1, 1, 2], [1, 0, 255, 7]]])


@pytest.mark.parametrize("ignored", [[7, 255], (255, 7)])
def test_ignored_labels_by_hand(ignored):
    """Class 0 has 1 of 2, class 1 has 2 of 3, and class 2 1 of 2: its other pixel is predicted as 255."""
    options = {"num_classes": 3, "input_format": "index", "ignore_index": ignored}
    assert ours.MeanIoU(per_class=True, **options)(FOUND, LABELS).tolist() == pytest.approx([1 / 2, 2 / 3, 1 / 2])
    for level in ("samplewise", "global"):
        dice = ours.DiceScore(average="none", aggregation_level=level, **options)
        assert dice(FOUND, LABELS).tolist() == pytest.approx([2 / 3, 4 / 5, 2 / 3])
    # Classes of 2 pixels each, so that all weights are equal: 2 * 4 / (6 + 1 + 3 + 1).
    assert ours.GeneralizedDiceScore(**options)(FOUND, LABELS).item() == pytest.approx(8 / 11)
    jaccard = ours.MulticlassJaccardIndex(3, average="none", ignore_index=ignored)
    assert jaccard(FOUND, LABELS).tolist() == pytest.approx([1 / 2, 2 / 3, 1 / 2])
    # Class 1: its pixel (0, 1) is 1 from the target's; class 2: (1, 2) of the target is 1 from (0, 3) by 1 x 1.
    distances = ours.HausdorffDistance(**options)
    assert distances(FOUND, LABELS).item() == pytest.approx((1 + 2**0.5) / 2)


def test_ignored_classes_have_no_score():
    options = {"num_classes": 3, "input_format": "index", "ignore_index": [2, 7, 255]}
    # The pixel of class 2 that was predicted right, and the other, are left out.
    assert ours.MeanIoU(per_class=True, **options)(FOUND, LABELS).tolist() == pytest.approx([1 / 2, 2 / 3, -1])
    assert ours.MeanIoU(**options)(FOUND, LABELS).item() == pytest.approx((1 / 2 + 2 / 3) / 2)
    each = ours.GeneralizedDiceScore(per_class=True, **options)(FOUND, LABELS)
    assert each[:2].tolist() == pytest.approx([2 / 3, 4 / 5])
    assert each[2].isnan()
    assert ours.MulticlassJaccardIndex(3, ignore_index=[2, 7, 255])(FOUND, LABELS).item() == pytest.approx(7 / 12)
    assert ours.HausdorffDistance(**options)(FOUND, LABELS).item() == 1


@pytest.mark.parametrize("form", ["one-hot", "mixed"])
def test_ignored_channel_of_masks(form):
    target = torch.tensor([[0, 1, 2, 2]])
    preds = torch.nn.functional.one_hot(torch.tensor([[0, 0, 1, 2]]), 3).movedim(-1, 1)
    given = torch.nn.functional.one_hot(target, 3).movedim(-1, 1) if form == "one-hot" else target
    metric = ours.MeanIoU(3, per_class=True, input_format=form, ignore_index=2)
    assert metric(preds, given).tolist() == [0.5, 0.0, -1.0]
    if form == "one-hot":
        with pytest.raises(
            ValueError, match="`ignore_index` 255 is none of the 3 channels of `target`: pass label maps"
        ):
            ours.MeanIoU(3, ignore_index=255)(preds, given)


@pytest.mark.parametrize("ignored", ["255", True, [1.0]])
@pytest.mark.parametrize("metric", [ours.MeanIoU, ours.DiceScore, ours.MulticlassJaccardIndex, ours.SegmentationScore])
def test_ignored_labels_are_integers(metric, ignored):
    with pytest.raises(TypeError, match="`ignore_index` must be an integer"):
        metric(num_classes=3, ignore_index=ignored)


# ---- generalised Dice of classes that are absent

ABSENT = torch.tensor([[[0, 0, 1, 1]], [[0, 0, 0, 0]], [[0, 0, 0, 0]], [[0, 0, 0, 0]]])


@pytest.mark.parametrize(
    ("options", "of_torchmetrics"),
    [({}, [1.0]), ({"include_background": False}, [0.25]), ({"per_class": True}, [1.0, 0.25, 0.0])],
)
def test_generalised_dice_of_perfect_predictions_is_one(options, of_torchmetrics):
    options = {"num_classes": 3, "input_format": "index", **options}
    assert set(ours.GeneralizedDiceScore(**options)(ABSENT, ABSENT).reshape(-1).tolist()) == {1.0}
    for metric in (ours.GeneralizedDiceScore(compat=True, **options), theirs.GeneralizedDiceScore(**options)):
        assert metric(ABSENT, ABSENT).reshape(-1).tolist() == pytest.approx(of_torchmetrics)


@pytest.mark.parametrize("weight", ["square", "simple", "linear"])
def test_generalised_dice_in_compat_equals_torchmetrics(weight):
    generator = torch.Generator().manual_seed(0)
    preds, target = (torch.randint(0, count, (6, 5, 4), generator=generator) for count in (5, 4))
    target[1], target[4, :3] = 0, 2
    options = {"num_classes": 5, "input_format": "index", "weight_type": weight}
    metrics = ours.GeneralizedDiceScore(compat=True, **options), theirs.GeneralizedDiceScore(**options)
    for metric in metrics:
        for k in (0, 2):
            metric.update(preds[3 * k // 2 : 3 * k // 2 + 3], target[3 * k // 2 : 3 * k // 2 + 3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert metrics[0].compute().item() == pytest.approx(metrics[1].compute().item(), abs=1e-6)


def test_probabilities_of_independent_classes_are_no_scores():
    # Each image has one column of pixels; both classes are on in the first pixel.
    probabilities = torch.tensor([[[[0.9], [0.1]], [[0.8], [0.2]]]])
    target = torch.tensor([[[[1], [0]], [[1], [0]]]])
    for make in (ours.DiceScore, ours.MeanIoU):
        with pytest.raises(ValueError, match=r"`preds` has probabilities that do not sum to 1 .*`threshold=0.5`"):
            make(2, input_format="one-hot").update(probabilities, target)
        metric = make(2, input_format="one-hot", threshold=0.5)
        metric.update(probabilities, target)
        assert metric.compute() == 1.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_probabilities_of_softmax_and_logits_are_scores(dtype):
    logits = torch.linspace(-3, 3, 2 * 100 * 4).sin().mul(4).reshape(2, 100, 2, 2)
    padded = logits.softmax(1)
    padded[0, :, 0, 0] = 0.0  # where the target is ignored, probabilities may be anything
    for scores in (logits.to(dtype), logits.softmax(1).to(dtype), padded):
        target = scores.argmax(1)
        target[0, 0, 0] = 255
        metric = ours.MeanIoU(100, input_format="mixed", ignore_index=255)
        metric.update(scores, target)
        assert metric.compute() == 1.0
