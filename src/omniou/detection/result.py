"""The outcome of an evaluation."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Generic

import array_api_compat as compat

from omniou._lib.types import ArrayT
from omniou.detection import summary
from omniou.detection.curves import Curves
from omniou.detection.protocol import Protocol
from omniou.detection.state import State


class Result(Generic[ArrayT]):
    """COCO's numbers, and the curves behind them. "No data" is NaN: a class without objects, or none that has any.

    T IoU thresholds, R points of recall, K classes, A area ranges, M limits of detections per image. What is not
    asked for is not computed.
    """

    def __init__(self, curves: Curves, home: Callable[[Any], Any], groups: Mapping[str, Any], /) -> None:
        self._curves, self._home, self._groups = curves, home, groups

    @property
    def state(self) -> State:
        """What the numbers are computed from; states of other images can be merged with it."""
        return self._curves.ranking.state

    @property
    def protocol(self) -> Protocol:
        """What the axes T, R, A and M stand for."""
        return self.state.protocol

    @property
    def surplus(self) -> int:
        """Detections above the protocol's limit, which were left out."""
        return self.state.surplus

    @functools.cached_property
    def summary(self) -> dict[str, float]:
        """COCO's twelve numbers by name, as Python floats.

        AP, AP50, AP75, APs, APm, APl, AR1, AR10, AR100, ARs, ARm, ARl: means over the classes that have objects. A
        protocol with other limits or area ranges has AR and its limits, and the suffixes of its ranges; groups of
        classes have AP and their name.
        """
        return summary.overall(self._curves, self._groups)

    @functools.cached_property
    def per_class(self) -> dict[str, ArrayT]:
        """The numbers of `summary` for each class alone, by name: arrays of shape (K,)."""
        return {name: self._home(x) for name, x in summary.per_class(self._curves).items()}

    @functools.cached_property
    def classes(self) -> ArrayT:
        """Labels (K,), rising."""
        return self._brought(self.state.classes)

    @functools.cached_property
    def objects(self) -> ArrayT:
        """Objects that count, (K, A): neither crowds nor ignored."""
        return self._brought(self.state.objects)

    @functools.cached_property
    def precision(self) -> ArrayT:
        """Highest precision at each recall or a higher one, (T, R, K, A, M); 0 where the recall is not reached.

        The layout, as that of the other tables, is pycocotools'.
        """
        return self._table(self._curves.precision)

    @functools.cached_property
    def recall(self) -> ArrayT:
        """Highest recall, (T, K, A, M)."""
        return self._table(self._curves.recall)

    @functools.cached_property
    def scores(self) -> ArrayT:
        """Score at which each recall is reached, (T, R, K, A, M); 0 where it is not."""
        return self._table(self._curves.scores)

    def with_minus_one(self) -> dict[str, Any]:
        """The tables as pycocotools has them, for comparison: -1 in place of NaN.

        Returns
        -------
        dict
            "precision", "recall" and "scores" as arrays, and "stats": the numbers of `summary` as a list.
        """
        found: dict[str, Any] = {}
        for name in ("precision", "recall", "scores"):
            table = getattr(self, name)
            xp = compat.array_namespace(table)
            found[name] = xp.where(xp.isnan(table), xp.full_like(table, -1.0), table)
        found["stats"] = [-1.0 if value != value else value for value in self.summary.values()]  # noqa: PLR0124
        return found

    def _table(self, cell: Callable[[int, int], Any]) -> ArrayT:
        """(T, K, ...) for each area range and limit -> (T, ..., K, A, M)."""
        xp, protocol = self._curves.xp, self.protocol
        areas, limits = len(protocol.area_ranges), len(protocol.max_detections)
        x = xp.stack([cell(area, limit) for area in range(areas) for limit in range(limits)])
        x = xp.reshape(x, (areas, limits, *x.shape[1:]))
        return self._brought(xp.permute_dims(x, (2, *range(4, x.ndim), 3, 0, 1)))

    def _brought(self, x: Any) -> ArrayT:
        found: ArrayT = self._home(x)
        return found
