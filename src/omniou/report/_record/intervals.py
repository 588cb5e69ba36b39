"""Compute intervals of the numbers of a record, by a bootstrap over the units of its result."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from omniou._lib.brief import counted, decimal
from omniou._results import resampling
from omniou._results.resampling import DOUBTFUL, FEW_UNITS, Interval, Track
from omniou.report._record.parts import Intervals, Measured
from omniou.report._record.record import Record
from omniou.report._record.values import plain

# Classes with fewer objects are counted in the text on a doubtful interval.
_FEW_OBJECTS = 30
# Decimals of samples in a record.
_DIGITS = 7
_CONFIDENCE = 0.95


def added(
    record: Record, result: Any, names: Sequence[str], *, samples: int, seed: int, always: bool, track: Track
) -> Record:
    """Add intervals of numbers to a record; without `always`, skip intervals that would not be shown."""
    kept = None if always else withheld(record, names, samples=samples, seed=seed)
    kept = kept or drawn(record, result, names, samples=samples, seed=seed, track=track)
    return dataclasses.replace(record, intervals=kept)


def drawn(
    record: Record, result: Any, names: Sequence[str], *, samples: int, seed: int, track: Track = iter
) -> Intervals:
    """Compute intervals of numbers of a result, all from the same samples of its units."""
    (values,) = resampling.drawn([result], names, samples=samples, confidence=_CONFIDENCE, seed=seed, track=track)
    units, measured = result.units, {}
    known = {}
    for name in names:
        least, most = units.ends(name)
        number = result.summary[name]
        known[name] = resampling.interval(
            number, values[name], _CONFIDENCE, units.per_class(name), least=least, most=most
        )
        measured[name] = _measured(known[name], values[name], (least, most))
    doubt = _doubt(record, known)
    return Intervals(samples=samples, seed=seed, confidence=_CONFIDENCE, numbers=measured, doubt=doubt)


def withheld(record: Record, names: Sequence[str], *, samples: int, seed: int) -> Intervals | None:
    """Return the note on intervals that are withheld because units are too few, without drawing samples.

    None where the samples decide.
    """
    doubtful = [name for name in names if record.summary[name] is not None]
    if not doubtful or record.size >= FEW_UNITS:
        return None
    which = "" if len(doubtful) == len(names) else f"{', '.join(doubtful)}: "
    doubt = which + _few_units(record)
    return Intervals(samples=samples, seed=seed, confidence=_CONFIDENCE, numbers={}, doubt=doubt)


def _few_units(record: Record) -> str:
    verb = "is" if record.size == 1 else "are"
    return f"{counted(record.size, record.units)} {verb} fewer than {FEW_UNITS}, too few for a bootstrap"


def _measured(found: Interval, samples: Sequence[float], ends: tuple[float, float]) -> Measured:
    fields = ("value", "low", "high", "error", "bias", "corrected", "doubtful")
    rounded = [None if math.isnan(x) else round(x, _DIGITS) for x in samples]
    least, most = plain(list(ends))
    return Measured(
        **{x: plain(getattr(found, x)) for x in fields},
        images_per_class=plain(found.units_per_class),
        samples=rounded,
        least=least,
        most=most,
    )


def _doubt(record: Record, known: Mapping[str, Interval]) -> str:
    """Return why intervals are doubtful, by the first doubtful one, and which, if not all."""
    doubtful = [name for name, x in known.items() if x.doubtful]
    if not doubtful:
        return ""
    which = "" if len(doubtful) == len(known) else f"{', '.join(doubtful)}: "
    return which + _reason(record, doubtful[0], known[doubtful[0]])


def _reason(record: Record, name: str, found: Interval) -> str:
    if record.size < FEW_UNITS:
        return _few_units(record)
    if found.bias > DOUBTFUL * found.error:
        high = f"{name} is about {decimal(found.bias)} too high, and an interval would mislead"
        objects = [row["objects"] for row in record.per_class if row.get("objects")]
        if not objects:
            return high
        few = sum(x < _FEW_OBJECTS for x in objects)
        return f"{few} of {len(objects)} classes with objects have fewer than {_FEW_OBJECTS}, so {high}"
    return (
        f"objects of a class are in {found.units_per_class:.1f} {record.units} (harmonic mean over the classes), "
        f"fewer than {FEW_UNITS}, too few for a bootstrap"
    )
