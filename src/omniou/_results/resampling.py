"""Compute confidence intervals by a bootstrap: samples of the data set's units, such as images."""

import dataclasses
import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from omniou._lib import checks
from omniou._results.units import Units, check_alike

# Bias over error: below it, intervals held 90 to 95 % in the simulations of docs/intervals.md, and 81 to 91 % above.
DOUBTFUL = 0.3
# Units for each class, such as images, likewise.
FEW_UNITS = 30
_ROUNDING = 1e-12
# What shows progress: wraps the numbers of the samples.
Track: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
# The numbers of each sample by name.
Drawn: TypeAlias = dict[str, list[float]]


class HasUnits(Protocol):
    """A result of any kind of evaluation whose units can be sampled."""

    @property
    def units(self) -> Units:
        """The units that are sampled, such as images."""


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """A number with its confidence interval, by bootstrap over units: images, or sequences of tracks.

    Attributes
    ----------
    value : float
        The number on the data set.
    low, high : float
        The pivotal interval: twice the value minus the percentiles of the samples that exclude half of
        ``1 - confidence`` on either side, cut off at the ends of the number, such as 0 and 1. It is about the number
        that very many units of the same kind would give. In simulations, 95 % intervals that are not `doubtful` hold it
        in 90 to 95 % of the sets, and are too high more often than too low.
    error : float
        Standard error: the standard deviation of the samples.
    bias : float
        Mean of the samples minus `value`, which estimates how much higher `value` is than the number on very many
        units: AP takes the best precision of all higher recalls, so the AP of a small set is too high.
    confidence : float
    samples : tuple of float
        The number in each sample, as drawn. A class without objects in a sample has its value of the whole set there.
    units_per_class : float
        Units, such as images, that hold an object of a class, as the harmonic mean over the classes that have objects:
        rare classes weigh most, as they do in the error of a mean over classes.
    name : str
        Name of the number, such as "AP".
    """

    value: float
    low: float
    high: float
    error: float
    bias: float
    confidence: float
    samples: tuple[float, ...] = dataclasses.field(repr=False)
    units_per_class: float = math.inf
    name: str = ""

    def __str__(self) -> str:
        name = f"{self.name} " if self.name else ""
        return f"{name}{shown(self.value)} {self._ends}{' (unreliable)' if self.doubtful else ''}"

    @property
    def _ends(self) -> str:
        return f"[{shown(self.low)}, {shown(self.high)}]"

    @property
    def corrected(self) -> float:
        """The value minus its bias: with many classes, closer to the number on very many units.

        With fewer than about twenty classes, it is less accurate, because the estimate of the bias adds noise.
        """
        return self.value - self.bias

    @property
    def doubtful(self) -> bool:
        """Whether the interval is unreliable: few units of a class, such as images, or a large bias.

        With fewer than 30 units for each class, samples vary less than data sets do. Where the bias is large, more
        than 0.3 times the error, the bootstrap does not see all of it: a third where classes have 15 objects,
        and three quarters where they have 60.
        """
        few = not math.isnan(self.value) and self.units_per_class < FEW_UNITS
        # Where all samples are equal, bias and error are what rounding leaves.
        return few or self.bias > max(DOUBTFUL * self.error, _ROUNDING * abs(self.value))


def check_confidence(confidence: float) -> float:
    """Return the number; raise unless it is in (0, 1)."""
    confidence = checks.number("confidence", confidence)
    if not 0 < confidence < 1:
        raise ValueError(f"`confidence` must be between 0 and 1, got {confidence!r}")
    return confidence


def check_names(units: Units, names: Sequence[str]) -> None:
    """Raise for what is not the name of a number."""
    known = units.known
    for name in names:
        checks.choice("name", name, known)


def drawn(
    results: Sequence[HasUnits],
    names: Sequence[str],
    *,
    samples: int,
    confidence: float,
    seed: int,
    track: Track = iter,
) -> list[Drawn]:
    """Compute numbers in bootstrap samples, which are the same for all results.

    Parameters
    ----------
    results : sequence of results
        Of any kind, with units of the same names.
    names : sequence of str
        Numbers of the summary.
    samples : int
    confidence : float
        Only checked: in (0, 1).
    seed : int
        Equal seeds draw equal units.
    track : callable
        Wraps the numbers of the samples: shows progress.

    Returns
    -------
    list of dict of str to list of float
        Of each result the numbers in each sample.

    Raises
    ------
    TypeError, ValueError
        If an option is out of its bounds, a number is unknown, or the units of the results have different names.
    """
    samples = checks.count("samples", samples)
    confidence = check_confidence(confidence)
    units = [result.units for result in results]
    check_names(units[0], names)
    for other in units[1:]:
        check_alike(units[0], other)
    evaluate, size = [x.sampled(names) for x in units], len(units[0].names)
    # The array API standard has no random numbers, so they come from Python.
    generator = random.Random(checks.integer("seed", seed))  # noqa: S311  (no secret)
    out: list[Drawn] = [{name: [] for name in names} for _ in results]
    for _ in track(range(samples)):
        draw = generator.choices(range(size), k=size) if size else []
        for values, of_draw in zip(out, evaluate, strict=True):
            for name, value in of_draw(draw).items():
                values[name].append(value)
    return out


def interval(
    value: float,
    samples: Sequence[float],
    confidence: float,
    units_per_class: float = math.inf,
    *,
    least: float = 0.0,
    most: float = 1.0,
    name: str = "",
) -> Interval:
    """Compute the pivotal interval of a number in [`least`, `most`] from its values in samples.

    NaN where a data set has no objects. `units_per_class`: as in `Interval`.
    """
    known = tuple(x for x in samples if not math.isnan(x))
    if not known or math.isnan(value):
        return Interval(
            value=value,
            low=math.nan,
            high=math.nan,
            error=math.nan,
            bias=math.nan,
            confidence=confidence,
            samples=known,
            units_per_class=units_per_class,
            name=name,
        )
    bias, tail = statistics.fmean(known) - value, (1 - confidence) / 2
    low, high = (2 * value - percentile(sorted(known), share) for share in (1 - tail, tail))
    error = statistics.stdev(known) if len(known) > 1 else math.nan
    return Interval(value, *clipped(low, high, least, most), error, bias, confidence, known, units_per_class, name)


def clipped(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """Cut an interval off at both ends; NaN stays."""
    return min(max(low, least), most), max(min(high, most), least)


def percentile(rising: Sequence[float], share: float) -> float:
    """Interpolate between the two nearest values: a share of 0.25 of 0, 1, 2 is 0.5."""
    place = share * (len(rising) - 1)
    below = math.floor(place)
    above = min(below + 1, len(rising) - 1)
    return rising[below] + (place - below) * (rising[above] - rising[below])


def shown(x: float, /) -> str:
    """A number with three decimals, or a dash."""
    return "-" if math.isnan(x) else f"{x:.3f}"
