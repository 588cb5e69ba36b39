"""Shapes as Gaussians: overlaps of, and distances between, two of them.

Each has a mean, the directions of the shape's sides, and standard deviations along them. Differences are sums of
squares that are 0 for equal Gaussians, so nothing cancels, however thin, small or alike the shapes are.
"""

import math
from typing import Any, NamedTuple, TypeAlias

from omniou._kernels.arithmetic import quotient, relu
from omniou._lib import backends
from omniou._lib.types import Namespace

# Standard deviations as shares of half a side: of a uniform density over the shape, w^2 / 12; and of the Gaussian whose
# ellipse of one deviation touches the sides, (w / 2)^2.
SPREADS = {"uniform": 1.0 / math.sqrt(3.0), "inscribed": 1.0}
# A side without length has no inverse: this share of the largest length stands in. Of distances without bound it is one
# rounding of float32 in every dtype: the distance of a degenerate shape would depend on the dtype otherwise.
LEAST = 2.0**-23

# Along both sides of a shape, (...) each. Not stacked: a slice costs as much as a formula where a gradient is taken.
Two: TypeAlias = tuple[Any, Any]


class Gaussians(NamedTuple):
    """Two sets of Gaussians (...) that broadcast."""

    a: Two  # half sides of the first
    b: Two
    cos_squared: Any  # of the angle between both
    sin_squared: Any
    from_a: Two  # difference of the means along the sides of the first
    from_b: Two


class Pair(NamedTuple):
    """Quantities of two sets of Gaussians, (...) each."""

    unit: Any  # the length that the others are measured in: they neither overflow nor underflow
    area_a: Any  # products of the standard deviations
    area_b: Any
    across: Any  # a0 b1 - a1 b0, 0 for sides in proportion
    along: Any  # a0 b0 - a1 b1, the same after a quarter turn
    a: Two  # standard deviations
    b: Two
    from_a: Two
    from_b: Two
    cos_squared: Any
    sin_squared: Any

    def larger(self) -> Any:
        """The first area minus the second: exactly 0 for equal shapes, also in compiled code."""
        (a0, a1), (b0, b1) = self.a, self.b
        return 0.5 * ((a0 - b0) * (a1 + b1) + (a1 - b1) * (a0 + b0))

    def excess(self) -> Any:
        """det(A + B) - 4 sqrt(det A det B)."""
        return _square(self.larger()) + self.shapes()

    def shapes(self) -> Any:
        """tr(adj(A) B) - 2 sqrt(det A det B)."""
        return self.cos_squared * _square(self.across) + self.sin_squared * _square(self.along)

    def determinant(self) -> Any:
        """det(A + B)."""
        return 4.0 * self.area_a * self.area_b + self.excess()

    def apart(self) -> Any:
        """d adj(A + B) d of the difference d of the means."""
        return _adjugate(self.a, self.from_a) + _adjugate(self.b, self.from_b)


def bhattacharyya(t: Any, /, *, eps: float, covariance: str, xp: Namespace) -> tuple[Any]:
    return (_bhattacharyya(t.gaussians(), eps=eps, covariance=covariance, least=LEAST, xp=xp),)


def hellinger(t: Any, /, *, eps: float, covariance: str, xp: Namespace) -> tuple[Any]:
    distance = _bhattacharyya(t.gaussians(), eps=eps, covariance=covariance, least=None, xp=xp)
    return (_root(eps - xp.expm1(-distance), xp=xp),)


def probiou(t: Any, /, *, eps: float, covariance: str, xp: Namespace) -> tuple[Any]:
    (distance,) = hellinger(t, eps=eps, covariance=covariance, xp=xp)
    # The rule of every overlap: that of two empty shapes is 0, equal or not.
    return (xp.where((t.area_a <= 0) & (t.area_b <= 0) & (distance <= 1.0), 0.0 * distance, 1.0 - distance),)


def gwd(t: Any, /, *, eps: float, covariance: str, normalize: bool, xp: Namespace) -> tuple[Any]:
    p = _pair(t.gaussians(), covariance, scaled=True, least=None, xp=xp)
    distance = _root(_wasserstein_squared(p, eps=eps, xp=xp), xp=xp)
    if normalize:
        return (distance / (2.0 * (p.area_a * p.area_b) ** 0.25 + eps),)
    return (p.unit * distance,)


def nwd(t: Any, /, *, eps: float, covariance: str, constant: float, xp: Namespace) -> tuple[Any]:
    (distance,) = gwd(t, eps=eps, covariance=covariance, normalize=False, xp=xp)
    return (xp.exp(-distance / (constant + eps)),)


def kld(t: Any, /, *, eps: float, covariance: str, direction: str, xp: Namespace) -> tuple[Any]:
    p = _pair(t.gaussians(), covariance, scaled=True, least=LEAST, xp=xp)
    if direction == "forward":
        return (_divergence(p, eps=eps, xp=xp),)
    turned = p._replace(a=p.b, b=p.a, area_a=p.area_b, area_b=p.area_a, from_a=p.from_b, from_b=p.from_a)
    back = _divergence(turned, eps=eps, xp=xp)
    if direction == "reverse":
        return (back,)
    forth = _divergence(p, eps=eps, xp=xp)
    match direction:
        case "max":
            return (xp.maximum(forth, back),)
        case "min":
            return (xp.minimum(forth, back),)
    return ((forth + back) * (0.5 if direction == "symmetric" else 1.0),)


def kfiou(t: Any, /, *, eps: float, covariance: str, xp: Namespace) -> tuple[Any]:
    p = _pair(t.gaussians(), covariance, scaled=True, least=None, xp=xp)
    both = quotient(p.area_a * p.area_b, _root(p.determinant(), xp=xp) + eps, xp=xp)
    overlap = quotient(both, (p.area_a - both) + p.area_b + eps, xp=xp)
    return (xp.where((t.area_a <= 0) | (t.area_b <= 0), 0.0 * overlap, overlap),)


def _bhattacharyya(g: Gaussians, /, *, eps: float, covariance: str, least: float | None, xp: Namespace) -> Any:
    p = _pair(g, covariance, scaled=not eps, least=least, xp=xp)
    if not eps:
        # As shares of 4 sqrt(det A det B), by one area after the other, and before a square is taken: derivatives would
        # overflow otherwise.
        by_a, by_b = 2.0 * p.area_a, 2.0 * p.area_b
        apart = quotient(quotient(p.apart(), by_a, xp=xp), by_b, xp=xp)
        squares = [quotient(x, by_a, xp=xp) * quotient(x, by_b, xp=xp) for x in (p.larger(), p.across, p.along)]
        excess = squares[0] + p.cos_squared * squares[1] + p.sin_squared * squares[2]
        return 0.25 * quotient(apart, 1.0 + excess, xp=xp) + 0.5 * xp.log1p(excess)
    # As peers have it: in the unit of the coordinates, inside the logarithm too, and within [eps, 100].
    apart = p.apart() / (p.determinant() + eps)
    distance = 0.25 * apart + 0.5 * xp.log(p.determinant() / (4.0 * p.area_a * p.area_b + eps) + eps)
    low, high = (xp.full_like(distance, limit) for limit in (eps, 100.0))
    return xp.minimum(xp.maximum(distance, low), high)


def _wasserstein_squared(p: Pair, /, *, eps: float, xp: Namespace) -> Any:
    """The squared Wasserstein distance, in the unit of the pair.

    tr(A + B - 2 (A^1/2 B A^1/2)^1/2) is the difference of s = tr(A + B) and of 2 r, where r^2 = tr(A B) + 2 sqrt(det A
    det B). Written as (s^2 - 4 r^2) / (s + 2 r) it is a quotient of sums of squares.
    """
    (a0, a1), (b0, b1), c, s = p.a, p.b, p.cos_squared, p.sin_squared
    u, v = p.from_a
    difference = (a0 - b0) * (a0 + b0) + (a1 - b1) * (a1 + b1)
    total = a0 * a0 + a1 * a1 + b0 * b0 + b1 * b1
    along = c * (a0 * b0 + a1 * b1) ** 2 + s * (a0 * b1 + a1 * b0) ** 2
    shape = quotient(difference * difference + 4.0 * p.shapes(), total + 2.0 * _root(along, xp=xp) + eps, xp=xp)
    return u * u + v * v + shape


def _divergence(p: Pair, /, *, eps: float, xp: Namespace) -> Any:
    """Kullback-Leibler divergence of the first from the second."""
    (a0, a1), (b0, b1) = p.a, p.b
    unlike = p.cos_squared * _square(_ratio(a0, b0, eps, xp=xp) - _ratio(a1, b1, eps, xp=xp))
    turned = p.sin_squared * _square(_ratio(a1, b0, eps, xp=xp) - _ratio(a0, b1, eps, xp=xp))
    larger_by = p.larger()
    excess = _ratio(larger_by, p.area_b, eps, xp=xp)
    # log(A / B), by the smaller of both, so that it stays finite where A / B is rounded to 0.
    larger = larger_by > 0
    difference = xp.where(larger, larger_by, -larger_by)
    log = xp.log1p(_ratio(difference, xp.where(larger, p.area_b, p.area_a), eps, xp=xp))
    u, v = p.from_b
    apart = _square(_ratio(u, b0, eps, xp=xp)) + _square(_ratio(v, b1, eps, xp=xp))
    return 0.5 * (unlike + turned + apart) + (excess - xp.where(larger, log, -log))


def _pair(g: Gaussians, covariance: str, /, *, scaled: bool, least: float | None, xp: Namespace) -> Pair:
    spread = SPREADS[covariance]
    a, b = (_times(spread, x) for x in (g.a, g.b))
    unit, from_a, from_b = 1.0, g.from_a, g.from_b
    if scaled:
        unit = _unit((*a, *b, *from_a, *from_b), xp=xp)
        a, b, from_a, from_b = (_times(1.0 / unit, x) for x in (a, b, from_a, from_b))
        least = float(xp.finfo(unit.dtype).eps) if least is None else least
        a, b = ((xp.maximum(p, xp.full_like(p, least)), xp.maximum(q, xp.full_like(q, least))) for p, q in (a, b))
    c, s = g.cos_squared, g.sin_squared
    # By differences of sides, as `larger` is.
    across = 0.5 * ((a[0] - b[0]) * (a[1] + b[1]) - (a[1] - b[1]) * (a[0] + b[0]))
    along = a[0] * b[0] - a[1] * b[1]
    return Pair(unit, a[0] * a[1], b[0] * b[1], across, along, a, b, from_a, from_b, c, s)


def _unit(lengths: tuple[Any, ...], /, *, xp: Namespace) -> Any:
    """The largest length, a constant: distances scale with lengths, so no derivative by it is missed."""
    largest = abs(lengths[0])
    for x in lengths[1:]:
        largest = xp.maximum(largest, abs(x))
    largest = backends.stop_gradient(largest, xp=xp)
    return xp.where(largest < float(xp.finfo(largest.dtype).smallest_normal), 1.0, largest)


def _times(factor: Any, x: Two, /) -> Two:
    return factor * x[0], factor * x[1]


def _adjugate(deviations: Two, d: Two, /) -> Any:
    return _square(deviations[1] * d[0]) + _square(deviations[0] * d[1])


def _square(x: Any, /) -> Any:
    return x * x


def _ratio(n: Any, d: Any, eps: float, /, *, xp: Namespace) -> Any:
    return quotient(n, d + eps if eps else d, xp=xp)


def _root(x: Any, /, *, xp: Namespace) -> Any:
    """sqrt(x), with gradient 0 at 0; rounding may leave x a little below it."""
    x = relu(x, xp=xp)
    empty = x < float(xp.finfo(x.dtype).smallest_normal)
    return xp.where(empty, 0.0 * x, xp.sqrt(xp.where(empty, 1.0, x)))
