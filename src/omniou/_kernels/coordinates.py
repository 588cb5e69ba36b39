"""Losses of coordinates: functions of each difference, (...) -> (...)."""

import math
from typing import Any, NamedTuple

from omniou._kernels.clamped import magnitude
from omniou._lib.types import Namespace


class L1(NamedTuple):
    """|d|."""

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        return magnitude(d, xp=xp)


class SmoothL1(NamedTuple):
    """d^2 / (2 beta) for |d| < beta, else |d| - beta / 2."""

    beta: float

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        size = magnitude(d, xp=xp)
        return xp.where(size < self.beta, 0.5 * size * size / self.beta, size - 0.5 * self.beta)


class BalancedL1(NamedTuple):
    """Its gradient is alpha * log(b * |d| / beta + 1) for |d| < beta, else gamma, where alpha * log(b + 1) = gamma."""

    alpha: float
    gamma: float
    beta: float

    def __call__(self, d: Any, /, *, xp: Namespace) -> Any:
        size, b = magnitude(d, xp=xp), math.exp(self.gamma / self.alpha) - 1.0
        share = b * size / self.beta
        near = self.alpha * self.beta / b * (share + 1.0) * xp.log1p(share) - self.alpha * size
        far = self.gamma * size + (self.gamma / b - self.alpha) * self.beta
        return xp.where(size < self.beta, near, far)
