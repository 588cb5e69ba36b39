"""The units of tracks are sequences: numbers follow from sums over them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from omniou._lib import backends
from omniou._results.units import CountedUnits, UnitNumbers
from omniou.tracking._numbers import FLOATS, NO_ROW, Row, added, class_averaged, numbers
from omniou.tracking._state import State

# Rates outside of [0, 1]; counts have no upper end.
_RATES = {**dict.fromkeys(("MOTA", "MODA", "MOTAL", "sMOTA"), (-math.inf, 1.0)), "FP_per_frame": (0.0, math.inf)}


def units_of(state: State, average: str, /, *, ignore_empty: bool) -> CountedUnits:
    """The sequences of a state. `average`: how several classes make one number."""
    xp, classes = backends.numpy_namespace(), state.classes
    rows = [[state.rows.get((sequence, label), NO_ROW) for label in classes] for sequence in state.sequences]
    shape = (len(rows), len(classes))
    counts = xp.reshape(xp.asarray([_flat(row) for of_sequence in rows for row in of_sequence]), (*shape, -1))
    holders = xp.reshape(xp.asarray([row.gt_dets > 0 for x in rows for row in x], dtype=bool), shape)
    of_none = numbers(NO_ROW).summary
    rates = [name for name, x in of_none.items() if isinstance(x, float)]

    def measure(sums: Any) -> UnitNumbers:
        of_classes = [_row(x) for x in sums.tolist()]
        each = [numbers(row).summary if row.dets or row.gt_dets else None for row in of_classes]
        if average == "detections":
            whole = numbers(added(of_classes))
        else:
            whole = class_averaged(of_classes, ignore_empty=ignore_empty)
        return UnitNumbers(
            whole.summary, {name: [math.nan if x is None else x[name] for x in each] for name in of_none}
        )

    averaged = average == "classes" and len(classes) > 1
    return CountedUnits.of(
        state.sequences,
        counts,
        holders,
        word="sequences",
        labels=classes,
        rules=(state.rules, average, ignore_empty),
        means=dict.fromkeys(rates if averaged else (), range(len(classes))),
        measure=measure,
        bounds={name: _RATES.get(name, (0.0, math.inf)) for name in of_none if name in _RATES or name not in rates},
    )


def units_of_means(
    rows: Mapping[str, Sequence[tuple[int, Mapping[str, float]]]], names: Sequence[str], rules: Any, /
) -> CountedUnits:
    """The sequences of numbers that are means over rows, each with a weight; NaN where a row has no number."""
    xp, size = backends.numpy_namespace(), len(names)
    counts, holders = xp.zeros((len(rows), 1, 2 * size)), xp.zeros((len(rows), 1), dtype=bool)
    for k, of_sequence in enumerate(rows.values()):
        for weight, row in of_sequence:
            values = xp.asarray([row[name] for name in names])
            known = ~xp.isnan(values)
            counts[k, 0] += weight * xp.concatenate([xp.where(known, values, 0.0), known])
            holders[k] |= known.any()

    def measure(sums: Any) -> UnitNumbers:
        total, many = sums[0, :size].tolist(), sums[0, size:].tolist()
        means = (x / weight if weight else math.nan for x, weight in zip(total, many, strict=True))
        return UnitNumbers(dict(zip(names, means, strict=True)), {})

    return CountedUnits.of(
        rows,
        counts,
        holders,
        word="sequences",
        labels=(),
        rules=rules,
        means={},
        measure=measure,
        bounds={name: (-1.0, 1.0) for name in names if name.endswith("Decay")},
    )


def _flat(row: Row, /) -> list[float]:
    return [x for value in row for x in (value if isinstance(value, tuple) else (value,))]


def _row(values: Sequence[float], /) -> Row:
    """Sums of the fields one after the other -> a row: counts are integers again."""
    fields, start = [], 0
    for name, like in NO_ROW._asdict().items():
        size = len(like) if isinstance(like, tuple) else 1
        part = values[start : start + size] if name in FLOATS else list(map(round, values[start : start + size]))
        fields.append(tuple(part) if isinstance(like, tuple) else part[0])
        start += size
    return Row._make(fields)
