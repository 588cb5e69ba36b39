"""Which images and labels to look at: those with most errors, drawn, and labels that may be wrong."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from omniou.detection import Result
from omniou.report._contours import contours
from omniou.report._series import Numbers, Series, known
from omniou.report._tables import Table
from omniou.report._values import array

if TYPE_CHECKING:
    from omniou.report._record import Record

# Shapes of one image that are drawn: more than these nobody tells apart.
MOST_SHAPES = 120
# Polygons of one mask that are drawn, the longest ones.
_MOST_PARTS = 8
# Outcomes that are counted, and what they are called.
_TALLIED = {"hit": "true_positives", "false": "false_positives", "missed": "missed"}


class Outlined(NamedTuple):
    """The rows of one table, in the order that they were given."""

    images: Numbers  # (N,) ids
    labels: Numbers  # (N,)
    shapes: Any  # `Shapes`

    def edges(self) -> list[tuple[int, int]] | None:
        """The pairs of keypoints that are joined; None of shapes with an outline."""
        lines = self.shapes.lines(self.shapes.xp.asarray([], dtype=self.shapes.xp.int64))
        return None if lines is None else list(lines[1])

    def points(self, row: int) -> list[float | None]:
        """What to draw of a shape: x and y of two corners of an upright box, or of the vertices of another shape.

        Of keypoints x and y of each, None for those that are not labelled. Of masks the polygons around their parts and
        holes, with None twice between them.

        Rounded to a tenth of a pixel, or to four digits where all lies within 10. Of an interval its begin and end.
        Empty in three dimensions.
        """
        xp = self.shapes.xp
        number = xp.asarray([row], dtype=xp.int64)
        bounds = self.shapes.bounds(number)
        if bounds.low.shape[0] == 1:
            return [round(float(x[0, 0]), 4) for x in (bounds.low, bounds.high)]
        if bounds.low.shape[0] != 2:
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
    # Four numbers would be the corners of a box.
    return out


def _rounded(numbers: Numbers) -> list[float]:
    rounded: list[float] = numbers.round(1 if np.abs(numbers).max() > 10 else 4).tolist()
    return rounded


def worst(
    result: Result[Any],
    /,
    *,
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[float, float]],
    most: int = 24,
    score: float | None = None,
) -> Series:
    """The images with most errors at the first IoU threshold, and what to draw of each.

    Detections count from `score` on, by default `Result.least_score`. `names` and `sizes` are those of the images, by
    id; a size is height and width.
    """
    score = result.least_score(score)
    targets, detections = _tables(result)
    matches = result.matches
    shown = array(matches.scores) >= score
    detection = array(matches.detections)[0]
    # An object whose detection is below the threshold of scores is missed there. -1 stands for no detection, and takes
    # the False that is appended.
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
    errors = tally["missed"] + tally["false"]
    chosen = [int(k) for k in np.argsort(-errors, kind="stable")[:most] if errors[k]]
    classes = array(result.classes)
    images = []
    for k in chosen:
        number = int(ids[k])
        shapes, more = _shapes((targets, detections), outcomes, number, classes, array(matches.scores))
        images.append(
            {
                "id": number,
                "name": names.get(number, str(number)),
                "size": _size(sizes.get(number)),
                **{key: int(tally[name][k]) for name, key in _TALLIED.items()},
                "missed_classes": _missed_classes(targets, outcomes[0], number, classes),
                "shapes": shapes,
                "more": more,
            }
        )
    return {
        "score": score,
        "iou_threshold": result.protocol.iou_thresholds[0],
        "with_errors": int(np.count_nonzero(errors)),
        "edges": targets.edges(),
        "images": images,
    }


def label_errors(
    result: Result[Any], /, *, names: Mapping[int, str], most: int = 24, score: float | None = None
) -> Series:
    """Labels to look at: confident detections that meet nothing or another class, and objects that nobody finds.

    Detections are confident from `score` on, by default `Result.least_score`. The first ones are the most confident,
    and the largest.
    """
    from omniou.detection.analysis._breakdown import KINDS

    targets, detections = _tables(result)
    matches, errors = result.matches, result.errors()
    scores, kinds, about = array(matches.scores), array(errors.kinds), array(errors.objects)
    score = result.least_score(score)
    classes = array(result.classes)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= score]

    def entry(table: Outlined, row: int, **more: Any) -> dict[str, Any]:
        number = int(table.images[row])
        place = int(np.searchsorted(classes, table.labels[row]))
        where = {"image": number, "name": names.get(number, str(number)), "class": place}
        return where | more | {"points": table.points(row)}

    def confident(kind: str) -> list[int]:
        return [int(row) for row in order[kinds[order] == KINDS.index(kind)]]

    alone, other = confident("background"), confident("classification")
    missed = np.flatnonzero(array(errors.missed))
    missed = missed[np.argsort(-array(targets.shapes.area)[missed], kind="stable")]
    return {
        "score": score,
        "iou_threshold": result.protocol.iou_thresholds[0],
        "counts": {"unmatched": len(alone), "other_class": len(other), "unfound": len(missed)},
        "unmatched": [entry(detections, row, score=float(scores[row])) for row in alone[:most]],
        "other_class": [
            entry(
                detections,
                row,
                score=float(scores[row]),
                labelled=int(np.searchsorted(classes, targets.labels[about[row]])),
                labelled_points=targets.points(int(about[row])),
            )
            for row in other[:most]
        ],
        "unfound": [entry(targets, int(row)) for row in missed[:most]],
    }


def worst_tables(value: Series, record: "Record") -> list[Table]:
    """A row for each image."""
    rows = [(x["name"], x["missed"], x["false_positives"], x["true_positives"]) for x in value["images"]]
    at = f"score at least {value['score']:.3g}, IoU {value['iou_threshold']:g}"
    words = record.words
    title, note = (
        f"{words.holders.capitalize()} with most errors ({at})",
        f"{value['with_errors']} {words.holders} have errors.",
    )
    return [Table(title, (words.holder, "missed", "false positives", "true positives"), rows, note)]


def label_tables(value: Series, record: "Record") -> list[Table]:
    """What may be wrong about labels, of each kind."""

    def name(place: int) -> str:
        return str(record.per_class[place]["name"])

    at, counts, words = f"score at least {value['score']:.3g}", value["counts"], record.words
    where = "corners" if words.area == "area" else words.unit
    alone = [(x["name"], name(x["class"]), x["score"], _where(x["points"])) for x in value["unmatched"]]
    other = [
        (x["name"], name(x["labelled"]), name(x["class"]), x["score"], _where(x["points"]))
        for x in value["other_class"]
    ]
    missed = [(x["name"], name(x["class"]), _where(x["points"])) for x in value["unfound"]]
    return [
        Table(
            f"Detections that meet nothing ({at})",
            (words.holder, "detected as", "score", where),
            alone,
            f"The best {len(alone)} of {counts['unmatched']}: an object may not have been labelled.",
        ),
        Table(
            f"Detections of another class than their object ({at})",
            (words.holder, "class", "detected as", "score", where),
            other,
            f"The best {len(other)} of {counts['other_class']}: the class of the label may be wrong.",
        ),
        Table(
            "Objects that nothing finds",
            (words.holder, "class", where),
            missed,
            f"The largest {len(missed)} of {counts['unfound']}: there may be no such object.",
        ),
    ]


def _where(points: list[float | None]) -> str:
    """The corners of what bounds a shape."""
    known = [p for p in points if p is not None]
    if len(points) == len(known) == 2:
        return f"{known[0]:g} to {known[1]:g}"
    x, y = ([p for p in points[start::2] if p is not None] for start in (0, 1))
    if not x:
        return ""
    return f"{min(x):g}, {min(y):g} to {max(x):g}, {max(y):g}"


def _tables(result: Result[Any]) -> tuple[Outlined, Outlined]:
    tables, matches = result.compared.tables, result.matches
    # Labels of the matches are 0 where all classes are one, and the tables hold them as they were given.
    return (
        Outlined(array(tables.targets.images), array(matches.target_labels), tables.targets.shapes),
        Outlined(array(tables.detections.images), array(matches.labels), tables.detections.shapes),
    )


def _per_image(images: Numbers, ids: Numbers) -> Numbers:
    """Ids (N,), rising ids (I,) -> how many there are of each (I,); every id is among the rising ones."""
    return np.bincount(np.searchsorted(ids, images), minlength=len(ids))


def _shapes(
    tables: tuple[Outlined, Outlined], outcomes: tuple[Numbers, Numbers], image: int, classes: Numbers, scores: Numbers
) -> tuple[dict[str, list[Any]], int]:
    """By outcome, what is drawn of an image: the place of a class, a score or None, points; and how many are not.

    Errors come first, for which the image was chosen: what is beyond the limit are hits and what they found.
    """
    drawn: dict[str, list[Any]] = {}
    left, more = MOST_SHAPES, 0
    for name, side in (("missed", 0), ("false", 1), ("hit", 1), ("found", 0), ("ignored", 0)):
        table, outcome = tables[side], outcomes[side]
        place = _places(table, classes)
        rows = np.flatnonzero((table.images == image) & (outcome == name) & (classes[place] == table.labels))
        if side:
            rows = rows[np.argsort(-scores[rows], kind="stable")]
        more += max(0, len(rows) - left)
        for row in rows[:left].tolist():
            score = round(float(scores[row]), 4) if side else None
            drawn.setdefault(name, []).append([int(place[row]), score, table.points(row)])
        left = max(0, left - len(rows))
    return drawn, more


def _places(table: Outlined, classes: Numbers) -> Numbers:
    """Places of classes (N,); a label that no evaluated class has gets that of a neighbour."""
    return np.minimum(np.searchsorted(classes, table.labels), len(classes) - 1)


def _missed_classes(table: Outlined, outcome: Numbers, image: int, classes: Numbers) -> list[list[int]]:
    """Place and number of missed objects of each class of an image, also of those that are not drawn."""
    place = _places(table, classes)
    rows = (table.images == image) & (outcome == "missed") & (classes[place] == table.labels)
    return np.stack(np.unique(place[rows], return_counts=True), axis=1).tolist() if rows.any() else []


def _size(size: Any) -> list[float] | None:
    """Height and width, where both are known."""
    if size is None or any(known(side) is None for side in size):
        return None
    return [float(side) for side in size]
