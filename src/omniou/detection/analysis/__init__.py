"""Analyses of a result: errors, confusion, calibration, LRP, proposals, intervals.

Imports all other folders of `detection`.
"""

__all__: list[str] = []
