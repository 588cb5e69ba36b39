"""All pairs of two sets: as a matrix, reduced, or only those above a threshold."""

from typing import TYPE_CHECKING

from omniou._lib import near
from omniou.pairs._dense import pairwise

if TYPE_CHECKING:
    from omniou.pairs._reduced import Best, pairwise_count, pairwise_max, pairwise_topk
    from omniou.pairs._sparse import SparsePairs, pairwise_sparse

__all__ = ["Best", "SparsePairs", "pairwise", "pairwise_count", "pairwise_max", "pairwise_sparse", "pairwise_topk"]

if not TYPE_CHECKING:
    # Late, since scores need `pairwise` only.
    __getattr__, __dir__ = near.attributes(
        __name__,
        __all__,
        near.late_names(
            {
                "_reduced": ["Best", "pairwise_count", "pairwise_max", "pairwise_topk"],
                "_sparse": ["SparsePairs", "pairwise_sparse"],
            }
        ),
    )
