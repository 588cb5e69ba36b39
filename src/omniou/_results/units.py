"""Units of a result: what a bootstrap draws again and a permutation test exchanges.

Images for boxes and label maps, sequences for tracks, videos for intervals. A kind of evaluation whose numbers follow
from sums over units gives these sums as `CountedUnits`; each other kind writes a class of its own.
"""

import abc
import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from omniou._lib import backends

Name: TypeAlias = int | str
T = TypeVar("T")
# Sums of equal numbers in another order differ by less.
_ROUNDING = 1e-12


class UnitNumbers(NamedTuple):
    """Numbers of some of the units by name, and what each number is for each of K classes, where it has such values."""

    summary: Mapping[str, float]
    per_class: Mapping[str, Sequence[float]]


class UnitGap(NamedTuple):
    """A number of the second model minus that of the first: by itself, and for each class (K,), NaN for no data."""

    value: float
    per_class: list[float]


class Units(abc.ABC):
    """The units of a result, in the order of their names: numbers first, then strings.

    Equal seeds draw equal units for results whose units have equal names, regardless of the order in which the data
    came.

    Attributes
    ----------
    word : str
        What a unit is, in the plural: "images".
    names : tuple of int or str
        Names of U units, rising.
    labels : tuple of int or str
        K classes that are compared one by one; empty where the kind has none.
    rules : object
        What must be equal for numbers of two results to be comparable, such as a protocol.
    known : tuple of str
        Numbers that may be asked for.
    """

    word: str
    names: tuple[Name, ...]
    labels: tuple[Name, ...]
    rules: Any
    known: tuple[str, ...]

    @abc.abstractmethod
    def sampled(self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, float]]:
        """Return a function of the places of drawn units, which may repeat, that computes these numbers of the sample.

        A class that a sample lacks would leave the mean of that sample, which then is of other classes: it has its
        value of the whole set.
        """

    @abc.abstractmethod
    def exchanged(self, other: Self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, UnitGap]]:
        """Return a function of flags (U,), 1 where the two models change places, that computes differences by name."""

    @abc.abstractmethod
    def per_class(self, name: str, /) -> float:
        """Units that hold an object of a class: the harmonic mean over the classes of a number that have objects."""

    def ends(self, _: str, /) -> tuple[float, float]:
        """Least and greatest possible value of a number."""
        return 0.0, 1.0


@dataclasses.dataclass(frozen=True, eq=False)
class WeightedUnits(Units):
    """Units of a kind that can be evaluated with a weight for each unit and class.

    Attributes
    ----------
    word, names, labels, rules
        As in `Units`.
    holders : array of booleans, shape (U, K)
        Whether the unit has an object of the class. A kind without classes has one column.
    means : mapping of str to sequence of int
        Numbers that are made from numbers of classes, and the places of these. The others are of all classes together.
    bounds : mapping of str to (float, float)
        Least and greatest value of numbers outside of [0, 1].
    """

    word: str
    names: tuple[Name, ...]
    labels: tuple[Name, ...]
    rules: Any
    holders: Any
    means: Mapping[str, Sequence[int]]
    bounds: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict, kw_only=True)

    @abc.abstractmethod
    def numbers(self, weights: Any, /) -> UnitNumbers:
        """Compute all numbers, each unit as often as its weight (U, K) says: integers from 0, one for each class."""

    @abc.abstractmethod
    def beside(self, other: Self, /) -> "WeightedUnits":
        """Return the 2U units of two results, of `self` first."""

    @property
    def known(self) -> tuple[str, ...]:  # type: ignore[override]
        """Numbers that may be asked for."""
        return tuple(self.numbers(backends.numpy_namespace().ones(self.holders.shape, dtype=int)).summary)

    def sampled(self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, float]]:
        """See `Units.sampled`."""
        xp = backends.numpy_namespace()
        held = self.holders.any(axis=0)

        def of_draw(draw: Sequence[int], /) -> dict[str, float]:
            times = xp.bincount(xp.asarray(draw, dtype=int), minlength=len(self.names))[:, None]
            weights = xp.broadcast_to(times, self.holders.shape)
            summary = self.numbers(weights).summary
            lacking = held & ~(self.holders & (times > 0)).any(axis=0)
            if lacking.any() and self.means:
                filled = self.numbers(xp.where(lacking, 1, weights)).summary
                summary = {**summary, **{name: filled[name] for name in self.means}}
            return {name: float(summary[name]) for name in names}

        return of_draw

    def exchanged(self, other: Self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, UnitGap]]:
        """See `Units.exchanged`."""
        check_classes(self, other)
        xp, both, columns = backends.numpy_namespace(), self.beside(other), self.holders.shape[1]

        def of_flips(flips: Sequence[int], /) -> dict[str, UnitGap]:
            moved = xp.asarray(flips, dtype=int)
            # Units of the first model come first: it has its own where none moved.
            times = xp.concatenate([1 - moved, moved]), xp.concatenate([moved, 1 - moved])
            one, two = (both.numbers(xp.broadcast_to(x[:, None], (x.shape[0], columns))) for x in times)
            return {name: _gap(name, one, two, len(self.labels)) for name in names}

        return of_flips

    def per_class(self, name: str, /) -> float:
        """See `Units.per_class`. For a number of all classes together: units that hold any object."""
        if name not in self.means:
            return float(self.holders.any(axis=1).sum())
        many = self.holders.sum(axis=0)[list(self.means[name])].tolist()
        held = [x for x in many if x]
        return float(statistics.harmonic_mean(held)) if held else 0.0

    def ends(self, name: str, /) -> tuple[float, float]:
        """See `Units.ends`."""
        return self.bounds.get(name, (0.0, 1.0))


@dataclasses.dataclass(frozen=True, eq=False)
class CountedUnits(WeightedUnits):
    """Units whose sums make the numbers.

    Attributes
    ----------
    counts : array, shape (U, K, F)
        F counts of each unit and class, which add.
    measure : callable
        Sums (K, F), float64 -> numbers.
    """

    counts: Any
    measure: Callable[[Any], UnitNumbers]

    @classmethod
    def of(cls, names: Iterable[Name], counts: Any, holders: Any, /, **fields: Any) -> Self:
        """Units in any order -> in the order of their names."""
        given = list(names)
        order = order_of(given)
        return cls(names=tuple(given[k] for k in order), counts=counts[order], holders=holders[order], **fields)

    def numbers(self, weights: Any, /) -> UnitNumbers:
        """See `WeightedUnits.numbers`."""
        return self.measure(backends.numpy_namespace().einsum("uk,ukf->kf", weights * 1.0, self.counts))

    def beside(self, other: Self, /) -> Self:
        """See `WeightedUnits.beside`."""
        join = backends.numpy_namespace().concatenate
        return dataclasses.replace(
            self,
            names=self.names + other.names,
            counts=join([self.counts, other.counts]),
            holders=join([self.holders, other.holders]),
        )


def _gap(name: str, first: UnitNumbers, second: UnitNumbers, classes: int, /) -> UnitGap:
    each = [float("nan")] * classes
    if name in first.per_class:
        pairs = zip(first.per_class[name], second.per_class[name], strict=True)
        each = [_difference(a, b) for a, b in pairs]
    return UnitGap(_difference(first.summary[name], second.summary[name]), each)


def _difference(first: float, second: float, /) -> float:
    """The second minus the first: 0 for what only rounding tells apart, of which a test would make a p-value."""
    return 0.0 if math.isclose(first, second, rel_tol=_ROUNDING) else float(second) - float(first)


def joined_units(first: Mapping[Any, T] | None, second: Mapping[Any, T] | None, /) -> dict[Any, T] | None:
    """Units by name of two results that are added; None where one of them does not know its own.

    Raises
    ------
    ValueError
        If both have a unit.
    """
    if first is None or second is None:
        return None
    if twice := [name for name in first if name in second]:
        raise ValueError(f"counts to add must be of different images, got {twice[0]!r} in both")
    return {**first, **second}


def order_of(names: Sequence[Name], /) -> list[int]:
    """Places of the names in their order: numbers first, then strings."""
    return sorted(range(len(names)), key=lambda k: (isinstance(names[k], str), names[k]))


def check_alike(first: Units, second: Units, /) -> None:
    """Raise unless two results are comparable: of one kind, by the same rules, with units of the same names.

    Raises
    ------
    ValueError
        Which names the first unit that only one of them has.
    """
    if (type(first), first.word) != (type(second), second.word):
        raise ValueError(f"`first` and `second` must be of one kind, got units of {first.word} and of {second.word}")
    if first.rules != second.rules:
        raise ValueError("`first` and `second` must be evaluated by the same protocol")
    if first.names != second.names:
        raise ValueError(f"`first` and `second` must be of the same {first.word}{_other(first.names, second.names)}")


def _other(first: Sequence[Name], second: Sequence[Name], /) -> str:
    """How many names there are, and the first one that only one side has."""
    here, there = set(first), set(second)
    only = [x for x in (*first, *second) if (x in here) != (x in there)]
    lacking = f"; only the {'first' if only[0] in here else 'second'} has {only[0]!r}" if only else ""
    return f", got {len(first)} and {len(second)}{lacking}"


def check_classes(first: Units, second: Units, /) -> None:
    """Raise unless both are results of the same classes.

    Raises
    ------
    ValueError
    """
    if first.labels != second.labels:
        given = _other(first.labels, second.labels)
        raise ValueError(
            f"`first` and `second` must be of the same classes{given}. Evaluate both with one list of classes"
        )
