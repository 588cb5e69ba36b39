"""`supervision.Detections` of whole data sets, in and out of the tables of `omniou.detection`.

>>> import numpy as np, supervision as sv
>>> from omniou import detection
>>> from omniou_integrations.supervision import targets_and_detections
>>> truth = sv.Detections(xyxy=np.array([[0.0, 0, 10, 10]]), class_id=np.array([1]))
>>> found = sv.Detections(xyxy=np.array([[0.0, 0, 10, 9]]), class_id=np.array([1]), confidence=np.array([0.9]))
>>> targets, detections = targets_and_detections([truth], [found])
>>> round(detection.evaluate(targets, detections).summary["AP"], 4)
0.9
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import supervision as sv

from omniou.detection import Detections, Targets
from omniou.rle import Masks
from omniou_integrations._per_image import image_column, joined, joined_masks, part

__all__ = ["per_image", "targets_and_detections"]

# What supervision's own metrics look for in `data`, and the columns that it is here.
_EXTRAS = {"iscrowd": "crowd", "area": "area", "ignore": "ignore"}


def targets_and_detections(
    targets: Sequence[sv.Detections],
    predictions: Sequence[sv.Detections],
    /,
    *,
    images: Iterable[int] | None = None,
    masks: bool = False,
) -> tuple[Targets[Any], Detections[Any]]:
    """True and predicted objects, image by image, as the two tables that `omniou.detection.evaluate` compares.

    Parameters
    ----------
    targets, predictions : sequence of supervision.Detections
        One for each image, in the same order, with `class_id`, and predictions with `confidence`. In the `data` of the
        targets ``iscrowd``, ``area`` and ``ignore`` are understood, as by supervision's metrics.
    images : iterable of int, optional
        Ids of the images. Default: 0, 1, ...
    masks : bool
        Also take the masks, for the kinds "segm" and "boundary".

    Returns
    -------
    tuple of Targets and Detections
        With boxes in the format "xyxy".

    Raises
    ------
    ValueError
        If the lengths differ, or something is missing of an image that has boxes.

    Examples
    --------
    >>> import numpy as np, supervision as sv
    >>> from omniou_integrations.supervision import targets_and_detections
    >>> one = sv.Detections(xyxy=np.ones((1, 4)), class_id=np.array([3]), confidence=np.array([0.5]))
    >>> targets, detections = targets_and_detections([one, one], [sv.Detections.empty(), one])
    >>> targets.images.tolist(), detections.images.tolist(), detections.labels.tolist()
    ([0, 1], [1], [3])
    """
    ids = list(range(len(targets)) if images is None else images)
    if not len(targets) == len(predictions) == len(ids):
        lengths = f"{len(targets)}, {len(predictions)} and {len(ids)}"
        msg = f"`targets`, `predictions` and `images` must have one length, got {lengths}"
        raise ValueError(msg)
    truth = _table("targets", targets, ids, masks=masks)
    extras = {column: _extra(targets, key) for key, column in _EXTRAS.items()}
    found = _table("predictions", predictions, ids, masks=masks)
    scores = joined([part("predictions", i, "confidence", x) for i, x in enumerate(predictions)], np.zeros(0))
    return Targets(**truth, **extras), Detections(**found, scores=scores)


def per_image(table: Targets[Any] | Detections[Any], images: Iterable[int] | None = None, /) -> list[sv.Detections]:
    """The rows of a table in NumPy as one `supervision.Detections` for each image.

    Parameters
    ----------
    table : Targets or Detections
        With boxes in the format "xyxy".
    images : iterable of int, optional
        Which images, and in which order; one without rows gives none. Default: all that occur, rising.

    Returns
    -------
    list of supervision.Detections
        With the masks, if the table has some; what targets have beyond is in `data`.

    Examples
    --------
    >>> from omniou import detection
    >>> from omniou_integrations.supervision import per_image
    >>> table = detection.Detections([[0, 0, 1, 1]], scores=[0.5], labels=[3], images=[7])
    >>> [len(x) for x in per_image(table, [7, 8])], per_image(table)[0].confidence.tolist()
    ([1, 0], [0.5])
    """
    rows_of = np.asarray(table.images)
    extras = {key: np.asarray(x) for key, name in _EXTRAS.items() if (x := getattr(table, name, None)) is not None}
    boxes = np.asarray(table.boxes, dtype=np.float64).reshape(-1, 4)
    labels = np.asarray(table.labels, dtype=np.int64)
    scores = None if isinstance(table, Targets) else np.asarray(table.scores, dtype=np.float64)
    found = []
    for image in np.unique(rows_of).tolist() if images is None else images:
        rows = np.nonzero(rows_of == image)[0]
        pixels = table.masks.take(rows).to_dense() if table.masks is not None and len(rows) else None
        found.append(
            sv.Detections(
                xyxy=boxes[rows],
                mask=pixels,
                confidence=None if scores is None else scores[rows],
                class_id=labels[rows],
                data={key: x[rows] for key, x in extras.items()},
            )
        )
    return found


def _table(side: str, given: Sequence[sv.Detections], ids: list[int], *, masks: bool) -> dict[str, Any]:
    """Columns that both tables have."""
    labels = [part(side, i, "class_id", x) for i, x in enumerate(given)]
    return {
        "boxes": joined([x.xyxy for x in given], np.zeros((0, 4))),
        "labels": joined(labels, np.zeros(0, np.int64)),
        "images": image_column(ids, given),
        "masks": _masks(side, given) if masks else None,
    }


def _extra(given: Sequence[sv.Detections], key: str) -> Any:
    """A column out of `data`, where all images that have boxes have it."""
    there = [key in x.data for x in given if len(x)]
    if not any(there):
        return None
    if not all(there):
        msg = f"`targets` must have {key!r} in the `data` of every image, or of none"
        raise ValueError(msg)
    return joined([np.asarray(x.data[key]) if len(x) else None for x in given], np.zeros(0))


def _masks(side: str, given: Sequence[sv.Detections]) -> Masks:
    parts = [part(side, i, "mask", x) for i, x in enumerate(given)]
    return joined_masks([Masks.from_dense(np.asarray(x)) for x, one in zip(parts, given, strict=True) if len(one)])
