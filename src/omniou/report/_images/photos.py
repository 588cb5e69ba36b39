"""Make small JPEGs in data URLs for the page, of whole pictures or of crops."""

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from omniou.data import InputError
from omniou.data._files import check_unpacked
from omniou.data._pictures import opened

if TYPE_CHECKING:
    from PIL.Image import Image

# The longer side of a picture and of a crop in pixels, and the quality of JPEG.
_SIDE, _CROP, _QUALITY = 480, 220, 60


class Photo(NamedTuple):
    """A picture as a data URL, with its width and height in pixels after EXIF rotation."""

    url: str
    width: float
    height: float


def photo(path: Path, side: int = _SIDE) -> Photo | None:
    """Return the whole picture, with at most `side` pixels on its longer side; None if it cannot be read."""
    loaded = _loaded(path, side)
    return None if loaded is None else Photo(_url(loaded[0], side), *loaded[1])


class Crop(NamedTuple):
    """A part of a picture as a data URL, and its place in the units of the image."""

    url: str
    x: float
    y: float
    width: float
    height: float


def crops(path: Path, size: Sequence[float] | None, windows: Sequence[Sequence[float]]) -> list[Crop | None] | None:
    """Cut windows (left, top, right, bottom) out of a picture. `size` is height and width of the image in their units.

    None if the picture cannot be read; None for a window that is outside of it.
    """
    loaded = _loaded(path)
    if loaded is None:
        return None
    picture, shown = loaded
    height, width = size or shown[::-1]
    across, down = picture.width / width, picture.height / height
    out: list[Crop | None] = []
    for left, top, right, bottom in windows:
        # Windows are rounded to whole pixels, and the crop says where these are: shapes over it then fit exactly.
        x0, x1 = (min(max(round(x * across), 0), picture.width) for x in (left, right))
        y0, y1 = (min(max(round(y * down), 0), picture.height) for y in (top, bottom))
        if x1 <= x0 or y1 <= y0:
            out.append(None)
            continue
        url = _url(picture.crop((x0, y0, x1, y1)), _CROP)
        out.append(Crop(url, x0 / across, y0 / down, (x1 - x0) / across, (y1 - y0) / down))
    return out


def _loaded(path: Path, side: int | None = None) -> "tuple[Image, tuple[int, int]] | None":
    """Load a picture, rotated by its EXIF orientation, with its original width and height.

    A JPEG is decoded at about `side` pixels, which is faster.
    """
    from PIL import ImageOps

    try:
        with opened(path) as picture:
            width, height = picture.size
            if side:
                picture.draft("RGB", (side, side))  # fewer pixels, of JPEG only
            check_unpacked(path, 3 * picture.width * picture.height, "the picture unpacks")
            turned = ImageOps.exif_transpose(picture).convert("RGB")
    except InputError:
        return None
    if (turned.width > turned.height) != (width > height):
        width, height = height, width
    return turned, (width, height)


def _url(picture: "Image", side: int) -> str:
    picture.thumbnail((side, side))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}"
