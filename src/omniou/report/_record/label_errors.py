"""Find labels that may be wrong: confident detections on background or on another class, and missed objects."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._lib.brief import threshold
from omniou.detection import Result
from omniou.report._images.tags import extent
from omniou.report._record.details import MOST_CROPS, near
from omniou.report._record.images import Outlined, shapes_of, size_of, tables_of
from omniou.report._record.series import Numbers, Series
from omniou.report._record.tables import Table
from omniou.report._record.values import array

if TYPE_CHECKING:
    from omniou.report._record.record import Record


def label_errors(
    result: Result[Any],
    /,
    *,
    names: Mapping[int, str],
    sizes: Mapping[int, tuple[float, float]] = MappingProxyType({}),
    most: int = 24,
    score: float | None = None,
) -> Series:
    """Find labels that may be wrong: confident detections on background or on another class, and missed objects.

    Detections are confident from `score` on, by default `Result.least_score`. Detections are sorted by falling score,
    objects by falling area.
    """
    from omniou.detection.analysis._breakdown import KINDS

    tables = tables_of(result)
    matches, errors = result.matches, result.errors()
    scores, kinds, about = array(matches.scores), array(errors.kinds), array(errors.objects)
    score = result.least_score(score)
    classes = array(result.classes)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= score]
    shown = tuple(
        counted & table.known
        for table, counted in zip(tables, (array(matches.target_counts), scores >= score), strict=True)
    )

    def entry(k: int, side: int, row: int, about: int = -1, **more: Any) -> dict[str, Any]:
        number, apart = int(tables[side].images[row]), ({about}, {row}) if side else ({row}, set[int]())
        near = _near(tables, shown, number, tables[side].around(row), apart) if k < MOST_CROPS else {}
        image = {"image": number, "name": names.get(number, str(number)), "size": size_of(sizes.get(number))}
        shape = {"points": tables[side].points(row), "near": shapes_of(tables, near, scores)}
        return {**image, "class": int(np.searchsorted(classes, tables[side].labels[row])), **more, **shape}

    def mistaken(k: int, row: int) -> dict[str, Any]:
        target = int(about[row])
        labelled = int(np.searchsorted(classes, tables[0].labels[target]))
        more = {"score": float(scores[row]), "labelled": labelled, "labelled_points": tables[0].points(target)}
        return entry(k, 1, row, target, **more)

    def confident(kind: str) -> list[int]:
        return [int(row) for row in order[kinds[order] == KINDS.index(kind)]]

    alone, other = confident("background"), confident("classification")
    missed = np.flatnonzero(array(errors.missed))
    missed = missed[np.argsort(-array(tables[0].shapes.area)[missed], kind="stable")]
    return {
        "score": score,
        "iou_threshold": result.protocol.iou_thresholds[0],
        "edges": tables[0].edges(),
        "counts": {"unmatched": len(alone), "other_class": len(other), "unfound": len(missed)},
        "unmatched": [entry(k, 1, row, score=float(scores[row])) for k, row in enumerate(alone[:most])],
        "other_class": [mistaken(k, row) for k, row in enumerate(other[:most])],
        "unfound": [entry(k, 0, int(row)) for k, row in enumerate(missed[:most])],
    }


def _near(
    tables: tuple[Outlined, Outlined],
    shown: Sequence[Numbers],
    image: int,
    around: tuple[Numbers, Numbers],
    apart: tuple[set[int], set[int]],
) -> dict[str, list[int]]:
    """Return rows of objects ("found") and detections ("hit") in a window of an image, without the rows `apart`."""
    rows = {}
    for name, table, counted, own in zip(("found", "hit"), tables, shown, apart, strict=True):
        candidates = [row for row in np.flatnonzero((table.images == image) & counted).tolist() if row not in own]
        if chosen := near(table.shapes, np.asarray(candidates, dtype=np.int64), around):
            rows[name] = chosen
    return rows


def label_tables(value: Series, record: "Record") -> list[Table]:
    """Make a table for each kind of label error."""

    def name(place: int) -> str:
        return str(record.per_class[place]["name"])

    at, counts, words = f"score at least {threshold(value['score'])}", value["counts"], record.shapes
    where = words.unit if words.unit == "seconds" else "corners"
    alone = [(x["name"], name(x["class"]), x["score"], _where(x["points"])) for x in value["unmatched"]]
    other = [
        (x["name"], name(x["labelled"]), name(x["class"]), x["score"], _where(x["points"]))
        for x in value["other_class"]
    ]
    missed = [(x["name"], name(x["class"]), _where(x["points"])) for x in value["unfound"]]
    return [
        Table(
            f"Detections without an object ({at})",
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
            "Objects without a detection",
            (words.holder, "class", where),
            missed,
            f"The largest {len(missed)} of {counts['unfound']}: there may be no such object.",
        ),
    ]


def _where(points: list[float | None]) -> str:
    """Return the corners of the bounding box of a shape as text."""
    if len(points) == 2:
        return f"{points[0]:g} to {points[1]:g}"
    box = extent(points)
    return "" if box is None else "{:g}, {:g} to {:g}, {:g}".format(*box)
