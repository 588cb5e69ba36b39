"""An array API namespace over `keras.ops`, for tensors of TensorFlow, which do not follow the standard."""

import importlib
from typing import Any

import keras  # type: ignore[import-untyped]
import ml_dtypes
from keras import ops

from omniou._lib import arrays

tf: Any = importlib.import_module("tensorflow")  # which type checkers may not have


class _Namespace:
    """`keras.ops`, with the names of the array API standard where they differ."""

    __name__ = "tensorflow"  # omniou identifies libraries by this name, and uses it in errors

    atan2 = staticmethod(ops.arctan2)
    astype = staticmethod(ops.cast)
    concat = staticmethod(ops.concatenate)
    permute_dims = staticmethod(ops.transpose)
    result_type = staticmethod(keras.backend.result_type)

    def __getattr__(self, name: str) -> Any:
        # TensorFlow's dtypes are equal to their names.
        return name if name in {"bool", "uint8", "int32", "int64", "float32", "float64"} else getattr(ops, name)

    def asarray(self, x: Any, *, dtype: Any = None, device: Any = None) -> Any:
        del device  # TensorFlow places constants itself
        return ops.convert_to_tensor(x, dtype=dtype)

    def arange(self, *bounds: Any, dtype: Any = None, device: Any = None) -> Any:
        del device
        return ops.arange(*bounds, dtype=dtype)

    def argsort(self, x: Any, *, axis: int = -1, stable: bool = True) -> Any:
        del stable  # it always is
        return ops.argsort(x, axis=axis)

    def broadcast_to(self, x: Any, shape: tuple[Any, ...]) -> Any:
        # A graph may not know the number of images: it is taken from `x`, or left to broadcasting.
        own = (*(1 for _ in range(len(shape) - len(x.shape))), *ops.shape(x))
        return ops.broadcast_to(x, tuple(have if side is None else side for have, side in zip(own, shape, strict=True)))

    def cumulative_sum(self, x: Any, *, axis: int, dtype: Any = None) -> Any:
        return ops.cumsum(x, axis=axis, dtype=dtype)

    def finfo(self, dtype: Any) -> Any:
        return ml_dtypes.finfo(keras.backend.standardize_dtype(dtype))  # type: ignore[no-untyped-call]

    def __array_namespace_info__(self) -> Any:
        return self

    def dtypes(self, *, kind: str) -> dict[str, str]:
        return {name: name for name in {"real floating": ("float32", "float64"), "signed integer": ("int64",)}[kind]}

    def isdtype(self, dtype: Any, kinds: Any) -> bool:
        dtype = keras.backend.standardize_dtype(dtype)
        is_of = {
            "bool": dtype == "bool",
            "integral": keras.backend.is_int_dtype(dtype),
            "real floating": keras.backend.is_float_dtype(dtype),
        }
        is_of["numeric"] = is_of["integral"] or is_of["real floating"]
        return any(is_of[kind] for kind in ((kinds,) if isinstance(kinds, str) else kinds))

    def full(self, shape: Any, value: Any, *, dtype: Any = None, device: Any = None) -> Any:
        del device
        return ops.full(shape, value, dtype=dtype)

    def shows(self, x: Any) -> bool:
        """Return whether values can be checked: only in eager calls on the CPU, since a device would be waited for."""
        return is_visible(x) and "CPU" in x.device

    # At a tie TensorFlow gives the whole gradient to the first argument; other libraries give half to each, so that
    # it is 0 at a perfect match. Half the sum of maximum in both orders has the same value, and splits the gradient.
    def maximum(self, x: Any, y: Any) -> Any:
        return 0.5 * ops.maximum(x, y) + 0.5 * ops.maximum(y, x)

    def minimum(self, x: Any, y: Any) -> Any:
        return 0.5 * ops.minimum(x, y) + 0.5 * ops.minimum(y, x)

    def reshape(self, x: Any, shape: tuple[Any, ...]) -> Any:
        return ops.reshape(x, tuple(-1 if size is None else size for size in shape))


def is_visible(x: Any) -> bool:
    """Return whether a tensor has values and is not part of a traced graph."""
    return tf.executing_eagerly() and hasattr(x, "numpy")


xp = _Namespace()


def known(x: Any) -> Any:
    """Return the tensor with this namespace attached, so that omniou's functions find it."""
    arrays.register(type(x), xp)
    return x


def cell_counts(cell: Any, size: int) -> Any:
    """Count integers (N,) in [0, size): how often each occurs, (size,)."""
    return ops.segment_sum(ops.ones_like(cell), cell, num_segments=size)


def cell_sums(cell: Any, weight: Any, size: int) -> Any:
    """Sum weights (N,) by integers (N,) in [0, size): (size,)."""
    return ops.segment_sum(weight, cell, num_segments=size)
