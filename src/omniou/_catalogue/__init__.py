"""Declarations of scores, options and geometries: each once, and the way from a call to a kernel.

Imports `_lib` and `_kernels` only. Public modules are derived from here.
"""
