"""LVIS's ground truth: COCO's JSON, where each image has lists of the classes that annotators looked for."""

from pathlib import Path

from omniou.data import _json
from omniou.data._formats import Format, Reader, coco
from omniou.data._formats.coco_truth import file_of, of_federated_json
from omniou.data._options import DEFAULT, Options
from omniou.data._truth import GroundTruth


def read_ground_truth(path: Path | str, options: Options = DEFAULT) -> GroundTruth:
    """Read a file of LVIS annotations, such as ``lvis_v1_val.json``."""
    path = file_of(Path(path))
    return of_federated_json(path, _json.read(path), options)


FORMAT = Format(
    "lvis",
    "JSON of LVIS",
    Reader(read_ground_truth, coco.KINDS, order="xywh", class_ids=True),
    coco.FORMAT.detections,
)
