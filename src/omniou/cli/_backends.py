"""Check and load the array library that a command computes with."""

import importlib.util
from collections.abc import Callable
from typing import Any

import click

from omniou._lib import accel
from omniou._lib.extras import install_line

INSTALL = {
    "numpy": install_line("cli"),
    "torch": "pip install torch",
    "jax": install_line("jax"),
}


def check(name: str) -> None:
    """Raise a usage error if the library is not installed, or if compiled loops are requested but not available."""
    if importlib.util.find_spec(name) is None:
        raise click.UsageError(f"--backend {name} needs {name}: {INSTALL[name]}")
    try:
        accel.check()
    except (ValueError, ImportError) as error:
        raise click.UsageError(str(error)) from None


def converter(name: str) -> Callable[[Any], Any]:
    """Return the function that converts a NumPy array to the library."""
    if name == "torch":
        import torch

        return torch.from_numpy
    if name == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]  # noqa: FBT003
        return jax.numpy.asarray
    return lambda x: x
