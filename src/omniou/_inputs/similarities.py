"""Similarities and distances of a caller's own instead of shapes: values of pairs, which are looked up."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Self

from omniou._inputs.shapes import Pairs, Shapes
from omniou._inputs.similarity_values import Given, ListedValues, array, listed, named, side
from omniou._inputs.tables import Tables
from omniou._kernels.boxes import Bounds
from omniou._lib import backends
from omniou._lib.arrays import widest_floating
from omniou._lib.types import Namespace

# Values are sorted and looked up in NumPy, for tables of any library.
np: Any = backends.numpy_namespace()
# Exceeds the number of objects in an image: a key is the number of a detection times this, plus the place of an object.
_STRIDE = 2**31


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SimilarityShapes(Shapes):
    """Rows of which only similarities are known. The pairs are kept with the detections."""

    area: Any
    rows: Any  # (N,) numbers of detections, places of objects in their images
    content: Any  # (N,) order in an image that does not depend on the order of rows
    keys: Any  # (P,) of the pairs, rising
    values: Any  # (P,) the higher, the better
    count: int  # numbers of detections in use
    xp: Namespace

    prunes, similar_only = False, True

    def take(self, rows: Any, /) -> Self:
        columns = {name: getattr(self, name) for name in ("area", "rows", "content")}
        some = {k: x[rows] if isinstance(rows, slice) else self.xp.take(x, rows) for k, x in columns.items()}
        return dataclasses.replace(self, **some)

    def concat(self, others: Sequence[Self], /) -> Self:
        every = (self, *others)
        before = list(itertools.accumulate((x.count for x in every), initial=0))
        moved = [
            dataclasses.replace(x, rows=x.rows + by * bool(x.count), keys=x.keys + by * _STRIDE)
            for x, by in zip(every, before, strict=False)
        ]
        names = ("area", "rows", "content", "keys", "values")
        joined = {name: self.xp.concat([getattr(x, name) for x in moved]) for name in names}
        return dataclasses.replace(self, count=before[-1], **joined)

    def owned(self) -> Self:
        return dataclasses.replace(self, area=self.xp.asarray(self.area, copy=True))

    def bounds(self, rows: Any, /) -> Bounds:
        content = self.xp.take(self.content, rows)[None, :]
        return Bounds(content, content, self.xp.take(self.area, rows))

    def has_outlines(self, dimensions: int, /) -> bool:  # noqa: ARG002
        return False

    def overlap(self, targets: Self, pairs: Pairs, least: float, /) -> Any:  # noqa: ARG002
        xp = self.xp
        wanted = xp.take(self.rows, pairs.detections) * _STRIDE + xp.take(targets.rows, pairs.targets)
        never = xp.full(wanted.shape, -float("inf"), dtype=self.values.dtype)
        if not self.keys.shape[0]:
            return never
        at = xp.searchsorted(self.keys, wanted)
        at = xp.where(at < self.keys.shape[0], at, xp.zeros_like(at))
        return xp.where(xp.take(self.keys, at) == wanted, xp.take(self.values, at), never)


def read(name: str, rows: Any, *, xp: Namespace, area: Any = None) -> Shapes:
    """Rows without similarities, which `attached` adds. Without an area, it is NaN."""
    is_sized = isinstance(rows, Sized) and not isinstance(rows, Mapping)
    shape = getattr(rows, "shape", None) or ((len(rows),) if is_sized else None)
    if shape is None:
        raise TypeError(f"`{name}` must be a sequence or an array with one entry a row, got {type(rows).__name__}")
    if area is None:
        area = xp.full(shape[0], float("nan"), dtype=widest_floating(xp))
    number = xp.zeros(area.shape, dtype=xp.int64)
    return SimilarityShapes(area, number, number, number[:0], area[:0], 0, xp)


def attached(tables: Tables, given: Given, /, *, lower: bool, areas: bool, invariant: bool) -> Tables:
    """Add the similarities. `lower`: is better; `areas`: they decide; `invariant`: the order of rows must not."""
    both: dict[str, Any] = {"targets": tables.targets, "detections": tables.detections}
    xp = tables.xp
    if given.similarity is None and any(x.labels.shape[0] for x in both.values()):
        raise TypeError("`similarity` must be given: matrices, listed pairs or a function, got None")
    for name, table in both.items():
        if areas and xp.any(xp.isnan(table.area)):
            raise ValueError(
                f"`{name}` must have `area` for the area ranges of the protocol: add it, or use a protocol with one "
                'range from 0, such as "voc2010"'
            )
    objects, detections = (side(name, x.images, given) for name, x in both.items())
    pairs = listed(given, objects, detections, array(tables.images).tolist())
    values = -pairs.values if lower else pairs.values
    if np.isposinf(values).any():
        never = "inf" if lower else "-inf"
        raise ValueError(f"`similarity` must be finite, or {never} for pairs that never match, got {-float(never)}")
    # Detections are numbered image by image.
    ids = np.asarray(sorted(detections.counts), dtype=np.int64)
    first = np.cumsum([0, *(detections.counts[x] for x in ids.tolist())])
    numbers = first[np.searchsorted(ids, pairs.images)] + pairs.detections
    keys = numbers * _STRIDE + pairs.objects
    order = np.argsort(keys, stable=True)
    _check_once(keys[order], order, pairs, given)
    columns = {
        "targets": {"rows": objects.places},
        "detections": {
            "rows": first[np.searchsorted(ids, array(tables.detections.images))] + detections.places,
            "keys": keys[order],
            "values": values[order],
        },
    }
    if invariant:
        _add_content(both, columns, pairs, numbers)
    done = {name: _filled(x, columns[name], xp=xp) for name, x in both.items()}
    done["detections"] = _with(done["detections"], count=int(first[-1]))
    return tables._replace(**done)


def _filled(table: Any, columns: Mapping[str, Any], /, *, xp: Namespace) -> Any:
    area = xp.where(xp.isnan(table.area), xp.zeros_like(table.area), table.area)
    new = {name: xp.asarray(x, dtype=area.dtype if name == "values" else xp.int64) for name, x in columns.items()}
    return _with(table._replace(area=area), area=area, **new)


def _with(table: Any, /, **fields: Any) -> Any:
    return table._replace(shapes=dataclasses.replace(table.shapes, **fields))


def _check_once(keys: Any, order: Any, pairs: ListedValues, given: Given, /) -> None:
    twice = np.nonzero(keys[1:] == keys[:-1])[0]
    if twice.size:
        image, detection, place = (int(x[order[twice[0]]]) for x in pairs[:3])
        raise ValueError(
            f"`similarity` must list a pair once, got detection {detection} and object {place} of image "
            f"{named(image, given)} twice"
        )


def _add_content(both: Mapping[str, Any], columns: dict[str, Any], pairs: ListedValues, numbers: Any, /) -> None:
    """Add numbers (N,) of rows by what is known of them and of their partners, regardless of the order of rows."""
    # Each round tells rows apart that those before did not: by their own columns, then by their values and the columns
    # of their partners, and so on. A row has one number of 64 bits, to which its partners add one each, in any order.
    own = {"targets": ("labels", "area", "crowd", "ignore"), "detections": ("scores", "labels", "area")}
    told = {name: _mixed(*(array(getattr(both[name], x)) for x in each)) for name, each in own.items()}
    images, places = array(both["targets"].images), columns["targets"]["rows"]
    _, numbered = np.unique(np.concatenate([images, pairs.images]), return_inverse=True)
    of_rows, of_pairs = np.split(numbered * _STRIDE, [images.shape[0]])
    objects, seen = _rows_of(of_rows + places, of_pairs + pairs.objects)
    detections, known = _rows_of(columns["detections"]["rows"], numbers)
    kept = np.nonzero(seen & known)[0]  # without padding
    objects, detections, values = objects[kept], detections[kept], pairs.values[kept]
    for _ in range(3):
        found = _refined(told["detections"], detections, _mixed(values, told["targets"][objects]))
        told["targets"] = _refined(told["targets"], objects, _mixed(values, told["detections"][detections]))
        told["detections"] = found
    for name, x in told.items():
        columns[name]["content"] = x.view(np.int64)


def _rows_of(rows: Any, wanted: Any, /) -> tuple[Any, Any]:
    """Distinct integers (N,), others (P,) -> where the others are among the first, and whether they are (P,)."""
    order = np.argsort(rows)
    if not rows.shape[0]:
        return np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape, dtype=bool)
    at = order[np.minimum(np.searchsorted(rows[order], wanted), rows.shape[0] - 1)]
    return at, rows[at] == wanted


def _refined(told: Any, rows: Any, partners: Any, /) -> Any:
    total = np.zeros_like(told)
    np.add.at(total, rows, partners)
    return _mixed(told, total)


def _mixed(*columns: Any) -> Any:
    """Columns (N,) -> a number of 64 bits for each row, by SplitMix64: equal for equal rows, else different."""
    out = np.zeros(columns[0].shape, dtype=np.uint64)
    for x in columns:
        bits = x if x.dtype == np.uint64 else (x + 0.0).astype(np.float64).view(np.uint64)  # of -0.0 those of 0.0
        out = (out ^ bits) + np.uint64(0x9E3779B97F4A7C15)
        out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out = out ^ (out >> np.uint64(31))
    return out
