"""Tensors of the backend, and the weights that go with them."""

from typing import Any

import keras  # type: ignore[import-untyped]
from keras import ops

if keras.backend.backend() == "tensorflow":
    from omniou_integrations._tensorflow import known
else:
    # Tensors of the other backends are arrays of the standard, which omniou's functions take as they are.
    def known(x: Any) -> Any:
        """The tensor."""
        return x


__all__ = ["known", "per_box"]


def per_box(weight: Any, like: Any, /, *, dtype: Any) -> Any:
    """Weights or mask of leading axes, such as one number for each sample -> (...), as `like`, one for each box."""
    weight = ops.convert_to_tensor(weight, dtype=dtype)
    if len(weight.shape) > len(like.shape):
        weight = ops.squeeze(weight, axis=-1)
    weight = ops.reshape(weight, (*ops.shape(weight), *[1] * (len(like.shape) - len(weight.shape))))
    return ops.broadcast_to(weight, ops.shape(like))
