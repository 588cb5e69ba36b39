"""Losses of Keras for every score of `omniou.scores`."""

from collections.abc import Iterator
from typing import Any, ClassVar

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.backend import get_keras_mask  # type: ignore[import-untyped]  # no public name

from omniou import losses, scores
from omniou._catalogue.operations import loss_options
from omniou._catalogue.options import declared, documented
from omniou._catalogue.scores import Score
from omniou._catalogue.shape_options import ReductionOptions
from omniou._catalogue.sources.classes import ClassSource
from omniou._inputs.kinds import ShapeRows
from omniou.boxes import GEOMETRY
from omniou_integrations._shared.scores import attempt
from omniou_integrations.keras._base import OF_LOSS, OptionsLoss
from omniou_integrations.keras._tensors import known, per_box, reduced, tensor, wide


class BoxLoss(OptionsLoss):
    """A loss of `omniou.losses` with its options."""

    score: ClassVar[Score]

    def __init__(self, *, reduction: Any, name: str | None, dtype: Any, **options: Any) -> None:
        size = options["image_size"]
        options["image_size"] = None if size is None else tuple(size)
        self._loss = getattr(losses, self.score.name)
        super().__init__(options, reduction=reduction, name=name or f"{self.score.name}_loss", dtype=dtype)

    def attempt(self) -> None:
        """Compute the loss of one box."""
        attempt(self._loss, self.options)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss, reduced."""
        mask = get_keras_mask(y_pred)
        dtype = wide(self.dtype)
        rows = ShapeRows(GEOMETRY, self.options["format"], self.options["offset"])
        named = {"y_true": y_true, "y_pred": y_pred}
        y_true, y_pred = (tensor(name, y, dtype=dtype, rows=rows) for name, y in named.items())
        if sample_weight is not None or mask is not None:
            like = y_true[..., 0] + y_pred[..., 0]
            counted = True if mask is None else per_box(mask, like, dtype="bool")
            if sample_weight is not None:
                sample_weight = per_box(sample_weight, like, dtype=dtype)
                counted = ops.logical_and(counted, sample_weight != 0)
            # Keras multiplies by weight and mask, and 0 * NaN is NaN, so excluded rows become empty boxes.
            y_true, y_pred = (ops.where(ops.expand_dims(counted, -1), y, ops.zeros_like(y)) for y in (y_true, y_pred))
        with keras.name_scope(self.name):
            return reduced(self.call(y_true, y_pred), self, weight=sample_weight, mask=mask)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """(..., 4), (..., 4) -> (...)."""
        return self._loss(known(y_pred), known(y_true), **self.options)


def sources() -> Iterator[ClassSource]:
    """The classes of all losses of scores."""
    for score in scores.values():
        own = {name: x for name, x in loss_options(score, GEOMETRY).items() if name not in declared(ReductionOptions)}
        yield ClassSource(
            name=f"{score.label}Loss",
            base=BoxLoss,
            attribute=f'score = scores["{score.name}"]',
            first=("format",),
            own=OF_LOSS,
            options=own,
            doc=_text(score, documented(own)),
        )


def _text(score: Score, options: str, /) -> str:
    a, b, _ = score.example
    size = "image_size=(6, 8)" if score.of_image else ""
    return f"""{score.label} loss: {score.loss_title}, for Keras.

{score.title}. {score.loss_about}

Parameters
----------
{options}
reduction, name, dtype
    As of `keras.losses.Loss`.

Raises
------
TypeError, ValueError
    If an option is unknown, or, when called, the shapes do not fit.

Notes
-----
``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a Keras
mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

References
----------
{score.paper}

Examples
--------
>>> from omniou_integrations.keras import {score.label}Loss
>>> round(float({score.label}Loss({size})([{[float(x) for x in b]}], [{[float(x) for x in a]}])), 4)
{round(score.loss_example or 0.0, 4)}
"""
