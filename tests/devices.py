"""A device that tests run on without being the default one: `pytest --xp torch --device cuda`."""

import functools
from typing import Any

CREATE = {"arange", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros"}


class OnDevice:
    """A namespace whose functions make arrays on one device, unless another is given.

    The default device of the library stays what it is, so a constant that omniou makes there meets an array of another
    device, and raises.
    """

    def __init__(self, xp: Any, device: Any) -> None:
        self._xp, self._device = xp, device

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._xp, name)
        return functools.partial(found, device=self._device) if name in CREATE else found


def named(name: str, xp: Any) -> Any:
    """The device of a library: `cuda`, `cpu`, `cuda:1`, and for array-api-strict `device1`."""
    match xp.__name__.removeprefix("array_api_compat.").partition(".")[0]:
        case "array_api_strict":
            return xp.Device(name)
        case "torch":
            return xp.device(name)
        case "jax":
            import jax

            platform, _, number = name.partition(":")
            return jax.devices(platform)[int(number or 0)]
    return None  # CuPy has all arrays on its GPU, NumPy and Dask have one device
