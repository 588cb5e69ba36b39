"""All pairs of two sets: as a matrix, reduced, or only those above a threshold."""

from omniou.pairs._dense import pairwise
from omniou.pairs._reduced import Best, pairwise_count, pairwise_max, pairwise_topk
from omniou.pairs._sparse import SparsePairs, pairwise_sparse

__all__ = ["Best", "SparsePairs", "pairwise", "pairwise_count", "pairwise_max", "pairwise_sparse", "pairwise_topk"]
