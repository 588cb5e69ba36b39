"""Label maps in PNG files; they need Pillow."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from omniou._lib import extras
from omniou.data._errors import InputError

Map = npt.NDArray[Any]

# Modes of pictures whose pixels are labels; of a palette, its numbers are.
LABELS = ("1", "L", "P", "I", "I;16")
COLOURS = ("RGB", "RGBA")


def labels(path: Path) -> Map:
    """The label of each pixel, (height, width)."""
    with _opened(path, LABELS, "a picture with one number for each pixel (grey, or with a palette)") as picture:
        return _decoded(path, lambda: np.asarray(picture))


def ids(path: Path) -> Map:
    """Ids of segments from colours, red + 256 * green + 65536 * blue, (height, width)."""
    with _opened(path, COLOURS, "a picture in colours, which are the ids of segments") as picture:
        # Four bytes a pixel make a little-endian integer, whose highest byte is padding or opacity.
        data = _decoded(path, lambda: picture.tobytes("raw", "RGBX" if picture.mode == "RGB" else "RGBA"))
        width, height = picture.size
    return (np.frombuffer(data, dtype="<i4") & 0xFFFFFF).reshape(height, width)


def same_size(path: Path, map_: Map, other: Path, expected: Map) -> None:
    """Raise unless both maps have one size."""
    if map_.shape != expected.shape:
        size, other_size = (f"{width} x {height}" for height, width in (map_.shape, expected.shape))
        raise InputError(path, f"the size is {size}, that of {other} is {other_size}")


def _opened(path: Path, modes: Collection[str], expected: str) -> Any:
    extras.check("PIL", "reading label maps")
    from PIL import Image, UnidentifiedImageError

    try:
        picture = Image.open(path)
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except UnidentifiedImageError:
        raise InputError(path, "not a picture that Pillow can read") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None
    if picture.mode not in modes:
        mode = picture.mode
        picture.close()
        raise InputError(path, f"the mode is {mode}, {expected} was expected")
    return picture


def _decoded(path: Path, decode: Any) -> Any:
    try:
        return decode()
    except (OSError, SyntaxError) as error:  # Pillow's word for a broken PNG is SyntaxError
        raise InputError(path, f"cannot be read: {error}") from None
