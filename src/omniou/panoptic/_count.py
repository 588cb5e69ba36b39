"""Count segments and tubes in label maps."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from omniou._lib import backends, checks, indexing
from omniou._lib.arrays import widest_floating
from omniou._lib.docs import described
from omniou._lib.types import ArrayLike, ArrayT
from omniou.panoptic import _maps, _match
from omniou.panoptic._counts import PanopticCounts, TrackingCounts, VideoCounts
from omniou.panoptic._maps import Classes, MapRuns, Unknown
from omniou.panoptic._match import VOID, Matched, MatchRules, Runs, match

Void = Literal["ignore", "count"]


def count(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    *,
    things: Collection[int],
    stuff: Collection[int],
    crowd: Any = None,
    unknown: Unknown = "error",
    unlabelled: Void = "ignore",
    unpredicted: Void = "count",
    modified: bool = False,
) -> PanopticCounts[ArrayT]:
    """Count true positives, false positives and missed segments in label maps of pairs (category, instance).

    A segment is all pixels of one category and instance in an image; for stuff, all pixels of the category. Segments of
    one class match if they share more than half of their union.

    Parameters
    ----------
    target, prediction : array of integers, shape (images, ..., 2)
        Category and instance id of each pixel. One image needs its axis, ``x[None]``: a shape that is
        most likely (height, width, 2) raises.
        Pixels of the target whose category is neither among `things` nor `stuff` are void: predicted segments that have
        more than half of their pixels there are not false positives.
    things, stuff : collection of int
        Category ids of countable things, and of stuff, whose instance ids have no effect.
    crowd : array of booleans, shape (images, ...), optional
        Pixels of the target that belong to a region of many things of their category. Such a region need not be found,
        and predicted segments of its category with more than half of their pixels there, or in void, are not false
        positives.
    unknown : {"error", "void"}
        Treatment of predicted categories that are neither things nor stuff.
    unlabelled : {"ignore", "count"}
        Treatment of void pixels in the area of predicted segments. "ignore", as in panopticapi: they are excluded.
        "count", as in the evaluator of BDD100K: they count.
    unpredicted : {"count", "ignore"}
        Treatment of pixels whose predicted category is none. "count", as in panopticapi: they are missed. "ignore",
        as in torchmetrics: they are excluded from the area of target segments, and segments with more than half of
        their pixels there are not false negatives, which makes the scores too high.
    modified : bool
        Whether stuff is scored by the mean IoU of its segments, however little they overlap (PQ dagger).

    Returns
    -------
    PanopticCounts
        Sums over images; add the counts of batches and shards. Arrays follow the library of the maps.

    Raises
    ------
    TypeError
        If libraries or devices differ, labels are not integers, or category ids are none.
    ValueError
        If shapes do not fit, a category is both thing and stuff, or a predicted category is unknown.

    Notes
    -----
    Shapes depend on values, so it is not traced. Arrays of JAX are counted by NumPy. In tensors of torch on a GPU, the
    runs of equal labels are found there, and copied to the CPU at once.

    References
    ----------
    Kirillov et al., Panoptic segmentation, CVPR 2019; Porzi et al., Seamless scene segmentation, CVPR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import panoptic
    >>> target = np.array([[[1, 0], [1, 0], [1, 1], [7, 0]]])  # two things of category 1, and stuff
    >>> prediction = np.array([[[1, 5], [1, 5], [1, 5], [7, 0]]])
    >>> counts = panoptic.count(target, prediction, things={1}, stuff={7})
    >>> counts.false_negatives.tolist(), counts.iou.round(3).tolist()
    ([1, 0], [0.667, 1.0])
    >>> round(counts.summary["PQ"], 3)
    0.722
    """
    classes = _maps.categories(things, stuff)
    maps = _maps.pairs(target, prediction, crowd, classes, unknown)
    modified = checks.flag("modified", modified)
    outcome = outcome_of(maps, classes, unlabelled, unpredicted, modified=modified)
    return counts_of(outcome, classes, maps, modified=modified)


@described(count)
def count_video(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    *,
    things: Collection[int],
    stuff: Collection[int],
    windows: Sequence[int] = (1, 2, 3, 4),
    crowd: Any = None,
    unknown: Unknown = "error",
    unlabelled: Void = "ignore",
    unpredicted: Void = "count",
) -> VideoCounts[ArrayT]:
    """Count tubes in windows of a video, for video panoptic quality (VPQ).

    The tubes of a window are the segments of its frames together, by category and instance id. Windows start at each
    frame; a video shorter than a window has none.

    Parameters
    ----------
    target, prediction : array of integers, shape (frames, ..., 2)
        One video: category and instance id of each pixel. Instance ids name the same object in all frames.
    windows : sequence of int
        Frames of a window: VPQ is the mean over these. The benchmark's are 1 to 4 labelled frames.
    things, stuff, crowd, unknown, unlabelled, unpredicted

    Returns
    -------
    VideoCounts
        Add the counts of all videos.

    Raises
    ------
    TypeError, ValueError
        The same as in `count`; if a window is not a positive integer, or occurs twice.

    References
    ----------
    Kim et al., Video panoptic segmentation, CVPR 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import panoptic
    >>> target = np.array([[[1, 1], [1, 1], [1, 2]]] * 2)  # two frames of three pixels
    >>> prediction = np.array([[[1, 1], [1, 1], [1, 2]], [[1, 2], [1, 2], [1, 1]]])  # ids are exchanged
    >>> panoptic.count_video(target, prediction, things={1}, stuff=(), windows=(1, 2)).summary["VPQ@2"]
    0.0
    """
    given = checks.items("windows", windows, "a sequence of numbers of frames")
    lengths = [checks.count("windows", length) for length in given]
    if not lengths or len(set(lengths)) < len(lengths):
        raise ValueError(f"`windows` must be different positive integers, at least one, got {windows!r}")
    classes = _maps.categories(things, stuff)
    maps = _maps.pairs(target, prediction, crowd, classes, unknown, video=True)
    counts = {}
    for length in lengths:
        window = _windowed(maps, length)
        outcome = outcome_of(window, classes, unlabelled, unpredicted, modified=False)
        counts[length] = counts_of(outcome, classes, window, modified=False)
    return VideoCounts(counts)


@described(count)
def count_tracks(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    *,
    things: Collection[int],
    stuff: Collection[int],
    crowd: Any = None,
    unknown: Unknown = "error",
) -> TrackingCounts[ArrayT]:
    """Count associated pixels and classes of a video, for segmentation and tracking quality (STQ).

    Parameters
    ----------
    target, prediction : array of integers, shape (frames, ..., 2)
        One whole video: category and instance id of each pixel. Instance ids name the same object in all frames.
    crowd : array of booleans, shape (frames, ...), optional
        Pixels of things that have no track: they are excluded from tracks, not from classes. The benchmark STEP gives
        such pixels instance 0: ``crowd=is_thing & (target[..., 1] == 0)``.
    things, stuff, unknown

    Returns
    -------
    TrackingCounts
        Add the counts of all videos.

    Raises
    ------
    TypeError, ValueError
        The same as in `count`.

    References
    ----------
    Weber et al., STEP: Segmenting and tracking every pixel, NeurIPS 2021 (datasets and benchmarks).

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import panoptic
    >>> target = np.array([[[1, 1], [1, 1], [7, 0]]] * 2)
    >>> prediction = np.array([[[1, 1], [1, 1], [7, 0]], [[1, 2], [1, 2], [7, 0]]])  # a new id in the second frame
    >>> panoptic.count_tracks(target, prediction, things={1}, stuff={7}).summary["AQ"]
    0.5
    """
    classes = _maps.categories(things, stuff)
    maps = _maps.pairs(target, prediction, crowd, classes, unknown, whole=True)
    xp = maps.xp
    tables = _match.tables(maps.runs.image, maps.columns, maps.runs.length, xp=xp)
    label, other = (
        xp.take(tables.target.label, tables.target_of),
        xp.take(tables.prediction.label, tables.prediction_of),
    )
    of_crowd = xp.take(tables.target.crowd, tables.target_of)
    area, zero = tables.area, xp.zeros_like(tables.area)
    # Predicted tubes do not extend into crowds.
    size = tables.prediction.area.shape[0]
    outside = indexing.sums(xp.where(of_crowd, zero, area), tables.prediction_of, size, xp=xp)
    both = (label >= 0) & (label < classes.things) & (other >= 0) & (other < classes.things) & ~of_crowd
    whole = xp.take(tables.target.area, tables.target_of)
    shared, true, predicted = (
        xp.astype(xp.where(both, x, xp.ones_like(x)), widest_floating(xp, backends.device(area, xp=xp)))
        for x in (area, whole, xp.take(outside, tables.prediction_of))
    )
    # AQ sums TPA * IoU over the pairs of tubes that share pixels, and divides by the size of the target's tube:
    # a target of 4 pixels of which a prediction of 2 covers 2 gives 2 * (2 / 4) / 4 = 1 / 4.
    each = xp.where(both, shared * shared / (true + predicted - shared) / true, xp.zeros_like(shared))
    is_tube = (tables.target.label >= 0) & (tables.target.label < classes.things) & ~tables.target.crowd
    count = len(classes.labels)
    # Cell of the confusion counts (C, C + 1), row by row: with 3 classes, target 1 and prediction 2 are cell 1 * 4 + 2.
    # The last column is for predictions of no class; pixels without a target go to one more cell, which is dropped.
    cell = xp.where(label == VOID, xp.full_like(label, count * (count + 1)), label * (count + 1) + other)
    cell = xp.where((label != VOID) & (other == VOID), label * (count + 1) + count, cell)
    confusion = indexing.sums(area, cell, count * (count + 1) + 1, xp=xp)[:-1]
    return TrackingCounts(
        maps.home(xp.sum(each)), maps.home(xp.count_nonzero(is_tube)), maps.home(xp.reshape(confusion, (count, -1)))
    )


@described(count)
def count_ids(
    target: ArrayT | ArrayLike,
    prediction: ArrayT | ArrayLike,
    /,
    target_segments: Iterable[Mapping[str, Any]],
    prediction_segments: Iterable[Mapping[str, Any]],
    *,
    things: Collection[int],
    stuff: Collection[int],
    unlabelled: Void = "ignore",
    unpredicted: Void = "count",
    modified: bool = False,
) -> PanopticCounts[ArrayT]:
    """Count segments in the maps of ids of one image, as COCO and panopticapi have them.

    Parameters
    ----------
    target, prediction : array of integers, shape (...)
        Segment id of each pixel, 0 for void; `from_rgb` makes ids from the colours of COCO's PNG files.
    target_segments, prediction_segments : iterable of mapping
        ``segments_info`` of COCO's JSON: ``id``, ``category_id``, and ``iscrowd``, by default 0, of each segment.
    things, stuff, unlabelled, unpredicted, modified

    Returns
    -------
    PanopticCounts
        Add the counts of all images.

    Raises
    ------
    TypeError, ValueError
        The same as in `count`; if a pixel has an id without a segment, a segment no pixel, or a category is unknown.

    Notes
    -----
    Areas come from the maps, not from the JSON. If a category has several crowds, panopticapi takes the last; here
    all count.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import panoptic
    >>> target, prediction = np.array([[8, 8, 9, 0]]), np.array([[3, 3, 3, 3]])
    >>> counts = panoptic.count_ids(
    ...     target, prediction, [{"id": 8, "category_id": 1}, {"id": 9, "category_id": 2}],
    ...     [{"id": 3, "category_id": 1}], things={1}, stuff={2},
    ... )
    >>> round(float(counts.iou[0]), 3), counts.false_negatives.tolist()
    (0.667, [0, 1])
    """
    classes = _maps.categories(things, stuff)
    maps = _maps.ids(target, prediction, target_segments, prediction_segments, classes)
    modified = checks.flag("modified", modified)
    outcome = outcome_of(maps, classes, unlabelled, unpredicted, modified=modified)
    return counts_of(outcome, classes, maps, modified=modified)


def outcome_of(maps: MapRuns, classes: Classes, unlabelled: Void, unpredicted: Void, /, *, modified: bool) -> Matched:
    """Return the matches of the segments of each image."""
    unlabelled = checks.choice("unlabelled", unlabelled, ("ignore", "count"))
    unpredicted = checks.choice("unpredicted", unpredicted, ("count", "ignore"))
    xp = maps.xp
    flags = [modified and not thing for thing in classes.flags]
    loose = xp.asarray(flags, dtype=xp.bool, device=backends.device(maps.runs.image, xp=xp))
    tables = _match.tables(maps.runs.image, maps.columns, maps.runs.length, xp=xp)
    return match(tables, MatchRules(unlabelled == "ignore", unpredicted == "ignore", loose), xp=xp)


def counts_of(outcome: Matched, classes: Classes, maps: MapRuns, /, *, modified: bool) -> PanopticCounts[Any]:
    """Sum the matches over the segments of each class."""
    size, xp = len(classes.labels), maps.xp
    iou = indexing.sums(outcome.iou, outcome.label, size, xp=xp)
    numbers = [indexing.counts(x, size, xp=xp) for x in (outcome.true, outcome.false, outcome.missed)]
    iou, true, false, missed = (maps.home(x) for x in (iou, *numbers))
    return PanopticCounts(
        classes=classes.labels,
        things=classes.flags,
        iou=iou,
        true_positives=true,
        false_positives=false,
        false_negatives=missed,
        modified=modified,
    )


def _windowed(maps: MapRuns, length: int) -> MapRuns:
    """Runs of frames -> runs of the windows that contain them, numbered by the first frame of the window."""
    xp, runs = maps.xp, maps.runs
    # With windows of 2 frames, frame 3 is in the windows that start at 3 and at 2.
    starts = [runs.image - k for k in range(length)]
    kept = [xp.nonzero((start >= 0) & (start <= maps.images - length))[0] for start in starts]
    rows = xp.concat(kept)
    image = xp.concat([xp.take(start, some) for start, some in zip(starts, kept, strict=True)])
    moved = Runs(xp.take(runs.place, rows), xp.take(runs.length, rows), image)
    return maps._replace(runs=moved, columns=[tuple(xp.take(x, rows) for x in of_map) for of_map in maps.columns])
