"""Convex polygons of a fixed number of vertices."""

from omniou._catalogue.geometry import Geometry, Measure
from omniou._catalogue.shape_options import ShapeOptions
from omniou._kernels import polygons as kernels


def _harmless(numbers: int) -> tuple[float, ...]:
    # A triangle, whose first vertex is repeated.
    return (0.0,) * (numbers - 4) + (1.0, 0.0, 0.0, 1.0)


GEOMETRY = Geometry(
    name="polygons",
    formats={"vertices": range(6, 2**20, 2)},
    carried={"XYXYXYXY": ("vertices", {})},
    canonical=kernels.canonical,
    terms=kernels.PolygonTerms,
    bounds=kernels.bounds,
    outline=kernels.outline,
    doubts=kernels.doubts,
    measures=(
        Measure(
            name="area",
            title="Area by the shoelace formula.",
            kernel=kernels.area,
            example="""
>>> from omniou import polygons
>>> float(polygons.area([[0, 0], [4, 0], [0, 3]]))
6.0""",
        ),
        Measure(
            name="check",
            title="Raise unless every polygon is finite, convex, and goes around once.",
            kernel=kernels.faults,
            raises=True,
            example="""
>>> from omniou import polygons
>>> polygons.check([[0, 0], [2, 2], [2, 0], [0, 2]])
Traceback (most recent call last):
    ...
ValueError: `x` is not convex in [0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0]""",
        ),
    ),
    harmless=_harmless,
    axes=2,
    prunes=True,
    slab=2,
    of_box=lambda box: [[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]],
    options=ShapeOptions,
    module="omniou.polygons",
    numbers="V, 2",
    shape="(..., V, 2)",
    text="Vertices along the outline of convex polygons.",
)
