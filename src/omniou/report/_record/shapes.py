"""Check the values of each analysis in records from files: types, lengths of lists, and places in lists.

`SHAPES` has an entry for each of `ANALYSES`. Faults are found without drawing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from omniou.report._record.analysis_charts import ERRORS
from omniou.report._record.picture_shapes import LabelErrors, Number, WorstImages
from omniou.report._record.series import LRP_PARTS


class _Errors(msgspec.Struct):
    iou_threshold: float
    ap: Number
    cost: dict[str, Number]
    counts: dict[str, int]

    def faults(self, _: int) -> Iterator[str]:
        for name in ERRORS:
            if name not in self.cost or name not in self.counts:
                yield f"missing {name!r}"


class _Class(msgspec.Struct):
    id: int
    name: str


class _Best(_Class):
    """The best F1 of a class, and its score threshold."""

    f1: Number
    score: Number


class _Thresholds(msgspec.Struct):
    iou_threshold: float
    common_f1: Number
    common_score: Number
    per_class: list[_Best]


class _Confusion(msgspec.Struct):
    iou_threshold: float
    score: Number
    classes: list[_Class]
    cells: list[tuple[int, int, int]]

    def faults(self, _: int) -> Iterator[str]:
        size = len(self.classes)
        if not all(0 <= i <= size and 0 <= j <= size and n >= 0 for i, j, n in self.cells):
            yield "a cell of no class"


class _Above(msgspec.Struct):
    score: float
    error: Number
    by_chance: Number


class _Calibration(msgspec.Struct):
    iou_threshold: float
    edges: list[float]
    counts: list[int]
    confidence: list[Number]
    precision: list[Number]
    error: Number
    largest: Number
    by_chance: Number
    above: _Above | None = None

    def faults(self, _: int) -> Iterator[str]:
        yield from _lengths(len(self.edges) - 1, self.counts, self.confidence, self.precision)
        yield from _rising(self.edges)


class _Slice(msgspec.Struct):
    column: str
    name: str
    images: int
    classes: int
    objects: int
    detections: int
    summary: dict[str, Number]
    intervals: dict[str, tuple[float, float]]


_Lrp = msgspec.defstruct("_Lrp", [(name, Number) for name in LRP_PARTS])


class _Curves(msgspec.Struct):
    iou_thresholds: list[float]
    recall: list[float]
    mean: list[list[Number]]
    per_class: list[list[Number]]

    def faults(self, _: int) -> Iterator[str]:
        if not self.iou_thresholds:
            yield "no thresholds"
        yield from _lengths(len(self.iou_thresholds), self.mean)
        yield from _lengths(len(self.recall), *self.mean, *self.per_class)


class _F1(msgspec.Struct):
    iou_threshold: float
    scores: list[float]
    precision: list[Number]
    recall: list[Number]
    f1: list[Number]
    best_f1: Number
    best_score: Number

    def faults(self, _: int) -> Iterator[str]:
        yield from _lengths(len(self.scores), self.precision, self.recall, self.f1)
        if (self.best_f1 is None) != (self.best_score is None):
            yield "a best F1 without its score"


class _Scores(msgspec.Struct):
    iou_threshold: float
    edges: list[float]
    true_positives: list[int]
    false_positives: list[int]

    def faults(self, _: int) -> Iterator[str]:
        yield from _lengths(len(self.edges) - 1, self.true_positives, self.false_positives)
        yield from _rising(self.edges)


class _Overlaps(msgspec.Struct):
    iou_threshold: float
    edges: list[float]
    counts: list[int]
    mean: Number

    def faults(self, _: int) -> Iterator[str]:
        yield from _lengths(len(self.edges) - 1, self.counts)
        yield from _rising(self.edges)


class _Points(msgspec.Struct):
    iou_threshold: float
    true_positives: int
    names: list[str]
    edges: list[tuple[int, int]]
    labelled: list[int]
    similarity: list[Number]
    distance: list[Number]
    far: list[int]
    pose: list[tuple[float, float] | None]

    def faults(self, _: int) -> Iterator[str]:
        size = len(self.names)
        yield from _lengths(size, self.labelled, self.similarity, self.distance, self.far, self.pose)
        if not all(0 <= k < size for edge in self.edges for k in edge):
            yield f"an edge of no point: there are {size}"


class _PointNumbers(msgspec.Struct):
    objects: int
    detections: int
    true_positives: int
    F1: Number
    precision: Number
    recall: Number
    mean_iou: Number
    Acc50: Number
    centre_inside: Number


class _NamedNumbers(_PointNumbers, kw_only=True):
    """The numbers of a class or of an image."""

    id: int
    name: str


class _OnePoint(msgspec.Struct):
    iou_threshold: float
    summary: _PointNumbers
    per_class: list[_NamedNumbers]
    per_image: list[_NamedNumbers]


class _Phrase(msgspec.Struct):
    image: str
    name: str
    iou: float
    centre_inside: bool


class _Referring(msgspec.Struct):
    summary: dict[str, Number]
    per_phrase: list[_Phrase]


class _Proposals(msgspec.Struct):
    iou_thresholds: list[float]
    numbers: list[float]
    average_recall: list[Number]
    area: Number

    def faults(self, _: int) -> Iterator[str]:
        if not self.iou_thresholds or not self.numbers:
            yield "no thresholds or no numbers"
        yield from _lengths(len(self.numbers), self.average_recall)


class _AtRates(msgspec.Struct):
    iou_threshold: float
    holder: str
    rates: list[Annotated[float, msgspec.Meta(gt=0)]]
    scores: list[Number]
    curve: list[tuple[Annotated[float, msgspec.Meta(gt=0)], Number]]

    def _read(self) -> list[list[Number]]:
        raise NotImplementedError

    def faults(self, _: int) -> Iterator[str]:
        if not self.rates:
            yield "no rates"
        yield from _lengths(len(self.rates), self.scores, *self._read())
        yield from _rising(self.rates)


class _ClassRecall(_Class):
    recall: list[Number]
    mean: Number


class _Froc(_AtRates):
    recall: list[Number]
    mean: Number
    per_class: list[_ClassRecall]

    def _read(self) -> list[list[Number]]:
        return [self.recall, *(x.recall for x in self.per_class)]


class _ClassMissRate(_Class):
    miss_rate: list[Number]
    log_average: Number


class _MissRate(_AtRates):
    miss_rate: list[Number]
    log_average: Number
    per_class: list[_ClassMissRate]

    def _read(self) -> list[list[Number]]:
        return [self.miss_rate, *(x.miss_rate for x in self.per_class)]


class _ClassBest(_Class):
    precision: list[Number]
    recall: list[Number]


class _TopK(msgspec.Struct):
    iou_threshold: float
    holder: str
    numbers: list[Annotated[int, msgspec.Meta(gt=0)]]
    per: Literal["image", "all"]
    counted: list[int]
    precision: list[Number]
    recall: list[Number]
    per_class: list[_ClassBest]

    def faults(self, _: int) -> Iterator[str]:
        if not self.numbers:
            yield "no numbers"
        of_classes = [column for x in self.per_class for column in (x.precision, x.recall)]
        yield from _lengths(len(self.numbers), self.counted, self.precision, self.recall, *of_classes)
        yield from _rising(self.numbers)


class _EmptyOfClass(_Class):
    empty: int
    specificity: Number
    f1: Number


class _EmptyImages(msgspec.Struct):
    iou_threshold: float
    holder: str
    scores: list[float]
    images: int
    empty: int
    specificity: list[Number]
    precision: list[Number]
    recall: list[Number]
    f1: list[Number]
    image_f1: list[Number]
    perfect: list[Number]
    best_f1: Number
    best_score: Number
    per_class: list[_EmptyOfClass]

    def faults(self, _: int) -> Iterator[str]:
        columns = (self.specificity, self.precision, self.recall, self.f1, self.image_f1, self.perfect)
        yield from _lengths(len(self.scores), *columns)
        yield from _rising(self.scores)


SHAPES: Mapping[str, Any] = MappingProxyType(
    {
        "errors": _Errors,
        "thresholds": _Thresholds,
        "confusion": _Confusion,
        "calibration": _Calibration,
        "slices": list[_Slice],
        "lrp": _Lrp,
        "pr": _Curves,
        "f1": _F1,
        "scores": _Scores,
        "iou": _Overlaps,
        "one_point": _OnePoint,
        "referring": _Referring,
        "points": _Points,
        "proposals": _Proposals,
        "froc": _Froc,
        "miss_rate": _MissRate,
        "top_k": _TopK,
        "empty_images": _EmptyImages,
        "worst_images": WorstImages,
        "label_errors": LabelErrors,
    }
)
"""The type of the values of each analysis."""


def faults_of(analyses: Mapping[str, Any], classes: int, summary: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the place and the fault of each analysis that does not fit; unknown analyses are skipped.

    `classes` is the number of rows of classes, `summary` the names of the numbers.
    """
    for name, value in analyses.items():
        if name not in SHAPES:
            continue
        place = f"analyses.{name}"
        try:
            read = msgspec.convert(value, SHAPES[name])
        except msgspec.ValidationError as error:
            told, _, where = str(error).partition(" - at `$")
            yield f"{place}{where.rstrip('`')}", told
            continue
        faults: Callable[[int], Iterator[str]] = getattr(read, "faults", lambda _: iter(()))
        yield from ((place, fault) for fault in faults(classes))
        if name == "slices" and any(number not in row.summary for row in read for number in summary):
            yield place, "a slice without a number of `summary`"


def _lengths(size: int, *columns: Sequence[Any]) -> Iterator[str]:
    if any(len(column) != size for column in columns):
        yield f"expected {size} values in each list that goes with another"


def _rising(edges: Sequence[float]) -> Iterator[str]:
    if any(b < a for a, b in pairwise(edges)):
        yield "expected rising edges"
