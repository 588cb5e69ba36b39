"""Base classes of the metrics of confusion counts: the labels that count, and the meaning of floating predictions."""

import math
from typing import Any, Literal

import torch
from torch import Tensor

from omniou import segmentation
from omniou._catalogue.pixel_options import Labels
from omniou._lib import checks
from omniou_integrations.torchmetrics._base import flag
from omniou_integrations.torchmetrics._sums import Guess, SummedMetric

ScoreActivation = Literal["none", "sigmoid"]


class OfLabels(SummedMetric):
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def __init__(self, *, ignore_index: Labels, validate_args: bool, zero_division: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        flag("validate_args", validate_args)
        self._ignored = checks.labels("ignore_index", ignore_index, "an integer or None")
        self.ignore_index = ignore_index
        self.validate_args = self._waits = validate_args
        self.zero_division = checks.number("zero_division", zero_division, nan=True)

    def _result(self, score: Tensor) -> Tensor:
        return score.to(self.dtype).to(self.device)

    def _check(self, target: Tensor, preds: Tensor, num_classes: int) -> None:
        """Raise for labels that are not classes; predictions may hold the ignored label."""
        if self.validate_args:
            labels = torch.zeros_like(target) if preds.is_floating_point() else preds
            for label in self._ignored:
                labels = torch.where(labels == label, 0, labels)
            segmentation.check(target, labels, num_classes, ignore_index=self._ignored)

    def _confusion(self, target: Tensor, preds: Tensor, num_classes: int, **options: Any) -> Tensor:
        return segmentation.confusion(
            target, preds, num_classes, ignore_index=self._ignored, outside="column", **options
        )


class OfScores(OfLabels):
    """A metric of labels, or of scores against a threshold: probabilities or logits."""

    _guesses = Guess("predictions", ("probabilities", "logits"), '`activation="sigmoid"` is for logits, "none" not')

    def _start_scores(self, threshold: float, activation: ScoreActivation | None) -> None:
        if activation is not None:
            checks.choice("activation", activation, ("none", "sigmoid"))
        self.threshold, self.activation = _share(threshold), activation

    def _positive(self, preds: Tensor, known: Tensor | None) -> tuple[Tensor, Tensor | tuple[int, int]]:
        """Return predictions as labels, and (2,) counts of guesses: read as probabilities, read as logits.

        `known`: which of them count for the guess.
        """
        if not preds.is_floating_point():
            return preds, (0, 0)
        preds = preds.float() if preds.dtype.itemsize < 4 else preds  # sigmoids round to 1 in 16 bits
        outside = (preds < 0) | (preds > 1)
        outside = (outside if known is None else outside & known).any()
        if self.activation == "none" and self.validate_args and outside:
            raise ValueError(
                '`preds` must be probabilities from 0 to 1, as `activation="none"` says; "sigmoid" is for logits'
            )
        probable, logical = preds > self.threshold, sigmoid_above(preds, self.threshold)
        if self.activation is not None:
            return (probable if self.activation == "none" else logical), (0, 0)
        # If both readings give the same labels, as for 0 and 1, the values are no evidence for either.
        differ = probable != logical
        differ = (differ if known is None else differ & known).any()
        return torch.where(outside, logical, probable), torch.stack([differ & ~outside, outside]).to(torch.int64)


def _share(threshold: Any) -> float:
    number = checks.number("threshold", threshold)
    if not 0 <= number <= 1:
        raise ValueError(f"`threshold` must be from 0 to 1, got {threshold!r}")
    return number


def sigmoid_above(logits: Tensor, threshold: float, /) -> Tensor:
    """Return whether the sigmoid of logits (...) is above a threshold, without the rounding of 16-bit sigmoids."""
    # A sigmoid is above the threshold where its logit is above the threshold's.
    wide = logits if logits.dtype.itemsize > 2 else logits.float()
    limit = math.log(threshold / (1.0 - threshold)) if 0 < threshold < 1 else math.copysign(math.inf, threshold - 0.5)
    return wide > limit
