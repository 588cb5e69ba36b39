"""Compare two models by a permutation test: they change places in random units, such as images."""

import dataclasses
import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

from omniou._lib import checks
from omniou._lib.brief import counted
from omniou._lib.extras import frame_of
from omniou._results.resampling import FEW_UNITS, HasUnits, Interval, Track, check_names, clipped, interval, shown
from omniou._results.units import Name, Units, check_alike

_ROUNDING = 1e-9
# The p-value below which `str` counts a class.
SURE = 0.05


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same units, such as images.

    Attributes
    ----------
    difference : Interval
        The number of the second minus the number of the first. `low` and `high` come from the permutation test, as the
        p-value does; `error`, `bias` and `samples` come from the bootstrap, which draws the same units for both.
    first, second : Interval
        Each by itself.
    p_value : float
        Two-sided, of a permutation test: the share of all permutations, the one that was observed included, in which
        the difference is at least as large. With one unit it is 1, with five units it is not below 1 / 16.
    """

    difference: Interval
    first: Interval
    second: Interval
    p_value: float

    def __str__(self) -> str:
        low, high = (signed(x) for x in (self.difference.low, self.difference.high))
        name = f"{self.difference.name} " if self.difference.name else ""
        values = f"{name}{shown(self.first.value)} to {shown(self.second.value)}"
        return f"{values}: {signed(self.difference.value)} [{low}, {high}], p = {shown(self.p_value)}"


@dataclasses.dataclass(frozen=True, slots=True)
class ClassComparison:
    """Two models on the same units, such as images, class by class.

    Attributes
    ----------
    classes : tuple of int or str
        Labels, in the order of the results.
    differences : tuple of float
        The number of the second minus the number of the first; NaN for a class without objects, in all columns.
    low, high : tuple of float
        Of intervals that exclude 0 where the p-value is below ``1 - confidence``.
    p_values : tuple of float
        Two-sided, adjusted for the number of classes: of data sets where the models are alike, 5 in 100 have a class
        whose p-value is below 0.05.

    References
    ----------
    Westfall and Young, Resampling-Based Multiple Testing, 1993: the largest studentised difference, single-step.
    """

    classes: tuple[Name, ...]
    differences: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    p_values: tuple[float, ...]

    def __str__(self) -> str:
        sure = [x for x, p in zip(self.differences, self.p_values, strict=True) if p < SURE]
        better, worse = sum(x > 0 for x in sure), sum(x < 0 for x in sure)
        return f"{counted(len(self.classes), 'classes')}: {better} better, {worse} worse (p < {SURE:g}, adjusted)"

    def to_pandas(self) -> Any:
        """Return a pandas `DataFrame` with a row for each class.

        Raises
        ------
        ModuleNotFoundError
            Without pandas, which omniou does not install.
        """
        columns = {"difference": self.differences, "low": self.low, "high": self.high, "p_value": self.p_values}
        return frame_of({"class": self.classes, **columns}).set_index("class")


@dataclasses.dataclass(frozen=True, slots=True)
class Exchanged:
    """Differences of one number, as observed and with models that changed places in some units.

    Attributes
    ----------
    labels : list of int or str
        K classes.
    observed : list of float
        Of each class (K,), NaN for a class without objects.
    permuted : list of list of float
        (S, K), a row for each permutation.
    value : float
        Of the number itself, observed.
    values : list of float
        (S,), in each permutation.
    span : float
        The largest possible difference.
    """

    labels: list[Name]
    observed: list[float]
    permuted: list[list[float]]
    value: float
    values: list[float]
    span: float = 1.0


def signed(x: float) -> str:
    """A difference with its sign."""
    return "-" if math.isnan(x) else f"{x:+.3f}"


def exchanged(
    first: HasUnits,
    second: HasUnits,
    names: Sequence[str],
    *,
    samples: int,
    seed: int,
    track: Track = iter,
) -> dict[str, Exchanged]:
    """Compute differences in permutations, in which the models change places in some units.

    Parameters
    ----------
    first, second : result
        Of any kind, with units of the same names.
    names : sequence of str
        Numbers of the summary. All have the same permutations.
    samples : int
        Number of permutations. If the units have fewer, each is taken once.
    seed : int
    track : callable
        Wraps the numbers of the permutations: shows progress.

    Returns
    -------
    dict of str to Exchanged

    Raises
    ------
    TypeError, ValueError
        If `samples` is not positive, a number is unknown, or the units of the results have different names.
    """
    samples = checks.count("samples", samples)
    one, other = first.units, second.units
    check_names(one, names)
    check_alike(one, other)
    size, differences = len(one.names), one.exchanged(other, names)
    observed, chosen = differences([0] * size), _permutations(size, samples, seed)
    rows = [differences([chosen[k] >> place & 1 for place in range(size)]) for k in track(range(len(chosen)))]
    return {
        name: Exchanged(
            list(one.labels),
            observed[name].per_class,
            [row[name].per_class for row in rows],
            observed[name].value,
            [row[name].value for row in rows],
            span(one, name),
        )
        for name in names
    }


def span(units: Units, name: str) -> float:
    """Return the largest possible difference of a number."""
    least, most = units.ends(name)
    return most - least


def _permutations(size: int, samples: int, seed: int) -> Sequence[int]:
    """Return permutations as bits of the units whose models change places.

    If there are few, all except the empty one: two units have 0b01, 0b10 and 0b11. Else `samples` random ones.
    """
    if 2**size - 1 <= samples:
        return range(1, 2**size)
    generator = random.Random(checks.integer("seed", seed))  # noqa: S311  (no secret)
    return [generator.getrandbits(size) for _ in range(samples)]


def tested(numbers: Sequence[Exchanged], confidence: float) -> list[tuple[float, float, float]]:
    """Interval and p-value of the difference of each number, adjusted for how many there are.

    All have the same permutations, as the differences of several models from one have.
    """
    rows = list(zip(*(number.values for number in numbers), strict=True))
    ends = zip(*_tested([number.value for number in numbers], rows, confidence), strict=True)
    return [
        (*clipped(low, high, -x.span, x.span), p_value) for x, (low, high, p_value) in zip(numbers, ends, strict=True)
    ]


def by_class(numbers: Sequence[Exchanged], confidence: float) -> list[ClassComparison]:
    """Compute intervals and p-values of each class of each number, adjusted for the number of differences."""
    size = len(numbers[0].labels)
    rows = [[x for row in at_once for x in row] for at_once in zip(*(x.permuted for x in numbers), strict=True)]
    low, high, p_values = _tested([x for number in numbers for x in number.observed], rows, confidence)
    spans = [number.span for number in numbers for _ in number.observed]
    bounds = [clipped(a, b, -most, most) for a, b, most in zip(low, high, spans, strict=True)]
    low, high = zip(*bounds, strict=True) if bounds else ((), ())
    parts = [slice(k * size, (k + 1) * size) for k in range(len(numbers))]
    return [
        ClassComparison(tuple(number.labels), tuple(number.observed), low[part], high[part], p_values[part])
        for number, part in zip(numbers, parts, strict=True)
    ]


def _tested(
    values: Sequence[float], rows: Sequence[Sequence[float]], confidence: float
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Compute intervals and p-values of differences (K,) from permutations (S, K), adjusted for their number.

    Each difference is divided by its error, the root mean square of its permutations. The p-value is the share of
    permutations, with the observed one, whose largest quotient of all K reaches its own. A difference of 0.2 with 0.1,
    -0.3 and 0.2 in three permutations has p = (1 + 2) / (1 + 3) = 0.75.
    """
    columns = [[row[k] for row in rows] for k in range(len(values))]
    errors = [math.sqrt(statistics.fmean(x * x for x in column)) if column else math.nan for column in columns]
    known = [k for k, error in enumerate(errors) if error > 0]  # no class whose error is NaN
    largest = sorted(max((abs(row[k]) / errors[k] for k in known), default=0.0) for row in rows)
    reach = _reach(largest, confidence)
    low, high, p_values = [], [], []
    for value, error in zip(values, errors, strict=True):
        width = reach * error if error > 0 else 0 * error
        low.append(value - width)
        high.append(value + width)
        # Equal differences may differ by rounding.
        beyond = sum(x >= abs(value) / error * (1 - _ROUNDING) for x in largest) if error > 0 else len(largest)
        # Each permutation is 0: none reaches a difference that is more than rounding.
        if error == 0 and abs(value) > _ROUNDING:
            beyond = 0
        p_values.append(math.nan if math.isnan(value) else (1 + beyond) / (1 + len(largest)))
    return tuple(low), tuple(high), tuple(p_values)


def _reach(rising: Sequence[float], confidence: float) -> float:
    """Return how many errors an interval reaches to either side: 0 is outside if the p-value < ``1 - confidence``.

    With 99 permutations, p is (1 + beyond) / 100: 0.05 for 4 beyond and 0.04 for 3, so the interval reaches to the
    fourth largest. With 9 permutations no p-value is below 0.05, and the interval is infinite.
    """
    beyond = math.ceil(round((1 - confidence) * (1 + len(rising)), 9)) - 2
    return rising[len(rising) - 1 - beyond] * (1 + _ROUNDING) if beyond >= 0 else math.inf


def paired(
    first: tuple[float, Sequence[float]],
    second: tuple[float, Sequence[float]],
    confidence: float,
    units_per_class: float = math.inf,
    /,
    *,
    least: float = 0.0,
    most: float = 1.0,
) -> Comparison:
    """Compare two values by their bootstrap samples, for records, which cannot be permuted.

    The p-value is NaN if classes have few units, such as images: samples vary too little there. The number lies in
    [`least`, `most`]. Samples are mirrored at the difference: 0.05, 0.10 and 0.25 around 0.10 become 0.15, 0.10 and
    -0.05. One of three is at most 0, so p = min(1, 2 * (1 + 1) / (1 + 3)) = 1.
    """
    gaps = [b - a for a, b in zip(first[1], second[1], strict=True)]
    difference = interval(
        second[0] - first[0], gaps, confidence, units_per_class, least=least - most, most=most - least
    )
    known = [2 * difference.value - gap for gap in difference.samples]
    other = [sum(gap <= 0 for gap in known), sum(gap >= 0 for gap in known)]
    p_value = min(1.0, 2 * (1 + min(other)) / (1 + len(known)))
    told = bool(known) and units_per_class >= FEW_UNITS
    one, two = (interval(*x, confidence, units_per_class, least=least, most=most) for x in (first, second))
    return Comparison(difference, one, two, p_value if told else math.nan)
