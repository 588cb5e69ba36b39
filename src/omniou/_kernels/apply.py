"""A score of a geometry, element by element or for all pairs."""

from collections.abc import Callable
from typing import Any, NamedTuple

from omniou._kernels.arithmetic import narrowed
from omniou._kernels.scores import combined
from omniou._lib.arrays import cast, columns_of
from omniou._lib.types import Namespace


class Plan(NamedTuple):
    """A hashable plan of the computation: one kernel is compiled for each plan."""

    columns: Callable[..., Any]  # (..., K) -> columns, as `canonical` takes them
    canonical: Callable[..., Any]  # columns, image_sides -> a named tuple of arrays whose last axes are (...)
    terms: Callable[..., Any]  # two of those that broadcast -> Terms
    formula: Callable[..., Any]  # Terms -> parts (...), see `_kernels.scores`
    options: tuple[tuple[str, Any], ...]  # of the formula
    layout: Any
    compute: Any  # dtype
    result: Any  # dtype
    bounds: Callable[..., Any] | None = None  # where only pairs whose bounds overlap have a score other than 0
    of_image: bool = False  # whether the formula has the sides of the image
    distance: bool = False  # whether a result may be beyond the range of its dtype


def elementwise(a: Any, b: Any, image_sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., K), (..., K) of one rank -> (...)."""
    a, b = canonical(a, image_sides, plan=plan, xp=xp), canonical(b, image_sides, plan=plan, xp=xp)
    return of_canonical(a, b, image_sides, plan=plan, xp=xp)


def all_pairs(a: Any, b: Any, image_sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., N, K), (..., M, K) of one rank -> (..., N, M), as one expression."""
    image_sides = None if image_sides is None else image_sides[..., None, :]
    return elementwise(a[..., None, :], b[..., None, :, :], image_sides, plan=plan, xp=xp)


def canonical(x: Any, image_sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """(..., K) -> the geometry's canonical form of (...)."""
    return plan.canonical(plan.columns(x, dtype=plan.compute, xp=xp), image_sides, layout=plan.layout, xp=xp)


def of_canonical(a: Any, b: Any, image_sides: Any, /, *, plan: Plan, xp: Namespace) -> Any:
    """Two canonical forms that broadcast -> (...)."""
    options = dict(plan.options)
    if plan.of_image:
        options["image_sides"] = columns_of(image_sides, dtype=plan.compute, xp=xp)
    out = combined(plan.formula, plan.terms(a, b, xp=xp), options=options, xp=xp)
    return (narrowed if plan.distance else cast)(out, plan.result, xp=xp)
