"""Operations of scores, losses and measures of shapes: a geometry reads the arrays, a formula computes the result."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from omniou._catalogue.calls import Operation, without_masks
from omniou._catalogue.options import COUNTING, FORMULA, MODIFIER, READING, Declared, of_role
from omniou._kernels import apply, losses
from omniou._lib import accel, backends, carried, checks
from omniou._lib.arrays import BESIDE, Fact, agree, facts_of, known, loss_dtype, namespace_of, ranked
from omniou._lib.types import Namespace
from omniou._lib.values import raise_first

if TYPE_CHECKING:
    from omniou._catalogue.geometry import Geometry, Measure
    from omniou._catalogue.score import Score


def score_of(declared: "Score", geometry: "Geometry", options: Declared, /) -> Operation:
    """A score of two sets of shapes, element by element or of all pairs."""
    settle = functools.partial(_settle_score, declared, geometry, options)
    reading: dict[str, Any] = {
        "read": functools.partial(one_axis, geometry),
        "unpack": functools.partial(in_format, geometry),
    }
    return Operation(settle, options, **reading, views=True, sizes=_sizes if geometry.axes == 1 else None)


def _sizes(a: tuple[int, ...], b: tuple[int, ...], pairs: bool, /) -> tuple[Any, ...]:  # noqa: FBT001
    """What the checks of a score see of two shapes (..., K): not how many rows there are, if they fit anyway."""
    if pairs:
        return len(a), a[:-2], a[-1:], len(b), b[:-2], b[-1:]
    return (a, b) if a != b else (len(a), a[-1:])


@dataclasses.dataclass(frozen=True, eq=False)
class _Aligned:
    """The rank of the shapes of a call, and how the sides of the image are read."""

    xp: Namespace
    rank: int
    relative: bool

    def shapes(self, *arrays: Any) -> tuple[Any, ...]:
        """Arrays of shapes, of one rank."""
        return tuple([ranked(x, self.rank, xp=self.xp) for x in arrays])

    def sides(self, size: Any) -> Any:
        """`image_size` -> sides (..., D) in the order x, y, z, of the shapes' rank; or None."""
        return self.xp.flip(ranked(size, self.rank, xp=self.xp), axis=-1) if self.relative else None


@dataclasses.dataclass(frozen=True, eq=False)
class _ScoreRun(_Aligned):
    plan: apply.Plan
    pairs: bool

    def __call__(self, a: Any, b: Any, size: Any = None, /, *, workers: int = 1) -> Any:
        a, b = self.shapes(a, b)
        sides = self.sides(size)
        if not self.pairs:
            return backends.run(apply.elementwise, a, b, sides, plan=self.plan, xp=self.xp)
        if tiles := accel.module("tiles"):
            return tiles.all_pairs(a, b, sides, plan=self.plan, workers=workers, xp=self.xp)
        return backends.run(apply.all_pairs, a, b, sides, plan=self.plan, xp=self.xp)


def _settle_score(
    declared: "Score",
    geometry: "Geometry",
    options: Declared,
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool = False,
) -> _ScoreRun:
    trailing = 2 if pairs else 1
    compute, result = agree(facts)
    layout = shape_facts(geometry, facts[:2], of_role(options, READING, given), trailing=trailing)
    geometry.check_terms(declared.name, declared.terms)
    rank = len(checks.broadcast(**{f.name: tuple(f.shape)[:-trailing] for f in facts[:2]})) + trailing
    declared.check_dimensions(geometry, facts[0].shape[-1])
    relative = bool(getattr(layout, "relative", False)) or declared.of_image
    if relative or _has_size(facts):
        image_facts(geometry, facts, rank, f"score {declared.name!r}" if declared.of_image else "a relative `format`")
    modifiers = of_role(options, MODIFIER, given)
    if "inner" in modifiers and not geometry.has_terms(("scaled",)):
        raise TypeError(
            f"`inner` scales shapes about their centres, which {geometry.name} cannot be, got {given['inner']!r}"
        )
    # A score of areas and intersection alone is 0 where the bounds are disjoint.
    prunes = geometry.prunes and not declared.terms and modifiers.get("inner", 1.0) <= 1.0
    plan = apply.Plan(
        columns=geometry.columns,
        canonical=geometry.canonical,
        terms=geometry.terms,
        formula=declared.formula,
        options=tuple((of_role(options, FORMULA, given) | modifiers).items()),
        layout=layout,
        compute=compute,
        result=result,
        bounds=geometry.bounds if prunes else None,
        of_image=declared.of_image,
        distance=not declared.higher_is_better,
    )
    xp = backends.kernel_namespace(facts[0].namespace)
    if backends.library(xp) == "numpy" and (in_place := accel.module("in_place")):
        xp = in_place.at_hand(xp)
    return _ScoreRun(xp, rank, relative, plan, pairs)


def loss_of(declared: "Score", geometry: "Geometry", options: Declared, /) -> Operation:
    """A score of two sets of shapes as a loss."""
    settle = functools.partial(_settle_loss, declared, geometry, options)
    row = tuple(range(-geometry.axes, 0))

    def unpack(named: dict[str, Any], given: Mapping[str, Any], /) -> Any:
        return in_format(geometry, *without_masks(dict.fromkeys(named, row), named, given))

    reading: dict[str, Any] = {"read": functools.partial(one_axis, geometry), "unpack": unpack}
    return Operation(settle, options, **reading, sizes=_sizes if geometry.axes == 1 else None)


@dataclasses.dataclass(frozen=True, eq=False)
class _LossRun(_Aligned):
    plan: losses.LossPlan
    names: tuple[str, ...]  # of the arrays that follow `pred` and `target`

    def __call__(self, pred: Any, target: Any, /, *others: Any, workers: int = 1) -> Any:  # noqa: ARG002
        named = dict(zip(self.names, others, strict=False))  # without others, if all are None
        sides = self.sides(named.pop("image_size", None))
        shares = losses.Shares(**named)
        pred, target = self.shapes(pred, target)
        if sides is None and backends.library(self.xp) == "torch" and (autograd := accel.module("autograd")):
            out = autograd.loss(pred, target, shares.weight, shares.where, plan=self.plan, xp=self.xp)
            if out is not None:
                return out
        return backends.run(losses.loss, pred, target, sides, shares, plan=self.plan, xp=self.xp)


def _settle_loss(
    declared: "Score",
    geometry: "Geometry",
    options: Declared,
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool = False,  # noqa: ARG001  (`pairwise` takes no losses)
) -> _LossRun:
    of_score = declared.loss(**{name: given.pop(name) for name in declared.loss_only if name in given})
    _check_shares(facts, given["reduction"], of_score)
    for name in getattr(of_score, "unused", ()):
        if (value := getattr(of_score, name)) != options[name][1].default:
            raise ValueError(f"`{name}` has no effect with `version` {of_score.version}, got {value!r}")
    numbers = tuple(f for f in facts if f.name not in losses.Shares._fields)
    s = _settle_score(declared, geometry, options, numbers, given)
    agree(facts)
    _check_losses(facts)
    focal = given["focal"]
    gains = tuple([losses.Focal(focal)] if focal else []) + tuple([of_score] if hasattr(of_score, "gain") else [])
    # `not gains` is nothing that torch.compile traces for a tuple of objects.
    closed = geometry.pulls and len(gains) == 0 and not of_role(options, MODIFIER, given)
    closed = closed and not any(f.name == "normalizer" for f in facts)
    plan = losses.LossPlan(
        score=s.plan._replace(result=loss_dtype(given["reduction"], s.plan.compute, s.plan.result)),
        geometry=geometry,
        of_score=of_score,
        inverted=given.get("inverted", "empty"),
        reduction=given["reduction"],
        partials=declared.partials if closed else None,
        gains=gains,
    )
    names = tuple(name for name, (_, option) in options.items() if option.array is not None)
    return _LossRun(s.xp, s.rank, s.relative, plan, names)


def _check_losses(facts: tuple[Fact, ...]) -> tuple[Any, ...]:
    """Check that predictions have a gradient, and what goes with each loss; the shape of the losses."""
    pred, target = facts[:2]
    if not pred.namespace.isdtype(pred.dtype, "real floating"):
        raise TypeError(f"`pred` must have a floating dtype to have a gradient, got {pred.dtype}")
    shape = checks.broadcast(pred=tuple(pred.shape)[:-1], target=tuple(target.shape)[:-1])
    for name, fact in ((f.name, f) for f in facts if f.name in ("weight", "where")):
        if checks.broadcast(losses=shape, **{name: tuple(fact.shape)}) != shape:
            raise ValueError(f"`{name}` must broadcast to the losses of shape {shape}, got {tuple(fact.shape)}")
    return shape


def _check_shares(facts: tuple[Fact, ...], reduction: str, of_score: Any) -> None:
    """Check the numbers that go with all losses."""
    numbers = {f.name: tuple(f.shape) for f in facts if f.name in ("normalizer", "running_mean")}
    for name, shape in numbers.items():
        if shape != ():
            raise ValueError(f"`{name}` must be a number or an array of shape (), got {shape}")
    if "normalizer" in numbers and reduction != "mean":
        raise ValueError(f"`normalizer` divides the sum of `reduction` 'mean', got {reduction!r}")
    if getattr(of_score, "needs_mean", False) and "running_mean" not in numbers:
        raise ValueError(f"`running_mean` must be given for `version` {of_score.version}, got None")
    if not getattr(of_score, "needs_mean", True) and "running_mean" in numbers:
        raise ValueError(f"`running_mean` has no effect with `version` {of_score.version}: leave it out")


def coordinate_loss(make: Callable[..., Any], options: Declared, /) -> Operation:
    """A function of each difference of coordinates, summed over these, as a loss; `make`: its options to it."""

    def settle(facts: tuple[Fact, ...], given: dict[str, Any], /, *, pairs: bool) -> Callable[..., Any]:  # noqa: ARG001
        reduction = given.pop("reduction")
        _check_shares(facts, reduction, None)
        compute, result = agree(facts)
        pred, target = (tuple(f.shape) for f in facts[:2])
        if not pred or pred[-1:] != target[-1:]:
            raise ValueError(f"`pred` and `target` must have equal last axes, got {pred} and {target}")
        aligned = _Aligned(backends.kernel_namespace(facts[0].namespace), len(_check_losses(facts)) + 1, relative=False)
        plan = (make(**given), reduction, (compute, loss_dtype(reduction, compute, result)))

        def run(pred: Any, target: Any, /, *shares: Any, workers: int = 1) -> Any:  # noqa: ARG001
            both = aligned.shapes(pred, target)
            return backends.run(losses.of_coordinates, *both, losses.Shares(*shares), plan=plan, xp=aligned.xp)

        return run

    def unpack(named: dict[str, Any], given: Mapping[str, Any], /) -> Any:
        return without_masks(dict.fromkeys(named, (-1,)), named, given)

    return Operation(settle, options, unpack=unpack)


def measure_of(measure: "Measure", geometry: "Geometry", options: Declared, /) -> Operation:
    """A kernel of shapes and the sides of the image, such as the area."""
    settle = functools.partial(_settle_measure, measure, geometry, options)
    reading: dict[str, Any] = {
        "read": functools.partial(one_axis, geometry),
        "unpack": functools.partial(in_format, geometry),
    }
    return Operation(settle, options, **reading)


def _settle_measure(
    measure: "Measure",
    geometry: "Geometry",
    options: Declared,
    facts: tuple[Fact, ...],
    given: dict[str, Any],
    /,
    *,
    pairs: bool = False,  # noqa: ARG001
) -> Callable[..., Any]:
    shapes = tuple(f for f in facts if f.name != "image_size")
    dtypes = agree(facts)
    layout = shape_facts(geometry, shapes, of_role(options, READING, given))
    if measure.numbers not in (None, facts[0].shape[-1]):
        raise ValueError(f"`{facts[0].name}` must have shape (..., {measure.numbers}), got {tuple(facts[0].shape)}")
    rank = 1 + len(checks.broadcast(**{f.name: tuple(f.shape)[:-1] for f in shapes}))
    relative = bool(getattr(layout, "relative", False)) or (measure.of_image and len(shapes) < len(facts))
    if relative or _has_size(facts):
        image_facts(geometry, facts, rank)
    aligned = _Aligned(facts[0].namespace, rank, relative)
    static = {"layout": layout, "dtypes": dtypes, **of_role(options, COUNTING, given)}

    def run(*arrays: Any, workers: int = 1) -> Any:  # noqa: ARG001
        sides = aligned.sides(arrays[-1]) if "image_size" in options else None
        values = aligned.shapes(*arrays[: len(shapes)])
        if measure.raises:
            kernel = functools.partial(measure.kernel, layout=layout, dtype=dtypes[0], xp=aligned.xp)
            return raise_first("x", values[0], kernel(values[0], sides), xp=aligned.xp)
        return backends.run(measure.kernel, *values, sides, xp=aligned.xp, **static)

    return run


def in_format(
    geometry: "Geometry", named: dict[str, Any], options: Mapping[str, Any], /
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return shapes that know their format as plain tensors in the format of the call, and the options.

    If all are in one format, and the call names no other, the call is in this format, which no rounding then changes.
    """
    known = [x for x in map(carried.boxes_of, named.values()) if x is not None]
    if not known:
        return named, options
    options, default = dict(options), geometry.default_format
    formats, sizes = {x.format for x in known}, {x.image_size for x in known}
    if len(sizes) == 1 and options.get("image_size") is None and geometry.dimensions is not None:
        (options["image_size"],) = sizes
    if len(known) == len(named) and len(formats) == 1 and options.get("format") in (None, default):
        format, turned = geometry.carried.get(formats.pop(), (default, None))
        if not turned and len(geometry.formats) > 1:
            options["format"] = format
    return {name: numbers_of(geometry, name, x, options) for name, x in named.items()}, options


def numbers_of(
    geometry: "Geometry", name: str, x: Any, options: Mapping[str, Any] = MappingProxyType({}), /, *, wide: bool = False
) -> Any:
    """Shapes that know their format -> plain ones in the `format` of the options; any others unchanged.

    `wide`: in float64, where a conversion of float32 is exact.
    """
    if (known := carried.boxes_of(x)) is None:
        return x
    if known.format not in geometry.carried:
        formats = f" as {' or '.join(geometry.carried)}" if geometry.carried else ""
        raise TypeError(f"`{name}` must hold {geometry.name}{formats}, got boxes in the format {known.format}")
    source, own = geometry.carried[known.format]
    target = options.get("format") or geometry.default_format
    tensor = carried.tensor_of(x)
    if tensor.shape[-1] == 0:  # torchvision makes (1, 0) of an empty list
        tensor = tensor.new_zeros((0, len(known.format.replace("C", ""))))
    if geometry.axes == 2:
        tensor = tensor.reshape(*tensor.shape[:-1], -1, 2)
    if source == target and not own:
        return tensor
    if wide or (tensor.is_floating_point() and tensor.dtype.itemsize < 4):
        tensor = tensor.double() if wide else tensor.float()
    if offset := options.get("offset"):
        own = {**own, "offset": offset}
    size = options.get("image_size")
    if size is None and geometry.is_relative(target):
        size = known.image_size
    return conversion(geometry, tensor, source, target, image_size=size, options=own)


def converted(geometry: "Geometry", x: Any, source: str, target: str, /, *, image_size: Any = None) -> Any:
    """Shapes (..., K) in another format of the geometry, as they are where both are one."""
    return x if source == target else conversion(geometry, x, source, target, image_size=image_size)


def conversion(
    geometry: "Geometry",
    x: Any,
    source: str,
    target: str,
    /,
    *,
    image_size: Any = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Shapes (..., K) in another format of the geometry, relative or not; `options`: those of its `conversion`."""
    geometry.check_format(source, "source")
    geometry.check_format(target, "target")
    if geometry.convert is None:
        raise TypeError(f"{geometry.name} are not converted from {source!r} to {target!r}")
    if not carried.are_plain((x, image_size)):
        known = carried.boxes_of(x)
        if known and image_size is None and geometry.is_relative(source) != geometry.is_relative(target):
            image_size = known.image_size
        x = numbers_of(geometry, "x", x, {"format": source, "image_size": image_size, **options})
        x, image_size = carried.plain("x", x, sharded=True), carried.plain("image_size", image_size)
    (x, size), facts = facts_of({"image_size": BESIDE}, one_axis(geometry, {"x": x}) | {"image_size": image_size})
    dtypes = agree(facts)
    layouts = geometry.layouts(source, target, options)
    shape_facts(geometry, facts[:1], {"format": source, **options})
    scaled = geometry.is_relative(source) != geometry.is_relative(target)
    rank = len(facts[0].shape)
    if scaled or _has_size(facts):
        image_facts(geometry, facts, rank)
    xp = facts[0].namespace
    sides = _Aligned(xp, rank, scaled).sides(size)
    return backends.run(geometry.convert, x, sides, layouts=layouts, dtypes=dtypes, xp=xp)


def _of_shapes(geometry: "Geometry", x: Any, named: Mapping[str, Any]) -> Any:
    """Give an empty list the last axis of the shapes next to it; return other arrays unchanged."""
    if not isinstance(x, list | tuple) or x:
        return x
    beside = next((y for y in named.values() if hasattr(y, "dtype")), None)
    rows = [y for y in named.values() if isinstance(y, list | tuple) and y]
    while rows and isinstance(rows[0][0], list | tuple) and rows[0][0]:
        rows = [rows[0][0]]
    usual = geometry.formats[geometry.default_format]
    if beside is not None:
        (like,), _ = facts_of({}, {"x": beside})
        xp, numbers = namespace_of("x", like), like.shape[-1] if like.ndim else usual[0]
        return xp.zeros((0, numbers), dtype=like.dtype, device=backends.device(like, xp=xp))
    numbers = len(rows[0]) if rows else 4 if 4 in usual else usual[0]
    return backends.numpy_namespace().zeros((0, numbers))


def one_axis(geometry: "Geometry", named: dict[str, Any], /) -> dict[str, Any]:
    """Flatten shapes to one axis: vertices (V, 2) become (2V,)."""
    if geometry.axes == 1:
        return {name: _of_shapes(geometry, x, named) for name, x in named.items()}
    arrays, facts = facts_of({}, named)
    flat = {}
    for x, fact in zip(arrays, facts, strict=True):
        shape = tuple(fact.shape)
        if len(shape) < 2 or shape[-1] != 2 or shape[-2] < 3:
            raise ValueError(f"`{fact.name}` must have shape (..., V, 2) with at least 3 vertices, got {shape}")
        flat[fact.name] = fact.namespace.reshape(x, known(*x.shape[:-2], 2 * shape[-2]))
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
            raise ValueError(f"`{name}` must have shape ({expected}{last}) for format {format!r}, got {shape}")
    # Compared in pairs, because symbolic sizes of torch have no hash.
    if any(f.shape[-1] != facts[0].shape[-1] for f in facts):
        listing = " and ".join(f"{tuple(f.shape)} for `{f.name}`" for f in facts)
        raise ValueError(f"{geometry.name} must have equal last axes, got {listing}")
    return geometry.layout(options)


def _has_size(facts: tuple[Fact, ...]) -> bool:
    """Whether `image_size` is given: it is then checked, also where nothing is relative to it."""
    return any(f.name == "image_size" for f in facts)


def image_facts(
    geometry: "Geometry", facts: tuple[Fact, ...], rank: int, needed_by: str = "a relative `format`"
) -> None:
    """Check `image_size`: (height, width), or such sizes along a last axis."""
    size = next((tuple(f.shape) for f in facts if f.name == "image_size"), None)
    if size is None:
        raise ValueError(f"`image_size` must be given as (height, width) for {needed_by}, got None")
    ndim = geometry.dimensions(facts[0].shape[-1]) if geometry.dimensions else 0
    if not size or size[-1] != ndim or len(size) > rank:
        expected = {1: "(width,)", 2: "(height, width)", 3: "(depth, height, width)"}[ndim]
        raise ValueError(f"`image_size` must be {expected}, or such sizes along its last axis, got shape {size}")
