"""LVIS's ground truth: COCO's JSON, where only some categories were looked for in each image.

Detections are in COCO's format for results: `omniou.data._formats.coco.read_detections`.
"""

from pathlib import Path

from omniou.data import _json
from omniou.data._formats import Format, Reader, coco
from omniou.data._formats.coco_truth import file_of, of_federated_json
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth

__all__ = ["FORMAT", "read_ground_truth"]


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
        The same as `omniou.data._formats.coco.read_ground_truth`, and if a list has an unknown category.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from omniou.data._formats import lvis
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
    path = file_of(Path(path))
    return of_federated_json(path, _json.read(path), options)


FORMAT = Format(
    "lvis",
    "JSON of LVIS",
    Reader(read_ground_truth, coco.KINDS, order="xywh"),
    coco.FORMAT.detections,
    official="--protocol lvis",
)
