"""Declare scores, options and geometries, each once, and prepare calls of their kernels.

Imports `_lib` and `_kernels` only. Public modules are derived from here.
"""
