"""From what a caller passes to a kernel: one library, one dtype, one rank, a known geometry and format.

Checks see static facts alone, so each function settles a set of facts once and remembers the plan.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._kernels import apply, losses
from omniou._lib import accel, backends, checks
from omniou._lib.arrays import Fact, agree, arrays_of, namespace_of
from omniou._lib.outer import Columns, Outer, Rows
from omniou._lib.types import Namespace

if TYPE_CHECKING:
    from omniou._catalogue.geometry import Geometry
    from omniou._catalogue.scores import Score

# What a geometry reads a shape by; all other options are of the formula, or of the loss.
_READING = ("format", "offset", "image_size")
_LOSS = ("weight", "where", "reduction", "normalizer", "focal", "inverted")
# Of a loss: those that are arrays, and may be traced.
_ARRAYS = ("image_size", "weight", "where", "normalizer", "running_mean")
_NEUTRAL = {"power": 1.0, "inner": 1.0}  # options that change nothing at these values


class Settled(NamedTuple):
    """What follows from the facts."""

    xp: Namespace
    plan: Any  # of a score, or of a loss
    rank: int
    relative: bool


def score(declared: "Score", geometry: "Geometry", a: Any, b: Any, options: dict[str, Any], /) -> Any:
    """A score of two sets of shapes, element by element, or all pairs where `pairwise` asks for them."""
    pairs, rows_first = isinstance(a, Outer) or isinstance(b, Outer), True
    if pairs:
        a, b, rows_first = two_sets(a, b)
    if options.get("image_size") is None and (views := accel.module("views")):
        shared = views.of_tensors(a, b, many=pairs)
        if shared is not None:
            workers = views.workers()
            return views.computed(_score, declared, geometry, *shared, options, pairs, rows_first, workers=workers)
    return _score(declared, geometry, a, b, options, pairs, rows_first)


def _score(  # noqa: PLR0917  (what `score` was given, and its plan)
    declared: "Score",
    geometry: "Geometry",
    a: Any,
    b: Any,
    options: dict[str, Any],
    pairs: bool,  # noqa: FBT001
    rows_first: bool,  # noqa: FBT001
    /,
    *,
    workers: int = 1,
) -> Any:
    image_size = options.get("image_size")
    a, b = _one_axis(geometry, a=a, b=b)
    (a, b, size), facts = arrays_of(a=a, b=b, image_size=image_size)
    rest = tuple((name, x) for name, x in options.items() if name != "image_size")
    s = _settle_score(declared, geometry, facts, rest, 2 if pairs else 1)
    a, b = ranked(a, s.rank, xp=s.xp), ranked(b, s.rank, xp=s.xp)
    image_sides = _sides(size, s.rank, xp=s.xp) if s.relative else None
    if not pairs:
        return backends.run(apply.elementwise, a, b, image_sides, plan=s.plan, xp=s.xp)
    if tiles := accel.module("tiles"):
        out = tiles.all_pairs(a, b, image_sides, plan=s.plan, workers=workers, xp=s.xp)
    else:
        out = backends.run(apply.all_pairs, a, b, image_sides, plan=s.plan, xp=s.xp)
    # A function made of scores may take its second set for the rows: iof(b, a).
    return out if rows_first else namespace_of("out", out).matrix_transpose(out)


def two_sets(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """What `pairwise` handed over -> the two sets, and whether the first gives the rows of the result."""
    if not (type(a) is Rows and type(b) is Columns) and not (type(a) is Columns and type(b) is Rows):
        msg = "a function that `pairwise` takes must score its two arguments against each other, as they are"
        raise TypeError(msg)
    return a.array, b.array, type(a) is Rows


@backends.remember
def _settle_score(
    declared: "Score",
    geometry: "Geometry",
    facts: tuple[Fact, ...],
    options: tuple[tuple[str, Any], ...],
    trailing: int,
) -> Settled:
    compute, result = agree(facts)
    given = dict(options)
    layout = shape_facts(geometry, facts[:2], given, trailing=trailing)
    geometry.check_terms(declared.name, declared.terms)
    leading = {f.name: tuple(f.shape)[:-trailing] for f in facts[:2]}
    rank = len(checks.broadcast(**leading)) + trailing
    declared.check_dimensions(geometry, facts[0].shape[-1])
    relative = bool(getattr(layout, "relative", False)) or declared.of_image
    if relative:
        image_facts(geometry, facts, rank, f"score {declared.name!r}" if declared.of_image else "a relative `format`")
    own = _formula_options(declared, geometry, given)
    # A score of areas and intersection alone is 0 where the bounds are disjoint.
    bounds = geometry.bounds if geometry.prunes and not declared.terms and own.get("inner", 1.0) <= 1.0 else None
    plan = apply.Plan(
        geometry.canonical,
        geometry.terms,
        declared.formula,
        tuple(own.items()),
        layout,
        compute,
        result,
        bounds,
        declared.of_image,
    )
    return Settled(backends.kernel_namespace(facts[0].namespace), plan, rank, relative)


def _formula_options(declared: "Score", geometry: "Geometry", given: dict[str, Any]) -> dict[str, Any]:
    """Options of a formula, checked."""
    own = {name: x for name, x in given.items() if name not in _READING}
    own["eps"] = checks.number("eps", own.get("eps", 0.0), least=0.0)
    for name in ("power", "inner"):
        if name in own:
            checks.above(name, own[name], 0.0)
    if own.get("inner", 1.0) != 1.0 and not geometry.has_terms(("scaled",)):
        msg = f"`inner` scales shapes about their centres, which {geometry.name} cannot be, got {own['inner']!r}"
        raise TypeError(msg)
    if declared.check_options is not None:
        declared.check_options(**{name: own[name] for name in declared.defaults if name in own})
    return {name: x for name, x in own.items() if name not in _NEUTRAL or x != _NEUTRAL[name]}


def loss(declared: "Score", geometry: "Geometry", pred: Any, target: Any, options: dict[str, Any], /) -> Any:
    """A score of two sets of shapes as a loss."""
    arrays = {name: options.get(name) for name in _ARRAYS}
    pred, target = _one_axis(geometry, pred=pred, target=target)
    (pred, target, size, *others), facts = arrays_of(pred=pred, target=target, **arrays)
    shares = losses.Shares(*others)
    static = tuple((name, x) for name, x in options.items() if name not in arrays)
    s = _settle_loss(declared, geometry, facts, static)
    pred, target = ranked(pred, s.rank, xp=s.xp), ranked(target, s.rank, xp=s.xp)
    image_sides = _sides(size, s.rank, xp=s.xp) if s.relative else None
    if image_sides is None and backends.library(s.xp) == "torch" and (autograd := accel.module("autograd")):
        out = autograd.loss(pred, target, shares.weight, shares.where, plan=s.plan, xp=s.xp)
        if out is not None:
            return out
    return backends.run(losses.loss, pred, target, image_sides, shares, plan=s.plan, xp=s.xp)


@backends.remember
def _settle_loss(
    declared: "Score", geometry: "Geometry", facts: tuple[Fact, ...], options: tuple[tuple[str, Any], ...]
) -> Any:
    given = dict(options)
    reduction, inverted = given.get("reduction", "none"), given.get("inverted", "empty")
    checks.choice("reduction", reduction, ("none", "mean", "sum"))
    checks.choice("inverted", inverted, ("penalise", "empty", "sort"))
    focal = checks.number("focal", given.get("focal", 0.0), least=0.0)
    numbers = tuple(f for f in facts if f.name not in losses.Shares._fields)
    of_loss = {name: given.pop(name) for name in declared.loss_only if name in given}
    of_score = declared.loss(**of_loss)
    _check_shares(facts, reduction, of_score)
    rest = tuple((name, x) for name, x in given.items() if name not in _LOSS)
    s = _settle_score(declared, geometry, numbers, rest, 1)
    agree(facts)
    _check_losses(facts)
    gains = tuple([losses.Focal(focal)] if focal else []) + tuple([of_score] if hasattr(of_score, "gain") else [])
    closed = geometry.pulls and not gains and not any(name in _NEUTRAL for name, _ in s.plan.options)
    closed = closed and not any(f.name == "normalizer" for f in facts)
    partials = declared.partials if closed else None
    return s._replace(plan=losses.LossPlan(s.plan, geometry, of_score, inverted, reduction, partials, gains))


def _check_losses(facts: tuple[Fact, ...]) -> tuple[Any, ...]:
    """Check that predictions have a gradient, and what goes with each loss; the shape of the losses."""
    pred, target = facts[:2]
    if not pred.namespace.isdtype(pred.dtype, "real floating"):
        msg = f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}"
        raise TypeError(msg)
    shape = checks.broadcast(pred=tuple(pred.shape)[:-1], target=tuple(target.shape)[:-1])
    for name, fact in ((f.name, f) for f in facts if f.name in ("weight", "where")):
        if checks.broadcast(losses=shape, **{name: tuple(fact.shape)}) != shape:
            msg = f"`{name}` must broadcast to the losses of shape {shape}, got {tuple(fact.shape)}"
            raise ValueError(msg)
    return shape


def _check_shares(facts: tuple[Fact, ...], reduction: str, of_score: Any) -> None:
    """Check the numbers that go with all losses."""
    numbers = {f.name: tuple(f.shape) for f in facts if f.name in ("normalizer", "running_mean")}
    for name, shape in numbers.items():
        if shape != ():
            msg = f"`{name}` must be a number or an array of shape (), got {shape}"
            raise ValueError(msg)
    if "normalizer" in numbers and reduction != "mean":
        msg = f"`normalizer` divides the sum of `reduction` 'mean', got {reduction!r}"
        raise ValueError(msg)
    if getattr(of_score, "needs_mean", False) and "running_mean" not in numbers:
        msg = f"`running_mean` must be given for `version` {of_score.version}, got None"
        raise ValueError(msg)


class Opened(NamedTuple):
    """Shapes that agree, of one rank."""

    xp: Namespace
    arrays: list[Any]
    image_sides: Any  # of the image, (..., D) in the order x, y, z, or None
    layout: Any
    dtypes: tuple[Any, Any]  # to compute in, and to return


def opened(geometry: "Geometry", options: dict[str, Any], /, *, scaled: bool | None = None, **named: Any) -> Opened:
    """Shapes by name -> what a kernel takes. `scaled`: whether `image_size` is used, by default in relative formats."""
    named = dict(zip(named, _one_axis(geometry, **named), strict=True))
    (*arrays, size), facts = arrays_of(**named, image_size=options.get("image_size"))
    dtypes = agree(facts)
    shapes_alone = facts[: len(named)]
    layout = shape_facts(geometry, shapes_alone, options)
    scaled = bool(getattr(layout, "relative", False)) if scaled is None else scaled
    rank = 1 + len(checks.broadcast(**{f.name: tuple(f.shape)[:-1] for f in shapes_alone}))
    if scaled:
        image_facts(geometry, facts, rank)
    xp = facts[0].namespace
    image_sides = _sides(size, rank, xp=xp) if scaled else None
    return Opened(xp, [ranked(x, rank, xp=xp) for x in arrays], image_sides, layout, dtypes)


def converted(
    geometry: "Geometry", x: Any, source: str, target: str, /, *, offset: float = 0.0, image_size: Any = None
) -> Any:
    """Shapes (..., K) in another format of the geometry, relative or not."""
    if source == target:
        return x
    if geometry.convert is None:
        msg = f"{geometry.name} are not converted from {source!r} to {target!r}"
        raise TypeError(msg)
    scaled = geometry.is_relative(source) != geometry.is_relative(target)
    given = {"format": source, "offset": offset, "image_size": image_size}
    xp, (array,), image_sides, old, dtypes = opened(geometry, given, scaled=scaled, x=x)
    layouts = old, geometry.layout(given | {"format": target})
    return backends.run(geometry.convert, array, image_sides, layouts=layouts, dtypes=dtypes, xp=xp)


def _of_shapes(geometry: "Geometry", x: Any, named: Mapping[str, Any]) -> Any:
    """An empty list as no shapes at all, of as many numbers as those beside it have; all else as it is."""
    if not isinstance(x, list | tuple) or x:
        return x
    beside = next((y for y in named.values() if hasattr(y, "dtype")), None)
    rows = [y for y in named.values() if isinstance(y, list | tuple) and y]
    while rows and isinstance(rows[0][0], list | tuple) and rows[0][0]:
        rows = [rows[0][0]]
    usual = geometry.formats[geometry.default_format]
    if beside is not None:
        (like,), _ = arrays_of(x=beside)
        xp, numbers = namespace_of("x", like), like.shape[-1] if like.ndim else usual[0]
        return xp.zeros((0, numbers), dtype=like.dtype, device=backends.device(like, xp=xp))
    numbers = len(rows[0]) if rows else 4 if 4 in usual else usual[0]
    return backends.numpy_namespace().zeros((0, numbers))


def _one_axis(geometry: "Geometry", **named: Any) -> Sequence[Any]:
    """Arrays of shapes with one axis at the end: that of vertices (V, 2) becomes (2V,)."""
    if geometry.axes == 1:
        return [_of_shapes(geometry, x, named) for x in named.values()]
    arrays, facts = arrays_of(**named)
    flat = []
    for x, fact in zip(arrays, facts, strict=True):
        shape = tuple(fact.shape)
        if len(shape) < 2 or shape[-1] != 2 or shape[-2] < 3:
            msg = f"`{fact.name}` must have shape (..., V, 2) with at least 3 vertices, got {shape}"
            raise ValueError(msg)
        flat.append(fact.namespace.reshape(x, (*shape[:-2], 2 * shape[-2])))
    return flat


def shape_facts(geometry: "Geometry", facts: tuple[Fact, ...], options: dict[str, Any], *, trailing: int = 1) -> Any:
    """Check format and shapes of arrays of shapes; how their last axis reads."""
    format = options.get("format", geometry.default_format)
    geometry.check_format(format)
    allowed = geometry.formats[format]
    for name, shape in ((f.name, tuple(f.shape)) for f in facts):
        if len(shape) < trailing or shape[-1] not in allowed:
            last = " or ".join(map(str, allowed))
            expected = "..., " if trailing == 1 else f"..., {geometry.name}, "
            msg = f"`{name}` must have shape ({expected}{last}) for format {format!r}, got {shape}"
            raise ValueError(msg)
    if len({f.shape[-1] for f in facts}) > 1:
        listing = " and ".join(f"{tuple(f.shape)} for `{f.name}`" for f in facts)
        msg = f"{geometry.name} must have equal last axes, got {listing}"
        raise ValueError(msg)
    return geometry.layout(options)


def image_facts(
    geometry: "Geometry", facts: tuple[Fact, ...], rank: int, needed_by: str = "a relative `format`"
) -> None:
    """Check `image_size`: (height, width), or such sizes along a last axis."""
    size = next((tuple(f.shape) for f in facts if f.name == "image_size"), None)
    if size is None:
        msg = f"`image_size` must be given as (height, width) for {needed_by}, got None"
        raise ValueError(msg)
    ndim = geometry.dimensions(facts[0].shape[-1]) if geometry.dimensions else 0
    if not size or size[-1] != ndim or len(size) > rank:
        expected = {1: "(width,)", 2: "(height, width)", 3: "(depth, height, width)"}[ndim]
        msg = f"`image_size` must be {expected}, or such sizes along its last axis, got shape {size}"
        raise ValueError(msg)


def _sides(size: Any, rank: int, *, xp: Namespace) -> Any:
    """`image_size` -> sides (..., D) in the order x, y, z, of the shapes' rank."""
    return xp.flip(ranked(size, rank, xp=xp), axis=-1)


def ranked(x: Any, rank: int, *, xp: Namespace) -> Any:
    """`x` with axes of length 1 in front, up to `rank`."""
    return x if x.ndim == rank else xp.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))


def coordinate_loss(function: Any, pred: Any, target: Any, options: dict[str, Any], /) -> Any:
    """A function of each difference of coordinates, summed over these, as a loss."""
    arrays = {name: options.get(name) for name in losses.Shares._fields}
    (pred, target, *others), facts = arrays_of(pred=pred, target=target, **arrays)
    reduction = options.get("reduction", "none")
    xp, dtypes, rank = _settle_coordinates(facts, reduction)
    pred, target = ranked(pred, rank, xp=xp), ranked(target, rank, xp=xp)
    plan = (function, reduction, dtypes)
    return backends.run(losses.of_coordinates, pred, target, losses.Shares(*others), plan=plan, xp=xp)


@backends.remember
def _settle_coordinates(facts: tuple[Fact, ...], reduction: str) -> tuple[Namespace, Any, int]:
    checks.choice("reduction", reduction, ("none", "mean", "sum"))
    _check_shares(facts, reduction, None)
    dtypes = agree(facts)
    pred, target = (tuple(f.shape) for f in facts[:2])
    if not pred or pred[-1:] != target[-1:]:
        msg = f"`pred` and `target` must have equal last axes, got {pred} and {target}"
        raise ValueError(msg)
    shape = _check_losses(facts)
    return backends.kernel_namespace(facts[0].namespace), dtypes, len(shape) + 1
