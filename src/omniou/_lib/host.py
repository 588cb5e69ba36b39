"""JAX arrays on the host, for work whose shapes depend on values: JAX would compile each step anew for each of them."""

from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from omniou._lib.types import Namespace


def to_host(arrays: dict[str, Any], /) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    """Arrays of one library -> its namespace, the arrays, and what brings a result home.

    JAX arrays become NumPy's, without a copy on a CPU, and results go back to their device; with 64-bit numbers
    switched off they are rounded there, not before. All other arrays stay as and where they are.
    """
    first = next(iter(arrays.values()))
    if not compat.is_jax_array(first):
        return compat.array_namespace(first), arrays, lambda x: x
    import array_api_compat.numpy as xp
    import jax
    import numpy as np

    # A sharding over several devices fits only the shape it was made for: results then go to the default device.
    device = first.sharding if len(first.devices()) == 1 else None
    return xp, {name: np.asarray(x) for name, x in arrays.items()}, lambda x: jax.device_put(x, device)
