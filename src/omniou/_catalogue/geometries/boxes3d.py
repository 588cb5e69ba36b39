"""Upright 3-D boxes with a yaw, and their footprints."""

import dataclasses
from typing import Any

from omniou._catalogue.geometry import Conversion, Geometry, Measure, Words
from omniou._catalogue.shape_options import Boxes3DOptions
from omniou._kernels import boxes3d as kernels


def _of_box(box: Any) -> list[float]:
    # On the ground, of height 1.
    return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, 0.5, box[2] - box[0], box[3] - box[1], 1.0, 0.0]


# Sides of 1 wherever a format has them, or the quaternion of no turn.
_HARMLESS = {7: (1.0,) * 6 + (0.0,), 10: (0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)}

_VIEW = "from above, x to the right and y downwards"

GEOMETRY = Geometry(
    name="3-D boxes",
    formats={"xyzlwhr": (7,), "kitti": (7,), "nuscenes": (10,)},
    canonical=kernels.canonical,
    terms=kernels.Boxes3DTerms,
    bounds=kernels.bounds,
    outline=kernels.outline,
    rows=kernels.rows,
    convert=kernels.convert,
    conversion=Conversion(
        returns=(
            "(..., 7) or (..., 10)",
            (
                "Quaternions have length 1 and turn only about z. A yaw from a quaternion is in [-pi, pi]; others "
                "keep their turns."
            ),
        ),
        example="""
>>> from omniou import boxes3d
>>> boxes3d.convert([1.5, 1.6, 4, 2, 1.75, 10, 0.5], "kitti", "xyzlwhr").tolist()
[2.0, 10.0, -1.0, 4.0, 1.6, 1.5, -0.5]
>>> boxes3d.convert([0, 0, 1, 4, 2, 1.5, 0], "xyzlwhr", "nuscenes").tolist()
[0.0, 0.0, 1.0, 2.0, 4.0, 1.5, 1.0, 0.0, 0.0, 0.0]""",
    ),
    measures=(
        Measure(
            name="volume",
            title="Volume; 0 for a box with a side below 0.",
            kernel=kernels.volume,
            example="""
>>> from omniou import boxes3d
>>> float(boxes3d.volume([0, 0, 0, 4, 2, 1.5, 0.5]))
12.0""",
        ),
        Measure(
            name="corners",
            title='The eight corners of boxes, in the frame of "xyzlwhr".',
            kernel=kernels.corners,
            returns=(
                "(..., 8, 3)",
                (
                    "The four of the bottom, in the order of `rotated.corners`, then the four above them: the order of "
                    "PyTorch3D."
                ),
            ),
            example="""
>>> from omniou import boxes3d
>>> boxes3d.corners([0, 0, 0, 4, 2, 2, 0]).tolist()[:4]
[[-2.0, -1.0, -1.0], [2.0, -1.0, -1.0], [2.0, 1.0, -1.0], [-2.0, 1.0, -1.0]]""",
        ),
        Measure(
            name="enclosing",
            title="Compute an upright box around two: the smaller one of the two that are parallel to one of them.",
            kernel=kernels.enclosing,
            shapes=("a", "b"),
            returns=("(..., 7)", 'As "xyzlwhr".'),
            example="""
>>> from omniou import boxes3d
>>> boxes3d.enclosing([1, 1, 1, 2, 2, 2, 0], [4, 1, 2, 2, 1, 2, 0]).tolist()
[2.5, 1.0, 1.5, 5.0, 2.0, 3.0, 0.0]""",
        ),
        Measure(
            name="check",
            title="Raise unless every box is finite, has sides of at least 0, and an angle within two turns.",
            about="Degrees passed for radians are found by the last. A quaternion must be a pure yaw, to a tilt of "
            "about one degree.",
            kernel=kernels.faults,
            raises=True,
            example="""
>>> from omniou import boxes3d
>>> boxes3d.check([0, 0, 0, 4, 2, 1.5, 90])
Traceback (most recent call last):
    ...
ValueError: `x` has an angle beyond two turns, as degrees have in [0.0, 0.0, 0.0, 4.0, 2.0, 1.5, 90.0]""",
        ),
    ),
    doubts=kernels.doubts,
    harmless=_HARMLESS.__getitem__,
    layout=lambda options: options.get("format", "xyzlwhr"),
    of_box=_of_box,
    prunes=True,
    slab=2,
    options=Boxes3DOptions,
    module="omniou.boxes3d",
    numbers="7",
    shape="(..., 7) or (..., 10)",
    text='Boxes; (..., 10) for the format "nuscenes".',
    words=Words(area="volume", unit="metres", view=_VIEW),
)

BEV = dataclasses.replace(
    GEOMETRY,
    name="footprints of 3-D boxes",
    terms=kernels.FootprintTerms,
    bounds=kernels.bounds_in_plane,
    measures=(),
    conversion=None,
    words=Words(unit="metres", view=_VIEW),
    text="Boxes, compared only by their footprints (bird's eye view): places and sides along z have no effect.",
)
