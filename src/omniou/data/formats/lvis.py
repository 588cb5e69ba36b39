"""LVIS's ground truth: COCO's JSON, where only some categories were looked for in each image.

Detections are in COCO's format for results: `omniou.data.formats.coco.read_detections`.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou.data import _json
from omniou.data._errors import InputError
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth
from omniou.data.formats import Format, Reader, coco
from omniou.data.formats._records import OF_KIND, FederatedImage

__all__ = ["FORMAT", "read_ground_truth"]

Column = npt.NDArray[Any]


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a file of LVIS annotations, such as ``lvis_v1_val.json``.

    Parameters
    ----------
    path : path
        JSON as COCO's, where each image has the lists "neg_category_ids" and "not_exhaustive_category_ids", and
        categories may have a "frequency".
    options : Options
        `kind` and `boxes`, as for COCO's.

    Returns
    -------
    GroundTruth
        With `frequency`, and `targets.negative` and `targets.not_exhaustive`: (image, category) pairs.

    Raises
    ------
    InputError
        As `omniou.data.formats.coco.read_ground_truth`, and if a list has an unknown category.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from omniou.data import lvis
    >>> box = {"image_id": 7, "category_id": 1, "bbox": [0, 0, 9, 9]}
    >>> image = {"id": 7, "neg_category_ids": [2], "not_exhaustive_category_ids": [1]}
    >>> categories = [{"id": 1, "frequency": "r"}, {"id": 2, "frequency": "f"}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "lvis.json")
    ...     text = json.dumps({"images": [image], "annotations": [box], "categories": categories})
    ...     _ = path.write_text(text)
    ...     truth = lvis.read_ground_truth(path)
    >>> truth.targets.negative.tolist(), truth.targets.not_exhaustive.tolist(), truth.frequency
    ([[7, 2]], [[7, 1]], {1: 'r', 2: 'f'})
    """
    path = Path(path)
    return of_json(path, _json.read(path), options)


def of_json(path: Path, data: bytes, options: Options) -> GroundTruth:
    """The ground truth in the text of a file."""
    records = coco.decode(path, data, OF_KIND[options.kind].federated)
    truth = coco.columns(path, records, options)
    images = records.images
    targets = dataclasses.replace(
        truth.targets,
        negative=_pairs(truth, "neg_category_ids", images, lambda x: x.neg_category_ids),
        not_exhaustive=_pairs(truth, "not_exhaustive_category_ids", images, lambda x: x.not_exhaustive_category_ids),
    )
    rated = {x.id: x.frequency for x in records.categories if x.frequency is not None}
    return dataclasses.replace(truth, targets=targets, frequency=rated or None)


def _pairs(
    truth: GroundTruth, name: str, images: Sequence[FederatedImage], labels_of: Callable[[FederatedImage], list[int]]
) -> Column:
    """Each image's id beside each of its categories, (P, 2)."""
    pairs = []
    for number, (id, image) in enumerate(zip(truth.images.tolist(), images, strict=True)):
        for k, label in enumerate(labels_of(image)):
            if label not in truth.categories:
                place = f"images[{number}].{name}[{k}]"
                raise InputError(truth.path, f"{label} is not among the categories", place=place)
            pairs.append((id, label))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


FORMAT = Format("lvis", "JSON of LVIS", Reader(read_ground_truth, coco.KINDS, order="xywh"), coco.FORMAT.detections)
