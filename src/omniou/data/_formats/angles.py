"""Angles of rotated boxes, as files have them."""

from typing import Any

import numpy.typing as npt

from omniou import rotated
from omniou.data._options import Options

Column = npt.NDArray[Any]


def in_radians(boxes: Column, format: Any, options: Options) -> Column:
    """Boxes with angles as all of omniou takes them: in radians, positive from x towards y."""
    if options.angle_unit == "radians" and options.clockwise:
        return boxes
    return rotated.convert(boxes, format, format, unit=options.angle_unit, clockwise=options.clockwise)
