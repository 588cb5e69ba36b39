"""Axis-aligned boxes in 1, 2 or 3 dimensions."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.geometry import Conversion, Geometry, Measure, Words
from omniou._catalogue.shape_options import BoxOptions, IntervalOptions, InvertedOption, OffsetOption
from omniou._kernels import boxes as kernels
from omniou._lib import formats


def _layout(options: Mapping[str, Any]) -> formats.Layout:
    return formats.layout(options.get("format", "xyxy"), options.get("offset", 0.0))[0]


def _lengths(name: str) -> tuple[int, ...]:
    ndim = formats.layout(name)[1]
    return (2, 4, 6) if ndim is None else (2 * ndim,)


def _harmless(numbers: int) -> tuple[float, ...]:
    # Zeros, then ones: a proper box in every format.
    return (0.0,) * (numbers // 2) + (1.0,) * (numbers // 2)


GEOMETRY = Geometry(
    name="boxes",
    formats={name: _lengths(name) for name in formats.NAMES},
    carried={name.upper(): (name, {}) for name in ("xyxy", "xywh", "cxcywh")},
    canonical=kernels.canonical,
    terms=kernels.BoxTerms,
    bounds=kernels.bounds,
    area=kernels.stated_area,
    rows=kernels.rows,
    convert=kernels.convert,
    conversion=Conversion(
        about="Inverted boxes stay inverted.",
        options=OffsetOption,
        returns=("(..., 2 * D)", ""),
        example="""
>>> from omniou import boxes
>>> boxes.convert([10, 15, 30, 35], "xyxy", "cxcywh").tolist()
[20.0, 25.0, 20.0, 20.0]
>>> boxes.convert([0.1, 0.2, 0.5, 1.0], "rel_xyxy", "xyxy", image_size=(100, 200)).tolist()
[20.0, 20.0, 100.0, 100.0]""",
    ),
    measures=(
        Measure(
            name="area",
            title="Area of each box (length in 1-D, volume in 3-D); 0 for an inverted one.",
            kernel=kernels.area,
            returns=("(...)", "At least 0, in the unit of the coordinates to the power D."),
            example="""
>>> from omniou import boxes
>>> boxes.area([[0, 0, 2, 3], [0, 0, 2, -3]], format="xywh").tolist()
[6.0, 0.0]""",
        ),
        Measure(
            name="enclosing",
            title="Smallest box around both, element by element. Empty boxes count as the points where they lie.",
            kernel=kernels.enclosing,
            shapes=("a", "b"),
            returns=("(..., 2 * D)", "In the same format."),
            example="""
>>> from omniou import boxes
>>> boxes.enclosing([0, 0, 1, 1], [2, 2, 1, 3], format="xywh").tolist()
[0.0, 0.0, 3.0, 5.0]""",
        ),
        Measure(
            name="check",
            title="Raise unless every box is finite, not inverted, and within the image if `image_size` is given.",
            kernel=kernels.faults,
            raises=True,
            of_image=True,
            example="""
>>> from omniou import boxes
>>> boxes.check([[0, 0, 1, 1], [3, 0, 2, 1]])
Traceback (most recent call last):
    ...
ValueError: `x[1]` is inverted: high corner below low one in [3.0, 0.0, 2.0, 1.0]""",
        ),
    ),
    doubts=kernels.doubts,
    harmless=_harmless,
    layout=_layout,
    dimensions=lambda numbers: numbers // 2,
    inversion=kernels.inversion,
    sorted=kernels.sorted_canonical,
    unstacked=True,
    pulls=True,
    slab=1,
    of_box=list,
    options=BoxOptions,
    loss_options=InvertedOption,
    module="omniou.boxes",
    numbers="2 * D",
    shape="(..., 2 * D)",
    text="Boxes in D = 1, 2 or 3 dimensions.",
)

INTERVALS = dataclasses.replace(
    GEOMETRY,
    name="intervals",
    formats=dict.fromkeys(("xx", "xw", "cxw"), (2,)),
    layout=lambda options: formats.layout(options.get("format", "xx"))[0],
    doubts=None,
    faults=kernels.not_lasting,
    measures=(),
    conversion=None,
    carried={},
    of_box=lambda box: [box[0], box[2]],
    options=IntervalOptions,
    words=Words("video", "length", "seconds", "tIoU"),
    numbers="2",
    shape="(..., 2)",
    text="Intervals, such as actions in a video. Each must end after it begins.",
)
