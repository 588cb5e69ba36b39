"""Which detection takes which object: candidate pairs, groups, greedy matching as bits.

Imports `inputs`.
"""

__all__: list[str] = []
