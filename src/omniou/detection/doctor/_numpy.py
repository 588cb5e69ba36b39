"""NumPy for the doctor, which looks at columns on the host whatever library they came from."""

from typing import TYPE_CHECKING, Any, TypeAlias

from omniou._lib import backends

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column: TypeAlias = npt.NDArray[Any]
else:
    np = backends.numpy_namespace()
    Column = Any

__all__ = ["Column", "np"]
