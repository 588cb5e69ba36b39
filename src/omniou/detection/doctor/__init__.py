"""The doctor: what is doubtful about objects and detections, told by reading them in other ways.

Imports `inputs`; loaded when `check` or a finding of a result is asked for.
"""

__all__: list[str] = []
