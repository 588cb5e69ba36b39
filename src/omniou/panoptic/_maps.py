"""Check label maps, and cut them into runs of pixels with equal labels."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from omniou._lib import backends, checks, host, indexing
from omniou._lib.arrays import BOOLEANS, agree, arrays_of
from omniou._lib.types import Namespace
from omniou.panoptic import _match
from omniou.panoptic._match import VOID, Runs

Unknown = Literal["error", "void"]


class Classes(NamedTuple):
    """Category ids: things first, then stuff, each rising."""

    labels: tuple[int, ...]
    things: int  # how many of them

    @property
    def flags(self) -> tuple[bool, ...]:
        """Whether each class is a thing, (C,)."""
        return tuple(k < self.things for k in range(len(self.labels)))


class MapRuns(NamedTuple):
    """Runs of two label maps on the host or device, and the function that brings a result to the caller's library."""

    xp: Namespace
    runs: Runs
    columns: list[tuple[Any, Any, Any]]  # label, crowd, instance of the runs of each map
    home: Callable[[Any], Any]
    images: int


def categories(things: Any, stuff: Any, names: tuple[str, str] = ("things", "stuff")) -> Classes:
    """Check category ids, and return them in order."""
    groups = []
    for name, given in zip(names, (things, stuff), strict=True):
        ids = checks.items(name, given, "a collection of category ids")
        for label in ids:
            if type(label) is not int:
                raise TypeError(f"`{name}` must hold integers, got {label!r}")
        groups.append(sorted(set(ids)))
    both = " and ".join(f"`{name}`" for name in names)
    if common := set(groups[0]) & set(groups[1]):
        raise ValueError(f"{both} must have no category in common, got {min(common)} in both")
    if not groups[0] and not groups[1]:
        raise ValueError(f"{both} must have at least one category, got none")
    return Classes((*groups[0], *groups[1]), len(groups[0]))


def pairs(
    target: Any,
    prediction: Any,
    crowd: Any,
    classes: Classes,
    unknown: Unknown,
    /,
    *,
    whole: bool = False,
    video: bool = False,
) -> MapRuns:
    """Check maps of pairs, and return their runs. `whole` takes all images as one; axis 0 of a `video` is frames."""
    unknown = checks.choice("unknown", unknown, ("error", "void"))
    given, facts = arrays_of({"crowd": BOOLEANS}, target=target, prediction=prediction, crowd=crowd)
    _check_maps(facts, 2)
    named = dict(zip(("target", "prediction", "crowd"), given, strict=True))
    xp, arrays, home = host.to_host({name: x for name, x in named.items() if x is not None})
    shape = arrays["target"].shape
    images = 1 if whole else shape[0]
    pixels = math.prod(shape[:-1]) // max(images, 1)
    flat = {name: xp.reshape(x, (images, pixels, *x.shape[len(shape) - 1 :])) for name, x in arrays.items()}
    columns = [flat[name][..., k] for name in ("target", "prediction") for k in (0, 1)]
    runs = _match.runs([*columns, *([] if crowd is None else [flat["crowd"]])], xp=xp)
    at = {name: _at(name, x, runs, xp=xp) for name, x in flat.items()}
    xp, runs, at, home = _fetched(runs, at, home, xp=xp)
    none = xp.zeros(runs.place.shape, dtype=xp.bool, device=backends.device(runs.place, xp=xp))
    crowds = {"target": at.get("crowd", none), "prediction": none}
    columns = [_of_pairs(at[name][:, 0], at[name][:, 1], x, classes, xp=xp) for name, x in crowds.items()]
    if unknown == "error":
        _check_known(at["prediction"][:, 0], columns[1][0], xp=xp)
    if not whole and not video:
        _check_images(tuple(shape))
    return MapRuns(xp, runs, columns, home, images)


def ids(
    target: Any,
    prediction: Any,
    target_segments: Iterable[Mapping[str, Any]],
    prediction_segments: Iterable[Mapping[str, Any]],
    classes: Classes,
    /,
) -> MapRuns:
    """Check maps of the segment ids of one image, and return their runs."""
    given, facts = arrays_of(target=target, prediction=prediction)
    _check_maps(facts, 0)
    xp, arrays, home = host.to_host(dict(zip(("target", "prediction"), given, strict=True)))
    flat = {name: xp.reshape(x, (1, -1)) for name, x in arrays.items()}
    runs = _match.runs(list(flat.values()), xp=xp)
    at = {name: _at(name, x, runs, xp=xp) for name, x in flat.items()}
    xp, runs, at, home = _fetched(runs, at, home, xp=xp)
    records = {"target": target_segments, "prediction": prediction_segments}
    columns = [_of_ids(name, x, records[name], classes, xp=xp) for name, x in at.items()]
    return MapRuns(xp, runs, columns, home, 1)


def image_pairs(target: Any, prediction: Any, /) -> list[tuple[tuple[str, str], Any, Any]]:
    """Label images or two lists of them -> the names of two arguments, and their values."""
    several = [isinstance(x, (list, tuple)) and all(getattr(y, "ndim", 0) for y in x) for x in (target, prediction)]
    if several == [False, False]:
        return [(("target", "prediction"), target, prediction)]
    if several != [True, True]:
        one, other, given = ("target", "prediction", prediction) if several[0] else ("prediction", "target", target)
        raise TypeError(f"`{other}` must be a list of label images, as `{one}` is, got {type(given).__name__}")
    if len(target) != len(prediction):
        raise ValueError(f"`prediction` must have the {len(target)} images of `target`, got {len(prediction)}")
    return [
        ((f"target[{k}]", f"prediction[{k}]"), *both) for k, both in enumerate(zip(target, prediction, strict=True))
    ]


def instances(names: tuple[str, str], target: Any, prediction: Any, axes: int | None, /) -> MapRuns:
    """Check label images of one array each, whose last `axes` axes are one image, and return their runs, in NumPy."""
    given, facts = arrays_of(**dict(zip(names, (target, prediction), strict=True)))
    for fact in facts:
        _check_integers(fact, "label the mask, or count its components by `masks.components`")
    agree(facts)
    first, second = facts
    shape = tuple(first.shape)
    if shape != tuple(second.shape):
        raise ValueError(f"`{second.name}` must have the shape of `{first.name}`, {shape}, got {tuple(second.shape)}")
    if not shape:
        raise ValueError(f"`{first.name}` must be a label image, such as (height, width), got one number")
    axes = _axes_of_image(first.name, shape, axes)
    images = math.prod(shape[: len(shape) - axes])
    xp, arrays, home = host.to_host(dict(zip(names, given, strict=True)))
    flat = {name: xp.reshape(x, (images, math.prod(shape[len(shape) - axes :]))) for name, x in arrays.items()}
    runs = _match.runs(list(flat.values()), xp=xp)
    at = {name: _at(name, x, runs, xp=xp) for name, x in flat.items()}
    xp, near, back = host.to_numpy({**runs._asdict(), **at})
    columns = [_of_instances(name, near[name], xp=xp) for name in names]
    return MapRuns(xp, Runs(*list(near.values())[:3]), columns, lambda x: home(back(x)), images)


def _axes_of_image(name: str, shape: tuple[int, ...], axes: int | None, /) -> int:
    """Return how many of the last axes are one image. Leading axes of size 1 do not matter."""
    if axes is None:
        long = len(shape) - next((k for k, size in enumerate(shape) if size != 1), len(shape))
        if long > 2:
            raise ValueError(
                f"`{name}` of shape {shape} may be images or volumes: pass `spatial_axes=2` if its last two axes are "
                "one image, or `spatial_axes=3` if its last three are one volume"
            )
        return min(len(shape), 2)
    if len(shape) < axes:
        raise ValueError(f"`{name}` must have at least {axes} axes, as `spatial_axes` says, got shape {shape}")
    return axes


def _of_instances(name: str, label: Any, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Labels of runs (R,), of one class, 0 for background -> class, crowd and instance."""
    if label.shape[0] and (lowest := int(xp.min(label))) < 0:
        raise ValueError(f"`{name}` must hold labels from 0, which is background, got {lowest}")
    background = label == 0
    void = xp.full_like(label, VOID)
    return xp.where(background, void, xp.zeros_like(label)), xp.zeros_like(background), label


def _fetched(
    runs: Runs, at: Mapping[str, Any], home: Callable[[Any], Any], /, *, xp: Namespace
) -> tuple[Namespace, Runs, dict[str, Any], Callable[[Any], Any]]:
    """Copy the runs and their labels to the host, if they are on a device of torch."""
    near, columns, own = host.fetched([*runs, *at.values()], xp=xp)
    return near, Runs(*columns[:3]), dict(zip(at, columns[3:], strict=True)), home if near is xp else own


def _at(name: str, x: Any, runs: Runs, /, *, xp: Namespace) -> Any:
    """Labels (images, P, ...) -> labels of the runs (R, ...), as integers of 64 bits."""
    rows = xp.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))
    out = xp.take(rows, runs.place, axis=0)
    if out.dtype == xp.bool:
        return out
    signed = xp.astype(out, xp.int64)
    # Not all libraries have extremes of unsigned integers of 64 bits.
    if out.dtype == getattr(xp, "uint64", None) and signed.shape[0] and (lowest := int(xp.min(signed))) < 0:
        raise ValueError(f"`{name}` must hold labels below 2**63, got {lowest + 2**64}")
    return signed


def _of_pairs(category: Any, instance: Any, crowd: Any, classes: Classes, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    label = _labels(category, classes, xp=xp)
    thing = (label >= 0) & (label < classes.things)
    return label, crowd & (label != VOID), xp.where(thing, instance, xp.zeros_like(instance))


def _labels(category: Any, classes: Classes, /, *, xp: Namespace) -> Any:
    """Category ids (R,) -> places of classes, VOID for other ids."""
    order = sorted(range(len(classes.labels)), key=classes.labels.__getitem__)
    device = backends.device(category, xp=xp)
    ids = xp.asarray([classes.labels[k] for k in order], dtype=xp.int64, device=device)
    place, known = indexing.place(ids, category, xp=xp)
    label = xp.take(xp.asarray(order, dtype=xp.int64, device=device), place)
    return xp.where(known, label, xp.full_like(label, VOID))


def _of_ids(
    name: str, ids: Any, records: Iterable[Mapping[str, Any]], classes: Classes, /, *, xp: Namespace
) -> tuple[Any, Any, Any]:
    records = checks.items(f"{name}_segments", records, 'a sequence of dictionaries with "id" and "category_id"')
    for x in records:
        checks.instance(f"{name}_segments", x, Mapping, 'a sequence of dictionaries with "id" and "category_id"')
    rows = sorted((int(x["id"]), int(x["category_id"]), bool(x.get("iscrowd", 0))) for x in records)
    known = {label: k for k, label in enumerate(classes.labels)}
    if rows and not -(2**63) <= rows[0][0] <= rows[-1][0] < 2**63:
        far = rows[0][0] if rows[0][0] < -(2**63) else rows[-1][0]
        raise ValueError(f"`{name}_segments` must have ids of 64 bits, but a segment has {far}")
    for (one, category, _), (other, _, _) in itertools.zip_longest(rows, rows[1:], fillvalue=(None, 0, False)):
        if one in {other, 0} or category not in known:
            fault = "occurs twice" if one == other else "means void" if one == 0 else f"has unknown category {category}"
            raise ValueError(
                f"`{name}_segments` must have different ids and known categories, but segment {one} {fault}"
            )
    device = backends.device(ids, xp=xp)
    table = xp.asarray([0, *(one for one, _, _ in rows)], dtype=xp.int64, device=device)
    order = xp.argsort(table, stable=True)  # 0, the first, may not be the lowest: ids may be negative
    label = xp.asarray([VOID, *(known[x] for _, x, _ in rows)], dtype=xp.int64, device=device)
    crowd = xp.asarray([False, *(x for _, _, x in rows)], dtype=xp.bool, device=device)
    place, found = indexing.place(xp.take(table, order), ids, xp=xp)
    if not xp.all(found):
        stray = int(ids[int(xp.argmax(xp.astype(~found, xp.uint8)))])
        raise ValueError(f"`{name}` has segment {stray}, which is not among `{name}_segments`")
    row = xp.take(order, place)
    pixels = indexing.counts(row, table.shape[0], xp=xp)
    if rows and xp.any(pixels[1:] == 0):
        lost = rows[int(xp.argmin(pixels[1:]))][0]
        raise ValueError(f"`{name}_segments` has segment {lost}, of which `{name}` has no pixel")
    return xp.take(label, row), xp.take(crowd, row), ids


def _check_known(category: Any, label: Any, /, *, xp: Namespace) -> None:
    void = label == VOID
    if xp.any(void):
        first = int(category[int(xp.argmax(xp.astype(void, xp.uint8)))])
        raise ValueError(
            f"`prediction` must have categories of `things` and `stuff` alone, got {first} (see `unknown`)"
        )


# An array less than 3 times as wide as high is probably one image; with 64 rows or more, less than 32 times.
_WIDE, _WIDEST, _ROWS = 3, 32, 64


def _check_images(shape: tuple[int, ...]) -> None:
    """Raise for an array that is most likely (height, width, 2): one image without the axis of images."""
    if len(shape) == 3 and min(shape) > 1 and shape[1] < (_WIDEST if shape[0] >= _ROWS else _WIDE) * shape[0]:
        rows, pixels, _ = shape
        raise ValueError(
            f"`target` and `prediction` of shape {shape} are one image of {rows} x {pixels} pixels without an axis of "
            f"images, or {rows} images of {pixels} pixels: pass `x[None]` for the first, `x[:, None]` for the second"
        )


def _check_integers(fact: Any, boolean: str = "", /) -> None:
    """Raise for labels of another kind, with a hint for booleans."""
    xp = fact.namespace
    if not xp.isdtype(fact.dtype, "integral"):
        real = xp.isdtype(fact.dtype, "real floating")
        hint = "cast it to an integer type, such as int32" if real else boolean
        raise TypeError(f"`{fact.name}` must hold integers, got dtype {fact.dtype}{hint and f': {hint}'}")


def _check_maps(facts: Any, numbers: int) -> None:
    """Raise unless both maps hold labels, have one shape, and the last axis has the right size."""
    agree(facts)
    shapes = {}
    for fact in facts:
        shapes[fact.name] = tuple(fact.shape)
        if fact.name == "crowd":
            continue
        _check_integers(fact)
        if numbers and (len(fact.shape) < 3 or fact.shape[-1] != numbers):
            raise ValueError(f"`{fact.name}` must have shape (images, ..., {numbers}), got {tuple(fact.shape)}")
    if shapes["target"] != shapes["prediction"]:
        raise ValueError(
            f"`prediction` must have the shape of `target`, {shapes['target']}, got {shapes['prediction']}"
        )
    if "crowd" in shapes and shapes["crowd"] != shapes["target"][:-1]:
        expected = shapes["target"][:-1]
        raise ValueError(
            f"`crowd` must have the shape of `target` without its last axis, {expected}, got {shapes['crowd']}"
        )
