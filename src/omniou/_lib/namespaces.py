"""The array-API namespace of an array."""

import functools
from typing import Any

import array_api_compat as compat

from omniou._lib import backends
from omniou._lib.types import Namespace


def array_namespace(x: Any, /) -> Namespace:
    """The namespace of one array: that of array-api-compat, but for NumPy's arrays."""
    return numpy() if compat.is_numpy_array(x) else compat.array_namespace(x)


@functools.cache
def numpy() -> Namespace:
    """NumPy with the functions of the standard that it has in another way. ImportError where it is not installed.

    NumPy follows the standard since 2.1. The wrapper of array-api-compat serves older ones: it imports numpy.f2py,
    numpy.testing and all other parts of NumPy, which takes nearly as long as NumPy itself.
    """
    import numpy as np

    if not hasattr(np, "unstack"):
        import array_api_compat.numpy as wrapped

        return wrapped
    return backends.Namespace(
        np,
        astype=lambda x, dtype, /, *, copy=True: x.astype(dtype, copy=copy),  # also of scalars
        argsort=lambda x, /, *, axis=-1, stable=True: x.argsort(axis=axis, stable=stable),
        sort=lambda x, /, *, axis=-1, stable=True: np.sort(x, axis=axis, stable=stable),
        count_nonzero=lambda x, /, **how: np.asarray(np.count_nonzero(x, **how)),
    )
