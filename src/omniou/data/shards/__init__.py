"""A data set in shards: whole images each, evaluated apart by any engine that maps and reduces, and merged exactly.

Imports the modules above it in `omniou.data`, and `formats`.
"""

from omniou.data.shards._shard_files import IMAGES, Shard, find
from omniou.data.shards._shards import NOTHING, Part, Rules, Size, SplitImageError, Whole, known, merge, united, whole

__all__ = [
    "IMAGES",
    "NOTHING",
    "Part",
    "Rules",
    "Shard",
    "Size",
    "SplitImageError",
    "Whole",
    "find",
    "known",
    "merge",
    "united",
    "whole",
]
