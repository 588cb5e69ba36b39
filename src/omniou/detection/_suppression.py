"""Remove the duplicates among detections, and average the detections of several models: tables in, tables out."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from omniou import geometry as geometries
from omniou import nms as suppression
from omniou import rle
from omniou._catalogue.options import declared
from omniou._catalogue.scores import scores as catalogue
from omniou._inputs.inputs import Detections, check_as_read, checked, columns_of, one_library
from omniou._inputs.kinds import Kind, KindName, settled
from omniou._lib import backends, checks, host
from omniou._lib.arrays import is_floating
from omniou._lib.docs import described
from omniou._lib.types import ArrayT, Namespace

_METHODS = ("hard", "soft", "matrix")
_DECAYS = ("gaussian", "linear")
SCORES = [name for name, score in catalogue.items() if score.higher_is_better and not score.of_image]
"""Scores of pairs of shapes for which higher is better and that need no image size."""


def nms(
    detections: Detections[ArrayT],
    threshold: float | None = None,
    *,
    method: Literal["hard", "soft", "matrix"] = "hard",
    decay: Literal["gaussian", "linear"] | None = None,
    sigma: float | None = None,
    score: str = "iou",
    kind: KindName | None = None,
    format: str | None = None,
    class_agnostic: bool = False,
    score_threshold: float | None = None,
    limit: int | None = None,
) -> Detections[ArrayT]:
    """Non-maximum suppression (NMS) of a table: remove duplicates in each image and class.

    It is what ``omniou nms`` does to files. `omniou.nms` has the functions of arrays behind it, for compilers too.

    Parameters
    ----------
    detections : Detections
        Boxes, rotated boxes, polygons, intervals or masks, by their `kind`.
    threshold : float, optional
        Hard NMS drops a detection whose overlap with a better one is above it: 0.5 by default. With a linear decay,
        such an overlap lowers the score: 0.3 by default.
    method : {"hard", "soft", "matrix"}
        "hard" drops detections, "soft" lowers scores one after the other, "matrix" all at once.
    decay : {"gaussian", "linear"}, optional
        How scores are lowered: "gaussian" by default.
    sigma : float, optional
        Of a Gaussian decay: as in `omniou.nms.soft` and `omniou.nms.matrix`.
    score : str
        The overlap, a name of `omniou.scores`, such as "giou"; of masks "iou", "iof", "iomin" or "dice".
    kind, format : str, optional
        What the shapes are, as in `evaluate`. Default: `detections.kind` and `detections.format`, else upright boxes.
    class_agnostic : bool
        Compare detections of different classes, too.
    score_threshold : float, optional
        Drop detections whose final score is not above it.
    limit : int, optional
        Keep at most this many detections of each image, the best ones.

    Returns
    -------
    Detections
        The rows that remain, in the order of the input, with all columns and the new scores.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, the shapes are keypoints, or a score is NaN.

    Examples
    --------
    >>> from omniou import detection
    >>> boxes = [[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 9]]
    >>> found = detection.Detections(boxes=boxes, scores=[0.8, 0.9, 0.7], labels=[1, 1, 2], images=[5, 5, 5])
    >>> kept = detection.nms(found)
    >>> kept.scores.tolist(), kept.labels.tolist()
    ([0.9, 0.7], [1, 2])
    """
    how = {"method": method, "threshold": threshold, "decay": decay, "sigma": sigma}
    own: dict[str, Any] = {"kind": kind, "format": format, "class_agnostic": class_agnostic, "limit": limit}
    return suppressed(detections, how, score=score, score_threshold=score_threshold, **own)[1]


@described(nms)
def fuse(
    models: Sequence[Detections[ArrayT]] | Mapping[Any, Detections[ArrayT]],
    threshold: float = 0.55,
    *,
    weights: Sequence[float] | None = None,
    confidence: Literal[
        "box_and_model_avg", "absent_model_aware_avg", "avg", "avg_overflow", "max"
    ] = "box_and_model_avg",
    score: str = "iou",
    format: str | None = None,
    class_agnostic: bool = False,
    score_threshold: float | None = None,
    limit: int | None = None,
) -> Detections[ArrayT]:
    """Weighted boxes fusion (WBF) of tables: average the upright boxes of several models in each image and class.

    It is what ``omniou fuse`` does to files, by `omniou.nms.weighted_fusion`.

    Parameters
    ----------
    models : sequence or mapping of Detections
        The detections of each model, with labels and images that mean the same in all.
    threshold : float
        Boxes that overlap by more than this are averaged.
    weights : sequence of float, optional
        The weight of each model, 1 by default.
    confidence : str
        How the score of a fused box is computed: as in `omniou.nms.weighted_fusion`.
    score, format
    class_agnostic : bool
        Average boxes of different classes, too: the best one gives the class.
    score_threshold : float, optional
        Leave out detections whose score is not above it, before they are averaged.
    limit

    Returns
    -------
    Detections
        Boxes, scores, labels and images, by image and then by falling score.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, the tables are of other shapes or of several formats, or a score is below 0.

    Examples
    --------
    >>> from omniou import detection
    >>> def model(height, score):
    ...     return detection.Detections(boxes=[[0, 0, 10, height]], scores=[score], labels=[1], images=[7])
    >>> fused = detection.fuse([model(10, 0.9), model(8, 0.9), model(9, 0.6)])
    >>> fused.boxes.round(2).tolist(), fused.scores.round(2).tolist()
    ([[0.0, 0.0, 10.0, 9.0]], [0.8])
    """
    named = models.values() if isinstance(models, Mapping) else models
    tables = checks.items("models", named, "a list of Detections, one of each model")
    if not tables:
        raise ValueError("`models` must hold at least one table of detections, got none")
    for k, table in enumerate(tables):
        checks.instance(f"models[{k}]", table, Detections, "Detections")
    if weights is not None and len(checks.items("weights", weights, "numbers")) != len(tables):
        raise ValueError(f"`weights` must have one number for each of the {len(tables)} models, got {len(weights)}")
    most = None if limit is None else checks.count("limit", limit)
    kinds = [kind_of(table, None, format, which=f"models[{k}]") for k, table in enumerate(tables)]
    for k, kind in enumerate(kinds):
        if kind.name != "bbox":
            raise ValueError(f"`models[{k}].kind` must be 'bbox': only upright boxes are averaged, got {kind.name!r}")
        if kind.format != kinds[0].format:
            raise ValueError(
                f"`models[{k}].format` must be {kinds[0].format!r} as in the first model, got {kind.format!r}"
            )
    each = [_columns(f"models[{k}]", *pair) for k, pair in enumerate(zip(tables, kinds, strict=True))]
    one_library({f"models[{k}].scores": x["scores"] for k, x in enumerate(each)})  # says it in fewer words
    names = ("boxes", "scores", "labels", "images")
    together = one_library({f"models[{k}].{name}": x[name] for k, x in enumerate(each) for name in names})
    xp, on_host, home = _near(together)
    every = [[on_host[f"models[{k}].{name}"] for k in range(len(tables))] for name in names]
    boxes, scores, labels, images = (xp.concat([x for x in parts if x.shape[0]] or parts) for parts in every)
    of_model = xp.concat([xp.full(x.shape[0], k, dtype=xp.int64) for k, x in enumerate(every[1])])
    compare, options = score_function(kinds[0], score)
    out = suppression.weighted_fusion(
        boxes,
        scores,
        threshold,
        models=of_model,
        weights=[1.0] * len(tables) if weights is None else weights,
        groups=(images,) if checks.flag("class_agnostic", class_agnostic) else (images, labels),
        score=compare,
        confidence=confidence,
        score_threshold=score_threshold,
        **options,
    )
    order = xp.argsort(images[out.indices], stable=True)
    if most is not None:
        order = order[_ranks(images[out.indices][order], xp=xp) < most]
    rows = out.indices[order]
    made = {"boxes": out.boxes[order], "scores": out.scores[order], "labels": labels[rows], "images": images[rows]}
    first = tables[0]
    returned = {name: _like(home(x), *(table[name] for table in each)) for name, x in made.items()}
    return Detections(**returned, kind=first.kind, format=first.format)


def suppressed(
    detections: Detections[ArrayT],
    how: Mapping[str, Any],
    *,
    score: str,
    kind: str | None,
    format: str | None,
    class_agnostic: bool,
    score_threshold: float | None,
    limit: int | None,
) -> tuple[Any, Detections[ArrayT]]:
    """Do what `nms` does; also return the rows that remain (K,), in NumPy."""
    checks.instance("detections", detections, Detections, "Detections, such as the readers of `omniou.data` return")
    method = checks.choice("method", how["method"], _METHODS)
    most = None if limit is None else checks.count("limit", limit)
    own = kind_of(detections, kind, format)
    compare, options = score_function(own, score)
    columns = _columns("detections", detections, own)
    xp, on_host, home = _near(columns)
    images, labels = on_host["images"], on_host["labels"]
    common = {
        "groups": (images,) if checks.flag("class_agnostic", class_agnostic) else (images, labels),
        "score": compare,
        "score_threshold": score_threshold,
        **options,
    }
    shapes = detections.masks if own.column == "masks" else _flat(own, on_host["boxes"], xp=xp)
    rows, new = _kept(shapes, on_host["scores"], how, common)
    if most is not None:
        best = _ranks(images[rows], xp=xp) < most
        rows, new = rows[best], new[best]
    order = xp.argsort(rows)
    rows = rows[order]
    kept = {name: _take(x, home(rows)) for name, x in columns.items()}
    if method != "hard":
        kept["scores"] = _like(home(new[order]), columns["scores"])
    if detections.masks is not None:
        kept["masks"] = detections.masks.take(rows)
    return rows, dataclasses.replace(detections, **kept)


def score_function(kind: Kind, name: str) -> tuple[Any, dict[str, Any]]:
    """Return the function of a score for shapes of a kind, and its options.

    Raises
    ------
    TypeError, ValueError
        If the shapes have no such score.
    """
    if kind.column == "masks":
        known = [x for x in SCORES if x in rle.__all__]
        return getattr(rle, checks.choice("score", name, known)), {}
    declared_score = catalogue[checks.choice("score", name, SCORES)]
    kind.geometry.check_terms(name, declared_score.terms)
    options = {"format": kind.format} if "format" in declared(kind.geometry.options) else {}
    return geometries.functions(kind.geometry)[name], options


def kind_of(
    table: Detections[Any], kind: str | None = None, format: str | None = None, *, which: str = "detections"
) -> Kind:
    """Return what a table holds."""
    only_masks = table.boxes is None and table.masks is not None
    usual = "segm" if only_masks else "bbox"
    named = kind if kind is not None else usual if table.kind is None else table.kind
    if str(named) in {"keypoints", "boundary"}:
        raise ValueError(
            f"`{f'{which}.kind' if kind is None else 'kind'}` must be of boxes, polygons, intervals or whole masks, "
            f"got {named!r}: read the file with Options(kind={'bbox' if named == 'keypoints' else 'segm'!r})"
        )
    own = settled(named, table.format if format is None else format, 0.0, None)
    check_as_read("kind", own.name, which, table)
    check_as_read("format", own.format, which, table)
    return own


def _columns(which: str, table: Detections[Any], kind: Kind) -> dict[str, Any]:
    """Return the arrays of a table, which were checked as `evaluate` does."""
    given = {name: x for name, x in columns_of(table).items() if x is not None}
    own = {name: given.get(name) for name in (kind.column, "scores", "labels", "images")}
    if missing := next((name for name, x in own.items() if x is None), None):
        raise TypeError(f"`{which}.{missing}` must be given, got None")
    checked({f"{which}.{name}": x for name, x in own.items()}, kind)
    named = {f"{which}.{name}": x for name, x in given.items() if name != "masks"}
    arrays = one_library({name: _plain(name, x, kind) for name, x in named.items()})
    return {name: _filled(name, x, kind) for name, x in ((key.rpartition(".")[2], x) for key, x in arrays.items())}


def _plain(name: str, x: Any, kind: Kind) -> Any:
    """Boxes that know their format become numbers in that of the table."""
    return kind.rows.numbers(name, x) if name.endswith(".boxes") else x


def _filled(name: str, x: Any, kind: Kind) -> Any:
    """Give an empty list the shape and the dtype of its column."""
    if x.shape[0]:
        return x
    xp = backends.array_namespace(x)
    if name in {"labels", "images"}:
        return xp.astype(x, xp.int64)
    return xp.zeros((0, kind.lengths[len(kind.lengths) // 2]), dtype=x.dtype) if name == "boxes" and x.ndim == 1 else x


def _near(columns: dict[str, Any], /) -> Any:
    """Do what `host.to_numpy` does, with 16-bit numbers in float32: NumPy has no bfloat16."""
    xp = backends.array_namespace(next(iter(columns.values())))
    narrow = {name for name, x in columns.items() if is_floating(x, xp) and xp.finfo(x.dtype).bits < 32}
    return host.to_numpy({name: xp.astype(x, xp.float32) if name in narrow else x for name, x in columns.items()})


def _flat(kind: Kind, rows: Any, /, *, xp: Namespace) -> Any:
    """The rows of a column in the shape that scores of its geometry take: polygons as vertices (N, V, 2)."""
    if kind.name == "polygons" and rows.ndim == 2:
        return xp.reshape(rows, (rows.shape[0], rows.shape[1] // 2, 2))
    return rows


def _kept(shapes: Any, scores: Any, how: Mapping[str, Any], common: Mapping[str, Any]) -> tuple[Any, Any]:
    """Rows that remain, by falling new score, and these scores, in NumPy."""
    method, threshold, decay, sigma = (how[name] for name in ("method", "threshold", "decay", "sigma"))
    drops, linear = method == "hard", decay == "linear"
    for name, x, fits, needs in (
        ("threshold", threshold, drops or (method == "soft" and linear), "'hard', or 'soft' with `decay` 'linear'"),
        ("decay", decay, not drops, "'soft' or 'matrix'"),
        ("sigma", sigma, not (drops or linear), "'soft' or 'matrix' with `decay` 'gaussian'"),
    ):
        if x is not None and not fits:
            raise ValueError(f"`{name}` is for `method` {needs}, got {x!r}")
    if drops:
        rows = suppression.hard(shapes, scores, 0.5 if threshold is None else threshold, **common)
        return rows, scores[rows]
    lowered = {"method": checks.choice("decay", decay or "gaussian", _DECAYS), "sigma": sigma, **common}
    if method == "soft":
        out = suppression.soft(shapes, scores, threshold=threshold, **lowered)
    else:
        out = suppression.matrix(shapes, scores, **lowered)
    return out.indices, out.scores


def _ranks(groups: Any, /, *, xp: Namespace) -> Any:
    """Count for each row the earlier rows of its group (N,): groups 7, 3, 7, 7, 3 give 0, 0, 1, 2, 1."""
    order = xp.argsort(groups, stable=True)
    rising = groups[order]
    out = xp.empty(order.shape[0], dtype=xp.int64)
    out[order] = xp.arange(order.shape[0]) - xp.searchsorted(rising, rising, side="left")
    return out


def _like(x: Any, /, *columns: Any) -> Any:
    """Give numbers the dtype of the columns that they come from, if all have one and it is floating."""
    xp, dtypes = backends.array_namespace(columns[0]), {column.dtype for column in columns}
    return xp.astype(x, columns[0].dtype) if len(dtypes) == 1 and is_floating(columns[0], xp) else x


def _take(x: Any, rows: Any, /) -> Any:
    return backends.array_namespace(x).take(x, rows, axis=0)
