"""Describe panoptic segments: how many match, and the images with most errors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from omniou._lib.brief import counted
from omniou.data._segment_pixels import MATCHED, WRONG, PixelOutcomes, SegmentPixels
from omniou.panoptic import PanopticCounts
from omniou.report._record import label_maps
from omniou.report._record.charts import RankedBars
from omniou.report._record.galleries import Exhibit, Gallery
from omniou.report._record.label_maps import EXCLUDED, MOST_IMAGES, RIGHT, Array, Palette

_OUTCOMES = {"matched": "true_positives", "missed": "false_negatives", "false": "false_positives"}
# The most names of classes of an image in a sentence.
_MOST_NAMES = 4
# Colours of a difference, in the order of the numbers that `_difference` gives; `EXCLUDED` comes first.
_COLOURS = {
    "shared pixels of a match": RIGHT,
    "other pixels of a match": (0, 114, 178, 200),
    "missed": (168, 67, 124, 255),
    "false": (240, 200, 0, 255),
    "missed, and predicted falsely": (200, 70, 0, 255),
}


def bars(parts: Sequence[Mapping[str, Any]]) -> RankedBars:
    """Describe how many segments match, are missed and are false, by the rows of things and of stuff."""
    rows = []
    for part in parts:
        there = part["true_positives"] + part["false_negatives"]
        for words, name in _OUTCOMES.items():
            of_all = f"{part[name]:,}" if words == "false" else f"{part[name]:,} of {there:,}"
            rows.append((f"{part['name']}: {words}", float(part[name]), of_all))
    return RankedBars(
        title="Segments of things and of stuff",
        note="Segments match if they share more than half of their union",
        x_label="Segments",
        rows=rows,
    )


def worst(
    counts: PanopticCounts[Any],
    names: Sequence[str],
    files: Mapping[Any, str],
    read: Callable[[Any], PixelOutcomes],
    photographs: Mapping[str, str],
) -> Gallery | None:
    """Describe the images with most missed and false segments; None if there are none.

    `names` are of `counts.classes`, `files` are names of images by id, `read` reads an image, and
    `photographs` are the names of the photographs, where they differ.
    """
    errors = {key: int(np.sum(x.false_positives) + np.sum(x.false_negatives)) for key, x in _each(counts).items()}
    wrong = sorted((key for key, many in errors.items() if many), key=lambda key: -errors[key])
    if not wrong:
        return None
    chosen = wrong[:MOST_IMAGES]
    found = {key: read(key) for key in chosen}
    palette = Palette(label_maps.by_size([side.label for x in found.values() for side in (x.target, x.prediction)]))
    which = f"; the {len(chosen)} with most are drawn" if len(chosen) < len(wrong) else ""
    return Gallery(
        title="Images with most errors",
        note=f"Images with missed or false segments: {len(wrong)} of {len(errors)}{which}.",
        exhibits=[
            _exhibit(files[key], _told(_each(counts)[key], names), x, palette, photographs) for key, x in found.items()
        ],
        legends={
            "classes": palette.legend(names),
            "difference": label_maps.meanings(_COLOURS | {"excluded": EXCLUDED}),
        },
    )


def _each(counts: PanopticCounts[Any]) -> Mapping[Any, PanopticCounts[Any]]:
    return counts.by_image or {}


def _exhibit(name: str, told: str, x: PixelOutcomes, palette: Palette, photographs: Mapping[str, str]) -> Exhibit:
    layers = {
        "ground truth": _layer(x.target, palette),
        "prediction": _layer(x.prediction, palette),
        "difference": label_maps.encoded(label_maps.reduced(_difference(x)), [EXCLUDED, *_COLOURS.values()]),
    }
    return label_maps.exhibit(name, told, x.shared.shape, layers, photographs.get(name, name))


def _layer(x: SegmentPixels, palette: Palette) -> str:
    """Return a layer of classes, with lines between segments."""
    return palette.layer(x.label, label_maps.edges_of(label_maps.reduced(x.row)))


def _difference(x: PixelOutcomes) -> Array:
    """Return the number of a colour of each pixel (H, W): 0, or 1 + the place in `_COLOURS`."""
    missed, false = x.target.outcome == WRONG, x.prediction.outcome == WRONG
    matched = (x.target.outcome == MATCHED) | (x.prediction.outcome == MATCHED)
    return np.select([missed & false, missed, false, x.shared, matched], [5, 3, 4, 1, 2], 0)


def _told(counts: PanopticCounts[Any], names: Sequence[str]) -> str:
    parts = []
    for words, field in _OUTCOMES.items():
        numbers = np.asarray(getattr(counts, field))
        order = [k for k in np.argsort(-numbers, kind="stable").tolist() if numbers[k]]
        named = [names[k] + (f" ({numbers[k]})" if numbers[k] > 1 else "") for k in order[:_MOST_NAMES]]
        more = [counted(len(order) - _MOST_NAMES, "more classes")] if len(order) > _MOST_NAMES else []
        listed = f": {', '.join([*named, *more])}" if named and words != "matched" else ""
        parts.append(f"{numbers.sum()} {words}{listed}")
    return "; ".join(parts) + "."
