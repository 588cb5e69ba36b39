"""Losses of Keras from `omniou.losses.masks`."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou._catalogue.options import Declared, declared, documented
from omniou._catalogue.pixel_operations import FOCAL_TVERSKY, loss_options
from omniou._catalogue.pixel_options import LossOptions, PresentClassOption
from omniou._catalogue.pixel_score import pixel_scores
from omniou._catalogue.sources.classes import ClassSource
from omniou._lib import checks
from omniou.losses import masks
from omniou_integrations.keras._base import OF_LOSS, OptionsLoss
from omniou_integrations.keras._tensors import known, per_box, reduced, tensor, wide

# Options that Keras has under other names: masks of tensors exclude pixels, `data_format` gives the axis of classes,
# and Keras' own `reduction` reduces the losses of images.
_OF_KERAS = {"where", "reduction", "class_axis"}


class MaskLoss(OptionsLoss):
    """A loss of `omniou.losses.masks` with its options."""

    function: ClassVar[Any]

    def __init__(
        self, *, data_format: str | None, reduction: Any, name: str | None, dtype: Any, **options: Any
    ) -> None:
        self.data_format = keras.config.image_data_format() if data_format is None else data_format
        checks.choice("data_format", self.data_format, ("channels_last", "channels_first"))
        weight = options["class_weight"]
        options["class_weight"] = None if weight is None else [float(x) for x in weight]
        super().__init__(options, reduction=reduction, name=name, dtype=dtype)

    def attempt(self) -> None:
        """Compute the loss of one pixel."""
        weight = self.options["class_weight"]
        classes = 2 if weight is None else len(weight)
        self._of(ops.zeros((1, 1, 1), dtype="int32"), ops.full((1, classes, 1, 1), 0.5, dtype=wide(self.dtype)))

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss, reduced."""
        where = get_keras_mask(y_pred)
        y_true, y_pred = self._target(y_true), tensor("y_pred", y_pred, dtype=wide(self.dtype))
        pixels = y_pred[..., 0] if self.data_format == "channels_last" else y_pred[:, 0]
        if where is not None:
            where = per_box(where, pixels, dtype="bool")
        if sample_weight is not None:
            sample_weight = self._of_images(sample_weight)
            # Keras multiplies by weights, and 0 * NaN is NaN: of images that are left out no pixel counts.
            counted = per_box(sample_weight != 0, pixels, dtype="bool")
            where = counted if where is None else ops.logical_and(where, counted)
        return reduced(self.call(y_true, y_pred, where), self, weight=sample_weight)

    def call(self, y_true: Any, y_pred: Any, where: Any = None) -> Any:
        """One loss for each image (B,), or for the batch ()."""
        if self.data_format == "channels_last":
            y_pred = ops.moveaxis(y_pred, -1, 1)
            y_true = ops.moveaxis(y_true, -1, 1) if len(y_true.shape) == len(y_pred.shape) else y_true
        y_true = self._labels(y_true, y_pred)
        where = {} if where is None else {"where": known(where)}
        return self._of(y_true, y_pred, **where)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of `from_config`."""
        return {**super().get_config(), "data_format": self.data_format}

    def _of(self, y_true: Any, y_pred: Any, **where: Any) -> Any:
        weight = self.options["class_weight"]
        if weight is not None:
            weight = known(ops.convert_to_tensor(weight, dtype=wide(self.dtype)))
        options = {**self.options, "class_weight": weight, "reduction": "image", "class_axis": 1, **where}
        return self.function(known(y_pred), known(y_true), **options)

    def _target(self, y_true: Any) -> Any:
        """Return integers unchanged: 16-bit floats would round labels from 257 (bfloat16) or 2049 (float16) on."""
        y_true = tensor("y_true", y_true)
        if keras.backend.is_float_dtype(keras.backend.standardize_dtype(y_true.dtype)):
            return ops.cast(y_true, wide(self.dtype))
        return y_true

    def _labels(self, y_true: Any, y_pred: Any) -> Any:
        """Targets (B, ...) or (B, 1, ...) of several classes are labels, which Keras made floats."""
        one = len(y_true.shape) == len(y_pred.shape) and y_true.shape[1] == 1
        if one and (y_pred.shape[1] != 1 or self.options["ignore_index"] is not None):
            y_true = ops.squeeze(y_true, axis=1)
        return ops.cast(y_true, "int32") if len(y_true.shape) < len(y_pred.shape) else y_true

    def _of_images(self, weight: Any) -> Any:
        """Weights (B,) or with axes of one element."""
        weight = tensor("sample_weight", weight, dtype=wide(self.dtype))
        if any(side != 1 for side in weight.shape[1:]):
            raise ValueError(
                f"`sample_weight` must have shape (B,), one number for each image, got {tuple(weight.shape)}; "
                "pixels are left out by `ignore_index`"
            )
        if self.options["per"] == "batch":
            raise ValueError("`sample_weight` weighs images, and `per='batch'` sums them")
        return ops.reshape(weight, (-1,))


class _Row(NamedTuple):
    """The declaration of a class."""

    label: str
    function: Any
    options: Declared
    example: tuple[str, str, float]  # y_true, y_pred and the loss


def sources() -> Iterator[ClassSource]:
    """The classes of all losses of masks."""
    for row in _rows():
        own = {name: x for name, x in row.options.items() if name not in _OF_KERAS}
        name = f"Mask{row.label}Loss"
        yield ClassSource(
            name=name,
            base=MaskLoss,
            attribute=f"function = staticmethod(masks.{row.function.__name__})",
            own={"data_format": (str | None, None), **OF_LOSS},
            options=own,
            doc=_text(name, row, documented(own)),
        )


def _text(name: str, row: _Row, options: str) -> str:
    title = row.function.__doc__.partition("\n")[0].rstrip(".")
    y_true, y_pred, value = row.example
    return f"""{title}, for Keras.

`omniou.losses.masks.{row.function.__name__}` says where it comes from.

Parameters
----------
data_format : {{"channels_last", "channels_first"}}, optional
    Where the axis of classes is, by default as Keras is configured.
{options}
reduction, name, dtype
    As of `keras.losses.Loss`, of the losses of images.

Raises
------
TypeError, ValueError
    If an option is unknown, or, when called, the shapes do not fit.

Notes
-----
``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
(B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel out,
gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

Examples
--------
>>> from omniou_integrations.keras import {name}
>>> round(float({name}()({y_true}, {y_pred})), 5)
{round(value, 5)}
"""


# The example of `PixelScore`: three pixels are predicted, and one of them is in the target.
_TRUE, _PRED = "[[[1, 0], [0, 0]]]", "[[[[1.0], [1.0]], [[1.0], [0.0]]]]"


def _rows() -> Iterator[_Row]:
    for score in pixel_scores.values():
        label = "Jaccard" if score.name == "iou" else score.label
        function = getattr(masks, score.loss_name)
        yield _Row(label, function, loss_options(score), (_TRUE, _PRED, 1.0 - score.example))
    focal = (1.0 - 1.0 / (1.0 + 0.3 * 2.0)) ** 0.75  # weights of 0.3 and 0.7, gamma of 4 / 3
    options = loss_options(pixel_scores["tversky"], FOCAL_TVERSKY)
    yield _Row("FocalTversky", masks.focal_tversky, options, (_TRUE, _PRED, focal))
    example = "[[[0, 1]]]", "[[[[0.75, 0.25], [0.5, 0.5]]]]", 0.4375
    yield _Row("Lovasz", masks.lovasz_softmax, declared(LossOptions, PresentClassOption), example)
