"""Where the annotations are in the folders of data sets: Darknet's layout, and Roboflow's with a folder for each split.

Darknet has ``obj.data``, ``obj.names``, ``train.txt`` and the folder ``obj_train_data`` of labels. Roboflow, and what
RF-DETR trains on, has ``train``, ``valid`` and ``test``, each with its ``_annotations.coco.json``. For YOLO, each has
``labels``, and ``data.yaml`` lies next to them.
"""

from pathlib import Path

from omniou.data._errors import InputError

_LABELS = "obj_*_data"
_COCO = "_annotations.coco.json"
_SPLITS = ("train", "valid", "val", "test")


def annotations(path: Path) -> Path:
    """Return the labels or annotations in a folder of one of these layouts, otherwise the path itself."""
    folder = path.parent if path.suffix == ".data" and path.is_file() else path
    if not folder.is_dir():
        return path
    if not any(folder.glob("*.data")):
        return _of_split(path)
    folders = sorted(x for x in folder.glob(_LABELS) if x.is_dir())
    if len(folders) > 1:
        names = ", ".join(x.name for x in folders)
        raise InputError(path, f"has the labels of several sets, {names}: name one of these directories")
    return folders[0] if folders else path


def _of_split(path: Path) -> Path:
    """The annotations of the one split of a data set."""
    if (path / _COCO).is_file():
        return path / _COCO
    has_yaml = any(path.glob("*.yaml"))
    splits = [x for name in _SPLITS if (x := path / name).is_dir() and _has_annotations(x, has_yaml=has_yaml)]
    if len(splits) > 1:
        names = ", ".join(x.name for x in splits)
        raise InputError(path, f"has several splits, {names}: name one of these directories")
    if not splits:
        return path
    file = splits[0] / _COCO
    return file if file.is_file() else splits[0] / "labels"


def _has_annotations(split: Path, *, has_yaml: bool) -> bool:
    return (split / _COCO).is_file() or (has_yaml and (split / "labels").is_dir())
