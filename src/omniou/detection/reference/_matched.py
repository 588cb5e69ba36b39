"""Match the columns of both sides, and give pycocotools' tables."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._inputs.kinds import settled
from omniou._lib import backends
from omniou.detection._matcher import Matcher
from omniou.detection._protocol import COCO, AreaRange, Protocol
from omniou.detection.matching._groups import GroupIds
from omniou.detection.matching._matches import Compared
from omniou.detection.reference import _tables
from omniou.keypoints import Skeleton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from omniou._inputs.inputs import Detections, Targets

np: Any = backends.numpy_namespace()


class Rules(NamedTuple):
    """What is evaluated, as pycocotools' parameters have it."""

    kind: str
    thresholds: tuple[float, ...]
    areas: tuple[tuple[float, float], ...]
    limits: tuple[int, ...]
    images: tuple[Any, ...]
    categories: tuple[Any, ...]
    with_categories: bool
    sigmas: tuple[float, ...]
    corrected: bool  # of pycocotools' plain faults


class Matched:
    """Matches of columns, whose images and labels are places among those of the rules.

    Parameters
    ----------
    rules : Rules
    columns : tuple of Targets and Detections, optional
        Default: a class below reads them when they are needed.
    """

    # Whether `found` gives pycocotools' numbers.
    is_exact = True
    # Whether pycocotools reads an id of these annotations as "unmatched".
    reads_ids = False

    def __init__(self, rules: Rules, columns: tuple[Targets[Any], Detections[Any]] | None = None, /) -> None:
        self.rules, self._both = rules, columns
        # Thresholds in any order: those that differ are evaluated, and read off at these places.
        rising, self._levels = np.unique(np.clip(np.asarray(rules.thresholds, float), 0, 1), return_inverse=True)
        self._rising = tuple(rising.tolist()) or COCO.iou_thresholds
        self._areas = {area: place for place, area in enumerate(dict.fromkeys(rules.areas))}

    def match(self) -> None:
        """Read the columns, which may change later, and match them."""
        self._compared  # noqa: B018
        if self.is_exact:
            self._state  # noqa: B018

    def found(self, limits: Sequence[int], /) -> _tables.Found:
        """Return the tables of all cells, of the thresholds and area ranges of the rules and some of the limits."""
        areas, places = [self._areas[x] for x in self.rules.areas], [self._limits.index(x) for x in limits]

        def found(recall_points: Sequence[float]) -> dict[str, Any]:
            every = _tables.of_state(self._state, recall_points)
            for axis, chosen in ((0, self._levels.tolist()), (-2, areas), (-1, places)):
                for name, x in every.items():
                    if chosen != list(range(x.shape[axis])):
                        every[name] = np.take(x, chosen, axis=axis)
            return every

        return found

    @property
    def _size(self) -> tuple[int, int]:
        """Return the numbers of images and classes."""
        return len(self.rules.images), len(self.rules.categories) if self.rules.with_categories else 1

    def _columns(self) -> Any:
        return self._both

    @functools.cached_property
    def _limits(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.rules.limits)))

    @functools.cached_property
    def _protocol(self) -> Protocol:
        ranges = [AreaRange(str(k), low, high, str(k)) for k, (low, high) in enumerate(self._areas) if low <= high]
        return Protocol(
            iou_thresholds=self._rising,
            recall_points=COCO.recall_points,
            area_ranges=tuple(ranges) or COCO.area_ranges[:1],
            max_detections=self._limits,
        )

    @functools.cached_property
    def _compared(self) -> Compared:
        images, classes = self._size
        targets, detections = self._columns()
        tables, _ = self._matcher.read(targets, detections, list(range(images)))
        return Compared(tables, GroupIds(np.arange(classes), np.arange(images)), self._protocol)

    @functools.cached_property
    def _matcher(self) -> Matcher:
        kind: Any = self.rules.kind
        if kind == "keypoints":
            kind = Skeleton(name="pycocotools", sigmas=self.rules.sigmas)
        of_boxes = None if kind == "segm" else "xywh"
        return Matcher(self._protocol, settled(kind, of_boxes, 0.0, None), list(range(self._size[1])))

    @functools.cached_property
    def _state(self) -> Any:
        return self._matcher.matched([self._compared.tables])
