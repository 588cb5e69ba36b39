"""Write a ground truth, or detections in one, in another format."""

import dataclasses
import importlib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from omniou._lib import checks, extras, near, outputs
from omniou._lib.docs import described
from omniou._lib.visible import visible
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
    names_files : bool
        Whether images are known by the names of their files only, so these need not be UTF-8.
    library : str, optional
        What it needs in addition to the extra `omniou[cli]`.
    ending : str
        Of the name of a file.
    """

    ground_truth: Callable[[Content], Any] | None
    detections: Callable[[Content], Any] | None
    folder: bool = True
    names_files: bool = False
    library: str | None = None
    ending: str = ""

    def misnamed(self, path: Path) -> str:
        """Why a path is named as another output; empty if it is not."""
        return outputs.misnamed(path, *([] if self.folder else [self.ending]))

    def of(self, role: str) -> Callable[[Content], Any] | None:
        """Return what writes the "ground_truth" or the "detections"; None if the format has no such files."""
        return self.ground_truth if role == "ground_truth" else self.detections


def _late(module: str, function: str) -> Callable[[Content], Any]:
    def write(content: Content) -> Any:
        return getattr(importlib.import_module(f"omniou.data.writing.{module}"), function)(content)

    return write


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "coco": Writer(
            _late("_write_json", "coco_truth"), _late("_write_json", "coco_detections"), folder=False, ending=".json"
        ),
        "activitynet": Writer(
            _late("_write_json", "activitynet_truth"),
            _late("_write_json", "activitynet_detections"),
            folder=False,
            ending=".json",
        ),
        "lvis": Writer(_late("_write_json", "lvis_truth"), None, folder=False, ending=".json"),
        "voc": Writer(_late("_write_text", "voc_truth"), _late("_write_text", "voc_detections")),
        "text": Writer(_late("_write_text", "text"), _late("_write_text", "text"), names_files=True),
        "yolo": Writer(_late("_write_text", "yolo"), _late("_write_text", "yolo"), names_files=True),
        "kitti": Writer(_late("_write_text", "kitti"), _late("_write_text", "kitti"), names_files=True),
        "dota": Writer(_late("_write_text", "dota_truth"), _late("_write_text", "dota_detections")),
        "open-images": Writer(
            _late("_write_tables", "open_images"), _late("_write_tables", "open_images"), folder=False, ending=".csv"
        ),
        "csv": Writer(
            _late("_write_tables", "csv_boxes"), _late("_write_tables", "csv_boxes"), folder=False, ending=".csv"
        ),
        "parquet": Writer(
            _late("_write_tables", "parquet"),
            _late("_write_tables", "parquet"),
            folder=False,
            library="pyarrow",
            ending=".parquet",
        ),
    }
)
"""Writers by the names of formats."""


# What the ending of a file's name means where no format is given.
_BY_ENDING = {".json": "coco", ".csv": "csv", ".parquet": "parquet"}


def by_ending(path: Path, kind: str) -> str | None:
    """Return the format that the ending of a file's name means for a kind; None if it means none."""
    format = _BY_ENDING.get(path.suffix.lower())
    return "activitynet" if format == "coco" and kind == "intervals" else format


def write_ground_truth(truth: GroundTruth, path: Path | str, format: str) -> None:
    """Write a ground truth atomically.

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
        If the format cannot hold the content, or sizes of images are needed and not known.
    OSError
        If the file cannot be written.

    Warns
    -----
    InputWarning
        A warning of what gets lost, such as crowds.

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
    checks.instance("truth", truth, GroundTruth, "a GroundTruth, such as `read_ground_truth` returns it")
    write_content(Content(truth, truth.targets), Path(path), format, "ground_truth")


@described(write_ground_truth)
def write_detections(detections: Detections[Any], truth: GroundTruth, path: Path | str, format: str) -> None:
    """Write detections that were read for a ground truth, atomically.

    Parameters
    ----------
    detections : Detections
        The result of `read_detections`.
    truth : GroundTruth
        The ground truth that they were read for.
    path, format

    Raises
    ------
    OptionError, OSError
        The same as `write_ground_truth`.

    Warns
    -----
    InputWarning
        The same as `write_ground_truth`.
    """
    checks.instance("truth", truth, GroundTruth, "a GroundTruth, such as `read_ground_truth` returns it")
    checks.instance("detections", detections, Detections, "Detections")
    write_content(Content(truth, detections), Path(path), format, "detections")


def checked(format: Any, role: str) -> Writer:
    """Return the writer of a format; raise if it does not write ground truth or detections, or lacks its library."""
    if not isinstance(format, str) or format not in WRITERS:
        raise OptionError(
            f"`format` must be one of {', '.join(map(repr, WRITERS))}, got {format!r}{near.hint(format, WRITERS)}"
        )
    writer = WRITERS[format]
    if writer.of(role) is None:
        raise OptionError(f"{format!r} is not a format of {role.replace('_', ' ')}: write coco")
    if writer.library is not None:
        extras.check(writer.library, f"the format {format!r}")
    return writer


def encoded(content: Content, format: str, role: str) -> Any:
    """The bytes of a file, or the names and bytes of the files of a directory."""
    writer = checked(format, role)
    _check_text(content, writer)
    _check_finite(content)
    made = writer.of(role)(content)  # type: ignore[misc]  # `checked` refuses None
    _lose(content, format)
    for finding in content.lost:
        warnings.warn(InputWarning(finding), stacklevel=4)
    return made


# Formats of records that keep every field, masks and keypoints among them.
_WHOLE = {"coco", "lvis"}


def _lose(content: Content, format: str) -> None:
    """Count the shapes and fields that are not written."""
    table, whole = content.table, format in _WHOLE
    rows = "objects" if content.are_objects else "detections"
    for what, column in (("masks", table.masks), ("keypoints", table.keypoints)):
        if column is not None and not whole:
            content.lose(len(content.labels), rows, f"lost {what}: only boxes are written")
    if content.rest is None or (whole and content.source is not None):
        return
    told = [name for name, x in (("segmentation", table.masks), ("keypoints", table.keypoints)) if x is not None]
    count, names = content.rest.fields(*told)
    why = "that omniou does not read" if content.source is None else f"that {format} cannot hold"
    content.lose(count, rows, f"lost fields {why}: {', '.join(names)}")


def _check_text(content: Content, writer: Writer) -> None:
    """Names of files need not be text, but what is written must be; a file for each image may have such a name."""
    names = {"class": content.truth.categories, "image": {} if writer.names_files else content.truth.image_names}
    for what, known in names.items():
        for name in known.values():
            if not name.isascii() and any("\ud800" <= x <= "\udfff" for x in name):
                raise OptionError(f"the name of {what} {visible(name)!r} is not in UTF-8: rename its file")


def _check_finite(content: Content) -> None:
    """No reader takes other numbers, and JSON has none."""
    for name in ("boxes", "keypoints", "scores", "area"):
        if (column := getattr(content.table, name, None)) is None:
            continue
        numbers = np.asarray(column, dtype=np.float64)
        bad = np.isinf(numbers) if name == "area" else ~np.isfinite(numbers)  # without an area it is NaN
        if bad.any():
            row = int(np.argwhere(bad)[0, 0])
            raise OptionError(f"`{name}` must be finite to be written, got {numbers[bad][0]:g} in row {row}")


def write_content(content: Content, path: Path, format: str, role: str) -> None:
    """Write a file or a directory atomically."""
    if why := checked(format, role).misnamed(path):
        raise OptionError(f"{path}: {why}, or write another `format`: {format!r} is chosen")
    made = encoded(content, format, role)
    if isinstance(made, bytes):
        outputs.write(path, made)
        return
    try:
        with outputs.writing_folder(path) as folder:
            for name, data in made.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
    except FileExistsError as error:
        raise OptionError(str(error)) from None
