"""The geometries that omniou has, one module each, and the table of them.

Imports the rest of `_catalogue`.
"""
