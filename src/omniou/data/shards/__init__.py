"""A data set in shards: whole images each, evaluated apart by any engine that maps and reduces, and merged exactly.

Imports the modules above it in `omniou.data`, and `formats`.
"""

from omniou.data.shards._parts import NOTHING, Part, Size, SplitImageError, Whole, merge, whole
from omniou.data.shards._shard_files import IMAGES, Shard, find
from omniou.data.shards._shards import Rules, known, united

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
