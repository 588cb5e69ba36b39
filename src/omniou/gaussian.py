"""Boxes and rotated rectangles as Gaussians: ProbIoU, NWD, GWD, KLD, KFIoU, Bhattacharyya and Hellinger distance.

A box becomes a Gaussian with its centre as mean and its sides as directions; a side of length w has the variance
w^2 / 12, as a uniform density has (``covariance="uniform"``, the convention of ProbIoU), or (w / 2)^2 (``"inscribed"``,
that of the other papers). Overlaps and distances of Gaussians have a gradient wherever the boxes are, and are smooth in
the angle; a square has none.

The functions take arrays of shape (..., 4), boxes as in `omniou.boxes`, or (..., 5) and (..., 8), rectangles as in
`omniou.rotated`, angles in radians. ``format`` is one of both modules; by default the last axis tells: "xyxy",
"cxcywhr" or "xyxyxyxy". They are those of `boxes` and `rotated` under one roof: ``gaussian.kld(a, b, format="xywh")``
is ``boxes.kld(a, b, format="xywh")``. As losses they are ``losses.kld`` and ``losses.rotated.kld``.

>>> from omniou import gaussian
>>> round(float(gaussian.probiou([0, 0, 4, 2, 0.0], [0, 0, 4, 2, 0.1])), 4)
0.9472
"""

from omniou._catalogue import gaussian_functions
from omniou._lib import near

_FUNCTIONS = gaussian_functions.functions()
globals().update(_FUNCTIONS)

__all__ = list(_FUNCTIONS)
__getattr__, __dir__ = near.attributes(__name__, __all__)
