"""Draw the tiles of a mosaic, images with their shapes, by Pillow."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou.report._images import tags
from omniou.report._record.series import Numbers

# Colours of classes, in turn; they differ from each other and from most colours of photographs.
_COLOURS = (
    *((230, 25, 75), (60, 180, 75), (255, 225, 25), (0, 130, 200), (245, 130, 48), (145, 30, 180)),
    *((70, 240, 240), (240, 50, 230), (210, 245, 60), (250, 190, 212), (0, 128, 128), (170, 110, 40)),
)
# Letters of a name at most, and their size.
_LONGEST = 29
LETTER = 11
# Pixels between tiles, and height of a line of words.
_GAP, _LINE = 4, 16


class _Words(NamedTuple):
    text: str
    colour: tuple[int, int, int]
    font: Any


class Layer(NamedTuple):
    """The targets, or the detections, of the images that are drawn."""

    title: str
    shapes: list[list[Numbers]]  # of each image
    labels: list[list[int]]
    scores: list[list[float]] | None
    left_out: int  # detections below the score threshold
    edges: Sequence[Sequence[int]] = ()  # pairs of keypoints that are joined


class TileStyle(NamedTuple):
    """How all tiles are drawn."""

    side: int
    names: Mapping[int, str]
    relative: bool
    font: Any

    def colour(self, label: int) -> tuple[int, int, int]:
        """Return the colour of a class."""
        return _COLOURS[label % len(_COLOURS)]


def tile(picture: Numbers, layer: Layer | None, number: int, title: str, style: TileStyle) -> Any:
    """Draw a resized image with the shapes of one layer, below a line of words."""
    from PIL import Image, ImageDraw

    height, width = picture.shape[:2]
    scale = style.side / max(height, width, 1)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    drawn = Image.new("RGB", (style.side, size[1] + _LINE), "white")
    if layer is not None:
        factor = np.asarray(size if style.relative else (scale, scale), dtype=np.float64)
        _draw_shapes(small, layer, number, factor, style)
    drawn.paste(small, (0, _LINE))
    words = title if layer is None else f"{title}: {layer.title}"
    ImageDraw.Draw(drawn).text((2, 1), _fitting(words, style.side - 4, style.font), "black", style.font)
    return drawn


def _draw_shapes(small: Any, layer: Layer, number: int, factor: Numbers, style: TileStyle) -> None:
    from PIL import Image, ImageDraw

    labels, scores = layer.labels[number], layer.scores and layer.scores[number]
    places: list[list[float]] = []
    for shape, label in zip(layer.shapes[number], labels, strict=True):
        colour = style.colour(label)
        if shape.dtype == bool:
            mask = np.asarray(Image.fromarray(shape).resize(small.size, Image.Resampling.NEAREST))
            small.paste(colour, (0, 0), Image.fromarray(np.where(_inner(mask), 112, 255 * mask).astype(np.uint8)))
            rows, along = np.flatnonzero(shape.any(axis=1)), np.flatnonzero(shape.any(axis=0))
            sides = np.asarray(small.size) / np.asarray(shape.shape[::-1])
            ends = [[along[0], rows[0]], [along[-1] + 1, rows[-1] + 1]] if rows.size else []
            places.append(_box(np.asarray(ends).reshape(-1, 2) * sides))
            continue
        points = shape[:, :2] * factor
        if layer.edges:
            points = np.where(shape[:, 2:] > 0, points, np.nan)
        _outline(ImageDraw.Draw(small), points, layer.edges, colour)
        known = points[~np.isnan(points).any(axis=1)]
        places.append(_box(known))
    taken: list[tags.Rect] = []
    # Words above all outlines; those of the best detection, which comes last, get the best place.
    for k, (box, label) in reversed(list(enumerate(zip(places, labels, strict=True)))):
        if not math.isnan(box[0]):
            text = style.names.get(label, str(label)) + (f"  {scores[k]:.2f}" if scores else "")
            _label(small, box, _Words(tags.cut(text, _LONGEST), style.colour(label), style.font), taken)


def _inner(mask: Numbers) -> Numbers:
    """Mask (height, width) -> its pixels whose four neighbours are in it, or beyond the image."""
    padded = np.pad(mask, 1, mode="edge")
    inner: Numbers = mask & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return inner


def _outline(pen: Any, points: Numbers, edges: Sequence[Sequence[int]], colour: tuple[int, int, int]) -> None:
    """Draw a line with a dark halo, visible on any photograph."""
    lines = [points[list(edge)] for edge in edges] if edges else [np.concatenate([points, points[:1]])]
    for width, paint in ((4, (0, 0, 0)), (2, colour)):
        for line in lines:
            if np.isfinite(line).all():
                pen.line([tuple(point) for point in line.tolist()], paint, width)
    if edges:
        for x, y in points[np.isfinite(points).all(axis=1)].tolist():
            pen.ellipse((x - 2, y - 2, x + 2, y + 2), colour, (0, 0, 0))


def _box(points: Numbers) -> list[float]:
    """Points (N, 2) -> minimum x and y, maximum x and y; NaN without points."""
    return [*points.min(axis=0), *points.max(axis=0)] if points.size else [math.nan] * 4


def _label(picture: Any, box: Sequence[float], words: "_Words", taken: list[tags.Rect]) -> None:
    """Write words on a coloured rectangle at a box, inside the image; leave them out if they would cover others."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    left, top, right, bottom = pen.textbbox((0, 0), words.text, words.font)
    width, height = right - left + 5, bottom - top + 4
    if (found := tags.place(box, (width, height), (0, 0, *picture.size), taken)) is None:
        return
    x, y = found.x - width * found.at_end, found.y - height * (not found.is_low)
    pen.rectangle((x, y, x + width - 1, y + height - 1), words.colour)
    pen.text((x + 2 - left, y + 1 - top), words.text, _ink(words.colour), words.font)


def _ink(colour: tuple[int, int, int]) -> str:
    """Return black or white, whichever has more contrast on a colour by WCAG's formula: at least 4.58."""
    shares = np.asarray(colour) / 255
    linear = np.where(shares <= 0.03928, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"


def font() -> Any:
    """Return Pillow's default font, in a size for small tiles."""
    from PIL import ImageFont, features

    return ImageFont.load_default(LETTER) if features.check("freetype2") else ImageFont.load_default()


def _fitting(text: str, width: int, font: Any) -> str:
    """Shorten words to a width in pixels; their end is kept, where file names differ."""
    while len(text) > 1 and font.getlength(text) > width:
        text = f"…{text[2:]}"
    return text


def joined(tiles: Sequence[Sequence[Any]], columns: int | None, note: str) -> Numbers:
    """Join tiles in rows, tiles of one image next to each other, with a note below."""
    from PIL import Image, ImageDraw

    each, side = len(tiles[0]), tiles[0][0].width
    across = min(len(tiles), columns or math.ceil(math.sqrt(len(tiles) / each) - 0.25))  # 2 columns for 2 or 5 images
    rows = [tiles[k : k + across] for k in range(0, len(tiles), across)]
    heights = [max(x.height for group in row for x in group) for row in rows]
    width = across * each * (side + _GAP) - _GAP
    height = sum(heights) + _GAP * (len(rows) - 1) + (_LINE if note else 0)
    sheet, top = Image.new("RGB", (width, height), "white"), 0
    for row, tall in zip(rows, heights, strict=True):
        for k, x in enumerate(x for group in row for x in group):
            sheet.paste(x, (k * (side + _GAP), top))
        top += tall + _GAP
    if note:
        words = font()
        ImageDraw.Draw(sheet).text((2, height - _LINE + 1), _fitting(note, width - 4, words), "black", words)
    return np.array(sheet)  # a copy: torch warns of arrays that cannot be written to
