"""Faster code for single libraries: tiles, zero-copy views of CPU tensors, threads, numba for masks.

Only `omniou._lib.accel` imports from here. The package could be deleted: results then differ by
roundings, at most 16 units in the last place in tests/accel/test_plain.py.
"""
