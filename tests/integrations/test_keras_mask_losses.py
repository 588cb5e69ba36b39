"""Losses of masks on the backend that KERAS_BACKEND names, beside the functions of the core."""

import keras
import numpy as np
import pytest

from omniou import pixel_scores
from omniou_integrations import keras as adapter
from omniou_integrations.keras import MaskDiceLoss, MaskJaccardLoss, MaskLovaszLoss
from tests.integrations.keras_cases import BACKEND, gradient, numbers, tensor

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")
MASK_LOSSES = {name: getattr(adapter, name) for name in adapter.__all__ if name.startswith("Mask")}
every = pytest.mark.parametrize("loss", MASK_LOSSES.values(), ids=str)


def batch(classes=3, images=4):
    """Labels (B, H, W) and probabilities (B, H, W, C)."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(images, 5, 6, classes))
    probabilities = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return rng.integers(0, classes, (images, 5, 6)), probabilities.astype(np.float32)


def expected(loss, labels, pred, **options):
    """One loss for each image, by the core in float64."""
    return loss.function(np.moveaxis(pred.astype(np.float64), -1, 1), labels, **{"reduction": "image", **options})


def test_every_loss_of_classes_has_a_class():
    labels = {"Jaccard" if score.name == "iou" else score.label for score in pixel_scores.values()}
    assert {f"Mask{label}Loss" for label in labels | {"FocalTversky", "Lovasz"}} == set(MASK_LOSSES)
    assert set(MASK_LOSSES) < set(adapter.__all__)


@every
@pytest.mark.parametrize("per", ["image", "batch"])
@pytest.mark.parametrize("options", [{}, {"class_weight": [1.0, 2.0, 0.5]}, {"ignore_index": 1}], ids=str)
def test_values_equal_the_functions(loss, per, options):
    labels, pred = batch()
    more = {**options, "per": per}
    want = expected(loss, labels, pred, **more)
    assert numbers(loss(reduction=None, **more)(labels, pred)) == pytest.approx(want, abs=1e-5)
    assert float(loss(**more)(tensor(labels), tensor(pred))) == pytest.approx(want.mean(), abs=1e-5)


@every
def test_targets_and_axes_in_any_of_the_shapes(loss):
    labels, pred = batch()
    want = expected(loss, labels, pred)
    masks = np.eye(3)[labels]
    for target in (labels, labels[..., None], masks):
        assert numbers(loss(reduction=None)(target, pred)) == pytest.approx(want, abs=1e-5)
    first = loss(reduction=None, data_format="channels_first")
    for target in (labels, labels[:, None], np.moveaxis(masks, -1, 1)):
        assert numbers(first(target, np.moveaxis(pred, -1, 1))) == pytest.approx(want, abs=1e-5)


def test_masks_of_one_class():
    labels, pred = batch(2)
    on, one = labels[..., None], pred[..., 1:]
    want = expected(MaskDiceLoss, labels, one)
    assert numbers(MaskDiceLoss(reduction=None)(on, one)) == pytest.approx(want, abs=1e-5)
    on[:, 0] = 255
    want = expected(MaskDiceLoss, on[..., 0], one, ignore_index=255)
    assert numbers(MaskDiceLoss(reduction=None, ignore_index=255)(on, one)) == pytest.approx(want, abs=1e-5)


@every
def test_weight_0_leaves_an_image_out(loss):
    labels, pred = batch()
    weight = np.asarray([0.0, 1.0, 2.0, 0.5])
    want = expected(loss, labels, pred) * weight
    pred[0] = np.nan
    for given in (weight, weight[:, None]):
        assert float(loss()(labels, pred, given)) == pytest.approx(want.mean(), abs=1e-5)
    slope = gradient(lambda target, x: loss()(target, x, tensor(weight)), labels, pred)
    assert (slope[0] == 0).all()
    assert np.isfinite(slope).all()
    assert np.any(slope[1] != 0)


def test_a_mask_of_keras_leaves_pixels_out():
    labels, pred = batch()
    kept = np.ones(labels.shape, dtype=bool)
    kept[:, :2] = False
    want = expected(MaskJaccardLoss, labels, pred, where=kept)
    given = tensor(np.where(kept[..., None], pred, np.nan))
    keras.src.backend.set_keras_mask(given, tensor(kept, "bool"))
    assert float(MaskJaccardLoss()(labels, given)) == pytest.approx(want.mean(), abs=1e-5)


# Not those that all or nothing makes perfect: precision and its kin.
LEARNS = ("Jaccard", "Dice", "GeneralisedDice", "Tversky", "FocalTversky", "Lovasz")


@pytest.mark.filterwarnings("ignore")  # torch's compiler raises warnings of its own
@pytest.mark.parametrize(
    ("loss", "per"),
    [(MASK_LOSSES[f"Mask{name}Loss"], ("image", "batch")[k % 2]) for k, name in enumerate(LEARNS)]
    + [(MASK_LOSSES["MaskLovaszLoss"], "image")],
)
def test_a_net_learns_and_is_loaded_again(loss, per, tmp_path):
    """The last batch is smaller than the others: a graph does not know how many images there are."""
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).random((14, 6, 7, 1), dtype=np.float32)
    y = np.where(x[..., 0] > 0.5, 1, 0)
    y[:, 0] = 255
    layers = [keras.layers.Conv2D(8, 1, activation="relu"), keras.layers.Conv2D(2, 1)]
    model = keras.Sequential([keras.Input((6, 7, 1)), *layers])
    compiled = {} if BACKEND == "torch" else {"jit_compile": BACKEND == "jax"}
    activation = {"activation": "softmax", "ignore_index": 255, "class_weight": [1.0, 2.0], "per": per}
    model.compile(keras.optimizers.Adam(0.05), loss=loss(**activation), **compiled)
    if (BACKEND, per, loss) == ("tensorflow", "batch", MaskLovaszLoss):
        with pytest.raises(ValueError, match="drop_remainder=True"):
            model.fit(x, y, batch_size=4, verbose=0)
        return
    history = model.fit(x, y, batch_size=4, epochs=15, verbose=0).history["loss"]
    assert history[-1] < 0.6 * history[0]

    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert again.loss.get_config() == model.loss.get_config()
    assert again.evaluate(x, y, verbose=0) == pytest.approx(model.evaluate(x, y, verbose=0), rel=1e-5)


def test_bad_input_raises():
    labels, pred = batch()
    with pytest.raises(TypeError, match="unexpected keyword argument 'alfa'"):
        MaskJaccardLoss(alfa=1.0)
    with pytest.raises(ValueError, match="`activation` must be one of"):
        MaskJaccardLoss(activation="relu")
    with pytest.raises(ValueError, match="`data_format` must be one of"):
        MaskLovaszLoss(data_format="NHWC")
    with pytest.raises(ValueError, match=r"`target` must have shape \(4, 5, 6\)"):
        MaskDiceLoss()(labels[:, :4], pred)
    with pytest.raises(ValueError, match=r"`sample_weight` must have shape \(B,\).*got \(4, 5, 6\)"):
        MaskDiceLoss()(labels, pred, np.ones((4, 5, 6)))
    with pytest.raises(ValueError, match="`sample_weight` weighs images"):
        MaskDiceLoss(per="batch")(labels, pred, np.ones(4))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_labels_are_exact_and_reduced_losses_wide_in_16_bits(dtype):
    labels = np.arange(400).reshape(1, 20, 20)  # bfloat16 holds 0 to 256, and every second integer up to 512
    pred = np.eye(400, dtype=np.float32)[labels]
    for target in (labels, labels[..., None].astype("float32")):
        out = MaskDiceLoss(dtype=dtype)(target, pred)
        assert float(out) == pytest.approx(0.0, abs=1e-6)
        assert keras.backend.standardize_dtype(out.dtype) == "float32"
    each = MaskDiceLoss(dtype=dtype, reduction=None)(labels, pred)
    assert keras.backend.standardize_dtype(each.dtype) == dtype
