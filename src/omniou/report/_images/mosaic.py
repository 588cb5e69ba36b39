"""Draw a batch of images with its boxes, by Pillow: fast enough for a training loop."""

import dataclasses
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from omniou._inputs import dicts, kinds
from omniou._lib import checks, extras, outputs
from omniou._lib.brief import counted, shortened
from omniou.data import GroundTruth
from omniou.data._paths import ImageNames
from omniou.detection import Detections, Targets
from omniou.report._charts import fonts
from omniou.report._images import pixels
from omniou.report._images.draw import read_with, shapes_of
from omniou.report._images.tiles import LETTER, Layer, TileStyle, font, joined, tile
from omniou.report._record.series import Numbers
from omniou.report._record.values import array, integers

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


@fonts.told()
def mosaic(
    images: Any,
    targets: GroundTruth | Targets[Any] | Sequence[Mapping[str, Any]] | None = None,
    detections: Detections[Any] | Sequence[Mapping[str, Any]] | None = None,
    /,
    *,
    image_ids: Sequence[int] | None = None,
    names: Mapping[int, str] | None = None,
    score: float = 0.25,
    most: int = 16,
    columns: int | None = None,
    side: int = 320,
    titles: Sequence[str] | None = None,
    kind: Any = None,
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
    targets, detections : sequence of dict, or GroundTruth, Targets and Detections, optional
        A dict for each image, as `evaluate` takes them: "boxes" or "masks" or "keypoints", "labels" and "scores". Or
        tables of all images, as `draw` takes them; a ground truth that was read from files has its format, kind and
        names of classes and images.
    image_ids : sequence of int, optional
        Id of each image in the tables. Default: of paths, the id of their name in the ground truth; else, of a ground
        truth of as many images, its ids.
    names : mapping of int to str, optional
        Names of the classes by label. Default: those of the ground truth, else the labels.
    score : float
        Detections that score less are not drawn, and counted below the picture.
    most : int
        The most images that are drawn, from the first on.
    columns : int, optional
        Images in a row. Default: the number that makes the picture about square.
    side : int
        Longer side of an image in pixels, from 32.
    titles : sequence of str, optional
        Titles of the images. Default: names of their files, else their names in the ground truth, else their places
        in the batch.
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
    kind, format, names = read_with(targets, detections, kind, format, names)
    settled = kinds.settled(kind, format, offset, None)
    ids = _ids(images, targets, detections, image_ids, total)
    titles = _titles(images, targets, ids, total) if titles is None else titles
    tables = {
        "targets": targets.targets if isinstance(targets, GroundTruth) else targets,
        "detections": detections,
    }
    layers = []
    for name, rows in tables.items():
        if isinstance(rows, Targets | Detections):
            layers.append(_layer(name, _columns(rows, settled), ids[:shown], settled, score))
        elif rows is not None:
            if len(rows) != total:
                raise ValueError(f"`{name}` must have one entry for each image, got {len(rows)} for {total}")
            table = dicts.table_of(name, list(rows[:shown]), settled)
            layers.append(_layer(name, table, range(shown), settled, score))
    if not relative:
        _check_pixels(layers, pictures)
    if len(titles) != total:
        raise ValueError(f"`titles` must have one entry for each image, got {len(titles)} for {total}")
    words = [str(titles[k]) for k in range(shown)]
    called = {k: x for k, x in (names or {}).items() if any(k in of for y in layers for of in y.labels)}
    shown_words, face = fonts.of_pillow([*called.values(), *words], font(), LETTER)
    style = TileStyle(side, dict(zip(called, shown_words, strict=False)), relative, face)
    words = shown_words[len(called) :]
    panels: Sequence[Layer | None] = layers or [None]
    drawn = [[tile(x, layer, k, words[k], style) for layer in panels] for k, x in enumerate(pictures)]
    return Mosaic(joined(drawn, columns, _left_out(layers, total, shown, score)))


def _columns(table: Any, kind: Any) -> dict[str, Any]:
    columns = {"images": table.images, "labels": table.labels, kind.column: getattr(table, kind.column)}
    return columns | ({} if isinstance(table, Targets) else {"scores": table.scores})


def _file_names(images: Any) -> list[str] | None:
    """Return the names of the files, if all images are paths."""
    if hasattr(images, "shape") or not all(isinstance(x, str | os.PathLike) for x in images):
        return None
    return [Path(x).name for x in images]


def _ids(images: Any, targets: Any, detections: Any, given: Sequence[int] | None, total: int) -> Sequence[int]:
    """Return the id of each image in the tables."""
    if not any(isinstance(x, GroundTruth | Targets | Detections) for x in (targets, detections)):
        if given is not None:
            raise TypeError("`image_ids` is for tables: dictionaries have an entry for each image")
        return range(total)
    if given is not None:
        ids = [int(x) for x in integers("image_ids", given).tolist()]
        if len(ids) != total:
            raise ValueError(f"`image_ids` must have one entry for each image, got {len(ids)} for {total}")
        return ids
    if isinstance(targets, GroundTruth):
        if (files := _file_names(images)) is not None:
            known = list(targets.image_names)
            places = ImageNames(list(targets.image_names.values())).find(files)
            lost = [file for file, found in zip(files, places, strict=True) if len(found) != 1]
            if not lost:
                return [known[found[0]] for found in places]
            raise ValueError(f"`images` must be in the ground truth, by name, got {shortened(lost)}: give `image_ids`")
        if len(targets.images) == total:
            return [int(x) for x in array(targets.images).tolist()]
    raise ValueError(f"`image_ids` must name the {counted(total, 'images')} in the tables, got None")


def _titles(images: Any, targets: Any, ids: Sequence[int], total: int) -> list[str]:
    """Return names of files, else names in the ground truth, else places."""
    if (files := _file_names(images)) is not None:
        return files
    if isinstance(targets, GroundTruth):
        return [targets.image_names.get(x, str(x)) for x in ids]
    return [str(k) for k in range(total)]


def _layer(name: str, table: Mapping[str, Any], ids: Sequence[int], kind: Any, score: float) -> Layer:
    images, labels = array(table["images"]).astype(int), integers(f"{name}['labels']", table["labels"])
    scores = array(table["scores"]) if "scores" in table else None
    drawn = np.isin(images, np.asarray(ids))
    # Compared as narrow as they came: a float32 of 0.9 meets 0.9, which is more in 64 bits.
    kept = drawn if scores is None else drawn & (scores >= score)
    scores = None if scores is None else scores.astype(float)
    # The best detection is drawn last, above the others.
    order = np.flatnonzero(kept) if scores is None else np.flatnonzero(kept)[np.argsort(scores[kept], kind="stable")]
    of = [order[images[order] == k] for k in ids]
    return Layer(
        "ground truth" if scores is None else "detections",
        [shapes_of(name, table[kind.column], x, kind) for x in of],
        [labels[x].tolist() for x in of],
        None if scores is None else [scores[x].tolist() for x in of],
        int((drawn & ~kept).sum()),
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
