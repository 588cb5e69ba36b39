"""Read the arguments of suppression: arrays that fit together, on the host or where a compiler traces them."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from omniou._catalogue.geometry import Geometry
from omniou._catalogue.shape_calls import in_format
from omniou._kernels.suppression import Rule
from omniou._lib import backends, checks, host, indexing, tracers
from omniou._lib.arrays import INTEGERS, Operand, agree, arrays_of, cast, is_floating, widest_floating
from omniou._lib.types import Namespace
from omniou._lib.values import visible
from omniou.pairs import pairwise
from omniou.rle import Masks

_SHAPES = Operand("numbers or booleans", ("bool", "integral", "real floating"), decides=False)
_SCORES = Operand()
# Scores of other shapes, by the numbers of their rows.
_OTHERS = {
    5: "rotated.iou for rotated boxes",
    7: "boxes3d.iou for 3-D boxes",
    8: 'rotated.iou, format="xyxyxyxy" for the corners of rotated boxes',
}


class Selection(NamedTuple):
    """The options that choose among the kept shapes, and the form of the result."""

    score_threshold: float | None
    limit: int | None
    size: int | None
    output: str


@dataclasses.dataclass(frozen=True, eq=False)
class Call:
    """One call: shapes, their scores and groups, and how two of them are compared."""

    shapes: Any  # (..., N, ...), or a table of masks
    scores: Any  # (..., N), floating
    groups: tuple[Any, ...]  # (..., N) each
    score: Callable[..., Any]
    options: Mapping[str, Any]
    xp: Namespace

    @property
    def on_host(self) -> bool:
        """Whether shapes of results may depend on values, which are at hand."""
        arrays = [self.scores, *self.groups]
        return visible(*arrays) and (isinstance(self.shapes, Masks) or visible(self.shapes))

    @property
    def traced(self) -> bool:
        """Whether a compiler or a transform calls, to whom no value is known."""
        arrays = [self.scores, *self.groups, *([] if isinstance(self.shapes, Masks) else [self.shapes])]
        return tracers.recording() or not all(map(tracers.has_values, arrays))

    @property
    def differentiated(self) -> bool:
        """Whether an eager gradient is taken, of torch: those of JAX trace."""
        arrays = (self.scores,) if isinstance(self.shapes, Masks) else (self.scores, self.shapes)
        return backends.library(self.xp) == "torch" and not backends.torch_computes_now(arrays)

    def overlaps(self) -> Any:
        """All pairs (..., N, N), of the first against the second."""
        return pairwise(self.score, self.shapes, self.shapes, **self.options)


def read(
    shapes: Any,
    scores: Any,
    groups: Any,
    /,
    *,
    score: Callable[..., Any],
    options: Mapping[str, Any],
    name: str = "boxes",
    only_upright: bool = False,
) -> Call:
    """Check what is known without values. 16-bit shapes are compared in float32.

    Errors name the score of other shapes, unless the function takes `only_upright` boxes.
    """
    several = _several(groups)
    geometry = getattr(getattr(getattr(score, "func", score), "declaration", None), "geometry", None)
    if geometry is not None and not isinstance(shapes, Masks):
        named, options = in_format(geometry, {name: shapes}, options)
        shapes = named[name]
    named = {"scores": scores, **several} if isinstance(shapes, Masks) else {name: shapes, "scores": scores, **several}
    _check_score(score)
    operands = {name: _SHAPES, "scores": _SCORES} | dict.fromkeys(several, INTEGERS)
    arrays, facts = arrays_of(operands, **named)
    agree(facts)
    xp = facts[-1].namespace
    backends.check_not_lazy(name, xp)
    by_name = {fact.name: x for fact, x in zip(facts, arrays, strict=True)}
    scores = by_name["scores"]
    if isinstance(shapes, Masks):
        shape: tuple[Any, ...] = (len(shapes),)
    else:
        shapes = _wide(by_name[name], xp=xp)
        if shapes.ndim == 1 and shapes.shape[0] == 0:  # an empty list
            row = (4,) if geometry is None else _row(geometry, options)
            shapes = xp.zeros((0, *row), dtype=shapes.dtype, device=backends.device(shapes, xp=xp))
        shape = tuple(shapes.shape)[: max(1, scores.ndim)]
        if geometry is not None and 0 < scores.ndim <= shapes.ndim:
            others = {} if only_upright else _OTHERS
            _check_rows(name, tuple(shapes.shape)[scores.ndim :], geometry, options, others)
    if scores.ndim < 1 or tuple(scores.shape) != shape:
        raise ValueError(f"`scores` must have shape {shape}, a score for each of `{name}`, got {tuple(scores.shape)}")
    for key in several:
        if tuple(by_name[key].shape) != shape:
            raise ValueError(
                f"`{key}` must have shape {shape}, a group for each of `{name}`, got {tuple(by_name[key].shape)}"
            )
    if not is_floating(scores, xp):
        scores = cast(scores, widest_floating(xp, backends.device(scores, xp=xp)), xp=xp)
    return Call(shapes, scores, tuple(by_name[key] for key in several), score, options, xp)


def choice(
    call: Call, /, *, score_threshold: Any, limit: Any, size: Any, output: Any, outputs: tuple[str, ...]
) -> Selection:
    """Check the options of what is returned."""
    least = None if score_threshold is None else checks.number("score_threshold", score_threshold)
    most = None if limit is None else checks.count("limit", limit)
    fixed = None if size is None else checks.count("size", size)
    output = checks.choice("output", output, outputs)
    if fixed is None and output == "indices":
        if call.traced:
            raise TypeError(
                "`size` must be given where values are traced, by jit, vmap or the like, got None; "
                f"or `output` {outputs[1]!r}"
            )
        if call.scores.ndim > 1:
            raise TypeError(
                f"`size` must be given for `scores` of several axes, got None and shape {tuple(call.scores.shape)}; "
                f"or `output` {outputs[1]!r}; or pass images as `groups`"
            )
    return Selection(least, most, fixed, output)


def rule(threshold: Any, inclusive: Any, /) -> Rule:
    """Check when an overlap is too much."""
    number = checks.number("threshold", threshold, least=0.0)
    if number > 1.0:
        raise ValueError(f"`threshold` must be in [0, 1], got {threshold!r}")
    return Rule(number, checks.flag("inclusive", inclusive))


def check_scores(scores: Any, /, *, xp: Namespace, least: float | None = None, finite: bool = False) -> None:
    """Raise for the first score (N,) that is not a number, is below the least, or is infinite where it must not be."""
    right = scores >= (-float("inf") if least is None else least)
    bad = xp.nonzero(~(right & xp.isfinite(scores) if finite else right))[0]
    if bad.shape[0]:
        k = int(bad[0])
        need = ["finite"] * finite + ([] if least is None else [f"at least {least:g}"]) or ["numbers"]
        raise ValueError(f"`scores` must be {' and '.join(need)}, got {float(scores[k])} at [{k}]")


def near(call: Call, /) -> tuple[Call, Callable[[Any], Any]]:
    """Return the call in NumPy, and a function that brings a result home."""
    arrays = {"scores": call.scores} | {f"groups[{k}]": x for k, x in enumerate(call.groups)}
    if not isinstance(call.shapes, Masks):
        arrays["boxes"] = call.shapes
    xp, moved, home = host.to_numpy(arrays)
    groups = tuple(moved[f"groups[{k}]"] for k in range(len(call.groups)))
    shapes = moved.get("boxes", call.shapes)
    return dataclasses.replace(call, shapes=shapes, scores=moved["scores"], groups=groups, xp=xp), home


def _check_score(score: Any, /) -> None:
    if not callable(score):
        raise TypeError(f"`score` must be a score, such as `boxes.iou`, got {score!r}")
    declaration = getattr(getattr(score, "func", score), "declaration", None)
    if declaration is not None and not declaration.higher_is_better:
        raise ValueError(f"`score` must be higher the more two overlap, got the distance {score.__name__!r}")


def _row(geometry: Geometry, options: Mapping[str, Any], /) -> tuple[int, ...]:
    """Return the shape of one shape, of upright boxes in the plane."""
    if geometry.axes > 1:
        return 3, 2
    lengths = geometry.formats.get(options.get("format") or geometry.default_format, (4,))
    return (lengths[len(lengths) // 2],)


def _check_rows(
    name: str,
    row: tuple[Any, ...],
    geometry: Geometry,
    options: Mapping[str, Any],
    others: Mapping[int, str],
    /,
) -> None:
    """Raise if the rows of an array are not shapes of the geometry; name the one of the other scores that fits."""
    lengths = geometry.formats.get(options.get("format") or geometry.default_format, ())
    if len(row) == geometry.axes and (geometry.axes > 1 or not lengths or row[0] in lengths):
        return
    if len(row) == 2 and others:
        other = "polygons.iou for polygons" if row[1] == 2 else "masks.iou for masks"
    else:
        other = others.get(row[0], "") if len(row) == 1 else ""
    need = "(V, 2)" if geometry.axes > 1 else f"({' or '.join(map(str, lengths))},)"
    way = f": pass score={other}" if other else ""
    raise ValueError(f"rows of `{name}` must have shape {need} for {geometry.name}, got {row}{way}")


def _several(groups: Any) -> dict[str, Any]:
    """Groups by name: none, one array, or a tuple of them."""
    if groups is None:
        return {}
    if isinstance(groups, tuple) and all(hasattr(x, "shape") or isinstance(x, list) for x in groups):
        return {f"groups[{k}]": x for k, x in enumerate(groups)}
    return {"groups": groups}


def _wide(x: Any, /, *, xp: Namespace) -> Any:
    return cast(x, xp.float32, xp=xp) if is_floating(x, xp) and xp.finfo(x.dtype).bits < 32 else x


def take(shapes: Any, rows: Any, /, *, xp: Namespace) -> Any:
    """Some of the shapes."""
    return shapes.take(rows) if isinstance(shapes, Masks) else xp.take(shapes, rows, axis=0)


def one_group(groups: tuple[Any, ...], size: int, /, *, xp: Namespace) -> tuple[Any, int]:
    """Groups (N,) each -> one number for each combination that occurs (N,), in [0, K), and K."""
    out, count = xp.zeros(size, dtype=xp.int64), 1
    for x in groups:
        different, own = indexing.distinct(x, xp=xp), x
        own = xp.astype(indexing.place(different, own, xp=xp)[0], xp.int64)
        # Numbers of combinations stay below N: those that occur are numbered anew. Classes 0 1 0 and images 5 5 9 are
        # packed as 0 * 2 + 0, 1 * 2 + 0, 0 * 2 + 1 = 0 2 1.
        packed = out * different.shape[0] + own
        several = indexing.distinct(packed, xp=xp)
        out, count = xp.astype(indexing.place(several, packed, xp=xp)[0], xp.int64), several.shape[0]
    return out, count
