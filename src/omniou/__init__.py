"""Overlap metrics of computer vision, on any array that follows the array API standard.

`boxes` scores axis-aligned boxes, `pairwise` takes any score over all pairs of two sets, `losses` turns a score
into a loss.
"""

from omniou import boxes, losses
from omniou.pairs import pairwise

__all__ = ["__version__", "boxes", "losses", "pairwise"]

__version__ = "0.1.0"
