"""The doctor: find mistakes in objects and detections by reading them in other ways.

Imports `inputs`; loaded when `check` or a finding of a result is asked for.
"""

__all__: list[str] = []
