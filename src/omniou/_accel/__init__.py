"""What makes plain array code faster on one library: tiles, zero-copy views of CPU tensors, threads, numba for masks.

Only `omniou._lib.accel` imports from here. The package could be deleted: results stay the same, to the last bit.
"""
