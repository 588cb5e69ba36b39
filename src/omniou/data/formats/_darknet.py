"""Darknet's layout: ``obj.data``, ``obj.names`` and ``train.txt`` beside the folder ``obj_train_data`` of labels."""

from pathlib import Path

from omniou.data._errors import InputError

_LABELS = "obj_*_data"


def labels(path: Path) -> Path:
    """The folder of labels where a path is darknet's, as annotation tools export it; else the path itself."""
    folder = path.parent if path.suffix == ".data" and path.is_file() else path
    if not folder.is_dir() or not any(folder.glob("*.data")):
        return path
    folders = sorted(x for x in folder.glob(_LABELS) if x.is_dir())
    if len(folders) > 1:
        names = ", ".join(x.name for x in folders)
        raise InputError(path, f"has the labels of several sets, {names}: name one of these directories")
    return folders[0] if folders else path
