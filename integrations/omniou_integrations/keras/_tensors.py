"""Tensors of the backend, and the weights that go with them."""

from typing import Any

import keras  # type: ignore[import-untyped]
from keras import ops

if keras.backend.backend() == "tensorflow":
    from omniou_integrations.keras._tensorflow import cell_counts, cell_sums, known
else:
    from omniou._lib import arrays, indexing, values

    # Tensors of the other backends are arrays of the standard, which omniou's functions take as they are.
    def known(x: Any) -> Any:
        """The tensor."""
        return x

    # Keras sums segments of torch in float32, of integers too.
    def cell_counts(cell: Any, size: int) -> Any:
        """Integers (N,) in [0, size) -> how often each occurs (size,)."""
        return indexing.counts(cell, size, xp=arrays.namespace_of("cell", cell))

    def cell_sums(cell: Any, weight: Any, size: int) -> Any:
        """Integers (N,) in [0, size), weights (N,) -> the sum of each (size,)."""
        return indexing.sums(weight, cell, size, xp=arrays.namespace_of("cell", cell))


__all__ = ["cell_counts", "cell_sums", "is_visible", "known", "per_box"]


def is_visible(x: Any, /) -> bool:
    """Whether the values of a tensor can be looked at: not in a graph or under a tracer."""
    if keras.backend.backend() == "tensorflow":
        return hasattr(x, "numpy")
    return values.visible(x)


def per_box(weight: Any, like: Any, /, *, dtype: Any) -> Any:
    """Weights or mask of leading axes, such as one number for each sample -> (...), as `like`, one for each box."""
    weight = ops.convert_to_tensor(weight, dtype=dtype)
    if len(weight.shape) > len(like.shape):
        weight = ops.squeeze(weight, axis=-1)
    weight = ops.reshape(weight, (*ops.shape(weight), *[1] * (len(like.shape) - len(weight.shape))))
    return ops.broadcast_to(weight, ops.shape(like))
