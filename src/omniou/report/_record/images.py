"""Find the images with most errors, and what to draw of them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from omniou._lib.brief import counted, threshold
from omniou.detection import Result
from omniou.report._record.contours import contours
from omniou.report._record.details import Reasons, reasons, window
from omniou.report._record.series import Numbers, Series, known
from omniou.report._record.tables import Table
from omniou.report._record.values import array

if TYPE_CHECKING:
    from omniou.report._record.record import Record

# The most shapes that are drawn of one image: readers cannot tell more apart.
MOST_SHAPES = 120
# The most polygons of one mask that are drawn, the longest ones.
_MOST_PARTS = 8
# Outcomes in the order in which they get room in a picture, with their tables: 0 for targets, 1 for detections.
_SIDES = {"missed": 0, "false": 1, "hit": 1, "found": 0, "ignored": 0}
# Outcomes that are counted, and their names in JSON.
_TALLIED = {"hit": "true_positives", "false": "false_positives", "missed": "missed"}


class Outlined(NamedTuple):
    """The rows of one table, in the order that they were given."""

    images: Numbers  # (N,) ids
    labels: Numbers  # (N,)
    places: Numbers  # (N,) of the labels among the rising classes of a result; of an unknown label, of a neighbour
    known: Numbers  # (N,) whether the label is among these classes
    shapes: Any  # `Shapes`

    def rows_of(self, image: int) -> Numbers:
        """Return the rows of an image, by its id, whose labels are known."""
        return np.flatnonzero((self.images == image) & self.known)

    def edges(self) -> list[list[int]] | None:
        """The pairs of keypoints that are joined; None of shapes with an outline."""
        lines = self.shapes.lines(self.shapes.xp.asarray([], dtype=self.shapes.xp.int64))
        return None if lines is None else [list(edge) for edge in lines[1]]

    def around(self, row: int) -> tuple[Numbers, Numbers]:
        """Corners (D,) of the window around a shape."""
        bounds = self.shapes.bounds(self.shapes.xp.asarray([row], dtype=self.shapes.xp.int64))
        return window(array(bounds.low)[:, 0], array(bounds.high)[:, 0])

    def points(self, row: int) -> list[float | None]:
        """Return the points of a shape: x and y of two corners of an upright box, or of the vertices of another shape.

        Keypoints have x and y of each point, None for points that are not labelled. Masks have polygons around their
        parts and holes, with None twice between them: [0, 0, 4, 0, 4, 3, None, None, 6, 6, ...]. Intervals have begin
        and end. 3-D boxes have the corners of their footprint; other shapes in three dimensions have no points.

        Numbers are rounded to a tenth of a pixel, or to four decimals if all are within 10.
        """
        xp = self.shapes.xp
        number = xp.asarray([row], dtype=xp.int64)
        bounds = self.shapes.bounds(number)
        if bounds.low.shape[0] == 1:
            return [round(float(x[0, 0]), 4) for x in (bounds.low, bounds.high)]
        if not self.shapes.has_outlines(bounds.low.shape[0]):
            return []
        if (lines := self.shapes.lines(number)) is not None:
            x, y, seen = array(lines[0])[0].T
            known = np.repeat(seen > 0, 2)
            listed = _rounded(np.stack([x, y], axis=1).reshape(-1))
            if len(listed) == 2:  # a single point is given twice: two numbers are an interval
                listed, known = listed * 2, np.tile(known, 2)
            return [p if is_known else None for p, is_known in zip(listed, known.tolist(), strict=True)]
        if (cut := self.shapes.pixels(row)) is not None:
            return _of_mask(*cut)
        x, y = array(self.shapes.outlines(number))[0].T
        if len(x) == 4 and x[0] == x[3] and x[1] == x[2] and y[0] == y[1] and y[2] == y[3]:
            x, y = x[[0, 2]], y[[0, 2]]
        return [*_rounded(np.stack([x, y], axis=1).reshape(-1))]


def _of_mask(pixels: Numbers, start: tuple[int, int]) -> list[float | None]:
    """The polygons of a mask, one after the other: two None stand between them."""
    out: list[float | None] = []
    for line in contours(pixels)[:_MOST_PARTS]:
        out += [None, None] if out else []
        out += (line + np.asarray(start)).astype(np.int64).reshape(-1).tolist()
    # A polygon has three vertices or more, so it cannot be read as the four numbers of a box.
    return out


def _rounded(numbers: Numbers) -> list[float]:
    rounded: list[float] = numbers.round(1 if np.abs(numbers).max() > 10 else 4).tolist()
    return rounded


class Judged(NamedTuple):
    """The outcome of each detection and object of a result, for detections from one score on."""

    score: float
    iou_threshold: float
    tables: tuple[Outlined, Outlined]  # of objects and of detections
    outcomes: tuple[Numbers, Numbers]  # (N,) likewise: found, missed, ignored; hit, false, neither
    scores: Numbers  # of detections
    is_scored: bool
    classes: Numbers
    ids: Numbers  # (I,) of images, rising
    tally: Mapping[str, Numbers]  # (I,) by the keys of `_TALLIED`

    @property
    def errors(self) -> Numbers:
        """Missed objects and false positives of each image (I,)."""
        return np.asarray(self.tally["missed"] + self.tally["false"])

    def counts(self, place: int) -> dict[str, int]:
        """Return the number of outcomes of each type of an image."""
        return {key: int(self.tally[name][place]) for name, key in _TALLIED.items()}

    def drawn(self, place: int, why: Reasons | None = None) -> dict[str, Any]:
        """Return what to draw of an image, by its place in `ids`, with the reasons of its errors if given."""
        here = [table.rows_of(int(self.ids[place])) for table in self.tables]
        of_outcome = {name: here[side][self.outcomes[side][here[side]] == name] for name, side in _SIDES.items()}
        rows, more = _drawn_rows(of_outcome, self.scores)
        missed = _counted(self.tables[0].places[of_outcome["missed"]])
        shapes = shapes_of(self.tables, rows, self.scores if self.is_scored else None)
        known = {**self.counts(place), "missed_classes": missed, "shapes": shapes, "more": more}
        if why is None:
            return known
        told = {
            "missed": [why.of_object(row) for row in rows.get("missed", [])],
            "false": [why.of_detection(row, self.tables[0].places) for row in rows.get("false", [])],
        }
        return {**known, "reasons": told}


def judged(result: Result[Any], score: float | None = None, /) -> Judged:
    """Find the outcomes of a result at the first IoU threshold, for scores from `Result.least_score` on."""
    score = result.least_score(score)
    targets, detections = tables_of(result)
    matches = result.matches
    shown = array(matches.scores) >= score
    # A detection over the limit does not count, but its object is not missed.
    detection = np.maximum(array(matches.detections)[0], array(matches.over_limit)[0])
    # An object whose detection scores too low is missed. `detection` is -1 for an object without a detection, which
    # indexes the appended False: with `shown` (True, False), detections (0, 1, -1) are True, False, False.
    seen = (detection >= 0) & np.append(shown, False)[detection]
    counts = array(matches.target_counts)
    outcomes = (
        np.where(counts, np.where(seen, "found", "missed"), "ignored"),
        np.where(array(matches.hits)[0], "hit", np.where(array(matches.false_alarms)[0], "false", "neither")),
    )
    outcomes[1][~shown] = "neither"
    ids = array(result.state.images)
    tally = {
        name: _per_image(table.images[outcome == name], ids)
        for table, outcome, name in (
            (targets, outcomes[0], "missed"),
            (detections, outcomes[1], "hit"),
            (detections, outcomes[1], "false"),
        )
    }
    return Judged(
        score=score,
        iou_threshold=result.protocol.iou_thresholds[0],
        tables=(targets, detections),
        outcomes=outcomes,
        scores=array(matches.scores),
        is_scored=not result.protocol.missing_scores,
        classes=array(result.classes),
        ids=ids,
        tally=tally,
    )


def worst(
    result: Result[Any],
    /,
    *,
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[float, float]],
    most: int = 14,
    score: float | None = None,
) -> Series:
    """Find the images with most errors at the first IoU threshold, and what to draw of each.

    Detections count from `score` on, by default `Result.least_score`. `names` and `sizes` (height, width) are mappings
    by image id.
    """
    known, why = judged(result, score), reasons_of(result)
    chosen = [int(k) for k in np.argsort(-known.errors, kind="stable")[:most] if known.errors[k]]
    return {
        "score": known.score,
        "iou_threshold": known.iou_threshold,
        "with_errors": int(np.count_nonzero(known.errors)),
        "edges": known.tables[0].edges(),
        "images": [header(int(known.ids[k]), names, sizes) | known.drawn(k, why) for k in chosen],
    }


def reasons_of(result: Result[Any], /) -> Reasons:
    """Return TIDE's error types of a result."""
    return reasons(result.errors())


def header(id: int, names: Mapping[int, str], sizes: Mapping[int, tuple[float, float]]) -> dict[str, Any]:
    """Return id, name and size of an image; the size is None if unknown."""
    return {"id": id, "name": names.get(id, str(id)), "size": size_of(sizes.get(id))}


def worst_tables(value: Series, record: "Record") -> list[Table]:
    """Make a table with a row for each image."""
    rows = [(x["name"], x["missed"], x["false_positives"], x["true_positives"]) for x in value["images"]]
    words = record.shapes
    at = f"{words.overlap} {value['iou_threshold']:g}"
    at = f"score at least {threshold(value['score'])}, {at}" if record.is_scored else at
    title, note = (
        f"{words.holders.capitalize()} with most errors ({at})",
        f"{counted(value['with_errors'], words.holders)} with errors.",
    )
    return [Table(title, (words.holder, "missed", "false positives", "true positives"), rows, note)]


def tables_of(result: Result[Any]) -> tuple[Outlined, Outlined]:
    tables, matches, classes = result.compared.tables, result.matches, array(result.classes)

    def outlined(table: Any, labels: Numbers) -> Outlined:
        places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        return Outlined(array(table.images), labels, places, np.isin(labels, classes), table.shapes)

    # Labels of the matches are 0 where all classes are one, and the tables hold them as they were given.
    return outlined(tables.targets, array(matches.target_labels)), outlined(tables.detections, array(matches.labels))


def _per_image(images: Numbers, ids: Numbers) -> Numbers:
    """Count `images` (N,) by rising `ids` (I,), which hold all of them: 7, 3, 7 by 3, 5, 7 are 1, 0, 2."""
    return np.bincount(np.searchsorted(ids, images), minlength=len(ids))


def _drawn_rows(of_outcome: Mapping[str, Numbers], scores: Numbers) -> tuple[dict[str, list[int]], int]:
    """Return the rows of an image that are drawn, by outcome, and how many are not.

    Errors come first, since the image was chosen for them: true positives and their objects exceed the limit first.
    """
    rows = {
        name: all_of[np.argsort(-scores[all_of], kind="stable")] if _SIDES[name] else all_of
        for name, all_of in of_outcome.items()
    }
    drawn: dict[str, list[int]] = {}
    left, more = MOST_SHAPES, 0
    for name, all_of in rows.items():
        # Missed objects leave up to a third of the room to false positives: with room for 120, 100 missed objects and
        # 50 false positives, 80 and 40 are drawn.
        room = left - min(len(rows["false"]), left // 3) if name == "missed" else left
        more += max(0, len(all_of) - room)
        if room and len(all_of):
            drawn[name] = all_of[:room].tolist()
        left -= min(room, len(all_of))
    return drawn, more


def shapes_of(
    tables: tuple[Outlined, Outlined], rows: Mapping[str, list[int]], scores: Numbers | None
) -> dict[str, list[Any]]:
    """What is drawn, by outcome: the place of a class, a score or None, points."""
    drawn: dict[str, list[Any]] = {}
    for name, chosen in rows.items():
        side = _SIDES[name]
        table = tables[side]
        shown = scores if side else None
        drawn[name] = [
            [int(table.places[row]), None if shown is None else round(float(shown[row]), 4), table.points(row)]
            for row in chosen
        ]
    return drawn


def _counted(places: Numbers) -> list[list[int]]:
    """Return [place of a class, how often it occurs], by rising place."""
    return np.stack(np.unique(places, return_counts=True), axis=1).tolist()


def size_of(size: Any) -> list[float] | None:
    """Return height and width; None unless both are known."""
    if size is None or any(known(side) is None for side in size):
        return None
    return [float(side) for side in size]
