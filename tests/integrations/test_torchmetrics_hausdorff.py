"""Hausdorff distance of images and of volumes, by hand."""

import pytest
import torch

from omniou_integrations.torchmetrics import HausdorffDistance

# A voxel at the start, and in the prediction a second one: 4 slices, 2 rows and 1 column on.
TARGET = torch.zeros((1, 5, 3, 2), dtype=torch.int64)
TARGET[0, 0, 0, 0] = 1
PREDS = TARGET.clone()
PREDS[0, 4, 2, 1] = 1


def one_hot(x):
    return torch.nn.functional.one_hot(x, 2).movedim(-1, 1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 21**0.5),
        ({"spacing": [0.5, 3.0, 6.0]}, 76**0.5),
        ({"spacing": torch.tensor([0.5, 3.0, 6.0]), "distance_metric": "taxicab"}, 14.0),
        ({"percentile": 50.0}, 21**0.5 / 2),
        ({"spatial_axes": 3, "directed": True}, 21**0.5),
    ],
)
@pytest.mark.parametrize("input_format", ["index", "one-hot", "mixed"])
def test_volumes_have_three_axes(options, expected, input_format):
    metric = HausdorffDistance(2, input_format=input_format, **options)
    preds = PREDS if input_format == "index" else one_hot(PREDS)
    metric.update(preds, one_hot(TARGET) if input_format == "one-hot" else TARGET)
    assert metric.compute().item() == pytest.approx(expected, rel=1e-6)


def test_channel_axis_of_label_maps_is_told_from_depth():
    full, middle = torch.ones((1, 1, 5, 5), dtype=torch.int64), torch.zeros((1, 1, 5, 5), dtype=torch.int64)
    middle[0, 0, 2, 2] = 1
    with pytest.raises(ValueError, match="pass `spatial_axes=3` for volumes, `spatial_axes=2` for images"):
        HausdorffDistance(2, input_format="index")(middle, full)
    # Of a full image the middle is 2 pixels from the outline; of a volume of one slice all is outline.
    options = {"input_format": "index", "directed": True}
    for a, b in ((middle, full), (middle.movedim(1, -1), full.movedim(1, -1))):
        assert HausdorffDistance(2, **options, spatial_axes=2)(a, b).item() == 2.0
        assert HausdorffDistance(2, **options, spacing=[1.0, 3.0])(a, b).item() == 2.0
        assert HausdorffDistance(2, **options, spatial_axes=3)(a, b).item() == 0.0


def test_inputs_of_other_axes_raise():
    with pytest.raises(ValueError, match=r"`x\[None\]` for an image, `spatial_axes=1` for signals"):
        HausdorffDistance(2, input_format="index")(PREDS[0, 0], TARGET[0, 0])
    with pytest.raises(ValueError, match=r"inputs must have 2 spatial axes, .* got size"):
        HausdorffDistance(2, input_format="index", spacing=[1.0, 1.0])(PREDS, TARGET)
    with pytest.raises(ValueError, match="inputs must have 2 or 3 spatial axes, got size"):
        HausdorffDistance(2)(one_hot(PREDS)[..., None], one_hot(TARGET)[..., None])
    signals = torch.tensor([[1, 0, 0, 1]]), torch.tensor([[1, 0, 0, 0]])
    assert HausdorffDistance(2, input_format="index", spatial_axes=1)(*signals).item() == 3.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spacing": [1.0] * 4}, "`spacing` must be a number, or one for each of 2 or 3"),
        ({"spacing": [1.0, 1.0], "spatial_axes": 3}, "`spacing` must be .* 3 `spatial_axes`"),
        ({"spacing": []}, "`spacing` must be"),
        ({"spatial_axes": 0}, "`spatial_axes` must be one of 1, 2, 3"),
        ({"percentile": 0}, "`percentile` must lie in"),
    ],
)
def test_wrong_options_raise_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        HausdorffDistance(2, **options)
