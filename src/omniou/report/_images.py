"""Which images and labels to look at: those with most errors, drawn, and labels that may be wrong."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou.detection import Result
from omniou.detection._breakdown import KINDS
from omniou.report._series import Numbers, Series, array, known

# Shapes of one image that are drawn: more than these nobody tells apart.
MOST_SHAPES = 120


class Outlined(NamedTuple):
    """The rows of one table, in the order that they were given."""

    images: Numbers  # (N,) ids
    labels: Numbers  # (N,)
    shapes: Any  # `Shapes`

    def points(self, row: int) -> list[list[float]] | None:
        """Vertices of one shape, rounded to a tenth of a pixel, or to four digits where all lies within 10."""
        xp = self.shapes.xp
        number = xp.asarray([row], dtype=xp.int64)
        if self.shapes.bounds(number).low.shape[0] != 2:
            return None
        outline = array(self.shapes.outlines(number))[0]
        return outline.round(1 if np.abs(outline).max() > 10 else 4).tolist()  # type: ignore[no-any-return]


def worst(
    result: Result[Any],
    /,
    *,
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[float, float]],
    most: int = 24,
) -> Series:
    """The images with most errors at the first IoU threshold, and what to draw of each.

    Detections count from the score on at which the mean F1 is best. `names` and `sizes` are those of the images, by id;
    a size is height and width.
    """
    score = known(result.operating_points().common_score) or 0.0
    targets, detections = _tables(result)
    matches = result.matches
    shown = array(matches.scores) >= score
    found = array(matches.detections)[0]
    # An object that a detection below the threshold of scores found is missed there.
    seen = (found >= 0) & np.append(shown, False)[found]
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
        shapes = [
            *_shapes(targets, outcomes[0], number, classes, None),
            *_shapes(detections, outcomes[1], number, classes, array(matches.scores)),
        ]
        images.append(
            {
                "id": number,
                "name": names.get(number, str(number)),
                "size": _size(sizes.get(number)),
                "true_positives": int(tally["hit"][k]),
                "false_positives": int(tally["false"][k]),
                "missed": int(tally["missed"][k]),
                "shapes": shapes[:MOST_SHAPES],
                "more": max(0, len(shapes) - MOST_SHAPES),
            }
        )
    return {
        "score": score,
        "iou_threshold": result.protocol.iou_thresholds[0],
        "with_errors": int(np.count_nonzero(errors)),
        "images": images,
    }


def label_errors(result: Result[Any], /, *, names: Mapping[int, str], most: int = 24, score: float = 0.5) -> Series:
    """Labels to look at: confident detections that meet nothing or another class, and objects that nobody finds.

    Detections are confident from `score` on, or in the upper half of those there are, where scores are not in [0, 1].
    The first ones are the most confident, and the largest.
    """
    targets, detections = _tables(result)
    matches, errors = result.matches, result.errors()
    scores, kinds, about = array(matches.scores), array(errors.kinds), array(errors.objects)
    if scores.size and scores.max() > 1:
        score = float(np.median(scores))
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
            )
            for row in other[:most]
        ],
        "unfound": [entry(targets, int(row)) for row in missed[:most]],
    }


def _tables(result: Result[Any]) -> tuple[Outlined, Outlined]:
    tables = result.compared.tables
    targets, detections = (
        Outlined(array(table.images), array(table.labels), table.shapes)
        for table in (tables.targets, tables.detections)
    )
    return targets, detections


def _per_image(images: Numbers, ids: Numbers) -> Numbers:
    """Ids (N,), rising ids (I,) -> how many there are of each (I,)."""
    return np.bincount(np.searchsorted(ids, images), minlength=len(ids))


def _shapes(
    table: Outlined, outcomes: Numbers, image: int, classes: Numbers, scores: Numbers | None
) -> Sequence[dict[str, Any]]:
    """What is drawn of the rows of an image: the most important last, so that it lies above the others."""
    rows = np.flatnonzero((table.images == image) & (outcomes != "neither"))
    drawn = []
    for row in rows.tolist():
        points = table.points(row)
        place = int(np.searchsorted(classes, table.labels[row]))
        if points is None or place == len(classes) or classes[place] != table.labels[row]:
            continue
        score = None if scores is None else round(float(scores[row]), 4)
        drawn.append({"outcome": str(outcomes[row]), "class": place, "score": score, "points": points})
    return drawn


def _size(size: Any) -> list[float] | None:
    """Height and width, where both are known."""
    if size is None or any(known(side) is None for side in size):
        return None
    return [float(side) for side in size]
