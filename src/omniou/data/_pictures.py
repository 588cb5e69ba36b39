"""Pictures by Pillow, and the sizes of images, which relative boxes need.

Pictures have known formats and a plausible size. Each fault of a picture is an error of one line.
"""

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou._lib.brief import counted, shortened
from omniou._lib.findings import Finding
from omniou.data import _files
from omniou.data._errors import InputError, InputWarning, OptionError
from omniou.data._options import Options
from omniou.data._paths import PICTURES, ImageNames, picture_in

# Pillow's names of the formats in `_paths.PICTURES`.
FORMATS = ("JPEG", "PNG", "BMP", "GIF", "TIFF", "WEBP")
_PNG = b"\x89PNG\r\n\x1a\n"
# The EXIF tag of the orientation, and its values that turn a picture on its side.
_ORIENTATION, _ON_ITS_SIDE = 0x0112, {5, 6, 7, 8}


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a picture. Faults are InputErrors, also while it is decoded in the context.

    Pillow itself refuses more than 179 million pixels.
    """
    extras.check("PIL", "reading pictures")
    from PIL import Image

    with _faults(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with Image.open(path, formats=FORMATS) as picture:
            yield picture


@contextlib.contextmanager
def opened_png(path: Path) -> Iterator[Any]:
    """Open a PNG file whose pixels are all needed. `max_unpacked` limits their number."""
    extras.check("PIL", "reading label maps")
    from PIL import ImageMode
    from PIL.PngImagePlugin import PngImageFile

    # `Image.open` has a limit of its own, and warns from half of it on, which no lock of Python makes safe in threads.
    with _faults(path), path.open("rb") as file:
        if file.read(len(_PNG)) != _PNG:
            raise InputError(path, "not a picture that Pillow can read: a PNG file was expected")
    with _faults(path), PngImageFile(path) as picture:
        bytes_of_pixel = len(picture.getbands()) * int(ImageMode.getmode(picture.mode).typestr[-1])
        width, height = picture.size
        _files.check_unpacked(path, width * height * bytes_of_pixel, f"the picture of {width} x {height} unpacks")
        yield picture


@contextlib.contextmanager
def _faults(path: Path) -> Iterator[None]:
    if not path.exists():
        raise InputError(path, "no such file")
    if not path.is_file():  # a pipe that nobody writes to would be waited for
        raise InputError(path, "is not a file")
    try:
        yield
    except InputError:
        raise
    except MemoryError:
        raise
    except OSError as error:
        from PIL import UnidentifiedImageError

        unknown = isinstance(error, UnidentifiedImageError)
        fault = "not a picture that Pillow can read" if unknown else f"cannot be read: {error.strerror or error}"
        raise InputError(path, fault) from None
    except Exception as error:  # noqa: BLE001  (SyntaxError, ValueError, struct.error: damage has many names in Pillow)
        raise InputError(path, f"cannot be read: {str(error) or type(error).__name__}") from None


Column = npt.NDArray[Any]


def in_folder(folder: Path | None) -> dict[str, Path]:
    """The image files of a directory and of those in it, by their paths from there."""
    if folder is None:
        return {}
    return {picture_in(folder, path): path for path in _files.in_folder(folder) if path.suffix.lower() in PICTURES}


def absent(folder: Path, names: Sequence[str]) -> list[str]:
    """The images that have no picture in a directory, or in those in it."""
    return [
        name for name, places in zip(names, ImageNames(list(in_folder(folder))).find(names), strict=True) if not places
    ]


def check(folder: Path, names: Sequence[str]) -> None:
    """Raise if a directory has the picture of none of the images, and warn of images without one."""
    missing = absent(folder, names)
    if names and len(missing) == len(names):
        raise InputError(folder, f"no picture fits any of the {len(names)} images: {shortened(names)}")
    if missing:
        warn_absent(folder, missing, counted(len(names), "images"))


def warn_absent(folder: Path, missing: Sequence[str], which: str) -> None:
    """Warn of images without a picture; `which` says of how many."""
    text = f"{len(missing)} of {which} have no picture there: {shortened(missing)}"
    warnings.warn(InputWarning(Finding(code="pictures-missing", text=text, path=str(folder))), stacklevel=3)


def sizes_of(names: Sequence[str], known: Column | None, pictures: dict[str, Path], options: Options) -> Column:
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
    with opened(path) as picture:
        width, height = picture.size
        turned = picture.getexif().get(_ORIENTATION) in _ON_ITS_SIDE
    return (width, height) if turned else (height, width)
