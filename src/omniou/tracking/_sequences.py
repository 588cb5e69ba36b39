"""What single-object tracking and video object segmentation share: sequences by name, on the host."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from omniou._lib import checks, host
from omniou._lib.arrays import NUMBERS, Operand, arrays_of
from omniou._lib.brief import shortened

# Flags or shares of frames.
FLAGS = Operand("booleans or numbers", ("bool", "integral", "real floating"), decides=False)


def check_names(truth: Any, predictions: Any, /) -> list[str]:
    """Names of the sequences, if both mappings have the same ones."""
    for name, given in (("ground_truth", truth), ("predictions", predictions)):
        checks.instance(name, given, Mapping, "a mapping of sequence names to arrays")
    for name, missing in (
        ("predictions", [x for x in truth if x not in predictions]),
        ("ground_truth", [x for x in predictions if x not in truth]),
    ):
        if missing:
            raise ValueError(f"`{name}` must have every sequence of both mappings, but lacks {shortened(missing)}")
    return list(truth)


def check_known(name: str, given: Mapping[str, Any], sequences: Iterable[str], /) -> None:
    """Raise for names of an option that are not sequences."""
    known = set(sequences)
    if unknown := [x for x in given if x not in known]:
        raise ValueError(f"`{name}` must have names of sequences, got {shortened(unknown)}, which `ground_truth` lacks")


def on_host(name: str, x: Any, holds: Operand = NUMBERS, /) -> tuple[Any, Any]:
    """NumPy's namespace, and an array of any library, or a list, in NumPy."""
    (array,), facts = arrays_of({name: holds}, **{name: x})
    xp = facts[0].namespace
    if not xp.isdtype(facts[0].dtype, holds.kinds):
        raise TypeError(f"`{name}` must hold {holds.holds}, got dtype {facts[0].dtype}")
    near, arrays, _ = host.to_numpy({name: array})
    return near, arrays[name]


def means(rows: Sequence[Mapping[str, float]], names: Iterable[str], /) -> dict[str, float]:
    """Mean of each number over the rows that have it; NaN where none has."""
    out = {}
    for name in names:
        values = [row[name] for row in rows if not math.isnan(row[name])]
        out[name] = math.fsum(values) / len(values) if values else math.nan
    return out
