"""Results of Ultralytics' models as a table of `omniou.detection`.

Only what every `Results` has is asked for, so this does not import ultralytics, which has another licence.

>>> import numpy as np
>>> from ultralytics.engine.results import Results
>>> from omniou import detection
>>> from omniou_integrations.ultralytics import detections
>>> rows = np.asarray([[0.0, 0, 10, 9, 0.8, 1]])  # corners, score and class, as models give them
>>> results = [Results(np.zeros((20, 20, 3), np.uint8), path="", names={1: "cat"}, boxes=rows)]
>>> targets = detection.Targets(boxes=np.asarray([[0, 0, 10, 10]]), labels=np.asarray([1]), images=np.asarray([0]))
>>> round(detection.evaluate(targets, detections(results)).summary["AP"], 4)
0.9
"""

from omniou._lib import extras

extras.check_adapter(__name__, "torch")

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from omniou._inputs import dicts
from omniou.boxes import GEOMETRY
from omniou.detection import Detections
from omniou.rle import Masks

__all__ = ["detections"]


def __dir__() -> list[str]:
    return __all__


_NUMBERS = GEOMETRY.length("xyxy")


def detections(
    results: Iterable[Any], /, *, images: Iterable[int] | None = None, masks: bool = False
) -> Detections[Any]:
    """Detections of whole images, as the table that `omniou.detection.evaluate` compares with the targets.

    Parameters
    ----------
    results : iterable of ultralytics.engine.results.Results
        One for each image, as ``model(...)`` gives them; with ``stream=True`` only one is held at a time.
    images : iterable of int, optional
        Ids of the images. Default: 0, 1, ...
    masks : bool
        Also take the masks, for the kinds "segm" and "boundary", in the size of the images.

    Returns
    -------
    Detections
        In NumPy, with boxes in the format "xyxy" and the model's own classes as labels.

    Raises
    ------
    ValueError
        If there is no id for each result, a result has no boxes, as those of rotated boxes and of classes, or masks are
        missing of an image that has boxes.

    Notes
    -----
    Without ``retina_masks=True`` a model gives masks in the size of its input, in which the image is scaled and padded.
    The padding is cut off, the rest brought to the size of the image: on is what is above one half between pixels.

    Examples
    --------
    >>> import numpy as np
    >>> from ultralytics.engine.results import Results
    >>> from omniou_integrations.ultralytics import detections
    >>> rows = np.asarray([[0.0, 0, 10, 9, 0.8, 1]])
    >>> half = np.zeros((1, 16, 16))  # of an image of 4 by 8 pixels: there is padding above and below
    >>> half[:, :, :8] = 1
    >>> one = Results(np.zeros((4, 8, 3), np.uint8), path="", names={1: "cat"}, boxes=rows, masks=half)
    >>> table = detections([one], images=[7], masks=True)
    >>> table.images.tolist(), table.labels.tolist(), table.masks.to_dense()[0, 0].astype(int).tolist()
    ([7], [1], [1, 1, 1, 1, 0, 0, 0, 0])
    """
    declared = dicts.keys("detections", *(("boxes", "masks") if masks else ("boxes",)), numbers=_NUMBERS)
    rows = [_image(i, one, masks=masks) for i, one in enumerate(results)]
    ids = list(range(len(rows)) if images is None else images)
    dicts.check_lists(results=rows, images=ids)
    columns = dicts.joined("results", dicts.read("results", rows, declared), declared)
    places = columns.pop("images")
    arrays: dict[str, Any] = {name: np.asarray(x) if isinstance(x, list) else x for name, x in columns.items()}
    arrays["labels"], arrays["boxes"] = arrays["labels"].astype(np.int64), arrays["boxes"].reshape(-1, _NUMBERS)
    return Detections(**arrays, images=np.asarray([ids[place] for place in places], np.int64))


def _image(number: int, one: Any, *, masks: bool) -> dict[str, Any]:
    """The dictionary of a result, without the image that the result holds too."""
    if one.boxes is None:
        raise ValueError(f"`results[{number}]` must have `boxes`, got None")
    given, boxes = one.masks if masks else None, one.boxes.numpy()
    table = _table(torch.as_tensor(given.data), one.orig_shape) if given is not None and len(given) else None
    return {"boxes": boxes.xyxy, "masks": table, "scores": boxes.conf, "labels": boxes.cls.astype(np.int64)}


def _table(pixels: torch.Tensor, size: tuple[int, int]) -> Masks:
    """Masks (N, H, W) of a model's input -> masks of an image of this height and width."""
    if pixels.shape[1:] != size:
        rows, columns = _inside(tuple(pixels.shape[1:]), size)
        # One image at a time: its masks at full size may need more memory than those of the whole batch.
        return Masks.concat([_enlarged(x[None, None, rows, columns], size) for x in pixels])
    return Masks.from_dense(pixels.cpu().numpy())


def _enlarged(pixels: torch.Tensor, size: tuple[int, int]) -> Masks:
    between = torch.nn.functional.interpolate(pixels.float(), size, mode="bilinear")
    return Masks.from_dense((between[0] > 0.5).cpu().numpy())


def _inside(outer: tuple[int, ...], size: tuple[int, int]) -> tuple[slice, slice]:
    """Rows and columns of a padded input that are the image: in the middle, an odd line of padding behind it."""
    scale = min(n / m for n, m in zip(outer, size, strict=True))
    inner = [max(round(n * scale), 1) for n in size]
    first = [(n - m) // 2 for n, m in zip(outer, inner, strict=True)]
    rows, columns = (slice(a, a + n) for a, n in zip(first, inner, strict=True))
    return rows, columns
