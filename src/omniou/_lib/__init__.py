"""What every module stands on: the array namespace, dtypes, shapes, and the few shims a backend needs.

Nothing here imports an array library when it is loaded; a shim imports the library of the array it was handed.
"""
