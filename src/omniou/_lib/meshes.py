"""JAX arrays on a mesh whose axes are explicit, as `jax.make_mesh` makes them: operations must say where they go."""

import functools
from collections.abc import Callable
from typing import Any


def automatic(function: Callable[..., Any], /) -> Callable[..., Any]:
    """A function of JAX arrays that leaves the placement to the compiler; its results lie whole on each device.

    For reductions of pixels and detections. JAX has no rule for the reshapes, sorts and scatters inside these.
    """

    @functools.wraps(function)
    def call(*arrays: Any, **static: Any) -> Any:
        mesh, axes = _explicit(arrays)
        if not axes:
            return function(*arrays, **static)
        import jax

        whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        return jax.sharding.auto_axes(function, axes=axes, out_sharding=whole)(*arrays, **static)

    return call


def _explicit(arrays: Any) -> tuple[Any, tuple[str, ...]]:
    """The mesh of the first array that is on one with explicit axes, and these axes."""
    import jax

    for x in jax.tree.leaves(arrays):
        mesh = jax.typeof(x).sharding.mesh
        if axes := mesh.explicit_axes:
            return mesh, tuple(axes)
    return None, ()
