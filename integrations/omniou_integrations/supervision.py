"""`supervision.Detections` of whole data sets, in and out of the tables of `omniou.detection`.

>>> import numpy as np, supervision as sv
>>> from omniou import detection
>>> from omniou_integrations.supervision import targets_and_detections
>>> truth = sv.Detections(xyxy=np.array([[0.0, 0, 10, 10]]), class_id=np.array([1]))
>>> predicted = sv.Detections(xyxy=np.array([[0.0, 0, 10, 9]]), class_id=np.array([1]), confidence=np.array([0.9]))
>>> targets, detections = targets_and_detections([truth], [predicted])
>>> round(detection.evaluate(targets, detections).summary["AP"], 4)
0.9
"""

from omniou._lib import extras

extras.check_adapter(__name__, "supervision")

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import supervision as sv

from omniou._inputs import dicts
from omniou._inputs.dicts import Key
from omniou.detection import Detections, Targets

__all__ = ["per_image", "targets_and_detections"]


def __dir__() -> list[str]:
    return __all__


# Keys of supervision's `data`, and the columns that they become.
_ATTRIBUTES = {"boxes": "xyxy", "masks": "mask", "labels": "class_id", "scores": "confidence"}
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
    dicts.check_lists(targets=targets, predictions=predictions, images=ids)
    shapes = ("boxes", "masks") if masks else ("boxes",)
    truth = _columns("targets", targets, dicts.keys("targets", *shapes), ids)
    detections = _columns("predictions", predictions, dicts.keys("detections", *shapes), ids)
    return Targets(**truth), Detections(**detections)


def per_image(table: Targets[Any] | Detections[Any], images: Iterable[int] | None = None, /) -> list[sv.Detections]:
    """The rows of a table in NumPy as one `supervision.Detections` for each image.

    Parameters
    ----------
    table : Targets or Detections
        With boxes in the format "xyxy".
    images : iterable of int, optional
        Images in the wanted order; an image without rows gives no detections. Default: all that occur, rising.

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
    out = []
    for image in np.unique(rows_of).tolist() if images is None else images:
        rows = np.nonzero(rows_of == image)[0]
        pixels = table.masks.take(rows).to_dense() if table.masks is not None and len(rows) else None
        out.append(
            sv.Detections(
                xyxy=boxes[rows],
                mask=pixels,
                confidence=None if scores is None else scores[rows],
                class_id=labels[rows],
                data={key: x[rows] for key, x in extras.items()},
            )
        )
    return out


def _columns(side: str, given: Sequence[sv.Detections], declared: Sequence[Key], ids: list[int]) -> dict[str, Any]:
    """Columns of a table, read from the attributes of each image, and from the `data` what targets have beyond."""
    declared = [key._replace(names=(_ATTRIBUTES.get(key.column) or key.names[0],)) for key in declared]
    rows = [{name: getattr(x, name) for name in _ATTRIBUTES.values()} | dict(x.data) for x in given]
    columns = dicts.joined(side, dicts.read(side, rows, declared), declared)
    images = np.asarray([ids[place] for place in columns.pop("images")], np.int64)
    nothing = {"boxes": np.zeros((0, 4)), "labels": np.zeros(0, np.int64), "scores": np.zeros(0)}
    filled = {name: nothing[name] if isinstance(x, list) and name in nothing else x for name, x in columns.items()}
    return filled | {"images": images}
