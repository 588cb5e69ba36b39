"""The doctor of the classes of tracks: whether their numbers or names are the ground truth's."""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from omniou._doctor.engine import Reading, Trial
from omniou._lib.findings import Finding

__all__ = ["TrackPairs", "findings"]

Column = npt.NDArray[Any]

_CURE = "write the classes of the ground truth"
# Rows of a class that the ground truth does not have, before they are said to mean another class, and the share of
# those that overlap an object.
_FEW, _MOST = 10, 0.5
# Examples that a finding names.
_EXAMPLES = 3


class TrackPairs(NamedTuple):
    """Rows of tracks and objects of their frame that overlap by half or more.

    Attributes
    ----------
    rows : array of int64, shape (P,)
        Rows of the tracks, rising.
    classes, true : array, shape (P,)
        Classes of the tracks and of the objects: integers, or names in lower case.
    """

    rows: Column
    classes: Column
    true: Column

    def agreeing(self, classes: Column) -> int:
        """How many tracks overlap an object of their class, if the pairs have these classes."""
        return len(np.unique(self.rows[classes == self.true]))


def findings(pairs: TrackPairs, of_truth: Column, of_tracks: Column, path: str) -> list[Finding]:
    """Classes that are shifted, renamed, or unknown; `of_truth` and `of_tracks` have the classes of all rows."""
    known, given = (np.unique(x) for x in (of_truth, of_tracks))
    trial = Trial(
        given=pairs.classes,
        total=len(np.unique(pairs.rows)),
        matches=pairs.agreeing,
        by_chance=lambda _: 0,
        measure="class of an object with IoU >= 0.5",
        of="tracks that overlap one",
    )
    best = trial.findings(_readings(pairs, known, given, path))
    return best or [x for label in given if label not in known for x in _unknown(pairs, label, given, path)]


def _readings(pairs: TrackPairs, known: Column, given: Column, path: str) -> Iterator[Reading]:
    if known.dtype.kind == "i":
        for by, words in ((1, "add 1 to each"), (-1, "subtract 1 from each")):
            text = f"numbers of classes of the tracks seem to be one too {'low' if by > 0 else 'high'}"
            read = functools.partial(np.add, by)
            yield Reading("classes-shifted", text, f"{words}, or {_CURE}", read, f"with {by:+d}", path)
    if len(given) > 1 or len(known) == 1:  # one class for all need not be another list
        meant = _renamed(pairs, given)
        changes = ", ".join(f"{a} overlaps {b}" for a, b in list(meant.items())[:_EXAMPLES] if a != b)
        yield Reading(
            code="classes-mixed",
            text="classes of the tracks seem to belong to another list",
            hint=_CURE,
            read=lambda x: np.asarray([meant.get(label, label) for label in x.tolist()], dtype=known.dtype),
            words=f"once renamed: {changes}",
            path=path,
        )


def _renamed(pairs: TrackPairs, given: Column) -> dict[Any, Any]:
    """Each class of the tracks -> the class of most objects that it overlaps; each of these once, by the most rows."""
    best: dict[Any, tuple[int, Any]] = {}
    for label in given.tolist():
        values, counts = np.unique(pairs.true[pairs.classes == label], return_counts=True)
        if len(values):
            most, meant = int(counts.max()), values[counts.argmax()].item()
            best[meant] = max(best.get(meant, (0, label)), (most, label), key=lambda x: x[0])
    return {label: meant for meant, (_, label) in best.items()}


def _unknown(pairs: TrackPairs, label: Any, given: Column, path: str) -> list[Finding]:
    """A class without objects, whose tracks overlap objects of a class without tracks."""
    rows, true = (x[pairs.classes == label] for x in (pairs.rows, pairs.true))
    values, counts = np.unique(true, return_counts=True)
    total = len(np.unique(rows))
    if total < _FEW or counts.max() < _MOST * total or (meant := values[counts.argmax()]) in given:
        return []
    text = f"no object has the class {label} of the tracks, and no track the class {meant}"
    evidence = f"{counts.max()} of {total} tracks of class {label} that overlap an object overlap one of class {meant}"
    return [Finding(code="classes-unknown", text=text, evidence=evidence, hint=_CURE, path=path)]
