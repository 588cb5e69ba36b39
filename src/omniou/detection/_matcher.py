"""Read and match detections of whole images: the steps of `evaluate` and of `Evaluator`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import array_api_compat as compat

from omniou._inputs import inputs
from omniou._inputs import tables as parts
from omniou._inputs.dicts import are_dicts, check_unnamed, flatten, is_padding
from omniou._lib import threads
from omniou.detection.curves._state import State, build, merge
from omniou.detection.matching._groups import ids_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from omniou._inputs.kinds import Kind
    from omniou._inputs.tables import Tables
    from omniou._lib.types import Namespace
    from omniou.detection._protocol import Protocol
    from omniou.detection.matching._matches import Compared

# Detections that are matched at once. With more, each of the many passes over the columns misses the cache.
AT_ONCE = 2**19
# Most threads that match. More of them would only wait for each other between calls of NumPy.
THREADS = 2


class Matcher(NamedTuple):
    """The rules and the kind of a comparison."""

    protocol: Protocol
    kind: Kind
    classes: Any  # to evaluate, as a caller gives them; None for all that occur
    similarity: Any = None  # a function for all calls

    def compared(self, tables: Tables, state: State) -> Compared:
        """Return checked columns with the classes and images that were compared."""
        from omniou.detection.matching._matches import Compared

        labels = self._classes(tables) if self.protocol.class_agnostic else state.classes
        return Compared(tables, ids_of(labels, state.images, self.protocol, xp=tables.xp), self.protocol)

    def _classes(self, tables: Tables) -> Any:
        given = tables.targets.labels, tables.detections.labels
        return inputs.rising_ids(self.classes, *given, name="classes", xp=tables.xp)

    def read(
        self,
        targets: Any,
        detections: Any,
        images: Any,
        first: int = 0,
        *,
        similarity: Any = None,
        names: Mapping[int, str] = MappingProxyType({}),
        only_names: bool = False,
    ) -> tuple[Tables, int]:
        """Return checked columns, and the number of the next image. Images of dictionaries count from `first`.

        `names`: of images, and with `only_names` all that the caller knows.
        """
        missing_scores = self.protocol.missing_scores
        given: dict[str, Any] = {"targets": targets, "detections": detections, "first": first}
        if are_dicts(targets, detections):
            check_unnamed(images)
            if self.classes is not None and any(map(is_padding, inputs.listed_ids("classes", self.classes))):
                raise ValueError(
                    "`classes` must not be negative with lists of dictionaries, where a negative label marks padding: "
                    "pass Targets and Detections"
                )
            targets, detections, images = flatten(targets, detections, first, self.kind, missing_scores=missing_scores)
            first += len(images)
        tables = inputs.read(targets, detections, images, self.kind, missing_scores=missing_scores)
        if self.classes is None:
            _check_padding(targets=tables.targets.labels, detections=tables.detections.labels, xp=tables.xp)
        if self.protocol.measure != "iou":
            given["similarity"] = self.similarity if similarity is None else similarity
            given |= {"names": {name: id for id, name in names.items()}, "only_names": only_names}
            tables = self._with_similarities(tables, given)
        return tables, first

    def _with_similarities(self, tables: Tables, given: Mapping[str, Any]) -> Tables:
        from omniou._inputs.similarities import attached
        from omniou._inputs.similarity_values import Given

        ranges = self.protocol.area_ranges
        return attached(
            tables,
            Given(**given, thresholds=self.protocol.iou_thresholds),
            lower=self.protocol.measure == "distance",
            areas=len(ranges) > 1 or ranges[0].low > 0,
            invariant=self.protocol.tie_policy == "invariant",
        )

    def matched(self, waiting: Sequence[Tables]) -> State:
        """Match checked columns in blocks that fit the cache, and return the state."""
        xp = waiting[-1].xp
        # Threads only help with NumPy, which releases the interpreter lock.
        several = min(THREADS, threads.most()) if self.kind.threads and compat.is_numpy_namespace(xp) else 1
        states: dict[int, State] = {}

        def match(number: int, tables: Tables) -> None:
            ids = ids_of(self._classes(tables), tables.images, self.protocol, xp=tables.xp)
            states[number] = build(tables, ids, self.protocol, self.kind.name)

        blocks = parts.blocks(parts.joined(waiting), AT_ONCE, several)
        threads.each(match, list(enumerate(blocks)), threads=several, few=1)
        return merge(list(states.values()), xp=xp) if len(states) > 1 else states[0]


def _check_padding(*, xp: Namespace, **labels: Any) -> None:
    """Raise for labels that may be padding, in tables whose classes nobody named."""
    for name, x in labels.items():
        if x.shape[0] and (least := int(xp.min(x))) < 0:
            raise ValueError(
                f"`{name}.labels` must not be negative unless `classes` names these labels, got {least}: leave rows "
                "of padding out, as by `labels >= 0`, or pass `classes`"
            )
