"""Draw a batch of images with its boxes, by Pillow: fast enough for a training loop."""

import dataclasses
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from omniou._inputs import dicts, kinds
from omniou._lib import checks, extras, outputs
from omniou._lib.brief import counted
from omniou.report._images import pixels
from omniou.report._images.draw import shapes_of
from omniou.report._images.tiles import Layer, TileStyle, font, joined, tile
from omniou.report._record.series import Numbers
from omniou.report._record.values import array, integers

if TYPE_CHECKING:
    import os

__all__ = ["Mosaic", "mosaic"]


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Mosaic:
    """A picture in memory; notebooks show it.

    Attributes
    ----------
    pixels : numpy.ndarray of uint8, shape (height, width, 3)
        Ready for loggers: ``add_image(name, mosaic.pixels, step, dataformats="HWC")``, ``wandb.Image(mosaic.pixels)``.
    """

    pixels: Numbers

    def to_png(self) -> bytes:
        """Return it as a PNG file."""
        from PIL import Image

        buffer = io.BytesIO()
        Image.fromarray(self.pixels).save(buffer, "PNG", compress_level=1)  # 5 times as fast as the default
        return buffer.getvalue()

    def save(self, path: "str | os.PathLike[str]", /) -> None:
        """Write it as a PNG file, or as a smaller JPEG if the name ends with .jpg, atomically.

        Raises
        ------
        ValueError
            If the name ends otherwise.
        OSError
            If the file cannot be written.
        """
        from PIL import Image

        path = Path(path)
        if path.suffix.lower() == ".png":
            outputs.write(path, self.to_png())
        elif path.suffix.lower() in {".jpg", ".jpeg"}:
            buffer = io.BytesIO()
            Image.fromarray(self.pixels).save(buffer, "JPEG", quality=85)
            outputs.write(path, buffer.getvalue())
        else:
            raise ValueError(f"`path` must end with .png or .jpg, got {str(path)!r}")

    def __repr__(self) -> str:
        height, width, _ = self.pixels.shape
        return f"Mosaic: {width} x {height} pixels"

    def _repr_png_(self) -> bytes:
        return self.to_png()


def mosaic(
    images: Any,
    targets: Sequence[Mapping[str, Any]] | None = None,
    detections: Sequence[Mapping[str, Any]] | None = None,
    /,
    *,
    names: Mapping[int, str] | None = None,
    score: float = 0.25,
    most: int = 16,
    columns: int | None = None,
    side: int = 320,
    titles: Sequence[str] | None = None,
    kind: Any = "bbox",
    format: str | None = None,
    offset: float = 0.0,
    relative: bool = False,
    layout: str | None = None,
    values: tuple[float, float] | None = None,
) -> Mosaic:
    r"""Draw a batch with its boxes, labelled with class and score, in one picture: for a training loop.

    It needs Pillow, and does not import matplotlib. With targets and detections, each image is drawn twice: with its
    targets on the left, with its detections on the right.

    Parameters
    ----------
    images : array of shape (B, C, H, W) or (B, H, W, C), or sequence of images
        Arrays of any library and device, (C, H, W), (H, W, C) or (H, W), of any size each; or paths of files.
    targets, detections : sequence of dict, optional
        One for each image, as `evaluate` takes them: "boxes" or "masks" or "keypoints", "labels" and "scores".
    names : mapping of int to str, optional
        Names of the classes by label. Default: the labels.
    score : float
        Detections that score less are not drawn, and counted below the picture.
    most : int
        The most images that are drawn, from the first on.
    columns : int, optional
        Images in a row. Default: the number that makes the picture about square.
    side : int
        Longer side of an image in pixels, from 32.
    titles : sequence of str, optional
        Titles of the images, such as file names. Default: their places in the batch.
    kind, format, offset
        The same values as for `evaluate`, such as kind "rotated" or "segm".
    relative : bool
        Whether coordinates are shares of the image, from 0 to 1.
    layout : {"CHW", "HWC"}, optional
        Axes of images. Default: the one that has 1, 3 or 4 channels.
    values : pair of float, optional
        The values of black and of white. Default: 0 and 1, or 0 and 255, by the range of all images.

    Returns
    -------
    Mosaic

    Raises
    ------
    ImportError
        If Pillow is not installed.
    TypeError, ValueError
        If shapes do not fit, the axes or the value range of the images are ambiguous, there are no images, or boxes
        look like shares of the image but `relative` is False.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import report
    >>> images = np.zeros((2, 3, 40, 60), dtype=np.uint8)
    >>> targets = [{"boxes": [[5, 5, 30, 30]], "labels": [1]}, {"boxes": [], "labels": []}]
    >>> made = report.mosaic(images, targets, names={1: "cat"}, side=120)
    >>> made, made.to_png()[:4]
    (Mosaic: 244 x 96 pixels, b'\x89PNG')
    """
    extras.check("PIL", "a mosaic")
    relative = checks.flag("relative", relative)
    score = checks.number("score", score)
    checks.mappings(names=names)
    most, side = checks.count("most", most), checks.count("side", side)
    columns = None if columns is None else checks.count("columns", columns)
    total = int(images.shape[0]) if hasattr(images, "shape") else len(images)
    if not total:
        raise ValueError("`images` must hold at least one image, got none")
    if side < 32:
        raise ValueError(f"`side` must be at least 32, got {side}")
    shown = min(total, most)
    batch = [images[k, ...] if hasattr(images, "shape") else images[k] for k in range(shown)]
    pictures = pixels.colours(batch, layout, values)
    settled = kinds.settled(kind, format, offset, None)
    given = {"targets": targets, "detections": detections}
    layers = []
    for name, rows in given.items():
        if rows is not None:
            if len(rows) != total:
                raise ValueError(f"`{name}` must have one entry for each image, got {len(rows)} for {total}")
            layers.append(_layer(name, list(rows[:shown]), settled, score))
    if not relative:
        _check_pixels(layers, pictures)
    if titles is not None and len(titles) != total:
        raise ValueError(f"`titles` must have one entry for each image, got {len(titles)} for {total}")
    words = [f"{k}" for k in range(shown)] if titles is None else [str(titles[k]) for k in range(shown)]
    style = TileStyle(side, names or {}, relative, font())
    panels: Sequence[Layer | None] = layers or [None]
    drawn = [[tile(x, layer, k, words[k], style) for layer in panels] for k, x in enumerate(pictures)]
    return Mosaic(joined(drawn, columns, _left_out(layers, total, shown, score)))


def _layer(name: str, rows: Sequence[Any], kind: Any, score: float) -> Layer:
    table = dicts.table_of(name, rows, kind)
    images, labels = array(table["images"]).astype(int), integers(f"{name}['labels']", table["labels"])
    scores = array(table["scores"]).astype(float) if "scores" in table else None
    kept = np.ones(images.shape, bool) if scores is None else scores >= score
    # The best detection is drawn last, above the others.
    order = np.flatnonzero(kept) if scores is None else np.flatnonzero(kept)[np.argsort(scores[kept], kind="stable")]
    of = [order[images[order] == k] for k in range(len(rows))]
    return Layer(
        "ground truth" if scores is None else "detections",
        [shapes_of(name, table[kind.column], x, kind) for x in of],
        [labels[x].tolist() for x in of],
        None if scores is None else [scores[x].tolist() for x in of],
        int((~kept).sum()),
        () if kind.skeleton is None else kind.skeleton.edges,
    )


def _check_pixels(layers: Sequence[Layer], pictures: Sequence[Numbers]) -> None:
    """Raise if all coordinates are at most 1: they are shares of the image."""
    corners = [x[:, :2] for layer in layers for shapes in layer.shapes for x in shapes if x.dtype != bool and x.size]
    if corners and max(max(x.shape) for x in pictures) > 4 and 0 < max(float(np.nanmax(x)) for x in corners) <= 1:
        raise ValueError("coordinates are all at most 1, as shares of the image are: give `relative=True`, or pixels")


def _left_out(layers: Sequence[Layer], total: int, shown: int, score: float) -> str:
    parts = [f"{shown} of {counted(total, 'images')}"] if shown < total else []
    dropped = sum(layer.left_out for layer in layers)
    if dropped:
        parts.append(f"{counted(dropped, 'detections')} with scores below {score:g} not drawn")
    return ", ".join(parts)
