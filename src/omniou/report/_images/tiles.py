"""Draw the tiles of a mosaic, images with their shapes, by Pillow."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from omniou.report._record.series import Numbers

# Colours of classes, in turn; they differ from each other and from most colours of photographs.
_COLOURS = (
    *((230, 25, 75), (60, 180, 75), (255, 225, 25), (0, 130, 200), (245, 130, 48), (145, 30, 180)),
    *((70, 240, 240), (240, 50, 230), (210, 245, 60), (250, 190, 212), (0, 128, 128), (170, 110, 40)),
)
# Pixels between tiles, and height of a line of words.
_GAP, _LINE = 4, 16


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
    places: list[tuple[float, float]] = []
    for shape, label in zip(layer.shapes[number], labels, strict=True):
        colour = style.colour(label)
        if shape.dtype == bool:
            mask = np.asarray(Image.fromarray(shape).resize(small.size, Image.Resampling.NEAREST))
            small.paste(colour, (0, 0), Image.fromarray(np.where(_inner(mask), 112, 255 * mask).astype(np.uint8)))
            rows, along = np.flatnonzero(shape.any(axis=1)), np.flatnonzero(shape.any(axis=0))
            sides = np.asarray(small.size) / np.asarray(shape.shape[::-1])
            places.append((along[0] * sides[0], rows[0] * sides[1]) if rows.size else (math.nan, math.nan))
            continue
        points = shape[:, :2] * factor
        if layer.edges:
            points = np.where(shape[:, 2:] > 0, points, np.nan)
        _outline(ImageDraw.Draw(small), points, layer.edges, colour)
        known = points[~np.isnan(points).any(axis=1)]
        places.append((known[:, 0].min(), known[:, 1].min()) if known.size else (math.nan, math.nan))
    for k, (place, label) in enumerate(zip(places, labels, strict=True)):  # words above all outlines
        if not math.isnan(place[0]):
            text = style.names.get(label, str(label)) + (f"  {scores[k]:.2f}" if scores else "")
            _label(small, place, text, style.colour(label), style.font)


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


def _label(picture: Any, place: tuple[float, float], text: str, colour: tuple[int, int, int], font: Any) -> None:
    """Write words on a coloured box, above the corner if there is room, inside the image."""
    from PIL import ImageDraw

    pen, size = ImageDraw.Draw(picture), picture.size
    left, top, right, bottom = pen.textbbox((0, 0), text, font)
    width, height = right - left + 4, bottom - top + 3
    x = min(max(place[0], 0), max(0, size[0] - width))
    y = place[1] - height if place[1] >= height else max(place[1], 0)
    y = min(y, max(0, size[1] - height))
    pen.rectangle((x, y, x + width, y + height), colour)
    bright = 0.3 * colour[0] + 0.6 * colour[1] + 0.1 * colour[2] > 130
    pen.text((x + 2 - left, y + 1 - top), text, "black" if bright else "white", font)


def font() -> Any:
    """Return Pillow's default font, in a size for small tiles."""
    from PIL import ImageFont, features

    return ImageFont.load_default(11) if features.check("freetype2") else ImageFont.load_default()


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
