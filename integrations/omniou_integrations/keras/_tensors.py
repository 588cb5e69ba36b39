"""Tensors of the backend, and the weights that go with them."""

from typing import Any

import keras  # type: ignore[import-untyped]
from keras import ops
from keras.src.losses.loss import reduce_weighted_values  # type: ignore[import-untyped]  # no public name

from omniou._inputs.kinds import ShapeRows
from omniou._lib import carried

if keras.backend.backend() == "tensorflow":
    from omniou_integrations.keras._tensorflow import cell_counts, cell_sums, is_visible, known
else:
    from omniou._lib import arrays, indexing, values

    # Tensors of the other backends are arrays of the standard, which omniou's functions take as they are.
    def known(x: Any) -> Any:
        """The tensor."""
        return x

    def is_visible(x: Any) -> bool:
        """Whether the values of a tensor can be checked: not in a graph or under a tracer."""
        return values.visible(x)

    # Keras sums segments of torch in float32, of integers too.
    def cell_counts(cell: Any, size: int) -> Any:
        """Integers (N,) in [0, size) -> how often each occurs (size,)."""
        return indexing.counts(cell, size, xp=arrays.namespace_of("cell", cell))

    def cell_sums(cell: Any, weight: Any, size: int) -> Any:
        """Integers (N,) in [0, size), weights (N,) -> the sum of each (size,)."""
        return indexing.sums(weight, cell, size, xp=arrays.namespace_of("cell", cell))


__all__ = ["cell_counts", "cell_sums", "is_visible", "known", "per_box", "reduced", "wide"]


def wide(dtype: Any, /) -> Any:
    """The dtype to compute and to sum in: float32 for 16 bits."""
    return keras.backend.result_type(dtype, "float32")


def reduced(each: Any, loss: Any, /, *, weight: Any, mask: Any = None) -> Any:
    """Losses as Keras reduces them: in float32 or wider, and without a reduction in the dtype of the loss."""
    out = reduce_weighted_values(
        each, sample_weight=weight, mask=mask, reduction=loss.reduction, dtype=wide(loss.dtype)
    )
    return ops.cast(out, loss.dtype) if loss.reduction in {None, "none"} else out


def tensor(name: str, x: Any, /, *, dtype: Any = None, rows: ShapeRows | None = None) -> Any:
    """Return the numbers of an argument as a tensor; `rows`: the format of boxes, for those that know theirs."""
    x = x if rows is None else rows.numbers(name, x)
    return ops.convert_to_tensor(carried.plain(name, x), dtype=dtype)


def per_box(weight: Any, like: Any, /, *, dtype: Any) -> Any:
    """Weights or mask of leading axes, such as one number for each sample -> (...), as `like`, one for each box."""
    weight = tensor("sample_weight", weight, dtype=dtype)
    if len(weight.shape) > len(like.shape):
        weight = ops.squeeze(weight, axis=-1)
    weight = ops.reshape(weight, (*ops.shape(weight), *[1] * (len(like.shape) - len(weight.shape))))
    return ops.broadcast_to(weight, ops.shape(like))
