"""Define your own shapes: a `Geometry` has formats, terms and bounds; scores and losses follow.

`functions` and `losses` return the scores and losses of a geometry. `pairwise`, ``detection.evaluate(kind=...)`` and
others take your own geometry like omniou's, such as `omniou.boxes.GEOMETRY`.
"""

from typing import TYPE_CHECKING, Any

from omniou._catalogue.geometry import Conversion, Geometry, Measure
from omniou._catalogue.sources.shapes import functions_of, loss_functions
from omniou._kernels.boxes import Bounds
from omniou._lib import checks, near

__all__ = ["Bounds", "Conversion", "Geometry", "Measure", "functions", "losses"]


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)


def functions(geometry: Geometry, /) -> dict[str, Any]:
    """The functions of a geometry by name: its scores, `pairwise_iou`, measures and `convert`.

    Parameters
    ----------
    geometry : Geometry

    Returns
    -------
    dict of str to callable
        Of the scores, those whose terms the geometry has.

    Examples
    --------
    >>> from omniou import boxes, geometry
    >>> float(geometry.functions(boxes.GEOMETRY)["iou"]([0, 0, 2, 2], [0, 0, 2, 1]))
    0.5
    """
    return functions_of(checks.instance("geometry", geometry, Geometry, "a Geometry"))


def losses(geometry: Geometry, /) -> dict[str, Any]:
    """The losses of a geometry by name.

    Parameters
    ----------
    geometry : Geometry

    Returns
    -------
    dict of str to callable
        Of the scores whose terms the geometry has.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import boxes, geometry
    >>> float(geometry.losses(boxes.GEOMETRY)["iou"](np.array([0.0, 0, 2, 2]), [0, 0, 2, 1]))
    0.5
    """
    return loss_functions(checks.instance("geometry", geometry, Geometry, "a Geometry"))
