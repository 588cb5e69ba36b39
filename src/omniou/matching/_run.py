"""How an assigner of training goes through a batch: image by image on a host, and in parts of it where traced."""

from collections.abc import Callable, Mapping
from typing import Any

from omniou._kernels.picks import Solved, nobody
from omniou._lib import accel, backends, checks, host, indexing, values
from omniou._lib.arrays import cast
from omniou._lib.loops import in_turns
from omniou._lib.types import Namespace
from omniou.matching._assigned import Assigned
from omniou.matching._batch import Batch, check_values

# Bytes of temporaries for each pair of an anchor and an object, and the default of `memory`.
_BYTES, _MEMORY = 80, 2**28
# Pairs at once on a host, where smaller temporaries stay in the cache.
_CACHED = 2**18


def run(solve: Any, batch: Batch, /, *, memory: int | None) -> Assigned:
    """Assign a batch by a kernel."""
    memory = _MEMORY if memory is None else checks.count("memory", memory)
    tile = max(1, memory // _BYTES)
    if batch.traced and "groups" in batch.rows:
        raise TypeError(
            "`groups` must not be traced, by jit, vmap or torch.compile: pass padded objects and `where` there"
        )
    if not batch.traced and (values.visible(*batch.image.values(), *batch.rows.values()) or "groups" in batch.rows):
        return _returned(_on_host(solve, batch, tile), batch)
    if not batch.traced:
        check_values(batch.image, batch.rows, batch.images, xp=batch.xp)
    static = {"solve": solve, "images": batch.images, "tile": tile}
    return _returned(backends.run(_in_chunks, batch.image, _with_masks(batch), xp=batch.xp, **static), batch)


def _returned(out: Solved, batch: Batch, /) -> Assigned:
    xp = batch.xp
    fields = [out.objects, out.states, cast(out.scores, batch.dtypes[1], xp=xp), out.counts]
    if not batch.batched:
        fields = [x[0, ...] for x in fields]
    return Assigned(*fields)


def _with_masks(batch: Batch, /) -> dict[str, Any]:
    """Rows with their masks, and harmless numbers where they are masked."""
    xp, rows = batch.xp, dict(batch.rows)
    for name, mask in (("objects", "where"), ("ignore", "ignore_where")):
        if name not in rows:
            continue
        x = rows[name]
        if mask not in rows:
            rows[mask] = xp.ones(x.shape[:-1], dtype=xp.bool, device=backends.device(x, xp=xp))
        rows[name] = xp.where(rows[mask][..., None], x, 0.0)
    if "labels" in rows:
        rows["labels"] = xp.where(rows["where"], rows["labels"], 0)
    return rows


def _in_chunks(
    image: dict[str, Any], rows: dict[str, Any], /, *, solve: Any, images: int, tile: int, xp: Namespace
) -> Solved:
    """Padded images, as many at once as fit a tile."""
    anchors = next(iter(image.values())).shape[1]
    rows = {name: _broadcast(x, images, xp=xp) for name, x in rows.items()}
    real = rows["where"]
    if 0 in (images, anchors) or (real.shape[1] == 0 and "ignore" not in rows):
        return nobody(real, anchors, dtype=next(iter(image.values())).dtype, xp=xp)
    if real.shape[1] == 0:
        rows |= {
            "objects": xp.zeros_like(rows["ignore"][:, :1, :]),
            "where": xp.zeros_like(rows["ignore_where"][:, :1]),
        }
        out = _in_chunks(image, rows, solve=solve, images=images, tile=tile, xp=xp)
        return out._replace(counts=out.counts[:, :0])
    step = min(images, max(1, tile // max(1, anchors * real.shape[1])))
    if backends.library(xp) == "jax" and step < images:
        return _mapped(solve, image, rows, step, tile=tile, xp=xp)
    parts = []
    for start in range(0, images, step):
        part = slice(start, min(start + step, images))
        some = {name: x[part, ...] if x.shape[0] > 1 else x for name, x in image.items()}
        own = {name: x[part, ...] for name, x in rows.items()}
        parts.append(solve(some, own, own["where"], tile=tile, xp=xp))
    return parts[0] if len(parts) == 1 else Solved(*(xp.concat(list(x)) for x in zip(*parts, strict=True)))


def _broadcast(x: Any, images: int, /, *, xp: Namespace) -> Any:
    return x if x.shape[0] == images else xp.broadcast_to(x, (images, *x.shape[1:]))


def _mapped(
    solve: Any, image: dict[str, Any], rows: dict[str, Any], step: int, /, *, tile: int, xp: Namespace
) -> Solved:
    """A loop inside the compiled program of JAX, which needs the memory of one turn."""
    own = {name: x for name, x in image.items() if x.shape[0] > 1}
    shared = {name: x for name, x in image.items() if x.shape[0] == 1}

    def one(arrays: Any) -> Any:
        mine, of_rows = ({name: x[None, ...] for name, x in part.items()} for part in arrays)
        out = solve({**shared, **mine}, of_rows, of_rows["where"], tile=tile, xp=xp)
        return Solved(*(x[0, ...] for x in out))

    out: Solved = in_turns(one, (own, rows), step)
    return out


def _on_host(solve: Any, batch: Batch, tile: int, /) -> Solved:
    """Image by image, without padding: the memory follows the number of objects."""
    xp, arrays, home = host.to_host({**batch.image, **batch.rows})
    image, rows = ({name: arrays[name] for name in of} for of in (batch.image, batch.rows))
    check_values(image, rows, batch.images, xp=xp)
    anchors, objects = next(iter(image.values())).shape[1], rows["objects"]
    solve = solve._replace(plan=solve.plan._replace(compute=objects.dtype, result=objects.dtype))
    if backends.library(xp) == "numpy" and (fast := accel.module("assigners")):
        solve = fast.faster(solve)
    chosen_of, ignored_of = (_selection(rows, name, batch.images, xp=xp) for name in ("objects", "ignore"))
    outs = []
    for k in range(batch.images):
        chosen = chosen_of(k)
        some = {name: x[k : k + 1, ...] if x.shape[0] > 1 else x for name, x in image.items()}
        own: dict[str, Any] = {"objects": _of_image(rows["objects"], k, chosen, xp=xp)}
        if "labels" in rows:
            own["labels"] = _of_image(rows["labels"], k, chosen, xp=xp)
        if "ignore" in rows and (regions := ignored_of(k)).shape[0]:
            own["ignore"] = _of_image(rows["ignore"], k, regions, xp=xp)
            own["ignore_where"] = xp.ones((1, regions.shape[0]), dtype=xp.bool, device=backends.device(objects, xp=xp))
        outs.append(_of_one(solve, some, own, chosen, tile=min(tile, _CACHED), xp=xp))
    if not outs:
        none = xp.zeros((0, 0), dtype=xp.bool, device=backends.device(objects, xp=xp))
        outs = [nobody(none, anchors, dtype=objects.dtype, xp=xp)]
    numbers, states, scores = (xp.concat(list(x)) for x in list(zip(*outs, strict=True))[:3])
    counts = _counts(numbers, objects.shape[1], flat="groups" in rows, xp=xp)
    return Solved(*map(home, (numbers, states, scores, counts)))


def _selection(rows: Mapping[str, Any], name: str, images: int, /, *, xp: Namespace) -> Callable[[int], Any]:
    """Return a function from an image to the places of its objects, or of its regions to ignore."""
    prefix = "" if name == "objects" else "ignore_"
    groups, where = rows.get(f"{prefix}groups"), rows.get(f"{prefix}where")
    if groups is not None:
        order = xp.argsort(groups, stable=True)
        numbers = xp.arange(images + 1, dtype=groups.dtype, device=backends.device(groups, xp=xp))
        first = indexing.to_list(xp.searchsorted(xp.take(groups, order), numbers))
        return lambda image: order[first[image] : first[image + 1]]
    if where is not None:
        return lambda image: xp.nonzero(where[image if where.shape[0] > 1 else 0, ...])[0]
    if name not in rows:
        return lambda _: None
    x = rows[name]
    every = xp.arange(x.shape[1], device=backends.device(x, xp=xp))
    return lambda _: every


def _of_image(x: Any, image: int, places: Any, /, *, xp: Namespace) -> Any:
    """Rows (B or 1, M, ...) -> rows of one image (1, m, ...)."""
    return xp.take(x[image if x.shape[0] > 1 else 0, ...], places, axis=0)[None, ...]


def _of_one(
    solve: Any, image: dict[str, Any], rows: dict[str, Any], chosen: Any, /, *, tile: int, xp: Namespace
) -> Solved:
    """One image, whose objects have these places (m,) in the whole."""
    objects = rows["objects"]
    rows["where"] = xp.ones(objects.shape[:2], dtype=xp.bool, device=backends.device(objects, xp=xp))
    out = _in_chunks(image, rows, solve=solve, images=1, tile=tile, xp=xp)
    if objects.shape[1] == 0:
        return out
    numbers = xp.reshape(out.objects, (-1,))
    places = xp.astype(xp.take(chosen, xp.where(numbers < 0, 0, numbers)), numbers.dtype)
    return out._replace(objects=xp.where(numbers < 0, -1, places)[None, :])


def _counts(numbers: Any, size: int, /, *, flat: bool, xp: Namespace) -> Any:
    """Objects of anchors (B, A) -> how many anchors each object has: (N,), or (B, M)."""
    images = numbers.shape[0]
    # Key 0 of an image counts anchors without an object, and is dropped. With 3 objects an image, object 2 of image 1
    # is key (2 + 1) + 1 * 4 = 7.
    keys = numbers + 1
    if not flat:
        image = xp.arange(images, dtype=numbers.dtype, device=backends.device(numbers, xp=xp))
        keys = keys + image[:, None] * (size + 1)
    found = indexing.counts(xp.reshape(keys, (-1,)), (1 if flat else images) * (size + 1), xp=xp)
    return found[1:] if flat else xp.reshape(found, (images, size + 1))[:, 1:]
