"""Matching of detections and objects: candidate pairs, groups, greedy matching as bits.

Imports `inputs`.
"""

__all__: list[str] = []
