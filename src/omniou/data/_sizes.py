"""Sizes of images, for boxes that are relative to them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou.data import _files, _pictures
from omniou.data._errors import InputError, OptionError
from omniou.data._options import Options
from omniou.data._paths import PICTURES, ImageNames, picture_in

Column = npt.NDArray[Any]

_ORIENTATION = 0x0112
_ON_ITS_SIDE = {5, 6, 7, 8}


def pictures(folder: Path | None) -> dict[str, Path]:
    """The image files of a directory and of those in it, by their paths from there."""
    if folder is None:
        return {}
    return {picture_in(folder, path): path for path in _files.in_folder(folder) if path.suffix.lower() in PICTURES}


def find(names: Sequence[str], known: Column | None, pictures: dict[str, Path], options: Options) -> Column:
    """Height and width of each image, (I, 2): as known, as was said, or of the picture; NaN where there is nothing."""
    if options.images is not None:
        extras.check("PIL", "looking up sizes of images")
    sizes = np.full((len(names), 2), np.nan) if known is None else known.copy()
    missing = np.flatnonzero(np.isnan(sizes).any(axis=1))
    if options.image_size is not None and len(names) and not len(missing):
        raise OptionError("`image_size` is for images whose sizes are not known: the ground truth says all of them")
    if options.image_size is not None:
        sizes[missing] = options.image_size
    elif pictures and extras.has("PIL"):
        found = ImageNames(list(pictures)).find(names)
        paths = list(pictures.values())
        rows = [k for k in missing.tolist() if found[k]]
        files = [_only(names[k], [paths[x] for x in found[k]]) for k in rows]
        for row, path in zip(rows, options.track(files, "sizes of images"), strict=True):
            sizes[row] = _size(path)
    return sizes


def _only(name: str, paths: Sequence[Path]) -> Path:
    """The picture of an image."""
    if len(set(paths)) > 1:
        raise InputError(paths[0], f"the image {name!r} may be this picture or {paths[1]}")
    if len(paths) > 1:
        raise InputError(paths[0], f"the picture fits the image {name!r} and another one equally well")
    return paths[0]


def _size(path: Path) -> tuple[int, int]:
    """Height and width as the picture is shown, which its orientation may turn."""
    with _pictures.opened(path) as picture:
        width, height = picture.size
        turned = picture.getexif().get(_ORIENTATION) in _ON_ITS_SIDE
    return (width, height) if turned else (height, width)
