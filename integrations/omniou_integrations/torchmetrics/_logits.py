"""Logits against a threshold of probabilities."""

import math

from torch import Tensor


def sigmoid_above(logits: Tensor, threshold: float, /) -> Tensor:
    """Whether the sigmoid of logits (...) is above a threshold, before it is rounded: in 16 bits many are 0.5 or 1."""
    # A sigmoid is above the threshold where its logit is above the threshold's.
    wide = logits if logits.dtype.itemsize > 2 else logits.float()
    limit = math.log(threshold / (1.0 - threshold)) if 0 < threshold < 1 else math.copysign(math.inf, threshold - 0.5)
    return wide > limit
