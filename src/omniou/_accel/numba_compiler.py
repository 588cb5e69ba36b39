"""How the loops of masks are compiled by numba, the extra `fast`."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function when it is first called, once for a machine; while it runs, other threads can."""
    return cast("Function", numba.njit(nogil=True, cache=True)(function))
