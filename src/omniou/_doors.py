"""From what a caller passes to a kernel: one library, one dtype, one rank, a known layout."""

from typing import Any, NamedTuple

from omniou._kernels import apply, boxes, losses
from omniou._lib import backends, checks, formats
from omniou._lib.arrays import gather, is_floating
from omniou._lib.outer import Outer
from omniou._lib.types import Namespace


class BoxOptions(NamedTuple):
    """What every score and loss of boxes may be told."""

    format: str
    offset: float
    eps: float
    image_size: Any


def score(formula: Any, a: Any, b: Any, options: BoxOptions, /, **more: Any) -> Any:
    """A score of two sets of boxes, element by element, or all pairs where `pairwise` asks for them."""
    if isinstance(a, Outer) and isinstance(b, Outer):
        kernel, trailing, a, b = apply.all_pairs, 2, a.array, b.array
    else:
        kernel, trailing = apply.elementwise, 1
    xp, (a, b, size), compute, result = gather(a=a, b=b, image_size=options.image_size)
    plan = _plan(formula, options, more, compute, result)
    (a, b), _ = agreeing({"a": a, "b": b}, options, trailing=trailing, xp=xp)
    sides = image_sides(size, a, relative=plan.layout.relative, xp=xp)
    return backends.run(kernel, a, b, sides, plan=plan, xp=xp)


def loss(
    formula: Any,
    pred: Any,
    target: Any,
    options: BoxOptions,
    /,
    *,
    weight: Any,
    where: Any,
    reduction: str,
    log_floor: float | None = None,
    **more: Any,
) -> Any:
    """A score of two sets of boxes as a loss."""
    checks.choice("reduction", reduction, ("none", "mean", "sum"))
    xp, (pred, target, size, weight, where), compute, result = gather(
        pred=pred, target=target, image_size=options.image_size, weight=weight, where=where
    )
    if not is_floating(pred, xp):
        msg = f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}"
        raise TypeError(msg)
    plan = _plan(formula, options, more, compute, result)
    (pred, target), shape = agreeing({"pred": pred, "target": target}, options, trailing=1, xp=xp)
    for name, x in (("weight", weight), ("where", where)):
        if x is not None and checks.broadcast(losses=shape, **{name: x.shape}) != shape:
            msg = f"`{name}` must broadcast to the losses of shape {shape}, got {tuple(x.shape)}"
            raise ValueError(msg)
    sides = image_sides(size, pred, relative=plan.layout.relative, xp=xp)
    return backends.run(
        losses.loss, pred, target, sides, weight, where, plan=plan, log_floor=log_floor, reduction=reduction, xp=xp
    )


def check_shape(name: str, x: Any, ndim: int | None, format: str, *, trailing: int = 1) -> None:  # noqa: A002
    shape = tuple(x.shape)
    allowed = (2, 4, 6) if ndim is None else (2 * ndim,)
    if len(shape) < trailing or shape[-1] not in allowed:
        last = " or ".join(map(str, allowed))
        wanted = "..., " if trailing == 1 else "..., boxes, "
        msg = f"`{name}` must have shape ({wanted}{last}) for format {format!r}, got {shape}"
        raise ValueError(msg)


def image_sides(size: Any, like: Any, *, relative: bool, xp: Namespace) -> Any:
    """`image_size` (height, width) -> sides (..., D) in the order x, y, z, of the rank of `like`; or None."""
    if not relative:
        return None
    if size is None:
        msg = "`image_size` must be given as (height, width) for a relative `format`, got None"
        raise ValueError(msg)
    ndim = like.shape[-1] // 2
    if size.ndim == 0 or size.shape[-1] != ndim or size.ndim > like.ndim:
        wanted = {1: "(width,)", 2: "(height, width)", 3: "(depth, height, width)"}[ndim]
        msg = f"`image_size` must be {wanted}, or such sizes along its last axis, got shape {tuple(size.shape)}"
        raise ValueError(msg)
    return xp.flip(_rank(size, like.ndim, xp=xp), axis=-1)


def _plan(formula: Any, options: BoxOptions, more: dict[str, Any], compute: Any, result: Any) -> apply.Plan:
    layout, _ = formats.layout(options.format, options.offset)
    eps = checks.number("eps", options.eps, least=0.0)
    return apply.Plan(boxes.canonical, boxes.BoxTerms, formula, (("eps", eps), *more.items()), layout, compute, result)


def agreeing(
    named: dict[str, Any], options: BoxOptions, *, trailing: int, xp: Namespace
) -> tuple[list[Any], tuple[Any, ...]]:
    """Boxes of equal dimensions whose leading axes broadcast -> the same with one rank, and the broadcast shape."""
    _, ndim = formats.layout(options.format, options.offset)
    for name, x in named.items():
        check_shape(name, x, ndim, options.format, trailing=trailing)
    if len({x.shape[-1] for x in named.values()}) > 1:
        listing = " and ".join(f"{tuple(x.shape)} for `{name}`" for name, x in named.items())
        msg = f"boxes must have equal last axes, got {listing}"
        raise ValueError(msg)
    shape = checks.broadcast(**{name: tuple(x.shape)[:-trailing] for name, x in named.items()})
    rank = len(shape) + trailing
    return [_rank(x, rank, xp=xp) for x in named.values()], shape


def _rank(x: Any, rank: int, *, xp: Namespace) -> Any:
    return x if x.ndim == rank else xp.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))
