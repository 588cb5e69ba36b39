"""Boxes and rotated rectangles as Gaussians: ProbIoU, NWD, GWD, KLD, KFIoU, Bhattacharyya and Hellinger distance.

A box becomes a Gaussian with its centre as mean and its sides as directions; a side of length w has the variance
w^2 / 12, like a uniform density (``covariance="uniform"``, ProbIoU's convention), or (w / 2)^2 (``"inscribed"``, the
convention of the other papers). Overlaps and distances of Gaussians have a gradient for any position of the boxes, and
are smooth in the angle. A square has no angle.

The functions take arrays of shape (..., 4), boxes as in `omniou.boxes`, or (..., 5) and (..., 8), rectangles as in
`omniou.rotated`, with angles in radians. ``format`` is a format of one of these modules. The default follows the length
of the last axis: "xyxy", "cxcywhr" or "xyxyxyxy". `boxes` and `rotated` have the same functions:
``gaussian.kld(a, b, format="xywh")`` is ``boxes.kld(a, b, format="xywh")``. The losses are ``losses.kld`` and
``losses.rotated.kld``.

>>> from omniou import gaussian
>>> round(float(gaussian.probiou([0, 0, 4, 2, 0.0], [0, 0, 4, 2, 0.1])), 4)
0.9472
"""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.gaussian import _written
from omniou.gaussian._written import *  # noqa: F403  (all functions that follow from declarations)

__all__: list[str] = []
__all__ += _written.__all__


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
