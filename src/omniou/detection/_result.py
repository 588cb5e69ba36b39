"""The outcome of an evaluation. Its analyses are imported when they are asked for."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from omniou._lib import backends, extras, indexing
from omniou._lib.host import namespace_of
from omniou._lib.types import ArrayT
from omniou._results import shown
from omniou._results.base import Named
from omniou.detection._result_analyses import Analyses
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from omniou._lib.findings import Finding
    from omniou.detection.matching._matches import Compared


class Result(Analyses[ArrayT]):
    """The numbers of an evaluation, and the curves behind them. "No data" is NaN, as for a class without objects.

    T IoU thresholds, R recall thresholds, K classes, A area ranges, M limits of detections per image. What is not
    asked for is not computed.

    Attributes
    ----------
    names, image_names : mapping of int to str
        Names of classes and of images, if known: from a ground truth that was read, or from columns
        that hold names. May be set.
    """

    def __init__(
        self,
        curves: Curves,
        home: Callable[[Any], Any],
        groups: Mapping[str, Any],
        boxes: Callable[[], Compared] | None = None,
        /,
    ) -> None:
        self._curves, self._home, self.groups, self._boxes_again = curves, home, groups, boxes
        self.names: Mapping[int, str] = {}
        self.image_names: Mapping[int, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for pickles and copies, without computed ones, which are computed again."""
        held = {name: x for name, x in vars(self).items() if name not in _COMPUTED}
        held = {name: dict(x) if isinstance(x, dict) else x for name, x in held.items()}
        return held | {"_curves": self.state}

    def __setstate__(self, held: dict[str, Any]) -> None:
        """Restore the attributes."""
        state = held["_curves"]
        vars(self).update(held, _curves=Curves(Ranking(state, xp=namespace_of(state.scores))))

    def _title(self) -> str:
        """The counts. Intervals are in videos, boxes in images."""
        from omniou._inputs.kinds import words_of

        counts, holders = self.counts, words_of(self.state.kind).holders
        held = {"detections": counts["detections"], "objects": counts["objects"], holders: counts["images"]}
        return shown.title(held | {"classes": counts["classes"]})

    def _columns(self) -> dict[str, dict[str, list[Any]]]:
        labels = indexing.to_list(self.state.classes)
        objects = indexing.to_list(self.state.objects[:, 0])
        classes = {"id": labels, "name": [self.names.get(x, str(x)) for x in labels], "objects": objects}
        numbers = {name: [float(x) for x in indexing.to_list(column)] for name, column in self.per_class.items()}
        return {"per_class": classes | numbers}

    def of_images(self, images: Any, /) -> Result[ArrayT]:
        """Return the result on some of the images, without matching again: images at night, or of one camera.

        Parameters
        ----------
        images : sequence or array of integers, shape (I,)
            Ids; of lists of images the place of each, from 0. They may repeat.

        Returns
        -------
        Result
            A result with the same classes, without boxes: it has the summary, curves and intervals, but no `errors`.
            Its `surplus` is 0, as a state does not know the images of detections beyond the limit.

        Raises
        ------
        TypeError, ValueError
            If `images` are not integers, or one is not among the images.

        Examples
        --------
        >>> from omniou import detection
        >>> truth = [{"boxes": [[0, 0, 10, 10]], "labels": [1]}] * 2
        >>> found = [{"boxes": [[0, 0, 10, high]], "labels": [1], "scores": [0.5]} for high in (9, 2)]
        >>> result = detection.evaluate(truth, found)
        >>> [round(result.of_images([k]).summary["AP50"], 2) for k in range(2)]
        [1.0, 0.0]
        """
        from omniou._inputs.inputs import rising_ids
        from omniou.detection.curves._state import of_images

        xp, every = self._curves.xp, self.state.images
        chosen = rising_ids(images, every, name="images", xp=xp)
        inside = indexing.place(chosen, every, xp=xp)[1]
        if unknown := sorted(set(indexing.to_list(chosen)) - set(indexing.to_list(every[inside]))):
            raise ValueError(f"`images` must be ids of evaluated images, {every.shape[0]} in all, got {unknown[0]}")
        part: Result[ArrayT] = Result(
            Curves(Ranking(of_images(self.state, inside, xp=xp), xp=xp)), self._home, self.groups
        )
        part.names, part.image_names = self.names, self.image_names
        return part

    @property
    def counts(self) -> dict[str, int]:
        """Images, classes, objects that count in the first area range, and detections with those over the limit."""
        return self.state.counts

    @property
    def surplus(self) -> int:
        """Detections above the protocol's limit, which were excluded."""
        return self.state.surplus

    @functools.cached_property
    def summary(self) -> Named[str, float]:
        """COCO's twelve numbers by name, as Python floats.

        AP, AP50, AP75, APs, APm, APl, AR1, AR10, AR100, ARs, ARm, ARl: means over the classes that have objects. A
        protocol with other limits or area ranges has AR and its limits, and the suffixes of its ranges; groups of
        classes have AP and their name, and so have groups of images.
        """
        of_images = summary.of_images(self._curves, self.state.names.image_groups)
        return Named(summary.overall(self._curves, self.groups) | of_images)

    @functools.cached_property
    def per_class(self) -> Named[str, ArrayT]:
        """The numbers of `summary` for each class, by name: arrays of shape (K,)."""
        return Named({name: self._home(x) for name, x in summary.per_class(self._curves).items()})

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

        All tables have pycocotools' layout.
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
        """The tables as pycocotools has them, for comparison: -1 instead of NaN.

        Returns
        -------
        dict
            "precision", "recall" and "scores" as arrays, and "stats": the numbers of `summary` as a list.
        """
        arrays: dict[str, Any] = {}
        for name in ("precision", "recall", "scores"):
            table = getattr(self, name)
            xp = backends.array_namespace(table)
            arrays[name] = xp.where(xp.isnan(table), xp.full_like(table, -1.0), table)
        arrays["stats"] = [-1.0 if value != value else value for value in self.summary.values()]  # noqa: PLR0124
        return arrays

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """What makes the boxes, classes and scores doubtful, as `omniou.detection.check` returns it.

        It is computed when it is first asked for, or when the result is printed. Empty if boxes are not kept, or NumPy
        is not installed.
        """
        if self._boxes_again is None or not extras.has("numpy"):
            return []
        from omniou.detection.doctor import _arrays as doctor

        found = doctor.of_tables(self._boxes.tables, self.names, self.image_names)
        # Without an order of equal scores there is nothing to doubt.
        ordered = self.protocol.tie_policy != "invariant"
        return [x for x in found if ordered or x.code != "scores-equal"]

    def _table(self, cell: Callable[[int, int], Any]) -> ArrayT:
        """(T, K, ...) for each area range and limit -> (T, ..., K, A, M)."""
        xp, protocol = self._curves.xp, self.protocol
        areas, limits = len(protocol.area_ranges), len(protocol.max_detections)
        x = xp.stack([self._curves.spread(cell(a, m), 1) for a in range(areas) for m in range(limits)])
        x = xp.reshape(x, (areas, limits, *x.shape[1:]))
        return self._brought(xp.permute_dims(x, (2, *range(4, x.ndim), 3, 0, 1)))


_COMPUTED = {
    name for cls in Result.__mro__ for name, x in vars(cls).items() if isinstance(x, functools.cached_property)
}
