"""Upright boxes as a geometry."""

from collections.abc import Mapping
from typing import Any

from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import BoxOptions, InvertedOption
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
    canonical=kernels.canonical,
    terms=kernels.BoxTerms,
    bounds=lambda boxes, *, xp: boxes,  # noqa: ARG005
    area=kernels.stated_area,
    rows=kernels.rows,
    convert=kernels.convert,
    doubts=kernels.doubts,
    harmless=_harmless,
    layout=_layout,
    dimensions=lambda numbers: numbers // 2,
    inversion=kernels.inversion,
    sorted=kernels.sorted_canonical,
    pulls=True,
    of_box=list,
    options=BoxOptions,
    loss_options=InvertedOption,
    module="omniou.boxes",
    numbers="2 * D",
    text="Boxes in D = 1, 2 or 3 dimensions.",
)
