"""Describe label maps: the confusion of their pixels, and the images with the largest share of wrong ones."""

import base64
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from omniou._lib.brief import counted
from omniou.report._record import series
from omniou.report._record.charts import HeatMap
from omniou.report._record.galleries import Exhibit, Gallery, Panel

Array: TypeAlias = npt.NDArray[Any]

# The most classes of the confusion; the others are summed up.
MOST_CLASSES = 15
# The most images, and the longer side of their layers in pixels.
MOST_IMAGES, _SIDE = 6, 320
# The most classes in a legend, and the most confusions that are named of an image.
_MOST_COLOURS, _MOST_PAIRS = 24, 3
# The first colours of classes (Okabe and Ito's, without black and orange-red); others take hues by the golden ratio.
_COLOURS = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (240, 228, 66))
_GOLDEN = 0.618034
# Colours of a difference with their opacity: pixels that are right, wrong, and excluded.
RIGHT, WRONG, EXCLUDED = (86, 180, 233, 90), (200, 70, 0, 255), (128, 128, 128, 110)
_CLEAR, _EDGE = (0, 0, 0, 0), (0, 0, 0, 200)


class Maps(NamedTuple):
    """Two label maps of one image: numbers of classes (H, W), negative for excluded pixels and for no class."""

    target: Array
    prediction: Array


def confusion(names: Sequence[str], counts: Array) -> HeatMap:
    """Describe confusion counts (C, C + 1) of pixels; classes that occur nowhere are left out."""
    counts = np.asarray(counts)
    there = np.flatnonzero(counts.sum(axis=1) + counts[:, :-1].sum(axis=0))
    table = counts[there][:, [*there.tolist(), len(names)]]
    cells = [[i, j, int(table[i, j])] for i, j in np.argwhere(table).tolist()]
    classes, few = [names[k] for k in there.tolist()], len(names) - len(there)
    if len(classes) > MOST_CLASSES:  # 150 classes may have 20,000 cells, which no chart shows
        kept, small = series.folded(len(classes), cells, MOST_CLASSES - 1)
        cells = [[i, j, count] for i, row in enumerate(small) for j, count in enumerate(row) if count]
        classes = [*(classes[k] for k in kept), f"{len(classes) - len(kept)} others"]
    return HeatMap(
        title="Confusion of pixels",
        note="Percent of the pixels of each true class, in rows, by predicted class"
        + (f"; left out: {counted(few, 'classes')} without pixels" if few else ""),
        x_label="Predicted class",
        y_label="True class",
        classes=classes,
        cells=cells,
        rest=("", "no class" if table[:, -1].any() else ""),
        unit="pixels",
    )


def worst(
    names: Sequence[str],
    by_image: Mapping[str, Array],
    maps_of: Callable[[str], Maps],
    photographs: Mapping[str, str],
) -> Gallery | None:
    """Describe the images with the largest share of wrong pixels; None if no pixel is wrong.

    `by_image` has intersection, target and prediction in pixels of each class (C, 3), `maps_of` reads the maps of
    an image, and `photographs` are the names of the photographs, where they differ.
    """
    sums = {name: (int(x[:, 0].sum()), int(x[:, 1].sum())) for name, x in by_image.items()}
    shares = {name: (whole - right) / whole for name, (right, whole) in sums.items() if whole > right}
    if not shares:
        return None
    chosen = sorted(shares, key=lambda name: -shares[name])[:MOST_IMAGES]
    maps = {name: maps_of(name) for name in chosen}
    places = by_size([x for both in maps.values() for x in both])
    palette = Palette(places)
    exhibits, excluded = [], False
    for name, (target, prediction) in maps.items():
        wrong = (target >= 0) & (target != prediction)
        pairs = _pairs(names, target[wrong], prediction[wrong])
        told = f"{shares[name]:.1%} of {counted(sums[name][1], 'pixels')} wrong: {pairs}."
        state = np.where(target < 0, 2, np.where(wrong, 1, 0))
        layers = {
            "ground truth": palette.layer(target),
            "prediction": palette.layer(prediction),
            "difference": encoded(reduced(state), [RIGHT, WRONG, EXCLUDED]),
        }
        exhibits.append(exhibit(name, told, target.shape, layers, photographs.get(name, name)))
        excluded = excluded or bool((target < 0).any())
    which = f"; the {len(chosen)} with the largest share are drawn" if len(chosen) < len(shares) else ""
    return Gallery(
        title="Images with most wrong pixels",
        note=f"Images with wrong pixels: {len(shares)} of {len(by_image)}{which}.",
        exhibits=exhibits,
        legends={
            "classes": palette.legend(names),
            "difference": meanings({"wrong": WRONG, "right": RIGHT} | ({"excluded": EXCLUDED} if excluded else {})),
        },
    )


def exhibit(name: str, told: str, shape: Sequence[int], layers: Mapping[str, str], photograph: str) -> Exhibit:
    """Return the pictures of an image, by their titles, over the photograph of a name."""
    size = (float(shape[0]), float(shape[1]))
    panels = [Panel(title=title, picture=photograph, size=size, layer=layer) for title, layer in layers.items()]
    return Exhibit(name=name, told=told, panels=panels)


class Palette:
    """Colours of classes, the largest first. Numbers below 0 are transparent."""

    def __init__(self, places: Sequence[int]) -> None:
        self._places = list(places)
        # A PNG file has 256 colours, of which two have another meaning.
        self._many = min(len(places), 254)
        self._colour = {place: k % 254 for k, place in enumerate(places)}

    def layer(self, classes: Array, edges: Array | None = None) -> str:
        """Return a layer of numbers of classes (H, W), with pixels (H, W) of edges drawn dark."""
        small = reduced(classes)
        table = np.full(max(self._places, default=0) + 1, 0)
        for place, colour in self._colour.items():
            table[place] = colour
        numbers = np.where(small < 0, self._many, table[np.maximum(small, 0)])
        if edges is not None:
            numbers = np.where(edges, self._many + 1, numbers)
        colours = [(*colour_of(k), 255) for k in range(self._many)]
        return encoded(numbers, [*colours, _CLEAR, _EDGE])

    def legend(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the colours of the largest classes with their names."""
        more = len(self._places) - _MOST_COLOURS
        shown = [(_hex(colour_of(self._colour[x])), names[x]) for x in self._places[:_MOST_COLOURS]]
        return [*shown, (_hex(_CLEAR), f"and {more} more")] if more > 0 else shown


def colour_of(number: int) -> tuple[int, int, int]:
    """Return the colour of a class: the first ones differ most."""
    if number < len(_COLOURS):
        return _COLOURS[number]
    import colorsys

    hue, light = number * _GOLDEN % 1, (0.42, 0.7, 0.56)[number % 3]
    red, green, blue = (round(255 * x) for x in colorsys.hls_to_rgb(hue, light, 0.6))
    return red, green, blue


def reduced(pixels: Array) -> Array:
    """Return every n-th pixel of each axis, so that the longer side has at most `_SIDE`."""
    step = -(-max(pixels.shape) // _SIDE)
    return pixels[step // 2 :: step, step // 2 :: step] if min(pixels.shape) > step else pixels[::step, ::step]


def edges_of(ids: Array) -> Array:
    """Return whether the pixel below or to the right has another id (H, W)."""
    out = np.zeros(ids.shape, dtype=bool)
    out[:-1] |= ids[:-1] != ids[1:]
    out[:, :-1] |= ids[:, :-1] != ids[:, 1:]
    return out


def encoded(numbers: Array, colours: Sequence[Sequence[int]]) -> str:
    """Return numbers of colours (H, W) as a PNG file in base64; colours are red, green, blue and opacity."""
    from PIL import Image

    picture = Image.fromarray(np.ascontiguousarray(numbers, dtype=np.uint8))
    picture.putpalette(list(itertools.chain.from_iterable(x[:3] for x in colours)))
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True, transparency=bytes(x[3] for x in colours))
    return base64.b64encode(out.getvalue()).decode()


def meanings(colours: Mapping[str, Sequence[int]]) -> list[tuple[str, str]]:
    """Return colours and their meaning, for a legend."""
    return [(_hex(colour), words) for words, colour in colours.items()]


def _hex(colour: Sequence[int]) -> str:
    return "#" + "".join(f"{x:02x}" for x in colour)


def by_size(maps: Sequence[Array]) -> list[int]:
    """Return the numbers of classes of maps, the class with most pixels first."""
    places, sizes = np.unique(np.concatenate([x[x >= 0] for x in maps]), return_counts=True)
    ordered: list[int] = places[np.argsort(-sizes, kind="stable")].tolist()
    return ordered


def _pairs(names: Sequence[str], target: Array, prediction: Array) -> str:
    """Name the most frequent confusions of wrong pixels."""
    pairs, sizes = np.unique(np.stack([target, np.maximum(prediction, -1)]), axis=1, return_counts=True)
    order = np.argsort(-sizes, kind="stable")[:_MOST_PAIRS]
    return ", ".join(
        f"{names[pairs[0, k]]} taken for {'no class' if pairs[1, k] < 0 else names[pairs[1, k]]} "
        f"({sizes[k] / len(target):.0%} of them)"
        for k in order
    )
