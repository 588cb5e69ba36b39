"""A loop over the first axis that a compiler sees as a loop, and that needs the memory of one turn."""

from collections.abc import Callable
from typing import Any


def in_turns(function: Callable[[Any], Any], arrays: Any, size: int, /) -> Any:
    """`function` of JAX arrays in any structure, without their first axis, `size` of them at once; results stacked."""
    import jax

    return jax.lax.map(function, arrays, batch_size=size)
