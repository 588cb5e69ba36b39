"""Prepare galleries of a record for the page: layers and shapes over photographs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from omniou.report._charts import svg
from omniou.report._images import frames, tags
from omniou.report._images.photos import Photo, photo
from omniou.report._record.galleries import STYLES, Gallery, Panel

# The longer side of a photograph in pixels: several of a gallery are side by side.
_SIDE = 320
# A photograph whose sides have another ratio than the image is of another crop: what lies over it would be misplaced.
_RATIO = 0.02
_OTHER = "The picture in the directory of images has other proportions ({} x {}) and is not drawn."


class ExhibitSection(NamedTuple):
    """An image of a gallery, for the template: the values of `picture` for each of its pictures."""

    name: str
    told: str
    pictures: list[dict[str, Any]]


class GallerySection(NamedTuple):
    """A gallery for the template."""

    gallery: Gallery
    exhibits: list[ExhibitSection]
    styles: list[tuple[str, str]]  # classes of the style sheet and their meaning


def section(key: str, gallery: Gallery, folder: Path | None) -> GallerySection:
    """Return a gallery with its photographs; each of them is in the page once."""
    names = list(dict.fromkeys(panel.picture for exhibit in gallery.exhibits for panel in exhibit.panels))
    found = dict(zip(names, frames.files_of(folder, names), strict=True))
    photos = {
        name: made for name, path in found.items() if path is not None and (made := photo(path, _SIDE)) is not None
    }
    exhibits, drawn = [], dict[str, str]()
    for exhibit in gallery.exhibits:
        pictures, told = [], exhibit.told
        # Pictures of unknown size have one scale, so that they can be compared.
        around = [frames.frame_of(_rows(panel), is_from_zero=True) for panel in exhibit.panels]
        area = max(x[3] for x in around), max(x[2] for x in around)
        for panel in exhibit.panels:
            made = photos.get(panel.picture)
            if made is not None and not _fits(made, panel):
                told += " " * bool(told) + _OTHER.format(f"{made.width:g}", f"{made.height:g}")
                photos.pop(panel.picture)
                made = None
            first = drawn.get(panel.picture)
            pictures.append(_picture(panel, made, first, f"{key}-{len(drawn)}", area))
            if made is not None and first is None:
                drawn[panel.picture] = f"{key}-{len(drawn)}"
        exhibits.append(ExhibitSection(exhibit.name, told, pictures))
    return GallerySection(gallery, exhibits, [(f"shape {style}", words) for style, words in gallery.styles.items()])


def names_of(galleries: Mapping[str, Gallery]) -> list[str]:
    """Return the names of the images whose photographs are drawn."""
    return [panel.picture for x in galleries.values() for exhibit in x.exhibits for panel in exhibit.panels]


def _fits(made: Photo, panel: Panel) -> bool:
    height, width = panel.size or (made.height, made.width)
    return abs(made.width * height - made.height * width) <= _RATIO * made.width * height


def _picture(
    panel: Panel, made: Photo | None, first: str | None, identity: str, area: tuple[float, float]
) -> dict[str, Any]:
    """Return the values of a picture; its photograph refers to the `first` that the page has of it, if there is one.

    `area` is height and width of a picture without a size or a photograph.
    """
    rows = _rows(panel)
    height, width = panel.size or ((made.height, made.width) if made else area)
    box = (0.0, 0.0, width, height)
    words = [x.words for x in panel.shapes]
    kinds = frames.ClassesDrawn(words, svg.outline, is_filled=False, are_errors_named=False)
    named = [tags.Tag(x.style, x.words, x.points) for x in panel.shapes if x.words]
    sides = {"x": "0", "y": "0", "width": f"{width:g}", "height": f"{height:g}"}
    return {
        "name": panel.picture,
        "title": panel.title,
        "box": f"0 0 {width:g} {height:g}",
        "photo": made and {"data": f"#{first}" if first else made.url, "id": "" if first else identity, **sides},
        "layer": panel.layer and {"data": f"data:image/png;base64,{panel.layer}", **sides},
        "groups": frames.groups(rows, box, kinds, None),
        "tags": tags.placed(named, box),
    }


def _rows(panel: Panel) -> dict[str, list[tuple[int, None, list[float]]]]:
    """Return the shapes by style, with their places in place of classes."""
    return {style: [(k, None, x.points) for k, x in enumerate(panel.shapes) if x.style == style] for style in STYLES}
