"""From what a caller passes to a kernel: one library, one dtype, one rank, a known layout.

Checks see static facts alone, so each door settles a set of facts once and remembers what to do.
"""

from typing import Any, NamedTuple, TypeAlias

from omniou._kernels import apply, boxes, losses
from omniou._lib import backends, checks, formats, lending, replay
from omniou._lib.arrays import Fact, agree, arrays_of, namespace_of
from omniou._lib.outer import Columns, Outer, Rows
from omniou._lib.types import Namespace

# What every score and loss of boxes may be told: format, offset, eps, image_size.
BoxOptions: TypeAlias = tuple[str, float, float, Any]


class Settled(NamedTuple):
    """What follows from the facts."""

    xp: Namespace
    plan: apply.Plan
    rank: int
    relative: bool


def score(formula: Any, a: Any, b: Any, options: BoxOptions, /, **more: Any) -> Any:
    """A score of two sets of boxes, element by element, or all pairs where `pairwise` asks for them."""
    kernel, rows_first = apply.elementwise, True
    if isinstance(a, Outer) or isinstance(b, Outer):
        kernel = apply.all_pairs
        a, b, rows_first = _two_sets(a, b)
    lent = lending.lend(a, b, many=kernel is apply.all_pairs) if options[-1] is None else None
    a, b = lent or (a, b)
    what = (kernel, formula, options, *more.items())
    out = lending.silent(replay.again, what, a, b) if lent else replay.again(what, a, b)
    if out is None:
        out = _score(what, a, b, lent=lent is not None)
    # A function made of scores may take its second set for the rows: iof(b, a).
    out = out if rows_first else namespace_of("out", out).matrix_transpose(out)
    return lending.give_back(out) if lent else out


def _score(what: tuple[Any, ...], a: Any, b: Any, *, lent: bool) -> Any:
    """A kernel, a formula, options of boxes and of the formula; two sets -> the score."""
    kernel, formula, (*options, image_size), *more = what
    (a, b, size), facts = arrays_of(a=a, b=b, image_size=image_size)
    s = _settle_score(formula, facts, tuple(options), tuple(more), 2 if kernel is apply.all_pairs else 1)
    sides = _sides(size, s.rank, xp=s.xp) if s.relative else None
    run = lending.run if lent else backends.run
    out = run(kernel, ranked(a, s.rank, xp=s.xp), ranked(b, s.rank, xp=s.xp), sides, plan=s.plan, xp=s.xp)
    if image_size is None:
        replay.record(what, lambda a, b, xp: kernel(a, b, None, plan=s.plan, xp=xp), a, b, xp=s.xp)
    return out


def _two_sets(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """What `pairwise` handed over -> the two sets, and whether the first gives the rows of the result."""
    if not (type(a) is Rows and type(b) is Columns) and not (type(a) is Columns and type(b) is Rows):
        msg = "a function that `pairwise` takes must score its two arguments against each other, as they are"
        raise TypeError(msg)
    return a.array, b.array, type(a) is Rows


@backends.remember
def _settle_score(
    formula: Any,
    facts: tuple[Fact, ...],
    options: tuple[str, float, float],
    more: tuple[tuple[str, Any], ...],
    trailing: int,
) -> Settled:
    compute, result = agree(facts)
    layout = box_facts(facts[:2], options, trailing=trailing)
    leading = {f.name: tuple(f.shape)[:-trailing] for f in facts[:2]}
    rank = len(checks.broadcast(**leading)) + trailing
    if layout.relative:
        image_facts(facts, rank)
    eps = checks.number("eps", options[2], least=0.0)
    plan = apply.Plan(boxes.canonical, boxes.BoxTerms, formula, (("eps", eps), *more), layout, compute, result)
    return Settled(backends.fast(facts[0].namespace), plan, rank, layout.relative)


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
    (pred, target, size, weight, where), facts = arrays_of(
        pred=pred, target=target, image_size=options[-1], weight=weight, where=where
    )
    s = _settle_loss(formula, facts, options[:3], tuple(more.items()), reduction)
    pred, target = ranked(pred, s.rank, xp=s.xp), ranked(target, s.rank, xp=s.xp)
    sides = _sides(size, s.rank, xp=s.xp) if s.relative else None
    return backends.run(
        losses.loss,
        pred,
        target,
        sides,
        weight,
        where,
        plan=s.plan,
        log_floor=log_floor,
        reduction=reduction,
        xp=s.xp,
    )


@backends.remember
def _settle_loss(
    formula: Any,
    facts: tuple[Fact, ...],
    options: tuple[str, float, float],
    more: tuple[tuple[str, Any], ...],
    reduction: str,
) -> Settled:
    checks.choice("reduction", reduction, ("none", "mean", "sum"))
    numbers = tuple(f for f in facts if f.name not in ("weight", "where"))
    s = _settle_score(formula, numbers, options, more, 1)
    agree(facts)
    pred, target = facts[:2]
    if not pred.namespace.isdtype(pred.dtype, "real floating"):
        msg = f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}"
        raise TypeError(msg)
    shape = checks.broadcast(pred=tuple(pred.shape)[:-1], target=tuple(target.shape)[:-1])
    for name, fact in ((f.name, f) for f in facts if f.name in ("weight", "where")):
        if checks.broadcast(losses=shape, **{name: tuple(fact.shape)}) != shape:
            msg = f"`{name}` must broadcast to the losses of shape {shape}, got {tuple(fact.shape)}"
            raise ValueError(msg)
    return s


class Opened(NamedTuple):
    """Boxes that agree, of one rank."""

    xp: Namespace
    arrays: list[Any]
    sides: Any  # of the image, (..., D) in the order x, y, z, or None
    layout: formats.Layout
    dtypes: tuple[Any, Any]  # to compute in, and to return


def opened(
    format: str,
    offset: float,
    image_size: Any,
    /,
    *,
    scaled: bool | None = None,
    **named: Any,
) -> Opened:
    """Boxes by name -> what a kernel takes. `scaled`: whether `image_size` is used, by default in relative formats."""
    (*arrays, size), facts = arrays_of(**named, image_size=image_size)
    dtypes = agree(facts)
    boxes_alone = facts[: len(named)]
    layout = box_facts(boxes_alone, (format, offset))
    scaled = layout.relative if scaled is None else scaled
    rank = 1 + len(checks.broadcast(**{f.name: tuple(f.shape)[:-1] for f in boxes_alone}))
    if scaled:
        image_facts(facts, rank)
    xp = facts[0].namespace
    sides = _sides(size, rank, xp=xp) if scaled else None
    return Opened(xp, [ranked(x, rank, xp=xp) for x in arrays], sides, layout, dtypes)


def box_facts(facts: tuple[Fact, ...], options: tuple[Any, ...], *, trailing: int = 1) -> formats.Layout:
    """Check format and shapes of arrays of boxes; their layout. `options` begin with format and offset."""
    format, offset, *_ = options
    layout, ndim = formats.layout(format, offset)
    allowed = (2, 4, 6) if ndim is None else (2 * ndim,)
    for name, shape in ((f.name, tuple(f.shape)) for f in facts):
        if len(shape) < trailing or shape[-1] not in allowed:
            last = " or ".join(map(str, allowed))
            wanted = "..., " if trailing == 1 else "..., boxes, "
            msg = f"`{name}` must have shape ({wanted}{last}) for format {format!r}, got {shape}"
            raise ValueError(msg)
    if len({f.shape[-1] for f in facts}) > 1:
        listing = " and ".join(f"{tuple(f.shape)} for `{f.name}`" for f in facts)
        msg = f"boxes must have equal last axes, got {listing}"
        raise ValueError(msg)
    return layout


def image_facts(facts: tuple[Fact, ...], rank: int) -> None:
    """Check `image_size`: (height, width), or such sizes along a last axis."""
    size = next((tuple(f.shape) for f in facts if f.name == "image_size"), None)
    if size is None:
        msg = "`image_size` must be given as (height, width) for a relative `format`, got None"
        raise ValueError(msg)
    ndim = facts[0].shape[-1] // 2
    if not size or size[-1] != ndim or len(size) > rank:
        wanted = {1: "(width,)", 2: "(height, width)", 3: "(depth, height, width)"}[ndim]
        msg = f"`image_size` must be {wanted}, or such sizes along its last axis, got shape {size}"
        raise ValueError(msg)


def _sides(size: Any, rank: int, *, xp: Namespace) -> Any:
    """`image_size` -> sides (..., D) in the order x, y, z, of the boxes' rank."""
    return xp.flip(ranked(size, rank, xp=xp), axis=-1)


def ranked(x: Any, rank: int, *, xp: Namespace) -> Any:
    """`x` with axes of length 1 in front, up to `rank`."""
    return x if x.ndim == rank else xp.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))
