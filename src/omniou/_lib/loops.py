"""Loops of a fixed-size state whose number of rounds depends on values, inside JAX's `jit` too."""

from collections.abc import Callable
from typing import Any

from omniou._lib import backends, tracers
from omniou._lib.types import Namespace


def rounds(step: Callable[[Any], Any], state: Any, going: Callable[[Any], Any], most: int, /, *, xp: Namespace) -> Any:
    """`state`, a tuple of arrays, after `step` was applied while `going(state)`, at most `most` times.

    Once `going(state)` is false, a step must not change the state: where values are not known yet, torch takes all.
    """
    if backends.library(xp) == "jax":
        import jax

        def more(counted: Any) -> Any:
            return (counted[0] < most) & going(counted[1])

        return jax.lax.while_loop(more, lambda counted: (counted[0] + 1, step(counted[1])), (0, state))[1]
    for _ in range(most):
        again = going(state)
        if not tracers.recording() and tracers.has_values(again) and not again:
            break
        state = step(state)
    return state


def each(function: Callable[..., Any], /, *arrays: Any) -> Any:
    """A function of JAX's arrays, applied to each element of their first axis at once."""
    import jax

    return jax.vmap(function)(*arrays)


def in_turns(function: Callable[[Any], Any], arrays: Any, size: int, /) -> Any:
    """`function` of JAX arrays in any structure, without their first axis; results stacked.

    A loop inside the compiled program, `size` elements a turn, which needs the memory of one turn.
    """
    import jax

    return jax.lax.map(function, arrays, batch_size=size)
