"""Rotated rectangles."""

import math
from collections.abc import Mapping
from typing import Any

from omniou._catalogue.geometry import Conversion, Geometry, Measure
from omniou._catalogue.shape_options import AngleOptions, RotatedOptions
from omniou._kernels import rotated as kernels


def _layouts(source: str, target: str, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Both formats, with the radians of our sense of rotation in one unit of their angles."""

    def radians(unit: str, *, clockwise: bool) -> float:
        return (1.0 if clockwise else -1.0) * (math.pi / 180.0 if unit == "degrees" else 1.0)

    old = radians(options.get("unit", "radians"), clockwise=options.get("clockwise", True))
    new = radians(options.get("to_unit", "radians"), clockwise=options.get("to_clockwise", True))
    return (source, old), (target, new)


# In torchvision, angles are degrees and turn counterclockwise.
_CARRIED = {"unit": "degrees", "clockwise": False}

GEOMETRY = Geometry(
    name="rotated rectangles",
    formats={"cxcywhr": (5,), "xywhr": (5,), "xyxyxyxy": (8,)},
    carried={
        "CXCYWHR": ("cxcywhr", _CARRIED),
        "XYWHR": ("xywhr", _CARRIED),
        "XYXYXYXY": ("xyxyxyxy", {}),
    },
    canonical=kernels.canonical,
    terms=kernels.RotatedTerms,
    bounds=kernels.bounds,
    outline=kernels.outline,
    convert=kernels.convert,
    conversion=Conversion(
        about="Angles may be of another unit or sense of rotation.",
        options=AngleOptions,
        layouts=_layouts,
        returns=(
            "(..., 5) or (..., 8)",
            "From corners, the first side is the one between the first two, and the angle in (-pi, pi].",
        ),
        example="""
>>> from omniou import rotated
>>> rotated.convert([5, 5, 4, 2, 90], "cxcywhr", "xyxyxyxy", unit="degrees").tolist()
[6.0, 3.0, 6.0, 7.0, 4.0, 7.0, 4.0, 3.0]""",
    ),
    measures=(
        Measure(
            name="area",
            title="Area; 0 for a rectangle with a side below 0.",
            kernel=kernels.area,
            example="""
>>> from omniou import rotated
>>> float(rotated.area([0, 0, 3, 2, 0.5]))
6.0""",
        ),
        Measure(
            name="corners",
            title='The four corners of rectangles, in the order of "xyxyxyxy".',
            kernel=kernels.vertices,
            returns=("(..., 4, 2)", "Before the turn: top-left, top-right, bottom-right and bottom-left corner."),
            example="""
>>> from omniou import rotated
>>> rotated.corners([0, 0, 4, 2, 0]).tolist()
[[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]""",
        ),
        Measure(
            name="enclosing",
            title="Compute a rectangle around two: the smaller one of the two that are parallel to one of them.",
            kernel=kernels.enclosing,
            shapes=("a", "b"),
            returns=("(..., 5)", 'As "cxcywhr".'),
            example="""
>>> from omniou import rotated
>>> rotated.enclosing([1, 1, 2, 2, 0], [4, 1, 2, 1, 0]).tolist()
[2.5, 1.0, 5.0, 2.0, 0.0]""",
        ),
        Measure(
            name="check",
            title="Raise unless every rectangle is finite, has sides of at least 0, and an angle within two turns.",
            about="The last check finds degrees passed for radians. Four corners must form a rectangle, to a hundredth "
            "of its longer side.",
            kernel=kernels.faults,
            raises=True,
            example="""
>>> from omniou import rotated
>>> rotated.check([[0, 0, 4, 2, 0.5], [0, 0, 4, 2, 90]])
Traceback (most recent call last):
    ...
ValueError: `x[1]` has an angle beyond two turns, as degrees have in [0.0, 0.0, 4.0, 2.0, 90.0]""",
        ),
    ),
    doubts=kernels.doubts,
    harmless=lambda numbers: (0.0, 0.0, 1.0, 1.0, 0.0) if numbers == 5 else (0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
    layout=lambda options: options.get("format", "cxcywhr"),
    of_box=lambda box: [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1], 0.0],
    prunes=True,
    slab=2,
    options=RotatedOptions,
    module="omniou.rotated",
    numbers="5",
    shape="(..., 5) or (..., 8)",
    text='Rectangles; (..., 8) for the format "xyxyxyxy".',
)
