"""Galleries of a record: images of which each has one or several pictures side by side."""

import base64
import binascii
import dataclasses
import math
import re

_PNG = b"\x89PNG\r\n\x1a\n"
# Larger coordinates could overflow in the size of a picture.
_FARTHEST = 1e30


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A shape over a picture.

    Attributes
    ----------
    style : str
        Its outcome: "hit", "found", "false", "missed" or "ignored".
    words : str
        Written next to it; empty for nothing.
    points : list of float
        Two corners of a box, or the vertices of a polygon: x, y, x, y, ...
    """

    style: str
    words: str
    points: list[float]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A picture of an image, over the photograph of the image if there is one.

    Attributes
    ----------
    title : str
        What it shows, such as "ground truth".
    picture : str
        Name of the image, by which its photograph is found.
    size : (float, float), optional
        Height and width of the image, the units of the shapes. Default: the photograph's; else the shapes show them.
    layer : str
        A PNG file in base64, stretched to the size of the image; empty for none, as in the JSON of a page.
    shapes : list of Outline
    """

    title: str
    picture: str
    size: tuple[float, float] | None
    layer: str = ""
    shapes: list[Outline] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An image of a gallery: its name, a sentence about it, and its pictures."""

    name: str
    told: str
    panels: list[Panel]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Images, such as those with most errors.

    Attributes
    ----------
    title : str
        One line, without a full stop.
    note : str
        Sentences about all of them.
    legends : dict of str to list of (str, str)
        By what they are of, such as "classes" and "difference": colours of layers, such as "#0072b2" or with opacity
        "#0072b280", and their meaning.
    styles : dict of str to str
        Styles of shapes and their meaning.
    exhibits : list of Exhibit
    """

    title: str
    note: str
    exhibits: list[Exhibit]
    legends: dict[str, list[tuple[str, str]]] = dataclasses.field(default_factory=dict)
    styles: dict[str, str] = dataclasses.field(default_factory=dict)


# Styles of shapes that pages know, and their meaning.
STYLES = ("ignored", "found", "hit", "missed", "false")


def fault_of(gallery: Gallery) -> str:
    """Return what is wrong with a gallery from a file; empty if it is right."""
    panels = [panel for exhibit in gallery.exhibits for panel in exhibit.panels]
    colours = [colour for legend in gallery.legends.values() for colour, _ in legend]
    if any(re.fullmatch("#[0-9a-f]{6}([0-9a-f]{2})?", colour) is None for colour in colours):
        return "expected colours such as '#0072b2'"
    if any(not 0 < side < _FARTHEST for panel in panels for side in panel.size or ()):
        return "expected sides above 0"
    if any(panel.layer and not _is_png(panel.layer) for panel in panels):
        return "expected layers that are PNG files in base64"
    shapes = [shape for panel in panels for shape in panel.shapes]
    if not {shape.style for shape in shapes} | gallery.styles.keys() <= set(STYLES):
        return f"expected styles among {', '.join(STYLES)}"
    if any(len(x.points) % 2 or len(x.points) < 4 or not all(map(_is_near, x.points)) for x in shapes):
        return "expected points as pairs of x and y"
    return ""


def _is_png(text: str) -> bool:
    try:
        return base64.b64decode(text, validate=True).startswith(_PNG)
    except (binascii.Error, ValueError):
        return False


def _is_near(x: float) -> bool:
    return math.isfinite(x) and abs(x) < _FARTHEST
