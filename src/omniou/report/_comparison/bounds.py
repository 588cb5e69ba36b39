"""Compute intervals and p-values of differences between models.

Results are compared by permutations, saved records by their bootstrap samples. p-values are adjusted for the number of
models, p-values of classes also for the number of classes.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._results import comparing
from omniou._results.comparing import Comparison
from omniou._results.resampling import Track
from omniou._results.shown import lower_is_better
from omniou.report._record.record import Record

# A difference is significant if its p-value is below this.
LEVEL = 0.05
# Permutations for each pair of models. p-values are multiplied by the number of pairs, and the smallest one stays at
# half of `LEVEL`: with 3 pairs and 120 permutations it is 3 / 121 = 0.0248.
_FOR_A_PAIR = 40


class DifferenceBounds(NamedTuple):
    """The interval and the p-value of a difference; NaN where there are no samples."""

    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan


class AllBounds(NamedTuple):
    """Bounds of the differences between models. Models are numbered in order; model 0 is the reference.

    Attributes
    ----------
    numbers : dict of str to list of DifferenceBounds
        For each number of the summary, the bounds of models 1, 2, ... against the reference.
    classes : list of dict of str to DifferenceBounds
        For models 1, 2, ..., the bounds by label of the class. Empty for records, whose classes cannot be tested.
    best : int
        The model with the highest first number.
    against_best : dict of int to DifferenceBounds
        For each other model, the bounds of the first number against the best model.
    """

    numbers: dict[str, list[DifferenceBounds]]
    classes: list[dict[str, DifferenceBounds]]
    best: int
    against_best: dict[int, DifferenceBounds]


def of_results(
    results: Sequence[Any], names: Sequence[str], *, samples: int, seed: int, confidence: float, track: Track
) -> AllBounds:
    """Compute bounds by permutations: in each unit, such as an image, two models change places or not.

    All pairs of models have the same permutations.
    """
    head, reference = names[0], results[0]
    gaps = [
        comparing.exchanged(reference, other, names, samples=samples, seed=seed, track=track) for other in results[1:]
    ]
    numbers = {
        name: [DifferenceBounds(*x) for x in comparing.tested([gap[name] for gap in gaps], confidence)]
        for name in names
    }
    # The first number has no classes where it is made of several: NDS has none, mAP has.
    of_classes = next((name for name in names if any(x == x for x in gaps[0][name].observed)), head)  # noqa: PLR0124
    classes = [
        {
            str(label): DifferenceBounds(*x)
            for label, *x in zip(one.classes, one.low, one.high, one.p_values, strict=True)
        }
        for one in comparing.by_class([gap[of_classes] for gap in gaps], confidence)
    ]

    def bounds(best: int, other: int, pairs: int) -> DifferenceBounds:
        many = max(samples, _FOR_A_PAIR * pairs)
        gap = comparing.exchanged(results[best], results[other], [head], samples=many, seed=seed, track=track)[head]
        ((low, high, p_value),) = comparing.tested([gap], 1 - (1 - confidence) / pairs)
        return DifferenceBounds(low, high, min(pairs * p_value, 1.0))  # NaN stays

    best = _best(head, [result.summary[head] for result in results])
    return AllBounds(numbers, classes, best, _against(best, numbers[head], bounds))


def of_records(records: Sequence[Record]) -> AllBounds:
    """Compute bounds from the bootstrap samples of records: sample k of two records has the same images."""
    head, others = next(iter(records[0].summary)), records[1:]

    def bounds(name: str, first: Record, second: Record, pairs: int) -> DifferenceBounds:
        outcome = paired(name, first, second, pairs)
        if outcome is None:
            return DifferenceBounds()
        return DifferenceBounds(outcome.difference.low, outcome.difference.high, min(pairs * outcome.p_value, 1.0))

    numbers = {
        name: [bounds(name, records[0], other, len(others)) for other in others]
        for name in records[0].summary
        if any(paired(name, records[0], other) for other in others)
    }
    known = [record.summary.get(head) for record in records]
    best = _best(head, [math.nan if x is None else x for x in known])
    against = _against(
        best,
        numbers.get(head, [DifferenceBounds()] * len(others)),
        lambda a, b, pairs: bounds(head, records[a], records[b], pairs),
    )
    return AllBounds(numbers, [], best, against)


def _best(number: str, values: Sequence[float]) -> int:
    """Return the place of the best value, the lowest of an error; of equal values, the first."""
    sign = -1 if lower_is_better(number) else 1
    return max(range(len(values)), key=lambda k: -math.inf if math.isnan(values[k]) else sign * values[k])


def _against(best: int, of_reference: Sequence[DifferenceBounds], bounds: Any) -> dict[int, DifferenceBounds]:
    """Compute bounds of each other model against the best one; `of_reference` has the bounds against the reference.

    If the best model is not the reference, the same images chose and test it: p-values are adjusted for all pairs.
    """
    if best == 0:
        return dict(enumerate(of_reference, start=1))
    models = len(of_reference) + 1
    pairs = pairs_of_best(models, is_reference=False)
    return {k: bounds(best, k, pairs) for k in range(models) if k != best}


def pairs_of_best(models: int, *, is_reference: bool) -> int:
    """Return the number of pairs that p-values against the best model are adjusted for: of 4 models, 3 or 6."""
    return models - 1 if is_reference or models == 2 else models * (models - 1) // 2


def paired(number: str, first: Record, second: Record, pairs: int = 1) -> Comparison | None:
    """Compare two records of the same images by their samples; None if the samples are of other images or seeds.

    The interval is adjusted for the number of pairs, the p-value is not.
    """
    one, other = first.intervals, second.intervals
    # Equal seeds draw equal images: sample k of one record and sample k of the other are then a pair.
    if one is None or other is None or (one.seed, one.samples) != (other.seed, other.samples):
        return None
    if first.images != second.images or number not in one.numbers or number not in other.numbers:
        return None
    if not one.numbers[number].samples or not other.numbers[number].samples:
        return None
    nan, known = math.nan, (one.numbers[number], other.numbers[number])
    values = [(nan if x.value is None else x.value, [nan if y is None else y for y in x.samples]) for x in known]
    images = [x.images_per_class for x in known if x.images_per_class is not None]
    least, most = known[0].least, known[0].most
    ends = {"least": -math.inf if least is None else least, "most": math.inf if most is None else most}
    confidence = 1 - (1 - one.confidence) / pairs
    return comparing.paired(values[0], values[1], confidence, min(images, default=math.inf), **ends)


def few_samples(samples: int, pairs: int) -> int:
    """Return how many samples a p-value below `LEVEL` needs; 0 if `samples` are enough.

    A p-value of the bootstrap is at least 2 / (samples + 1), and it is multiplied by the number of pairs: 3 pairs need
    120 samples, since 3 * 2 / 121 = 0.0496.
    """
    needed = math.floor(2 * pairs / LEVEL)
    return 0 if samples >= needed else needed
