"""pycocotools' tables of precision and recall, of a state or of matches that were made elsewhere."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from omniou._lib import backends
from omniou._lib.host import as_it_is
from omniou.detection._protocol import COCO, AreaRange, Protocol
from omniou.detection._result import Result
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._state import State
from omniou.matching import _coco_greedy as coco

np: Any = backends.numpy_namespace()

# Rising recall thresholds -> the tables there, (T, R, K, A, M) and (T, K, A, M); None where there is nothing.
Found: TypeAlias = Callable[[Sequence[float]], dict[str, Any]] | None


class Group(NamedTuple):
    """Matches of one image and class in one area range, made by any evaluator: D detections by falling score."""

    image: int
    label: int
    scores: Any  # (D,)
    matched: Any  # (T, D) booleans
    ignored: Any  # (T, D) booleans: the detection does not count
    objects: int  # that count


def state_of(given: Sequence[Group], labels: int, thresholds: int, limits: Sequence[int], /) -> State:
    """Return a state of matches that were made elsewhere, of labels 0 to `labels` - 1 and one area range."""
    given = sorted(given, key=lambda x: x.image)
    sizes = [min(len(x.scores), limits[-1]) for x in given]
    matched, ignored = (
        np.concat(
            [np.zeros((thresholds, 0), dtype=bool), *(x[:, :n] for x, n in zip(each, sizes, strict=True))], axis=1
        )
        for each in ([x.matched for x in given], [x.ignored for x in given])
    )
    # Whether a detection counts without a match depends on its area: here it is "matched to an ignored object".
    words = coco.words(thresholds, 1)
    rows = np.flatnonzero((matched | ignored).any(axis=0))
    rank = np.concat([np.zeros(0, dtype=np.int64), *map(np.arange, sizes)])
    objects = [x.objects for x in given]
    places = [x.image for x in given]
    images = np.asarray(sorted(set(places)), dtype=np.int64)
    at = np.searchsorted(images, np.asarray(places, dtype=np.int64))
    bits = [[_packed(x[:, rows][word.thresholds]) for word in words] for x in (matched | ignored, ignored)]
    protocol = Protocol(
        iou_thresholds=tuple(k / thresholds for k in range(thresholds)),
        recall_points=COCO.recall_points,
        area_ranges=(AreaRange("all", 0.0, float("inf"), ""),),
        max_detections=tuple(limits),
    )
    return State(
        protocol=protocol,
        classes=np.arange(labels),
        images=images,
        objects_of=_counted(at, objects, images.size),
        detections_of=_counted(at, sizes, images.size),
        target_labels=np.repeat(np.asarray([x.label for x in given], dtype=np.int64), objects),
        ranges=np.ones(sum(objects), dtype=np.uint8),
        scores=np.concat([np.zeros(0), *(np.asarray(x.scores[:n]) for x, n in zip(given, sizes, strict=True))]),
        labels=np.repeat(np.asarray([x.label for x in given], dtype=np.int64), sizes),
        outside=np.zeros(sum(sizes), dtype=np.uint8),
        rows=rows,
        rank=rank[rows],
        matched=bits[0],
        ignored=bits[1],
        surplus=0,
        kind="bbox",
    )


def _packed(flags: Any, /) -> Any:
    """Flags (T, E) -> bits (E,), the first threshold lowest."""
    out = np.zeros(flags.shape[1], dtype=np.int64)
    for place, row in enumerate(flags):
        out |= row.astype(np.int64) << place
    return out


def _counted(places: Any, numbers: Sequence[int], size: int, /) -> Any:
    return np.bincount(places, weights=numbers, minlength=size).astype(np.int64)


def of_state(state: State, recall_points: Sequence[float], /) -> dict[str, Any]:
    """Return "precision", "recall" and "scores" at other recall thresholds, with -1 for a class without objects."""
    rules = dataclasses.replace(state.protocol, recall_points=tuple(recall_points))
    result: Any = Result(Curves(Ranking(dataclasses.replace(state, protocol=rules), xp=np)), as_it_is, {})
    out = {}
    for name in ("precision", "recall", "scores"):
        out[name] = table = getattr(result, name)  # of this result alone
        np.copyto(table, -1.0, where=np.isnan(table))
    return out


def of_entries(cells: Sequence[Sequence[Any]], areas: int, limits: Sequence[int], /) -> Found:
    """Return the tables of pycocotools' entries, of each class and area range those of the images in their order."""
    given = [
        Group(
            image,
            label,
            entry["dtScores"],
            np.asarray(entry["dtMatches"]) != 0,
            np.asarray(entry["dtIgnore"]) != 0,
            int(np.count_nonzero(np.asarray(entry["gtIgnore"]) == 0)),
        )
        for label, entries in enumerate(cells)
        for image, entry in enumerate(entries)
        if entry is not None
    ]
    # Other evaluators may match detections of a class that has no objects which count: it has no curve.
    present = {x.label for x in given if x.objects}
    given = [x for x in given if x.label in present]
    if not given or not limits:
        return None
    rising = sorted(set(limits))
    # A limit cuts the detections as they are listed, and then those of all images are sorted.
    falls = all((np.diff(x.scores) <= 0).all() for x in given)
    runs = [(given, rising)] if falls else [([_falling(x, limit) for x in given], [limit]) for limit in rising]
    states = [state_of(groups, len(cells), len(given[0].matched), each) for groups, each in runs]
    places = [rising.index(x) for x in limits]

    def found(recall_points: Sequence[float]) -> dict[str, Any]:
        every = [of_state(state, recall_points) for state in states]
        tables = {name: np.concat([x[name] for x in every], axis=-1) for name in every[0]}
        return {
            name: x.reshape(*x.shape[:-3], len(cells) // areas, areas, len(rising))[..., places]
            for name, x in tables.items()
        }

    return found


def _falling(group: Group, limit: int, /) -> Group:
    """Return the first `limit` detections by falling score."""
    order = np.argsort(-np.asarray(group.scores[:limit]), kind="stable")
    return group._replace(
        scores=np.asarray(group.scores)[order], matched=group.matched[:, order], ignored=group.ignored[:, order]
    )


def read_off(found: Found, recalls: Any, size: tuple[int, ...], /, *, corrected: bool) -> dict[str, Any]:
    """Return tables of T, R, K, A and M numbers at recall thresholds in any order, -1 where nothing was found.

    pycocotools gives 0 at all thresholds that come after one that is not reached, unless that is `corrected`.
    """
    given = np.asarray(recalls, dtype=np.float64)
    shapes = {"precision": size, "recall": (size[0], *size[2:]), "scores": size}
    if found is None:
        return {name: np.full(shape, -1.0) for name, shape in shapes.items()}
    rising, places = np.unique(np.clip(given, 0, 1), return_inverse=True)
    every = found(rising.tolist() or (0.0,))
    if np.array_equal(rising, given) and all(x.shape == shapes[name] for name, x in every.items()):
        return every
    out = {name: np.full(shape, -1.0) for name, shape in shapes.items()}
    reached = given[:, None, None, None] <= every["recall"][:, None]
    reached = reached if corrected else np.logical_and.accumulate(reached, axis=1)
    for name, x in every.items():
        if name != "recall":
            x = x[:, places]  # noqa: PLW2901
            x = np.where(reached | (x < 0), x, 0.0)  # noqa: PLW2901
        if x.shape[0] > size[0] and (x > -1).any():
            raise IndexError(f"`iouThrs` must be as many as `evaluate` saw, {x.shape[0]}, got {size[0]}")
        out[name][tuple(map(slice, x.shape))] = x[: size[0]]
    return out


def mean(cells: Any, /) -> float:
    """Return the mean of the cells that hold data, as pycocotools rounds it; -1 without any."""
    some = cells[cells > -1]
    return float(np.mean(some)) if some.size else -1
