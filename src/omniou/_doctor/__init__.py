"""Try other readings of an input, and report the one that lifts its matches from about 0.

`engine` has the rule and an example of how a kind declares its readings. It imports `_lib` only, so every kind can use
it. `columns` is NumPy, which a doctor needs.
"""

__all__: list[str] = []
