"""Write a ground truth, or detections in one, in another format."""

import dataclasses
import importlib
import os
import secrets
import shutil
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from omniou._lib import extras, near
from omniou._lib.docs import described
from omniou.data._errors import InputWarning, OptionError
from omniou.data._truth import GroundTruth
from omniou.data.writing._written import Content
from omniou.detection import Detections


@dataclasses.dataclass(frozen=True, slots=True)
class Writer:
    """What writes a format.

    Attributes
    ----------
    ground_truth, detections : callable, optional
        Of what is written: the bytes of a file, or a dictionary of the names and bytes of the files of a directory.
    folder : bool
        Whether it is a directory.
    library : str, optional
        What it needs beside the extra `omniou[cli]`.
    """

    ground_truth: Callable[[Content], Any] | None
    detections: Callable[[Content], Any] | None
    folder: bool = True
    library: str | None = None


def _late(module: str, function: str) -> Callable[[Content], Any]:
    def write(content: Content) -> Any:
        return getattr(importlib.import_module(f"omniou.data.writing.{module}"), function)(content)

    return write


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "coco": Writer(_late("_write_json", "coco_truth"), _late("_write_json", "coco_detections"), folder=False),
        "lvis": Writer(_late("_write_json", "lvis_truth"), None, folder=False),
        "voc": Writer(_late("_write_text", "voc_truth"), _late("_write_text", "voc_detections")),
        "text": Writer(_late("_write_text", "text"), _late("_write_text", "text")),
        "yolo": Writer(_late("_write_text", "yolo"), _late("_write_text", "yolo")),
        "kitti": Writer(_late("_write_text", "kitti"), _late("_write_text", "kitti")),
        "dota": Writer(_late("_write_text", "dota_truth"), _late("_write_text", "dota_detections")),
        "open-images": Writer(
            _late("_write_tables", "open_images"), _late("_write_tables", "open_images"), folder=False
        ),
        "csv": Writer(_late("_write_tables", "csv_boxes"), _late("_write_tables", "csv_boxes"), folder=False),
        "parquet": Writer(
            _late("_write_tables", "parquet"), _late("_write_tables", "parquet"), folder=False, library="pyarrow"
        ),
    }
)
"""Writers by the names of formats."""


def write_ground_truth(truth: GroundTruth, path: Path | str, format: str) -> None:
    """Write a ground truth, whole or not at all.

    Parameters
    ----------
    truth : GroundTruth
    path : path
        A file, which is replaced; or a directory that must be new or empty.
    format : str
        One of `WRITERS`.

    Raises
    ------
    OptionError
        If the format cannot hold what is to be written, or sizes of images are needed and not known.
    OSError
        If the file cannot be written.

    Warns
    -----
    InputWarning
        Of what gets lost, such as crowds.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from omniou import data
    >>> truth = data.read_ground_truth("docs/examples/coco-val2014-100/ground_truth.json")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data.write_ground_truth(truth, pathlib.Path(folder, "truth.json"), "coco")
    ...     again = data.read_ground_truth(pathlib.Path(folder, "truth.json"))
    >>> bool((again.targets.boxes == truth.targets.boxes).all())
    True
    """
    _write(Content(truth, truth.targets), Path(path), format, "ground_truth")


@described(write_ground_truth)
def write_detections(detections: Detections[Any], truth: GroundTruth, path: Path | str, format: str) -> None:
    """Write detections that were read for a ground truth, whole or not at all.

    Parameters
    ----------
    detections : Detections
        As `read_detections` returns them.
    truth : GroundTruth
        What they were read for.
    path, format

    Raises
    ------
    OptionError, OSError
        As `write_ground_truth`.

    Warns
    -----
    InputWarning
        As `write_ground_truth`.
    """
    _write(Content(truth, detections), Path(path), format, "detections")


def encoded(content: Content, format: str, role: str) -> Any:
    """The bytes of a file, or names and bytes of those of a directory."""
    if format not in WRITERS:
        msg = f"`format` must be one of {', '.join(map(repr, WRITERS))}, got {format!r}{near.hint(format, WRITERS)}"
        raise OptionError(msg)
    writer = WRITERS[format]
    write = writer.ground_truth if role == "ground_truth" else writer.detections
    if write is None:
        msg = f"{format!r} is no format of {role.replace('_', ' ')}: write coco"
        raise OptionError(msg)
    if writer.library is not None:
        extras.check(writer.library, f"the format {format!r}")
    made = write(content)
    for finding in content.lost:
        warnings.warn(InputWarning(finding), stacklevel=4)
    return made


def _write(content: Content, path: Path, format: str, role: str) -> None:
    made = encoded(content, format, role)
    if isinstance(made, bytes):
        whole(path, lambda temporary: _write_bytes(temporary, made))
        return
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        msg = f"{path} must be a directory that is new or empty"
        raise OptionError(msg)
    whole(path, lambda temporary: _write_folder(temporary, made))


def whole(path: Path, write: Callable[[Path], None]) -> None:
    """Write beside a path, and put it in its place when all is written."""
    # Not by `tempfile`, whose files only the owner may read.
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}")
    try:
        write(temporary)
        temporary.replace(path)
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary)
        else:
            temporary.unlink(missing_ok=True)


def _write_bytes(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    path.mkdir()
    for name, data in files.items():
        (path / name).write_bytes(data)
