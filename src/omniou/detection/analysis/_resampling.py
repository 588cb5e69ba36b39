"""How sure a number is: the data set drawn again and again from its own images."""

import dataclasses
import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import array_api_compat as compat

from omniou._lib import backends, checks, indexing
from omniou.detection._analysis import shown
from omniou.detection._result import Result
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._summary import Number

# Bias over error: below it, intervals held 92 to 96 % in the simulations of docs/intervals.md, and 81 to 91 % above.
DOUBTFUL = 0.3
# Images for each class, likewise.
FEW_IMAGES = 30
# What shows progress: wraps the numbers of the samples.
Track: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
# The numbers of each sample by name.
Drawn: TypeAlias = dict[str, list[float]]


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """A number with its confidence interval, by bootstrap over images.

    Attributes
    ----------
    value : float
        The number on the data set.
    low, high : float
        The pivotal interval: twice the value minus the percentiles of the samples that exclude half of
        ``1 - confidence`` on either side, cut off at the ends of the number, 0 and 1. It is about the number that very
        many images of the same kind would give.
    error : float
        Standard error: the standard deviation of the samples.
    bias : float
        Mean of the samples minus `value`, which estimates how much higher `value` is than the number on very many
        images: AP takes the best precision of all higher recalls, so the AP of a small set is too high.
    confidence : float
    samples : tuple of float
        The number in each sample, as drawn. A class without objects in a sample has its value of the whole set there.
    images_per_class : float
        Images that hold an object of a class, as the harmonic mean over the classes that have objects: rare classes
        weigh most, as they do in the error of a mean over classes.
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
    images_per_class: float = math.inf
    name: str = ""

    def __str__(self) -> str:
        name = f"{self.name} " if self.name else ""
        return f"{name}{shown(self.value)} {self._ends}{' (unreliable)' if self.doubtful else ''}"

    @property
    def _ends(self) -> str:
        return f"[{shown(self.low)}, {shown(self.high)}]"

    @property
    def corrected(self) -> float:
        """The value minus its bias: with many classes, closer to the number on very many images.

        With fewer than about twenty classes, it is less accurate, because the estimate of the bias adds noise.
        """
        return self.value - self.bias

    @property
    def doubtful(self) -> bool:
        """Whether the interval is unreliable: few images of a class, or a large bias.

        With fewer than 30 images for each class, samples vary less than data sets do. Where the bias is large, more
        than 0.3 times the error, the bootstrap does not see all of it: a third where classes have 15 objects,
        and three quarters where they have 60.
        """
        few = not math.isnan(self.value) and self.images_per_class < FEW_IMAGES
        return few or self.bias > DOUBTFUL * self.error


def bootstrap(
    result: Result[Any], name: str = "AP", /, *, samples: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Interval:
    """Compute the confidence interval of a number of the summary, by drawing images with replacement.

    Parameters
    ----------
    result : Result
        The result of an evaluation, also of saved states.
    name : str
        A name in `Result.summary`.
    samples : int
        Number of bootstrap samples.
    confidence : float
        In (0, 1).
    seed : int
        The same seed draws the same images, regardless of the library.

    Returns
    -------
    Interval

    Raises
    ------
    TypeError, ValueError
        If `result` is not a Result, an option is out of its bounds, or the summary has no such number.

    Notes
    -----
    An interval is about the number that very many images of the same kind would give, not about other sets as small as
    this one. In simulations, 95 % intervals of AP that are not `doubtful` held it in 92 to 96 %. Doubtful ones held it
    in 63 % for a rare class in 40 images, 85 % for 10 images, 87 % for 20 classes in 150 images, and 81 % for 80
    classes in 1,000: the AP of few objects is too high by more than a bootstrap can tell. The documentation has the
    table.

    References
    ----------
    Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 5.2: the basic, or pivotal, interval.

    Examples
    --------
    >>> from omniou import detection
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 20
    >>> found = [{"boxes": [[0, 0, 10, 10 - k % 4]], "labels": [1], "scores": [0.5]} for k in range(20)]
    >>> interval = detection.bootstrap(detection.evaluate(truth, found), samples=200)
    >>> interval.low < interval.value < interval.high
    True
    >>> print(interval)
    AP 0.710 [0.594, 0.802] (unreliable)
    """
    check_results(result=result)
    (values,) = drawn([result], [name], samples=samples, confidence=confidence, seed=seed)
    return interval(result.summary[name], values[name], confidence, images_per_class(result, name), name=name)


def check_results(**given: Any) -> None:
    """Raise unless all are results."""
    for name, x in given.items():
        checks.instance(name, x, Result, "a Result, such as `evaluate` gives")


def check_confidence(confidence: float) -> None:
    """Raise unless it is in (0, 1)."""
    if not 0 < checks.number("confidence", confidence) < 1:
        raise ValueError(f"`confidence` must be between 0 and 1, got {confidence!r}")


def numbers_of(result: Result[Any], names: Sequence[str]) -> list[Number]:
    """Where numbers of the summary are in the tables."""
    numbers = {number.name: number for number in summary.numbers(result.protocol, result.groups)}
    for name in names:
        checks.choice("name", name, numbers)
    return [numbers[name] for name in names]


def drawn(
    results: Sequence[Result[Any]],
    names: Sequence[str],
    *,
    samples: int,
    confidence: float,
    seed: int,
    track: Track = iter,
) -> list[Drawn]:
    """Of each result the numbers in each sample; the samples are the same for all."""
    checks.count("samples", samples)
    check_confidence(confidence)
    numbers = numbers_of(results[0], names)
    images = results[0].state.images
    xp, size = backends.array_namespace(images), images.shape[0]
    rankings = [Ranking(result.state, xp=xp) for result in results]
    # A class that a sample lacks would leave the mean of that sample, which then is of other classes.
    own = [[summary.of_classes(Curves(ranking), number) for number in numbers] for ranking in rankings]
    # The array API standard has no random numbers, so they come from Python.
    generator = random.Random(seed)  # noqa: S311  (no secret)
    out: list[Drawn] = [{name: [] for name in names} for _ in results]
    for _ in track(range(samples)):
        draw = generator.choices(range(size), k=size) if size else []
        places = xp.asarray(draw, dtype=xp.int64, device=compat.device(images))
        times = indexing.counts(places, size, xp=xp)
        for values, ranking, result, whole in zip(out, rankings, results, own, strict=True):
            curves = Curves(ranking.sampled(times))
            for number, absent in zip(numbers, whole, strict=True):
                values[number.name].append(summary.value(curves, number, result.groups, absent))
    return out


def images_per_class(result: Result[Any], name: str) -> float:
    """Images that hold an object of a class, the harmonic mean over the classes of a number that have objects."""
    (number,), state = numbers_of(result, [name]), result.state
    xp, size, classes = backends.array_namespace(state.images), state.images.shape[0], state.classes.shape[0]
    image = xp.repeat(xp.arange(size, dtype=xp.int64, device=compat.device(state.images)), state.objects_of)
    inside = (state.ranges & (1 << number.area)) != 0
    cells = indexing.distinct((image * max(1, classes) + state.target_labels)[inside], xp=xp)
    counts = indexing.to_list(indexing.counts(cells % max(1, classes), classes, xp=xp))
    known = [counts[k] for k in summary.members(state.classes, number, result.groups, xp=xp) if counts[k]]
    return float(statistics.harmonic_mean(known)) if known else 0.0


def interval(
    value: float,
    samples: Sequence[float],
    confidence: float,
    images: float = math.inf,
    *,
    least: float = 0.0,
    name: str = "",
) -> Interval:
    """Of a number in [`least`, 1], from what it is in each sample; NaN where a data set has no objects."""
    known = tuple(x for x in samples if not math.isnan(x))
    if not known or math.isnan(value):
        return Interval(value, math.nan, math.nan, math.nan, math.nan, confidence, known, images, name)
    bias, tail = statistics.fmean(known) - value, (1 - confidence) / 2
    low, high = (2 * value - percentile(sorted(known), share) for share in (1 - tail, tail))
    error = statistics.stdev(known) if len(known) > 1 else math.nan
    return Interval(value, *clipped(low, high, least), error, bias, confidence, known, images, name)


def clipped(low: float, high: float, least: float) -> tuple[float, float]:
    """An interval inside of [least, 1]; NaN stays."""
    return min(max(low, least), 1.0), max(min(high, 1.0), least)


def percentile(rising: Sequence[float], share: float) -> float:
    """Interpolated between the two nearest."""
    place = share * (len(rising) - 1)
    below = math.floor(place)
    above = min(below + 1, len(rising) - 1)
    return rising[below] + (place - below) * (rising[above] - rising[below])
