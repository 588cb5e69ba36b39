"""Operations on keypoints: the points of detections and of objects, with the visibility and size of the objects."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from omniou._catalogue.calls import Operation
from omniou._catalogue.options import Declared
from omniou._kernels import keypoints as kernels
from omniou._kernels.losses import Shares
from omniou._lib import backends, checks
from omniou._lib.arrays import Fact, agree, loss_dtype
from omniou._lib.types import Namespace

# Number of axes of each array after the leading axes.
_AXES = {"a": 2, "b": 2, "pred": 2, "target": 2, "visible": 1, "box": 1, "area": 0, "norm": 0}
# All pairs are computed in parts of this many points, so that temporaries stay in the cache.
_AT_ONCE = 2**18


@dataclasses.dataclass(frozen=True, eq=False)
class _Run:
    """A kernel with its static arguments; `names` of the arrays that follow the first two."""

    kernel: Callable[..., Any]
    xp: Namespace
    static: dict[str, Any]
    names: tuple[str, ...]
    rows: int | None = None  # of a part, where all pairs are computed in parts

    def __call__(self, a: Any, b: Any, /, *others: Any, workers: int = 1) -> Any:  # noqa: ARG002
        others = tuple(x for x in others if x is not None)
        given = {"xp": self.xp, "names": self.names, **self.static}
        if self.rows is None or a.shape[-3] <= self.rows:
            return backends.run(self.kernel, a, b, *others, **given)
        cuts = [*range(0, a.shape[-3], self.rows), a.shape[-3]]
        rows = (a[..., i:j, :, :] for i, j in itertools.pairwise(cuts))
        parts = [self.kernel(some, b, *others, **given) for some in rows]
        return self.xp.concat(parts, axis=-2)


def oks_operation(options: Declared, /) -> Operation:
    """Object keypoint similarity of two sets, element by element or of all pairs."""

    def settle(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> _Run:
        compute, result = agree(facts)
        plan = _plan(facts, given, compute, result, pairs=pairs)
        xp, rows = facts[0].namespace, None
        if pairs and backends.computes_at_once(xp):
            columns = tuple(facts[1].shape)[-3] * len(plan.sigmas)
            rows = max(1, _AT_ONCE // max(1, columns))
        return _Run(kernels.oks, xp, {"plan": plan}, _others(facts), rows)

    return Operation(settle, options)


def loss_operation(options: Declared, /) -> Operation:
    """1 - OKS of predictions and objects, reduced."""

    def settle(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> _Run:  # noqa: ARG001
        compute, result = agree(facts)
        if not facts[0].namespace.isdtype(facts[0].dtype, "real floating"):
            raise TypeError(f"`pred` must have a floating dtype to have a gradient, got {facts[0].dtype}")
        of_points = tuple(f for f in facts if f.name not in Shares._fields)
        plan = _plan(of_points, given, compute, loss_dtype(given["reduction"], compute, result))
        shape = _leading(of_points)
        for fact in facts:
            if fact.name in ("weight", "where") and checks.broadcast(losses=shape, x=tuple(fact.shape)) != shape:
                raise ValueError(
                    f"`{fact.name}` must broadcast to the losses of shape {shape}, got {tuple(fact.shape)}"
                )
        static = {"plan": plan, "reduction": given["reduction"]}
        return _Run(kernels.loss, facts[0].namespace, static, _others(facts))

    return Operation(settle, options)


def distance_operation(kernel: Callable[..., Any], options: Declared, /) -> Operation:
    """A function of the distances of points over a norm."""

    def settle(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> _Run:
        if pairs:
            raise TypeError("`pairwise` takes scores of one object with one other: use `keypoints.oks`")
        compute, result = agree(facts)
        _check_points(facts)
        _require(facts, "norm", "the length that counts as 1")
        _leading(facts)
        static = {name: x for name, x in given.items() if name in ("threshold", "average")}
        static |= {"compute": compute, "result": result}
        return _Run(kernel, facts[0].namespace, static, _others(facts))

    return Operation(settle, options)


def _plan(
    facts: tuple[Fact, ...], given: Mapping[str, Any], compute: Any, result: Any, /, *, pairs: bool = False
) -> kernels.OksPlan:
    sigmas = given["sigmas"]
    number = _check_points(facts)
    if number != len(sigmas):
        raise ValueError(
            f"`{facts[1].name}` must have as many points as `sigmas` has numbers, {len(sigmas)}, got {number}"
        )
    _require(facts, "area", "the area of each object")
    _leading(facts, pairs=pairs)
    return kernels.OksPlan(sigmas, given["eps"], compute, result, pairs)


def _require(facts: tuple[Fact, ...], name: str, what: str) -> None:
    if not any(f.name == name for f in facts):
        raise TypeError(f"`{name}` must be given: {what}, got None")


def _check_points(facts: tuple[Fact, ...]) -> Any:
    """Check the last axes; how many points there are."""
    for name, shape in ((f.name, tuple(f.shape)) for f in facts[:2]):
        if len(shape) < 2 or shape[-1] not in (2, 3):
            raise ValueError(f"`{name}` must have shape (..., K, 2), or (..., K, 3) with v, got {shape}")
    first, second = facts[:2]
    number = second.shape[-2]
    if first.shape[-2] != number:
        raise ValueError(
            f"`{first.name}` and `{second.name}` must have as many points, got {first.shape[-2]} and {number}"
        )
    by_name = {f.name: tuple(f.shape) for f in facts[2:]}
    if "visible" in by_name and second.shape[-1] == 3:
        raise ValueError(f"`visible` must not be given if `{second.name}` has v as its third numbers, got both")
    for name, length in (("visible", number), ("box", 4)):
        if name in by_name and by_name[name][-1:] != (length,):
            raise ValueError(f"`{name}` must have shape (..., {length}), got {by_name[name]}")
    return number


def _leading(facts: tuple[Fact, ...], *, pairs: bool = False) -> tuple[Any, ...]:
    """The shape that the leading axes broadcast to; with pairs, behind the axis of the set."""
    shapes = {}
    for fact in facts:
        shape, axes = tuple(fact.shape), _AXES[fact.name]
        leading = shape[: len(shape) - axes]
        if pairs:
            if not leading:
                expected = {2: "(..., objects, K, 2)", 1: "(..., objects, K)", 0: "(..., objects)"}[axes]
                raise ValueError(f"`{fact.name}` must have shape {expected} for all pairs, got {shape}")
            if fact.name != "a" and leading[-1] not in (1, tuple(facts[1].shape)[-3]):
                count = tuple(facts[1].shape)[-3]
                raise ValueError(f"`{fact.name}` belongs to the second set, of {count} objects, got shape {shape}")
            leading = leading[:-1]
        shapes[fact.name] = leading
    return checks.broadcast(**shapes)


def _others(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    return tuple(f.name for f in facts[2:])
