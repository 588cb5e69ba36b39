"""Scores lesion by lesion: connected components of two masks, matched by overlap, on the CPU by SciPy."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Self

from omniou._catalogue.mask_calls import check_masks
from omniou._catalogue.options import declared
from omniou._catalogue.options import described as option_texts
from omniou._catalogue.pixel_options import ThresholdOption
from omniou._lib import backends, checks, distances
from omniou._lib.arrays import PIXELS, agree, arrays_of
from omniou._lib.docs import described
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou._results.base import EvaluationResult, Named
from omniou._results.units import CountedUnits, UnitNumbers, joined_units
from omniou.masks._surface import host_array, on_host, spacing_of

# Pixels that are counted at once: their integers of 64 bits take memory.
_BLOCK = 2**22

_ADDED = ("true_positives", "false_positives", "false_negatives", "iou", "dice")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ComponentCounts(EvaluationResult):
    """Matched and unmatched components of predictions and targets. Counts of two sets of images add.

    Attributes
    ----------
    true_positives, false_positives, false_negatives : int
        Components that match, predictions without a match, and targets without one.
    iou, dice : float
        Sums over the true positives.
    by_image : mapping of str to ComponentCounts, optional
        The counts of each image, as `omniou.data.semantic.count_components` gives them. Intervals draw them
        again. None if they are not known.
    """

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    iou: float = 0.0
    dice: float = 0.0
    by_image: Mapping[str, Self] | None = dataclasses.field(default=None, repr=False, compare=False)

    def __add__(self, other: Any) -> Self:
        """The counts of both."""
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, ComponentCounts):
            return NotImplemented
        sums = {name: getattr(self, name) + getattr(other, name) for name in _ADDED}
        return dataclasses.replace(self, **sums, by_image=joined_units(self.by_image, other.by_image))

    def __radd__(self, other: Any) -> Self:
        """The counts of both: `sum` starts with 0."""
        return self + other

    @property
    def summary(self) -> Named[str, float]:
        """Scores of all components together.

        ``PQ`` is ``SQ`` times ``RQ``; ``SQ`` the mean IoU and ``dice`` the mean Dice of the true positives, 0 without
        any; ``RQ`` the F1 of components; ``precision`` and ``recall`` their shares. NaN where nothing is to divide by:
        for two empty masks. ``n`` is the number of components of the target.
        """
        hits, targets = self.true_positives, self.true_positives + self.false_negatives
        predictions = self.true_positives + self.false_positives
        recognised = _ratio(2.0 * hits, predictions + targets)
        quality, dice = (math.nan if math.isnan(recognised) else x / max(hits, 1) for x in (self.iou, self.dice))
        scores = {"PQ": quality * recognised, "SQ": quality, "RQ": recognised}
        scores |= {"precision": _ratio(hits, predictions), "recall": _ratio(hits, targets)}
        return Named(scores | {"dice": dice, "n": targets})

    @property
    def counts(self) -> dict[str, int]:
        """True positives, false positives and false negatives."""
        return {name: getattr(self, name) for name in ("true_positives", "false_positives", "false_negatives")}

    @property
    def units(self) -> CountedUnits | None:
        """The images: the units of bootstrap and permutation test; None if they are unknown."""
        if self.by_image is None:
            return None
        xp, size = backends.numpy_namespace(), (len(self.by_image), 1, len(_ADDED))
        rows = [[getattr(x, name) for name in _ADDED] for x in self.by_image.values()]
        counts = xp.reshape(xp.asarray(rows, dtype=xp.float64), size)
        return CountedUnits.of(
            self.by_image,
            counts,
            (counts[..., 0] + counts[..., 2]) > 0,
            word="images",
            labels=(),
            rules="components",
            means={},
            measure=_measured,
        )


def _measured(sums: Any, /) -> UnitNumbers:
    """Sums of the counts (1, 5) -> the numbers of the summary."""
    summary = ComponentCounts(*sums[0].tolist()).summary
    return UnitNumbers({name: x for name, x in summary.items() if name != "n"}, {})


@described(option_texts(declared(ThresholdOption)))
def components(
    prediction: ArrayT | ArrayLike,
    target: ArrayT | ArrayLike,
    /,
    *,
    min_iou: float = 0.5,
    connectivity: int | None = None,
    spatial_axes: int = 2,
    threshold: float | None = None,
) -> ComponentCounts:
    """Count lesions that are found: connected components of two masks, matched one to one by their IoU.

    Parameters
    ----------
    prediction, target : array, shape (..., height, width) or (..., depth, height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Counts of
        all masks are added. Leading axes broadcast.
    min_iou : float
        In (0, 1]: two components with this IoU or more may match, the pair with the highest IoU first.
    connectivity : int, optional
        Along how many axes at once pixels of a component may be neighbours: 1 for the 4 or 6 that share an edge or a
        face, `spatial_axes` for all 8 or 26. Default: 1 for images and 3 for volumes, as in panoptica.
    spatial_axes : {1, 2, 3}
        How many of the last axes are one mask: 3 for volumes.
    threshold

    Returns
    -------
    ComponentCounts
        Its `summary` has panoptic quality, precision and recall. Counts add over images.

    Raises
    ------
    ModuleNotFoundError
        If SciPy is not installed.
    TypeError, ValueError
        The same as `hausdorff`; if a mask has NaN.

    References
    ----------
    Kofler et al., Panoptica: instance-wise evaluation of 3D semantic and instance segmentation maps, 2023.

    Examples
    --------
    >>> from omniou import masks
    >>> counts = masks.components([[1, 1, 0, 1, 0, 1]], [[1, 1, 1, 0, 0, 1]])
    >>> counts.true_positives, counts.false_positives, counts.false_negatives
    (2, 1, 0)
    >>> {name: round(x, 3) for name, x in counts.summary.items()}
    {'PQ': 0.667, 'SQ': 0.833, 'RQ': 0.8, 'precision': 0.667, 'recall': 1.0, 'dice': 0.9, 'n': 2}
    """
    axes = len(spacing_of(1.0, spatial_axes))
    least = checks.number("min_iou", min_iou, above=0.0)
    if least > 1:
        raise ValueError(f"`min_iou` must lie in (0, 1], got {min_iou!r}")
    steps = (1 if axes < 3 else 3) if connectivity is None else checks.count("connectivity", connectivity)
    steps = checks.choice("connectivity", steps, range(1, axes + 1))
    (a, b), facts = arrays_of({"prediction": PIXELS, "target": PIXELS}, prediction=prediction, target=target)
    agree(facts)
    leading = check_masks(facts, spatial_axes=axes)
    for fact, x in zip(facts, (a, b), strict=True):
        given = host_array(x)
        if given.dtype.kind == "f" and (given != given).any():  # noqa: PLR0124  (NaN)
            raise ValueError(f"`{fact.name}` must be numbers, got NaN: counts cannot be NaN")
    xp, sides, _ = on_host(facts, [a, b], threshold, axes)
    size = sides[0].shape[-axes:]
    predictions, targets = (xp.broadcast_to(x, (*leading, *size)).reshape(-1, *size) for x in sides)
    parts = (_matched(p, q, least, steps, xp=xp) for p, q in zip(predictions, targets, strict=True))
    return sum(parts, ComponentCounts())


def _matched(prediction: Any, target: Any, least: float, connectivity: int, /, *, xp: Namespace) -> ComponentCounts:
    """Match the components of two masks of booleans."""
    (p, predicted), (q, expected) = (distances.components(x, connectivity) for x in (prediction, target))
    p, q = p.reshape(-1), q.reshape(-1)
    blocks = [slice(k, k + _BLOCK) for k in range(0, max(1, p.size), _BLOCK)]
    # Components have numbers from 1. A pair is one integer: with 9 targets, prediction 3 and target 7 give 37.
    pairs, shared = _sums_of_equal([_pairs(p[x], q[x], expected + 1, xp=xp) for x in blocks], xp=xp)
    rows, columns = pairs // (expected + 1), pairs % (expected + 1)
    of_p, of_q = (sum(xp.bincount(y[x], minlength=n + 1) for x in blocks) for y, n in ((p, predicted), (q, expected)))
    areas = of_p[rows] + of_q[columns]
    iou = shared / (areas - shared)
    taken: tuple[set[int], set[int]] = (set(), set())
    total = dice = 0.0
    for k in xp.argsort(-iou, kind="stable").tolist():
        row, column = int(rows[k]), int(columns[k])
        if iou[k] >= least and row not in taken[0] and column not in taken[1]:
            taken[0].add(row)
            taken[1].add(column)
            total, dice = total + float(iou[k]), dice + float(2 * shared[k] / areas[k])
    hits = len(taken[0])
    return ComponentCounts(hits, predicted - hits, expected - hits, total, dice)


def _pairs(p: Any, q: Any, base: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Components of each pixel of two masks -> the pairs that share pixels, and how many they share."""
    both = (p > 0) & (q > 0)
    return xp.unique(p[both].astype(xp.int64) * base + q[both], return_counts=True)


def _sums_of_equal(parts: list[tuple[Any, Any]], /, *, xp: Namespace) -> tuple[Any, Any]:
    """Keys and their counts in several parts -> the keys of all, and their counts."""
    if len(parts) == 1:
        return parts[0]
    keys, counts = (xp.concatenate(x) for x in zip(*parts, strict=True))
    every, place = xp.unique(keys, return_inverse=True)
    sums = xp.zeros(len(every), dtype=counts.dtype)
    xp.add.at(sums, place, counts)
    return every, sums


def _ratio(over: float, under: float) -> float:
    return over / under if under else math.nan
