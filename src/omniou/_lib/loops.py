"""Loops whose number of steps depends on values, in eager libraries and inside compilers."""

from collections.abc import Callable
from typing import Any

from omniou._lib import backends, tracers
from omniou._lib.types import Namespace


def settled(step: Callable[[Any], Any], x: Any, /, *, xp: Namespace) -> Any:
    """Booleans (..., N), repeated through `step` until it returns what it was given, which it does after N steps.

    Eager libraries read one boolean after each step.
    """
    if backends.library(xp) == "jax":
        return _settled_jax(step, x)
    if tracers.compiling():
        return _settled_compiled(step, x)
    if backends.library(xp) == "torch" and tracers.is_meta(x):
        return step(x)  # nothing but a shape
    if tracers.recording():  # whose graph has no loops
        for _ in range(x.shape[-1]):
            x = step(x)
        return x
    while True:
        new = step(x)
        if not tracers.is_any(new != x, xp=xp):
            return new
        x = new


def _settled_jax(step: Callable[[Any], Any], x: Any) -> Any:
    import jax

    def again(state: tuple[Any, Any]) -> tuple[Any, Any]:
        new = step(state[0])
        return new, (new != state[0]).any()

    return jax.lax.while_loop(lambda state: state[1], again, again((x, None)))[0]


def _settled_compiled(step: Callable[[Any], Any], x: Any) -> Any:
    def again(x: Any, _: Any) -> tuple[Any, Any]:
        new = step(x)
        return new, (new != x).any()

    # A result of torch's loop must not share memory with what went in.
    return _while(lambda _, changed: ~~changed, again, again(x, None))[0]


def repeated(step: Callable[..., tuple[Any, ...]], state: tuple[Any, ...], count: int, /, *, xp: Namespace) -> Any:
    """``state = step(k, *state)`` for k = 0, ..., count - 1; `k` is a Python integer or an array ()."""
    if count == 0:
        return state
    if backends.library(xp) == "jax":
        import jax

        return jax.lax.fori_loop(0, count, lambda k, state: step(k, *state), state)
    if tracers.compiling():
        return _repeated_compiled(step, state, count, xp=xp)
    for k in range(count):
        state = step(k, *state)
    return state


def _repeated_compiled(
    step: Callable[..., tuple[Any, ...]], state: tuple[Any, ...], count: int, /, *, xp: Namespace
) -> Any:
    k = xp.zeros((), dtype=xp.int64, device=state[0].device)
    own = tuple(x.clone() for x in state)
    return _while(lambda k, *_: k < count, lambda k, *state: (k + 1, *step(k, *state)), (k, *own))[1:]


def _while(again: Callable[..., Any], step: Callable[..., Any], state: tuple[Any, ...], /) -> Any:
    from torch._higher_order_ops.while_loop import while_loop

    return while_loop(again, step, state)  # type: ignore[no-untyped-call]


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
