"""What a result says beyond its curves: errors, confusion, calibration, LRP, intervals.

Imports all other folders of `detection`.
"""

__all__: list[str] = []
