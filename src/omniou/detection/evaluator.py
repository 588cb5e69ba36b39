"""From columns to the numbers."""

from typing import Any

import array_api_compat as compat

from omniou._kernels import curves as kernels
from omniou._kernels.curves import Listing
from omniou._lib import indexing
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayT, Namespace
from omniou.detection import columns as doors
from omniou.detection import match as matching
from omniou.detection import summary, tables
from omniou.detection.columns import Detections, Targets
from omniou.detection.match import Matches
from omniou.detection.protocol import COCO, AreaRange, Protocol
from omniou.detection.result import Result
from omniou.detection.summary import Tables
from omniou.detection.tables import Objects, Ranked


def evaluate(
    targets: Targets[ArrayT],
    detections: Detections[ArrayT],
    *,
    protocol: Protocol = COCO,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    classes: Any = None,
    images: Any = None,
) -> Result[ArrayT]:
    """Average precision and recall of box detections, by the rules of COCO.

    Equal to pycocotools in every cell of its tables, with two exceptions where that is plainly wrong: an object's
    own number plays no part (there, annotation id 0 reads as "unmatched"), and the limits of detections may be
    any numbers (there, AP is -1 unless 100 is among them). "No data" is NaN, not -1.

    Parameters
    ----------
    targets : Targets
        All objects of all images, as columns.
    detections : Detections
        All detections. Their library, and device, must be those of the targets.
    protocol : Protocol
        Thresholds and ranges; `COCO` with any field replaced.
    format : {"xyxy", "yxyx", "xywh", "cxcywh"}
        Of both box columns. With stated sides, width times height is the area to the last bit, as in pycocotools.
    offset : float
        1 where high corners name the last pixel inside.
    classes, images : sequence or array of integers, optional
        What to evaluate; rows of other classes and images are left out. Default: all that occur.

    Returns
    -------
    Result
        The twelve numbers, the same for each class, and the curves, in arrays of the given library.

    Raises
    ------
    TypeError
        If the columns come from two libraries or devices, or hold something else than numbers.
    ValueError
        If shapes do not fit, an option is unknown, a score is NaN, or a box or an area is not finite.

    Notes
    -----
    Computed in float64 where the library has it, whatever the dtype of the columns. Values decide the shapes on the
    way: not for use under `jax.jit` or `torch.compile`, nor on Dask arrays. JAX would compile each step anew for each
    shape, so that its arrays are evaluated by NumPy, and the results put on their device; where JAX has 64-bit numbers
    switched off, the tables are rounded to float32 there, but not the numbers of the summary.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014; the rules are those of ``COCOeval`` in cocodataset/cocoapi.

    Examples
    --------
    Three objects in one image, two of them found: the third lowers recall, and with it the 101 points of AP.

    >>> from omniou import detection
    >>> truth = [[0, 0, 10, 10], [20, 20, 30, 30], [50, 50, 60, 60]]
    >>> result = detection.evaluate(
    ...     detection.Targets(boxes=truth, labels=[1, 1, 1], images=[0, 0, 0]),
    ...     detection.Detections(boxes=truth[:2], scores=[0.9, 0.8], labels=[1, 1], images=[0, 0]),
    ... )
    >>> round(result.summary["AP"], 4), round(result.summary["AR100"], 4)
    (0.6634, 0.6667)
    """
    xp, truth, found, home = doors.columns(targets, detections, format=format, offset=offset)
    ids = tables.rising_ids(classes, truth.labels, found.labels, name="classes", xp=xp)
    image_ids = tables.rising_ids(images, truth.images, found.images, name="images", xp=xp)
    objects = tables.objects(truth, ids, image_ids, xp=xp)
    ranked = tables.ranked(found, ids, image_ids, protocol.max_detections[-1], xp=xp)
    matches = matching.match(objects, ranked, protocol, xp=xp)
    counts = _objects_per_class(objects, ids.shape[0], protocol, xp=xp)
    cells = _tables(ranked, matches, counts, protocol, xp=xp)
    return Result(
        summary.overall(cells, protocol, xp=xp),
        {name: home(x) for name, x in summary.per_class(cells, protocol, xp=xp).items()},
        home(ids),
        home(counts),
        *(home(cells.precision), home(cells.recall), home(cells.scores)),
        protocol,
    )


def _objects_per_class(objects: Objects, classes: int, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """(K, A) objects that count: neither ignored nor outside the area range."""
    first = _class_starts(objects.classes, classes, xp=xp)
    columns = []
    for area in protocol.area_ranges:
        counts = xp.astype(_within(objects.area, area) & ~objects.ignore, xp.int64)
        total = xp.take(xp.cumulative_sum(counts, include_initial=True), first)
        columns.append(indexing.rest(total) - total[:-1])
    return xp.stack(columns, axis=1)


def _class_starts(rising: Any, classes: int, /, *, xp: Namespace) -> Any:
    return xp.searchsorted(rising, xp.arange(classes + 1, dtype=rising.dtype, device=compat.device(rising)))


def _within(area: Any, limits: AreaRange, /) -> Any:
    return (area >= limits.low) & (area <= limits.high)


def _tables(ranked: Ranked, matches: Matches, counts: Any, protocol: Protocol, /, *, xp: Namespace) -> Tables:
    classes = counts.shape[0]
    touched = xp.take(ranked.classes, matches.rows)
    listing = Listing(
        ranked.scores,
        ranked.rank,
        _class_starts(ranked.classes, classes, xp=xp),
        matches.rows,
        touched,
        _class_starts(touched, classes, xp=xp),
    )
    dtype, device = ranked.scores.dtype, compat.device(ranked.scores)
    points = xp.asarray(protocol.recall_points, dtype=dtype, device=device)
    parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for number, area in enumerate(protocol.area_ranges):
        inside = _within(ranked.boxes.area, area)
        outcomes = matching.outcomes(matches, number, xp=xp)
        scale = kernels.scale(counts[:, number], points, xp=xp)
        for limit in protocol.max_detections:
            done = kernels.curves(listing, inside, limit, outcomes, scale, xp=xp)
            for part, table in zip(parts, done, strict=True):
                part.append(table)
    shape = (len(protocol.area_ranges), len(protocol.max_detections))
    return Tables(*(_layout(xp.stack(part), shape, xp=xp) for part in parts))


def _layout(x: Any, shape: tuple[int, int], /, *, xp: Namespace) -> Any:
    """(A * M, T, K, ...) -> (T, ..., K, A, M)."""
    x = xp.reshape(x, (*shape, *x.shape[1:]))
    return xp.permute_dims(x, (2, *range(4, x.ndim), 3, 0, 1))
