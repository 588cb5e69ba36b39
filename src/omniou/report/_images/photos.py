"""Pictures as the page holds them: small JPEGs in URLs, whole or cut out."""

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

# Pictures are scaled to so many pixels, and crops to so many.
_SIDE, _CROP, _QUALITY = 480, 220, 60


class Photo(NamedTuple):
    """A picture in a URL, and its width and height as it is shown."""

    url: str
    width: float
    height: float


def photo(path: Path) -> Photo | None:
    """The whole picture; None where it cannot be read."""
    loaded = _loaded(path, _SIDE)
    return None if loaded is None else Photo(_url(loaded[0], _SIDE), *loaded[1])


class Crop(NamedTuple):
    """A part of a picture in a URL, and where it lies, in the units of the image."""

    url: str
    x: float
    y: float
    width: float
    height: float


def crops(path: Path, size: Sequence[float] | None, windows: Sequence[Sequence[float]]) -> list[Crop | None] | None:
    """Parts of a picture: windows are left, top, right, bottom in the units of an image of some height and width.

    None where the picture cannot be read; None for a window that is outside of it.
    """
    loaded = _loaded(path)
    if loaded is None:
        return None
    picture, shown = loaded
    height, width = size or shown[::-1]
    across, down = picture.width / width, picture.height / height
    out: list[Crop | None] = []
    for left, top, right, bottom in windows:
        # Whole pixels, so that what is drawn over them lies right.
        x0, x1 = (min(max(round(x * across), 0), picture.width) for x in (left, right))
        y0, y1 = (min(max(round(y * down), 0), picture.height) for y in (top, bottom))
        if x1 <= x0 or y1 <= y0:
            out.append(None)
            continue
        url = _url(picture.crop((x0, y0, x1, y1)), _CROP)
        out.append(Crop(url, x0 / across, y0 / down, (x1 - x0) / across, (y1 - y0) / down))
    return out


def _loaded(path: Path, side: int | None = None) -> "tuple[Image, tuple[int, int]] | None":
    """A picture, turned as it is shown, and its width and height; of a JPEG about `side` pixels."""
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
