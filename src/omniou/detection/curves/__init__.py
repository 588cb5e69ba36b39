"""The state of an evaluation, and the precision and recall that are computed from it.

Imports `inputs` and `matching`.
"""

__all__: list[str] = []
