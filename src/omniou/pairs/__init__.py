"""All pairs of two sets: as a matrix, reduced, or only those above a threshold."""

from omniou.pairs._dense import pairwise
from omniou.pairs._sparse import SparsePairs, pairwise_sparse

__all__ = ["SparsePairs", "pairwise", "pairwise_sparse"]
