"""A geometry of a user: discs (x, y, radius), whose intersection is the lens of two circles."""

import math
from typing import Any, NamedTuple

from omniou.geometry import Bounds, Geometry


class Discs(NamedTuple):
    x: Any
    y: Any
    radius: Any


class DiscTerms:
    def __init__(self, a, b, /, *, xp):
        self._a, self._b, self._xp = a, b, xp
        self.area_a, self.area_b = math.pi * a.radius**2, math.pi * b.radius**2

    def intersection(self):
        (a, b), xp = (self._a, self._b), self._xp
        squared = (a.x - b.x) ** 2 + (a.y - b.y) ** 2
        crossing = (squared < (a.radius + b.radius) ** 2) & (squared > (a.radius - b.radius) ** 2)
        # Where the circles do not cross, two unit discs at a distance of 1 stand in, whose gradients are finite.
        d, p, q = (xp.where(crossing, x, 1.0) for x in (xp.sqrt(xp.where(crossing, squared, 1.0)), a.radius, b.radius))
        along = (d**2 + p**2 - q**2) / (2 * d)
        kite = xp.sqrt((-d + p + q) * (d + p - q) * (d - p + q) * (d + p + q)) / 2
        lens = p**2 * xp.acos(along / p) + q**2 * xp.acos((d - along) / q) - kite
        inside = squared <= (a.radius - b.radius) ** 2
        return xp.where(crossing, lens, xp.where(inside, xp.minimum(self.area_a, self.area_b), 0.0))


def bounds(discs, /, *, xp):
    low, high = (xp.stack([discs.x + sign * discs.radius, discs.y + sign * discs.radius]) for sign in (-1, 1))
    return Bounds(low, high, math.pi * discs.radius**2)


DISCS = Geometry(
    name="discs",
    formats={"xyr": (3,)},
    canonical=lambda columns, _, /, *, layout, xp: Discs(*(columns[k, ...] for k in range(3))),  # noqa: ARG005
    terms=DiscTerms,
    bounds=bounds,
    harmless=lambda _: (0.0, 0.0, 1.0),
)
