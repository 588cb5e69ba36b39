"""Basics that everything imports: array namespaces, dtypes, checks, orders, and shims for what backends lack.

Nothing here imports an array library when it is loaded; a shim imports the library of the array it was handed.
"""
