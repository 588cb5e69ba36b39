"""COCO's greedy rule on overlaps, or on shapes: what the evaluator does, for all images and thresholds at once."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

import array_api_compat as compat

from omniou import boxes
from omniou._catalogue.shape_calls import in_format
from omniou._lib import backends, carried, checks, host, indexing
from omniou._lib.arrays import BOOLEANS, INTEGERS, Operand, agree, arrays_of, is_floating
from omniou._lib.types import ArrayLike, ArrayT, Namespace
from omniou._lib.values import position
from omniou.matching import _arguments as arguments
from omniou.matching import _coco_bits as coco_bits
from omniou.matching import _coco_greedy as kernels
from omniou.matching import _coco_pairs as pairs
from omniou.matching._coco_greedy import CocoRules
from omniou.matching._coco_pairs import Problem, Scoring

_BESIDE = Operand(decides=False, optional=True)
_OPERANDS = {
    "objects": Operand(optional=True),
    "scores": _BESIDE,
    **dict.fromkeys(("crowd", "ignore", "where"), BOOLEANS),
    **dict.fromkeys(("groups_a", "groups_b"), INTEGERS),
}


class CocoMatches(NamedTuple, Generic[ArrayT]):
    """D detections and G objects at T thresholds.

    Attributes
    ----------
    objects : array of int64, shape (..., T, D)
        Object of each detection, -1 for none.
    ignored : array of booleans, shape (..., T, D)
        Whether that object is a crowd or ignored: the detection is neither a true nor a false positive.
    detections : array of int64, shape (..., T, G)
        Detection that took each object; -1 for none, and for crowds, which any number of detections may take.
    """

    objects: ArrayT
    ignored: ArrayT
    detections: ArrayT


class _AnyArea(NamedTuple):
    low: float = -math.inf
    high: float = math.inf


def coco(
    detections: ArrayT | ArrayLike,
    objects: Any = None,
    /,
    *,
    scores: Any = None,
    thresholds: float | Sequence[float] | None = None,
    crowd: Any = None,
    ignore: Any = None,
    where: Any = None,
    groups_a: Any = None,
    groups_b: Any = None,
    score: Callable[..., Any] = boxes.iou,
    crowd_score: Callable[..., Any] | None = None,
    **options: Any,
) -> CocoMatches[ArrayT]:
    """Match detections to objects by COCO's greedy rule, at several thresholds at once.

    Detections by falling score; each takes the free object of the highest overlap. `omniou.detection.evaluate` runs the
    same code.

    Parameters
    ----------
    detections : array, shape (..., D, G) or (D, K)
        Overlaps of detections and objects; or with `objects`, the shapes of the detections. The overlap with a crowd is
        the share of the detection inside it.
    objects : array, shape (G, K), optional
        Shapes of the objects.
    scores : array, shape (..., D), optional
        Confidence of the detections; of two equal scores the earlier comes first. Default: the given order.
    thresholds : float or sequence of float, optional
        IoU thresholds, rising, from 0 to 1. Default: COCO's ten, 0.5 to 0.95. They are rounded to the dtype of the
        overlaps; an overlap that equals a threshold matches.
    crowd, ignore : array of booleans, shape (..., G), optional
        Crowds match any number of detections. Crowds and ignored objects are taken only where no other object is left.
    where : array of booleans, broadcasts to (..., D, G), optional
        Pairs of a matrix that may match: padding is false.
    groups_a, groups_b : array of integers, shapes (..., D) and (..., G), optional
        Group of each detection and object, such as ``image * classes + label``. Only pairs of one group match.
    score : callable
        A score of rows of shapes (P, K) and (P, K) -> (P,), such as `rotated.iou`. Rows of torch and JAX are NumPy
        arrays there.
    crowd_score : callable, optional
        The share of a detection inside a crowd, such as `rotated.iof`. Default for `boxes.iou`: `boxes.iof`.
    **options
        Options of `score` and `crowd_score`: `format` and so on.

    Returns
    -------
    CocoMatches
        `objects`, `ignored` and `detections`, of shapes (..., T, D), (..., T, D) and (..., T, G).

    Raises
    ------
    TypeError
        If libraries or devices differ, an argument has a wrong dtype or type, or arrays are traced: the function needs
        values. Inside `jit`, see `greedy`.
    ValueError
        If shapes do not fit, thresholds are out of range or do not rise, only one of `groups_a` and `groups_b` is
        given, or a score or an overlap is NaN.

    Notes
    -----
    The rules of pycocotools: a match needs an overlap of at least min(t, 1 - 1e-10); the later of equal objects
    wins; objects that are not ignored come first, regardless of the overlap. Shapes are compared in groups, so
    memory grows with the pairs that overlap. Tensors of a GPU are copied to the CPU, all in one copy.

    Examples
    --------
    >>> from omniou import matching
    >>> overlap = [[0.6, 0.8], [0.7, 0.9], [0.1, 0.2]]
    >>> matched = matching.coco(overlap, scores=[0.9, 0.8, 0.7], thresholds=[0.5, 0.75])
    >>> matched.objects.tolist()
    [[1, 0, -1], [1, -1, -1]]
    >>> matched.detections.tolist()
    [[1, 0], [-1, 0]]
    """
    columns = {
        "scores": scores,
        "crowd": crowd,
        "ignore": ignore,
        "where": where,
        "groups_a": groups_a,
        "groups_b": groups_b,
    }
    name = "overlap" if objects is None else "detections"
    shapes = {name: detections, "objects": objects}
    geometry = getattr(getattr(getattr(score, "func", score), "declaration", None), "geometry", None)
    if objects is None:
        shapes, columns["where"] = carried.counted(shapes, where)
    elif geometry is not None and not carried.are_plain(shapes.values()):
        shapes, read_by = in_format(geometry, shapes, options)
        options = dict(read_by)
    given, facts = arrays_of(_OPERANDS, **shapes, **columns)
    backends.check_not_lazy(name, facts[0].namespace)
    agree(facts)
    arrays = {key: x for key, x in zip((name, "objects", *columns), given, strict=True) if x is not None}
    shape, scoring = _sizes(name, arrays), _scoring(name, arrays, score, crowd_score, options)
    levels = _thresholds(thresholds)
    like, library = given[0], facts[0].namespace
    xp, arrays, home = host.to_host(arrays, always=True)
    _check_scores(arrays.get("scores"), xp=xp)
    if objects is None:
        levels = _rounded(levels, like, library)
        problem = pairs.of_matrix(arrays, shape, coco_bits.least(levels[0]), xp=xp)
    else:
        levels = _rounded(levels, arrays[name], xp)
        problem = pairs.of_shapes(arrays, shape, coco_bits.least(levels[0]), scoring, xp=xp)
    return CocoMatches(*map(home, _matched(problem, levels, shape, xp=xp)))


def _sizes(name: str, arrays: dict[str, Any], /) -> tuple[tuple[int, ...], int, int]:
    """Raise unless shapes fit; leading axes, detections and objects."""
    if name == "overlap":
        n, m = arguments.matrix_shape(name, arrays[name].shape, "D, G")
        leading = tuple(arrays[name].shape[:-2])
    else:
        for key in (name, "objects"):
            if arrays[key].ndim < 2:
                raise ValueError(f"`{key}` must have shape (rows, ...), got {tuple(arrays[key].shape)}")
        n, m, leading = arrays[name].shape[0], arrays["objects"].shape[0], ()
    for key, size in (("scores", n), ("groups_a", n), ("crowd", m), ("ignore", m), ("groups_b", m)):
        if key in arrays and tuple(arrays[key].shape) != (*leading, size):
            raise ValueError(f"`{key}` must have shape {(*leading, size)}, got {tuple(arrays[key].shape)}")
    arguments.same_leading((*leading, n, m), where=arrays.get("where"))
    if ("groups_a" in arrays) != ("groups_b" in arrays):
        given, missing = ("groups_a", "groups_b") if "groups_a" in arrays else ("groups_b", "groups_a")
        raise ValueError(f"`groups_a` and `groups_b` must be given together, got only `{given}`, not `{missing}`")
    return leading, n, m


def _scoring(name: str, arrays: dict[str, Any], score: Any, crowd_score: Any, options: Any, /) -> Scoring:
    """Raise unless the options fit what is compared."""
    usual = score is boxes.iou
    if name == "overlap" and (options or crowd_score is not None or not usual):
        used = next(iter(options), "crowd_score" if usual else "score")
        raise TypeError(
            f"`{used}` is for shapes, and a matrix of overlaps was given: pass the objects as second argument"
        )
    if name != "overlap" and "where" in arrays:
        raise TypeError("`where` is for a matrix of overlaps, and shapes were given: use `groups_a` and `groups_b`")
    if "crowd" in arrays and name != "overlap" and crowd_score is None and not usual:
        raise TypeError(
            "`crowd_score` must be given for crowds with a `score` other than boxes.iou, such as rotated.iof"
        )
    return Scoring(score, crowd_score or boxes.iof, options)


def _thresholds(given: Any, /) -> tuple[float, ...]:
    if given is None:
        return kernels.COCO_THRESHOLDS
    values = checks.several(given)
    rising = tuple(checks.number("thresholds", x) for x in ((given,) if values is None else values))
    if not rising or not all(0 <= x <= 1 for x in rising) or any(x >= y for x, y in itertools.pairwise(rising)):
        raise ValueError(f"`thresholds` must be one or several rising numbers from 0 to 1, got {given!r}")
    return rising


def _check_scores(scores: Any, /, *, xp: Namespace) -> None:
    if scores is None or not is_floating(scores, xp):
        return
    unknown = xp.nonzero(xp.reshape(xp.isnan(scores), (-1,)))[0]
    if unknown.shape[0]:
        raise ValueError(f"`scores{position(int(unknown[0]), scores.shape)}` must be a number, got nan")


def _rounded(levels: tuple[float, ...], like: Any, xp: Namespace, /) -> tuple[float, ...]:
    """Thresholds as the dtype of the overlaps has them: 0.6 in float32 exceeds 0.6."""
    if not is_floating(like, xp):
        return levels
    return tuple(float(xp.asarray(x, dtype=like.dtype)) for x in levels)


def _matched(problem: Problem, levels: tuple[float, ...], shape: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Objects and flags (..., T, D), and detections (..., T, G)."""
    (leading, n, m), (rows, objects, edges), many = shape, problem, len(levels)
    device, count = compat.device(rows), math.prod(leading)
    found, taker = (xp.full(count * many * size, -1, dtype=xp.int64, device=device) for size in (n, m))
    flags = xp.zeros(count * many * n, dtype=xp.bool, device=device)
    rules = CocoRules(tuple(map(coco_bits.least, levels)), [_AnyArea()])
    for word, (detection, target, bits, _, _) in kernels.matched(edges, objects, rules, xp=xp):
        row, column = xp.take(rows, detection), xp.take(objects.rows, target)
        for number in range(word.thresholds.start, word.thresholds.stop):
            won = xp.nonzero((bits & (1 << (number - word.thresholds.start))) != 0)[0]
            i, j, of = (xp.take(x, won) for x in (row, column, target))
            at = (i // max(n, 1) * many + number) * n + i % max(n, 1)
            found = indexing.put(found, at, j % max(m, 1), xp=xp)
            flags = indexing.put(flags, at, xp.take(objects.ignore, of), xp=xp)
            single = xp.nonzero(~xp.take(objects.crowd, of))[0]
            i, j = xp.take(i, single), xp.take(j, single)
            at = (j // max(m, 1) * many + number) * m + j % max(m, 1)
            taker = indexing.put(taker, at, i % max(n, 1), xp=xp)
    return (
        xp.reshape(found, (*leading, many, n)),
        xp.reshape(flags, (*leading, many, n)),
        xp.reshape(taker, (*leading, many, m)),
    )
