"""Whether one model is better than another: the models change places in images, by chance."""

import dataclasses
import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

import array_api_compat as compat

from omniou._lib import backends, checks, indexing
from omniou._lib.docs import described
from omniou._lib.extras import frame_of
from omniou._lib.types import Namespace
from omniou.detection._analysis import shown
from omniou.detection._result import Result
from omniou.detection.analysis import _resampling as resampling
from omniou.detection.analysis._resampling import Interval, Track, bootstrap
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._state import State, merge

_ROUNDING = 1e-9
# The p-value below which `str` counts a class.
SURE = 0.05


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same images.

    Attributes
    ----------
    difference : Interval
        The number of the second minus the number of the first. `low` and `high` come from the permutation test, as the
        p-value does; `error`, `bias` and `samples` come from the bootstrap, which draws the same images for both.
    first, second : Interval
        Each by itself.
    p_value : float
        Two-sided, of a permutation test: the share of all permutations, the one that was observed included, in which
        the difference is at least as large. With one image it is 1, with five images it is not below 1 / 16.
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
    """Two models on the same images, class by class.

    Attributes
    ----------
    classes : tuple of int
        Labels, rising.
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

    classes: tuple[int, ...]
    differences: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    p_values: tuple[float, ...]

    def __str__(self) -> str:
        sure = [x for x, p in zip(self.differences, self.p_values, strict=True) if p < SURE]
        better, worse = sum(x > 0 for x in sure), sum(x < 0 for x in sure)
        return f"{len(self.classes)} classes: {better} better, {worse} worse (p < {SURE:g}, adjusted)"

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
    """Differences of one number, as observed and with models that changed places in some images.

    Attributes
    ----------
    labels : list of int
        Labels of K classes, rising.
    observed : list of float
        (K,), NaN for a class without objects.
    permuted : list of list of float
        (S, K), a row for each permutation.
    members : list of int
        Places of the classes that the number is the mean of.
    """

    labels: list[int]
    observed: list[float]
    permuted: list[list[float]]
    members: list[int]

    def mean(self) -> tuple[float, list[float]]:
        """The difference of the number itself, observed and permuted (S,)."""
        return self._of_members(self.observed), [self._of_members(row) for row in self.permuted]

    def _of_members(self, row: Sequence[float]) -> float:
        known = [row[k] for k in self.members if not math.isnan(row[k])]
        return statistics.fmean(known) if known else math.nan


@described(bootstrap)
def compare(
    first: Result[Any],
    second: Result[Any],
    name: str = "AP",
    /,
    *,
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Test whether the second model is better than the first, by a permutation test over the images that both share.

    In each image the two models change places or not, by chance, which makes no difference if they are alike. What
    makes some images harder than others does not blur the difference, as it does two intervals side by side.

    Parameters
    ----------
    first, second : Result
        Results on the same images by the same protocol.
    name, samples, confidence, seed

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError, ValueError
        The same as `bootstrap`; or if the images or the protocols differ.

    Notes
    -----
    Where the images have no more than `samples` permutations, the test takes each of them once and is exact.

    Examples
    --------
    >>> from omniou import detection
    >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 20
    >>> def found(height):
    ...     return [{"boxes": [[0, 0, 10, height - k % 3]], "labels": [1], "scores": [0.5]} for k in range(20)]
    >>> poor, good = (detection.evaluate(truth, found(height)) for height in (8, 10))
    >>> outcome = detection.compare(poor, good, samples=200)
    >>> outcome.difference.low > 0, outcome.p_value < 0.05
    (True, True)
    >>> print(outcome)
    AP 0.443 to 0.825: +0.382 [+0.207, +0.558], p = 0.005
    """
    check_alike(first, second)
    results = [first, second]
    of_first, of_second = resampling.drawn(results, [name], samples=samples, confidence=confidence, seed=seed)
    number = exchanged(first, second, [name], samples=samples, seed=seed)[name]
    images = resampling.images_per_class(first, name)
    one, other = (
        resampling.interval(result.summary[name], drawn[name], confidence, images, name=name)
        for result, drawn in ((first, of_first), (second, of_second))
    )
    gaps = [b - a for a, b in zip(of_first[name], of_second[name], strict=True)]
    difference = resampling.interval(other.value - one.value, gaps, confidence, images, least=-1.0, name=name)
    ((low, high, p_value),) = tested([number], confidence)
    return Comparison(dataclasses.replace(difference, low=low, high=high), one, other, p_value)


@described(bootstrap)
def compare_classes(
    first: Result[Any],
    second: Result[Any],
    name: str = "AP",
    /,
    *,
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> ClassComparison:
    """For which classes the second model is better or worse than the first; p-values allow for the number of classes.

    A permutation test: in each image the two models change places or not, by chance, which makes no difference if they
    are alike. Groups of classes have no number here. It holds for classes with few objects, too, where a bootstrap
    finds too many differences.

    Parameters
    ----------
    first, second : Result
        Results on the same images and classes by the same protocol.
    name, samples, confidence, seed

    Returns
    -------
    ClassComparison

    Raises
    ------
    TypeError, ValueError
        The same as `compare`; or if the classes differ.

    Examples
    --------
    >>> from omniou import detection
    >>> truth = [{"boxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 2]}] * 40
    >>> def found(height):
    ...     boxes = [[[0, 0, 10, 9 - k % 3], [20, 0, 30, height - k % 3]] for k in range(40)]
    ...     return [{"boxes": x, "labels": [1, 2], "scores": [0.5, 0.5]} for x in boxes]
    >>> poor, good = (detection.evaluate(truth, found(height)) for height in (8, 10))
    >>> outcome = detection.compare_classes(poor, good, samples=200)
    >>> [round(x, 2) > 0 for x in outcome.differences], [p < 0.05 for p in outcome.p_values]
    ([False, True], [False, True])
    """
    check_alike(first, second)
    check_classes(first, second)
    checks.choice("name", name, [number.name for number in summary.numbers(first.protocol)])
    resampling.check_confidence(confidence)
    return by_class([exchanged(first, second, [name], samples=samples, seed=seed)[name]], confidence)[0]


def signed(x: float) -> str:
    """A difference with its sign."""
    return "-" if math.isnan(x) else f"{x:+.3f}"


def check_alike(first: Result[Any], second: Result[Any]) -> None:
    """Raise unless both are results of the same protocol and images."""
    resampling.check_results(first=first, second=second)
    if first.protocol != second.protocol:
        raise ValueError("`first` and `second` must be evaluated by the same protocol")
    ids = [indexing.to_list(result.state.images) for result in (first, second)]
    if ids[0] != ids[1]:
        counts = f"{len(ids[0])} and {len(ids[1])}"
        raise ValueError(
            f"`first` and `second` must be of the same images, got {counts}: `evaluate` takes their ids as `images`"
        )


def check_classes(first: Result[Any], second: Result[Any]) -> None:
    """Raise unless both are results of the same classes."""
    if indexing.to_list(first.state.classes) != indexing.to_list(second.state.classes):
        raise ValueError("`first` and `second` must be of the same classes: `evaluate` takes them as `classes`")


def exchanged(
    first: Result[Any],
    second: Result[Any],
    names: Sequence[str],
    *,
    samples: int,
    seed: int,
    track: Track = iter,
) -> dict[str, Exchanged]:
    """By name of the number, what its differences are in permutations: the same ones for all numbers."""
    checks.count("samples", samples)
    numbers = resampling.numbers_of(first, names)
    xp, images = backends.array_namespace(first.state.images), first.state.images
    both, size = Ranking(_side_by_side(first.state, second.state, xp=xp), xp=xp), images.shape[0]

    def differences(bits: int) -> dict[str, list[float]]:
        flips = xp.asarray([bits >> k & 1 for k in range(size)], dtype=xp.int64, device=compat.device(images))
        of_first, of_second = (
            Curves(both.sampled(xp.concat(list(times)))) for times in ((1 - flips, flips), (flips, 1 - flips))
        )
        gaps = {x.name: summary.of_classes(of_second, x) - summary.of_classes(of_first, x) for x in numbers}
        return {name: [float(x) for x in gap] for name, gap in gaps.items()}

    observed, chosen = differences(0), _permutations(size, samples, seed)
    rows = [differences(chosen[k]) for k in track(range(len(chosen)))]
    labels, groups = both.state.classes, first.groups
    return {
        x.name: Exchanged(
            indexing.to_list(labels),
            observed[x.name],
            [row[x.name] for row in rows],
            summary.members(labels, x, groups, xp=xp),
        )
        for x in numbers
    }


def _permutations(size: int, samples: int, seed: int) -> Sequence[int]:
    """Images whose models change places, as bits: each set of them but the empty one, where these are few; else some.

    Two images have the sets 0b01, 0b10 and 0b11.
    """
    if 2**size - 1 <= samples:
        return range(1, 2**size)
    generator = random.Random(seed)  # noqa: S311  (no secret)
    return [generator.getrandbits(size) for _ in range(samples)]


def _side_by_side(first: State, second: State, /, *, xp: Namespace) -> State:
    """Both models in one state: the images of the second are others, which come after those of the first."""
    ids = first.images
    by = int(xp.max(ids)) - int(xp.min(ids)) + 1 if ids.shape[0] else 0
    return merge([first, dataclasses.replace(second, images=second.images + by)], xp=xp)


def tested(numbers: Sequence[Exchanged], confidence: float) -> list[tuple[float, float, float]]:
    """Interval and p-value of the difference of each number, adjusted for how many there are.

    All have the same permutations, as the differences of several models from one have.
    """
    values, permuted = zip(*(number.mean() for number in numbers), strict=True)
    ends = _tested(values, list(zip(*permuted, strict=True)), confidence)
    return [(*resampling.clipped(low, high, -1.0), p_value) for low, high, p_value in zip(*ends, strict=True)]


def by_class(numbers: Sequence[Exchanged], confidence: float) -> list[ClassComparison]:
    """Of the differences of each class of each number, adjusted for how many differences there are."""
    size = len(numbers[0].labels)
    rows = [[x for row in at_once for x in row] for at_once in zip(*(x.permuted for x in numbers), strict=True)]
    low, high, p_values = _tested([x for number in numbers for x in number.observed], rows, confidence)
    bounds = [resampling.clipped(*ends, -1.0) for ends in zip(low, high, strict=True)]
    low, high = zip(*bounds, strict=True) if bounds else ((), ())
    parts = [slice(k * size, (k + 1) * size) for k in range(len(numbers))]
    return [
        ClassComparison(tuple(number.labels), tuple(number.observed), low[part], high[part], p_values[part])
        for number, part in zip(numbers, parts, strict=True)
    ]


def _tested(
    values: Sequence[float], rows: Sequence[Sequence[float]], confidence: float
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Differences (K,), the same in permutations (S, K) -> their intervals and p-values, adjusted for their number."""
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
        p_values.append(math.nan if math.isnan(value) else (1 + beyond) / (1 + len(largest)))
    return tuple(low), tuple(high), tuple(p_values)


def _reach(rising: Sequence[float], confidence: float) -> float:
    """How many errors an interval reaches to either side: it excludes 0 where the p-value is below ``1 - confidence``.

    Of 99 permutations 4 may be as far from 0, of which the p-value is 5 / 100: less than 0.05 is with 3, so the
    fourth largest is inside. With 9 permutations no p-value is below 0.05, and the interval has no end.
    """
    beyond = math.ceil(round((1 - confidence) * (1 + len(rising)), 9)) - 2
    return rising[len(rising) - 1 - beyond] * (1 + _ROUNDING) if beyond >= 0 else math.inf


def paired(
    first: tuple[float, Sequence[float]],
    second: tuple[float, Sequence[float]],
    confidence: float,
    images: float = math.inf,
    /,
) -> Comparison:
    """Two values, each with its number in the same samples: of records, which hold nothing that can be permuted.

    The p-value is of the bootstrap, whose samples vary too little where classes have few images: it is NaN there.
    """
    gaps = [b - a for a, b in zip(first[1], second[1], strict=True)]
    difference = resampling.interval(second[0] - first[0], gaps, confidence, images, least=-1.0)
    known = [2 * difference.value - gap for gap in difference.samples]
    other = [sum(gap <= 0 for gap in known), sum(gap >= 0 for gap in known)]
    p_value = min(1.0, 2 * (1 + min(other)) / (1 + len(known)))
    told = bool(known) and images >= resampling.FEW_IMAGES
    one, two = (resampling.interval(*x, confidence, images) for x in (first, second))
    return Comparison(difference, one, two, p_value if told else math.nan)
