"""Flatten the numbers of an evaluation to one dictionary of floats, for loggers."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from omniou._lib import checks, near
from omniou._results import by_class
from omniou._results.base import EvaluationResult
from omniou.detection import Result
from omniou.report._record.analyses import Source
from omniou.report._record.analyses import per_class as rows_of
from omniou.report._record.record import Record
from omniou.report._text.paper import summary_of

__all__ = ["scalars"]

# Characters that TensorBoard, MLflow or Weights & Biases refuse in names. A slash separates parts of a name.
_FORBIDDEN = re.compile(r"[^\w.\-]+")


def scalars(
    result: Any,
    /,
    *,
    per_class: Iterable[str] | None = None,
    prefix: str = "",
    names: Mapping[int, str] | None = None,
) -> dict[str, float]:
    """Return the numbers of an evaluation as a flat dictionary, for any logger.

    Parameters
    ----------
    result : result, Record, or mapping of str to float
        The result of any evaluation, such as `detection.evaluate` or `panoptic.count`, a record, anything
        else with a `summary`, or numbers by name. Also what metrics of torchmetrics compute, with vectors of classes:
        "map_per_class" gives "map/3" for the class 3 of "classes", and another vector one number for each class from 0
        on. Tables with more axes are excluded.
    per_class : iterable of str, optional
        Numbers to add for each class, or for each row of other results. Default: the first number of the summary, such
        as AP; of a mapping, all vectors. Empty for none.
    prefix : str
        Prefix of each name, followed by a slash: "val" gives "val/AP".
    names : mapping of int to str, optional
        Names of the classes of a result by label. Default: the names that it knows.

    Returns
    -------
    dict of str to float
        The summary by name, and "AP/cat" for each class. NaN where there is no data, so that the keys are the same at
        each step. Keys hold letters of any script, digits and ``_ . - /``, which TensorBoard, MLflow and Weights &
        Biases take: other characters become "_", and names that would then be equal get a number.

    Raises
    ------
    TypeError, ValueError
        If there is no summary, or a number of the classes is unknown.

    Examples
    --------
    >>> from omniou import detection, report
    >>> result = detection.evaluate(
    ...     [{"boxes": [[0, 0, 10, 10]], "labels": [1]}], [{"boxes": [[0, 0, 10, 9]], "labels": [1], "scores": [0.8]}]
    ... )
    >>> logged = report.scalars(result, names={1: "traffic light"}, prefix="val")
    >>> list(logged)[:2], round(logged["val/AP/traffic_light"], 3)
    (['val/AP', 'val/AP50'], 0.9)
    """
    checks.mappings(names=names)
    summary, rows = _parts(result, names)
    checks.instance("prefix", prefix, str, "a text")
    if per_class is not None:
        per_class = checks.items("per_class", per_class, "names of numbers")
    known = {number: None for _, numbers in rows for number in numbers}
    usual = list(known) if isinstance(result, Mapping) else [x for x in list(summary)[:1] if x in known]
    chosen = usual if per_class is None else list(per_class)
    for number in chosen:
        if number not in known:
            raise ValueError(
                f"`per_class` must name numbers of classes, got {number!r}{near.hint(number, list(known))}"
            )
    out: dict[str, float] = {}
    for name, value in summary.items():
        _put(out, _key(name), value)
    for number in chosen:
        for name, numbers in rows:
            if number in numbers:
                _put(out, f"{_key(number)}/{_key(name)}", numbers[number])
    before = "".join(f"{_key(x)}/" for x in prefix.split("/") if x)
    return {f"{before}{key}": value for key, value in out.items()}


def _parts(result: Any, names: Any) -> tuple[Mapping[str, Any], list[tuple[str, Mapping[str, Any]]]]:
    """Return the summary, and the name and the numbers of each class or row."""
    summary = summary_of("result", result)
    if not isinstance(result, Mapping):
        return summary, list(_rows(result, names))
    every = list(by_class.numbers(result))
    rows: dict[Any, dict[str, Any]] = {}
    for name, label, number in every:
        if label is not None:
            rows.setdefault(label, {})[name] = number
    of_all = {name: number for name, label, number in every if label is None}
    return of_all, [((names or {}).get(label, str(label)), numbers) for label, numbers in rows.items()]


def _rows(result: Any, names: Mapping[int, str] | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the numbers of each class or row."""
    rows: Iterable[Mapping[str, Any]] = ()
    if isinstance(result, Record):
        rows = [row for group in result.groups for row in group.rows]
    elif isinstance(result, Result):
        rows = rows_of(Source(result, result.names if names is None else names, {}))
    elif isinstance(result, EvaluationResult):
        rows = (row for group in result.rows.values() for row in group)
    for row in rows:
        yield str(row["name"]), _numbers(row)


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: x for name, x in row.items() if name not in {"id", "name", "objects"}}
    return {name: x for name, x in known.items() if x is None or isinstance(x, int | float)}


def _key(name: str) -> str:
    # MLflow's file store uses names as folders, so a name must not consist of dots only.
    return re.sub(r"^\.+$", "_", _FORBIDDEN.sub("_", name)) or "_"


def _put(out: dict[str, float], key: str, value: Any) -> None:
    number, unique = 2, key
    while unique in out:
        unique, number = f"{key}_{number}", number + 1
    out[unique] = math.nan if value is None else float(value)
