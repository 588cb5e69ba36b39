"""Check the values of analyses that have pictures: images with errors, and likely label errors."""

from collections.abc import Iterator, Sequence

import msgspec

Number = float | None
# A shape as pictures draw it: the place of its class, a score or None, and points x, y, x, y, ... For example,
# [2, 0.91, [10, 20, 50, 60]] is a detection of class 2, a box from (10, 20) to (50, 60).
_Drawn = tuple[int, Number, list[Number]]
_Shapes = dict[str, list[_Drawn]]
# Larger coordinates could overflow in the size of a picture.
_FARTHEST = 1e30


class _Reasons(msgspec.Struct):
    missed: list[str]
    false: list[tuple[str, int | None]]


class _Image(msgspec.Struct):
    id: int
    name: str
    size: tuple[float, float] | None
    missed: int
    false_positives: int
    true_positives: int
    missed_classes: list[tuple[int, int]]
    shapes: _Shapes
    more: int
    reasons: _Reasons | None = None

    def faults(self, classes: int) -> Iterator[str]:
        places = [place for place, _ in self.missed_classes]
        places += [place for _, place in (self.reasons.false if self.reasons else ()) if place is not None]
        yield from _places(places, classes)
        yield from _drawable(self.shapes, classes)
        yield from _sides(self.size)


class WorstImages(msgspec.Struct):
    score: float
    iou_threshold: float
    with_errors: int
    edges: list[tuple[int, int]] | None
    images: list[_Image]

    def faults(self, classes: int) -> Iterator[str]:
        for image in self.images:
            yield from image.faults(classes)


class _Label(msgspec.Struct, kw_only=True):
    image: int
    name: str
    size: tuple[float, float] | None
    place: int = msgspec.field(name="class")
    points: list[Number]
    near: _Shapes

    def faults(self, classes: int) -> Iterator[str]:
        rows: list[_Drawn] = [(self.place, None, self.points)]
        yield from _drawable({**self.near, "own": rows}, classes)
        yield from _sides(self.size)


class _Unmatched(_Label, kw_only=True):
    score: float


class _OtherClass(_Unmatched, kw_only=True):
    labelled: int
    labelled_points: list[Number]

    def faults(self, classes: int) -> Iterator[str]:
        yield from super().faults(classes)
        yield from _drawable({"labelled": [(self.labelled, None, self.labelled_points)]}, classes)


class _LabelCounts(msgspec.Struct):
    unmatched: int
    other_class: int
    unfound: int


class LabelErrors(msgspec.Struct):
    score: float
    iou_threshold: float
    edges: list[tuple[int, int]] | None
    counts: _LabelCounts
    unmatched: list[_Unmatched]
    other_class: list[_OtherClass]
    unfound: list[_Label]

    def faults(self, classes: int) -> Iterator[str]:
        for entry in (*self.unmatched, *self.other_class, *self.unfound):
            yield from entry.faults(classes)


def _places(places: Sequence[int], classes: int) -> Iterator[str]:
    if not all(0 <= place < classes for place in places):
        yield f"the place of no class: there are {classes}"


def _drawable(shapes: _Shapes, classes: int) -> Iterator[str]:
    rows = [row for rows in shapes.values() for row in rows]
    yield from _places([place for place, _, _ in rows], classes)
    for _, _, points in rows:
        pairs = list(zip(points[::2], points[1::2], strict=False))
        if len(points) % 2 or any((x is None) != (y is None) for x, y in pairs):
            yield "expected points as pairs of x and y"
        if any(x is not None and not abs(x) < _FARTHEST for x in points):
            yield "points too far away"


def _sides(size: tuple[float, float] | None) -> Iterator[str]:
    if size is not None and not all(0 < side < _FARTHEST for side in size):
        yield "expected sides above 0"
