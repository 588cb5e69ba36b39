"""The numbers of a row of sums: HOTA, CLEAR, identity and counts, and their combinations over classes."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = int | float

# The reference's floor for the sum of similarities: LocA is 1 without true positives.
_FLOOR = 1e-10
THRESHOLDS = 19


class Row(NamedTuple):
    """The sums of one class in one sequence, or in several. Tuples have a number for each threshold."""

    dets: int = 0
    gt_dets: int = 0
    ids: int = 0
    gt_ids: int = 0
    frames: int = 0  # that the false positives per frame are counted over
    hota_tp: tuple[int, ...] = (0,) * THRESHOLDS
    ass_a: tuple[float, ...] = (0.0,) * THRESHOLDS
    ass_re: tuple[float, ...] = (0.0,) * THRESHOLDS
    ass_pr: tuple[float, ...] = (0.0,) * THRESHOLDS
    loc: tuple[float, ...] = (0.0,) * THRESHOLDS
    clr_tp: int = 0
    similarity: float = 0.0
    idsw: int = 0
    frag: int = 0
    mt: int = 0
    pt: int = 0
    idtp: int = 0


NO_ROW = Row()
# By type of a field: integers, sums, and columns of either.
FLOATS = frozenset({"ass_a", "ass_re", "ass_pr", "loc", "similarity"})


def added(rows: Sequence[Row], /) -> Row:
    """The sum of rows, the same in any order."""
    if not rows:
        return NO_ROW
    columns = zip(*rows, strict=True)
    return Row._make(_total(name, values) for name, values in zip(Row._fields, columns, strict=True))


def _total(name: str, values: Any, /) -> Any:
    # `fsum` rounds once, at the end, so that the order of sequences does not matter.
    add = math.fsum if name in FLOATS else sum
    return tuple(map(add, zip(*values, strict=True))) if isinstance(values[0], tuple) else add(values)


class Numbers(NamedTuple):
    """The numbers of a summary, and those by threshold."""

    summary: Mapping[str, Number]
    curves: Mapping[str, tuple[Number, ...]]


def numbers(row: Row, /, *, by_formula: bool = True) -> Numbers:
    """The numbers of a row.

    `by_formula`: also where one side is empty, for which TrackEval's sequences have rates of 0.
    """
    curves = _hota(row)
    means = {name: math.fsum(x) / THRESHOLDS for name, x in curves.items() if not name.startswith("HOTA_")}
    first, loc = float(curves["HOTA"][0]), float(curves["LocA"][0])
    at_lowest = {"HOTA(0)": first, "LocA(0)": loc, "HOTALocA(0)": first * loc}
    has_rates = by_formula or (row.dets > 0 and row.gt_dets > 0)
    clear = _clear(row) if has_rates else dict.fromkeys(_clear(row), 0.0) | {"MLR": 1.0}
    counted = {"Dets": row.dets, "GT_Dets": row.gt_dets, "IDs": row.ids, "GT_IDs": row.gt_ids}
    summary = means | at_lowest | clear | _clear_counts(row) | _identity(row) | counted
    return Numbers(MappingProxyType(summary), MappingProxyType(curves))


def _hota(row: Row, /) -> dict[str, tuple[Number, ...]]:
    tp = row.hota_tp
    det_re = tuple(x / max(1, row.gt_dets) for x in tp)
    det_pr = tuple(x / max(1, row.dets) for x in tp)
    det_a = tuple(x / max(1, row.gt_dets + row.dets - x) for x in tp)
    ass_a, ass_re, ass_pr = (
        tuple(x / max(1, n) for x, n in zip(sums, tp, strict=True)) for sums in (row.ass_a, row.ass_re, row.ass_pr)
    )
    return {
        "HOTA": tuple(math.sqrt(d * a) for d, a in zip(det_a, ass_a, strict=True)),
        "DetA": det_a,
        "AssA": ass_a,
        "DetRe": det_re,
        "DetPr": det_pr,
        "AssRe": ass_re,
        "AssPr": ass_pr,
        "LocA": tuple(max(_FLOOR, x) / max(_FLOOR, n) for x, n in zip(row.loc, tp, strict=True)),
        "OWTA": tuple(math.sqrt(d * a) for d, a in zip(det_re, ass_a, strict=True)),
        "HOTA_TP": tp,
        "HOTA_FN": tuple(row.gt_dets - x for x in tp),
        "HOTA_FP": tuple(row.dets - x for x in tp),
    }


def _clear(row: Row, /) -> dict[str, float]:
    tp, fp, objects, ids = row.clr_tp, row.dets - row.clr_tp, max(1, row.gt_dets), max(1, row.gt_ids)
    return {
        "MOTA": (tp - fp - row.idsw) / objects,
        "MOTP": row.similarity / max(1, tp),
        "MODA": (tp - fp) / objects,
        "CLR_Re": tp / objects,
        "CLR_Pr": tp / max(1, row.dets),
        "MTR": row.mt / ids,
        "PTR": row.pt / ids,
        "MLR": (row.gt_ids - row.mt - row.pt) / ids,
        "sMOTA": (row.similarity - fp - row.idsw) / objects,
        "CLR_F1": tp / max(1.0, 0.5 * row.gt_dets + 0.5 * row.dets),
        "FP_per_frame": fp / max(1, row.frames),
        "MOTAL": (tp - fp - (math.log10(row.idsw) if row.idsw else 0)) / objects,
    }


def _clear_counts(row: Row, /) -> dict[str, int]:
    return {
        "CLR_TP": row.clr_tp,
        "CLR_FN": row.gt_dets - row.clr_tp,
        "CLR_FP": row.dets - row.clr_tp,
        "IDSW": row.idsw,
        "MT": row.mt,
        "PT": row.pt,
        "ML": row.gt_ids - row.mt - row.pt,
        "Frag": row.frag,
    }


def _identity(row: Row, /) -> dict[str, Number]:
    fn, fp = row.gt_dets - row.idtp, row.dets - row.idtp
    return {
        "IDF1": row.idtp / max(1.0, row.idtp + 0.5 * fp + 0.5 * fn),
        "IDR": row.idtp / max(1, row.gt_dets),
        "IDP": row.idtp / max(1, row.dets),
        "IDTP": row.idtp,
        "IDFN": fn,
        "IDFP": fp,
    }


def class_averaged(rows: Sequence[Row], /, *, ignore_empty: bool, by_formula: bool = True) -> Numbers:
    """Rates are the means over classes, and counts the sums.

    `ignore_empty`: classes without objects and without tracks do not count, instead of as 0.
    """
    kept = [row for row in rows if row.dets or row.gt_dets] if ignore_empty else list(rows)
    parts = [numbers(row, by_formula=by_formula) for row in kept or [NO_ROW]]
    summary, curves = ([getattr(x, name) for x in parts] for name in Numbers._fields)
    return Numbers(
        MappingProxyType({name: _mean_or_sum([x[name] for x in summary]) for name in summary[0]}),
        MappingProxyType(
            {name: tuple(map(_mean_or_sum, zip(*(x[name] for x in curves), strict=True))) for name in curves[0]}
        ),
    )


def _mean_or_sum(values: Sequence[Number], /) -> Number:
    return sum(values) if isinstance(values[0], int) else math.fsum(values) / len(values)
