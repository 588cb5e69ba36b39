"""Pictures by Pillow: of known formats, of a plausible size, and every fault of them is one line."""

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omniou._lib import extras
from omniou.data import _files
from omniou.data._errors import InputError

# What Pillow calls the formats of `_paths.PICTURES`.
FORMATS = ("JPEG", "PNG", "BMP", "GIF", "TIFF", "WEBP")
_PNG = b"\x89PNG\r\n\x1a\n"


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A picture; what is wrong with it, also while it is decoded in the context, is an InputError.

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
