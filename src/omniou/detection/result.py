"""The outcome of an evaluation."""

import dataclasses
from typing import Any, Generic

import array_api_compat as compat

from omniou._lib.types import ArrayT
from omniou.detection.protocol import Protocol


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Result(Generic[ArrayT]):
    """COCO's numbers, and the curves behind them. "No data" is NaN: a class without objects, or none that has any.

    T IoU thresholds, R points of recall, K classes, A area ranges, M limits of detections per image.

    Attributes
    ----------
    summary : dict
        COCO's twelve numbers by name, as Python floats: AP, AP50, AP75, APs, APm, APl, AR1, AR10, AR100, ARs, ARm,
        ARl. Means over the classes that have objects. A protocol with other limits or area ranges has AR and its
        limits, and the suffixes of its ranges.
    per_class : dict
        The same numbers for each class alone, by name: arrays of shape (K,).
    classes : array of integers, shape (K,)
        Labels, rising.
    objects : array of integers, shape (K, A)
        Objects that count: neither crowds nor ignored.
    precision : array, shape (T, R, K, A, M)
        Highest precision at this recall or a higher one; 0 where the recall is not reached. The layout, as that of
        the other tables, is pycocotools'.
    recall : array, shape (T, K, A, M)
        Highest recall.
    scores : array, shape (T, R, K, A, M)
        Score at which each recall is reached; 0 where it is not.
    protocol : Protocol
        What the axes T, R, A and M stand for.
    """

    summary: dict[str, float]
    per_class: dict[str, ArrayT]
    classes: ArrayT
    objects: ArrayT
    precision: ArrayT
    recall: ArrayT
    scores: ArrayT
    protocol: Protocol

    def with_minus_one(self) -> dict[str, Any]:
        """The tables as pycocotools has them, for comparison: -1 in place of NaN.

        Returns
        -------
        dict
            "precision", "recall" and "scores" as arrays, and "stats": the numbers of `summary` as a list.
        """
        xp = compat.array_namespace(self.precision)
        found: dict[str, Any] = {}
        for name in ("precision", "recall", "scores"):
            table = getattr(self, name)
            found[name] = xp.where(xp.isnan(table), xp.full_like(table, -1.0), table)
        found["stats"] = [-1.0 if value != value else value for value in self.summary.values()]  # noqa: PLR0124
        return found
