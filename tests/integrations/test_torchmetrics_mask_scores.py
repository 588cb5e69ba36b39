"""Mean scores of masks by hand: of maps of classes, of volumes and of instances."""

import math
import pickle

import pytest
import torch
from torch import tensor

from omniou import masks
from omniou_integrations.torchmetrics import MaskScore

# One row of five pixels: class 1 shares one pixel, class 2 none of two.
PREDS = tensor([[[1, 1, 0, 2, 0]]])
TARGET = tensor([[[1, 0, 2, 0, 0]]])


def test_scores_of_classes_are_averaged():
    """IoU: background 1 / 4, class 1 1 / 2, class 2 0; class 3 is in neither map."""
    options = {"num_classes": 4, "input_format": "index"}
    assert MaskScore("iou", **options)(PREDS, TARGET).item() == pytest.approx(0.25)
    each = MaskScore("iou", per_class=True, **options)(PREDS, TARGET)
    torch.testing.assert_close(each, tensor([0.25, 0.5, 0.0, math.nan]), equal_nan=True)
    assert MaskScore("recall", include_background=False, **options)(PREDS, TARGET).item() == pytest.approx(0.5)
    one_hot = [torch.nn.functional.one_hot(x, 4).movedim(-1, 1) for x in (PREDS, TARGET)]
    assert MaskScore("iou")(*one_hot).item() == pytest.approx(0.25)
    assert MaskScore("iou", score_options={"zero_division": 1.0})(*one_hot).item() == pytest.approx(1.75 / 4)


def test_distances_of_outlines():
    a, b = tensor([[[[1, 0, 0, 0, 0]]]]), tensor([[[[1, 0, 0, 1, 0]]]])
    assert MaskScore("hausdorff")(a, b).item() == 3.0
    assert MaskScore("hd95")(a, b).item() == pytest.approx(2.85)  # of 0 and 3
    assert MaskScore("average_surface_distance", score_options={"spacing": (1.0, 0.5)})(a, b).item() == 0.5
    assert not MaskScore("hd95").higher_is_better
    assert MaskScore("iou").higher_is_better
    assert MaskScore("hausdorff")(a, a * 0).item() == math.inf
    assert MaskScore("hausdorff", miss=10.0)(torch.cat([a, a]), torch.cat([b, a * 0])).item() == 6.5
    assert MaskScore("hausdorff")(a * 0, a * 0).isnan()


def test_volumes_are_no_slices():
    """A voxel at the start, and a second one 4 slices on; three slices more have neither."""
    target = torch.zeros((1, 1, 5, 2, 2), dtype=torch.bool)
    target[0, 0, 0, 0, 0] = True
    preds = target.clone()
    preds[0, 0, 4, 0, 0] = True
    assert MaskScore("hausdorff")(preds, target).item() == 4.0
    assert MaskScore("hd95", score_options={"spacing": [2.0, 1.0, 1.0]})(preds, target).item() == pytest.approx(7.6)
    assert MaskScore("dice")(preds, target).item() == pytest.approx(2 / 3)
    assert MaskScore("accuracy", spatial_axes=3)(preds, target).item() == pytest.approx(0.95)
    with pytest.raises(ValueError, match="'boundary_iou' is of images with 2 spatial axes, got 3"):
        MaskScore("boundary_iou")(preds, target)


def test_masks_of_one_class_need_no_channel():
    preds, target = tensor([[[0.9, 0.6, 0.2]]]), tensor([[[1, 0, 0]]])
    assert MaskScore("iou", threshold=0.5)(preds, target).item() == 0.5
    assert MaskScore("iou", threshold=0.7)(preds[:, None], target[:, None]).item() == 1.0
    with pytest.raises(ValueError, match="must hold 0 and 1, got 255: pass `target > 0`"):
        MaskScore("iou", threshold=0.5)(preds, 255 * target)
    with pytest.raises(ValueError, match="one channel of scores, which are neither 0 nor 1: pass `threshold`"):
        MaskScore("iou")(preds, target)


@pytest.mark.parametrize("name", ["boundary_iou", "boundary_f", "trimap_iou"])
def test_scores_near_outlines_equal_those_of_masks(name):
    a, b = torch.zeros((2, 2, 20, 20), dtype=torch.bool)
    a[0, 5:15, 5:15] = a[1, 2:9, 3:11] = b[0, 6:15, 5:15] = b[1, 2:8, 3:13] = True
    expected = getattr(masks, name)(a, b).double().mean()
    assert MaskScore(name)(a, b).item() == pytest.approx(expected.item(), rel=1e-6)
    assert MaskScore(getattr(masks, name))(a, b).item() == pytest.approx(expected.item(), rel=1e-6)


def test_channel_axis_of_label_maps_matters_to_outlines_only():
    options = {"num_classes": 4, "input_format": "index"}
    assert MaskScore("iou", **options)(PREDS[:, None], TARGET[:, None]).item() == pytest.approx(0.25)
    with pytest.raises(ValueError, match="pass `spatial_axes=3` for volumes, `spatial_axes=2` for images"):
        MaskScore("hausdorff", **options)(PREDS[:, None], TARGET[:, None])
    distance = MaskScore("hausdorff", spatial_axes=2, **options)(PREDS[:, None], TARGET[:, None])
    assert distance.item() == 1.0  # one column, in each of three classes


def sample(*rows, labels):
    return {"masks": tensor(rows)[:, None, :] if rows else torch.zeros((0, 1, 4)).bool(), "labels": tensor(labels)}


def test_instances_are_paired():
    """The first target is shared: its better partner has 1 / 1, the other none; a label of its own has none either."""
    preds = [sample([1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], labels=[0, 0, 1]), sample(labels=[])]
    target = [sample([1, 0, 0, 0], [0, 0, 1, 0], labels=[0, 1]), sample([1, 0, 0, 0], labels=[1])]
    metric = MaskScore("iou")
    metric.update(preds, target)
    assert metric.compute().item() == pytest.approx((1.0 + 0.5 + 0 + 0) / 4)
    each = MaskScore("iou", num_classes=3, per_class=True)(preds, target)
    torch.testing.assert_close(each, tensor([0.5, 0.25, math.nan]), equal_nan=True)
    distance = MaskScore("hausdorff", miss=4.0)
    distance.update(preds, target)
    assert distance.compute().item() == pytest.approx((0 + 4 + 1 + 4) / 4)
    with pytest.raises(ValueError, match="`miss` must be given for score 'hausdorff'"):
        MaskScore("hausdorff").update(preds, target)


def test_states_merge_and_pickle():
    whole, parts = MaskScore("dice"), [MaskScore("dice"), MaskScore("dice")]
    generator = torch.Generator().manual_seed(0)
    a, b = torch.rand((2, 6, 2, 5, 5), generator=generator) > 0.5
    whole.update(a, b)
    parts[0].update(a[:2], b[:2])
    parts[1].update(a[2:], b[2:])
    parts[0].merge_state(parts[1])
    assert pickle.loads(pickle.dumps(parts[0])).compute() == whole.compute()  # noqa: S301  (its own)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("dise",), {}, ValueError, "`score` must be one of .*did you mean 'dice'"),
        ((3,), {}, TypeError, "`score` must be a name or a function"),
        (("dice",), {"score_options": {"alpha": 1.0}}, TypeError, "unexpected keyword argument 'alpha'"),
        (("hausdorff",), {"score_options": {"percentile": 0}}, ValueError, "`percentile` must lie in"),
        (("hausdorff",), {"score_options": {"spacing": (1, 1)}, "spatial_axes": 3}, ValueError, "`spacing` must be"),
        (("iou",), {"input_format": "index"}, ValueError, "`num_classes` must be a positive integer"),
    ],
)
def test_wrong_options_raise_at_once(arguments, options, error, message):
    with pytest.raises(error, match=message):
        MaskScore(*arguments, **options)
