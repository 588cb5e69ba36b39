"""The arguments of an assigner of training: read, checked, and with an axis of images."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from omniou._catalogue.geometry import Geometry
from omniou._catalogue.scores import scores
from omniou._catalogue.shape_calls import in_format, one_axis, shape_facts
from omniou._kernels.apply import Plan
from omniou._lib import backends, carried, checks, host, tracers, values
from omniou._lib.arrays import BOOLEANS, INTEGERS, NUMBERS, Fact, Operand, agree, arrays_of, cast, widest_integer
from omniou._lib.types import Namespace

_OPERANDS = {
    "labels": Operand("labels, integers", ("integral",), decides=False, optional=True),
    "where": BOOLEANS,
    "ignore_where": BOOLEANS,
    "groups": INTEGERS,
    "ignore_groups": INTEGERS,
    "ignore": Operand(decides=False, optional=True),
}


# Read when this is imported: torch.compile cannot trace the lock of a cached property.
_OPTIONS = {name: tuple(score.defaults.items()) for name, score in scores.items()}


class Batch(NamedTuple):
    """Arguments of an assigner, checked: arrays by name with an axis for images, which may have length 1."""

    xp: Namespace
    image: dict[str, Any]
    rows: dict[str, Any]  # (B or 1, M, ...); with `groups` (1, N, ...)
    images: int
    batched: bool
    dtypes: tuple[Any, Any]
    layout: Any
    traced: bool


# The rank of each argument of one image.
_RANKS = {"anchors": 2, "predictions": 2, "scores": 2, "points": 2, "strides": 1}
# Arguments that no assigner can do without.
_REQUIRED = {*_RANKS, "objects", "labels"}
_ROW_RANKS = {"objects": 2, "labels": 1, "where": 1, "groups": 1, "ignore": 2, "ignore_where": 1, "ignore_groups": 1}


def read(geometry: Geometry, format: str | None, /, *, images: int | None = None, **named: Any) -> Batch:
    """Arguments by name -> a batch. The first is of anchors (A, K) or (B, A, K)."""
    checks.instance("geometry", geometry, Geometry, "a geometry, such as omniou.rotated.GEOMETRY")
    first = next(iter(named))
    if missing := [name for name, x in named.items() if x is None and name in _REQUIRED]:
        raise TypeError(f"`{missing[0]}` must be given, got None")
    named = {name: x for name, x in named.items() if x is not None}
    shaped = [name for name in (first, "objects", "ignore") if name in named]
    if not carried.are_plain(named.values()):
        named, format = _plain(geometry, named, shaped, format)
    named |= one_axis(geometry, {name: named[name] for name in shaped})
    arrays, facts = arrays_of(_OPERANDS, **named)
    arrays = [_typed(x, fact) for x, fact in zip(arrays, facts, strict=True)]
    arrays, facts = arrays_of(_OPERANDS, **dict(zip(named, arrays, strict=True)))
    backends.check_not_lazy(first, facts[0].namespace)
    by_name = dict(zip(named, arrays, strict=True))
    of = {fact.name: fact for fact in facts}
    dtypes = agree(facts)
    options = {} if format is None else {"format": format}
    layout = shape_facts(geometry, tuple(of[name] for name in shaped), options, trailing=2)
    if getattr(layout, "relative", False):
        raise ValueError(f"`format` must state numbers of one unit, since anchors lie in an image, got {format!r}")
    _check_points(geometry, of, first)
    batched, count = _images(of, images)
    _check_sizes(of, first)
    xp = facts[0].namespace
    compute = dtypes[0]
    batch = Batch(
        xp=xp,
        image={},
        rows={},
        images=count,
        batched=batched,
        dtypes=dtypes,
        layout=layout,
        traced=not _has_values(arrays),
    )
    for name, x in by_name.items():
        of_rows = name in _ROW_RANKS
        (batch.rows if of_rows else batch.image)[name] = _prepared(name, x, compute, xp=xp)
    return batch


def _plain(
    geometry: Geometry, named: dict[str, Any], shaped: Sequence[str], format: str | None, /
) -> tuple[dict[str, Any], str | None]:
    """Arrays without what they carry next to numbers, and the format of the call."""
    shapes, options = in_format(geometry, {name: named[name] for name in shaped}, {"format": format})
    row = tuple(range(-geometry.axes, 0))
    objects, where = carried.counted({"objects": shapes["objects"]}, named.get("where"), {"objects": row})
    named |= shapes | objects | ({} if where is None else {"where": where})
    return {name: carried.plain(name, x) for name, x in named.items()}, options["format"]


def _typed(x: Any, fact: Fact, /) -> Any:
    """An empty list of labels, groups or marks, which became floats, in a dtype of its kind."""
    xp = fact.namespace
    if "real floating" in fact.operand.kinds or 0 not in fact.shape or not xp.isdtype(fact.dtype, "real floating"):
        return x
    return cast(x, xp.bool if fact.operand is BOOLEANS else widest_integer(xp), xp=xp)


def _check_points(geometry: Geometry, of: Mapping[str, Fact], first: str, /) -> None:
    """Check that points have one coordinate for each axis of the shapes."""
    if "points" not in of:
        return
    shape, numbers = tuple(of["points"].shape), of[first].shape[-1]
    axes = geometry.dimensions(numbers) if geometry.dimensions else 2
    if not shape or shape[-1] != axes:
        raise ValueError(f"`points` must have shape (..., A, {axes}), got {shape}")


def _prepared(name: str, x: Any, compute: Any, /, *, xp: Namespace) -> Any:
    """An argument in the dtype to compute in, without gradient, with an axis of images."""
    x = backends.stop_gradient(x, xp=xp)
    if _OPERANDS.get(name, NUMBERS).kinds == ("integral",):
        x = cast(x, widest_integer(xp), xp=xp)
    elif "where" not in name:
        x = cast(x, compute, xp=xp)
    rank = _ROW_RANKS.get(name) or _RANKS[name]
    return x[None, ...] if x.ndim == rank and not name.endswith("groups") else x


def _images(of: Mapping[str, Fact], images: int | None, /) -> tuple[bool, int]:
    """Whether there is an axis of images, and how many."""
    grouped = "groups" in of
    lengths: dict[str, int] = {}
    for name, fact in of.items():
        flat = grouped and name in ("objects", "labels", "where", "groups")
        flat = flat or ("ignore_groups" in of and name.startswith("ignore"))
        rank = _ROW_RANKS.get(name) or _RANKS[name]
        if len(fact.shape) == rank or (flat and len(fact.shape) == rank):
            continue
        if len(fact.shape) != rank + 1 or flat:
            raise ValueError(
                f"`{name}` must have {rank}{'' if flat else f' or {rank + 1}'} axes, got shape {tuple(fact.shape)}"
            )
        lengths[name] = fact.shape[0]
    if images is not None:
        if not grouped:
            raise ValueError(f"`images` is the number of images of flat objects with `groups`, got {images!r}")
        lengths["images"] = checks.count("images", images)
    if grouped and not lengths:
        raise ValueError("`images` must be given with `groups`, where no other argument has an axis of images")
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{x} for `{name}`" for name, x in lengths.items())
        raise ValueError(f"arguments must have one number of images, got {listing}")
    return bool(lengths), next(iter(lengths.values()), 1)


def _check_sizes(of: Mapping[str, Fact], first: str, /) -> None:
    """Check that arguments of anchors, and of objects, have one length."""
    for one, others in (
        (first, [name for name in of if name in _RANKS]),
        ("objects", [name for name in ("labels", "where", "groups") if name in of]),
        ("ignore", [name for name in ("ignore_where", "ignore_groups") if name in of]),
    ):
        for name in others:
            if one not in of:
                raise ValueError(f"`{name}` describes `{one}`, which is not given")
            axis = _ROW_RANKS.get(name) or _RANKS[name]
            size, expected = of[name].shape[len(of[name].shape) - axis], of[one].shape[-2]
            if size != expected:
                raise ValueError(
                    f"`{name}` must have one row for each of the {expected} `{one}`, got shape {tuple(of[name].shape)}"
                )
            if name in _ROW_RANKS and len(of[name].shape) != len(of[one].shape) - 1:
                raise ValueError(
                    f"`{name}` must have the axes {tuple(of[one].shape[:-1])} of `{one}`, got {tuple(of[name].shape)}"
                )
    if "groups" in of and "where" in of:
        raise ValueError(
            "`where` marks padded objects; with `groups` the list of objects has no padding: leave `where` out"
        )
    if "ignore" in of and ("groups" in of) != ("ignore_groups" in of):
        raise ValueError("`groups` and `ignore_groups` must be given together, where there are regions to ignore")


def plan_of(score: str, geometry: Geometry, batch: Batch, /) -> Plan:
    """How overlaps are computed."""
    score = checks.choice("score", score, scores)
    declared = scores[score]
    geometry.check_terms(score, declared.terms)
    if declared.of_image or not declared.higher_is_better:
        why = "needs the size of an image" if declared.of_image else "is a distance: the lower, the better"
        raise ValueError(f"`score` must be a score of which higher is better and that needs no image; {score!r} {why}")
    compute = batch.dtypes[0]
    return Plan(
        columns=geometry.columns,
        canonical=geometry.canonical,
        terms=geometry.terms,
        formula=declared.formula,
        options=_OPTIONS[score],
        layout=batch.layout,
        compute=compute,
        result=compute,
    )


def check_points(geometry: Geometry, /) -> None:
    """Raise unless omniou can tell whether a point is inside a shape of the geometry."""
    checks.instance("geometry", geometry, Geometry, "a geometry, such as omniou.rotated.GEOMETRY")
    if geometry.name not in ("boxes", "rotated rectangles"):
        raise TypeError(
            f"`geometry` must be boxes.GEOMETRY or rotated.GEOMETRY, whose insides are known, got {geometry.name}"
        )


def _has_values(arrays: list[Any], /) -> bool:
    return not tracers.compiling() and all(tracers.has_values(x) for x in arrays)


# What may be wrong: the name of an argument, its rows (..., K), and faults of the rows (...) by words for them.
_Faults: TypeAlias = Iterator[tuple[str, Any, dict[str, Any]]]


def check_values(image: Mapping[str, Any], rows: Mapping[str, Any], images: int, /, *, xp: Namespace) -> None:
    """Raise for numbers that are not finite, and for labels, groups and class scores out of range."""
    host.check_values({name: x for name, x in (*image.items(), *rows.items()) if not name.endswith("where")})
    # A device is waited for once. Most numbers are scores, which two passes check.
    few = (*_row_faults(image, rows, xp=xp), *_group_faults(rows, images))
    right = [~xp.any(bad) for _, _, faults in few for bad in faults.values()]
    for name, x in image.items():
        if 0 not in x.shape:
            least, most = xp.min(x), xp.max(x)
            right.append((least >= 0) & (most <= 1) if name == "scores" else xp.isfinite(least) & xp.isfinite(most))
            right += [least > 0] if name == "strides" else []
    if right and not xp.all(xp.stack(right)):
        faults = _image_faults(image, xp=xp), _row_faults(image, rows, xp=xp), _score_faults(image, xp=xp)
        for name, x, own in itertools.chain(*faults, _group_faults(rows, images)):
            values.raise_first(name, x, own, hint=_way_out(name, rows), xp=xp)


def _way_out(name: str, rows: Mapping[str, Any], /) -> str:
    """What to do about labels and boxes of objects that are padding."""
    if name not in {"labels", "objects"} or "where" in rows:
        return ""
    return ": leave rows of padding out" if "groups" in rows else ": `where` excludes padding"


def _image_faults(image: Mapping[str, Any], /, *, xp: Namespace) -> _Faults:
    for name, x in image.items():
        numbers = x if x.ndim > 2 else x[..., None]
        yield name, numbers, {"is not finite": xp.any(~xp.isfinite(numbers), axis=-1)}
    if "strides" in image:
        x = image["strides"]
        yield "strides", x[..., None], {"is not above 0": x <= 0}


def _row_faults(image: Mapping[str, Any], rows: Mapping[str, Any], /, *, xp: Namespace) -> _Faults:
    for name, mask in (("objects", "where"), ("ignore", "ignore_where")):
        if name in rows:
            bad = xp.any(~xp.isfinite(rows[name]), axis=-1)
            yield name, rows[name], {"is not finite": _real(bad, rows, mask)}
    if "labels" in rows:
        labels, classes = rows["labels"], image["scores"].shape[-1]
        bad = _real((labels < 0) | (labels >= classes), rows, "where")
        yield "labels", labels[..., None], {f"has no class from 0 to {classes - 1}": bad}


def _score_faults(image: Mapping[str, Any], /, *, xp: Namespace) -> _Faults:
    if "scores" in image:
        x = image["scores"]
        yield "scores", x, {"has numbers outside [0, 1], perhaps logits,": xp.any((x < 0) | (x > 1), axis=-1)}


def _group_faults(rows: Mapping[str, Any], images: int, /) -> _Faults:
    for name in ("groups", "ignore_groups"):
        if name in rows:
            bad = (rows[name] < 0) | (rows[name] >= images)
            yield name, rows[name][:, None], {f"has no image from 0 to {images - 1}": bad}


def _real(bad: Any, rows: Mapping[str, Any], mask: str, /) -> Any:
    """Faults of rows that are not padding."""
    return bad & rows[mask] if mask in rows else bad
