"""Declare omniou's geometries, one module each, and collect them in a table.

Imports the rest of `_catalogue`.
"""
