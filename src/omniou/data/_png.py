"""Label maps in PNG files; they need Pillow."""

import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib.brief import counted
from omniou._lib.findings import Finding
from omniou.data import _files, _pictures
from omniou.data._errors import InputError, InputWarning

Map = npt.NDArray[Any]

# Modes of pictures whose pixels are labels; of a palette, its numbers are.
LABELS = ("1", "L", "P", "I", "I;16")
COLOURS = ("RGB", "RGBA")


def in_folder(folder: Path) -> dict[str, Path]:
    """The PNG files below a folder, by their paths from there without the ending; or one file."""
    files = _files.in_folder(folder)
    if not folder.is_dir():
        return {path.stem: path for path in files}
    found = [path for path in files if path.suffix.lower() == ".png"]
    pictures = {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}
    if not pictures:
        raise InputError(folder, "no PNG file in this directory")
    return pictures


def check_paired(
    truth: Mapping[str, Path],
    predicted: Mapping[str, Path],
    ground_truth: Path,
    predictions: Path,
    *,
    stacklevel: int = 4,
) -> None:
    """Raise for pictures of the ground truth without a prediction; warn of predictions without ground truth."""
    if lacking := [name for name in truth if name not in predicted]:
        many = f", and for {len(lacking) - 1} more" if len(lacking) > 1 else ""
        fault = f"no prediction for {truth[lacking[0]]}{many}"
        if others := sorted(predicted.keys() - truth.keys()):
            fault += f": a prediction has the path of its ground truth, {lacking[0]}.png, and there is {others[0]}.png"
        raise InputError(predictions, fault)
    if surplus := predicted.keys() - truth.keys():
        text = f"{counted(len(surplus), 'pictures')} excluded: not in {ground_truth}"
        finding = Finding(code="unknown-images", text=text, path=str(predictions))
        warnings.warn(InputWarning(finding), stacklevel=stacklevel)


def labels(path: Path) -> Map:
    """The label of each pixel, (height, width)."""
    with _pictures.opened_png(path) as picture:
        if picture.mode in COLOURS:
            return _grey(path, np.asarray(picture), picture.mode)
        _check_mode(path, picture, LABELS, "a picture with one number for each pixel (grey, or with a palette)")
        return np.asarray(picture)


def _grey(path: Path, pixels: Map, mode: str) -> Map:
    """The labels of a picture whose three channels are equal. Raise for colours."""
    grey = pixels[..., 0]
    coloured = (pixels[..., 1:3] != grey[..., None]).any(axis=2)
    if coloured.any():
        row, column = (int(x[0]) for x in np.nonzero(coloured))
        colour = tuple(pixels[row, column, :3].tolist())
        fault = (
            f"the mode is {mode}, and colours such as {colour} are not labels: a picture with one number for each "
            "pixel (grey, or with a palette) was expected. Write the number of the class in place of each colour"
        )
        raise InputError(path, fault, place=f"row {row}, column {column}")
    return grey


def ids(path: Path) -> Map:
    """Ids of segments from colours, red + 256 * green + 65536 * blue, (height, width)."""
    with _pictures.opened_png(path) as picture:
        _check_mode(path, picture, COLOURS, "a picture in colours, which are the ids of segments")
        # Four bytes a pixel make a little-endian integer, whose highest byte is padding or opacity.
        data = picture.tobytes("raw", "RGBX" if picture.mode == "RGB" else "RGBA")
        width, height = picture.size
    return (np.frombuffer(data, dtype="<i4") & 0xFFFFFF).reshape(height, width)


def same_size(path: Path, map_: Map, other: Path, expected: Map) -> None:
    """Raise unless both maps have one size."""
    if map_.shape != expected.shape:
        size, other_size = (f"{width} x {height}" for height, width in (map_.shape, expected.shape))
        exchanged = ": rows and columns seem to be exchanged" if map_.shape == expected.shape[::-1] else ""
        raise InputError(path, f"the size is {size}, but {other} has {other_size}{exchanged}")


def _check_mode(path: Path, picture: Any, modes: Collection[str], expected: str) -> None:
    if picture.mode not in modes:
        raise InputError(path, f"the mode is {picture.mode}, {expected} was expected")
