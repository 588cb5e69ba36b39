"""Read what a caller hands over: flat columns of one library, checked and brought to one form."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

import array_api_compat as compat

from omniou._inputs import mask_sizes
from omniou._inputs.kinds import Kind
from omniou._inputs.tables import PAIRS, TABLES, DetectionTable, Tables, TargetTable
from omniou._lib import backends, carried, checks, host, indexing
from omniou._lib.arrays import agree, arrays_of, cast, widest_floating
from omniou._lib.brief import Brief
from omniou._lib.types import ArrayLike, ArrayT, Namespace

if TYPE_CHECKING:
    from omniou.rle import Masks

# Columns that hold shapes, of which a kind compares one.
SHAPES = ("boxes", "masks", "keypoints", "payload")
# Numbers of a box next to other shapes.
_BOX = 4
# The way out for detections without scores.
MISSING_SCORES = "`missing_scores=True` evaluates detections without scores"
# Fields of both tables that are no columns.
_AS_READ = ("kind", "format", "protocol")


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Targets(Brief, Generic[ArrayT]):
    """The objects of all images, one row each.

    Attributes
    ----------
    boxes : array, shape (N, 2 * D)
        Boxes in D = 1, 2 or 3 dimensions, in the `format` of `evaluate`; or the rows of another geometry (N, K).
        None if only masks are compared, or by `similarity`.
    labels : array of integers, shape (N,)
        Class of each object. A negative label is refused as padding unless `classes` of `evaluate` names it.
    images : array of integers, shape (N,)
        Index or id of the image of each object.
    crowd : array of booleans, shape (N,), optional
        Regions of many objects, which match any number of detections inside, see `Protocol.crowds`. Default: none.
    area : array, shape (N,), optional
        Area for the area ranges, such as the area of a mask. Default: the area of the box or the mask; the length or
        the volume of boxes in 1 or 3 dimensions.
    ignore : array of booleans, shape (N,), optional
        Objects to ignore: a detection matched to one does not count.
    negative : array of integers, shape (P, 2), optional
        Pairs of image and label that annotators verified as absent. If given, the annotation is federated, as in LVIS
        and Open Images: a detection counts only if its class has objects in the image, or is verified as absent.
    not_exhaustive : array of integers, shape (Q, 2), optional
        Pairs of image and label for which not all objects are annotated: unmatched detections do not count there.
    masks : omniou.rle.Masks, optional
        N masks, for the kinds that compare masks.
    keypoints : array, shape (N, K, 3) or (N, K, 2), optional
        For the kinds that compare keypoints: x, y and COCO's v, 0 for points that are not labelled; without v all
        points are labelled. Needs `area`, and `boxes` if an object may have no labelled point: such an object is
        ignored, and detections are compared with its box.
    kind, format : str, optional
        What the shapes are, as the readers of `omniou.data` state it: `evaluate` then needs neither argument, and
        refuses another value. Default: as the arguments of `evaluate` say.
    protocol : str, optional
        Name of the rules by which `evaluate` evaluates unasked, as the readers of LVIS's and DOTA's files state it.
    payload : sequence or array with one entry a row, optional
        What a function `similarity` of `evaluate` gets, of any type.
    """

    boxes: ArrayT | ArrayLike | None
    labels: ArrayT | ArrayLike
    images: ArrayT | ArrayLike
    crowd: ArrayT | ArrayLike | None = None
    area: ArrayT | ArrayLike | None = None
    ignore: ArrayT | ArrayLike | None = None
    negative: ArrayT | ArrayLike | None = None
    not_exhaustive: ArrayT | ArrayLike | None = None
    masks: "Masks | None" = None
    keypoints: ArrayT | ArrayLike | None = None
    kind: str | None = None
    format: str | None = None
    protocol: str | None = None
    payload: Any = None


@dataclasses.dataclass(frozen=True, eq=False, slots=True, repr=False)
class Detections(Brief, Generic[ArrayT]):
    """The detections of all images, one row each. Rows of equal score rank in their order.

    Attributes
    ----------
    boxes : array, shape (M, 2 * D)
        Boxes in the `format` of `evaluate`, like the targets. The area of a detection is the area of its box. None if
        only masks are compared, or by `similarity`.
    scores : array, shape (M,)
        Confidence, the higher the better; on any scale, without NaN. None if no detection has a score, which `evaluate`
        takes with ``missing_scores=True``.
    labels : array of integers, shape (M,)
        Class of each detection.
    images : array of integers, shape (M,)
        Index or id of the image of each detection, as in `Targets`.
    masks : omniou.rle.Masks, optional
        M masks, for the kinds that compare masks. The area of a detection is the area of its mask.
    keypoints : array, shape (M, K, 3) or (M, K, 2), optional
        For the kinds that compare keypoints; third numbers have no effect. The area of a detection is the area of its
        box if `boxes` is given, as in pycocotools, otherwise of the box around the points.
    kind, format : str, optional
        What the shapes are, as in `Targets`.
    area : array, shape (M,), optional
        Area for the area ranges, where it is not that of the shape: pycocotools takes the area of the box also for
        masks, if a file of results has both.
    payload : sequence or array with one entry a row, optional
        What a function `similarity` of `evaluate` gets, of any type.
    """

    boxes: ArrayT | ArrayLike | None
    scores: ArrayT | ArrayLike | None
    labels: ArrayT | ArrayLike
    images: ArrayT | ArrayLike
    masks: "Masks | None" = None
    keypoints: ArrayT | ArrayLike | None = None
    kind: str | None = None
    format: str | None = None
    area: ArrayT | ArrayLike | None = None
    payload: Any = None


def columns_of(table: Targets[Any] | Detections[Any]) -> dict[str, Any]:
    """All columns of a table by name, None where one is not given."""
    return {f.name: getattr(table, f.name) for f in dataclasses.fields(table) if f.name not in _AS_READ}


def read(
    targets: Targets[Any], detections: Detections[Any], images: Any, kind: Kind, *, missing_scores: bool | None = None
) -> Tables:
    """Both tables with every column checked and in 64 bits; `images` are all that occur where None.

    All scores are 1 where they are missing. None: the caller has no option for detections without scores.
    """
    if missing_scores and detections.scores is not None:
        raise ValueError("`detections.scores` must be None with `missing_scores`: remove one of both")
    columns: dict[str, Any] = {}
    tables: dict[str, Targets[Any] | Detections[Any]] = {"targets": targets, "detections": detections}
    required = {f.name for f in dataclasses.fields(Detections) if f.default is dataclasses.MISSING}
    for which, table in tables.items():
        _check_as_read(which, table, kind)
        for name, x in columns_of(table).items():
            is_other_shape = name in SHAPES and name != kind.column
            if is_other_shape and name not in kind.uses.get(which, ()):
                continue
            if x is None and not is_other_shape and name in required and not (name == "scores" and missing_scores):
                way = MISSING_SCORES if name == "scores" and missing_scores is False else ""
                raise TypeError(f"`{which}.{name}` must be given, got None{way and f': {way}'}")
            # Without a payload, the labels tell how many rows there are.
            columns[f"{which}.{name}"] = table.labels if x is None and name == kind.column == "payload" else x
    xp, ready, home = checked(columns, kind)
    for which in TABLES:
        name = f"{which}.{kind.column}"
        shapes = ready.pop(name)
        rows = {other: x for other, x in ready.items() if other.startswith(which) and _field(other) not in PAIRS}
        _check_lengths(which, {name: shapes.area} | rows)
        ready[which] = shapes
    of_targets, of_detections = _target_table(ready, xp=xp), _detection_table(ready, xp=xp)
    if kind.column == "masks":
        masks: list[Any] = [x.shapes for x in (of_targets, of_detections)]
        sizes = [x.masks.sizes for x in masks]
        each = [x.images for x in (of_targets, of_detections)]
        mask_sizes.check(sizes, each, lambda table, row: f"`{TABLES[table]}.masks[{row}]`", xp=xp)
    ids = rising_ids(images, of_targets.images, of_detections.images, name="images", xp=xp)
    return Tables(xp, of_targets, of_detections, ids, home)


def _check_as_read(which: str, table: Targets[Any] | Detections[Any], kind: Kind) -> None:
    """Raise if the shapes of a table are known to be others than those that are asked for."""
    check_as_read("kind", kind.name.partition(": ")[0], which, table)
    check_as_read("format", kind.format, which, table)


def check_as_read(name: str, given: str | None, which: str, table: Any) -> None:
    """Raise if a table was read by another `kind` or `format` than is asked for."""
    if (known := getattr(table, name, None)) is not None and given is not None and known != given:
        raise ValueError(
            f"`{name}` must be {known!r}, as `{which}` was read, got {given!r}: read both files with "
            f"the options that are meant, or set `{which}.{name}` to None where its columns have changed"
        )


def checked(columns: Mapping[str, Any], kind: Kind) -> tuple[Namespace, dict[str, Any], Callable[[Any], Any]]:
    """Columns by "table.field" -> their library, each of those given, checked, and the way home.

    Columns of shapes become `Shapes`, which need at least one array where they are masks.
    """
    arrays = {name: x for name, x in columns.items() if x is not None and (kind.lengths or _field(name) not in SHAPES)}
    # Candidate pairs and runs of equal rows decide shapes: a device would be waited for a hundred times.
    arrays = {name: kind.rows.numbers(name, x) if _field(name) in SHAPES else x for name, x in arrays.items()}
    xp, arrays, home = host.to_host(one_library(arrays), always=True)
    if kind.geometry.axes == 2:
        names = [name for name in arrays if _field(name) in SHAPES]
        flat = of_one_length([_flat(arrays[name], xp=xp) for name in names], xp=xp)
        arrays |= dict(zip(names, flat, strict=True))
    if kind.flat is not None:
        own = [name for name in arrays if _field(name) == kind.column]
        arrays |= {name: kind.flat(name, arrays[name], xp=xp) for name in own}
    length = _length({name: x for name, x in arrays.items() if _field(name) == kind.column}, kind.lengths)
    widths = {kind.column: length} | dict.fromkeys(set(SHAPES) - {kind.column}, _BOX) | dict.fromkeys(PAIRS, 2)
    ready = {name: _column(name, x, widths, xp=xp) for name, x in arrays.items()}
    for name in columns:
        if _field(name) != kind.column:
            continue
        table = name.partition(".")[0]
        used = {f: ready.pop(f"{table}.{f}") for f in kind.uses.get(table, ()) if f"{table}.{f}" in ready}
        if used and name in ready:
            _check_lengths(table, {f"{table}.{f}": x for f, x in used.items()} | {name: ready[name]})
        ready[name] = kind.read(name, ready.get(name, columns[name]), xp=xp, **used)
        if kind.lengths:
            _check_areas(name, arrays[name], ready[name].area, xp=xp)
            if kind.column == "boxes":
                _check_shapes(name, arrays[name], ready[name], xp=xp)
    return xp, ready, home


def rising_ids(given: Any, *columns: Any, name: str, xp: Namespace) -> Any:
    """The ids a caller asked for, or all that occur: (K,) distinct and rising."""
    if given is None:
        return indexing.distinct(xp.concat(list(columns)), xp=xp)
    listed = listed_ids(name, given)
    return indexing.distinct(xp.asarray(listed, dtype=xp.int64, device=compat.device(columns[0])), xp=xp)


def listed_ids(name: str, given: Any) -> Sequence[int]:
    """The ids a caller asked for, checked."""
    listed = _listed(name, carried.plain(name, given)) if hasattr(given, "dtype") else _integers(name, given)
    if listed and not -(2**63) <= min(listed) <= max(listed) < 2**63:
        raise ValueError(f"`{name}` must fit 64 bits, got {min(listed)} to {max(listed)}")
    return listed


def _listed(name: str, given: Any) -> list[int]:
    xp = backends.array_namespace(given)
    if given.ndim != 1 or not xp.isdtype(given.dtype, "integral"):
        raise ValueError(
            f"`{name}` must be integers of shape (K,), got shape {tuple(given.shape)} and dtype {given.dtype}"
        )
    return indexing.to_list(given)


def _integers(name: str, given: Any) -> Sequence[int]:
    try:
        listed = list(map(checks.plain, given))
    except TypeError:
        listed = [None]
    if not all(type(i) is int for i in listed):
        raise TypeError(f"`{name}` must be integers, got {given!r}")
    return listed


def _target_table(ready: dict[str, Any], *, xp: Namespace) -> TargetTable:
    shapes = ready["targets"]
    none = xp.zeros(shapes.area.shape, dtype=xp.bool, device=compat.device(shapes.area))
    ignore = ready.get("targets.ignore", none)
    if (beyond := shapes.ignored()) is not None:
        ignore = ignore | beyond
    return TargetTable(
        shapes,
        ready["targets.labels"],
        ready["targets.images"],
        ready.get("targets.crowd", none),
        ready.get("targets.area", shapes.area),
        ignore,
        *(ready.get(f"targets.{name}") for name in PAIRS),
    )


def _detection_table(ready: dict[str, Any], *, xp: Namespace) -> DetectionTable:
    shapes = ready["detections"]
    labels, images = (ready[f"detections.{name}"] for name in ("labels", "images"))
    scores = ready.get("detections.scores")
    scores = xp.ones_like(shapes.area) if scores is None else scores
    return DetectionTable(shapes, scores, labels, images, ready.get("detections.area", shapes.area))


def one_library(given: dict[str, Any]) -> dict[str, Any]:
    """Arrays of one library and device; lists join them, each with the dtype it has by itself."""
    given = {name: _column_of_frame(x) for name, x in given.items()}
    arrays = {name: _no_booleans(carried.plain(name, x)) for name, x in given.items() if hasattr(x, "dtype")}
    _, facts = arrays_of(**arrays or {"boxes": []})
    agree(facts)
    xp = facts[0].namespace
    if compat.is_dask_namespace(xp):
        raise TypeError("detection looks at values, which Dask arrays do not have yet: pass `x.compute()`")
    device = compat.device(next(iter(arrays.values()))) if arrays else None
    for name, x in given.items():
        if name in arrays:
            continue
        carried.check_list(name, x)
        try:
            listed = xp.asarray(x, device=device)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"`{name}` must be an array or nested lists of numbers of one shape, got {type(x).__name__}"
            ) from None
        arrays[name] = _no_booleans(listed)
    return arrays


def _column_of_frame(x: Any) -> Any:
    """The NumPy array of a column of a DataFrame, which has a dtype but does not follow the array API standard."""
    convert = getattr(x, "to_numpy", None)
    return x if convert is None else convert()


def _no_booleans(x: Any) -> Any:
    try:
        xp = backends.array_namespace(x)
    except TypeError:
        return x  # `arrays_of` says what is wrong with it
    return xp.astype(x, xp.uint8) if x.dtype == xp.bool else x


def _flat(x: Any, /, *, xp: Namespace) -> Any:
    """Vertices (N, V, 2) -> rows (N, 2V); rows as they are."""
    return xp.reshape(x, (x.shape[0], 2 * x.shape[1])) if x.ndim == 3 and x.shape[2] == 2 else x


def of_one_length(arrays: Sequence[Any], /, *, xp: Any) -> list[Any]:
    """Rows (N, 2V) of several lengths -> of the largest: the last vertex, repeated, changes no polygon."""
    most = max((x.shape[1] for x in arrays if x.ndim == 2 and x.shape[0]), default=0)
    return [
        xp.concat([x, *[x[:, -2:]] * ((most - x.shape[1]) // 2)], axis=1) if x.ndim == 2 and x.shape[0] else x
        for x in arrays
    ]


def _length(arrays: dict[str, Any], allowed: Sequence[int]) -> int:
    """Numbers of a row of shapes: as the format says, or as the first table has them that is not empty."""
    given = [x.shape[1] for name, x in arrays.items() if _field(name) in SHAPES and x.ndim == 2 and 0 not in x.shape]
    return next((length for length in given if length in allowed), allowed[len(allowed) // 2] if allowed else 0)


def _column(name: str, x: Any, widths: Mapping[str, int], *, xp: Namespace) -> Any:
    """A column, checked as its name asks for; `widths`: the numbers of a row of those that have several."""
    field = _field(name)
    width = widths.get(field)
    if x.shape[0:1] == (0,) and (x.ndim == 1 or width):
        x = xp.zeros((0, width) if width else (0,), dtype=xp.uint8, device=compat.device(x))
    shape = tuple(x.shape)
    if len(shape) != (2 if width else 1) or shape[1:] != ((width,) if width else ()):
        expected = f"(N, {width})" if width else "(N,)"
        raise ValueError(f"`{name}` must have shape {expected}, got {shape}")
    kind = "numeric" if field in {*SHAPES, "scores", "area"} else "integral"
    if kind == "integral" and not xp.isdtype(x.dtype, "integral"):
        raise TypeError(f"`{name}` must hold integers{_or_booleans(field)}, got dtype {x.dtype}")
    if field in {"crowd", "ignore"}:
        return x != 0
    if kind == "integral":
        return cast(x, xp.int64, xp=xp)
    x = cast(backends.stop_gradient(x, xp=xp), widest_floating(xp, backends.device(x, xp=xp)), xp=xp)
    good = ~xp.isnan(x) if field == "scores" else xp.isfinite(x)
    if not xp.all(good):
        _name_first(name, x, ~good, f"be {'a number' if field == 'scores' else 'finite'}", xp=xp)
    return x


def _field(name: str) -> str:
    return name.partition(".")[2]


def _or_booleans(field: str) -> str:
    return " or booleans" if field in {"crowd", "ignore"} else ""


def _name_first(name: str, x: Any, bad: Any, expected: str, *, xp: Namespace) -> None:
    rows = xp.any(bad, axis=1) if bad.ndim == 2 else bad
    row = int(xp.argmax(xp.astype(rows, xp.uint8)))
    value = [float(x[row, k]) for k in range(x.shape[1])] if x.ndim == 2 else float(x[row])
    raise ValueError(f"`{name}[{row}]` must {expected}, got {value}")


def _check_lengths(table: str, named: dict[str, Any]) -> None:
    lengths = {name: x.shape[0] for name, x in named.items()}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{length} in `{name}`" for name, length in lengths.items())
        raise ValueError(f"columns of `{table}` must have one length, got {listing}")


def _check_areas(name: str, rows: Any, area: Any, /, *, xp: Namespace) -> None:
    # Two of them are added. All at once first: nearly always their sum tells that none is too large.
    most = float(xp.finfo(area.dtype).max) / 4
    if not xp.abs(xp.sum(area)) <= most and xp.any(bad := ~(xp.abs(area) <= most)):
        _name_first(name, rows, bad, f"be of an area up to {most:.0e}", xp=xp)


def _check_shapes(name: str, given: Any, shapes: Any, /, *, xp: Namespace) -> None:
    """Raise for the first row that the geometry refuses."""
    reading = shapes.reading
    if reading.geometry.faults is None:
        return
    columns = xp.permute_dims(shapes.rows, (1, 0))
    for words, bad in reading.geometry.faults(columns, layout=reading.layout, xp=xp).items():
        if xp.any(bad):
            _name_first(name, given, bad, words.removeprefix("must "), xp=xp)
